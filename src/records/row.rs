//! The interface of rows for writers and readers of all formats: a value for each field.

use super::fault::RecordFault;
use super::field::{Field, FieldKind, RowKind};
use super::forms::Forms;
use doisift_structure::{RecordType, RecordValue};

/// A row that can be written.
pub(crate) trait Row {
    /// Returns the value of a field; null if rows of this kind have no such field.
    fn value(&self, field: Field) -> Value<'_>;

    /// Returns the value of a column after the fields, by its number: a field of the record in the document.
    fn record_field(&self, _number: usize) -> &RecordValue {
        &RecordValue::Null
    }
}

impl<R: Row> Row for &R {
    fn value(&self, field: Field) -> Value<'_> {
        R::value(self, field)
    }

    fn record_field(&self, number: usize) -> &RecordValue {
        R::record_field(self, number)
    }
}

/// The value of a column of a row. All values of a column are of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldValue<'a> {
    /// A text.
    Text(&'a str),
    /// A text or null.
    Nullable(Option<&'a str>),
    /// A whole number.
    Number(u64),
    /// A whole number or null.
    NullableNumber(Option<u64>),
    /// The forms of a record.
    Forms(Forms),
    /// True or false.
    Flag(bool),
    /// True, false or null.
    NullableFlag(Option<bool>),
    /// A signed whole number of a record in a document, or null.
    Int(Option<i64>),
    /// A finite number of a record in a document, or null.
    Float(Option<f64>),
}

pub(crate) type Value<'a> = FieldValue<'a>;

impl<'a> FieldValue<'a> {
    /// Returns an empty value of this kind.
    pub(super) fn empty(kind: FieldKind) -> Self {
        match kind {
            FieldKind::Text => FieldValue::Text(""),
            FieldKind::TextOrNull => FieldValue::Nullable(None),
            FieldKind::Number => FieldValue::Number(0),
            FieldKind::NumberOrNull => FieldValue::NullableNumber(None),
            FieldKind::Forms => FieldValue::Forms(Forms::default()),
            FieldKind::Flag => FieldValue::Flag(false),
            FieldKind::FlagOrNull => FieldValue::NullableFlag(None),
        }
    }

    /// Returns the value of a field of records, in a column of this type.
    pub(super) fn of_record(kind: RecordType, value: &'a RecordValue) -> Self {
        match (kind, value) {
            (RecordType::Text, RecordValue::Text(text)) => FieldValue::Nullable(Some(text)),
            (RecordType::Text, _) => FieldValue::Nullable(None),
            (RecordType::Int, RecordValue::Int(number)) => FieldValue::Int(Some(*number)),
            (RecordType::Int, _) => FieldValue::Int(None),
            (RecordType::Float, RecordValue::Float(number)) => FieldValue::Float(Some(*number)),
            (RecordType::Float, _) => FieldValue::Float(None),
            (RecordType::Bool, RecordValue::Bool(flag)) => FieldValue::NullableFlag(Some(*flag)),
            (RecordType::Bool, _) => FieldValue::NullableFlag(None),
        }
    }
}

/// A reusable row that owns its texts, which readers fill.
pub(crate) trait OwnedRow: Row + Clone + Default + Send + Sized {
    /// The kind of row.
    const KIND: RowKind;
    /// Whether columns with fields of records in the documents may follow the fields.
    const HAS_RECORD_FIELDS: bool = false;

    /// Returns the slot for the value of such a column, by its name, or `None` if the row has no such column.
    fn record_slot(&mut self, _name: &str) -> Option<RecordSlot<'_>> {
        None
    }

    /// Sets fields that a file may lack. Readers call it before they fill the row.
    fn reset(&mut self) {}

    /// Returns the slot for a field's value, or `None` if rows of this kind have no such field.
    fn slot(&mut self, field: Field) -> Option<Slot<'_>>;

    /// Replaces the name by its key and checks all fields. Readers call it after they have filled the row.
    fn check(&mut self) -> Result<(), RecordFault>;
}

/// Slot in an owned row for the value of a column with a field of records.
pub(crate) enum RecordSlot<'a> {
    Typed(RecordType, &'a mut RecordValue),
    /// The row does not need the value, of any type.
    Unused,
}

impl RecordSlot<'_> {
    /// Parses `text` as the value of the column `name`. `None` is null.
    ///
    /// # Errors
    /// If it does not have the type of the column.
    pub(super) fn set(self, name: &str, text: Option<&str>) -> Result<(), RecordFault> {
        let (RecordSlot::Typed(kind, value), text) = (self, text) else {
            return Ok(());
        };
        let read = text.map_or(Some(RecordValue::Null), |text| kind.read(text));
        let wrong = || RecordFault::value(name.to_owned(), text.unwrap_or_default(), kind.values());
        *value = read.ok_or_else(wrong)?;
        Ok(())
    }
}

/// Slot for a field's value in an owned row.
pub(crate) enum Slot<'a> {
    Text(&'a mut String),
    /// Empty for null, since no such text is empty.
    Nullable(&'a mut String),
    Number(&'a mut u64),
    NullableNumber(&'a mut Option<u64>),
    Forms(&'a mut Forms),
    Flag(&'a mut bool),
    NullableFlag(&'a mut Option<bool>),
    /// No slot: the value follows from other fields.
    Derived,
}

/// Replaces a text.
pub(super) fn set(text: &mut String, value: &str) {
    text.clear();
    text.push_str(value);
}

/// Serializes the usual fields of rows of this kind.
#[cfg(feature = "serde")]
pub(super) fn serialize<S: serde::Serializer>(
    row: &impl Row,
    rows: RowKind,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeMap;

    let fields = rows.fields();
    let mut map = serializer.serialize_map(Some(fields.len()))?;
    for &field in fields {
        let name = field.name();
        match row.value(field) {
            Value::Text(text) => map.serialize_entry(name, text)?,
            Value::Nullable(text) => map.serialize_entry(name, &text)?,
            Value::Number(number) => map.serialize_entry(name, &number)?,
            Value::NullableNumber(number) => map.serialize_entry(name, &number)?,
            Value::Forms(forms) => {
                map.serialize_entry(name, &forms.iter().collect::<Vec<_>>())?;
            }
            Value::Flag(flag) => map.serialize_entry(name, &flag)?,
            Value::NullableFlag(flag) => map.serialize_entry(name, &flag)?,
            Value::Int(number) => map.serialize_entry(name, &number)?,
            Value::Float(number) => map.serialize_entry(name, &number)?,
        }
    }
    map.end()
}
