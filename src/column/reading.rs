//! Reads documents as tables, and passes on their rows in batches.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use super::batch::{Batch, Shape, Table};
use super::crew::Hands;
use super::dialect::Dialect;
use super::format::{self, Reading, TableFormat};
use super::json::{self, Members};
use super::layout::Layout;
use super::settings::NormalizeSettings;
use super::split::RowSplitter;
use crate::error::{Error, ErrorKind, TableError};
use crate::input::{Documents, InputError, Raw, Remark};
use crate::report::Losses;
use crate::scan::TextKind;

/// What was read of all inputs.
#[derive(Default)]
pub(super) struct Readings {
    pub(super) documents: u64,
    pub(super) losses: Losses,
    /// The first table, with which all others are written as one.
    first: Option<FirstTable>,
    /// Batches that were passed on.
    batches: u64,
    /// Whether the last table ended without a line end.
    is_open: bool,
    /// An empty batch that is left.
    spare: Option<Batch>,
}

struct FirstTable {
    reading: Reading,
    /// The header without its line end.
    header: Vec<u8>,
    line_end: Vec<u8>,
    /// The members of the first object, for a message.
    members: Option<String>,
}

/// Reads the documents of an input.
pub(super) struct InputReading<'a> {
    pub(super) settings: &'a NormalizeSettings,
    pub(super) hands: &'a mut dyn Hands,
    pub(super) readings: &'a mut Readings,
    pub(super) source: Arc<str>,
    pub(super) failure: Option<Error>,
}

/// A document that is being read.
struct Document<'d> {
    name: Option<Arc<str>>,
    raw: Raw<&'d mut dyn Read>,
    /// Bytes that were read so far.
    offset: u64,
}

const MARK: &[u8] = "\u{feff}".as_bytes();

impl Readings {
    /// The members of the first object of JSON Lines.
    pub(super) fn members(&self) -> Option<&str> {
        self.first.as_ref()?.members.as_deref()
    }
}

impl Documents for InputReading<'_> {
    fn document(&mut self, name: Option<Arc<str>>, bytes: &mut dyn Read) {
        if self.is_halted() {
            return;
        }
        self.readings.documents += 1;
        let raw = Raw::with_capacity(bytes, TextKind::HEAD);
        let document = Document {
            name,
            raw,
            offset: 0,
        };
        self.failure = self.table(document).err();
    }

    fn lose(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        if !self.is_halted() {
            self.failure = self.damage(name, offset, error).err();
        }
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        if !self.is_halted() {
            self.failure = Some(self.failed(&name, TableError::NotText(kind)));
        }
    }

    fn remark(&mut self, name: Option<Arc<str>>, remark: Remark) {
        if let Remark::Unmarked(encoding) = remark {
            let error = self.failed(&name, TableError::Unmarked(encoding));
            self.failure.get_or_insert(error);
        }
    }

    fn is_halted(&self) -> bool {
        self.failure.is_some() || self.settings.monitor.is_cancelled()
    }
}

