//! Reads documents as tables and passes on their rows in batches.

use std::sync::Arc;

use doisift_core::TextKind;
use doisift_documents::{
    DocumentHead, DocumentSink, InputError, Packing, PeekReader, ReadBuffer, ReadBytes, SourceNote,
    TextOrigin,
};
use doisift_tables::{
    Charset, Dialect, MemberPath, RawText, RowBlocks, RowLoss, TableFault, TableFormat, TableHead,
    TableReading, Utf8Text, is_array, member_names, pass_mark, sep_line, shown_at, table_bytes,
};

use super::batch::{RowBuffer, RowDocument, RowShape};
use super::code::Code;
use super::crew::BatchSender;
use super::ending;
use super::layout::{NewNames, TableLayout};
use super::members::WantedMembers;
use super::settings::CleanSettings;
use crate::error::{Cause, Error, TableError};
use crate::report::Losses;
use crate::task::{not_cancelled, warn_of_sheets};

/// State of reading that all inputs share.
#[derive(Default)]
pub(super) struct Readings {
    pub(super) documents: u64,
    pub(super) losses: Losses,
    /// The first table. All others are written as one with it.
    first: Option<FirstTable>,
    /// The encoding of the output, once a table was opened.
    out: Option<Charset>,
    /// Whether the last table ended without a line end.
    is_open: bool,
}

struct FirstTable {
    reading: TableReading,
    /// The header without its line end.
    header: Vec<u8>,
    line_end: Vec<u8>,
    /// The members of the first object, for a message.
    members: Option<String>,
}

/// Reads the documents of an input.
pub(super) struct InputReading<'a, 'h> {
    pub(super) settings: &'a CleanSettings,
    pub(super) batches: &'a mut BatchSender<'h>,
    pub(super) readings: &'a mut Readings,
    pub(super) source: Arc<str>,
    pub(super) failure: Option<Error>,
}

/// A document that is being read.
struct OpenDocument {
    name: Option<Arc<str>>,
    /// Offset of the unread bytes.
    offset: u64,
    code: Code,
    /// Whether it had a byte order mark.
    is_marked: bool,
    /// Whether it is a sheet of a workbook.
    is_sheet: bool,
}

const UTF8_BOM: &[u8] = "\u{feff}".as_bytes();

impl OpenDocument {
    /// Passes over the next bytes.
    fn consume(&mut self, raw: &mut RawText<'_>, count: usize) {
        raw.consume(count);
        self.offset += count as u64;
    }
}

impl Readings {
    /// Returns the members of the first object of JSON Lines.
    pub(super) fn members(&self) -> Option<&str> {
        self.first.as_ref()?.members.as_deref()
    }
}

impl DocumentSink for InputReading<'_, '_> {
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        if self.is_halted() {
            return;
        }
        self.readings.documents += 1;
        let raw = PeekReader::with_capacity(bytes, TextKind::HEAD_BYTES);
        let is_sheet = matches!(head.origin, Some(TextOrigin::Sheet(_)));
        if is_sheet && self.settings.columns.in_place {
            self.failure = Some(self.failed(&head.name, TableError::InPlace));
            return;
        }
        warn_of_sheets(&self.source, &head, self.settings.sheet.as_ref());
        self.failure = self.encoded(head, raw).err();
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        if self.is_halted() {
            return;
        }
        self.failure = match error {
            // Tables in columns get no memory, so that they are refused.
            InputError::TooLarge {
                packing: packing @ (Packing::Parquet | Packing::Arrow),
                ..
            } => Some(self.failed(&name, TableError::Columnar(packing))),
            error => self.damage(name, offset, error).err(),
        };
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        if !self.is_halted() {
            self.failure = Some(self.failed(&name, TableError::NotText(kind)));
        }
    }

    fn note(&mut self, name: Option<Arc<str>>, note: SourceNote) {
        if let SourceNote::Unmarked(encoding) = note
            && self.settings.table.input_encoding.is_none()
        {
            let error = self.failed(&name, TableError::Unmarked(encoding));
            self.failure.get_or_insert(error);
        }
    }

    fn is_halted(&self) -> bool {
        self.failure.is_some() || self.settings.monitor.is_cancelled()
    }
}

