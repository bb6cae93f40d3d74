//! Reads the values of BibTeX and BibLaTeX.
//!
//! A value is one literal in braces or quotes, or several parts joined by `#`. A part may be the name of a string that `@string`
//! defines. If braces are not in pairs, a value ends before the next line that starts a field. Linear in the length of the document.

use std::collections::HashMap;
use std::ops::Range;

use memchr::{memchr_iter, memchr3, memchr3_iter};

use super::{EntryDraft, FieldText};
use crate::check::reference::{Escape, FieldRole, text, trimmed};
use doisift_structure::{ItemPart, without_latex};

/// Reads the fields of an entry into `draft`.
pub(super) fn read<'v>(
    bytes: &[u8],
    values: impl Iterator<Item = (ItemPart, &'v str, Range<usize>)>,
    strings: &mut BibStrings,
    draft: &mut EntryDraft,
) {
    let mut eprint = BibEprint::default();
    fields(bytes, values, strings, |_, name, value| match name {
        "doi" => draft.add_doi(bytes, value),
        "url" => draft.add_address(bytes, value),
        "eprint" => eprint.value = Some(value),
        "eprinttype" | "archiveprefix" => eprint.is_doi |= value.equals_word(bytes, "doi"),
        _ => {
            if let Some(part) = work_part(name) {
                let text = value.decoded_text(bytes, Escape::Latex);
                draft.work.add(part, &text);
            }
            if NOTES.contains(&name) {
                draft.notes.push(value.clone());
            }
            draft.others.push(value);
        }
    });
    if let Some(value) = eprint.value {
        match eprint.is_doi {
            true => draft.names.push((FieldRole::Name, value)),
            false => draft.others.push(value),
        }
    }
}

/// Keeps the strings that an entry defines.
pub(super) fn define<'v>(
    bytes: &[u8],
    values: impl Iterator<Item = (ItemPart, &'v str, Range<usize>)>,
    strings: &mut BibStrings,
) {
    fields(bytes, values, strings, |strings, name, value| {
        let text = match value.joined {
            Some(joined) => joined,
            None => text(&bytes[value.place]).into(),
        };
        strings.define(name, text);
    });
}

/// Passes each field to `take`, with its name in lower case. If braces are not in pairs, a value has further fields.
fn fields<'v>(
    bytes: &[u8],
    values: impl Iterator<Item = (ItemPart, &'v str, Range<usize>)>,
    strings: &mut BibStrings,
    mut take: impl FnMut(&mut BibStrings, &str, FieldText),
) {
    for (part, name, place) in values {
        let mut reader = PartsReader {
            bytes,
            at: place.start,
            end: place.end,
            is_whole: part == ItemPart::Value,
            is_broken: false,
            strings: &mut *strings,
        };
        let value = reader.value();
        take(reader.strings, name, value);
        reader.fields(&mut take);
    }
}

/// Whether a line starts with the name of a field and `=`.
fn starts_field(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let name = line.iter().take_while(is_name).count();
    name > 0 && line[name..].trim_ascii_start().starts_with(b"=")
}

/// Returns what a field says of the work.
fn work_part(name: &str) -> Option<ItemPart> {
    match name {
        "title" => Some(ItemPart::Title),
        "booktitle" => Some(ItemPart::Container),
        "author" => Some(ItemPart::Author),
        "year" | "date" => Some(ItemPart::Year),
        _ => None,
    }
}

