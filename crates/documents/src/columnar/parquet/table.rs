//! Columns of a file whose values are all needed: read row by row, and the first damage ends the reading.

use std::sync::Arc;

use super::column::{ColumnBuffers, ColumnReader};
use super::file::{StoredColumns, file_error};
use super::footer;
use super::group::ColumnOpener;
use super::schema::{LeafKind, ParquetLeaf};
use crate::columnar::part::{CellColumn, ColumnFault};
use crate::fault::LocatedError;
use crate::file::ReadAt;

/// Bytes that the pages of all columns may take at the same time.
const MAX_PAGES_BYTES: usize = 1 << 28;
/// Bytes of a read of a column, unless a page is larger. Many files are read at the same time.
const READ_BYTES: usize = 32 << 10;

/// A file whose rows are read in order. Holds its metadata, and a page and the dictionary of each column.
pub struct ParquetTable {
    stored: StoredColumns,
    leaves: Vec<ParquetLeaf>,
    /// The numbers of the columns that are read.
    chosen: Vec<usize>,
    /// Their readers in the current row group.
    columns: Vec<ColumnReader>,
    /// The number of the next row group.
    next: usize,
    /// Rows of the current one that are not read.
    left: u64,
}

/// The type of the value that a column has in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A text, or null.
    Text,
    /// Texts.
    Texts,
    /// An integer, or null.
    Integer,
    /// A number of 64 bits with a binary point, or null.
    Float,
    /// A boolean, or null.
    Flag,
    /// Null in all rows.
    Null,
    /// Values that are not read.
    Other,
}

/// A column of the schema.
pub struct TableColumn<'t>(&'t ParquetLeaf);

impl TableColumn<'_> {
    /// The name of the column, or of the outermost one that it is in.
    pub fn name(&self) -> &str {
        self.0.name.path.outermost_name()
    }

    /// Returns the type of its value in a row.
    pub fn kind(&self) -> ColumnType {
        let is_nested = self.0.name.path.is_nested();
        match (self.0.repetition, self.0.kind) {
            (1, LeafKind::Text) => ColumnType::Texts,
            (0, LeafKind::Text) if !is_nested => ColumnType::Text,
            (0, LeafKind::Integer { .. }) if !is_nested => ColumnType::Integer,
            (0, LeafKind::Float) if !is_nested => ColumnType::Float,
            (0, LeafKind::Flag) if !is_nested => ColumnType::Flag,
            (0, LeafKind::Null) if !is_nested => ColumnType::Null,
            _ => ColumnType::Other,
        }
    }

    /// Its type as the schema has it, for messages.
    pub fn description(&self) -> String {
        let outer = match (self.0.repetition, self.0.name.path.is_nested()) {
            (1.., _) => "a list of ",
            (0, true) => "a group with ",
            (0, false) => "",
        };
        format!("{outer}{}", self.0.type_name())
    }
}

