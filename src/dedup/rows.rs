//! Records as they are given out, from what is known of names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::facts::{Known, Text};
use crate::records::Record;

/// Names of sources by ordinal.
pub(super) type Sources = BTreeMap<u32, Arc<str>>;

/// The record of a key; where keys alone are kept, all else is empty.
pub(super) fn record<'a>(
    key: &'a [u8],
    known: Option<Known<'a>>,
    sources: &'a Sources,
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
        forms: known.forms,
        first_source: sources
            .get(&known.place.document.source)
            .map_or("", |source| source),
        first_document: known.name.map(text),
        first_offset: known.place.offset,
        first_text: match known.text {
            Text::Cased(0) => doi.into(),
            Text::Cased(letters) => cased(doi, letters).into(),
            Text::Other(bytes) => text(bytes).into(),
        },
        guessed: known.guessed,
    }
}

/// The key with letters in upper case; bit 0 of `letters` is the byte behind `10.`.
fn cased(key: &str, letters: u64) -> String {
    let upper = |(at, letter): (usize, char)| match at.checked_sub(3) {
        Some(at @ 0..64) if letters >> at & 1 == 1 => letter.to_ascii_uppercase(),
        _ => letter,
    };
    key.char_indices().map(upper).collect()
}

/// What was stored from a `str` or with replacements, so never invalid.
fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}
