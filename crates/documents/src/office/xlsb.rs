//! The parts of a binary workbook (MS-XLSB): a zip archive as of xlsx, with records instead of XML.

use super::cell::{CellAddress, CellSink, MAX_CELL_BYTES};
use super::number::{NumberFormats, error, packed, truth};
use super::sheet::header_text;
use super::strings::SharedStrings;
use super::workbook::Workbook;
use crate::fault::InputError;
use crate::peek::PeekReader;
use crate::read::ReadBytes;

/// Maximum bytes of a record that is held: a cell with the longest text.
const MAX_RECORD_BYTES: usize = 2 * MAX_CELL_BYTES + 64;

const DAMAGED_RECORDS: InputError =
    InputError::Office("has a damaged record; the text of it may be missing");

/// Bytes of a read.
const READ_BYTES: usize = 8 << 10;

/// Reads records one after another.
struct XlsbRecords<'r> {
    bytes: PeekReader<&'r mut dyn ReadBytes>,
    /// Offset of the current record.
    offset: u64,
    end: u64,
}

/// A record.
struct XlsbRecord {
    kind: u32,
    data: Vec<u8>,
}

impl<'r> XlsbRecords<'r> {
    fn new(bytes: &'r mut dyn ReadBytes) -> Self {
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
    fn next_record(&mut self) -> Result<Option<XlsbRecord>, InputError> {
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
    fn bytes<const N: usize>(&self, at: usize) -> Result<[u8; N], InputError> {
        let bytes = self
            .data
            .get(at..at.saturating_add(N))
            .ok_or(DAMAGED_RECORDS)?;
        bytes.try_into().map_err(|_| DAMAGED_RECORDS)
    }

    fn u32(&self, at: usize) -> Result<u32, InputError> {
        Ok(u32::from_le_bytes(self.bytes(at)?))
    }

    /// Returns a text after its length, and its end. A missing text may have the length -1.
    fn text(&self, at: usize) -> Result<(String, usize), InputError> {
        let (count, start) = (self.u32(at)?, at + 4);
        if count == u32::MAX {
            return Ok((String::new(), start));
        }
        let end = (count as usize).checked_mul(2);
        let end = end
            .and_then(|length| start.checked_add(length))
            .ok_or(DAMAGED_RECORDS)?;
        let bytes = self.data.get(start..end).ok_or(DAMAGED_RECORDS)?;
        let units = bytes.chunks_exact(2);
        let units: Vec<u16> = units
            .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
            .collect();
        Ok((String::from_utf16_lossy(&units), end))
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
            let (text, _) = record.text(1)?;
            if !strings.push(text.as_bytes()) {
                strings.give_up(&mut |_| ());
            }
        }
        Ok(())
    });
}

/// Passes on the texts of comments, or shared texts, without a cell.
pub(super) fn read_texts(mut cells: CellSink<'_>, bytes: &mut dyn ReadBytes) -> bool {
    const SHARED: u32 = 0x13;
    const COMMENT: u32 = 0x27d;
    let name = cells.member();
    each_of(&mut cells, bytes, |cells, record| {
        if matches!(record.kind, SHARED | COMMENT) {
            cells.text_outside_cells(name, record.text(1)?.0.as_bytes());
        }
        Ok(())
    })
}

/// Passes on the cells of a sheet. Returns false if the source should not be read further.
pub(super) fn read(
    mut cells: CellSink<'_>,
    workbook: &Workbook,
    bytes: &mut dyn ReadBytes,
) -> bool {
    let mut row = 0;
    each_of(&mut cells, bytes, |cells, record| {
        match record.kind {
            0x00 => row = record.u32(0)?,
            0x02..=0x0b | 0x3e => cell(cells, workbook, row, record)?,
            0x1ee => link(cells, workbook, record)?,
            // A header or footer has texts for different pages.
            0x1df => {
                let name = format!("{}#text", cells.sheet);
                let mut at = 2;
                while at < record.data.len() {
                    let (text, end) = record.text(at)?;
                    cells.text_outside_cells(&name, &header_text(text.as_bytes()));
                    at = end;
                }
            }
            _ => {}
        }
        Ok(())
    })
}

/// Calls `take` with each record, and reports damage.
fn each_of<'a>(
    cells: &mut CellSink<'a>,
    bytes: &mut dyn ReadBytes,
    mut take: impl FnMut(&mut CellSink<'a>, &XlsbRecord) -> Result<(), InputError>,
) -> bool {
    let mut records = XlsbRecords::new(bytes);
    while cells.go_on {
        match records.next_record() {
            Ok(Some(record)) => {
                if let Err(error) = take(cells, &record) {
                    cells.report_loss(records.offset, error);
                }
            }
            Ok(None) => break,
            Err(error) => {
                cells.report_loss(records.offset, error);
                break;
            }
        }
    }
    cells.go_on
}

fn cell(
    cells: &mut CellSink<'_>,
    workbook: &Workbook,
    row: u32,
    record: &XlsbRecord,
) -> Result<(), InputError> {
    let column = record.u32(0)?;
    let at = CellAddress { row, column };
    let style = u64::from(record.u32(4)? & 0xff_ffff);
    let number = |cells: &mut CellSink<'_>, value| {
        if cells.is_table() {
            cells.value(at, workbook.shown(style, value).as_bytes());
        }
    };
    match record.kind {
        0x02 => number(cells, packed(record.u32(8)?)),
        0x05 | 0x09 => number(cells, f64::from_le_bytes(record.bytes(8)?)),
        0x03 | 0x0b => cells.value(at, error(record.bytes::<1>(8)?[0])),
        0x04 | 0x0a => cells.value(at, truth(record.bytes::<1>(8)?[0] != 0)),
        0x06 | 0x08 => cells.text(at, "", record.text(8)?.0.as_bytes()),
        // A text with formats of its parts.
        0x3e => cells.text(at, "", record.text(9)?.0.as_bytes()),
        _ if !workbook.holds_strings() => {}
        _ => {
            let text = workbook.string(record.u32(8)? as usize);
            let missing = InputError::Office("has a cell whose shared text is missing");
            cells.text(at, "", text.ok_or(missing)?);
        }
    }
    Ok(())
}

/// Reads the texts of a link on a cell. Its target is a relationship.
fn link(
    cells: &mut CellSink<'_>,
    workbook: &Workbook,
    record: &XlsbRecord,
) -> Result<(), InputError> {
    let at = CellAddress {
        row: record.u32(0)?,
        column: record.u32(8)?,
    };
    let (id, mut end) = record.text(16)?;
    let target = workbook.link(cells.member(), &id);
    let mut texts = target.map_or(String::new(), |target| format!("{target}\n\n"));
    for _ in ["place", "tooltip", "shown"] {
        let (text, next) = record.text(end)?;
        if !text.is_empty() {
            texts += &text;
            texts += "\n\n";
        }
        end = next;
    }
    cells.text(at, "#link", texts.as_bytes());
    Ok(())
}