/// Fields for notes, which may hold a name among other text.
const NOTES: [&str; 7] = [
    "note",
    "addendum",
    "howpublished",
    "annote",
    "annotation",
    "titleaddon",
    "extra",
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
    /// Allows to replace names of strings by `bytes` of text.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.left = self.left.max(bytes);
    }

    /// Keeps a string, unless there is no room for it.
    fn define(&mut self, name: &str, text: Box<str>) {
        let bytes = name.len() + text.len();
        if bytes <= self.free {
            self.free -= bytes;
            let former = self.texts.insert(name.into(), text);
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

/// Reads the parts of a value.
struct PartsReader<'b, 's> {
    bytes: &'b [u8],
    at: usize,
    end: usize,
    /// Whether the braces of the entry are in pairs. Otherwise the value ends before the next line that starts a field.
    is_whole: bool,
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

impl PartsReader<'_, '_> {
    /// Reads the fields after a value without a comma or a brace at its end.
    fn fields(&mut self, take: &mut impl FnMut(&mut BibStrings, &str, FieldText)) {
        while let Some(byte) = self.next() {
            if matches!(byte, b',' | b'}' | b')') {
                self.at += 1;
                continue;
            }
            let name = self.until(|byte| matches!(byte, b'=' | b',' | b'}' | b')'));
            if self.next() == Some(b'=') {
                self.at += 1;
                let name = text(self.bytes[name].trim_ascii()).to_ascii_lowercase();
                let value = self.value();
                take(self.strings, &name, value);
            }
        }
    }

    /// Reads a value with all of its parts.
    fn value(&mut self) -> FieldText {
        self.next();
        let start = self.at;
        let first = self.part();
        let mut end = self.at;
        let mut others = Vec::new();
        while self.next() == Some(b'#') {
            self.at += 1;
            others.push(self.part());
            end = self.at;
        }
        let is_ended = matches!(self.next(), None | Some(b',' | b'}' | b')'));
        let is_literal = matches!(first.text, PartText::Literal) && is_ended && !self.is_broken;
        let place = match others.is_empty() {
            true if is_literal => return literal(self.bytes, first.place),
            true => trimmed(self.bytes, first.place.clone()),
            false => start..end,
        };
        FieldText {
            place,
            joined: Some(self.joined(first, others).into()),
        }
    }

    /// The text of a value that is not one literal.
    fn joined(&self, first: BibPart, others: Vec<BibPart>) -> String {
        let mut joined = String::new();
        for part in std::iter::once(first).chain(others) {
            let written = text(&self.bytes[part.place]);
            match part.text {
                PartText::Literal => joined += &written,
                PartText::Unclosed => {
                    joined += written.trim_end_matches([',', '}', ')', '\n', '\r', ' ', '\t'])
                }
                PartText::Word(text) => joined += &text,
            }
        }
        without_braces(&without_latex(&joined))
    }

    /// Reads a part of a value: a literal, or a word.
    fn part(&mut self) -> BibPart {
        let (start, closer) = match self.next() {
            Some(b'{') => (self.at + 1, b'}'),
            Some(b'"') => (self.at + 1, b'"'),
            _ => {
                let is_end = |byte: u8| byte.is_ascii_whitespace() || b",#{}\"=".contains(&byte);
                let place = self.until(is_end);
                let text = PartText::Word(self.strings.text(&self.bytes[place.clone()]));
                return BibPart { place, text };
            }
        };
        self.at = start;
        match self.closed(closer).filter(|end| self.is_of_value(*end)) {
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

    /// Whether the brace before `at` closes a value, and not the entry, whose braces are not in pairs.
    fn is_of_value(&self, at: usize) -> bool {
        self.is_whole || !self.bytes[at..self.end].trim_ascii_start().is_empty()
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
        let bytes = &self.bytes[self.at..end];
        for at in memchr3_iter(b'{', b'}', closer, bytes) {
            match bytes[at] {
                byte if byte == closer && depth == 0 => return Some(self.at + at + 1),
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }

    fn until(&mut self, ends: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = &self.bytes[start.min(self.end)..self.end];
        let length = rest.iter().position(|&byte| ends(byte));
        self.at = start + length.unwrap_or(rest.len());
        start..self.at
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
    let plain = without_latex(&written);
    let has_marks = memchr3(b'{', b'}', b'\\', plain.as_bytes()).is_some();
    let joined = has_marks.then(|| without_braces(&plain).into());
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

/// Removes braces. The argument of a macro becomes a word of its own.
fn without_braces(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut before = "";
    for group in text.split('{') {
        let is_letter = |c: char| c.is_ascii_alphabetic();
        let command = before.trim_end_matches(is_letter);
        if command.len() < before.len() && command.ends_with('\\') {
            plain.push(' ');
        }
        plain.extend(group.split('}'));
        before = group;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::super::entries::EntryReader;
    use crate::check::reference::{Reference, ReferenceName};
    use doisift_structure::Syntax;

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
        let read = EntryReader::new(Syntax::Bibtex).take(bytes, true);
        read.references.into_iter().map(shown).collect()
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
