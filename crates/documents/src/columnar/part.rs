//! The rows of a part of a table, which is a row group of Parquet or a record batch of Arrow.
//!
//! [`RowReader`] reads the cells of all columns in lockstep, some rows at a time. Only the format of a table knows how to read a column.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use super::cells::{CellBatch, CellBatchBuilder};
use super::path::ColumnPath;
use crate::column_choice::ColumnSelection;
use crate::fault::{InputError, LocatedError, Packing};

/// Rows of the first batch, and most rows of one.
const FIRST_BATCH_ROWS: u32 = 64;
const MAX_BATCH_ROWS: u32 = 8192;
/// Bytes of texts that a batch should have.
const BATCH_BYTES: u64 = 256 << 10;
/// Rows that cost as much as a byte.
const ROWS_PER_BYTE: u64 = 8;

/// A file of a table whose parts can be read independently of one another, on several threads.
pub(crate) trait ColumnarFile: Send + Sync + 'static {
    /// The format.
    const PACKING: Packing;
    /// The kind that a source without a column to read is skipped as.
    const WITHOUT_TEXT: &'static str;
    /// Buffers that one part leaves for the next.
    type Buffers: Default + Send;
    /// Reads a part.
    type Part<'f>: Iterator<Item = TableItem>
    where
        Self: 'f;

    /// Reads the metadata of a file of `length` bytes, of which `max` bytes may be held in memory. Also returns what is wrong
    /// with it and with the choice of columns.
    ///
    /// # Errors
    /// If the metadata is damaged, encrypted, too large or not supported, or cannot be read.
    fn open(
        file: File,
        length: u64,
        choice: &ColumnSelection,
        max: usize,
    ) -> Result<(Self, Vec<LocatedError>), InputError>
    where
        Self: Sized;

    /// The number of rows of the table.
    fn rows(&self) -> u64;

    /// The number of parts.
    fn part_count(&self) -> usize;

    /// Whether it has a column that is read.
    fn has_texts(&self) -> bool;

    /// Bytes that were read to open it.
    fn metadata_length(&self) -> u64;

    /// Reads a part with `memory` bytes for unpacking. Returns `None` after the last part.
    fn part(
        &self,
        from: PartStart,
        memory: usize,
        buffers: Self::Buffers,
    ) -> Option<Self::Part<'_>>;

    /// Ends a part, and returns its buffers.
    fn into_buffers(part: Self::Part<'_>) -> Self::Buffers;
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
    fn is_large(&self) -> bool {
        matches!(
            self,
            TableItem::Lost(
                _,
                InputError::LargePage { .. } | InputError::TooLarge { .. }
            )
        )
    }
}

/// Why cells of a column are lost.
#[derive(Debug)]
pub(super) enum ColumnFault {
    Io(std::io::Error),
    /// The data to unpack at the same time does not fit in memory.
    Large,
    Damaged(&'static str),
}

impl ColumnFault {
    /// The error for the column with this path. The part has these rows of the table, from 0, and `memory` bytes for pages.
    pub(super) fn into_error(
        self,
        path: &ColumnPath,
        rows: Range<u64>,
        memory: usize,
    ) -> InputError {
        let column = path.dotted().into();
        match self {
            ColumnFault::Io(error) => InputError::Io(error),
            ColumnFault::Large => InputError::LargePage {
                column,
                limit: memory as u64,
            },
            ColumnFault::Damaged(fault) => InputError::Column {
                column,
                first_row: rows.start + 1,
                last_row: rows.end,
                fault,
            },
        }
    }
}

/// A column of a part.
pub(super) trait CellColumn {
    /// Adds the cells of the rows `from` to `to` of the batch, or of fewer if there is no room for more. Returns the number of
    /// the row after the last.
    fn rows(&mut self, from: u32, to: u32, into: &mut CellBatchBuilder) -> u32;

    /// Reads the texts of the next rows, one each, and passes them to `each`; an empty one for null.
    fn each_text(&mut self, rows: u32, each: impl FnMut(&[u8]));

    /// Bytes that were read since this was last called.
    fn take_read(&mut self) -> u64;

    /// Bytes that were unpacked since this was last called, and work that costs as much, if that may be more than its texts.
    fn take_unpacked(&mut self) -> u64 {
        0
    }

    /// Takes the losses so far, with offsets in the file.
    fn take_faults(&mut self) -> Vec<(u64, ColumnFault)>;

    /// Reports if the column has more rows than its part, or fewer.
    fn check_end(&mut self);

    /// Whether all cells were read, or lost.
    fn has_ended(&self) -> bool;
}

/// Reads the rows of a part, some at a time.
pub(super) struct RowReader<C> {
    paths: Arc<[ColumnPath]>,
    /// The number of the first row in the table, from 0.
    first_row: u64,
    rows: u64,
    memory: usize,
    /// The columns with texts; `None` for one that cannot be read.
    columns: Vec<Option<C>>,
    /// The column that names rows, and its path.
    id: Option<(ColumnPath, C)>,
    /// The number of rows that each column has read ahead, which are in the builder.
    ahead: Vec<u32>,
    builder: CellBatchBuilder,
    /// The next row in the part.
    row: u64,
    /// Rows of the next batch.
    wanted: u32,
    /// The first row that is passed on.
    start: u64,
    /// Rows of the part that were passed on, or precede the start.
    passed: u64,
    /// The items to pass on next.
    items: VecDeque<TableItem>,
    /// Whether it was said that more memory is needed.
    is_large: bool,
}

impl<C: CellColumn> RowReader<C> {
    /// A part without columns, of which `rows` rows from `first_row` on are in the table. Those from `start` on are passed on.
    /// `memory` is named in errors.
    pub(super) fn new(
        paths: &Arc<[ColumnPath]>,
        first_row: u64,
        rows: u64,
        start: u64,
        memory: usize,
    ) -> Self {
        RowReader {
            paths: Arc::clone(paths),
            first_row,
            rows,
            memory,
            columns: Vec::new(),
            id: None,
            ahead: Vec::new(),
            builder: CellBatchBuilder::new(paths, first_row),
            row: 0,
            wanted: FIRST_BATCH_ROWS,
            start,
            passed: start,
            items: VecDeque::new(),
            is_large: false,
        }
    }

