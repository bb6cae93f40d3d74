//! Builds records from keys and facts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::facts::{FirstText, Known};
use crate::records::Record;

/// The names of sources by their number in source order.
pub(super) type SourceNames = BTreeMap<u32, Arc<str>>;

/// Builds the record of a key. If only keys are kept, all other fields are empty.
pub(super) fn record<'a>(
    key: &'a [u8],
    known: Option<Known<'a>>,
    sources: &'a SourceNames,
) -> Record<'a> {
    let doi = text(key);
    let Some(known) = known else {
        return Record {
            doi,
            ..Record::default()
        };
    };
    Record {
        doi,
        mentions: known.mentions,
        documents: known.documents,
        sources: known.sources,
        forms: known.forms,
        first_source: sources
            .get(&known.place.document.source)
            .map_or("", |source| source),
        first_document: known.name.map(text),
        first_offset: known.place.offset,
        first_text: match known.text {
            FirstText::Cased(0) => doi.into(),
            FirstText::Cased(letters) => with_upper_case(doi, letters).into(),
            FirstText::Other(bytes) => text(bytes).into(),
        },
        guessed: known.guessed,
        ..Record::default()
    }
}

/// Returns the key with some letters in upper case. Bit 0 of `letters` is the byte after `10.`.
fn with_upper_case(key: &str, letters: u64) -> String {
    let upper = |(at, letter): (usize, char)| match at.checked_sub(3) {
        Some(at @ 0..64) if letters >> at & 1 == 1 => letter.to_ascii_uppercase(),
        _ => letter,
    };
    key.char_indices().map(upper).collect()
}

/// Returns the bytes as text. They were stored from a `str`, or with invalid UTF-8 replaced, so they are valid.
fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}
