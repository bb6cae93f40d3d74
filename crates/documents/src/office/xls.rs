//! The cells of a workbook in BIFF5 or BIFF8, as Excel 5 to 2003 write it (MS-XLS).
//!
//! A stream of records has the data that all sheets share, and then the sheets. Cells are passed on as they are read; only
//! their shared texts are held. Records have no checksums.

use encoding_rs::mem::decode_latin1;
use encoding_rs::{Encoding, WINDOWS_1252};

use super::address::CellAddress;
use super::cell::{CellSink, MemberPlace};
use super::number::{NumberFormats, error, packed, truth};
use super::ole::{OleFile, OleStream};
use super::page_header;
use super::strings::{MANY_STRINGS, SharedStrings, utf16};
use super::table::{SheetTable, pass_table};
use super::xlsb::DAMAGED_RECORDS;
use crate::container::{MemberSink, StreamLevel};
use crate::fault::InputError;
use crate::file::SourceFile;
use crate::read::ReadBytes;
use crate::read_options::{ReadOptions, SheetChoice};

/// A record that continues the data of the one before it.
const CONTINUE_RECORD: u16 = 0x3c;
/// Maximum bytes of the shared texts of a workbook and the tables of its file, per byte of the file.
const MAX_EXPANSION: u64 = 8;
/// Maximum kind of a known record, and maximum length of any (MS-XLS, 2.1.4). Higher values show that a length was damaged.
const MAX_RECORD_KIND: u16 = 0x10ff;
const MAX_RECORD_BYTES: usize = 8224;
/// Maximum number of names of sheets that are held.
const MAX_SHEETS: usize = 10_000;

/// Passes on the parts of the OLE2 file `file` at `level`. Returns its kind if no part of it is read.
pub(crate) fn read_ole2(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'_>,
    level: &StreamLevel<'_>,
    file: &SourceFile,
) -> Option<&'static str> {
    let [share, whole] = options.held_bytes();
    let length = file.length().unwrap_or(0);
    let is_large = options.sheet.is_none() && length.saturating_mul(MAX_EXPANSION) > share as u64;
    let _admitted = is_large.then(|| options.admit());
    let memory = options.sheet.map_or(whole, |choice| choice.memory);
    let mut ole = match OleFile::open(file, memory) {
        Ok(ole) => ole,
        Err(error) => {
            sink.report_loss(level, 0, error);
            return None;
        }
    };
    if let Some(fault) = refusal(&ole) {
        sink.report_loss(level, 0, InputError::Office(fault));
        return None;
    }
    let name = ["Workbook", "Book"].into_iter().find(|name| ole.has(name));
    let Some(stream) = name.and_then(|name| ole.stream(name)) else {
        return Some("ole2");
    };
    match options.sheet {
        Some(choice) => read_table(sink, options, level, choice, stream),
        None => {
            sink.begin_parts();
            BookReader::new(sink, level, None, stream, memory).read();
            sink.end_parts();
        }
    }
    None
}

/// Returns why a file with text is not read; `None` if no known part explains it.
fn refusal(ole: &OleFile<'_>) -> Option<&'static str> {
    let parts = [
        (
            "EncryptedPackage",
            "is encrypted; open it with its password, and save it without one",
        ),
        (
            "WordDocument",
            "is in an old format (.doc), which is not read; convert it: soffice --headless --convert-to docx FILE",
        ),
        (
            "PowerPoint Document",
            "is in an old format (.ppt), which is not read; convert it: soffice --headless --convert-to pptx FILE",
        ),
    ];
    let found = parts.iter().find(|(part, _)| ole.has(part));
    found.map(|(_, fault)| *fault)
}

fn read_table(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'_>,
    level: &StreamLevel<'_>,
    choice: &SheetChoice,
    stream: OleStream<'_>,
) {
    let mut table = match SheetTable::new(options.temp_folder) {
        Ok(table) => table,
        Err(error) => return sink.report_loss(level, 0, error.into()),
    };
    let mut book = BookReader::new(sink, level, Some(&mut table), stream, choice.memory);
    book.choice = Some(choice);
    let go_on = book.read();
    let (name, sheets) = (book.cells.sheet.clone(), book.sheets.len());
    if go_on {
        pass_table(sink, level, &name, sheets, table);
    }
}

/// Reads records one after another.
struct XlsRecords<'o> {
    bytes: OleStream<'o>,
    /// The kind and length of the next record.
    due: Option<(u16, usize)>,
    /// Offset of the next record in the stream, and of the current one.
    end: u64,
    offset: u64,
    /// The data of the current record, and the place in it.
    data: Vec<u8>,
    at: usize,
}

