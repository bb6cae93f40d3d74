//! What the rows of a file are, by its columns. No row is read.

use std::io::{Read, Seek};

use doisift_documents::ReadAt;

use super::fault::ReadError;
use super::field::{Field, RowKind, kind_of};
use super::reader::column_names;

/// The kind of the rows of a file or folder, and their columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileColumns {
    pub(crate) rows: RowKind,
    /// The names of the fields of a row, in order.
    pub(crate) fields: Vec<String>,
    /// The names of the columns after these, which hold fields of records in the documents.
    pub(crate) record_fields: Vec<String>,
}

impl FileColumns {
    /// Those of the file `raw`. None if it has no columns, or if these are those of no rows.
    ///
    /// # Errors
    /// If it cannot be read, or its start shows that it is no file of rows.
    pub(crate) fn of_file(
        raw: impl Read + Seek + ReadAt + 'static,
    ) -> Result<Option<Self>, ReadError> {
        let names = column_names(raw)?;
        let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(kind_of(&borrowed).map(|rows| FileColumns::new(rows, names)))
    }

    /// Rows with columns of these names.
    pub(in crate::records) fn new(rows: RowKind, names: Vec<String>) -> Self {
        let is_field = |name: &String| rows.all_fields().any(|field| field.name() == *name);
        let (fields, record_fields) = names.into_iter().partition(is_field);
        FileColumns {
            rows,
            fields,
            record_fields,
        }
    }

    /// Whether there is a column for `field`.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.names().any(|name| name == field.name())
    }

    /// The first column of `other` that these lack.
    pub(crate) fn lacks_of<'o>(&self, other: &'o FileColumns) -> Option<&'o str> {
        other
            .names()
            .find(|name| !self.names().any(|own| own == *name))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let fields = self.fields.iter();
        fields.chain(&self.record_fields).map(String::as_str)
    }
}
