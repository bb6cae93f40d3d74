//! A row for a record of a structured document.

use std::sync::Arc;

use super::field::Field;
use super::row::{Row, Value};
use crate::edges::Node;
use doisift_structure::{RecordFields, RecordValue, record_value};

/// A row of `--nodes-to`.
#[derive(Clone, Debug)]
pub(crate) struct NodeRow {
    record: Option<Arc<str>>,
    value: Option<Box<str>>,
    fields: Option<Arc<RecordFields>>,
    references: u64,
    named: u64,
    /// The source of its document.
    source: Arc<str>,
}

impl NodeRow {
    pub(crate) fn new(node: &Node<'_>, source: &Arc<str>) -> Self {
        NodeRow {
            record: node.record.cloned(),
            value: node.value.map(Box::from),
            fields: node.fields.cloned(),
            references: node.references,
            named: node.named,
            source: Arc::clone(source),
        }
    }
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