impl InputReading<'_, '_> {
    fn failed(&self, name: &Option<Arc<str>>, error: TableError) -> Error {
        let error = Error::new(Cause::Table(error)).in_source(Arc::clone(&self.source));
        error.in_document(name.clone())
    }

    /// Handles damage. Only damage of single characters or after the data leaves the table whole.
    fn damage(
        &mut self,
        name: Option<Arc<str>>,
        offset: u64,
        error: InputError,
    ) -> Result<(), Error> {
        let is_small = matches!(error, InputError::Encoding(_) | InputError::Trailing(_));
        let error = Error::new(Cause::Input(error));
        let error = error.in_source(Arc::clone(&self.source)).at(name, offset);
        if !is_small {
            return Err(error);
        }
        log::warn!("{error}");
        self.readings.losses.add(&error);
        Ok(())
    }

    /// Reads a document in its encoding.
    fn encoded(
        &mut self,
        DocumentHead {
            name,
            origin,
            encoding,
            ..
        }: DocumentHead,
        mut raw: PeekReader<&mut dyn ReadBytes>,
    ) -> Result<(), Error> {
        let is_sheet = matches!(origin, Some(TextOrigin::Sheet(_)));
        let marked: Option<Charset> = encoding.and_then(|encoding| encoding.parse().ok());
        let offset = if is_sheet {
            0
        } else {
            pass_mark(&mut raw) as u64
        };
        let is_marked = offset > 0 || marked.is_some();
        let head = raw.peek(TextKind::HEAD_BYTES);
        let read = if is_sheet {
            Charset::UTF_8
        } else {
            self.charset(&name, marked, is_marked, head)
        };
        let code = self.code(read, marked.is_some(), is_marked, head);
        let converted = marked.is_some() || (code.rows == read && !code.converts());
        let document = OpenDocument {
            name,
            offset,
            code,
            is_marked,
            is_sheet,
        };
        if converted || self.has_lines() {
            return self.table(raw, document);
        }
        let error = self.failed(&document.name, TableError::Unmarked(read.name()));
        let mut decoded = Utf8Text::new(raw, read).ok_or(error)?;
        let raw = PeekReader::with_capacity(&mut decoded as _, TextKind::HEAD_BYTES);
        self.table(raw, document)
    }

    /// Returns the encodings for a document that starts with `head`, was `read` in this encoding and may already be `converted`.
    fn code(&mut self, read: Charset, converted: bool, is_marked: bool, head: &[u8]) -> Code {
        let out = self.settings.table.output_encoding.or(self.readings.out);
        let out = *self.readings.out.insert(out.unwrap_or(read));
        self.check_mark(out);
        let is_kept = !converted && read == out && self.is_clear(read, head);
        Code {
            rows: if is_kept { read } else { Charset::UTF_8 },
            out,
            mixed: !is_marked && self.settings.table.input_encoding.is_none(),
        }
    }

    /// Whether each line is a text.
    fn has_lines(&self) -> bool {
        self.settings.columns.column.is_empty()
    }

    /// Returns the encoding of a document. Logs an assumption.
    fn charset(
        &self,
        name: &Option<Arc<str>>,
        marked: Option<Charset>,
        is_marked: bool,
        head: &[u8],
    ) -> Charset {
        if is_marked || self.has_lines() {
            return marked.unwrap_or(Charset::UTF_8);
        }
        if let Some(given) = self.settings.table.input_encoding {
            return given;
        }
        let shown = Charset::detect(head);
        if shown != Charset::UTF_8 {
            let place = name
                .as_ref()
                .map_or(String::new(), |name| format!("{name}: "));
            log::warn!(
                "{}: {place}this is not UTF-8, and is read and written as {}; --input-encoding names another",
                self.source,
                shown.name()
            );
        }
        shown
    }

