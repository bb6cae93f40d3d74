//! Reads tables that are texts, if columns are chosen: each row is a document, and its cells are scanned like those of columnar
//! files.
//!
//! The thread that reads a document also cuts it into rows, in order, so chunks and threads do not matter. It takes memory for
//! the longest row and for a batch of cells.

mod delimited;
mod objects;

use std::sync::Arc;

use doisift_documents::{
    ColumnPath, DocumentHead, DocumentSink, InputError, PeekReader, ReadBuffer, ReadBytes,
    RowBatchBuilder,
};

use self::delimited::DelimitedRows;
use self::objects::ObjectRows;
use crate::pipeline::plan::ScanOptions;
use doisift_tables::{
    Dialect, RowSplitter, TableFormat, TableHead, TableReading, sep_line, table_bytes,
};

/// Bytes of a read.
const READ_BYTES: usize = 256 << 10;
/// Max bytes of a row, and the part of the memory, 1/ROW_MEMORY_PARTS, that it may take.
const MAX_ROW_BYTES: usize = 16 << 20;
const ROW_MEMORY_PARTS: usize = 64;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A table that is being read.
pub(crate) struct TextTable<'o, R> {
    head: DocumentHead,
    raw: PeekReader<R>,
    /// Bytes that were read and not cut into rows.
    bytes: Vec<u8>,
    /// Offset of `bytes` in the document.
    offset: u64,
    rows: RowCutter<'o>,
    row_end: u8,
    splitter: RowSplitter,
    /// Max bytes of a row.
    max: usize,
    batch: RowBatchBuilder,
    faults: [FaultCount; RowFault::ALL.len()],
    /// The number of all rows.
    count: u64,
}

/// Cuts rows into cells.
enum RowCutter<'o> {
    Delimited(DelimitedRows<'o>),
    Objects(ObjectRows<'o>),
}

/// A fault of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowFault {
    NoObject,
    TooLong,
    OpenQuote,
    TooManyCells,
}

impl RowFault {
    const ALL: [RowFault; 4] = [
        RowFault::NoObject,
        RowFault::TooLong,
        RowFault::OpenQuote,
        RowFault::TooManyCells,
    ];

    fn text(self) -> &'static str {
        match self {
            RowFault::NoObject => {
                "has rows that are not JSON objects, of which only the cells before the error were read; the first is here"
            }
            RowFault::TooLong => {
                "has rows of more than 1/64 of --memory, or more than 16 MiB, which were not read; the first is here"
            }
            RowFault::OpenQuote => {
                "has a quote that is not closed, so that all after it is one cell; --input-kind unknown reads the text whole"
            }
            RowFault::TooManyCells => {
                "has rows with more cells or columns than can be read at once; the first is here; --columns selects some"
            }
        }
    }
}

/// How often a fault was found, and the offset of the first one.
#[derive(Clone, Copy, Debug, Default)]
struct FaultCount {
    count: u64,
    first: u64,
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOutcome {
    More,
    Ended,
    /// Bytes are missing after the bytes that were read.
    Damaged,
}

impl<'o, R: ReadBytes> TextTable<'o, R> {
    /// Starts to read the table in a document that starts as `raw` does. Returns `raw` if it is not a table, or an option sets
    /// another kind of text.
    pub(crate) fn start(
        options: &'o ScanOptions,
        head: &DocumentHead,
        mut raw: PeekReader<R>,
    ) -> Result<Self, PeekReader<R>> {
        let max = MAX_ROW_BYTES.min(options.memory / ROW_MEMORY_PARTS);
        let Some((reading, start)) = reading(options, table_bytes(&mut raw, max)) else {
            return Err(raw);
        };
        raw.consume(start);
        let dialect = reading.dialect();
        let rows = match reading {
            TableReading::Delimited(dialect) => {
                RowCutter::Delimited(DelimitedRows::new(dialect, &options.columns))
            }
            _ => RowCutter::Objects(ObjectRows::new(&options.columns)),
        };
        Ok(TextTable {
            head: head.clone(),
            raw,
            bytes: Vec::new(),
            offset: start as u64,
            rows,
            row_end: dialect.row_end,
            splitter: RowSplitter::new(dialect),
            max,
            batch: RowBatchBuilder::default(),
            faults: Default::default(),
            count: 0,
        })
    }

    /// Passes all rows to `to`. Returns how many of them have more or fewer cells than the header.
    pub(crate) fn read(mut self, to: &mut dyn DocumentSink) -> u64 {
        while !to.is_halted() && !self.rows.is_without_columns() {
            let filled = self.fill(to);
            let has_ended = filled == ReadOutcome::Ended;
            let mut whole = self.splitter.advance(&self.bytes, has_ended);
            if has_ended {
                if self.splitter.is_in_quotes() {
                    self.note(RowFault::OpenQuote, whole);
                }
                whole = self.bytes.len();
            }
            self.cut(whole, to);
            if has_ended {
                break;
            }
            let is_long = self.bytes.len() > self.max;
            if is_long {
                self.note(RowFault::TooLong, 0);
            }
            if is_long || filled == ReadOutcome::Damaged {
                self.skip_line(to);
            }
        }
        self.pass(to);
        self.report(to);
        to.end_table(self.count);
        match self.rows {
            RowCutter::Delimited(rows) => rows.ragged,
            RowCutter::Objects(_) => 0,
        }
    }

