//! Keeps the names of checked entries, to find two entries with one name.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

/// Max names that are kept, in 26 MB. Independent of the run's memory, so that the rows are too.
pub(super) const MAX_NAMES: usize = 7 << 17;
/// Max documents whose names are kept.
const MAX_DOCUMENTS: usize = 1 << 16;

/// The names of entries so far, each with the place of its first entry.
#[derive(Default)]
pub(super) struct SeenNames {
    /// The first entry of each name, by the name's 128-bit hash.
    names: HashMap<[u8; 16], EntryPlace>,
    /// The names of documents, by their number.
    documents: Vec<Arc<str>>,
    /// Number of names that were dropped, since the table was full.
    left_out: u64,
}

/// The place of an entry: the number of its document, and its line or row.
#[derive(Clone, Copy)]
struct EntryPlace {
    document: u32,
    line: u32,
}

impl SeenNames {
    /// Adds an entry with a name, at a line or row of a document. Returns the place of the first entry with this name, or `None`
    /// if it is the first.
    pub(super) fn note(&mut self, key: &str, document: &Arc<str>, line: u64) -> Option<String> {
        let is_full = self.names.len() >= MAX_NAMES;
        match self.names.entry(xxh3_128(key.as_bytes()).to_ne_bytes()) {
            Entry::Occupied(first) => {
                let first = *first.get();
                return Some(self.place(first));
            }
            Entry::Vacant(_) if is_full => self.left_out += 1,
            Entry::Vacant(new) => {
                let is_other = self.documents.last() != Some(document);
                if is_other && self.documents.len() < MAX_DOCUMENTS {
                    self.documents.push(Arc::clone(document));
                }
                let is_kept = self.documents.last() == Some(document);
                let number = if is_kept {
                    self.documents.len() - 1
                } else {
                    MAX_DOCUMENTS
                };
                new.insert(EntryPlace {
                    document: number as u32,
                    line: u32::try_from(line).unwrap_or(u32::MAX),
                });
            }
        }
        None
    }

    /// Returns the number of names that were not kept. Later entries with these names are not found.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Removes all names.
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.documents.clear();
    }

    fn place(&self, place: EntryPlace) -> String {
        match self.documents.get(place.document as usize) {
            Some(document) => format!("{document}:{}", place.line),
            None => "an earlier document".to_owned(),
        }
    }
}

/// A bounded set of names.
#[derive(Default)]
pub(super) struct NameSet {
    hashes: HashSet<[u8; 16]>,
}

impl NameSet {
    /// Adds a name. Returns whether it is new; once the set is full, names that are not in it always are.
    pub(super) fn insert(&mut self, key: &str) -> bool {
        let hash = xxh3_128(key.as_bytes()).to_ne_bytes();
        match self.hashes.len() < MAX_NAMES {
            true => self.hashes.insert(hash),
            false => !self.hashes.contains(&hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_the_first_entry_is_returned() {
        let (a, b) = (Arc::from("a.bib"), Arc::from("b.bib"));
        let mut seen = SeenNames::default();
        assert_eq!(seen.note("10.5555/a", &a, 3), None);
        assert_eq!(seen.note("10.5555/b", &b, 4), None);
        assert_eq!(seen.note("10.5555/a", &b, 5).as_deref(), Some("a.bib:3"));
        assert_eq!(seen.note("10.5555/b", &b, 6).as_deref(), Some("b.bib:4"));
    }

    #[test]
    fn names_that_are_too_many_are_counted() {
        let document = Arc::from("a");
        let mut seen = SeenNames::default();
        for number in 0..=MAX_NAMES {
            seen.note(&number.to_string(), &document, 1);
        }
        assert_eq!(seen.left_out(), 1);
        assert_eq!(seen.note("0", &document, 2).as_deref(), Some("a:1"));
    }
}