    /// Whether the table that starts with `head` can be cut into cells without decoding it.
    fn is_clear(&self, charset: Charset, head: &[u8]) -> bool {
        if charset.holds_ascii(false) && charset == Charset::UTF_8 {
            return true;
        }
        let CleanSettings {
            format,
            columns,
            header,
            ..
        } = self.settings;
        let text = charset.text(head);
        let head = TableHead::of((&text, false), *format, &columns.column, *header);
        match head.map(|head| head.reading) {
            // In some encodings, the second byte of a character may be a letter or `|`, but no other mark.
            Ok(TableReading::Delimited(dialect)) => charset.holds_ascii(dialect.delimiter < b'@'),
            _ => false,
        }
    }

    fn check_mark(&self, out: Charset) {
        if self.settings.table.bom && !out.has_mark() && self.readings.documents == 1 {
            log::warn!("--bom has no effect: {} has no byte order mark", out.name());
        }
    }

    /// Reads a document and passes on its rows.
    fn table(&mut self, mut raw: RawText<'_>, mut document: OpenDocument) -> Result<(), Error> {
        let Some(mut batch) = self.batches.empty_batch() else {
            return Ok(());
        };
        let head = self.start(&mut raw, &mut document, &mut batch);
        let OpenDocument { name, code, .. } = document;
        let head = head.map_err(|error| self.failed(&name, error))?;
        let mut blocks = RowBlocks::new(raw, document.offset, head.reading, self.settings.sizes);
        let mut table: Option<Arc<RowDocument>> = None;
        loop {
            let is_end = self.fill(&mut blocks, head.reading, &name, &mut batch)?;
            if is_end && table.is_some() {
                return not_cancelled(&self.settings.monitor);
            }
            let table = match &table {
                Some(table) => table,
                None => table.insert(self.begin_table(head, code, &name, &mut batch)?),
            };
            batch.table = Some(Arc::clone(table));
            if let Some(last) = batch.bytes.last() {
                self.readings.is_open = *last != head.reading.dialect().row_end;
            }
            self.batches.pass(batch);
            if is_end || self.is_halted() {
                return not_cancelled(&self.settings.monitor);
            }
            batch = match self.batches.empty_batch() {
                Some(batch) => batch,
                None => return Ok(()),
            };
        }
    }

    /// Reads the next rows of a document into `batch`. Returns whether it has ended.
    fn fill(
        &mut self,
        blocks: &mut RowBlocks<'_>,
        reading: TableReading,
        name: &Option<Arc<str>>,
        batch: &mut RowBuffer,
    ) -> Result<bool, Error> {
        while let Some(moved) = blocks.take_rows(&mut batch.bytes) {
            match (moved, reading) {
                (Ok(()), _) => return Ok(false),
                (Err((RowLoss::TooLong(_), _)), TableReading::Lines(_)) => {
                    batch.too_long = true;
                    return Ok(false);
                }
                (Err((RowLoss::TooLong(max), _)), _) => {
                    batch.failure = Some(TableError::LongRow { row: 1, max });
                    return Ok(false);
                }
                (Err((RowLoss::Input(error), at)), _) => self.damage(name.clone(), at, error)?,
                // The bytes after an open quote were passed on as rows.
                (Err(_), _) => {}
            }
        }
        Ok(true)
    }

    /// Begins the table whose first rows are in `batch`.
    fn begin_table(
        &mut self,
        head: TableHead,
        code: Code,
        name: &Option<Arc<str>>,
        batch: &mut RowBuffer,
    ) -> Result<Arc<RowDocument>, Error> {
        batch.is_first = true;
        let shape = self.shape(head.reading, code.rows, batch);
        let shape = shape.map_err(|error| self.failed(name, error.explained(&head)))?;
        Ok(Arc::new(RowDocument {
            source: Arc::clone(&self.source),
            document: name.clone(),
            code,
            shape,
        }))
    }

