//! Finds the columns of a row's fields in a file, and their types.

use crate::records::fault::RecordFault;
use crate::records::field::{Field, FieldKind, RowKind, kind_of};
use doisift_documents::{ColumnType, ParquetTable, TableColumn};
use doisift_structure::{RecordColumn, RecordType};

/// The column of a field.
pub(super) struct FieldColumn {
    pub(super) field: Field,
    /// Its number among the columns that are read. `None` if all values are null.
    pub(super) at: Option<usize>,
    /// Whether it has several values in a row.
    pub(super) is_list: bool,
}

/// A column with a field of records in the documents.
pub(super) struct StoredRecordColumn {
    pub(super) column: RecordColumn,
    /// Its number among the columns that are read. `None` if all values are null.
    pub(super) at: Option<usize>,
}

/// Whether values of this kind can be read from a column.
fn takes(kind: FieldKind, stored: ColumnType) -> bool {
    match kind {
        FieldKind::Text => stored == ColumnType::Text,
        FieldKind::TextOrNull => matches!(stored, ColumnType::Text | ColumnType::Null),
        FieldKind::Number => stored == ColumnType::Integer,
        FieldKind::NumberOrNull => matches!(stored, ColumnType::Integer | ColumnType::Null),
        FieldKind::Forms => matches!(stored, ColumnType::Text | ColumnType::Texts),
        FieldKind::Flag => stored == ColumnType::Flag,
        FieldKind::FlagOrNull => matches!(stored, ColumnType::Flag | ColumnType::Null),
    }
}

/// Returns the description of a column for values of this kind, for messages.
fn wanted(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text | FieldKind::TextOrNull => "a string",
        FieldKind::Number | FieldKind::NumberOrNull => {
            "an integer of 32 or 64 bits, best INT64 (in SQL: bigint)"
        }
        FieldKind::Forms => "a list of strings, or a string of forms joined with |",
        FieldKind::Flag | FieldKind::FlagOrNull => "a boolean",
    }
}

/// Returns the columns of those fields of rows of this kind for which `is_read` is true, and their numbers in the file.
pub(super) fn columns(
    table: &ParquetTable,
    rows: RowKind,
    mut is_read: impl FnMut(Field) -> bool,
) -> Result<(Vec<FieldColumn>, Vec<usize>), RecordFault> {
    let all: Vec<TableColumn<'_>> = table.columns().collect();
    let mut numbers = Vec::new();
    let place = |field: Field| all.iter().position(|column| column.name() == field.name());
    if let Some(field) = rows.missing(|field| place(field).is_some()) {
        return Err(missing(&all, rows, field));
    }
    let fields = rows.all_fields().filter(|&field| is_read(field));
    let fields = fields.filter_map(|field| Some((field, place(field)?)));
    let column = |(field, number): (Field, usize)| {
        let stored = all[number].kind();
        if !takes(field.kind(), stored) {
            return Err(RecordFault::Column {
                field: field.name(),
                found: all[number].description().into(),
                wanted: wanted(field.kind()),
            });
        }
        let at = (stored != ColumnType::Null).then_some(numbers.len());
        numbers.extend(at.map(|_| number));
        Ok(FieldColumn {
            field,
            at,
            is_list: stored == ColumnType::Texts,
        })
    };
    let columns = fields.map(column).collect::<Result<_, _>>()?;
    Ok((columns, numbers))
}

/// Returns the type of the values of a column, or `None` if all are null or of a type that no field of records has.
pub(super) fn record_type(stored: ColumnType) -> Option<RecordType> {
    match stored {
        ColumnType::Text => Some(RecordType::Text),
        ColumnType::Integer => Some(RecordType::Int),
        ColumnType::Float => Some(RecordType::Float),
        ColumnType::Flag => Some(RecordType::Bool),
        ColumnType::Null | ColumnType::Texts | ColumnType::Other => None,
    }
}

/// Returns the columns that are not fields of rows of this kind. Appends their numbers to `numbers`.
pub(super) fn record_columns(
    table: &ParquetTable,
    rows: RowKind,
    numbers: &mut Vec<usize>,
) -> Result<Vec<StoredRecordColumn>, RecordFault> {
    let is_field = |name: &str| rows.all_fields().any(|field| field.name() == name);
    let columns = table.columns().enumerate();
    let others = columns.filter(|(_, column)| !is_field(column.name()));
    let read = others.map(|(number, column)| {
        let kind = match column.kind() {
            ColumnType::Null => RecordType::Text,
            stored => record_type(stored).ok_or(RecordFault::NoRows(rows))?,
        };
        let at = (column.kind() != ColumnType::Null).then_some(numbers.len());
        numbers.extend(at.map(|_| number));
        let column = RecordColumn::new(column.name(), kind);
        Ok(StoredRecordColumn { column, at })
    });
    read.collect()
}

/// Returns the error for a file without a column for `field`.
fn missing(columns: &[TableColumn<'_>], wanted: RowKind, field: Field) -> RecordFault {
    let names: Vec<&str> = columns.iter().map(TableColumn::name).collect();
    let mut mention = RowKind::Mentions.fields().iter();
    let all = mention.all(|field| names.contains(&field.name()));
    let kind = all.then_some(RowKind::Mentions);
    match kind.or_else(|| kind_of(&names)) {
        Some(found) => RecordFault::Kind { found, wanted },
        None => RecordFault::Missing {
            wanted,
            field: field.name(),
        },
    }
}
