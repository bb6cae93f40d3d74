//! The texts of some rows.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::path::ColumnPath;

/// Bytes of texts at which a batch is full. It then fits the cache of a core.
const FULL_BATCH_BYTES: usize = 512 << 10;
/// Cells at which a batch is full.
const FULL_BATCH_CELLS: usize = 64 << 10;
/// Bytes of texts, and cells, that one row may have in a batch.
const MAX_ROW_BYTES: usize = 1 << 30;
const MAX_ROW_CELLS: usize = 4 << 20;
/// Dictionaries of a column that cells may refer to in any order.
pub(super) const RECENT_DICTIONARIES: usize = 16;

/// All cells with text of consecutive rows of a table. Each cell is a text of its own.
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
    dictionaries: Vec<Arc<CellDictionary>>,
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
    /// The number of the dictionary, or `NO_DICTIONARY`.
    dictionary: u16,
    /// The start of the text, or the number of the dictionary's entry.
    start: u32,
    end: u32,
    /// The start of its indices.
    indices: u32,
}

/// The place of the text of a cell.
pub enum CellText {
    /// In the bytes of the batch.
    Plain(Range<usize>),
    /// An entry of a dictionary: the number of the dictionary in the batch, and that of the entry.
    Entry(usize, usize),
}

/// The `dictionary` of a cell whose text is in the batch.
const NO_DICTIONARY: u16 = u16::MAX;

/// Texts that many cells of a column share.
#[derive(Debug, Default)]
pub struct CellDictionary {
    bytes: Vec<u8>,
    entries: Vec<(u32, u32)>,
}

impl CellDictionary {
    /// The texts at `entries` of `bytes`.
    pub(super) fn new(bytes: Vec<u8>, entries: Vec<(u32, u32)>) -> Self {
        CellDictionary { bytes, entries }
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes of all texts.
    pub fn bytes(&self) -> usize {
        let lengths = self.entries.iter().map(|(start, end)| end - start);
        lengths.map(|length| length as usize).sum()
    }

    /// A text; empty if there is none of this number.
    pub fn entry(&self, number: usize) -> &[u8] {
        let range = self.entries.get(number);
        let range = range.map_or(0..0, |&(start, end)| start as usize..end as usize);
        self.bytes.get(range).unwrap_or_default()
    }

    /// Bytes of memory it holds.
    pub(super) fn held(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<(u32, u32)>()
    }
}

impl CellBatch {
    /// The texts of plain cells.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The cells, those of a column or of a row together. The texts of plain ones are in the same order.
    pub fn cells(&self) -> &[TableCell] {
        &self.cells
    }

    /// The dictionaries of its cells.
    pub fn dictionaries(&self) -> &[Arc<CellDictionary>] {
        &self.dictionaries
    }

    /// Whether the cells of a row are together.
    pub fn is_by_row(&self) -> bool {
        self.cells.is_sorted_by_key(|cell| cell.row)
    }

    /// The text of a cell.
    pub fn text(&self, cell: &TableCell) -> &[u8] {
        match cell.text() {
            CellText::Plain(range) => self.bytes.get(range).unwrap_or_default(),
            CellText::Entry(dictionary, entry) => self
                .dictionaries
                .get(dictionary)
                .map_or(&[], |dictionary| dictionary.entry(entry)),
        }
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
    /// Returns the place of its text.
    pub fn text(&self) -> CellText {
        match self.dictionary {
            NO_DICTIONARY => CellText::Plain(self.start as usize..self.end as usize),
            dictionary => CellText::Entry(dictionary.into(), self.start as usize),
        }
    }
}

/// Collects the cells of some rows, column by column.
#[derive(Debug)]
pub(super) struct CellBatchBuilder {
    batch: CellBatch,
    /// The column that is being filled.
    column: u16,
    /// Bytes and cells when the column, and its current row, were begun.
    column_start: (usize, usize),
    row_start: (usize, usize),
    /// Bytes of texts, those of dictionaries included.
    decoded: u64,
}

impl CellBatchBuilder {
    pub(super) fn new(columns: &Arc<[ColumnPath]>, first_row: u64) -> Self {
        CellBatchBuilder {
            batch: CellBatch {
                first_row,
                columns: Arc::clone(columns),
                ..CellBatch::default()
            },
            column: 0,
            column_start: (0, 0),
            row_start: (0, 0),
            decoded: 0,
        }
    }

    /// Returns the builder with other columns for its cells.
    pub(super) fn in_columns(mut self, columns: Arc<[ColumnPath]>) -> Self {
        self.batch.columns = columns;
        self
    }

    /// Starts a column.
    pub(super) fn column(&mut self, column: u16) {
        self.column = column;
        self.column_start = self.size();
        self.row_start = self.size();
    }

