//! Reads the entries of BibTeX, of formats with tags, and of EndNote's XML from the events of `structure`.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use doisift_structure::{Event, ItemPart, Structure, StructureRequest, Syntax, TagSyntax};

use super::EntryDraft;
use super::bibtex::{self, BibStrings};
use super::{endnote, tagged};
use crate::check::reference::{Escape, Reference, TakenReferences};

/// Bytes that are held between entries, since an entry is reported after its first bytes: `@type{`, a tag. A longer start is cut.
const MAX_START_BYTES: usize = 4 << 10;

/// Reads the entries of a document that is held in part.
pub(in crate::check) struct EntryReader {
    structure: Structure,
    /// Number of held bytes that were read.
    read: usize,
    entries: OpenEntries,
}

struct OpenEntries {
    syntax: Syntax,
    /// Offset of the held bytes in the document.
    offset: u64,
    /// The strings that a document of BibTeX defines.
    strings: BibStrings,
    open: Option<WrittenEntry>,
    references: Vec<Reference>,
}

/// An entry as it is written.
pub(super) struct WrittenEntry {
    /// Offset in the document.
    start: u64,
    /// Its type in BibTeX.
    pub(super) kind: String,
    pub(super) key: Option<String>,
    /// The names of the fields of the values, one after another.
    names: String,
    values: Vec<WrittenValue>,
}

/// A value of an entry: its kind, the length of the name of its field, and its offsets in the document.
type WrittenValue = (ItemPart, usize, (u64, u64));

static WANTED: LazyLock<Arc<StructureRequest>> = LazyLock::new(|| {
    Arc::new(StructureRequest {
        entries: true,
        ..StructureRequest::default()
    })
});

impl EntryReader {
    /// Returns a reader of the document that starts with `head`, or `None` if it is not a bibliography with such entries.
    pub(in crate::check) fn of(head: &[u8]) -> Option<EntryReader> {
        let head = &head[..head.len().min(Syntax::HEAD_BYTES)];
        let syntax = Syntax::of(head)?;
        let has_entries = match syntax {
            Syntax::Bibtex => true,
            Syntax::Tagged(tags) => tags != TagSyntax::WebOfScience,
            Syntax::Xml => endnote::is_endnote(head),
            Syntax::Json | Syntax::Yaml | Syntax::Delimited(_) => false,
        };
        has_entries.then(|| EntryReader::new(syntax))
    }

    pub(super) fn new(syntax: Syntax) -> EntryReader {
        EntryReader {
            structure: Structure::new(syntax, &WANTED),
            read: 0,
            entries: OpenEntries {
                syntax,
                offset: 0,
                strings: BibStrings::default(),
                open: None,
                references: Vec::new(),
            },
        }
    }

    /// Returns the references of the entries that end in `held`, which starts at the first byte that was not passed.
    pub(in crate::check) fn take(&mut self, held: &[u8], is_last: bool) -> TakenReferences {
        let entries = &mut self.entries;
        entries.strings.allow(held.len());
        let new = &held[self.read..];
        self.structure
            .read(new, new.len(), &mut |event| entries.take(event, held));
        if is_last {
            self.structure.end(&mut |event| entries.take(event, held));
        }
        let passed = match &entries.open {
            Some(entry) => (entry.start - entries.offset) as usize,
            None if is_last => held.len(),
            None => held.len().saturating_sub(MAX_START_BYTES),
        };
        self.read = held.len() - passed;
        entries.offset += passed as u64;
        TakenReferences {
            references: std::mem::take(&mut entries.references),
            passed,
        }
    }
}

impl OpenEntries {
    fn take(&mut self, event: Event<'_>, held: &[u8]) {
        match (event, &mut self.open) {
            (Event::Item { offset, path, .. }, _) => {
                self.open = Some(WrittenEntry {
                    start: offset.max(self.offset),
                    kind: path.to_owned(),
                    key: None,
                    names: String::new(),
                    values: Vec::new(),
                });
            }
            (
                Event::Part {
                    part: ItemPart::Key,
                    text,
                    ..
                },
                Some(entry),
            ) => entry.key = Some(text.to_owned()),
            (Event::Part { part, text, place }, Some(entry)) => {
                entry.names += text;
                entry.values.push((part, text.len(), place));
            }
            (Event::EndItem(_), _) => self.end(held),
            _ => {}
        }
    }

    fn end(&mut self, held: &[u8]) {
        let Some(entry) = self.open.take() else {
            return;
        };
        let mut draft = EntryDraft::new((entry.start - self.offset) as usize);
        let values = entry.values(self.offset);
        let escape = match self.syntax {
            Syntax::Bibtex if entry.kind == "string" => {
                return bibtex::define(held, values, &mut self.strings);
            }
            Syntax::Bibtex => {
                draft.key.clone_from(&entry.key);
                bibtex::read(held, values, &mut self.strings, &mut draft);
                Escape::Latex
            }
            Syntax::Tagged(tags) => {
                tagged::read(held, values, tags, &mut draft);
                Escape::None
            }
            _ => {
                endnote::read(held, values, &mut draft);
                Escape::Xml
            }
        };
        self.references.push(draft.reference(held, escape));
    }
}

impl WrittenEntry {
    /// Returns the values, with their ranges in the held bytes, which start at `offset`.
    fn values(&self, offset: u64) -> impl Iterator<Item = (ItemPart, &str, Range<usize>)> {
        let mut names = &*self.names;
        self.values
            .iter()
            .map(move |&(part, length, (start, end))| {
                let (name, rest) = names.split_at(length);
                names = rest;
                (
                    part,
                    name,
                    (start - offset) as usize..(end - offset) as usize,
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the key and the place of each reference of a document that is passed in two parts.
    fn read(document: &[u8], at: usize) -> Vec<(Option<String>, usize, Range<usize>)> {
        let mut reader = EntryReader::of(document).unwrap();
        let (mut read, mut offset) = (Vec::new(), 0);
        for (end, is_last) in [(at, false), (document.len(), true)] {
            let taken = reader.take(&document[offset..end], is_last);
            for one in taken.references {
                let place = one.place.start + offset..one.place.end + offset;
                read.push((one.key, one.start + offset, place));
            }
            offset += taken.passed;
        }
        read
    }

    #[test]
    fn an_entry_may_start_in_one_part_and_go_on_in_the_next() {
        let tagged = "TY  - JOUR\nID  - a\nDO  - 10.5555/a\nER  - \n\n";
        let record = "<record><rec-number>7</rec-number><electronic-resource-num>10.5555/a</electronic-resource-num></record>\n";
        let padding = " \n".repeat(MAX_START_BYTES);
        let texts = [
            "@article{a, doi = {10.5555/a}}\n".to_owned()
                + &padding
                + "@book\n{b, doi = {10.5555/b}}",
            tagged.to_owned() + &padding + tagged,
            (tagged.to_owned() + &padding + tagged).replace('\n', "\r\n"),
            format!("<xml><records>{record}{padding}{record}</records></xml>"),
        ];
        for text in texts {
            let whole = read(text.as_bytes(), text.len());
            assert_eq!(whole.len(), 2, "{}", &text[..40]);
            for at in (1..200).chain(text.len() - 200..text.len()) {
                assert_eq!(read(text.as_bytes(), at), whole, "{}: {at}", &text[..40]);
            }
        }
    }
}
