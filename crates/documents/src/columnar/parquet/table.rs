//! Columns of a file whose values are all needed: read row by row, and the first damage ends the reading.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use parquet::basic::ConvertedType;
use parquet::schema::types::ColumnDescriptor;

use super::file::{Projection, StoredTable, file_error};
use super::group::GroupColumns;
use crate::columnar::items::{self, LeafItems};
use crate::columnar::leaf::TableLeaf;
use crate::fault::{InputError, LocatedError, Packing};
use crate::guard::guard;
use crate::read::ReadAt;

/// Bytes that the pages of all columns may take at the same time.
const MAX_PAGES_BYTES: usize = 1 << 28;

/// A file whose rows are read in order. Holds its metadata, and a batch of rows.
pub struct ParquetTable {
    stored: StoredTable,
    /// The columns that are read.
    projection: Option<Projection>,
    chosen: Vec<TableLeaf>,
    /// The current row group, and the number of the next one.
    group: Option<GroupColumns>,
    next: usize,
    /// The outermost columns of the current batch, its rows, and the number of the current row in it, from 1.
    arrays: Vec<ArrayRef>,
    rows: usize,
    row: usize,
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
pub struct TableColumn<'t> {
    leaf: &'t TableLeaf,
    column: &'t ColumnDescriptor,
}

impl TableColumn<'_> {
    /// The name of the column, or of the outermost one that it is in.
    pub fn name(&self) -> &str {
        self.leaf.name.path.outermost_name()
    }

    /// Returns the type of its value in a row.
    pub fn kind(&self) -> ColumnType {
        let path = &self.leaf.name.path;
        match (path.list_count(), &self.leaf.kind) {
            (1, DataType::BinaryView) if self.leaf.is_text => ColumnType::Texts,
            _ if path.is_nested() => ColumnType::Other,
            (0, DataType::BinaryView) if self.leaf.is_text => ColumnType::Text,
            (0, kind) if kind.is_integer() => ColumnType::Integer,
            (0, DataType::Float64) => ColumnType::Float,
            (0, DataType::Boolean) => ColumnType::Flag,
            (0, DataType::Null) => ColumnType::Null,
            _ => ColumnType::Other,
        }
    }

    /// Its type as the schema has it, for messages.
    pub fn description(&self) -> String {
        let path = &self.leaf.name.path;
        let outer = match (path.list_count(), path.is_nested()) {
            (1.., _) => "a list of ",
            (0, true) => "a group with ",
            (0, false) => "",
        };
        let physical = self.column.physical_type();
        match (self.column.converted_type(), self.column.logical_type_ref()) {
            (ConvertedType::NONE, None) => format!("{outer}{physical}"),
            (ConvertedType::NONE, Some(kind)) => format!("{outer}{physical} ({kind:?})"),
            (kind, _) => format!("{outer}{physical} ({kind})"),
        }
    }
}

