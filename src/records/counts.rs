//! Rows that count names and mentions.

use super::field::Field;
use super::row::{Row, Value};

/// The counts of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountRow {
    /// Distinct names.
    pub(crate) names: u64,
    pub(crate) mentions: u64,
    /// Documents that were read.
    pub(crate) documents: u64,
    /// Sources that were read.
    pub(crate) sources: u64,
}

/// The counts of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrefixRow<'a> {
    pub(crate) prefix: &'a str,
    /// Distinct names with this prefix.
    pub(crate) names: u64,
    pub(crate) mentions: u64,
}

impl Row for CountRow {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Names => Value::Number(self.names),
            Field::Mentions => Value::Number(self.mentions),
            Field::Documents => Value::Number(self.documents),
            Field::Sources => Value::Number(self.sources),
            _ => Value::Nullable(None),
        }
    }
}

impl Row for PrefixRow<'_> {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Prefix => Value::Text(self.prefix),
            Field::Names => Value::Number(self.names),
            Field::Mentions => Value::Number(self.mentions),
            _ => Value::Nullable(None),
        }
    }
}
