//! The texts of some rows.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::path::ColumnPath;

/// Rows, bytes of their texts and names, and items of their lists at which a batch is full.
const FULL_BATCH_ROWS: u32 = 8192;
const FULL_BATCH_BYTES: usize = 256 << 10;
const FULL_BATCH_ITEMS: u64 = 1 << 20;
/// Bytes of texts, and cells, that one row may have.
const MAX_ROW_BYTES: usize = 1 << 30;
const MAX_ROW_CELLS: usize = 4 << 20;

/// All cells with text of consecutive rows of a table, row by row. Each cell is a text of its own.
#[derive(Debug, Default)]
pub struct CellBatch {
    /// The number of the first row in its table, from 0.
    pub first_row: u64,
    /// The number of rows.
    pub rows: u32,
    /// The columns of the table whose texts are read.
    columns: Arc<[ColumnPath]>,
    /// The texts of cells, one after the other in the order of `cells`.
    bytes: Vec<u8>,
    cells: Vec<TableCell>,
    /// The indices of cells that are in lists.
    indices: Vec<u32>,
    /// The names of rows, and the end of each; empty if rows have no names. A row without a name has an empty one.
    names: Option<(Vec<u8>, Vec<u32>)>,
}

/// A cell that has a text.
#[derive(Clone, Copy, Debug)]
pub struct TableCell {
    /// The number of the row in the batch.
    pub row: u32,
    /// The number of the column among those that are read.
    pub column: u16,
    start: u32,
    end: u32,
    /// The start of its indices.
    indices: u32,
}

impl CellBatch {
    /// The texts of all cells.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The cells, in the order of rows, with their texts in the same order.
    pub fn cells(&self) -> &[TableCell] {
        &self.cells
    }

    /// The text of a cell.
    pub fn text(&self, cell: &TableCell) -> &[u8] {
        self.bytes.get(cell.range()).unwrap_or_default()
    }

    /// Writes the document name of a row: its own name, or its number in the table, from 1.
    pub(crate) fn write_row_name(&self, row: u32, into: &mut String) {
        match self.own_name(row) {
            Some(name) => into.push_str(&name),
            None => {
                let number = self.first_row + u64::from(row) + 1;
                into.push_str("#row=");
                into.push_str(itoa::Buffer::new().format(number));
            }
        }
    }

    /// Returns a row's own name; `None` if it has no name.
    pub fn own_name(&self, row: u32) -> Option<Cow<'_, str>> {
        let name = self.name_bytes(row).filter(|name| !name.is_empty())?;
        Some(String::from_utf8_lossy(name))
    }

    fn name_bytes(&self, row: u32) -> Option<&[u8]> {
        let (names, ends) = self.names.as_ref()?;
        let row = row as usize;
        let start = row.checked_sub(1).map_or(Some(&0), |last| ends.get(last))?;
        names.get(*start as usize..*ends.get(row)? as usize)
    }

    /// Returns the max length of a row's own name, in bytes.
    pub(crate) fn longest_name(&self) -> usize {
        let Some((_, ends)) = &self.names else {
            return 0;
        };
        let starts = std::iter::once(&0).chain(ends);
        let lengths = starts.zip(ends).map(|(start, end)| end - start);
        lengths.max().unwrap_or(0) as usize
    }

    /// The place of a cell in its row: its column, with the indices of lists from 0.
    pub fn place(&self, cell: &TableCell) -> String {
        self.in_path(cell, ColumnPath::place)
    }

    /// Returns the place of a cell in its row as a JSON pointer.
    pub fn pointer(&self, cell: &TableCell) -> String {
        self.in_path(cell, ColumnPath::pointer)
    }

    fn in_path(&self, cell: &TableCell, of: fn(&ColumnPath, &[u32]) -> String) -> String {
        let Some(path) = self.columns.get(usize::from(cell.column)) else {
            return String::new();
        };
        let indices = self.indices.get(cell.indices as usize..);
        let indices = indices.unwrap_or_default();
        of(path, &indices[..path.list_count().min(indices.len())])
    }
}

impl TableCell {
    /// The range of its text in the bytes of the batch.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Collects cells row by row.
#[derive(Default)]
pub struct RowBatchBuilder {
    batch: CellBatch,
    /// Bytes and cells when the current row was begun.
    row_start: (usize, usize),
    /// Items of lists that were looked at, which may have no text.
    items: u64,
}

impl RowBatchBuilder {
    /// A builder whose first row has this number in its table, from 0.
    pub(super) fn starting_at(first_row: u64) -> Self {
        let mut builder = RowBatchBuilder::default();
        builder.batch.first_row = first_row;
        builder
    }

    /// Adds a cell of the current row. Returns false if there is no room for it.
    #[must_use]
    pub fn cell(&mut self, column: u16, text: &[u8], indices: &[u32]) -> bool {
        if text.is_empty() {
            return true;
        }
        let batch = &mut self.batch;
        let start = batch.bytes.len();
        let end = start + text.len();
        let fits = end - self.row_start.0 <= MAX_ROW_BYTES
            && end <= u32::MAX as usize
            && batch.cells.len() - self.row_start.1 < MAX_ROW_CELLS;
        if !fits {
            return false;
        }
        if batch.bytes.capacity() == 0 {
            // Growing step by step would copy every text once more.
            batch.bytes.reserve(FULL_BATCH_BYTES + text.len());
        }
        batch.bytes.extend_from_slice(text);
        batch.cells.push(TableCell {
            row: batch.rows,
            column,
            start: start as u32,
            end: end as u32,
            indices: batch.indices.len() as u32,
        });
        batch.indices.extend_from_slice(indices);
        true
    }

    /// Counts items of lists.
    pub(super) fn count_items(&mut self, items: u64) {
        self.items += items;
    }

    /// The number of items of lists so far.
    pub(super) fn items(&self) -> u64 {
        self.items
    }

    /// Bytes of the texts of the current row.
    pub(super) fn row_bytes(&self) -> usize {
        self.batch.bytes.len() - self.row_start.0
    }

    /// Ends the current row. If one row of a table has a name, all have, which may be empty.
    pub fn end_row(&mut self, name: Option<&[u8]>) {
        let batch = &mut self.batch;
        if let Some(name) = name {
            let (names, ends) = batch.names.get_or_insert_default();
            names.extend_from_slice(name);
            ends.push(names.len() as u32);
        }
        batch.rows += 1;
        self.row_start = (batch.bytes.len(), batch.cells.len());
    }

    /// Drops the cells of the current row.
    pub(super) fn drop_row(&mut self) {
        self.batch.bytes.truncate(self.row_start.0);
        self.batch.cells.truncate(self.row_start.1);
    }

    /// Whether it should be taken before another row.
    pub fn is_full(&self) -> bool {
        let names = self.batch.names.as_ref();
        let bytes = self.batch.bytes.len() + names.map_or(0, |(names, _)| names.len());
        self.batch.rows >= FULL_BATCH_ROWS
            || bytes >= FULL_BATCH_BYTES
            || self.items >= FULL_BATCH_ITEMS
    }

    /// Takes all rows, whose cells are in `columns`.
    pub fn take_batch(&mut self, columns: Arc<[ColumnPath]>) -> CellBatch {
        let next = self.batch.first_row + u64::from(self.batch.rows);
        let taken = std::mem::replace(self, RowBatchBuilder::starting_at(next));
        CellBatch {
            columns,
            ..taken.batch
        }
    }
}
