//! Reads the references of lists and of running text.

use std::collections::HashSet;
use std::ops::Range;

use doisift_core::{Doi, Form, Scanner, TextKind, clean};

use super::bibliography::items::{CitedItem, CitedName, ItemReader};
use super::ignore;
use super::reference::TakenReferences;
use super::reference::{Escape, FieldRole, NameField, Reference, ReferenceName, trimmed};
use super::seen::NameSet;
use doisift_structure::Syntax;

/// Max bytes that decide whether a text is a list.
const LIST_HEAD_BYTES: usize = 16 << 10;

/// Whether more than half of the lines are a DOI name in a presentation form.
pub(super) fn is_list(bytes: &[u8]) -> bool {
    let head = match bytes.get(..LIST_HEAD_BYTES) {
        // The last line may be cut off.
        Some(head) => &head[..memchr::memrchr(b'\n', head).unwrap_or(LIST_HEAD_BYTES)],
        None => bytes,
    };
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let is_name = |line: &&&[u8]| str::from_utf8(line).is_ok_and(|line| Doi::parse(line).is_ok());
    2 * lines.iter().filter(is_name).count() > lines.len()
}

/// Returns a reference for each line that is not empty.
pub(super) fn lines(bytes: &[u8]) -> Vec<Reference> {
    let mut at = 0;
    let mut references = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let place = trimmed(bytes, at..at + line.len());
        at += line.len();
        if !place.is_empty() && !ignore::is_comment(&bytes[place.clone()]) {
            references.push(Reference::of_cell(place, Escape::None));
        }
    }
    references
}

/// Returns a reference for each distinct name in a short text, at its first mention.
pub(super) fn found(bytes: &[u8], kind: TextKind) -> Vec<Reference> {
    let mut scanner = Scanner::new().kind(kind);
    let mut seen = HashSet::new();
    let mut references = Vec::new();
    for found in scanner.find_iter(bytes) {
        if seen.insert(found.doi.key().into_owned()) {
            let (place, doi, guessed) = (found.range(), found.doi, found.guessed);
            references.push(Reference::new(place, ReferenceName::Found { doi, guessed }));
        }
    }
    references
}

/// Returns the first name in a text that comes after a label or the scheme `doi:`, or else the first name.
pub(super) fn labelled_or_first(text: &[u8]) -> Option<(Range<usize>, ReferenceName)> {
    let mut scanner = Scanner::new();
    let mut first = None;
    for found in scanner.find_iter(text) {
        let is_labelled = matches!(found.form, Form::Label | Form::Doi);
        if first.is_none() || is_labelled {
            let (place, doi, guessed) = (found.range(), found.doi, found.guessed);
            first = Some((place, ReferenceName::Found { doi, guessed }));
        }
        if is_labelled {
            break;
        }
    }
    first
}

/// Reads the references of running text and of the records in it.
pub(super) struct ProseReader {
    scanner: Scanner,
    /// Names found outside of records' references. Each gives one reference, at its first mention.
    seen: NameSet,
    items: Option<ItemReader>,
    /// Offset of the held bytes in the document.
    offset: u64,
    /// Number of held bytes that were searched for names.
    decided: usize,
}

/// A name in running text.
struct ProseName {
    place: Range<usize>,
    doi: Doi,
    guessed: bool,
}

/// Max bytes of a reference of a record. Names in a longer one count as running text.
const MAX_ITEM_BYTES: u64 = 512 << 10;

impl ProseReader {
    /// Creates a reader at the start of a document, with its syntax if it is structured.
    pub(super) fn new(kind: TextKind, syntax: Option<Syntax>) -> Self {
        ProseReader {
            scanner: Scanner::new().kind(kind),
            seen: NameSet::default(),
            items: syntax.map(ItemReader::new),
            offset: 0,
            decided: 0,
        }
    }

    /// Returns the references in `held`, which starts at the first byte that was not passed.
    pub(super) fn take(&mut self, held: &[u8], is_last: bool) -> TakenReferences {
        let (before, after) = self.scanner.window();
        let end = if is_last {
            held.len()
        } else {
            held.len().saturating_sub(after)
        };
        let (end, items) = self.items(held, end.max(self.decided), is_last);
        let references = self.references(held, end, items);
        let passed = if is_last {
            held.len()
        } else {
            end.saturating_sub(before)
        };
        self.decided = end.saturating_sub(passed);
        self.offset += passed as u64;
        TakenReferences { references, passed }
    }

    /// Returns the references of records that end in `held` before `end`, and an end at which no reference is open.
    fn items(&mut self, held: &[u8], end: usize, is_last: bool) -> (usize, Vec<CitedItem>) {
        let Some(items) = &mut self.items else {
            return (end, Vec::new());
        };
        items.read(held, self.offset, is_last);
        let mut end = end as u64 + self.offset;
        if let Some(open) = items.open() {
            match self.offset + held.len() as u64 > open + MAX_ITEM_BYTES {
                true => items.give_up(),
                false => end = end.min(open),
            }
        }
        let ended = items.ended();
        let mut whole = Vec::new();
        while ended.front().is_some_and(|item| item.place.end <= end) {
            whole.extend(ended.pop_front());
        }
        if let Some(next) = ended.front() {
            end = end.min(next.place.start);
        }
        let end = end.saturating_sub(self.offset) as usize;
        (end.max(self.decided), whole)
    }

