//! Reads the values of formats with a tag at the start of each line: RIS, PubMed's and EndNote's.

use std::ops::Range;

use doisift_structure::{ItemPart, TagSyntax};

use super::{EntryDraft, FieldText};
use crate::check::reference::{Escape, FieldRole, text, trimmed};

/// The meaning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TagMeaning {
    Key,
    Doi,
    Address,
    /// An identifier of any kind.
    Any,
    /// Text that may hold a name among other text.
    Note,
    /// What the entry says of the work.
    Work(ItemPart),
    Other,
}

/// Marks a DOI name in PubMed's tags `LID` and `AID`, which hold other identifiers too.
const PUBMED_MARK: &[u8] = b"[doi]";

impl TagMeaning {
    fn of(syntax: TagSyntax, tag: &str) -> TagMeaning {
        match (syntax, tag) {
            (TagSyntax::Ris, "ID") | (TagSyntax::Endnote, "F") | (TagSyntax::Pubmed, "PMID") => {
                TagMeaning::Key
            }
            (TagSyntax::Ris, "DO" | "DI") | (TagSyntax::Endnote, "R") => TagMeaning::Doi,
            (TagSyntax::Ris, "UR" | "L1" | "L2" | "LK") | (TagSyntax::Endnote, "U") => {
                TagMeaning::Address
            }
            (TagSyntax::Ris, "M3") => TagMeaning::Any,
            (TagSyntax::Ris, "N1" | "AN" | "L3" | "L4") => TagMeaning::Note,
            (TagSyntax::Endnote, "Z" | "M" | "3") => TagMeaning::Note,
            (TagSyntax::Pubmed, "LID" | "AID") => TagMeaning::Doi,
            (TagSyntax::Pubmed, "SO") => TagMeaning::Note,
            (TagSyntax::Ris, "TI" | "T1") => TagMeaning::Work(ItemPart::Title),
            (TagSyntax::Endnote, "T") | (TagSyntax::Pubmed, "TI") => {
                TagMeaning::Work(ItemPart::Title)
            }
            (TagSyntax::Ris, "AU" | "A1") => TagMeaning::Work(ItemPart::Author),
            (TagSyntax::Endnote, "A") | (TagSyntax::Pubmed, "AU") => {
                TagMeaning::Work(ItemPart::Author)
            }
            (TagSyntax::Ris, "PY" | "Y1" | "DA") => TagMeaning::Work(ItemPart::Year),
            (TagSyntax::Endnote, "D") | (TagSyntax::Pubmed, "DP") => {
                TagMeaning::Work(ItemPart::Year)
            }
            _ => TagMeaning::Other,
        }
    }
}

/// Reads the values of a record into `draft`. A value without a name continues the one before.
pub(super) fn read<'v>(
    bytes: &[u8],
    values: impl Iterator<Item = (ItemPart, &'v str, Range<usize>)>,
    syntax: TagSyntax,
    draft: &mut EntryDraft,
) {
    let mut values = values.peekable();
    let mut lines = Vec::new();
    while let Some((_, tag, place)) = values.next() {
        lines.clear();
        lines.push(trimmed(bytes, place));
        while let Some((_, _, place)) = values.next_if(|(_, tag, _)| tag.is_empty()) {
            let line = trimmed(bytes, place);
            lines.extend((!line.is_empty()).then_some(line));
        }
        match TagMeaning::of(syntax, tag) {
            TagMeaning::Key => {
                let key = String::from_utf8_lossy(&bytes[lines[0].clone()]);
                draft.key.get_or_insert_with(|| key.into_owned());
            }
            TagMeaning::Doi if syntax == TagSyntax::Pubmed => {
                if let Some(name) = marked_name(bytes, &mut lines) {
                    draft.add_doi(bytes, name);
                }
            }
            TagMeaning::Doi => draft.add_doi(bytes, joined(bytes, &lines)),
            TagMeaning::Address => draft.add_address(bytes, joined(bytes, &lines)),
            TagMeaning::Any => draft.names.push((FieldRole::Any, joined(bytes, &lines))),
            TagMeaning::Note => draft.notes.push(joined(bytes, &lines)),
            TagMeaning::Work(part) => {
                let text = joined(bytes, &lines).decoded_text(bytes, Escape::None);
                draft.work.add(part, &text);
            }
            TagMeaning::Other => {}
        }
    }
}

/// Returns the name before [`PUBMED_MARK`], or `None` if the value is another identifier.
fn marked_name(bytes: &[u8], lines: &mut Vec<Range<usize>>) -> Option<FieldText> {
    let last = lines.last_mut()?;
    let name = bytes[last.clone()].strip_suffix(PUBMED_MARK)?;
    *last = trimmed(bytes, last.start..last.start + name.len());
    lines.retain(|line| !line.is_empty());
    Some(joined(bytes, lines))
}

/// Returns the value of a tag: the rest of its line, and the lines without a tag after it.
fn joined(bytes: &[u8], lines: &[Range<usize>]) -> FieldText {
    let start = lines.first().map_or(0, |line| line.start);
    let end = lines.last().map_or(start, |line| line.end);
    let joined = (lines.len() > 1).then(|| {
        let lines = lines.iter().map(|line| text(&bytes[line.clone()]));
        lines.collect::<Vec<_>>().join(" ").into()
    });
    FieldText {
        place: start..end,
        joined,
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
