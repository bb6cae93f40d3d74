//! A row for a record of a structured document.

use std::sync::Arc;

use super::field::Field;
use super::row::{Row, Value};
use doisift_structure::{RecordFields, RecordValue, record_value};

/// A row of `--nodes-to`.
#[derive(Clone, Debug)]
pub(crate) struct NodeRow {
    /// Its identifier.
    pub(crate) record: Option<Arc<str>>,
    /// The identifier as it is written.
    pub(crate) value: Option<Box<str>>,
    pub(crate) fields: Option<Arc<RecordFields>>,
    pub(crate) references: u64,
    /// References with a name.
    pub(crate) named: u64,
    /// The source of its document.
    pub(crate) source: Arc<str>,
}

impl Row for NodeRow {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Record => Value::Nullable(self.record.as_deref()),
            Field::Value => Value::Nullable(self.value.as_deref()),
            Field::References => Value::Number(self.references),
            Field::Named => Value::Number(self.named),
            Field::Unnamed => Value::Number(self.references.saturating_sub(self.named)),
            Field::Source => Value::Text(&self.source),
            _ => Value::Nullable(None),
        }
    }

    fn record_field(&self, number: usize) -> &RecordValue {
        record_value(self.fields.as_deref(), number)
    }
}
