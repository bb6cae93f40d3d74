//! Finds the columns of a row's fields in a file, and how they store values.

use ::parquet::basic::{ConvertedType, LogicalType, Type};
use ::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::records::fault::RecordFault;
use crate::records::field::{Field, FieldKind, RowKind, kind_of};

/// The column of a field.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) field: Field,
    pub(super) at: usize,
    pub(super) stored: Stored,
}

/// How a column stores its values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    Text,
    Texts,
    Number {
        bits: u8,
        signed: bool,
    },
    Flag,
    /// Only nulls, of any type.
    Nulls,
}

/// Whether values of this kind can be read from a column.
fn takes(kind: FieldKind, stored: Stored) -> bool {
    match kind {
        FieldKind::Text => stored == Stored::Text,
        FieldKind::TextOrNull => matches!(stored, Stored::Text | Stored::Nulls),
        FieldKind::Number => matches!(stored, Stored::Number { .. }),
        FieldKind::NumberOrNull => matches!(stored, Stored::Number { .. } | Stored::Nulls),
        FieldKind::Forms => matches!(stored, Stored::Text | Stored::Texts),
        FieldKind::Flag => stored == Stored::Flag,
    }
}

/// What a column for values of this kind must be, for messages.
fn wanted(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text | FieldKind::TextOrNull => "a string",
        FieldKind::Number | FieldKind::NumberOrNull => {
            "an integer of 32 or 64 bits, best INT64 (in SQL: bigint)"
        }
        FieldKind::Forms => "a list of strings, or a string of forms joined with |",
        FieldKind::Flag => "a boolean",
    }
}

/// The column of each field of rows of this kind.
pub(super) fn columns(
    schema: &SchemaDescriptor,
    rows: RowKind,
) -> Result<Vec<Column>, RecordFault> {
    let column = |&field: &Field| {
        let at = position(schema, field.name()).ok_or_else(|| missing(schema, rows, field))?;
        let found = &schema.columns()[at];
        let stored = stored(found).filter(|&stored| takes(field.kind(), stored));
        let stored = stored.ok_or_else(|| RecordFault::Column {
            field: field.name(),
            found: description(found).into(),
            wanted: wanted(field.kind()),
        })?;
        Ok(Column { field, at, stored })
    };
    rows.fields().iter().map(column).collect()
}

fn position(schema: &SchemaDescriptor, field: &str) -> Option<usize> {
    let mut all = schema.columns().iter();
    all.position(|column| column.path().parts().first().is_some_and(|n| n == field))
}

/// The error for a file without a column for `field`.
fn missing(schema: &SchemaDescriptor, wanted: RowKind, field: Field) -> RecordFault {
    let columns = schema.columns().iter();
    let names = columns.filter_map(|column| column.path().parts().first());
    let names: Vec<&str> = names.map(String::as_str).collect();
    let mut mention = RowKind::Mentions.fields().iter();
    let all = mention.all(|field| position(schema, field.name()).is_some());
    let kind = all.then_some(RowKind::Mentions);
    match kind.or_else(|| kind_of(&names)) {
        Some(found) => RecordFault::Kind(found),
        None => RecordFault::Missing {
            wanted,
            field: field.name(),
        },
    }
}

/// How a column stores values; none if no field may have such a column.
fn stored(column: &ColumnDescriptor) -> Option<Stored> {
    let (logical, converted) = (column.logical_type_ref(), column.converted_type());
    let of = match (logical, converted, column.physical_type()) {
        (Some(LogicalType::Unknown), ..) => Stored::Nulls,
        (
            None | Some(LogicalType::String | LogicalType::Enum),
            ConvertedType::NONE | ConvertedType::UTF8 | ConvertedType::ENUM,
            Type::BYTE_ARRAY,
        ) => Stored::Text,
        (None, ConvertedType::NONE, Type::BOOLEAN) => Stored::Flag,
        (logical, converted, Type::INT32) => number(32, logical, converted)?,
        (logical, converted, Type::INT64) => number(64, logical, converted)?,
        _ => return None,
    };
    // The names of the levels of a list differ between writers.
    match (column.max_rep_level(), column.path().parts().len(), of) {
        (0, 1, of) => Some(of),
        (1, 1..=3, Stored::Text) => Some(Stored::Texts),
        _ => None,
    }
}

fn number(bits: u8, logical: Option<&LogicalType>, converted: ConvertedType) -> Option<Stored> {
    use ConvertedType::*;
    let signed = match (logical, converted) {
        (Some(LogicalType::Integer(int)), _) => int.is_signed,
        (None, NONE | INT_8 | INT_16 | INT_32 | INT_64) => true,
        (None, UINT_8 | UINT_16 | UINT_32 | UINT_64) => false,
        _ => return None,
    };
    Some(Stored::Number { bits, signed })
}

/// The type of a column, for messages.
fn description(column: &ColumnDescriptor) -> String {
    let list = if column.max_rep_level() > 0 {
        "a list of "
    } else {
        ""
    };
    let part = if column.path().parts().len() > 1 && list.is_empty() {
        "a group with "
    } else {
        ""
    };
    let physical = column.physical_type();
    let logical = match (column.logical_type_ref(), column.converted_type()) {
        (_, converted) if converted != ConvertedType::NONE => format!(" ({converted})"),
        (Some(logical), _) => format!(" ({logical:?})"),
        (None, _) => String::new(),
    };
    format!("{list}{part}{physical}{logical}")
}
