//! Pairs of a document and a name as keys of the table.
//!
//! A key has the names of source and document and the DOI name. So bytewise sorted keys are pairs sorted by these three, and two
//! documents with one name in a source count as one. A key is valid UTF-8.

use std::borrow::Cow;

use crate::dedup::{Document, DocumentId};
use crate::records::{Pair, Record};

/// Ends the name of a source or document. It sorts before any byte that continues a name.
const END: &str = "\0\u{1}";
/// Replaces a NUL in a name.
const NUL: &str = "\0\u{2}";

/// Makes the keys of pairs; reused.
#[derive(Default)]
pub(crate) struct PairKey {
    /// The names of source and document, and the DOI name of the last mention.
    key: String,
    /// The document, and the length in bytes of both names in the key.
    document: Option<(DocumentId, usize)>,
}

impl PairKey {
    /// Returns the key of a document and a name that it mentions.
    pub(crate) fn of(&mut self, document: &Document, doi: &str) -> &[u8] {
        let names = match self.document {
            Some((last, names)) if last == document.id => names,
            _ => self.enter(document),
        };
        self.key.truncate(names);
        self.key.push_str(doi);
        self.key.as_bytes()
    }

    fn enter(&mut self, document: &Document) -> usize {
        self.key.clear();
        put(&mut self.key, &document.source);
        put(&mut self.key, document.name.as_deref().unwrap_or_default());
        self.document = Some((document.id, self.key.len()));
        self.key.len()
    }
}

fn put(key: &mut String, name: &str) {
    for (at, part) in name.split('\0').enumerate() {
        if at > 0 {
            key.push_str(NUL);
        }
        key.push_str(part);
    }
    key.push_str(END);
}

/// Returns the pair of a record whose key [`PairKey`] made.
pub(crate) fn pair<'a>(record: &Record<'a>) -> Pair<'a> {
    let (source, rest) = take(record.doi);
    let (document, doi) = take(rest);
    Pair {
        source,
        document: Some(document).filter(|name| !name.is_empty()),
        doi,
        mentions: record.mentions,
    }
}

/// Splits a key into its first name and the rest.
fn take(key: &str) -> (Cow<'_, str>, &str) {
    let (name, rest) = key.split_once(END).unwrap_or((key, ""));
    if name.contains(NUL) {
        (name.replace(NUL, "\0").into(), rest)
    } else {
        (name.into(), rest)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::dedup::CountedUnit;

    #[test]
    fn keys_sort_like_pairs_and_give_them_back() {
        let names = [
            "a", "a\0", "a\0\0", "a\0\u{1}", "a\0b", "a\u{1}", "a/b", "ab", "é",
        ];
        let documents = [None, Some("a"), Some("a\0"), Some("b")];
        let mut made = PairKey::default();
        let (mut keys, mut ordinal) = (Vec::new(), 0);
        for source in names {
            for document in documents {
                for doi in ["10.5555/a", "10.5555/b"] {
                    let at = Document {
                        id: DocumentId {
                            source: ordinal / 8,
                            document: ordinal.into(),
                        },
                        source: Arc::from(source),
                        of_source: CountedUnit::source(ordinal / 8),
                        of_whole: None,
                        name: document.map(Arc::from),
                        capture: None,
                        column: None,
                    };
                    ordinal += 1;
                    let key = String::from_utf8(made.of(&at, doi).to_vec()).unwrap();
                    let record = Record {
                        doi: &key,
                        mentions: 3,
                        ..Record::default()
                    };
                    let pair = pair(&record);
                    assert_eq!(
                        (&*pair.source, pair.document.as_deref()),
                        (source, document)
                    );
                    assert_eq!((pair.doi, pair.mentions), (doi, 3));
                    keys.push(key.clone());
                }
            }
        }
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
    }

    #[test]
    fn mentions_of_one_document_share_its_names() {
        let mut made = PairKey::default();
        let document = |number, name: &str| Document {
            id: DocumentId {
                source: 1,
                document: number,
            },
            source: Arc::from("s"),
            of_source: CountedUnit::source(1),
            of_whole: None,
            name: Some(Arc::from(name)),
            capture: None,
            column: None,
        };
        let (first, second) = (document(1, "long name"), document(2, "n"));
        assert_eq!(made.of(&first, "10.1/a"), b"s\0\x01long name\0\x0110.1/a");
        assert_eq!(made.of(&first, "10.1/b"), b"s\0\x01long name\0\x0110.1/b");
        assert_eq!(made.of(&second, "10.1/a"), b"s\0\x01n\0\x0110.1/a");
    }
}
