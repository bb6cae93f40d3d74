//! Pairs of a document and a name that it mentions.

use std::borrow::Cow;

use super::fault::RecordFault;
use super::field::{Field, RowKind};
use super::record::{COUNT, DOI, MAX_NUMBER, TEXT};
use super::row::{OwnedRow, Row, Slot, Value};

/// One output row of `--pairs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair<'a> {
    /// The source's name.
    pub(crate) source: Cow<'a, str>,
    /// The document's name; a plain file has none.
    pub(crate) document: Option<Cow<'a, str>>,
    /// The key.
    pub(crate) doi: &'a str,
    /// Mentions of the name in all documents of this name in the source.
    pub(crate) mentions: u64,
}

/// A reusable pair that owns its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnedPair {
    pub(crate) source: String,
    /// Empty if the document has no name. A name is never empty.
    pub(crate) document: String,
    pub(crate) doi: String,
    pub(crate) mentions: u64,
}

impl Row for Pair<'_> {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Source => Value::Text(&self.source),
            Field::Document => Value::Nullable(self.document.as_deref()),
            Field::Doi => Value::Text(self.doi),
            Field::Mentions => Value::Number(self.mentions),
            _ => Value::Nullable(None),
        }
    }
}

impl Row for OwnedPair {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Source => Value::Text(&self.source),
            Field::Document => {
                Value::Nullable(Some(self.document.as_str()).filter(|name| !name.is_empty()))
            }
            Field::Doi => Value::Text(&self.doi),
            Field::Mentions => Value::Number(self.mentions),
            _ => Value::Nullable(None),
        }
    }
}

impl OwnedRow for OwnedPair {
    const KIND: RowKind = RowKind::Pairs;

    fn slot(&mut self, field: Field) -> Option<Slot<'_>> {
        Some(match field {
            Field::Source => Slot::Text(&mut self.source),
            Field::Document => Slot::Nullable(&mut self.document),
            Field::Doi => Slot::Text(&mut self.doi),
            Field::Mentions => Slot::Number(&mut self.mentions),
            _ => return None,
        })
    }

    fn check(&mut self) -> Result<(), RecordFault> {
        if doisift_core::check(&self.doi).is_err() {
            return Err(RecordFault::value("doi", &self.doi, DOI));
        }
        self.doi.make_ascii_lowercase();
        if self.source.is_empty() {
            return Err(RecordFault::value("source", "", TEXT));
        }
        if (1..=MAX_NUMBER).contains(&self.mentions) {
            Ok(())
        } else {
            let mentions = self.mentions.to_string();
            Err(RecordFault::value("mentions", &mentions, COUNT))
        }
    }
}
