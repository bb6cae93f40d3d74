//! Reads the rows of delimited tables. The first row names the columns.

use std::sync::Arc;

use doisift_documents::{ColumnPath, ColumnSelection, HeaderColumns, InputError, RowBatchBuilder};

use super::{CutRow, RowFault};
use doisift_tables::Dialect;

/// Cuts rows into cells.
pub(super) struct DelimitedRows<'t> {
    pub(super) dialect: Dialect,
    choice: &'t ColumnSelection,
    /// `None` before the header was read.
    header: Option<TableHeader>,
    /// Errors of the choice of columns.
    pub(super) missing: Vec<InputError>,
    /// Number of rows with more or fewer cells than the header.
    pub(super) ragged: u64,
}

struct TableHeader {
    columns: HeaderColumns,
    /// The number of cells.
    width: usize,
    /// Whether all columns are read. Then the cells of a row after the last column belong to that column.
    is_whole: bool,
}

impl<'t> DelimitedRows<'t> {
    pub(super) fn new(dialect: Dialect, choice: &'t ColumnSelection) -> Self {
        DelimitedRows {
            dialect,
            choice,
            header: None,
            missing: Vec::new(),
            ragged: 0,
        }
    }

    /// Whether the header was read and no column is chosen.
    pub(super) fn is_without_columns(&self) -> bool {
        let header = self.header.as_ref();
        header.is_some_and(|header| header.columns.texts.is_empty())
    }

    pub(super) fn paths(&self) -> Arc<[ColumnPath]> {
        let header = self.header.as_ref();
        header.map_or_else(Arc::default, |header| Arc::clone(&header.columns.paths))
    }

    /// Reads the row at the start of `bytes`.
    pub(super) fn row(&mut self, bytes: &[u8], batch: &mut RowBatchBuilder) -> CutRow {
        let ends: [&[u8]; 2] = [b"\r\n", &[self.dialect.row_end]];
        if let Some(end) = ends.iter().find(|end| bytes.starts_with(end)) {
            return CutRow::none(end.len());
        }
        match &self.header {
            Some(header) => {
                let (row, width) = cells(self.dialect, header, bytes, batch);
                self.ragged += u64::from(width != header.width);
                row
            }
            None => self.read_header(bytes),
        }
    }

    fn read_header(&mut self, bytes: &[u8]) -> CutRow {
        let (cells, length) = self.dialect.first_row(bytes);
        let name = |cell: &&[u8]| {
            let text = self.dialect.text(cell);
            String::from_utf8_lossy(text.trim_ascii()).into_owned()
        };
        let names: Vec<_> = cells.iter().map(name).collect();
        let columns = self.choice.of_header(&names, &mut self.missing);
        let columns = columns.unwrap_or_else(|error| {
            self.missing.push(error);
            HeaderColumns::default()
        });
        self.header = Some(TableHeader {
            columns,
            width: cells.len(),
            is_whole: self.choice.columns.is_none(),
        });
        CutRow::none(length)
    }
}

/// Adds the chosen cells of a row to a batch. Returns the row, and the number of its cells.
fn cells(
    dialect: Dialect,
    header: &TableHeader,
    bytes: &[u8],
    batch: &mut RowBatchBuilder,
) -> (CutRow, usize) {
    let mut columns = (0..).zip(&header.columns.texts).peekable();
    let mut id = header.columns.id.map(|_| Default::default());
    let (mut fits, mut number, mut at) = (true, 0, 0);
    let length = loop {
        let end = dialect.cell_end(bytes, at);
        let is_last = bytes.get(end) != Some(&dialect.delimiter);
        let content = match is_last {
            true => dialect.content_end(bytes, at, end),
            false => end,
        };
        let cell = &bytes[at..content];
        let own = columns.next_if(|(_, wanted)| **wanted == number);
        // Cells after the last column belong to that column.
        let last = (header.is_whole && number >= header.width).then(|| header.width as u16 - 1);
        if let Some(column) = own.map(|(column, _)| column).or(last) {
            fits &= batch.cell(column, &dialect.text(cell), &[]);
        }
        if header.columns.id == Some(number) {
            id = Some(dialect.text(cell));
        }
        number += 1;
        if is_last {
            break bytes.len().min(end + 1);
        }
        at = end + 1;
    };
    batch.end_row(id.as_deref());
    let row = CutRow {
        length,
        counts: true,
        fault: (!fits).then_some(RowFault::TooManyCells),
    };
    (row, number)
}