impl<'o> XlsRecords<'o> {
    fn new(bytes: OleStream<'o>) -> Self {
        XlsRecords {
            bytes,
            due: None,
            end: 0,
            offset: 0,
            data: Vec::new(),
            at: 0,
        }
    }

    /// Returns the kind and length of the next record; `None` at the end.
    fn peek(&mut self) -> Result<Option<(u16, usize)>, InputError> {
        if self.due.is_none() {
            let mut header = Vec::new();
            self.bytes.read_up_to(4, &mut header)?;
            if let [kind, more, length, rest] = header[..] {
                let length = u16::from_le_bytes([length, rest]);
                self.due = Some((u16::from_le_bytes([kind, more]), length.into()));
            }
        }
        Ok(self.due)
    }

    /// Reads the next record. Returns its kind.
    fn next_record(&mut self) -> Result<Option<u16>, InputError> {
        let Some((kind, length)) = self.peek()? else {
            return Ok(None);
        };
        self.due = None;
        self.offset = self.end;
        self.end += 4 + length as u64;
        self.data.clear();
        self.at = 0;
        if self.bytes.read_up_to(length, &mut self.data)? < length {
            return Err(InputError::Office("ends within a record; get it again"));
        }
        Ok(Some(kind))
    }

    /// Continues with the next part of the data.
    fn goes_on(&mut self) -> Result<(), InputError> {
        match self.peek()? {
            Some((CONTINUE_RECORD, _)) => {
                self.next_record()?;
                Ok(())
            }
            _ => Err(DAMAGED_RECORDS),
        }
    }

    /// Whether there is more data.
    fn has_more(&mut self) -> Result<bool, InputError> {
        let is_more = self.at < self.data.len();
        Ok(is_more || matches!(self.peek()?, Some((CONTINUE_RECORD, _))))
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], InputError> {
        if self.at == self.data.len() {
            self.goes_on()?;
        }
        let bytes = self.data.get(self.at..self.at + N).ok_or(DAMAGED_RECORDS)?;
        self.at += N;
        bytes.try_into().map_err(|_| DAMAGED_RECORDS)
    }

    fn u8(&mut self) -> Result<u8, InputError> {
        Ok(self.bytes::<1>()?[0])
    }

    fn u16(&mut self) -> Result<u16, InputError> {
        Ok(u16::from_le_bytes(self.bytes()?))
    }

    fn u32(&mut self) -> Result<u32, InputError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn skip(&mut self, count: usize) -> Result<(), InputError> {
        let mut left = count;
        while left > self.data.len() - self.at {
            left -= self.data.len() - self.at;
            self.goes_on()?;
        }
        self.at += left;
        Ok(())
    }

    /// Reads a text of `count` characters in BIFF8 after its length.
    fn text(&mut self, count: usize) -> Result<Vec<u8>, InputError> {
        let flags = self.u8()?;
        let formats = if flags & 8 == 0 {
            0
        } else {
            self.u16()?.into()
        };
        let more = if flags & 4 == 0 {
            0
        } else {
            self.u32()? as usize
        };
        let text = self.characters(count, flags)?;
        self.skip(4 * formats)?;
        self.skip(more)?;
        Ok(text)
    }