    /// Sets the columns, in the order of their paths. If none can be read, the part ends at once.
    pub(super) fn set_columns(&mut self, columns: Vec<Option<C>>) {
        if columns.iter().all(Option::is_none) {
            self.row = self.rows;
        }
        self.ahead = vec![0; columns.len()];
        self.columns = columns;
    }

    /// Sets the column that names rows.
    pub(super) fn set_id(&mut self, path: &ColumnPath, column: C) {
        self.id = Some((path.clone(), column));
    }

    /// Reports a loss.
    pub(super) fn report_loss(&mut self, offset: u64, error: InputError) {
        // Before the start no row after it is read, so the loss is known.
        if self.start > 0 && self.row <= self.start {
            return;
        }
        self.items.push_back(TableItem::Lost(offset, error));
    }

    /// Reports the loss of cells of the column with this path.
    pub(super) fn report_column_loss(
        &mut self,
        path: &ColumnPath,
        offset: u64,
        fault: ColumnFault,
    ) {
        let rows = self.first_row..self.first_row + self.rows;
        self.report_loss(offset, fault.into_error(path, rows, self.memory));
    }

    /// Ends the part, and returns its columns.
    pub(super) fn into_columns(self) -> impl Iterator<Item = C> {
        let id = self.id.map(|(_, id)| id);
        self.columns.into_iter().chain([id]).flatten()
    }

    /// Reads the next rows.
    fn batch(&mut self) -> TableItem {
        let left = self.rows - self.row;
        let mut done = u32::try_from(left).unwrap_or(u32::MAX).min(self.wanted);
        if self.row < self.start {
            let before = u32::try_from(self.start - self.row).unwrap_or(u32::MAX);
            done = done.min(before);
        }
        let (mut read, mut unpacked) = (0, 0);
        for (number, column) in self.columns.iter_mut().enumerate() {
            let Some(column) = column else { continue };
            let ahead = &mut self.ahead[number];
            self.builder.column(number as u16);
            if *ahead < done {
                *ahead = column.rows(*ahead, done, &mut self.builder);
                read += column.take_read();
                unpacked += column.take_unpacked();
            }
            done = done.min(*ahead);
        }
        if let Some((_, id)) = &mut self.id {
            id.each_text(done, |name| self.builder.name(name));
            read += id.take_read();
            unpacked += id.take_unpacked();
        }
        self.ahead
            .iter_mut()
            .for_each(|ahead| *ahead = ahead.saturating_sub(done));
        let first_row = self.first_row + self.row + u64::from(done);
        let empty = CellBatchBuilder::new(&self.paths, first_row);
        let (batch, bytes, later) = std::mem::replace(&mut self.builder, empty).finish(done);
        self.builder = later;
        self.row += u64::from(done);
        self.plan(done, batch.bytes().len() as u64);
        let cost = bytes.max(unpacked) + u64::from(done).div_ceil(ROWS_PER_BYTE);
        TableItem::Batch { batch, cost, read }
    }

    /// Sets how many rows the next batch has, by the size of the last one.
    fn plan(&mut self, rows: u32, bytes: u64) {
        let fitting = u64::from(rows).saturating_mul(BATCH_BYTES) / bytes.max(1);
        let max = u64::from(rows).saturating_mul(4).min(MAX_BATCH_ROWS.into());
        self.wanted = fitting.clamp(1, max.max(1)) as u32;
    }

    /// Collects what the columns have lost, and ends the part after its last row.
    fn adapt_batch_rows(&mut self) {
        let has_ended = self.row == self.rows;
        let paths = Arc::clone(&self.paths);
        let texts = self.columns.iter_mut().zip(paths.iter());
        let texts = texts.filter_map(|(column, path)| Some((path, column.as_mut()?)));
        let ids = self.id.iter_mut().map(|(path, id)| (&*path, id));
        let mut lost = Vec::new();
        let mut goes_on = false;
        for (path, column) in texts.chain(ids) {
            if has_ended {
                column.check_end();
            }
            let faults = column.take_faults().into_iter();
            lost.extend(faults.map(|fault| (path.clone(), fault)));
            goes_on |= !column.has_ended();
        }
        for (path, (offset, fault)) in lost {
            self.report_column_loss(&path, offset, fault);
        }
        if !goes_on {
            self.row = self.rows;
        }
    }
}

impl<C: CellColumn> Iterator for RowReader<C> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        while self.items.is_empty() && self.row < self.rows {
            self.passed = self.row;
            let batch = self.batch();
            if self.passed >= self.start {
                self.items.push_back(batch);
            }
            self.adapt_batch_rows();
        }
        if !self.is_large && self.items.iter().any(TableItem::is_large) {
            self.is_large = true;
            return Some(TableItem::Large(self.passed));
        }
        self.items.pop_front()
    }
}
