//! Apache Parquet: columns in row groups, packed with zstd, with statistics and, for records, the order they are sorted in.
//!
//! Any thread may collect rows as columns in blocks. The blocks are written to the file one row group at a time by the crate
//! `parquet`. Records are read row by row by `ParquetTable` of `doisift-documents`. This module has the schemas.

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
use std::sync::Arc;

use ::parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::schema::parser::parse_message_type;
use ::parquet::schema::types::Type;

use super::field::{Field, FieldKind};
use super::layout::Layout;
use doisift_structure::RecordType;

pub(super) use columns::RowColumns;
pub(super) use read::{ParquetReader, columns};
pub(super) use write::Parquet;

/// Returns the schema of an output.
fn schema_of(layout: &Layout) -> Result<Type> {
    let message = layout.rows.one();
    let columns: String = layout.fields.iter().copied().map(column).collect();
    let fields = parse_message_type(&format!("message {message} {{ {columns}}}"))?;
    // Names of these columns may have any character, which the schema language does not support.
    let of_records = layout.record_fields.iter().map(|column| {
        let (physical, logical) = match column.kind {
            RecordType::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            RecordType::Int => (PhysicalType::INT64, None),
            RecordType::Float => (PhysicalType::DOUBLE, None),
            RecordType::Bool => (PhysicalType::BOOLEAN, None),
        };
        let column = Type::primitive_type_builder(&column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        column.build().map(Arc::new)
    });
    let mut columns = fields.get_fields().to_vec();
    columns.extend(of_records.collect::<Result<Vec<_>>>()?);
    Type::group_type_builder(message)
        .with_fields(columns)
        .build()
}

/// Returns the column of a field in Parquet's schema language.
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

/// Returns the I/O error inside `error`, or else `error` as an I/O error.
fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