    /// Reads characters of one byte, or of two if the flag says so. A record that continues them starts with a new flag.
    fn characters(&mut self, count: usize, flags: u8) -> Result<Vec<u8>, InputError> {
        let (mut units, mut is_wide) = (Vec::with_capacity(count), flags & 1 == 1);
        while units.len() < count {
            if self.at == self.data.len() {
                self.goes_on()?;
                is_wide = self.u8()? & 1 == 1;
            }
            let left = count - units.len();
            let held = &self.data[self.at..];
            let size = 1 + usize::from(is_wide);
            let taken = left.min(held.len() / size);
            if taken == 0 {
                return Err(DAMAGED_RECORDS);
            }
            if is_wide {
                let pairs = held[..2 * taken].chunks_exact(2);
                units.extend(pairs.map(|unit| u16::from_le_bytes([unit[0], unit[1]])))
            } else {
                units.extend(held[..taken].iter().copied().map(u16::from))
            }
            self.at += size * taken;
        }
        Ok(String::from_utf16_lossy(&units).into_bytes())
    }

    /// Reads the place of the record's cell, and the number of its style.
    fn place(&mut self) -> Result<(CellAddress, u64), InputError> {
        let [row, column, style] = [self.u16()?, self.u16()?, self.u16()?];
        let at = CellAddress {
            row: row.into(),
            column: column.into(),
        };
        Ok((at, style.into()))
    }
}

/// A sheet, found by the offset of its first record.
struct XlsSheet {
    start: u32,
    name: String,
    /// Whether it has cells, unlike a chart or a module.
    has_cells: bool,
    /// Whether it was found at its offset in the list.
    is_found: bool,
}

/// Reads a workbook.
struct BookReader<'a, 'o> {
    records: XlsRecords<'o>,
    cells: CellSink<'a>,
    is_old: bool,
    encoding: &'static Encoding,
    sheets: Vec<XlsSheet>,
    strings: SharedStrings,
    formats: NumberFormats,
    /// Number of open substreams: of the workbook or a sheet, and of a chart within it.
    depth: u64,
    /// The sheet that is read as a table, and the offset of its start.
    choice: Option<&'a SheetChoice>,
    chosen: Option<u32>,
    /// Whether the current sheet is passed on.
    is_wanted: bool,
    /// The place of the formula whose result is the next text.
    result: CellAddress,
    /// Texts of that formula.
    literals: Vec<u8>,
    lacks_strings: bool,
    /// Whether an impossible record was reported.
    has_odd: bool,
}

impl<'a, 'o> BookReader<'a, 'o> {
    fn new(
        sink: &'a mut dyn MemberSink,
        level: &'a StreamLevel<'a>,
        table: Option<&'a mut SheetTable>,
        stream: OleStream<'o>,
        memory: usize,
    ) -> Self {
        let place = MemberPlace {
            level,
            number: 0,
            member: "",
        };
        BookReader {
            records: XlsRecords::new(stream),
            cells: CellSink::new(sink, place, table, String::new()),
            is_old: false,
            encoding: WINDOWS_1252,
            sheets: Vec::new(),
            strings: SharedStrings::new(memory),
            formats: NumberFormats::default(),
            depth: 0,
            choice: None,
            chosen: None,
            is_wanted: false,
            result: CellAddress::default(),
            literals: Vec::new(),
            lacks_strings: false,
            has_odd: false,
        }
    }

    /// Reads all records. Returns false if the source should not be read further.
    fn read(&mut self) -> bool {
        while self.cells.go_on {
            let kind = match self.records.next_record() {
                Ok(Some(kind)) => kind,
                Ok(None) => break,
                Err(error) => {
                    self.cells.report_loss(self.records.offset, error);
                    self.depth = 0;
                    break;
                }
            };
            let offset = self.records.offset;
            if let Err(error) = self.record(kind) {
                self.cells.report_loss(offset, error);
            }
            if self.chosen.is_some() && self.is_wanted && self.depth == 0 {
                break;
            }
        }
        self.check_sheets();
        self.cells.go_on
    }

