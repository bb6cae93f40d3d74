//! Reads the rows of delimited tables. The first row names the columns.

use std::borrow::Cow;
use std::sync::Arc;

use doisift_documents::{ColumnPath, ColumnSelection, HeaderColumns, InputError, RowBatchBuilder};
use doisift_tables::Row;

use super::{AddedRow, RowFault};

/// Takes the chosen cells of rows.
pub(super) struct DelimitedRows<'t> {
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
    pub(super) fn new(choice: &'t ColumnSelection) -> Self {
        DelimitedRows {
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

    /// Adds the chosen cells of a row to a batch. The first row is the header.
    pub(super) fn add(&mut self, row: &Row<'_>, batch: &mut RowBatchBuilder) -> AddedRow {
        let Some(header) = &self.header else {
            self.read_header(row);
            return AddedRow::Header;
        };
        self.ragged += u64::from(row.width() != header.width);
        match header.add(row, batch) {
            true => AddedRow::Whole,
            false => AddedRow::Faulty(RowFault::TooManyCells),
        }
    }

    fn read_header(&mut self, row: &Row<'_>) {
        let name = |text: Cow<'_, [u8]>| String::from_utf8_lossy(text.trim_ascii()).into_owned();
        let names: Vec<_> = row.texts().map(name).collect();
        let columns = self.choice.of_header(&names, &mut self.missing);
        let columns = columns.unwrap_or_else(|error| {
            self.missing.push(error);
            HeaderColumns::default()
        });
        self.header = Some(TableHeader {
            columns,
            width: names.len(),
            is_whole: self.choice.columns.is_none(),
        });
    }
}

impl TableHeader {
    /// Adds the chosen cells of a row to a batch. Returns whether there was room for all.
    fn add(&self, row: &Row<'_>, batch: &mut RowBatchBuilder) -> bool {
        let mut fits = true;
        let own = (0..).zip(self.columns.texts.iter().copied());
        // Cells after the last column belong to that column.
        let last = (self.width - 1) as u16;
        let after = if self.is_whole {
            self.width
        } else {
            row.width()
        };
        let more = (after..row.width()).map(|number| (last, number));
        for (column, number) in own.chain(more) {
            fits &= batch.cell(column, &row.text(number), &[]);
        }
        let id = self.columns.id.map(|id| row.text(id));
        batch.end_row(id.as_deref());
        fits
    }
}
