//! Reads BibTeX and BibLaTeX.
//!
//! A value is one literal in braces or quotes, or several parts joined by `#`. A part may be the name of a string that `@string`
//! defines. If braces are not in pairs, a value ends before the next line that starts a field, and an entry before the next line
//! that starts an entry. Linear in the length of the document.

use std::collections::HashMap;
use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::{EntryDraft, FieldText};
use crate::check::reference::{Escape, FieldRole, Reference, text, trimmed};
use doisift_structure::without_latex;

/// Returns the references in a part of a document. The strings that it defines are kept for later parts.
pub(super) fn references(bytes: &[u8], strings: &mut BibStrings) -> Vec<Reference> {
    let mut references = Vec::new();
    strings.left = strings.left.max(bytes.len());
    let (mut at, mut end) = (0, 0);
    while let Some(found) = memchr(b'@', &bytes[at..]) {
        let start = at + found;
        if end <= start {
            end = next_entry(bytes, start + 1);
        }
        let mut entry = BibEntry {
            bytes,
            at: start + 1,
            end,
            closer: b'}',
            is_broken: false,
            strings: &mut *strings,
        };
        let kind = entry.word().to_ascii_lowercase();
        let opener = entry.next();
        at = entry.at.max(start + 1);
        match opener {
            Some(b'{') if !kind.is_empty() => {}
            Some(b'(') if !kind.is_empty() => entry.closer = b')',
            _ => continue,
        }
        entry.at += 1;
        match kind.as_slice() {
            b"comment" | b"preamble" => entry.at = entry.closed(entry.closer).unwrap_or(end),
            b"string" => entry.define(),
            _ => references.push(entry.read(start).reference(bytes, Escape::Latex)),
        }
        at = entry.at;
    }
    references
}

/// Returns the offset of the next line that starts an entry, or the length. An unclosed entry ends there.
fn next_entry(bytes: &[u8], from: usize) -> usize {
    let mut lines = memchr_iter(b'\n', &bytes[from..]).map(|line| from + line + 1);
    let starts_entry = |&line: &usize| {
        let rest = bytes[line..].strip_prefix(b"@").unwrap_or_default();
        let word = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        word > 0 && matches!(rest.get(word), Some(b'{' | b'('))
    };
    lines.find(starts_entry).unwrap_or(bytes.len())
}

/// Whether a line starts with the name of a field and `=`.
fn starts_field(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let name = line.iter().take_while(is_name).count();
    name > 0 && line[name..].trim_ascii_start().starts_with(b"=")
}

/// Fields for notes, which may hold a name among other text.
const NOTES: [&[u8]; 7] = [
    b"note",
    b"addendum",
    b"howpublished",
    b"annote",
    b"annotation",
    b"titleaddon",
    b"extra",
];

/// Max bytes of the names and texts of the strings that are kept.
const MAX_STRINGS_BYTES: usize = 4 << 20;

/// The strings that a document defines, and the names of months.
pub(in crate::check) struct BibStrings {
    texts: HashMap<Vec<u8>, Box<str>>,
    /// Bytes that may still be kept.
    free: usize,
    /// Bytes of text that names of strings may still be replaced by. A part of a document thus makes at most twice its length.
    left: usize,
}

const MONTHS: [(&str, &str); 12] = [
    ("jan", "January"),
    ("feb", "February"),
    ("mar", "March"),
    ("apr", "April"),
    ("may", "May"),
    ("jun", "June"),
    ("jul", "July"),
    ("aug", "August"),
    ("sep", "September"),
    ("oct", "October"),
    ("nov", "November"),
    ("dec", "December"),
];

impl Default for BibStrings {
    fn default() -> Self {
        let months = MONTHS.into_iter();
        BibStrings {
            texts: months
                .map(|(name, month)| (name.into(), month.into()))
                .collect(),
            free: MAX_STRINGS_BYTES,
            left: 0,
        }
    }
}