    /// Reports sheets that are missing or incomplete, the only sign of damage to the records.
    fn check_sheets(&mut self) {
        let is_missing = match self.chosen {
            Some(_) => !self.is_wanted,
            None => !self.sheets.iter().all(|sheet| sheet.is_found),
        };
        if self.cells.go_on && (self.depth > 0 || self.sheets.is_empty() || is_missing) {
            let fault = "lacks a sheet that it lists, or a part of one; get it again";
            self.cells
                .report_loss(self.records.end, InputError::Office(fault));
        }
    }

    fn record(&mut self, kind: u16) -> Result<(), InputError> {
        let is_odd = kind > MAX_RECORD_KIND || self.records.data.len() > MAX_RECORD_BYTES;
        if is_odd && !std::mem::replace(&mut self.has_odd, true) {
            self.cells.report_loss(self.records.offset, DAMAGED_RECORDS);
        }
        match kind {
            0x809 => self.start(),
            0x0a => {
                self.depth = self.depth.saturating_sub(1);
                Ok(())
            }
            0x2f => {
                self.cells.go_on = false;
                let fault = "is encrypted; open it with its password, and save it without one";
                Err(InputError::Office(fault))
            }
            // A chart within a sheet.
            _ if self.depth > 1 => Ok(()),
            0x22 | 0x42 | 0x85 | 0xe0 | 0xfc | 0x41e => self.shared(kind),
            0x14 | 0x15 | 0x1b6 | 0x1b8 if !self.cells.is_table() => self.aside(kind),
            _ if self.is_wanted => self.cell(kind),
            _ => Ok(()),
        }
    }

    /// Reads the start of a substream.
    fn start(&mut self) -> Result<(), InputError> {
        self.depth += 1;
        let (version, kind) = (self.records.u16()?, self.records.u16()?);
        // 5 is the kind of the workbook itself.
        if self.depth > 1 || kind == 5 {
            self.is_old |= version < 0x600;
            return Ok(());
        }
        let start = self.records.offset;
        let mut sheets = self.sheets.iter_mut();
        let known = sheets.find(|sheet| u64::from(sheet.start) == start);
        self.cells.sheet = match known {
            Some(sheet) => {
                sheet.is_found = true;
                sheet.name.clone()
            }
            None => format!("#{start}"),
        };
        if self.choice.is_some() && self.chosen.is_none() {
            self.choose()?;
        }
        let is_chosen = |chosen: u32| u64::from(chosen) == start;
        self.is_wanted = self.chosen.is_none_or(is_chosen);
        Ok(())
    }

    /// Finds the sheet of a table.
    fn choose(&mut self) -> Result<(), InputError> {
        let Some(choice) = self.choice else {
            return Ok(());
        };
        self.sheets.retain(|sheet| sheet.has_cells);
        let names: Vec<&str> = self.sheets.iter().map(|sheet| &*sheet.name).collect();
        let number = choice.number_among(&names);
        self.cells.go_on &= number.is_ok();
        self.chosen = self.sheets.get(number?).map(|sheet| sheet.start);
        Ok(())
    }

    /// Reads a record that all sheets share.
    fn shared(&mut self, kind: u16) -> Result<(), InputError> {
        match kind {
            0x22 => self.formats.is_1904 = self.records.u16()? == 1,
            0x42 => self.encoding = encoding(self.records.u16()?),
            0x85 => self.bound_sheet()?,
            0xe0 => {
                self.records.skip(2)?;
                self.formats.add_style(self.records.u16()?.into());
            }
            0xfc => self.read_strings()?,
            _ => {
                let number = self.records.u16()?;
                let code = if self.is_old {
                    self.short_text()?
                } else {
                    self.long_text()?
                };
                let code = String::from_utf8_lossy(&code);
                self.formats.add_code(number.into(), &code);
            }
        }
        Ok(())
    }

