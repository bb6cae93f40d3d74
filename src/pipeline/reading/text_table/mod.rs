//! Reads tables that are texts, if columns are chosen: each row is a document, and its cells are scanned like those of columnar
//! files.
//!
//! The thread that reads a document also cuts it into rows, in order, so chunks and threads do not matter. It takes memory for
//! the longest row and for a batch of cells.

mod delimited;
mod objects;

use std::sync::Arc;

use doisift_documents::{ColumnPath, DocumentHead, DocumentSink, InputError, RowBatchBuilder};
use doisift_tables::{
    BlockSizes, RawText, RowLoss, TableFormat, TableHead, TableItem, TableReading, TableRows,
    table_bytes,
};

use self::delimited::DelimitedRows;
use self::objects::ObjectRows;
use crate::pipeline::plan::ScanOptions;

/// Bytes of a read.
const READ_BYTES: usize = 256 << 10;
/// Max bytes of a row, and the part of the memory, 1/ROW_MEMORY_PARTS, that it may take.
const MAX_ROW_BYTES: usize = 16 << 20;
const ROW_MEMORY_PARTS: usize = 64;

/// A table that is being read.
pub(crate) struct TextTable<'o, 'd> {
    head: DocumentHead,
    rows: TableRows<'d>,
    cells: RowCells<'o>,
    batch: RowBatchBuilder,
    faults: [FaultCount; RowFault::ALL.len()],
    /// The number of all rows.
    count: u64,
}

/// Takes the chosen cells of rows.
enum RowCells<'o> {
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

impl<'o, 'd> TextTable<'o, 'd> {
    /// Starts to read the table in a document that starts as `raw` does. Returns `raw` if it is not a table, or an option sets
    /// another kind of text.
    pub(crate) fn start(
        options: &'o ScanOptions,
        head: &DocumentHead,
        mut raw: RawText<'d>,
    ) -> Result<Self, Box<RawText<'d>>> {
        let sizes = BlockSizes {
            step: READ_BYTES,
            max: MAX_ROW_BYTES.min(options.memory / ROW_MEMORY_PARTS),
        };
        let Some(table) = table_head(options, table_bytes(&mut raw, sizes.max)) else {
            return Err(Box::new(raw));
        };
        let cells = match table.reading {
            TableReading::Delimited(_) => RowCells::Delimited(DelimitedRows::new(&options.columns)),
            _ => RowCells::Objects(ObjectRows::new(&options.columns)),
        };
        Ok(TextTable {
            head: head.clone(),
            rows: TableRows::new(raw, 0, &table.with_header_as_row(), sizes),
            cells,
            batch: RowBatchBuilder::default(),
            faults: Default::default(),
            count: 0,
        })
    }

    /// Passes all rows to `to`. Returns how many of them have more or fewer cells than the header.
    pub(crate) fn read(mut self, to: &mut dyn DocumentSink) -> u64 {
        while !to.is_halted() && !self.cells.is_without_columns() {
            if self.batch.is_full() || self.cells.is_full() {
                self.pass(to);
            }
            let fault = match self.rows.next() {
                None => break,
                Some(TableItem::Row(row, at)) => {
                    let added = match &mut self.cells {
                        RowCells::Delimited(cells) => cells.add(&row, &mut self.batch),
                        RowCells::Objects(cells) => cells.add(row.bytes(), &mut self.batch),
                    };
                    self.count += u64::from(added != AddedRow::Header);
                    added.fault().map(|fault| (fault, at))
                }
                Some(TableItem::Lost(RowLoss::Input(error), at)) => {
                    to.report_loss(self.head.name.clone(), at, error);
                    None
                }
                Some(TableItem::Lost(RowLoss::OpenQuote, at)) => Some((RowFault::OpenQuote, at)),
                Some(TableItem::Lost(_, at)) => Some((RowFault::TooLong, at)),
            };
            if let Some((fault, at)) = fault {
                self.faults[fault as usize].add(at);
            }
        }
        self.pass(to);
        self.report(to);
        to.end_table(self.count);
        match self.cells {
            RowCells::Delimited(cells) => cells.ragged,
            RowCells::Objects(_) => 0,
        }
    }

    /// Passes the rows of the batch to `to`.
    fn pass(&mut self, to: &mut dyn DocumentSink) {
        let batch = self.batch.take_batch(self.cells.take_columns());
        if batch.rows > 0 {
            to.cells(&self.head, batch);
        }
    }

    /// Reports the faults of rows and of the choice of columns.
    fn report(&mut self, to: &mut dyn DocumentSink) {
        let missing = match &mut self.cells {
            RowCells::Delimited(cells) => std::mem::take(&mut cells.missing),
            RowCells::Objects(cells) => cells.missing(),
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

impl FaultCount {
    fn add(&mut self, at: u64) {
        if self.count == 0 {
            self.first = at;
        }
        self.count += 1;
    }
}

/// The result of adding a row to a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddedRow {
    /// The row is the header, and was not added.
    Header,
    Whole,
    Faulty(RowFault),
}

impl AddedRow {
    fn fault(self) -> Option<RowFault> {
        match self {
            AddedRow::Faulty(fault) => Some(fault),
            AddedRow::Header | AddedRow::Whole => None,
        }
    }
}

impl RowCells<'_> {
    fn is_full(&self) -> bool {
        match self {
            RowCells::Delimited(_) => false,
            RowCells::Objects(cells) => cells.columns.is_full(),
        }
    }

    /// Whether the table has none of the chosen columns.
    fn is_without_columns(&self) -> bool {
        match self {
            RowCells::Delimited(cells) => cells.is_without_columns(),
            RowCells::Objects(_) => false,
        }
    }

    fn take_columns(&mut self) -> Arc<[ColumnPath]> {
        match self {
            RowCells::Delimited(cells) => cells.paths(),
            RowCells::Objects(cells) => cells.columns.take_columns(),
        }
    }
}

/// Returns how the document that starts with `head` is read as a table. `None` if it is not a table.
fn table_head(options: &ScanOptions, (head, whole): (&[u8], bool)) -> Option<TableHead> {
    let format = match options.reading.input_kind {
        None => None,
        Some(kind) => Some(TableFormat::Delimited(kind.delimiter()?)),
    };
    let names: Vec<_> = options.columns.names().cloned().collect();
    let read = |names: &[String]| TableHead::of((head, whole), format, names, options.header).ok();
    // One of the columns is enough to recognise a table whose rows differ in width.
    let table = read(&names).or_else(|| names.chunks(1).find_map(read))?;
    let rows = &head[table.skipped(head)..];
    let is_table = match table.reading {
        TableReading::JsonLines => objects::starts(rows, whole),
        TableReading::JsonArray => false,
        _ => !rows.trim_ascii().is_empty(),
    };
    is_table.then_some(table)
}
