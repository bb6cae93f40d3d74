//! A reference of a document, and the syntax of its text.

use std::borrow::Cow;
use std::ops::Range;

use doisift_core::Doi;

use doisift_structure::{ItemPart, LATEX_MARKS, without_latex};

/// A reference, before it is judged.
#[derive(Debug)]
pub(super) struct Reference {
    /// Offset of its entry.
    pub(super) start: usize,
    /// The number of the record that cites it; 0 if there is no record.
    pub(super) record: u64,
    /// The range of its text; empty, at the start of the reference, if it has no text.
    pub(super) place: Range<usize>,
    /// The key by which documents cite it.
    pub(super) key: Option<String>,
    pub(super) work: CitedWork,
    pub(super) name: ReferenceName,
}

/// What a reference says of the work that it cites, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CitedWork {
    title: Option<String>,
    /// The title of what holds the work, which is that of the work if there is no other.
    container: Option<String>,
    /// Joined by `; `.
    pub(super) authors: Option<String>,
    pub(super) year: Option<String>,
}

impl CitedWork {
    pub(super) fn title(&self) -> Option<&String> {
        self.title.as_ref().or(self.container.as_ref())
    }

    /// Adds a part. The first title and the first year count; all authors do. Other parts say nothing of the work.
    pub(super) fn add(&mut self, part: ItemPart, text: &str) {
        let words = || text.split_whitespace().collect::<Vec<_>>().join(" ");
        let field = match part {
            ItemPart::Title => &mut self.title,
            ItemPart::Container => &mut self.container,
            ItemPart::Year => &mut self.year,
            ItemPart::Author => &mut self.authors,
            _ => return,
        };
        match field {
            _ if text.trim().is_empty() => {}
            None => *field = Some(words()),
            Some(authors) if part == ItemPart::Author => {
                *authors += "; ";
                *authors += &words();
            }
            Some(_) => {}
        }
    }
}

impl Reference {
    /// Value of `record` for references whose names are not compared with others.
    pub(super) const UNCOMPARED: u64 = u64::MAX;

    /// Creates a reference that is the text at `place`, without record and key.
    pub(super) fn new(place: Range<usize>, name: ReferenceName) -> Self {
        Reference {
            start: place.start,
            record: 0,
            place,
            key: None,
            work: CitedWork::default(),
            name,
        }
    }

    /// Creates the reference of a cell with this text, at `place`.
    pub(super) fn of_cell(place: Range<usize>, escape: Escape) -> Self {
        let name = match place.is_empty() {
            true => ReferenceName::Nothing,
            false => ReferenceName::Field(NameField::any(escape)),
        };
        Reference::new(place, name)
    }
}

/// The references in a part of a document, and the length of the part that was read.
#[derive(Default)]
pub(super) struct TakenReferences {
    pub(super) references: Vec<Reference>,
    /// Bytes that need not be held any longer.
    pub(super) passed: usize,
}

/// Place of the name in a reference.
#[derive(Debug)]
pub(super) enum ReferenceName {
    /// It has no name.
    Nothing,
    /// In a text of its own.
    Field(NameField),
    /// In running text.
    Found { doi: Doi, guessed: bool },
}

impl ReferenceName {
    /// Returns the text of a field that is not one literal of the document.
    pub(super) fn joined(&self) -> Option<&str> {
        match self {
            ReferenceName::Field(field) => field.joined.as_deref(),
            _ => None,
        }
    }
}

/// Syntax and role of a field, a cell or a line.
#[derive(Clone, Debug)]
pub(super) struct NameField {
    pub(super) escape: Escape,
    pub(super) role: FieldRole,
    /// The text if it is not one literal: parts were joined, or markup in it was dropped. Such a text is judged, but never
    /// replaced.
    pub(super) joined: Option<Box<str>>,
}

/// Content of a field, which determines the form in which a name is written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldRole {
    /// The name alone.
    Name,
    /// An address: a name is written as a URL.
    Address,
    /// A name in any form.
    Any,
}

impl NameField {
    /// Creates a field that may hold a name in any form.
    pub(super) fn any(escape: Escape) -> NameField {
        NameField {
            escape,
            role: FieldRole::Any,
            joined: None,
        }
    }

    /// Creates a field whose text is not one literal of the document.
    pub(super) fn joined(text: String, role: FieldRole) -> NameField {
        NameField {
            escape: Escape::None,
            role,
            joined: Some(text.into()),
        }
    }

