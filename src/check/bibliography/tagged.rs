//! Reads formats with a tag at the start of each line: RIS, PubMed's and EndNote's. A line without a tag continues the value of
//! the line before.

use std::ops::Range;

use super::{EntryDraft, FieldText};
use crate::check::reference::{Escape, FieldRole, Reference, text, trimmed};
use doisift_structure::TagSyntax;

/// The meaning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TagMeaning {
    Start,
    /// The start of a record, with its key.
    StartKey,
    End,
    Key,
    Doi,
    Address,
    /// An identifier of any kind.
    Any,
    /// Text that may hold a name among other text.
    Note,
    Other,
}

/// Marks a DOI name in PubMed's tags `LID` and `AID`, which hold other identifiers too.
const PUBMED_MARK: &[u8] = b"[doi]";

impl TagMeaning {
    fn of(syntax: TagSyntax, tag: &[u8]) -> TagMeaning {
        match (syntax, tag) {
            (TagSyntax::Ris, b"TY") | (TagSyntax::Endnote, b"0") => TagMeaning::Start,
            (TagSyntax::Ris, b"ER") => TagMeaning::End,
            (TagSyntax::Ris, b"ID") | (TagSyntax::Endnote, b"F") => TagMeaning::Key,
            (TagSyntax::Ris, b"DO" | b"DI") | (TagSyntax::Endnote, b"R") => TagMeaning::Doi,
            (TagSyntax::Ris, b"UR" | b"L1" | b"L2" | b"LK") | (TagSyntax::Endnote, b"U") => {
                TagMeaning::Address
            }
            (TagSyntax::Ris, b"M3") => TagMeaning::Any,
            (TagSyntax::Ris, b"N1" | b"AN" | b"L3" | b"L4") => TagMeaning::Note,
            (TagSyntax::Endnote, b"Z" | b"M" | b"3") => TagMeaning::Note,
            (TagSyntax::Pubmed, b"PMID") => TagMeaning::StartKey,
            (TagSyntax::Pubmed, b"LID" | b"AID") => TagMeaning::Doi,
            (TagSyntax::Pubmed, b"SO") => TagMeaning::Note,
            _ => TagMeaning::Other,
        }
    }
}

/// The value of a tag: the rest of its line, and the lines without a tag after it.
struct TagValue {
    meaning: TagMeaning,
    lines: Vec<Range<usize>>,
}

impl TagValue {
    /// Returns the part of the value that is the name, or `None` if it is another identifier.
    fn name(mut self, syntax: TagSyntax, bytes: &[u8]) -> Option<FieldText> {
        if syntax == TagSyntax::Pubmed {
            let last = self.lines.last_mut()?;
            let name = bytes[last.clone()].strip_suffix(PUBMED_MARK)?;
            *last = trimmed(bytes, last.start..last.start + name.len());
            self.lines.retain(|line| !line.is_empty());
        }
        Some(self.text(bytes))
    }

    fn text(self, bytes: &[u8]) -> FieldText {
        let start = self.lines.first().map_or(0, |line| line.start);
        let end = self.lines.last().map_or(start, |line| line.end);
        let joined = (self.lines.len() > 1).then(|| {
            let lines = self.lines.iter().map(|line| text(&bytes[line.clone()]));
            lines.collect::<Vec<_>>().join(" ").into()
        });
        FieldText {
            place: start..end,
            joined,
        }
    }
}

/// Returns the references of a document.
pub(super) fn references(syntax: TagSyntax, bytes: &[u8]) -> Vec<Reference> {
    let mut reader = TagReader {
        syntax,
        bytes,
        references: Vec::new(),
        draft: None,
        value: None,
    };
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        reader.line(line, at);
        at += line.len();
    }
    reader.end_record();
    reader.references
}

/// A document that is being read.
struct TagReader<'b> {
    syntax: TagSyntax,
    bytes: &'b [u8],
    references: Vec<Reference>,
    /// The record that is open.
    draft: Option<EntryDraft>,
    /// The value that the next line may continue.
    value: Option<TagValue>,
}

