//! The texts that cells share.

use std::borrow::Cow;

use encoding_rs::UTF_16LE;
use memchr::memmem;

use crate::xml::{XmlPiece, XmlReader};

/// The fault of a workbook whose shared texts do not fit.
pub(super) const MANY_STRINGS: &str =
    "has more shared texts than --memory has room for; the cells that have them were not read";

/// Texts that cells share.
pub(super) struct SharedStrings {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Maximum bytes that are held.
    limit: usize,
    /// Whether there are more; then none is held.
    pub(super) is_over: bool,
}

impl SharedStrings {
    pub(super) fn new(limit: usize) -> Self {
        SharedStrings {
            text: Vec::new(),
            ends: Vec::new(),
            limit,
            is_over: false,
        }
    }

    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        let end = *self.ends.get(number)?;
        let start = match number {
            0 => 0,
            number => self.ends[number - 1],
        };
        Some(&self.text[start..end])
    }

    /// Adds a text. Returns whether it fits, and the next one may.
    pub(super) fn push(&mut self, text: &[u8]) -> bool {
        self.text.extend_from_slice(text);
        self.ends.push(self.text.len());
        if !self.has_room(0) {
            *self = SharedStrings {
                is_over: true,
                ..SharedStrings::new(0)
            };
        }
        !self.is_over
    }

    fn has_room(&self, more: usize) -> bool {
        self.text.len() + more + self.ends.len() * size_of::<usize>() <= self.limit
    }

    /// Reads the texts of `xml`. Texts after an error are missing, which is reported by the cells that have them.
    pub(super) fn read(&mut self, xml: &mut XmlReader<'_>) {
        let mut item = String::new();
        let (mut in_text, mut phonetic) = (false, false);
        while let Ok(Some(piece)) = xml.next_piece() {
            match piece {
                XmlPiece::Start(tag) => match tag.local_name().into_inner() {
                    "t" => in_text = !phonetic,
                    "rPh" => phonetic = true,
                    _ => {}
                },
                XmlPiece::Text(text) if in_text => {
                    item += &text;
                    if !self.has_room(item.len()) {
                        self.push(item.as_bytes());
                        return;
                    }
                }
                XmlPiece::End(tag) => match tag.local_name().into_inner() {
                    "t" => in_text = false,
                    "rPh" => phonetic = false,
                    "si" => {
                        if !self.push(&unescaped(item.as_bytes())) {
                            return;
                        }
                        item.clear();
                    }
                    _ => {}
                },
                XmlPiece::Text(_) | XmlPiece::Other => {}
            }
        }
    }
}

/// Returns a text in UTF-16, as binary workbooks have it, with U+FFFD for half a pair.
pub(super) fn utf16(bytes: &[u8]) -> String {
    UTF_16LE.decode_without_bom_handling(bytes).0.into_owned()
}

/// Undoes the escapes in a text of a cell. Control characters may be written as `_x000D_` (ISO/IEC 29500-1, 22.9.2.19), and
/// the underscore before text of that form as `_x005F_`. Other characters need no escape, and some programs do not write
/// it.
pub(super) fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(text, b"_x").is_none() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = memmem::find(rest, b"_x") {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        match escaped(rest) {
            Some(character) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[7..];
            }
            None => {
                out.extend_from_slice(b"_x");
                rest = &rest[2..];
            }
        }
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

fn escaped(text: &[u8]) -> Option<char> {
    let digits = text.get(2..6)?;
    let is_escape = text.get(6) == Some(&b'_') && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_escape)?;
    let code = u8::from_str_radix(digits, 16).ok()?;
    let is_meant = code.is_ascii_control() || code == b'_';
    is_meant.then(|| char::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_characters_of_cells_are_undone() {
        for (text, meant) in [
            ("a_x000D_b", "a\rb"),
            ("a_x005F_x000D_b", "a_x000D_b"),
            ("a_x00_b_xyz_", "a_x00_b_xyz_"),
            ("_xD800_a_x0041_", "_xD800_a_x0041_"),
            ("_x", "_x"),
        ] {
            assert_eq!(unescaped(text.as_bytes()), meant.as_bytes(), "{text}");
        }
    }
}
