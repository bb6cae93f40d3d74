//! The row for an answer of a registry.

use super::field::Field;
use super::row::{Row, Value};

/// One output row of `doisift resolve`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnswerRow {
    /// The key. `None` if the text was not a name.
    pub(crate) doi: Option<String>,
    pub(crate) status: &'static str,
    /// The address of the name.
    pub(crate) url: Option<String>,
    /// The name that this one is an alias of.
    pub(crate) alias: Option<String>,
    pub(crate) agency: Option<String>,
    /// The time at which the registry was asked.
    pub(crate) asked: Option<String>,
    /// Who answered: the registry or a cache.
    pub(crate) answered_by: Option<&'static str>,
    /// The reason why the answer, or a part of it, is missing.
    pub(crate) reason: Option<String>,
}

impl Row for AnswerRow {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::DoiOrNull => or_null_if_empty(self.doi.as_deref()),
            Field::Status => Value::Text(self.status),
            Field::Url => or_null_if_empty(self.url.as_deref()),
            Field::Alias => or_null_if_empty(self.alias.as_deref()),
            Field::Agency => or_null_if_empty(self.agency.as_deref()),
            Field::Asked => or_null_if_empty(self.asked.as_deref()),
            Field::AnsweredBy => or_null_if_empty(self.answered_by),
            Field::Reason => or_null_if_empty(self.reason.as_deref()),
            _ => Value::Nullable(None),
        }
    }
}

/// Returns a value of a row; null if it is empty, such as an address that a registry has not filled in.
fn or_null_if_empty(value: Option<&str>) -> Value<'_> {
    Value::Nullable(value.filter(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_value_is_null() {
        let row = AnswerRow {
            url: Some(String::new()),
            agency: Some("Crossref".to_owned()),
            ..AnswerRow::default()
        };
        assert!(matches!(row.value(Field::Url), Value::Nullable(None)));
        assert!(matches!(
            row.value(Field::Agency),
            Value::Nullable(Some("Crossref"))
        ));
    }
}