    /// Returns the references up to `end`: those of the `items`, and the names outside of them.
    fn references(&mut self, held: &[u8], end: usize, items: Vec<CitedItem>) -> Vec<Reference> {
        let mut names = Vec::new();
        self.scanner
            .scan_range(held, self.decided..end, 0, |mention| {
                let start = mention.offset as usize;
                names.push(ProseName {
                    place: start..start + mention.text.len(),
                    guessed: mention.guessed,
                    doi: mention.into(),
                });
            });
        let mut references = Vec::new();
        let mut names = names.into_iter().peekable();
        for item in items {
            let place = held_place(&item.place, self.offset);
            while let Some(name) = names.next_if(|name| name.place.start < place.start) {
                references.extend(self.first(name));
            }
            let mut inside = Vec::new();
            while let Some(name) = names.next_if(|name| name.place.start < place.end) {
                inside.push(name);
            }
            cited(item, self.offset, inside, &mut references);
        }
        for name in names {
            references.extend(self.first(name));
        }
        references
    }

    /// Returns the reference of a name, or `None` if it was found before.
    fn first(&mut self, name: ProseName) -> Option<Reference> {
        let is_new = self.seen.insert(&name.doi.key());
        is_new.then(|| name.reference(None, 0))
    }
}

impl ProseName {
    fn reference(self, key: Option<&str>, record: u64) -> Reference {
        let (doi, guessed) = (self.doi, self.guessed);
        Reference {
            record,
            key: key.map(str::to_owned),
            ..Reference::new(self.place, ReferenceName::Found { doi, guessed })
        }
    }
}

/// Converts a range of the document to a range of the held bytes, which start at `offset`.
fn held_place(place: &Range<u64>, offset: u64) -> Range<usize> {
    place.start.saturating_sub(offset) as usize..place.end.saturating_sub(offset) as usize
}

/// Adds the references of an item: each text of a field for names and each other name in it, or an empty reference.
fn cited(item: CitedItem, offset: u64, found: Vec<ProseName>, references: &mut Vec<Reference>) {
    let (key, work, record) = (item.key, item.work, item.record);
    let first = references.len();
    let is_wanted = |name: &CitedName| {
        let is_inside = |found: &ProseName| name.holds(found, offset);
        !name.is_any || found.iter().any(is_inside)
    };
    for name in item.names.into_iter().filter(is_wanted) {
        let field = NameField::joined(name.text, FieldRole::Name);
        references.push(Reference {
            record,
            key: key.clone(),
            ..Reference::new(held_place(&name.place, offset), ReferenceName::Field(field))
        });
    }
    let others = others(&references[first..], found).into_iter();
    references.extend(others.map(|name| name.reference(key.as_deref(), record)));
    references[first..].sort_by_key(|reference| reference.start);
    let start = held_place(&item.place, offset).start;
    if references.len() == first {
        references.push(Reference {
            record,
            key,
            ..Reference::new(start..start, ReferenceName::Nothing)
        });
    }
    for reference in &mut references[first..] {
        reference.work.clone_from(&work);
        reference.start = start;
    }
}

/// Returns the distinct names that are not in one of the `fields` of a reference, and that no field states.
fn others(fields: &[Reference], mut found: Vec<ProseName>) -> Vec<ProseName> {
    found.retain(|name| {
        !fields
            .iter()
            .any(|field| field.place.contains(&name.place.start))
    });
    let mut stated = HashSet::new();
    if !found.is_empty() {
        let texts = fields.iter().filter_map(|field| field.name.joined());
        let cleaned = texts.filter_map(|text| clean(text).ok());
        stated.extend(cleaned.map(|cleaned| cleaned.doi.key().into_owned()));
    }
    found.retain(|name| stated.insert(name.doi.key().into_owned()));
    found
}

impl CitedName {
    fn holds(&self, found: &ProseName, offset: u64) -> bool {
        held_place(&self.place, offset).contains(&found.place.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_may_have_some_lines_that_are_no_names() {
        assert!(is_list(b"10.5555/a\n\nhttps://doi.org/10.5555/b\r\nn/a\n"));
        assert!(!is_list(b"See 10.5555/a\n10.5555/b\n"));
        assert!(!is_list(b""));
    }

    #[test]
    fn a_name_in_running_text_is_one_reference() {
        let text = b"[10.5555/a1](https://doi.org/10.5555/A1), 10.5555/b2.";
        let found = found(text, TextKind::Unknown);
        let places: Vec<_> = found.into_iter().map(|one| one.place).collect();
        assert_eq!(places, [1..11, 42..52]);
    }
}
