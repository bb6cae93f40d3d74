//! Reads BibTeX and BibLaTeX.

use std::ops::Range;

use memchr::memchr;

use super::Draft;
use crate::check::reference::{Escape, Reference};

/// The references of a document.
pub(super) fn references(bytes: &[u8]) -> Vec<Reference> {
    let mut references = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr(b'@', &bytes[at..]) {
        let start = at + found;
        let mut entry = BibEntry {
            bytes,
            at: start + 1,
            end: next_entry(bytes, start + 1),
        };
        let kind = entry.word().to_ascii_lowercase();
        let opener = entry.next();
        at = entry.at.max(start + 1);
        match opener {
            Some(b'{' | b'(') if !kind.is_empty() => entry.at += 1,
            _ => continue,
        }
        match kind.as_slice() {
            b"comment" | b"string" | b"preamble" => entry.at = entry.closed(entry.at),
            _ => references.push(entry.read(start).reference(bytes, Escape::Latex)),
        }
        at = entry.at;
    }
    references
}

/// Where the next line is that starts an entry: an entry that is never closed ends there.
fn next_entry(bytes: &[u8], from: usize) -> usize {
    let lines = memchr::memchr_iter(b'\n', &bytes[from..]).map(|line| from + line + 1);
    let starts_entry = |&line: &usize| {
        let rest = bytes[line..].strip_prefix(b"@").unwrap_or_default();
        let word = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        word > 0 && matches!(rest.get(word), Some(b'{' | b'('))
    };
    let mut lines = lines;
    lines.find(starts_entry).unwrap_or(bytes.len())
}

/// Whether a line starts with the name of a field and `=`.
fn starts_field(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let name = line.iter().take_while(is_name).count();
    name > 0 && line[name..].trim_ascii_start().starts_with(b"=")
}

/// An entry that is being read.
struct BibEntry<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Where it ends at the latest.
    end: usize,
}

impl BibEntry<'_> {
    /// Reads the key and the fields.
    fn read(&mut self, start: usize) -> Draft {
        let mut draft = Draft::new(start);
        let key = self.until(|byte| matches!(byte, b',' | b'}' | b')'));
        draft.key = Some(String::from_utf8_lossy(self.bytes[key].trim_ascii()).into_owned());
        while let Some(byte) = self.next() {
            match byte {
                b'}' | b')' => {
                    self.at += 1;
                    break;
                }
                b',' => self.at += 1,
                _ => self.field(&mut draft),
            }
        }
        draft
    }

    fn field(&mut self, draft: &mut Draft) {
        let name = self.until(|byte| matches!(byte, b'=' | b',' | b'}' | b')'));
        if self.next() != Some(b'=') {
            return;
        }
        self.at += 1;
        let name = self.bytes[name].trim_ascii().to_ascii_lowercase();
        let value = self.value();
        match name.as_slice() {
            b"doi" => draft.add_doi(self.bytes, value),
            b"url" => draft.urls.push(value),
            _ => draft.others.push(value),
        }
    }

    /// Reads a value: what is between its braces or quotes, or all of it if it is put together of several.
    fn value(&mut self) -> Range<usize> {
        let opener = self.next();
        let start = self.at;
        let inside = match opener {
            Some(b'{') => {
                self.at = self.closed(start + 1);
                start + 1..self.at - usize::from(self.at > start + 1)
            }
            Some(b'"') => {
                self.at = self.unquoted(start + 1);
                start + 1..self.at - usize::from(self.at > start + 1)
            }
            _ => self.until(|byte| matches!(byte, b',' | b'}' | b')')),
        };
        match self.next() {
            Some(b',' | b'}' | b')') => inside,
            None => self.until_field(inside),
            _ => start..self.until(|byte| matches!(byte, b',' | b'}')).end,
        }
    }

    /// A value with a brace too much, which takes the rest of an entry: it ends before the next line that starts a field.
    fn until_field(&mut self, value: Range<usize>) -> Range<usize> {
        let lines = memchr::memchr_iter(b'\n', &self.bytes[value.clone()]);
        let mut lines = lines.map(|line| value.start + line + 1);
        match lines.find(|&line| starts_field(&self.bytes[line..value.end])) {
            Some(line) => {
                self.at = line;
                value.start..line
            }
            None => value,
        }
    }

    /// The offset after the brace or bracket that closes what is open at `at`.
    fn closed(&self, at: usize) -> usize {
        self.balanced(at, |byte, depth| byte == b'}' && depth == 0)
    }

    /// The offset after the quote that ends a value.
    fn unquoted(&self, at: usize) -> usize {
        self.balanced(at, |byte, depth| byte == b'"' && depth == 0)
    }

    /// The offset after the byte that ends a value, which knows how many braces are open; braces are counted as BibTeX does, escaped
    /// ones too.
    fn balanced(&self, at: usize, ends: impl Fn(u8, usize) -> bool) -> usize {
        let mut depth = 0_usize;
        for (offset, &byte) in self.bytes[at..self.end].iter().enumerate() {
            if ends(byte, depth) {
                return at + offset + 1;
            }
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.end
    }

    fn until(&mut self, ends: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = &self.bytes[start.min(self.end)..self.end];
        let length = rest.iter().position(|&byte| ends(byte));
        self.at = start + length.unwrap_or(rest.len());
        start..self.at
    }

    /// The letters at the place.
    fn word(&mut self) -> &[u8] {
        let word = self.until(|byte| !byte.is_ascii_alphabetic());
        &self.bytes[word]
    }

    /// The next byte that is not white space.
    fn next(&mut self) -> Option<u8> {
        self.until(|byte| !byte.is_ascii_whitespace());
        self.bytes[..self.end].get(self.at).copied()
    }
}
