//! The records of a binary workbook (MS-XLSB), a zip archive as of xlsx, and the parts that its sheets need.

use super::cell::MAX_CELL_BYTES;
use super::number::NumberFormats;
use super::strings::{SharedStrings, utf16};
use crate::fault::InputError;
use crate::peek::PeekReader;
use crate::read::ReadBytes;

/// Maximum bytes of a record that is held: a cell with the longest text.
const MAX_RECORD_BYTES: usize = 2 * MAX_CELL_BYTES + 64;

/// The fault of a record that is too short for its fields.
pub(super) const DAMAGED_RECORDS: InputError =
    InputError::Office("has a damaged record; the text of it may be missing");

/// Bytes of a read.
const READ_BYTES: usize = 8 << 10;

/// Reads records one after another.
pub(super) struct XlsbRecords<'r> {
    bytes: PeekReader<&'r mut dyn ReadBytes>,
    /// Offset of the current record.
    pub(super) offset: u64,
    end: u64,
}

/// A record.
pub(super) struct XlsbRecord {
    pub(super) kind: u32,
    pub(super) data: Vec<u8>,
}

impl<'r> XlsbRecords<'r> {
    pub(super) fn new(bytes: &'r mut dyn ReadBytes) -> Self {
        XlsbRecords {
            bytes: PeekReader::with_capacity(bytes, READ_BYTES),
            offset: 0,
            end: 0,
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, InputError> {
        let mut byte = [0];
        let read = self.bytes.read(&mut byte)?;
        self.end += read as u64;
        Ok((read > 0).then_some(byte[0]))
    }

    /// Reads the next record; `None` at the end.
    ///
    /// # Errors
    /// No further record follows an error.
    pub(super) fn next_record(&mut self) -> Result<Option<XlsbRecord>, InputError> {
        let cut = InputError::Office("ends within a record; get it again");
        self.offset = self.end;
        let Some(first) = self.byte()? else {
            return Ok(None);
        };
        let mut kind = u32::from(first);
        if first & 0x80 != 0 {
            let Some(second) = self.byte()? else {
                return Err(cut);
            };
            kind = kind & 0x7f | u32::from(second & 0x7f) << 7;
        }
        let mut length = 0;
        for shift in [0, 7, 14, 21] {
            let Some(byte) = self.byte()? else {
                return Err(cut);
            };
            length |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let mut data = Vec::new();
        self.bytes
            .read_up_to(length.min(MAX_RECORD_BYTES), &mut data)?;
        let is_long = length > MAX_RECORD_BYTES;
        self.end += data.len() as u64;
        if is_long {
            return Err(InputError::Office(
                "has a record of more than 2 MiB; the rest was not read",
            ));
        }
        if data.len() < length {
            return Err(cut);
        }
        Ok(Some(XlsbRecord { kind, data }))
    }
}

impl XlsbRecord {
    pub(super) fn bytes<const N: usize>(&self, at: usize) -> Result<[u8; N], InputError> {
        let bytes = self
            .data
            .get(at..at.saturating_add(N))
            .ok_or(DAMAGED_RECORDS)?;
        bytes.try_into().map_err(|_| DAMAGED_RECORDS)
    }

    pub(super) fn u32(&self, at: usize) -> Result<u32, InputError> {
        Ok(u32::from_le_bytes(self.bytes(at)?))
    }

    /// Returns a text after its length, and its end. A missing text may have the length -1.
    pub(super) fn text(&self, at: usize) -> Result<(String, usize), InputError> {
        let (count, start) = (self.u32(at)?, at + 4);
        if count == u32::MAX {
            return Ok((String::new(), start));
        }
        let end = (count as usize).checked_mul(2);
        let end = end
            .and_then(|length| start.checked_add(length))
            .ok_or(DAMAGED_RECORDS)?;
        let bytes = self.data.get(start..end).ok_or(DAMAGED_RECORDS)?;
        Ok((utf16(bytes), end))
    }
}

/// Calls `take` with each record of a part that other parts need. Damage ends the part; it is reported when the part is
/// read again.
fn each_record(
    bytes: &mut dyn ReadBytes,
    mut take: impl FnMut(&XlsbRecord) -> Result<(), InputError>,
) {
    let mut records = XlsbRecords::new(bytes);
    while let Ok(Some(record)) = records.next_record() {
        if take(&record).is_err() {
            return;
        }
    }
}

/// Reads the names of the sheets, and the identifiers of their relationships.
pub(super) fn read_workbook(
    bytes: &mut dyn ReadBytes,
    formats: &mut NumberFormats,
    mut take: impl FnMut(String, String),
) {
    each_record(bytes, |record| {
        match record.kind {
            0x99 => formats.is_1904 = record.bytes::<1>(0)?[0] & 1 == 1,
            0x9c => {
                let (id, end) = record.text(8)?;
                take(record.text(end)?.0, id);
            }
            _ => {}
        }
        Ok(())
    });
}

/// Reads the formats of cells.
pub(super) fn read_styles(bytes: &mut dyn ReadBytes, formats: &mut NumberFormats) {
    let mut in_cells = false;
    each_record(bytes, |record| {
        match record.kind {
            0x2c => {
                let number = u16::from_le_bytes(record.bytes(0)?);
                formats.add_code(number.into(), &record.text(2)?.0);
            }
            0x269 => in_cells = true,
            0x26a => in_cells = false,
            0x2f if in_cells => {
                let number = u16::from_le_bytes(record.bytes(2)?);
                formats.add_style(number.into());
            }
            _ => {}
        }
        Ok(())
    });
}

/// Reads the texts that cells share.
pub(super) fn read_strings(bytes: &mut dyn ReadBytes, strings: &mut SharedStrings) {
    each_record(bytes, |record| {
        if record.kind == 0x13 && !strings.is_over {
            strings.push(record.text(1)?.0.as_bytes());
        }
        Ok(())
    });
}