impl BibStrings {
    /// Keeps a string, unless there is no room for it.
    fn define(&mut self, name: &[u8], text: Box<str>) {
        let bytes = name.len() + text.len();
        if bytes <= self.free {
            self.free -= bytes;
            let former = self.texts.insert(name.to_owned(), text);
            self.free += former.map_or(0, |former| name.len() + former.len());
        }
    }

    /// Returns the text of a word outside of braces and quotes: its string, or the word itself if it holds `/` or `:` or is a
    /// number. An undefined name is empty, as for BibTeX.
    fn text(&mut self, word: &[u8]) -> String {
        let is_value = word.iter().any(|byte| matches!(byte, b'/' | b':'))
            || word.iter().all(u8::is_ascii_digit);
        let defined = self.texts.get(&word.to_ascii_lowercase());
        match defined.filter(|defined| defined.len() <= self.left) {
            Some(defined) => {
                self.left -= defined.len();
                defined.to_string()
            }
            None if is_value => text(word).into_owned(),
            None => String::new(),
        }
    }
}

/// An entry that is being read.
struct BibEntry<'b, 's> {
    bytes: &'b [u8],
    at: usize,
    /// Max offset of its end.
    end: usize,
    /// The brace or bracket that closes it.
    closer: u8,
    /// Whether a brace or quote in it was never closed.
    is_broken: bool,
    strings: &'s mut BibStrings,
}

/// A part of a value.
struct BibPart {
    place: Range<usize>,
    text: PartText,
}

enum PartText {
    /// The text in braces or quotes.
    Literal,
    /// The text after a brace or quote that is never closed.
    Unclosed,
    /// The text of a word outside of braces and quotes.
    Word(String),
}

impl BibEntry<'_, '_> {
    /// Reads the key and the fields.
    fn read(&mut self, start: usize) -> EntryDraft {
        let mut draft = EntryDraft::new(start);
        let closer = self.closer;
        let key = self.until(|byte| byte == b',' || byte == closer);
        draft.key = Some(String::from_utf8_lossy(self.bytes[key].trim_ascii()).into_owned());
        let mut eprint = BibEprint::default();
        self.fields(|entry, name, value| match name {
            b"doi" => draft.add_doi(entry.bytes, value),
            b"url" => draft.add_address(entry.bytes, value),
            b"eprint" => eprint.value = Some(value),
            b"eprinttype" | b"archiveprefix" => {
                eprint.is_doi |= value.equals_word(entry.bytes, "doi")
            }
            _ if NOTES.contains(&name) => {
                draft.others.push(value.clone());
                draft.notes.push(value);
            }
            _ => draft.others.push(value),
        });
        if let Some(value) = eprint.value {
            match eprint.is_doi {
                true => draft.names.push((FieldRole::Name, value)),
                false => draft.others.push(value),
            }
        }
        draft
    }

    /// Reads the definitions of an `@string` entry.
    fn define(&mut self) {
        self.fields(|entry, name, value| {
            let text = match value.joined {
                Some(joined) => joined,
                None => text(&entry.bytes[value.place]).into(),
            };
            entry.strings.define(name, text);
        });
    }

    /// Reads the fields and passes each to `take`, with its name in lower case.
    fn fields(&mut self, mut take: impl FnMut(&mut Self, &[u8], FieldText)) {
        while let Some(byte) = self.next() {
            match byte {
                byte if byte == self.closer => {
                    self.at += 1;
                    break;
                }
                b',' | b'}' | b')' => self.at += 1,
                _ => {
                    let name = self.until(|byte| matches!(byte, b'=' | b',' | b'}' | b')'));
                    if self.next() == Some(b'=') {
                        self.at += 1;
                        let name = self.bytes[name].trim_ascii().to_ascii_lowercase();
                        let value = self.value();
                        take(self, &name, value);
                    }
                }
            }
        }
    }