    /// Reads the head of a document: its byte order mark, a line for spreadsheets, and its format.
    fn start(
        &mut self,
        raw: &mut RawText<'_>,
        document: &mut OpenDocument,
        batch: &mut RowBuffer,
    ) -> Result<TableHead, TableError> {
        let settings = self.settings;
        if settings.columns.column.is_empty() {
            let head = raw.peek(TextKind::HEAD_BYTES);
            return Ok(TableHead::of_lines(head));
        }
        let format = self.pass_preamble(raw, document, batch);
        let (head, whole) = table_bytes(raw, settings.sizes.max);
        if head.is_empty() && format.is_none() {
            return Err(TableError::NoHeader);
        }
        let text = document.code.rows.text(head);
        if format.is_none() && is_array(&text) {
            // Two arrays cannot be written as one.
            return match self.readings.first {
                Some(_) => Err(TableError::Different),
                None => Ok(TableHead::at_once(TableReading::JsonArray)),
            };
        }
        let columns = &settings.columns.column;
        let table = TableHead::of((&text, whole), format, columns, settings.header);
        let table = table.map_err(|error| of_office(&document.name, error.into()))?;
        let is_first = match &self.readings.first {
            Some(first) if first.reading != table.reading => return Err(TableError::Different),
            first => first.is_none(),
        };
        let above = table.skipped(head);
        if is_first {
            batch.out.extend_from_slice(&head[..above]);
        }
        document.consume(raw, above);
        self.report_above(table.above);
        Ok(table)
    }

    /// Logs that there are rows above the header of a table.
    fn report_above(&self, above: u64) {
        if above > 0 {
            let (source, row) = (&self.source, above + 1);
            log::info!("{source}: row {row} is the header; --header-row names another");
        }
    }

    /// Passes on the byte order mark and the line `sep=` at the start of the first table. Returns the format in the options or of
    /// that line.
    fn pass_preamble(
        &self,
        raw: &mut RawText<'_>,
        document: &mut OpenDocument,
        batch: &mut RowBuffer,
    ) -> Option<TableFormat> {
        let is_first = self.readings.first.is_none();
        let wants_mark = document.is_marked || self.settings.table.bom;
        if wants_mark && is_first && document.code.out.has_mark() {
            batch.out.extend_from_slice(UTF8_BOM);
        }
        if document.is_sheet {
            return Some(TableFormat::Delimited(b','));
        }
        let head = raw.peek(TextKind::HEAD_BYTES);
        let Some((delimiter, length)) = sep_line(head) else {
            return self.settings.format;
        };
        if is_first {
            batch.out.extend_from_slice(&head[..length]);
        }
        document.consume(raw, length);
        let shown = TableFormat::Delimited(delimiter);
        Some(self.settings.format.unwrap_or(shown))
    }

    /// Finds the columns, and writes the header of the first table with the new columns.
    fn shape(
        &mut self,
        reading: TableReading,
        rows: Charset,
        batch: &mut RowBuffer,
    ) -> Result<RowShape, TableError> {
        self.check_ending(&reading)?;
        match reading {
            TableReading::Lines(end) => Ok(RowShape::Lines(end)),
            TableReading::JsonLines => self.json_shape(reading, batch).map(RowShape::JsonLines),
            TableReading::JsonArray => self.json_shape(reading, batch).map(RowShape::JsonArray),
            TableReading::Delimited(dialect) => self.delimited_shape(dialect, rows, batch),
        }
    }

    /// # Errors
    /// If the ending of the output names another format than the table's, in which it is written.
    fn check_ending(&self, reading: &TableReading) -> Result<(), TableError> {
        match &self.settings.output {
            Some(path) if ending::is_named_otherwise(*reading, path) => Err(TableError::Ending {
                output: path.clone(),
                format: ending::written(*reading),
            }),
            _ => Ok(()),
        }
    }

