//! Reads CSL-JSON, which Zotero, Mendeley and pandoc write: an array of items, or an object with one.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::value::RawValue;

use super::{EntryDraft, FieldText};
use crate::check::reference::TakenReferences;
use crate::check::reference::{Escape, Reference};
use doisift_structure::string_bytes;

type CslItem<'t> = HashMap<String, &'t RawValue>;

/// Max items that are read to decide whether a text is CSL-JSON.
const MAX_HEAD_ITEMS: usize = 10;

/// Reads the items of a document that is held in part.
#[derive(Default)]
pub(in crate::check) struct CslReader {
    /// Whether the list of items was reached.
    is_inside: bool,
    /// Whether it has ended.
    is_over: bool,
}

impl CslReader {
    /// Whether a text that starts with `head` is CSL-JSON: items with a type, and an identifier, title or name. The schema
    /// requires an identifier, but Manubot and others make their own from the name. Works of Crossref differ in having
    /// references.
    pub(in crate::check) fn is_csl(head: &[u8]) -> bool {
        let mut places = Vec::new();
        let mut reader = CslReader::default();
        reader.items(head, |place| places.push(place));
        let mut items = places.into_iter().take(MAX_HEAD_ITEMS).peekable();
        items.peek().is_some()
            && items.all(|place| item(&head[place]).is_some_and(|item| is_item(&item)))
    }

    /// Returns the references of the items in `held`, which starts at the first unread byte.
    pub(in crate::check) fn take(&mut self, held: &[u8], is_last: bool) -> TakenReferences {
        let mut references = Vec::new();
        let passed = self.items(held, |place| references.push(reference(held, place)));
        let rest = passed..held.len();
        if is_last && !held[rest.clone()].trim_ascii().is_empty() && self.is_inside && !self.is_over
        {
            references.push(reference(held, rest));
        }
        TakenReferences {
            references,
            passed: if is_last { held.len() } else { passed },
        }
    }

    /// Passes the range of each whole item to `take`. Returns the offset of the next item.
    fn items(&mut self, held: &[u8], mut take: impl FnMut(Range<usize>)) -> usize {
        let mut at = 0;
        if !self.is_inside {
            match list_start(held) {
                None => return 0,
                Some(start) => (at, self.is_inside) = (start, true),
            }
        }
        while let Some(mark) = held[at..].iter().position(|byte| b"{]".contains(byte)) {
            if self.is_over || held[at + mark] == b']' {
                self.is_over = true;
                return held.len();
            }
            at += mark;
            let Some(length) = object_length(&held[at..]) else {
                return at;
            };
            take(at..at + length);
            at += length;
        }
        held.len()
    }
}

fn is_item(item: &CslItem<'_>) -> bool {
    let has = |name: &&str| item.contains_key(*name);
    let names_work = ["id", "title", "DOI"].iter().any(has);
    has(&"type") && names_work && !["reference", "references"].iter().any(has)
}

fn item(object: &[u8]) -> Option<CslItem<'_>> {
    serde_json::from_slice(object).ok()
}

/// Returns the reference of an item. An item that is not JSON is searched for a name.
fn reference(held: &[u8], place: Range<usize>) -> Reference {
    let start = place.start;
    match item(&held[place.clone()]) {
        Some(item) => Reference {
            start,
            ..draft(held, start, &item).reference(held, Escape::Json)
        },
        None => EntryDraft::new(start).found_in_part(held, place),
    }
}

/// Returns the offset of the first item, after the bracket: the list is the document, or the member `items` of its object.
fn list_start(bytes: &[u8]) -> Option<usize> {
    let first = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
    match bytes[first] {
        b'[' => return Some(first + 1),
        b'{' => {}
        _ => return None,
    }
    let mut tokens = JsonTokens::new(&bytes[first..]);
    let mut is_items = false;
    while let Some((token, depth)) = tokens.next() {
        match bytes[first + token.start] {
            b'"' if depth == 1 => {
                let name = &bytes[first + token.start + 1..first + token.end - 1];
                is_items = *string_bytes(name) == *b"items"
            }
            b'[' if depth == 2 && is_items => return Some(first + token.end),
            _ => is_items &= depth == 1,
        }
    }
    None
}

/// Returns the length of the object at the start of `bytes`, or `None` if it is not whole.
fn object_length(bytes: &[u8]) -> Option<usize> {
    let mut tokens = JsonTokens::new(bytes);
    loop {
        let (token, depth) = tokens.next()?;
        if depth == 0 {
            return Some(token.end);
        }
    }
}

/// Iterates over the strings and brackets of JSON, each with the number of brackets that are open after it.
struct JsonTokens<'b> {
    bytes: &'b [u8],
    at: usize,
    depth: usize,
}

impl<'b> JsonTokens<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        JsonTokens {
            bytes,
            at: 0,
            depth: 0,
        }
    }

    fn next(&mut self) -> Option<(Range<usize>, usize)> {
        let is_mark = |byte: &u8| b"\"[]{}".contains(byte);
        let start = self.at + self.bytes[self.at..].iter().position(is_mark)?;
        self.at = start + 1;
        match self.bytes[start] {
            b'"' => loop {
                self.at += memchr::memchr2(b'"', b'\\', &self.bytes[self.at..])? + 1;
                if self.bytes[self.at - 1] == b'"' {
                    break;
                }
                self.at = (self.at + 1).min(self.bytes.len());
            },
            b'[' | b'{' => self.depth += 1,
            _ => self.depth = self.depth.saturating_sub(1),
        }
        Some((start..self.at, self.depth))
    }
}

fn draft(bytes: &[u8], start: usize, item: &CslItem<'_>) -> EntryDraft {
    let inside = |name: &str| item.get(name).and_then(|value| string(bytes, value.get()));
    let mut draft = EntryDraft::new(start);
    draft.key = item
        .get("id")
        .map(|id| id.get().trim_matches('"').to_owned());
    if let Some(doi) = inside("DOI") {
        draft.add_doi(bytes, doi);
    }
    if let Some(url) = inside("URL") {
        draft.add_address(bytes, url);
    }
    draft.notes.extend(inside("note").map(FieldText::from));
    draft
}

/// Returns the range inside the quotes of `value`, or `None` if it is not a string.
fn string(bytes: &[u8], value: &str) -> Option<Range<usize>> {
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    let start = offset(bytes, inside);
    Some(start..start + inside.len())
}

/// Returns the offset of `part` in `bytes`, which it is a slice of.
fn offset(bytes: &[u8], part: &str) -> usize {
    part.as_ptr() as usize - bytes.as_ptr() as usize
}
