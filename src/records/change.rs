//! The row for a difference between two lists of names.

use super::field::Field;
use super::row::{Row, Value};

/// One output row of `doisift diff`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangeRow<'a> {
    pub(crate) change: &'static str,
    /// The key.
    pub(crate) doi: &'a str,
    /// The notice of a retraction.
    pub(crate) detail: Option<&'a str>,
}

impl Row for ChangeRow<'_> {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Change => Value::Text(self.change),
            Field::Doi => Value::Text(self.doi),
            Field::Detail => Value::Nullable(self.detail),
            _ => Value::Nullable(None),
        }
    }
}