    fn delimited_shape(
        &mut self,
        dialect: Dialect,
        rows: Charset,
        batch: &mut RowBuffer,
    ) -> Result<RowShape, TableError> {
        let settings = self.settings;
        let has_header = settings.has_header();
        let blank = blank_rows(&batch.bytes);
        if blank == batch.bytes.len() {
            return Err(TableError::NoHeader);
        }
        let (cells, length) = dialect.first_row(&batch.bytes[blank..]);
        let texts: Vec<_> = cells.iter().map(|cell| rows.text(cell)).collect();
        let texts: Vec<&[u8]> = texts.iter().map(|text| &**text).collect();
        let layout = TableLayout::new(dialect, &texts, &settings.columns.column, has_header)?;
        let new = self.new_names(&layout.names).unwrap_or_default();
        if has_header {
            layout.check_new(&texts, &new)?;
        }
        let delimiters = cells.len() - 1;
        let end = blank + delimiters + cells.iter().map(|cell| cell.len()).sum::<usize>();
        let next = blank + length;
        let first = FirstTable {
            reading: TableReading::Delimited(dialect),
            header: batch.bytes[blank..end].to_vec(),
            line_end: batch.bytes[end..next].to_vec(),
            members: None,
        };
        let is_first = self.begin(first, &mut batch.out)?;
        if is_first && has_header {
            let new = new_header(&layout, &new, rows)?;
            let (front, line_end) = (&batch.bytes[..end], &batch.bytes[end..next]);
            batch.out.extend([front, &new, line_end].concat());
        }
        if has_header {
            batch.start = next;
        }
        Ok(RowShape::Delimited(layout))
    }

    /// Returns the names of the new columns, or `None` if the wanted columns are replaced.
    fn new_names(&self, names: &[String]) -> Option<Vec<NewNames>> {
        let settings = self.settings;
        (!settings.columns.in_place)
            .then(|| TableLayout::new_names(&settings.columns.new_column, names))
    }

    fn json_shape(
        &mut self,
        reading: TableReading,
        batch: &mut RowBuffer,
    ) -> Result<WantedMembers, TableError> {
        let settings = self.settings;
        let members = member_names(&batch.bytes);
        if settings.format.is_none() && members.is_none() {
            return Err(TableFault::Unknown { proposed: None }.into());
        }
        let first = FirstTable {
            reading,
            header: Vec::new(),
            line_end: b"\n".to_vec(),
            members,
        };
        self.begin(first, &mut batch.out)?;
        let name = |column: &String| MemberPath::new(column).name().to_owned();
        let names: Vec<_> = settings.columns.column.iter().map(name).collect();
        let new = self.new_names(&names);
        Ok(WantedMembers::new(&settings.columns.column, new))
    }

    /// Begins a table. Returns whether it is the first. A later table continues the first after a line end, and must have the
    /// same header.
    fn begin(&mut self, table: FirstTable, out: &mut Vec<u8>) -> Result<bool, TableError> {
        let Some(first) = &self.readings.first else {
            self.readings.first = Some(table);
            return Ok(true);
        };
        if self.settings.has_header() && first.header != table.header {
            return Err(TableError::Different);
        }
        if self.readings.is_open {
            out.extend_from_slice(&first.line_end);
        }
        Ok(false)
    }
}

/// Encodes the names of new columns, to append them to a header.
fn new_header(
    layout: &TableLayout,
    new: &[NewNames],
    rows: Charset,
) -> Result<Vec<u8>, TableError> {
    let mut names = Vec::new();
    layout.write_new(new, &mut names);
    let names = String::from_utf8_lossy(&names);
    let encoded = rows.encode(&names).map(|bytes| bytes.into_owned());
    encoded.map_err(|at| TableError::CannotHold {
        row: None,
        character: shown_at(&names, at),
        encoding: rows.name(),
    })
}

/// Returns the length of the blank rows at the start of `bytes`.
fn blank_rows(bytes: &[u8]) -> usize {
    let content = bytes.iter().position(|byte| !b"\r\n".contains(byte));
    content.unwrap_or(bytes.len())
}

/// Returns the error of a document that is not a table. One of the first members of an office file is the error of that file.
fn of_office(name: &Option<Arc<str>>, error: TableError) -> TableError {
    match name {
        Some(name) if **name == *"[Content_Types].xml" => TableError::Office,
        _ => error,
    }
}
