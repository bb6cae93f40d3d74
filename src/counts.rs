//! Counts by a word, as reports have them.

use std::borrow::Cow;

use serde::ser::{Serialize, Serializer};

/// Counts, each with its word, in a fixed order. Serialises to an object with a member for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(Vec<(Cow<'static, str>, u64)>);

impl Counts {
    /// Makes counts in this order. The words must differ.
    pub(crate) fn of<W: Into<Cow<'static, str>>>(
        counts: impl IntoIterator<Item = (W, u64)>,
    ) -> Self {
        let counts = counts.into_iter();
        Counts(counts.map(|(word, count)| (word.into(), count)).collect())
    }

    /// Returns the count of this word. 0 if it has none.
    pub fn get(&self, word: &str) -> u64 {
        let found = self.iter().find(|(other, _)| *other == word);
        found.map_or(0, |(_, count)| count)
    }

    /// Iterates over the words with their counts, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(word, count)| (word.as_ref(), *count))
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_keep_their_order() {
        let counts = Counts::of([("unknown", 2), ("known", 1)]);
        assert_eq!((counts.get("known"), counts.get("other")), (1, 0));
        assert_eq!(counts.iter().next(), Some(("unknown", 2)));
        let json = serde_json::to_string(&counts).unwrap();
        assert_eq!(json, r#"{"unknown":2,"known":1}"#);
    }
}
