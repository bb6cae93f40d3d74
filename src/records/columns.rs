//! The columns of a file of rows, and the kind of rows that they show.

use super::field::{Field, RowKind};
use doisift_structure::{RecordColumn, RecordType};

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