    /// Reads a value with all of its parts.
    fn value(&mut self) -> FieldText {
        self.next();
        let start = self.at;
        let mut parts = vec![self.part()];
        let mut end = self.at;
        while self.next() == Some(b'#') {
            self.at += 1;
            parts.push(self.part());
            end = self.at;
        }
        let is_ended = self
            .next()
            .is_some_and(|byte| byte == b',' || byte == self.closer);
        match &parts[..] {
            [
                BibPart {
                    place,
                    text: PartText::Literal,
                },
            ] if is_ended && !self.is_broken => literal(self.bytes, place.clone()),
            _ => FieldText {
                place: match &parts[..] {
                    [part] => trimmed(self.bytes, part.place.clone()),
                    _ => start..end,
                },
                joined: Some(self.joined(parts).into()),
            },
        }
    }

    /// The text of a value that is not one literal.
    fn joined(&self, parts: Vec<BibPart>) -> String {
        let mut joined = String::new();
        for part in parts {
            let written = text(&self.bytes[part.place]);
            match part.text {
                PartText::Literal => joined += &written,
                PartText::Unclosed => {
                    joined += written.trim_end_matches([',', '}', ')', '\n', '\r', ' ', '\t'])
                }
                PartText::Word(text) => joined += &text,
            }
        }
        without_braces(&joined)
    }

    /// Reads a part of a value: a literal, or a word.
    fn part(&mut self) -> BibPart {
        let (start, closer) = match self.next() {
            Some(b'{') => (self.at + 1, b'}'),
            Some(b'"') => (self.at + 1, b'"'),
            _ => {
                let closer = self.closer;
                let is_end = |byte: u8| {
                    byte.is_ascii_whitespace() || b",#{}\"=".contains(&byte) || byte == closer
                };
                let place = self.until(is_end);
                let text = PartText::Word(self.strings.text(&self.bytes[place.clone()]));
                return BibPart { place, text };
            }
        };
        self.at = start;
        match self.closed(closer).filter(|end| self.has_rest(*end)) {
            Some(end) => {
                self.at = end;
                let place = start..end - 1;
                BibPart {
                    place,
                    text: PartText::Literal,
                }
            }
            None => {
                self.is_broken = true;
                self.at = self.next_field(start);
                let place = start..self.at;
                BibPart {
                    place,
                    text: PartText::Unclosed,
                }
            }
        }
    }

    /// Whether more of the entry follows: otherwise its last brace closed a value.
    fn has_rest(&self, at: usize) -> bool {
        !self.bytes[at..self.end].trim_ascii_start().is_empty()
    }

    /// Returns the offset of the next line that starts a field, or the end of the entry.
    fn next_field(&self, from: usize) -> usize {
        let mut lines = memchr_iter(b'\n', &self.bytes[from..self.end]).map(|line| from + line + 1);
        let line = lines.find(|&line| starts_field(&self.bytes[line..self.end]));
        line.unwrap_or(self.end)
    }

    /// Returns the offset after the `closer` that matches, or `None` if there is none. Braces are counted as BibTeX does, escaped
    /// ones too. In an entry with an unclosed brace, the search ends at the next field.
    fn closed(&self, closer: u8) -> Option<usize> {
        let end = match self.is_broken {
            true => self.next_field(self.at),
            false => self.end,
        };
        let mut depth = 0_usize;
        let mut bytes = self.bytes[self.at..end].iter();
        let length = bytes.position(|&byte| {
            let is_closed = byte == closer && depth == 0;
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_closed
        });
        length.map(|length| self.at + length + 1)
    }

    fn until(&mut self, ends: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = &self.bytes[start.min(self.end)..self.end];
        let length = rest.iter().position(|&byte| ends(byte));
        self.at = start + length.unwrap_or(rest.len());
        start..self.at
    }

    /// Reads the ASCII letters at the current offset.
    fn word(&mut self) -> &[u8] {
        let word = self.until(|byte| !byte.is_ascii_alphabetic());
        &self.bytes[word]
    }

    /// Skips white space and returns the byte after it, without reading that.
    fn next(&mut self) -> Option<u8> {
        self.until(|byte| !byte.is_ascii_whitespace());
        self.bytes[..self.end].get(self.at).copied()
    }
}

/// The identifier of an electronic copy, which may be a DOI name.
#[derive(Default)]
struct BibEprint {
    value: Option<FieldText>,
    is_doi: bool,
}

