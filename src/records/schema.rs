//! The fields of each kind of rows, for a JSON Schema.

use super::field::{FieldKind, RowKind};

/// A kind of rows, with all fields that its rows can have.
pub struct RowSchema {
    /// The word for several rows.
    pub rows: &'static str,
    /// Fields in the order of rows, and then those that rows have only if they are chosen.
    pub fields: Vec<FieldSchema>,
}

/// A field of rows.
pub struct FieldSchema {
    /// Its name in every format.
    pub name: &'static str,
    /// The types of its values in JSON. An array is one of texts.
    pub types: &'static [&'static str],
}

/// Returns all kinds of rows.
pub fn row_schemas() -> Vec<RowSchema> {
    let schema = |rows: RowKind| RowSchema {
        rows: rows.name(),
        fields: rows
            .all_fields()
            .map(|field| FieldSchema {
                name: field.name(),
                types: field.kind().json_types(),
            })
            .collect(),
    };
    RowKind::ALL.into_iter().map(schema).collect()
}

impl FieldKind {
    fn json_types(self) -> &'static [&'static str] {
        match self {
            FieldKind::Text => &["string"],
            FieldKind::TextOrNull => &["string", "null"],
            FieldKind::Number => &["integer"],
            FieldKind::NumberOrNull => &["integer", "null"],
            FieldKind::Forms => &["array"],
            FieldKind::Flag => &["boolean"],
            FieldKind::FlagOrNull => &["boolean", "null"],
        }
    }
}
