//! Reads CSL-JSON, which Zotero, Mendeley and pandoc write: an array of items, or an object with one.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memchr_iter;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{EntryDraft, FieldText};
use crate::check::reference::TakenReferences;
use crate::check::reference::{CitedWork, Escape, Reference};
use doisift_structure::ItemPart;
use doisift_tables::{ObjectFinder, items};

type CslItem<'t> = HashMap<String, &'t RawValue>;

/// Max items that are read to decide whether a text is CSL-JSON.
const MAX_HEAD_ITEMS: usize = 10;

/// Reads the items of a document that is held in part.
#[derive(Default)]
pub(in crate::check) struct CslReader {
    /// Finds the items; `None` before the list of items.
    finder: Option<ObjectFinder>,
}

impl CslReader {
    /// Whether a text that starts with `head` is CSL-JSON: items with a type, and an identifier, title or name. The schema
    /// requires an identifier, but Manubot and others make their own from the name. Works of Crossref differ in having
    /// references.
    pub(in crate::check) fn is_csl(head: &[u8]) -> bool {
        let mut places = Vec::new();
        if let Some(start) = list_start(head) {
            ObjectFinder::at(start).advance(head, &mut places);
        }
        places.truncate(MAX_HEAD_ITEMS);
        let is_item = |place| item(&head[place]).is_some_and(|item| is_item(&item));
        !places.is_empty() && places.into_iter().all(is_item)
    }

    /// Returns the references of the items in `held`, which starts at the first unread byte.
    pub(in crate::check) fn take(&mut self, held: &[u8], is_last: bool) -> TakenReferences {
        let list = || list_start(held).map(ObjectFinder::at);
        self.finder = self.finder.take().or_else(list);
        let Some(finder) = &mut self.finder else {
            let passed = if is_last { held.len() } else { 0 };
            return TakenReferences {
                references: Vec::new(),
                passed,
            };
        };
        let mut places = Vec::new();
        finder.advance(held, &mut places);
        let needed = finder.needed().min(held.len());
        let rest = &held[needed..];
        if is_last && !finder.has_ended() && !rest.trim_ascii().is_empty() {
            places.push(needed..held.len());
        }
        let passed = match is_last || finder.has_ended() {
            true => held.len(),
            false => needed,
        };
        finder.shift(needed);
        let references = places.into_iter().map(|place| reference(held, place));
        TakenReferences {
            references: references.collect(),
            passed,
        }
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
        None => {
            let mut draft = EntryDraft::new(start);
            draft.notes.push(place.into());
            draft.reference(held, Escape::Json)
        }
    }
}

/// Returns the offset of the first item, after the bracket: the list is the document, or the member `items` of its object.
fn list_start(bytes: &[u8]) -> Option<usize> {
    let first = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
    match bytes[first] {
        b'[' => Some(first + 1),
        b'{' => items(bytes).filter(|&start| {
            let count = |brace| memchr_iter(brace, &bytes[..start]).count();
            count(b'{') == count(b'}') + 1
        }),
        _ => None,
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
    describe(item, &mut draft.work);
    draft
}

/// Adds what an item says of the work.
fn describe(item: &CslItem<'_>, work: &mut CitedWork) {
    let value = |name: &str| {
        let value = item.get(name)?;
        serde_json::from_str::<Value>(value.get()).ok()
    };
    if let Some(Value::String(title)) = value("title") {
        work.add(ItemPart::Title, &title);
    }
    let authors = value("author").unwrap_or_default();
    for author in authors.as_array().into_iter().flatten() {
        let parts = ["family", "given", "literal"].map(|part| author[part].as_str());
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        work.add(ItemPart::Author, &parts.join(", "));
    }
    let issued = value("issued").unwrap_or_default();
    let date = [
        &issued["date-parts"][0][0],
        &issued["raw"],
        &issued["literal"],
    ];
    let year = date.into_iter().find_map(|year| match year {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    work.add(ItemPart::Year, &year.unwrap_or_default());
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