impl ParquetTable {
    /// Opens a file of `length` bytes.
    ///
    /// # Errors
    /// If its metadata is damaged, contradicts itself or is encrypted, or cannot be read.
    pub fn open(file: Arc<dyn ReadAt>, length: u64) -> Result<Self, LocatedError> {
        let opened = StoredColumns::open(file, length, usize::MAX).map_err(|error| (0, error))?;
        let (stored, leaves, faults) = opened;
        match faults.into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(ParquetTable {
                stored,
                leaves,
                chosen: Vec::new(),
                columns: Vec::new(),
                next: 0,
                left: 0,
            }),
        }
    }

    /// All columns, in the order of their numbers.
    pub fn columns(&self) -> impl Iterator<Item = TableColumn<'_>> {
        self.leaves.iter().map(TableColumn)
    }

    /// The name of the program that wrote it.
    pub fn writer(&self) -> Option<&str> {
        footer::writer(&self.stored.footer)
    }

    /// The value that the program that wrote it added under this key.
    pub fn entry(&self, key: &str) -> Option<&str> {
        footer::entry(&self.stored.footer, key)
    }

    /// The metadata as it is in the file, and its offset.
    pub fn metadata(&self) -> (&[u8], u64) {
        (&self.stored.footer, self.stored.footer_start())
    }

    /// Sets the columns that are read, by their numbers.
    pub fn choose(&mut self, columns: Vec<usize>) {
        self.chosen = columns;
    }

    /// Moves to the next row; false at the end. Each of the chosen columns must then be read once.
    pub fn advance(&mut self) -> Result<bool, LocatedError> {
        while self.left == 0 {
            self.check_end()?;
            if self.next == self.stored.groups.len() {
                return Ok(false);
            }
            self.open_group()?;
        }
        self.left -= 1;
        Ok(true)
    }

    /// Opens the columns of the next row group.
    fn open_group(&mut self) -> Result<(), LocatedError> {
        let group = self.stored.groups[self.next];
        self.next += 1;
        self.left = group.rows;
        let old = self.columns.drain(..).rev();
        let mut buffers: Vec<ColumnBuffers> = old.map(ColumnReader::into_buffers).collect();
        let chosen = self.chosen.iter();
        let leaves: Vec<&ParquetLeaf> = chosen.filter_map(|&at| self.leaves.get(at)).collect();
        let opener = ColumnOpener::new(&self.stored, MAX_PAGES_BYTES, READ_BYTES);
        let opened = opener.open(group, &leaves, &mut buffers);
        let damaged = || (0, file_error("has damaged metadata of a row group"));
        for (at, column) in opened.ok_or_else(damaged)?.into_iter().enumerate() {
            let column = column.map_err(|fault| self.fault_of(at, fault))?;
            self.columns.push(column);
        }
        Ok(())
    }

    /// Checks that the columns end with their row group.
    fn check_end(&mut self) -> Result<(), LocatedError> {
        for at in 0..self.columns.len() {
            self.columns[at].check_end();
            self.check(at)?;
        }
        Ok(())
    }
}

/// The values of the current row. A column is named by its place among the chosen ones.
impl ParquetTable {
    /// Returns a text; `None` for null.
    pub fn text(&mut self, column: usize) -> Result<Option<&[u8]>, LocatedError> {
        Ok(self.value(column)?.map(ColumnReader::value_bytes))
    }

    /// Returns an integer; `None` for null.
    pub fn integer(&mut self, column: usize) -> Result<Option<i128>, LocatedError> {
        Ok(self.value(column)?.and_then(ColumnReader::integer))
    }

    /// Returns a number with a binary point; `None` for null.
    pub fn float(&mut self, column: usize) -> Result<Option<f64>, LocatedError> {
        Ok(self.value(column)?.and_then(ColumnReader::float))
    }

    /// Returns a boolean; `None` for null.
    pub fn flag(&mut self, column: usize) -> Result<Option<bool>, LocatedError> {
        Ok(self.value(column)?.and_then(ColumnReader::flag))
    }

    /// Passes texts to `each`.
    pub fn texts(&mut self, column: usize, each: impl FnMut(&[u8])) -> Result<(), LocatedError> {
        self.columns[column].list_row(each);
        self.check(column)
    }

    /// Returns the column, which has read its value; `None` for null.
    #[inline]
    fn value(&mut self, column: usize) -> Result<Option<&ColumnReader>, LocatedError> {
        let has_value = self.columns[column].flat_row();
        self.check(column)?;
        Ok(has_value.then_some(&self.columns[column]))
    }

    /// Returns the first fault of a column.
    #[inline]
    fn check(&mut self, column: usize) -> Result<(), LocatedError> {
        match self.columns[column].first_fault() {
            Some(fault) => Err(self.fault_of(column, fault)),
            None => Ok(()),
        }
    }

    #[cold]
    fn fault_of(&self, column: usize, (offset, fault): (u64, ColumnFault)) -> LocatedError {
        const TOO_LARGE: &str = "its pages need more than 256 MiB of memory at the same time";
        let leaf = &self.leaves[self.chosen[column]];
        let group = self.stored.groups[self.next - 1];
        let fault = match fault {
            ColumnFault::Large => ColumnFault::Damaged(TOO_LARGE),
            fault => fault,
        };
        let rows = group.first_row..group.first_row + group.rows;
        (
            offset,
            fault.into_error(&leaf.name.path, rows, MAX_PAGES_BYTES),
        )
    }
}