impl TagReader<'_> {
    fn line(&mut self, line: &[u8], start: usize) {
        let end = start + line.len();
        let Some((tag, mark)) = self.syntax.tag(line) else {
            let more = trimmed(self.bytes, start..end);
            if let Some(value) = self.value.as_mut().filter(|_| !more.is_empty()) {
                value.lines.push(more);
            }
            return;
        };
        let meaning = TagMeaning::of(self.syntax, tag);
        self.end_value();
        match meaning {
            TagMeaning::Start | TagMeaning::StartKey => {
                self.end_record();
                self.draft = Some(EntryDraft::new(start));
            }
            TagMeaning::End => return self.end_record(),
            _ => {}
        }
        if !matches!(meaning, TagMeaning::Start | TagMeaning::Other) {
            let lines = vec![trimmed(self.bytes, start + mark..end)];
            self.value = Some(TagValue { meaning, lines });
        }
    }

    fn end_record(&mut self) {
        self.end_value();
        let draft = self.draft.take();
        let reference = draft.map(|draft| draft.reference(self.bytes, Escape::None));
        self.references.extend(reference);
    }

    fn end_value(&mut self) {
        let (Some(value), Some(draft)) = (self.value.take(), &mut self.draft) else {
            return;
        };
        let bytes = self.bytes;
        match value.meaning {
            TagMeaning::Key | TagMeaning::StartKey => {
                let key = value.lines.into_iter().next().unwrap_or_default();
                let key = || String::from_utf8_lossy(&bytes[key]).into_owned();
                draft.key.get_or_insert_with(key);
            }
            TagMeaning::Doi => {
                if let Some(name) = value.name(self.syntax, bytes) {
                    draft.add_doi(bytes, name);
                }
            }
            TagMeaning::Address => draft.add_address(bytes, value.text(bytes)),
            TagMeaning::Any => draft.names.push((FieldRole::Any, value.text(bytes))),
            TagMeaning::Note => draft.notes.push(value.text(bytes)),
            TagMeaning::Start | TagMeaning::End | TagMeaning::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;

    fn texts(document: &str) -> Vec<String> {
        read(document).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn a_name_is_read_wherever_a_record_gives_it() {
        let record = |fields: &str| texts(&format!("TY  - JOUR\n{fields}\nER  - \n"));
        for (fields, wanted) in [
            ("N1  - DOI: 10.5555/a1", "10.5555/a1"),
            (
                "N1  - a note\n      that names doi:10.5555/a1.\n",
                "a note\n      that names doi:10.5555/a1.",
            ),
            ("AN  - 10.5555/a1", "10.5555/a1"),
            ("L3  - 10.5555/a1", "10.5555/a1"),
            ("M3  - 10.5555/a1.", "10.5555/a1."),
            (
                "L1  - https://doi.org/10.5555/a1",
                "https://doi.org/10.5555/a1",
            ),
            ("AN  - 12345", ""),
            ("N2  - As 10.5555/b2 says", ""),
            ("N1  - 10.5555/b2\nDO  - 10.5555/a1", "10.5555/a1"),
        ] {
            assert_eq!(record(fields), [wanted], "{fields}");
        }
    }

    #[test]
    fn lines_of_pubmed_go_on() {
        for (fields, wanted) in [
            ("LID - 10.5555/a1\n      [doi]", "10.5555/a1"),
            ("LID - S1 [pii]\nAID - 10.5555/a1 [doi]", "10.5555/a1"),
            ("SO  - J Ex. 2020;1(2):3. doi: 10.5555/a1.", "10.5555/a1"),
            (
                "SO  - J Ex. 2020;1(2):3. doi:\n      10.5555/a1. Epub 2020 Jan 1.",
                "J Ex. 2020;1(2):3. doi:\n      10.5555/a1. Epub 2020 Jan 1.",
            ),
            ("SO  - J Ex. 2020;1(2):3.", ""),
        ] {
            assert_eq!(
                texts(&format!("PMID- 1\n{fields}\n\n")),
                [wanted],
                "{fields}"
            );
        }
    }
}