    fn bound_sheet(&mut self) -> Result<(), InputError> {
        let start = self.records.u32()?;
        let [_, kind] = self.records.bytes()?;
        let name = self.short_text()?;
        if self.sheets.len() < MAX_SHEETS {
            self.sheets.push(XlsSheet {
                start,
                name: String::from_utf8_lossy(&name).into_owned(),
                has_cells: kind == 0,
                is_found: false,
            });
        }
        Ok(())
    }

    fn read_strings(&mut self) -> Result<(), InputError> {
        self.records.skip(4)?;
        let count = self.records.u32()?;
        for _ in 0..count {
            // Some programs state too many texts. A cell whose text is missing is reported.
            if !self.records.has_more()? {
                break;
            }
            let text = self.long_text()?;
            if !self.strings.push(&text) {
                self.cells.go_on = !self.cells.is_table();
                return Err(InputError::Office(MANY_STRINGS));
            }
        }
        Ok(())
    }

    /// Reads a text after its length in one byte.
    fn short_text(&mut self) -> Result<Vec<u8>, InputError> {
        let count = self.records.u8()?.into();
        self.counted_text(count)
    }

    /// Reads a text after its length in two bytes.
    fn long_text(&mut self) -> Result<Vec<u8>, InputError> {
        let count = self.records.u16()?.into();
        self.counted_text(count)
    }

    fn counted_text(&mut self, count: usize) -> Result<Vec<u8>, InputError> {
        if !self.is_old {
            return self.records.text(count);
        }
        let mut bytes = Vec::new();
        while bytes.len() < count {
            bytes.push(self.records.u8()?);
        }
        let text = self.encoding.decode_without_bom_handling(&bytes).0;
        Ok(text.into_owned().into_bytes())
    }

    /// Reads a cell.
    fn cell(&mut self, kind: u16) -> Result<(), InputError> {
        match kind {
            0x06 => self.formula(),
            // The result of a formula.
            0x207 => {
                let text = self.long_text()?;
                self.cells.text(self.result, "", &text);
                self.pass_literals();
                Ok(())
            }
            0xd6 | 0x204 => {
                let (at, _) = self.records.place()?;
                let text = self.long_text()?;
                self.cells.text(at, "", &text);
                Ok(())
            }
            0xfd => {
                let (at, _) = self.records.place()?;
                let number = self.records.u32()?;
                self.string(at, number)
            }
            0x203 | 0x27e => {
                let (at, style) = self.records.place()?;
                let value = match kind {
                    0x203 => f64::from_le_bytes(self.records.bytes()?),
                    _ => packed(self.records.u32()?),
                };
                self.number(at, style, value);
                Ok(())
            }
            0xbd => self.numbers(),
            0x205 => self.truth_or_error(),
            _ => Ok(()),
        }
    }

    fn truth_or_error(&mut self) -> Result<(), InputError> {
        let (at, _) = self.records.place()?;
        let [value, is_error] = self.records.bytes()?;
        let shown = if is_error == 1 {
            error(value)
        } else {
            truth(value != 0)
        };
        self.cells.value(at, shown);
        Ok(())
    }

    fn number(&mut self, at: CellAddress, style: u64, value: f64) {
        if self.cells.is_table() {
            let text = self.formats.text(style, value);
            self.cells.value(at, text.as_bytes());
        }
    }

    /// Reads the numbers of some columns of a row.
    fn numbers(&mut self) -> Result<(), InputError> {
        let (row, mut column) = (self.records.u16()?, self.records.u16()?);
        // The number of the last column comes after the values.
        while self.records.data.len() - self.records.at >= 8 {
            let (style, value) = (self.records.u16()?, packed(self.records.u32()?));
            let at = CellAddress {
                row: row.into(),
                column: column.into(),
            };
            self.number(at, style.into(), value);
            column = column.saturating_add(1);
        }
        Ok(())
    }

