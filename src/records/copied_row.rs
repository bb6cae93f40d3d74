//! Rows that are copied from files: fields of mentions, edges or nodes, and fields of records.

use doisift_core::CheckDigit;

use super::fault::RecordFault;
use super::field::{Field, FieldKind, RowKind};
use super::row::{OwnedRow, RecordSlot, Row, Slot, Value};
use doisift_structure::{RecordColumn, RecordValue};

/// A reusable row of nodes, or of mentions or edges, that owns its texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct CopiedRow<const IS_NODE: bool> {
    /// Values, by the number of the field.
    values: Vec<OwnedValue>,
    /// The source, even if the row has no such field.
    source: String,
    /// Whether the row may have no name.
    lacks_name: bool,
    /// The columns after the fields, with their values.
    record_fields: Vec<(RecordColumn, RecordValue)>,
}

#[derive(Clone, Debug, Default)]
enum OwnedValue {
    #[default]
    None,
    /// Empty for null.
    Text(String),
    Number(u64),
    NullableNumber(Option<u64>),
    Flag(bool),
    NullableFlag(Option<bool>),
}

impl<const IS_NODE: bool> CopiedRow<IS_NODE> {
    /// Creates a row of a source, to be filled. `lacks_name` says whether it may have no name; `record_fields` are the columns
    /// after its fields.
    pub(crate) fn of_source(
        source: String,
        lacks_name: bool,
        record_fields: &[RecordColumn],
    ) -> Self {
        let empty = |column: &RecordColumn| (column.clone(), RecordValue::Null);
        CopiedRow {
            values: Vec::new(),
            source,
            lacks_name,
            record_fields: record_fields.iter().map(empty).collect(),
        }
    }

    /// Returns the value of its column `source`, if it has one.
    pub(crate) fn own_source(&self) -> Option<&str> {
        match self.values.get(Field::Source as usize) {
            Some(OwnedValue::Text(source)) => Some(source),
            _ => None,
        }
    }

    /// Whether it has a column for a name, but no name.
    pub(crate) fn is_unnamed(&self) -> bool {
        let is_empty = |field: Field| {
            let value = self.values.get(field as usize);
            matches!(value, Some(OwnedValue::Text(text)) if text.is_empty())
        };
        is_empty(Field::Doi) || is_empty(Field::Form)
    }

    /// Returns the value of `field`, with null for an empty text.
    fn or_null(&self, field: Field) -> Value<'_> {
        match self.value(field) {
            Value::Text(text) if !text.is_empty() => Value::Nullable(Some(text)),
            _ => Value::Nullable(None),
        }
    }
}

impl<const IS_NODE: bool> Row for CopiedRow<IS_NODE> {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Source => return Value::Text(&self.source),
            Field::DoiOrNull => return self.or_null(Field::Doi),
            Field::FormOrNull => return self.or_null(Field::Form),
            _ => {}
        }
        if field == Field::CheckDigit {
            let Value::Text(doi) = self.value(Field::Doi) else {
                return Value::Nullable(None);
            };
            return Value::Nullable(CheckDigit::of_key(doi).map(CheckDigit::name));
        }
        match self.values.get(field as usize) {
            Some(OwnedValue::Text(text)) if field.kind() == FieldKind::TextOrNull => {
                Value::Nullable(Some(text.as_str()).filter(|text| !text.is_empty()))
            }
            Some(OwnedValue::Text(text)) => Value::Text(text),
            Some(OwnedValue::Number(number)) => Value::Number(*number),
            Some(OwnedValue::NullableNumber(number)) => Value::NullableNumber(*number),
            Some(OwnedValue::Flag(flag)) => Value::Flag(*flag),
            Some(OwnedValue::NullableFlag(flag)) => Value::NullableFlag(*flag),
            Some(OwnedValue::None) | None => Value::Nullable(None),
        }
    }

    fn record_field(&self, number: usize) -> &RecordValue {
        let column = self.record_fields.get(number);
        column.map_or(&RecordValue::Null, |(_, value)| value)
    }
}

impl<const IS_NODE: bool> OwnedRow for CopiedRow<IS_NODE> {
    /// Edges have all fields of mentions.
    const KIND: RowKind = match IS_NODE {
        true => RowKind::Nodes,
        false => RowKind::Edges,
    };
    const HAS_RECORD_FIELDS: bool = true;

    /// Sets all fields of records to null: a row of JSON may lack a column of the row before.
    fn reset(&mut self) {
        for (_, value) in &mut self.record_fields {
            *value = RecordValue::Null;
        }
    }

    fn record_slot(&mut self, name: &str) -> Option<RecordSlot<'_>> {
        let mut columns = self.record_fields.iter_mut();
        let (column, value) = columns.find(|(column, _)| *column.name == *name)?;
        Some(RecordSlot::Typed(column.kind, value))
    }

    fn slot(&mut self, field: Field) -> Option<Slot<'_>> {
        if field == Field::CheckDigit {
            return Some(Slot::Derived);
        }
        let is_of_name = matches!(field, Field::Doi | Field::Form);
        let number = field as usize;
        if self.values.len() <= number {
            self.values.resize_with(number + 1, OwnedValue::default);
        }
        let value = &mut self.values[number];
        if matches!(value, OwnedValue::None) {
            *value = OwnedValue::new(field.kind());
        }
        Some(match value {
            OwnedValue::Text(text) => match field.kind() {
                FieldKind::TextOrNull => Slot::Nullable(text),
                _ if self.lacks_name && is_of_name => Slot::Nullable(text),
                _ => Slot::Text(text),
            },
            OwnedValue::Number(number) => Slot::Number(number),
            OwnedValue::NullableNumber(number) => Slot::NullableNumber(number),
            OwnedValue::Flag(flag) => Slot::Flag(flag),
            OwnedValue::NullableFlag(flag) => Slot::NullableFlag(flag),
            OwnedValue::None => return None,
        })
    }

    /// Checks nothing: rows are copied unchanged.
    fn check(&mut self) -> Result<(), RecordFault> {
        Ok(())
    }
}

impl OwnedValue {
    fn new(kind: FieldKind) -> Self {
        match kind {
            FieldKind::Text | FieldKind::TextOrNull => OwnedValue::Text(String::new()),
            FieldKind::Number => OwnedValue::Number(0),
            FieldKind::NumberOrNull => OwnedValue::NullableNumber(None),
            FieldKind::Flag => OwnedValue::Flag(false),
            FieldKind::FlagOrNull => OwnedValue::NullableFlag(None),
            // Only records have forms.
            FieldKind::Forms => OwnedValue::None,
        }
    }
}