    /// Reads more bytes.
    fn fill(&mut self, to: &mut dyn DocumentSink) -> ReadOutcome {
        match self.raw.read_up_to(READ_BYTES, &mut self.bytes) {
            Ok(count) if count < READ_BYTES => ReadOutcome::Ended,
            Ok(_) => ReadOutcome::More,
            Err(error) => {
                let is_whole = matches!(error, InputError::Encoding(_) | InputError::Trailing(_));
                let at = self.offset + self.bytes.len() as u64;
                to.report_loss(self.head.name.clone(), at, error);
                if is_whole {
                    ReadOutcome::More
                } else {
                    ReadOutcome::Damaged
                }
            }
        }
    }

    /// Cuts the first `whole` bytes into rows.
    fn cut(&mut self, whole: usize, to: &mut dyn DocumentSink) {
        let bytes = std::mem::take(&mut self.bytes);
        let mut at = 0;
        while at < whole && !self.rows.is_without_columns() {
            if self.batch.is_full() || self.rows.is_full() {
                self.pass(to);
            }
            let row = match &mut self.rows {
                RowCutter::Delimited(rows) => rows.row(&bytes[at..whole], &mut self.batch),
                RowCutter::Objects(rows) => rows.row(&bytes[at..whole], &mut self.batch),
            };
            self.count += u64::from(row.counts);
            if let Some(fault) = row.fault {
                self.note(fault, at);
            }
            at += row.length;
        }
        self.bytes = bytes;
        self.bytes.drain(..whole);
        self.bytes.shrink_to(2 * READ_BYTES);
        self.offset += whole as u64;
        self.splitter.cut();
    }

    fn note(&mut self, fault: RowFault, at: usize) {
        let noted = &mut self.faults[fault as usize];
        if noted.count == 0 {
            noted.first = self.offset + at as u64;
        }
        noted.count += 1;
    }

    /// Skips the rest of a line. If the line ends within a quoted cell, the next rows are wrong, but an open quote loses no more
    /// than this line.
    fn skip_line(&mut self, to: &mut dyn DocumentSink) {
        self.offset += self.bytes.len() as u64;
        self.bytes = Vec::new();
        self.splitter = RowSplitter::new(self.rows.dialect());
        loop {
            match self.raw.skip_until(self.row_end) {
                Ok(count) => {
                    self.offset += count as u64;
                    return;
                }
                Err(error) => to.report_loss(self.head.name.clone(), self.offset, error),
            }
        }
    }

    /// Passes the rows of the batch to `to`.
    fn pass(&mut self, to: &mut dyn DocumentSink) {
        let batch = self.batch.take_batch(self.rows.take_columns());
        if batch.rows > 0 {
            to.cells(&self.head, batch);
        }
    }

    /// Reports the faults of rows and of the choice of columns.
    fn report(&mut self, to: &mut dyn DocumentSink) {
        let missing = match &mut self.rows {
            RowCutter::Delimited(rows) => std::mem::take(&mut rows.missing),
            RowCutter::Objects(rows) => rows.missing(),
        };
        for error in missing {
            to.report_loss(self.head.name.clone(), 0, error);
        }
        for fault in RowFault::ALL {
            let FaultCount { count, first } = self.faults[fault as usize];
            if count > 0 {
                let fault = fault.text();
                let error = InputError::Rows { fault, count };
                to.report_loss(self.head.name.clone(), first, error);
            }
        }
    }
}

/// A row that was cut into cells.
struct CutRow {
    /// Length in bytes, with the line end.
    length: usize,
    /// Whether it is a row of the table: neither blank, nor the header.
    counts: bool,
    fault: Option<RowFault>,
}

impl CutRow {
    /// Creates a result for bytes that are not a row.
    fn none(length: usize) -> Self {
        CutRow {
            length,
            counts: false,
            fault: None,
        }
    }
}

impl RowCutter<'_> {
    fn dialect(&self) -> Dialect {
        match self {
            RowCutter::Delimited(rows) => rows.dialect,
            RowCutter::Objects(_) => TableReading::JsonLines.dialect(),
        }
    }

    fn is_full(&self) -> bool {
        match self {
            RowCutter::Delimited(_) => false,
            RowCutter::Objects(rows) => rows.columns.is_full(),
        }
    }

    /// Whether the table has none of the chosen columns.
    fn is_without_columns(&self) -> bool {
        match self {
            RowCutter::Delimited(rows) => rows.is_without_columns(),
            RowCutter::Objects(_) => false,
        }
    }

    fn take_columns(&mut self) -> Arc<[ColumnPath]> {
        match self {
            RowCutter::Delimited(rows) => rows.paths(),
            RowCutter::Objects(rows) => rows.columns.take_columns(),
        }
    }
}

/// Returns how the document that starts with `head` is read as a table, and the offset of its first row. `None` if it is not a
/// table.
fn reading(options: &ScanOptions, (head, whole): (&[u8], bool)) -> Option<(TableReading, usize)> {
    let mut format = match options.reading.input_kind {
        None => None,
        Some(kind) => Some(TableFormat::Delimited(kind.delimiter()?)),
    };
    let mut start = if head.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    if let Some((delimiter, length)) = sep_line(&head[start..]) {
        format.get_or_insert(TableFormat::Delimited(delimiter));
        start += length;
    }
    let head = &head[start..];
    let names: Vec<_> = options.columns.names().cloned().collect();
    let read = |names: &[String]| TableHead::of((head, whole), format, names, options.header).ok();
    // One of the columns is enough to recognise a table whose rows differ in width.
    let table = read(&names).or_else(|| names.chunks(1).find_map(read))?;
    let is_table = match table.reading {
        TableReading::JsonLines => objects::starts(head, whole),
        _ => !head.trim_ascii().is_empty(),
    };
    is_table.then(|| (table.reading, start + table.skipped(head)))
}