impl FieldText {
    /// Whether the value is `word`, in any case.
    fn equals_word(&self, bytes: &[u8], word: &str) -> bool {
        self.decoded_text(bytes, Escape::Latex)
            .eq_ignore_ascii_case(word)
    }
}

/// Returns the value of one literal, without the braces or the macro `\url` around all of it. Other braces and macros are dropped
/// from its text.
fn literal(bytes: &[u8], place: Range<usize>) -> FieldText {
    let mut place = trimmed(bytes, place);
    while let Some(inner) = unwrapped(&bytes[place.clone()]) {
        place = trimmed(bytes, place.start + inner.start..place.start + inner.end);
    }
    let written = text(&bytes[place.clone()]);
    let is_plain = !without_latex(&written).contains(['{', '}', '\\']);
    let joined = (!is_plain).then(|| without_braces(&written).into());
    FieldText { place, joined }
}

/// Returns the inside of the braces or the `\url` around all of a value.
fn unwrapped(value: &[u8]) -> Option<Range<usize>> {
    let start = match value {
        [b'{', ..] => 1,
        _ if value.starts_with(b"\\url{") => 5,
        _ => return None,
    };
    let mut depth = 1_usize;
    let closed = value[start..].iter().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    // `{\_}` is an escaped character of a name, not a group around the name.
    let is_mark = start == 1 && closed? <= 2;
    (start + closed? + 1 == value.len() && !is_mark).then_some(start..value.len() - 1)
}

