//! Parts of a table that can be read one by one: row groups of Parquet, record batches of Arrow.

use std::collections::VecDeque;

use arrow_array::ArrayRef;

use super::batch::{PendingRows, ReadColumns};
use super::cells::CellBatch;
use crate::column_choice::ColumnSelection;
use crate::fault::{InputError, LocatedError, Packing};
use crate::file::SourceFile;

/// A file of a table whose parts can be read independently of one another, on several threads.
pub(crate) trait ColumnarFile: Send + Sync + Sized + 'static {
    /// The format.
    const PACKING: Packing;
    /// The kind that a source without a column to read is skipped as.
    const WITHOUT_TEXT: &'static str;

    /// Reads the metadata of a file of `length` bytes, of which `max` bytes may be held in memory. Also returns what is wrong
    /// with it and with the choice of columns.
    ///
    /// # Errors
    /// If the metadata is damaged, encrypted, too large or not supported, or cannot be read.
    fn open(
        file: SourceFile,
        length: u64,
        choice: &ColumnSelection,
        max: usize,
    ) -> Result<(Self, Vec<LocatedError>), InputError>;

    /// The number of rows of the table.
    fn rows(&self) -> u64;

    /// The number of parts.
    fn part_count(&self) -> usize;

    /// Whether it has a column that is read.
    fn has_texts(&self) -> bool;

    /// Bytes that were read to open it.
    fn metadata_length(&self) -> u64;

    /// Reads a part, with `memory` bytes for what is unpacked at the same time. Returns `None` after the last part.
    fn part(
        &self,
        from: PartStart,
        memory: usize,
    ) -> Option<Box<dyn Iterator<Item = TableItem> + '_>>;
}

/// The place where reading starts: the number of a part, and a row in it. Losses before that row were reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartStart {
    pub(crate) part: usize,
    pub(crate) row: u64,
}

/// An item that is read from a part of a table.
pub(crate) enum TableItem {
    Batch {
        batch: CellBatch,
        /// Its bytes of texts, and what else counts as unpacked.
        cost: u64,
        /// Bytes of the file that were read for it.
        read: u64,
    },
    /// A loss at an offset of the file.
    Lost(u64, InputError),
    /// Cells of this row of the part, from 0, or of later rows need more memory. If the part is read on as it is, their loss follows.
    Large(u64),
}

impl TableItem {
    fn is_large(error: &InputError) -> bool {
        matches!(
            error,
            InputError::LargePage { .. } | InputError::TooLarge { .. }
        )
    }
}

/// Reads the rows of a part, some at a time.
pub(super) trait RowSource {
    /// The format.
    const PACKING: Packing;

    /// The number of the part's first row in the table, from 0.
    fn first_row(&self) -> u64;

    /// Reads the next rows. Returns `None` after the last ones.
    fn next_rows(&mut self) -> Option<NextRows>;
}

/// Rows of a part.
#[derive(Default)]
pub(super) struct NextRows {
    /// The number of the first one in the part.
    pub(super) row: u64,
    pub(super) rows: usize,
    /// The outermost columns; `None` for one that is lost.
    pub(super) arrays: Vec<Option<ArrayRef>>,
    pub(super) faults: Vec<LocatedError>,
    /// Bytes of the file that were read for them, and bytes that were unpacked.
    pub(super) read: u64,
    pub(super) unpacked: u64,
}

/// The texts of a part, as batches of cells.
pub(super) struct PartTexts<'f, S> {
    source: S,
    columns: &'f ReadColumns,
    /// Max bytes of the texts of a row.
    memory: usize,
    /// The row of the part that is passed on first.
    start: u64,
    /// The number of the first of the pending rows that were read together.
    row: u64,
    pending: PendingRows,
    /// The items to pass on next.
    items: VecDeque<TableItem>,
    /// Whether it was said that more memory is needed.
    is_large: bool,
    /// Bytes that were read, and that were unpacked, for the next batch; and bytes of texts that were counted as unpacked.
    read: u64,
    unpacked: u64,
    counted: u64,
}

impl<'f, S: RowSource> PartTexts<'f, S> {
    /// The texts of `source` from the row `start` of the part on.
    pub(super) fn new(source: S, columns: &'f ReadColumns, start: u64, memory: usize) -> Self {
        PartTexts {
            source,
            columns,
            memory,
            start,
            row: 0,
            pending: PendingRows::default(),
            items: VecDeque::new(),
            is_large: false,
            read: 0,
            unpacked: 0,
            counted: 0,
        }
    }

    fn begin(&mut self, next: NextRows) {
        // Losses before the start were reported.
        if next.row >= self.start {
            if next
                .faults
                .iter()
                .any(|(_, error)| TableItem::is_large(error))
            {
                self.report_large(next.row);
            }
            let faults = next.faults.into_iter();
            self.items
                .extend(faults.map(|(offset, error)| TableItem::Lost(offset, error)));
        }
        let before = self.start.saturating_sub(next.row);
        let before = usize::try_from(before).unwrap_or(usize::MAX).min(next.rows);
        self.row = next.row;
        self.read += next.read;
        self.unpacked += next.unpacked;
        self.pending = PendingRows {
            arrays: next.arrays,
            rows: before..next.rows,
        };
    }

    fn report_large(&mut self, row: u64) {
        if !std::mem::replace(&mut self.is_large, true) {
            self.items.push_back(TableItem::Large(row));
        }
    }

    /// Passes on the cells of some pending rows.
    fn add_cells(&mut self) {
        let row = self.row + self.pending.rows.start as u64;
        let first_row = self.source.first_row() + row;
        let Some((batch, listed)) = self
            .pending
            .take_cells(self.columns, first_row, self.memory)
        else {
            self.report_large(row);
            let error = InputError::TooLarge {
                packing: S::PACKING,
                limit: self.memory as u64,
            };
            return self.items.push_back(TableItem::Lost(0, error));
        };
        let unpacked = std::mem::take(&mut self.unpacked);
        self.counted += unpacked;
        let bytes = batch.bytes().len() as u64;
        let more = bytes.saturating_sub(self.counted);
        self.counted -= bytes - more;
        // Each cell costs a byte too, since empty ones take time, and few bytes state any number of them.
        let columns = self.columns.texts.len() as u64;
        let cost = unpacked + more + u64::from(batch.rows) * columns + listed;
        let read = std::mem::take(&mut self.read);
        self.items.push_back(TableItem::Batch { batch, cost, read });
    }
}

impl<S: RowSource> Iterator for PartTexts<'_, S> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        while self.items.is_empty() {
            if self.pending.rows.is_empty() {
                let next = self.source.next_rows()?;
                self.begin(next);
            } else {
                self.add_cells();
            }
        }
        self.items.pop_front()
    }
}