    fn string(&mut self, at: CellAddress, number: u32) -> Result<(), InputError> {
        if self.strings.is_over {
            return Ok(());
        }
        match self.strings.get(number as usize) {
            Some(text) => {
                self.cells.text(at, "", text);
                Ok(())
            }
            None if std::mem::replace(&mut self.lacks_strings, true) => Ok(()),
            None => {
                let fault = "has a cell whose shared text is missing";
                Err(InputError::Office(fault))
            }
        }
    }

    fn formula(&mut self) -> Result<(), InputError> {
        let (at, style) = self.records.place()?;
        let value: [u8; 8] = self.records.bytes()?;
        self.result = at;
        self.records.skip(6)?;
        let length = self.records.u16()?.into();
        let held = &self.records.data[self.records.at..];
        self.literals = literals(&held[..held.len().min(length)], self.is_old, self.encoding);
        match value {
            // The result is the next text.
            [0, .., 0xff, 0xff] => return Ok(()),
            [1, _, value, .., 0xff, 0xff] => self.cells.value(at, truth(value != 0)),
            [2, _, value, .., 0xff, 0xff] => self.cells.value(at, error(value)),
            [_, .., 0xff, 0xff] => {}
            _ => self.number(at, style, f64::from_le_bytes(value)),
        }
        self.pass_literals();
        Ok(())
    }

    fn pass_literals(&mut self) {
        let text = std::mem::take(&mut self.literals);
        self.cells.text(self.result, "#formula", &text);
    }

    /// Reads text of a sheet outside of cells: of a header or footer, a box or note, or a link.
    fn aside(&mut self, kind: u16) -> Result<(), InputError> {
        if kind == 0x1b8 {
            return self.link();
        }
        if self.records.data.is_empty() {
            return Ok(());
        }
        let text = match kind {
            0x1b6 if self.is_old => return Ok(()),
            0x1b6 => {
                self.records.skip(10)?;
                let count = self.records.u16()?.into();
                if count == 0 {
                    return Ok(());
                }
                self.records.at = self.records.data.len();
                let flags = self.records.u8()?;
                self.records.characters(count, flags)?
            }
            _ if self.is_old => self.short_text()?,
            _ => self.long_text()?,
        };
        let text = match kind {
            0x1b6 => text,
            _ => page_header::text(&text),
        };
        let name = format!("{}#text", self.cells.sheet);
        self.cells.text_outside_cells(&name, &text);
        Ok(())
    }

    /// Reads the texts of a link on a cell: its target, the place in the target, and the shown text.
    fn link(&mut self) -> Result<(), InputError> {
        let [row, _, column] = [
            self.records.u16()?,
            self.records.u16()?,
            self.records.u16()?,
        ];
        let at = CellAddress {
            row: row.into(),
            column: column.into(),
        };
        self.records.skip(22)?;
        let flags = self.records.u32()?;
        let mut text = Vec::new();
        // The shown text, the frame, and a target that is a text.
        for flag in [0x10, 0x80, 0x101] {
            if flags & flag == flag {
                let count = self.records.u32()? as usize;
                self.link_text(2 * count, &mut text)?;
            }
        }
        if flags & 0x101 == 1 {
            self.target(&mut text)?;
        }
        if flags & 8 != 0 {
            let count = self.records.u32()? as usize;
            self.link_text(2 * count, &mut text)?;
        }
        self.cells.text(at, "#link", &text);
        Ok(())
    }

    /// Reads the target of a link: a URL, or a file.
    fn target(&mut self, into: &mut Vec<u8>) -> Result<(), InputError> {
        const URL_MONIKER: u32 = 0x79ea_c9e0;
        let kind = self.records.u32()?;
        self.records.skip(12)?;
        if kind == URL_MONIKER {
            let length = self.records.u32()? as usize;
            return self.link_text(length, into);
        }
        self.records.skip(2)?;
        let length = self.records.u32()? as usize;
        self.records.skip(length)?;
        self.records.skip(24)?;
        let length = self.records.u32()? as usize;
        self.records.skip(length)
    }