/// Removes braces, and backslashes before punctuation. The argument of a macro becomes a word of its own.
fn without_braces(text: &str) -> String {
    let text = without_latex(text);
    let mut plain = String::with_capacity(text.len());
    let mut before = "";
    for group in text.split('{') {
        let is_letter = |c: char| c.is_ascii_alphabetic();
        let command = before.trim_end_matches(is_letter);
        if command.len() < before.len() && command.ends_with('\\') {
            plain.push(' ');
        }
        plain.extend(group.chars().filter(|c| *c != '}'));
        before = group;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::reference::ReferenceName;

    /// Returns the text of each reference's name, and whether a repair can replace it.
    fn read(document: &str) -> Vec<(String, bool)> {
        let bytes = document.as_bytes();
        let shown = |one: Reference| {
            let written = &document[one.place];
            match one.name {
                ReferenceName::Field(field) => (
                    field.decoded_text(written).into_owned(),
                    field.joined.is_none(),
                ),
                ReferenceName::Found { doi, .. } => (doi.as_str().to_owned(), false),
                ReferenceName::Nothing => (String::new(), false),
            }
        };
        let read = references(bytes, &mut BibStrings::default());
        read.into_iter().map(shown).collect()
    }

    #[track_caller]
    fn assert_read(document: &str, wanted: &[(&str, bool)]) {
        let wanted: Vec<_> = wanted
            .iter()
            .map(|&(text, is_exact)| (text.to_owned(), is_exact))
            .collect();
        assert_eq!(read(document), wanted, "{document}");
    }

    #[test]
    fn values_of_several_parts_are_joined_and_are_no_literal() {
        let strings = "@string{p = \"10.5555/\"}\n@STRING(q = p # {x})\n";
        for (value, text) in [
            ("p # \"x1\"", "10.5555/x1"),
            ("P#{1}", "10.5555/1"),
            ("q # 7", "10.5555/x7"),
            ("{10.5555/c3.} # {}", "10.5555/c3."),
            ("\"10.5555/abc.\" # suffix", "10.5555/abc."),
            ("\"10.5555/\" # jan", "10.5555/January"),
            ("{10.5555/a} # {_b}", "10.5555/a_b"),
            ("10.5555/bare", "10.5555/bare"),
            ("{10.5555/{b}c}", "10.5555/bc"),
        ] {
            let entry = format!(
                "{strings}@misc{{k, title = {{A}} # {{B}}, doi = {value}, year = 2001}}\n@misc(l, doi = {value})"
            );
            assert_read(&entry, &[(text, false), (text, false)]);
        }
    }

    #[test]
    fn a_literal_keeps_its_bytes() {
        for (value, text) in [
            ("{10.5555/a.}", "10.5555/a."),
            ("\" 10.5555/a. \"", "10.5555/a."),
            ("{{10.5555/a.}}", "10.5555/a."),
            ("{10.5555/a\\_b}", "10.5555/a_b"),
            ("{10.5555/a{\\_}b}", "10.5555/a_b"),
            (
                "{\\url{https://doi.org/10.5555/a}}",
                "https://doi.org/10.5555/a",
            ),
            ("\"10.5555/{\"}a\"", "10.5555/\"a"),
        ] {
            let is_exact = !value.contains("{\"}");
            assert_read(&format!("@a{{k, doi = {value}}}"), &[(text, is_exact)]);
            assert_read(&format!("@a(k, doi = {value},)"), &[(text, is_exact)]);
        }
    }

    #[test]
    fn broken_entries_end_and_are_not_repaired() {
        assert_read(
            "@a{k, doi = {10.5555/a.,\n year = 2001\n}\n@a{l, doi={10.5555/b.}}",
            &[("10.5555/a.", false), ("10.5555/b.", true)],
        );
        assert_read(
            "@a{k, doi = {10.5555/a.} x, year = 1}\n",
            &[("10.5555/a.", false)],
        );
        assert_read(
            "@a{k, doi = {10.5555/a.}\n year = {1}}\n",
            &[("10.5555/a.", false)],
        );
        assert_read(
            "@a{k, doi = \"10.5555/a.,\n}\n@b{l, doi = 1}",
            &[("10.5555/a.", false), ("1", false)],
        );
        assert_read(
            "@comment(doi = {10.5555/no})\n@preamble{\"\\def\" # {}}@a{k, doi={10.5555/a}}",
            &[("10.5555/a", true)],
        );
    }

    #[test]
    fn a_name_is_read_wherever_an_entry_gives_it() {
        for (fields, text) in [
            ("note = {DOI: 10.5555/a1}", "DOI: 10.5555/a1"),
            ("note = {Reprint. DOI: 10.5555/a1}", "10.5555/a1"),
            ("note = {Cited by 10.5555/b2. doi:10.5555/a1}", "10.5555/a1"),
            ("addendum = {See https://doi.org/10.5555/a1.}", "10.5555/a1"),
            (
                "howpublished = \"Online, \\url{https://doi.org/10.5555/a1}\"",
                "10.5555/a1",
            ),
            ("eprint = {10.5555/a1.}, eprinttype = {DOI}", "10.5555/a1."),
            (
                "archiveprefix = \"doi\", eprint = {10.5555/a1}",
                "10.5555/a1",
            ),
            ("note = {10.5555/} # \"a1\"", "10.5555/a1"),
            (
                "url = {https://x.example/doi/10.5555/a1/full}, note = {10.5555/b2}",
                "10.5555/a1",
            ),
            ("note = {10.5555/b2}, doi = {10.5555/a1}", "10.5555/a1"),
            ("abstract = {As 10.5555/b2 says}", ""),
            ("eprint = {2001.00001}, eprinttype = {arxiv}", ""),
        ] {
            let read = read(&format!("@misc{{k, {fields}}}"));
            assert_eq!(read[0].0, text, "{fields}");
        }
    }

    #[test]
    fn hostile_documents_take_no_more_than_their_length() {
        let doubled = (0..60).map(|n| format!("@string{{s{} = s{n} # s{n}}}\n", n + 1));
        let document = "@string{s0 = {10.5555/0123456789}}\n".to_owned()
            + &doubled.collect::<String>()
            + "@a{k, doi = s60}";
        assert!(read(&document)[0].0.len() <= document.len());
        let unclosed = "@a{k,\n".to_owned() + &"x = {\n".repeat(200_000);
        assert_eq!(read(&unclosed).len(), 1);
        let entries = "@a{k}".repeat(200_000);
        assert_eq!(read(&entries).len(), 200_000);
    }
}