    /// Returns the text: decoded from `written`, or joined.
    pub(super) fn decoded_text<'t>(&'t self, written: &'t str) -> Cow<'t, str> {
        match &self.joined {
            Some(joined) => Cow::Borrowed(joined),
            None => self.escape.decode(written),
        }
    }
}

/// The syntax of the text that holds a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    /// LaTeX: backslashes before punctuation, or braces around it.
    Latex,
    /// The inside of a string of JSON.
    Json,
    Xml,
    /// A cell of a table, without the quotes around it.
    Cell,
}

impl Escape {
    /// Decodes a text.
    pub(super) fn decode(self, text: &str) -> Cow<'_, str> {
        match self {
            Escape::None => text.into(),
            Escape::Latex => without_latex(text),
            Escape::Json => match serde_json::from_str(&format!("\"{text}\"")) {
                Ok(decoded) => Cow::Owned(decoded),
                Err(_) => text.into(),
            },
            Escape::Xml => htmlize::unescape(text),
            Escape::Cell => match text.contains("\"\"") {
                true => text.replace("\"\"", "\"").into(),
                false => text.into(),
            },
        }
    }

    /// Encodes `name` in the style of the text that it replaces. Returns `None` if this syntax cannot hold it there.
    pub(super) fn encode(self, name: &str, old: &str) -> Option<String> {
        match self {
            Escape::None => (!name.contains(['\n', '\r'])).then(|| name.to_owned()),
            Escape::Latex => to_latex(name, old),
            Escape::Json => {
                let text = serde_json::to_string(name).ok()?;
                let inside = text[1..text.len() - 1].to_owned();
                Some(if old.contains("\\/") {
                    inside.replace('/', "\\/")
                } else {
                    inside
                })
            }
            Escape::Xml => Some(htmlize::escape_text(name).into_owned()),
            Escape::Cell => None,
        }
    }
}

/// Encodes a name for LaTeX. Returns `None` if it holds braces, quotes or backslashes, which could break a value of BibTeX.
fn to_latex(name: &str, old: &str) -> Option<String> {
    if name.contains(['{', '}', '"', '\\']) {
        return None;
    }
    let is_escaped = LATEX_MARKS
        .iter()
        .any(|mark| old.contains(&format!("\\{mark}")));
    if !is_escaped {
        return Some(name.to_owned());
    }
    let mut text = String::new();
    for character in name.chars() {
        if LATEX_MARKS.contains(&character) {
            text.push('\\');
        }
        text.push(character);
    }
    Some(text)
}

/// Decodes bytes as UTF-8, or as Windows-1252 if they are not UTF-8.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => {
            encoding_rs::WINDOWS_1252
                .decode_without_bom_handling(bytes)
                .0
        }
    }
}

/// Returns `part` without the white space around it.
pub(super) fn trimmed(bytes: &[u8], part: Range<usize>) -> Range<usize> {
    let text = &bytes[part.clone()];
    let before = text.len() - text.trim_ascii_start().len();
    let start = part.start + before;
    start..start + text.trim_ascii().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_as_the_text_that_it_replaces() {
        for (escape, old, meant, name, new) in [
            (
                Escape::Latex,
                "10.5555/a\\_b.",
                "10.5555/a_b.",
                "10.5555/a_b",
                Some("10.5555/a\\_b"),
            ),
            (
                Escape::Latex,
                "10.5555/a{\\_}b",
                "10.5555/a_b",
                "10.5555/a_b",
                Some("10.5555/a\\_b"),
            ),
            (
                Escape::Latex,
                "10.5555/a_b.",
                "10.5555/a_b.",
                "10.5555/a_b",
                Some("10.5555/a_b"),
            ),
            (Escape::Latex, "10.5555/a", "10.5555/a", "10.5555/a{", None),
            (
                Escape::Json,
                "10.5555\\/a.",
                "10.5555/a.",
                "10.5555/a",
                Some("10.5555\\/a"),
            ),
            (
                Escape::Xml,
                "10.5555/a&lt;b",
                "10.5555/a<b",
                "10.5555/a<b",
                Some("10.5555/a&lt;b"),
            ),
        ] {
            assert_eq!(escape.decode(old), meant);
            assert_eq!(escape.encode(name, old).as_deref(), new, "{old}");
        }
    }
}