    /// Starts a row of the column. Returns whether there is room for it.
    pub(super) fn row(&mut self) -> bool {
        self.row_start = self.size();
        let (bytes, cells) = self.size();
        bytes - self.column_start.0 < FULL_BATCH_BYTES
            && cells - self.column_start.1 < FULL_BATCH_CELLS
    }

    fn size(&self) -> (usize, usize) {
        (self.batch.bytes.len(), self.batch.cells.len())
    }

    /// Adds a cell of the row with this number in the batch. Returns false if its row is too large.
    #[must_use]
    pub(super) fn plain(&mut self, row: u32, text: &[u8], indices: &[u32]) -> bool {
        let start = self.batch.bytes.len();
        let fits = start - self.row_start.0 + text.len() <= MAX_ROW_BYTES
            && start + text.len() <= u32::MAX as usize;
        if !fits || !self.has_room() {
            return false;
        }
        if self.batch.bytes.capacity() == 0 {
            // Growing step by step would copy every text once more.
            self.batch.bytes.reserve(FULL_BATCH_BYTES + text.len());
        }
        self.batch.bytes.extend_from_slice(text);
        self.decoded += text.len() as u64;
        self.push(
            row,
            NO_DICTIONARY,
            (start as u32, self.batch.bytes.len() as u32),
            indices,
        );
        true
    }

    /// Adds a cell whose text is in a dictionary.
    #[must_use]
    pub(super) fn entry(
        &mut self,
        row: u32,
        dictionary: &Arc<CellDictionary>,
        entry: u32,
        indices: &[u32],
    ) -> bool {
        if !self.has_room() {
            return false;
        }
        let all = &mut self.batch.dictionaries;
        let recent = all.iter().enumerate().rev().take(RECENT_DICTIONARIES);
        let known = recent
            .into_iter()
            .find(|(_, known)| Arc::ptr_eq(known, dictionary));
        let number = match known {
            Some((number, _)) => number,
            None => {
                all.push(Arc::clone(dictionary));
                all.len() - 1
            }
        };
        if number >= usize::from(NO_DICTIONARY) {
            return false;
        }
        self.decoded += dictionary.entry(entry as usize).len() as u64;
        self.push(row, number as u16, (entry, 0), indices);
        true
    }

    fn has_room(&self) -> bool {
        self.batch.cells.len() - self.row_start.1 < MAX_ROW_CELLS
    }

    fn push(&mut self, row: u32, dictionary: u16, (start, end): (u32, u32), indices: &[u32]) {
        let at = self.batch.indices.len() as u32;
        self.batch.indices.extend_from_slice(indices);
        self.batch.cells.push(TableCell {
            row,
            column: self.column,
            dictionary,
            start,
            end,
            indices: at,
        });
    }

    /// Adds the name of the next row.
    pub(super) fn name(&mut self, name: &[u8]) {
        let (names, ends) = self.batch.names.get_or_insert_default();
        names.extend_from_slice(name);
        ends.push(names.len() as u32);
    }

    /// Ends the batch after `rows` rows. Returns it with its bytes of texts, those of dictionaries counted for each cell, and the
    /// cells of later rows.
    pub(super) fn finish(self, rows: u32) -> (CellBatch, u64, CellBatchBuilder) {
        let next =
            CellBatchBuilder::new(&self.batch.columns, self.batch.first_row + u64::from(rows));
        let mut batch = CellBatch { rows, ..self.batch };
        if batch.cells.iter().all(|cell| cell.row < rows) {
            return (batch, self.decoded, next);
        }
        let (mut kept, mut later) = (CellBatchBuilder::new(&batch.columns, batch.first_row), next);
        for cell in &batch.cells {
            let (to, row) = match cell.row.checked_sub(rows) {
                Some(row) => (&mut later, row),
                None => (&mut kept, cell.row),
            };
            to.copy(&batch, cell, row);
        }
        kept.batch.rows = rows;
        kept.batch.names = batch.names.take();
        (kept.batch, kept.decoded, later)
    }

    fn copy(&mut self, from: &CellBatch, cell: &TableCell, row: u32) {
        if cell.column != self.column {
            self.column(cell.column);
        }
        let lists = from
            .columns
            .get(usize::from(cell.column))
            .map_or(0, ColumnPath::list_count);
        let indices = from
            .indices
            .get(cell.indices as usize..)
            .unwrap_or_default();
        let indices = &indices[..lists.min(indices.len())];
        // They had room in the batch that they come from.
        self.row_start = self.size();
        let _ = match cell.text() {
            CellText::Plain(_) => self.plain(row, from.text(cell), indices),
            CellText::Entry(dictionary, entry) => {
                self.entry(row, &from.dictionaries[dictionary], entry as u32, indices)
            }
        };
    }
}