    /// Reads a text of this number of bytes, which ends before a NUL character.
    fn link_text(&mut self, length: usize, into: &mut Vec<u8>) -> Result<(), InputError> {
        let start = self.records.at;
        let bytes = start.checked_add(length);
        let bytes = bytes.and_then(|end| self.records.data.get(start..end));
        let text = utf16(bytes.ok_or(DAMAGED_RECORDS)?);
        into.extend(text.bytes().take_while(|byte| *byte != 0));
        into.extend_from_slice(b"\n\n");
        self.records.at += length;
        Ok(())
    }
}

/// Returns the encoding of a code page of Windows or of old Macs.
fn encoding(page: u16) -> &'static Encoding {
    let label = match page {
        10_000 => "macintosh".into(),
        932 => "shift_jis".into(),
        936 => "gbk".into(),
        949 => "euc-kr".into(),
        950 => "big5".into(),
        _ => format!("windows-{page}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252)
}

/// Returns the texts in a formula, each with an empty line after it. Ends at a token of unknown length.
fn literals(formula: &[u8], is_old: bool, encoding: &'static Encoding) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), formula);
    while let [token, data @ ..] = rest {
        let length = match token {
            0x17 => {
                let Some((length, text)) = literal(data, is_old, encoding) else {
                    return out;
                };
                out.extend_from_slice(text.as_bytes());
                out.extend_from_slice(b"\n\n");
                length
            }
            _ => match token_length(*token, data, is_old) {
                Some(length) => length,
                None => return out,
            },
        };
        rest = data.get(length..).unwrap_or_default();
    }
    out
}

/// Returns the length of a text in a formula, and the text.
fn literal(data: &[u8], is_old: bool, encoding: &'static Encoding) -> Option<(usize, String)> {
    let (count, data) = data.split_first()?;
    let count = usize::from(*count);
    if is_old {
        let bytes = data.get(..count)?;
        let text = encoding.decode_without_bom_handling(bytes).0.into_owned();
        return Some((1 + count, text));
    }
    let (flags, data) = data.split_first()?;
    let size = 1 + usize::from(flags & 1);
    let bytes = data.get(..size * count)?;
    let text = match size {
        1 => decode_latin1(bytes).into_owned(),
        _ => utf16(bytes),
    };
    Some((2 + bytes.len(), text))
}

/// Returns the bytes of the token of a formula after its first one (MS-XLS, 2.5.198).
fn token_length(token: u8, data: &[u8], is_old: bool) -> Option<usize> {
    let of_two = |old: usize, new: usize| if is_old { old } else { new };
    Some(match token {
        0x01 | 0x02 => 4,
        0x03..=0x16 => 0,
        // A list of choices has a table.
        0x19 if data.first()? & 4 != 0 => {
            3 + 2 * (1 + usize::from(u16::from_le_bytes([*data.get(1)?, *data.get(2)?])))
        }
        0x19 => 3,
        0x1c | 0x1d => 1,
        0x1e => 2,
        0x1f => 8,
        // The same tokens exist for three classes of values.
        0x20..=0x7f => match token & 0x1f | 0x20 {
            0x20 => 7,
            0x21 => 2,
            0x22 => 3,
            0x23 => of_two(14, 4),
            0x24 | 0x2a | 0x2c => of_two(3, 4),
            0x25 | 0x2b | 0x2d => of_two(6, 8),
            0x26..=0x28 => 6,
            0x29 => 2,
            0x39 => of_two(24, 6),
            0x3a | 0x3c => of_two(17, 6),
            0x3b | 0x3d => of_two(20, 10),
            _ => return None,
        },
        _ => return None,
    })
}
