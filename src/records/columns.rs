//! Recognises the kind of rows in a file by its columns, without reading rows.

use std::io::{Read, Seek};

use doisift_documents::ReadAt;

use super::fault::ReadError;
use super::field::{Field, RowKind, kind_of};
use super::reader::file_columns;
use crate::structure::{RecordColumn, RecordType};

/// The kind of the rows of a file or folder, and their columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileColumns {
    pub(crate) rows: RowKind,
    /// The names of the fields of a row, in order.
    pub(crate) fields: Vec<String>,
    /// The columns after the fields, with fields of records in the documents.
    record_fields: Vec<FoundColumn>,
}

/// A column of a file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::records) struct FoundColumn {
    pub(in crate::records) name: String,
    /// The type of its values. `None` if the file does not show it: in CSV, or if all values are null in JSON Lines.
    pub(in crate::records) kind: Option<RecordType>,
}

impl FileColumns {
    /// Reads the columns of the file `raw`. Returns `None` if it has no columns, or they are not those of any kind of rows.
    ///
    /// # Errors
    /// If it cannot be read, or its start shows that it is not a file of rows.
    pub(crate) fn of_file(
        raw: impl Read + Seek + ReadAt + 'static,
    ) -> Result<Option<Self>, ReadError> {
        let columns = file_columns(raw)?;
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        Ok(kind_of(&names).map(|rows| FileColumns::new(rows, columns)))
    }

    /// Creates it for rows with these columns.
    pub(in crate::records) fn new(rows: RowKind, columns: Vec<FoundColumn>) -> Self {
        let is_field =
            |column: &FoundColumn| rows.all_fields().any(|field| field.name() == column.name);
        let (fields, record_fields): (Vec<_>, Vec<_>) = columns.into_iter().partition(is_field);
        FileColumns {
            rows,
            fields: fields.into_iter().map(|column| column.name).collect(),
            record_fields,
        }
    }

    /// Returns the columns with fields of records. Those of unknown type are texts.
    pub(crate) fn record_columns(&self) -> impl Iterator<Item = RecordColumn> {
        let columns = self.record_fields.iter();
        columns.map(|column| RecordColumn::new(&column.name, column.kind.unwrap_or_default()))
    }

    /// Takes over types that only `other` knows. Returns the first column that has another type there.
    pub(crate) fn take_types<'o>(&mut self, other: &'o FileColumns) -> Option<&'o str> {
        for column in &other.record_fields {
            let mut own = self.record_fields.iter_mut();
            let own = own.find(|own| own.name == column.name);
            if let (Some(own), Some(kind)) = (own, column.kind)
                && *own.kind.get_or_insert(kind) != kind
            {
                return Some(&column.name);
            }
        }
        None
    }

    /// Whether there is a column for `field`.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.names().any(|name| name == field.name())
    }

    /// Returns the first column of `other` that is missing here.
    pub(crate) fn lacks_of<'o>(&self, other: &'o FileColumns) -> Option<&'o str> {
        other
            .names()
            .find(|name| !self.names().any(|own| own == *name))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let fields = self.fields.iter().map(String::as_str);
        fields.chain(self.record_fields.iter().map(|column| &*column.name))
    }
}
