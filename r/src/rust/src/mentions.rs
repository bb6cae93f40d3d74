//! Finds the mentions of names in texts.

use doisift::{CheckDigit, Mention, Scanner, TextKind, clean as read_dirty};
use extendr_api::prelude::*;

use crate::Answer;
use crate::frame::{Frame, Kind};
use crate::reading::CellReader;

/// Makes a row for each mention: the number of its text, and its first and last position as for `substr`.
pub(crate) struct MentionReader {
    scanner: CellScanner,
    clean: bool,
    frame: Frame,
}

impl MentionReader {
    pub(crate) fn new(clean: bool, kind: &str) -> Answer<MentionReader> {
        Ok(MentionReader {
            scanner: CellScanner::new(kind)?,
            clean,
            frame: Frame::new([
                ("row", Kind::Number),
                ("doi", Kind::Text),
                ("form", Kind::Text),
                ("start", Kind::Number),
                ("end", Kind::Number),
                ("text", Kind::Text),
                ("guessed", Kind::Flag),
                ("check_digit", Kind::Text),
            ]),
        })
    }
}

impl CellReader for MentionReader {
    fn take(&mut self, row: usize, cell: Option<&[u8]>) {
        let Some(text) = cell else { return };
        let mut place = Place::new(text);
        let (clean, frame) = (self.clean, &mut self.frame);
        self.scanner.of(text).scan(text, |mention: Mention<'_>| {
            let start = mention.offset as usize;
            let cleaned = clean.then(|| read_dirty(mention.name).ok()).flatten();
            let key = cleaned.as_ref().map(|cleaned| cleaned.doi.key());
            let key = key.as_deref().unwrap_or(mention.key);
            frame.push([
                (row + 1).into(),
                key.into(),
                mention.form.name().into(),
                (place.of(start) + 1).into(),
                place.of(start + mention.text.len()).into(),
                (&*mention.text_lossy()).into(),
                mention.guessed.into(),
                CheckDigit::of_key(key).map(CheckDigit::name).into(),
            ]);
        });
    }

    fn finish(self: Box<Self>) -> Answer<Robj> {
        Ok(self.frame.into_list())
    }
}

/// A scanner for texts of a kind.
pub(crate) struct CellScanner {
    scanner: Scanner,
    /// `None` to detect it from the head of each text.
    kind: Option<TextKind>,
}

impl CellScanner {
    pub(crate) fn new(kind: &str) -> Answer<CellScanner> {
        Ok(CellScanner {
            scanner: Scanner::new(),
            kind: text_kind(kind)?,
        })
    }

    /// Returns the scanner, set to the kind of `text`.
    pub(crate) fn of(&mut self, text: &[u8]) -> &mut Scanner {
        let kind = self.kind.unwrap_or_else(|| kind_of(text));
        self.scanner.set_kind(kind);
        &mut self.scanner
    }
}

/// Returns the kind with this name, or `None` for `auto`, which detects it from the head of each text.
fn text_kind(name: &str) -> Answer<Option<TextKind>> {
    match name {
        "auto" => Ok(None),
        _ => match name.parse() {
            Ok(kind) => Ok(Some(kind)),
            Err(error) => Err(format!("input_kind: {error}, or auto")),
        },
    }
}

fn kind_of(text: &[u8]) -> TextKind {
    let head = &text[..text.len().min(TextKind::HEAD_BYTES)];
    TextKind::of(head, head.len() == text.len())
}

/// Converts byte offsets to positions in R: characters, or bytes in a text that is not UTF-8.
pub(crate) struct Place<'t> {
    text: &'t [u8],
    counts_bytes: bool,
    byte: usize,
    characters: usize,
}

impl<'t> Place<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Place {
            text,
            counts_bytes: text.is_ascii() || str::from_utf8(text).is_err(),
            byte: 0,
            characters: 0,
        }
    }

    /// Returns the number of characters before a byte. Bytes must not decrease from call to call.
    pub(crate) fn of(&mut self, byte: usize) -> usize {
        if self.counts_bytes {
            return byte;
        }
        let between = &self.text[self.byte..byte];
        self.characters += between.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.byte = byte;
        self.characters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_characters_or_bytes() {
        let mut place = Place::new("aé€b".as_bytes());
        assert_eq!([0, 1, 3, 6, 7].map(|byte| place.of(byte)), [0, 1, 2, 3, 4]);
        let mut place = Place::new(b"a\xe9b");
        assert_eq!([1, 2, 3].map(|byte| place.of(byte)), [1, 2, 3]);
    }
}
