//! Apache Parquet: columns in row groups, packed with zstd, with statistics and, for records, the order they are sorted in.
//!
//! Any thread may collect rows as columns in blocks. The blocks are written to the file one row group at a time by the crate
//! `parquet`. Records are read row by row by the reader of `input`, which sources have too. This module has the schemas.

mod ahead;
mod columns;
mod encode;
mod read;
mod schema;
mod seal;
#[cfg(test)]
mod tests;
mod write;

use std::io;

use ::parquet::errors::ParquetError;

use super::field::{Field, FieldKind};
use super::layout::Layout;

pub(super) use columns::RowColumns;
pub(super) use read::ParquetReader;
pub(super) use write::Parquet;

/// The schema of an output, in the language of Parquet.
fn schema_of(layout: &Layout) -> String {
    let message = layout.rows.one();
    let columns: String = layout.fields.iter().copied().map(column).collect();
    format!("message {message} {{ {columns}}}")
}

/// The column of a field, in the language of Parquet.
fn column(field: Field) -> String {
    let name = field.name();
    match field.kind() {
        FieldKind::Text => format!("required binary {name} (STRING); "),
        FieldKind::TextOrNull => format!("optional binary {name} (STRING); "),
        FieldKind::Number => format!("required int64 {name}; "),
        FieldKind::NumberOrNull => format!("optional int64 {name}; "),
        FieldKind::Flag => format!("required boolean {name}; "),
        FieldKind::FlagOrNull => format!("optional boolean {name}; "),
        FieldKind::Forms => format!(
            "required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }} "
        ),
    }
}

/// The I/O error inside `error`, if there is one, otherwise `error` as an I/O error.
fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