impl ParquetTable {
    /// Opens a file of `length` bytes.
    ///
    /// # Errors
    /// If its metadata is damaged, contradicts itself or is encrypted, or cannot be read.
    pub fn open(file: Arc<dyn ReadAt>, length: u64) -> Result<Self, LocatedError> {
        let opened = guard(Packing::Parquet, || {
            StoredTable::open(file, length, usize::MAX)
        });
        let (stored, faults) = opened
            .and_then(|opened| opened)
            .map_err(|error| (0, error))?;
        match faults.into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(ParquetTable {
                stored,
                projection: None,
                chosen: Vec::new(),
                group: None,
                next: 0,
                arrays: Vec::new(),
                rows: 0,
                row: 0,
            }),
        }
    }

    /// All columns, in the order of their numbers.
    pub fn columns(&self) -> impl Iterator<Item = TableColumn<'_>> {
        let stored = self.stored.metadata.file_metadata().schema_descr();
        let columns = self.stored.schema.leaves.iter().zip(stored.columns());
        columns.map(|(leaf, column)| TableColumn { leaf, column })
    }

    /// The name of the program that wrote it.
    pub fn writer(&self) -> Option<&str> {
        self.stored.metadata.file_metadata().created_by()
    }

    /// The value that the program that wrote it added under this key.
    pub fn entry(&self, key: &str) -> Option<&str> {
        let entries = self.stored.metadata.file_metadata().key_value_metadata()?;
        entries
            .iter()
            .find(|entry| entry.key == key)?
            .value
            .as_deref()
    }

    /// The metadata as it is in the file, and its offset.
    pub fn metadata(&self) -> (&[u8], u64) {
        (&self.stored.footer, self.stored.footer_start())
    }

    /// Sets the columns that are read, by their numbers.
    ///
    /// # Errors
    /// If they cannot be read together.
    pub fn choose(&mut self, columns: &[usize]) -> Result<(), LocatedError> {
        let projection = guard(Packing::Parquet, || {
            Projection::new(&self.stored.schema, columns)
        });
        let projection = projection.map_err(|error| (0, error))?;
        let projection = projection.map_err(|_| (0, file_error("has damaged metadata")))?;
        let leaves = columns
            .iter()
            .filter_map(|&at| self.stored.schema.leaves.get(at));
        self.chosen = leaves.map(|leaf| projection.leaf(leaf.clone())).collect();
        self.projection = Some(projection);
        Ok(())
    }

    /// Moves to the next row; false at the end.
    ///
    /// # Errors
    /// If rows are damaged. It must not be used any more.
    pub fn advance(&mut self) -> Result<bool, LocatedError> {
        while self.row == self.rows {
            if !guard(Packing::Parquet, || self.read_rows()).map_err(|error| (0, error))?? {
                return Ok(false);
            }
        }
        self.row += 1;
        Ok(true)
    }

    /// Reads the next batch, or opens the next row group. Returns false at the end.
    fn read_rows(&mut self) -> Result<bool, LocatedError> {
        (self.rows, self.row) = (0, 0);
        let Some(group) = &mut self.group else {
            let (Some(projection), true) = (
                &self.projection,
                self.next < self.stored.metadata.num_row_groups(),
            ) else {
                return Ok(false);
            };
            let (group, faults) =
                GroupColumns::open(&self.stored, self.next, projection, MAX_PAGES_BYTES);
            self.next += 1;
            self.group = Some(group);
            return faults
                .into_iter()
                .next()
                .map_or(Ok(true), |fault| Err(needs_less(fault)));
        };
        let (arrays, rows, faults) = group.next();
        if let Some(fault) = faults.into_iter().next() {
            return Err(needs_less(fault));
        }
        if rows == 0 {
            self.group = None;
        }
        self.arrays = arrays.into_iter().flatten().collect();
        self.rows = rows;
        Ok(true)
    }
}

/// The error for a column that needs too much memory here, where no option allows more.
fn needs_less((offset, error): LocatedError) -> LocatedError {
    let fault = match error {
        InputError::LargePage { column, .. } => InputError::Column {
            column,
            first_row: 1,
            last_row: 1,
            fault: "its pages need more than 256 MiB of memory at the same time".into(),
        },
        error => error,
    };
    (offset, fault)
}

/// The values of the current row. A column is named by its place among the chosen ones.
impl ParquetTable {
    /// Returns a text; `None` for null.
    pub fn text(&self, column: usize) -> Option<&[u8]> {
        let items = self.items(column)?;
        items.item(self.row - 1).map(|item| items.text(item))
    }

    /// Returns an integer; `None` for null.
    pub fn integer(&self, column: usize) -> Option<i128> {
        let (values, item) = self.value(column)?;
        items::integer(values, item)
    }

    /// Returns a number with a binary point; `None` for null.
    pub fn float(&self, column: usize) -> Option<f64> {
        let (values, item) = self.value(column)?;
        Some(values.as_primitive_opt::<Float64Type>()?.value(item))
    }

    /// Returns a boolean; `None` for null.
    pub fn flag(&self, column: usize) -> Option<bool> {
        let (values, item) = self.value(column)?;
        Some(values.as_boolean_opt()?.value(item))
    }

    /// Returns texts.
    pub fn texts(&self, column: usize) -> Vec<&[u8]> {
        let Some(items) = self.items(column) else {
            return Vec::new();
        };
        let all = items.items(self.row - 1).into_iter();
        all.map(|item| items.text(item)).collect()
    }

    fn value(&self, column: usize) -> Option<(&dyn Array, usize)> {
        let items = self.items(column)?;
        Some((items.values(), items.item(self.row - 1)?))
    }

    fn items(&self, column: usize) -> Option<LeafItems<'_>> {
        let (root, steps) = self.chosen.get(column)?.steps.split_first()?;
        Some(LeafItems::open(self.arrays.get(*root)?, steps))
    }
}