impl InputReading<'_> {
    fn failed(&self, name: &Option<Arc<str>>, error: TableError) -> Error {
        let error = Error::new(ErrorKind::Table(error)).in_source(Arc::clone(&self.source));
        match name {
            Some(name) => error.in_document(Arc::clone(name)),
            None => error,
        }
    }

    /// Takes damage: only that of single characters, or after the data, leaves the table whole.
    fn damage(
        &mut self,
        name: Option<Arc<str>>,
        offset: u64,
        error: InputError,
    ) -> Result<(), Error> {
        let is_small = matches!(error, InputError::Encoding(_) | InputError::Trailing(_));
        let error = Error::new(ErrorKind::Input(error));
        let error = error.in_source(Arc::clone(&self.source)).at(name, offset);
        if !is_small {
            return Err(error);
        }
        log::warn!("{error}");
        self.readings.losses.add(&error);
        Ok(())
    }

    /// An empty batch; none if the run is over.
    fn fresh(&mut self) -> Option<Batch> {
        let spare = self.readings.spare.take();
        spare.or_else(|| self.hands.fresh())
    }

    fn pass(&mut self, mut batch: Batch) {
        batch.number = self.readings.batches;
        self.readings.batches += 1;
        self.hands.pass(batch);
    }

    /// Reads a document, and passes on its rows.
    fn table(&mut self, mut document: Document<'_>) -> Result<(), Error> {
        let Some(mut batch) = self.fresh() else {
            return Ok(());
        };
        let name = document.name.clone();
        let reading = self.start(&mut document, &mut batch);
        let reading = reading.map_err(|error| self.failed(&name, error))?;
        let mut splitter = RowSplitter::new(reading.dialect());
        let mut table: Option<Arc<Table>> = None;
        loop {
            let filled = self.fill(&mut document, &mut batch.bytes, &mut splitter)?;
            let Some(mut next) = self.fresh() else {
                return Ok(());
            };
            if filled.is_long {
                self.skip_line(reading, &mut document, &mut batch)?;
                splitter = RowSplitter::new(reading.dialect());
            } else {
                next.bytes.extend_from_slice(&batch.bytes[filled.whole..]);
                batch.bytes.truncate(filled.whole);
                splitter.cut();
            }
            let table = match &table {
                Some(table) => table,
                None => table.insert(self.begin_table(reading, &name, &mut batch)?),
            };
            batch.table = Some(Arc::clone(table));
            if let Some(last) = batch.bytes.last() {
                self.readings.is_open = *last != table.reading().dialect().row_end;
            }
            self.pass(batch);
            if filled.is_end || self.is_halted() {
                self.readings.spare = Some(next);
                return self.not_cancelled();
            }
            batch = next;
        }
    }

    /// Begins the table whose first rows are in `batch`.
    fn begin_table(
        &mut self,
        reading: Reading,
        name: &Option<Arc<str>>,
        batch: &mut Batch,
    ) -> Result<Arc<Table>, Error> {
        batch.is_first = true;
        let shape = self.shape(reading, batch);
        let shape = shape.map_err(|error| self.failed(name, error))?;
        Ok(Arc::new(Table {
            source: Arc::clone(&self.source),
            document: name.clone(),
            shape,
        }))
    }

    fn not_cancelled(&self) -> Result<(), Error> {
        match self.settings.monitor.is_cancelled() {
            true => Err(Error::new(ErrorKind::Cancelled)),
            false => Ok(()),
        }
    }

    /// Reads the head of a document: its byte order mark, a line for spreadsheets, and what shows its format.
    fn start(
        &mut self,
        document: &mut Document<'_>,
        batch: &mut Batch,
    ) -> Result<Reading, TableError> {
        let raw = &mut document.raw;
        let is_first = self.readings.first.is_none();
        let settings = self.settings;
        if settings.columns.is_empty() {
            drop_mark(raw);
            return Ok(Reading::Lines);
        }
        if drop_mark(raw) && is_first {
            batch.out.extend_from_slice(MARK);
        }
        let mut format = settings.format;
        let head = raw.peek(TextKind::HEAD);
        if let Some((delimiter, length)) = format::sep_line(head) {
            if is_first {
                batch.out.extend_from_slice(&head[..length]);
            }
            batch.rows += 1;
            raw.consume(length);
            format.get_or_insert(TableFormat::Delimited(delimiter));
        }
        let head = raw.peek(TextKind::HEAD);
        let whole = head.len() < TextKind::HEAD;
        if head.is_empty() && format.is_none() {
            return Err(TableError::NoHeader);
        }
        let reading = format::reading(head, whole, format, &settings.columns, settings.header);
        let reading = reading.map_err(|error| match &document.name {
            Some(name) if **name == *"[Content_Types].xml" => TableError::Office,
            _ => error,
        })?;
        match &self.readings.first {
            Some(first) if first.reading != reading => Err(TableError::Different),
            _ => Ok(reading),
        }
    }

    /// Finds the columns, and writes the header with the new ones. Only that of the first table is written.
    fn shape(&mut self, reading: Reading, batch: &mut Batch) -> Result<Shape, TableError> {
        match reading {
            Reading::Lines => Ok(Shape::Lines),
            Reading::JsonLines => self.json_shape(batch),
            Reading::Delimited(dialect) => self.delimited_shape(dialect, batch),
        }
    }

    fn delimited_shape(
        &mut self,
        dialect: Dialect,
        batch: &mut Batch,
    ) -> Result<Shape, TableError> {
        let settings = self.settings;
        let blank = blank_rows(&batch.bytes);
        if blank == batch.bytes.len() {
            return Err(TableError::NoHeader);
        }
        let (cells, length) = dialect.first_row(&batch.bytes[blank..]);
        let layout = Layout::new(dialect, &cells, &settings.columns, settings.header)?;
        let new = match settings.in_place {
            true => Vec::new(),
            false => Layout::new_names(&settings.new_columns, &layout.names),
        };
        if settings.header {
            layout.check_new(&cells, &new)?;
        }
        let delimiters = cells.len() - 1;
        let end = blank + delimiters + cells.iter().map(|cell| cell.len()).sum::<usize>();
        let next = blank + length;
        let is_first = self.begin(
            FirstTable {
                reading: Reading::Delimited(dialect),
                header: batch.bytes[blank..end].to_vec(),
                line_end: batch.bytes[end..next].to_vec(),
                members: None,
            },
            &mut batch.out,
        )?;
        if settings.header {
            if is_first {
                batch.out.extend_from_slice(&batch.bytes[..end]);
                layout.write_new(&new, &mut batch.out);
                batch.out.extend_from_slice(&batch.bytes[end..next]);
            }
            batch.pass_header(blank, next, dialect.row_end);
        }
        Ok(Shape::Delimited(layout))
    }

    fn json_shape(&mut self, batch: &mut Batch) -> Result<Shape, TableError> {
        let settings = self.settings;
        let members = json::members(&batch.bytes);
        if settings.format.is_none() && members.is_none() {
            return Err(TableError::Unknown);
        }
        let first = FirstTable {
            reading: Reading::JsonLines,
            header: Vec::new(),
            line_end: b"\n".to_vec(),
            members,
        };
        self.begin(first, &mut batch.out)?;
        let name = |column: &String| Members::path(column).pop().unwrap_or_default();
        let names: Vec<_> = settings.columns.iter().map(name).collect();
        let new = (!settings.in_place).then(|| Layout::new_names(&settings.new_columns, &names));
        Ok(Shape::JsonLines(Members::new(&settings.columns, new)))
    }

    /// Begins a table. One that is not the first, which returns false, goes on with it: after a line end, with the same header.
    fn begin(&mut self, table: FirstTable, out: &mut Vec<u8>) -> Result<bool, TableError> {
        let Some(first) = &self.readings.first else {
            self.readings.first = Some(table);
            return Ok(true);
        };
        if self.settings.header && first.header != table.header {
            return Err(TableError::Different);
        }
        if self.readings.is_open {
            out.extend_from_slice(&first.line_end);
        }
        Ok(false)
    }

    /// Reads more rows of a document, at least one if there is one.
    fn fill(
        &mut self,
        document: &mut Document<'_>,
        bytes: &mut Vec<u8>,
        splitter: &mut RowSplitter,
    ) -> Result<Filled, Error> {
        loop {
            let before = bytes.len();
            let step = self.settings.chunk;
            let read = (&mut document.raw).take(step as u64).read_to_end(bytes);
            let count = bytes.len() - before;
            document.offset += count as u64;
            let is_end = match read {
                Ok(count) => count < step,
                Err(error) => {
                    self.damage(document.name.clone(), document.offset, error.into())?;
                    false
                }
            };
            let whole = splitter.advance(bytes, is_end);
            let whole = if is_end { bytes.len() } else { whole };
            let is_long = whole == 0 && bytes.len() > self.settings.max_row;
            if is_end || is_long || whole > 0 || self.is_halted() {
                return Ok(Filled {
                    whole,
                    is_end,
                    is_long,
                });
            }
        }
    }

    /// Passes over a line that is too long to be held. A row of a table ends the run.
    fn skip_line(
        &mut self,
        reading: Reading,
        document: &mut Document<'_>,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        batch.bytes.clear();
        if reading != Reading::Lines {
            let most = self.settings.max_row;
            batch.failure = Some(TableError::LongRow { row: 1, most });
            return Ok(());
        }
        batch.too_long = true;
        loop {
            match document.raw.skip_until(b'\n') {
                Ok(count) => {
                    document.offset += count as u64;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.damage(document.name.clone(), document.offset, error.into())?;
                }
            }
        }
    }
}

/// The result of reading rows.
struct Filled {
    /// The length of the whole rows.
    whole: usize,
    /// Whether the document has ended, and its last row is whole.
    is_end: bool,
    /// Whether there is no whole row, but more bytes than a row may have.
    is_long: bool,
}

fn drop_mark(raw: &mut Raw<&mut dyn Read>) -> bool {
    let is_there = raw.peek(MARK.len()) == MARK;
    if is_there {
        raw.consume(MARK.len());
    }
    is_there
}

/// The length of the rows without any byte that `bytes` start with.
fn blank_rows(bytes: &[u8]) -> usize {
    let content = bytes.iter().position(|byte| !b"\r\n".contains(byte));
    content.unwrap_or(bytes.len())
}
