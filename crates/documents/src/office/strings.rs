//! The texts that cells share.

use std::borrow::Cow;

use memchr::memmem;

use crate::xml::{XmlPiece, XmlReader};

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
        self.has_room(0)
    }

    fn has_room(&self, more: usize) -> bool {
        self.text.len() + more + self.ends.len() * size_of::<usize>() <= self.limit
    }

    /// Stops holding texts. Those that were held are passed to `take`.
    pub(super) fn give_up(&mut self, take: &mut dyn FnMut(&[u8])) {
        for number in 0..self.ends.len() {
            self.get(number).into_iter().for_each(&mut *take);
        }
        *self = SharedStrings {
            is_over: true,
            ..SharedStrings::new(0)
        };
    }

    /// Reads the texts of `xml`. An error is reported when the member is read again.
    pub(super) fn read(&mut self, xml: &mut XmlReader<'_>) {
        let mut item = Vec::new();
        let (mut in_text, mut phonetic) = (false, false);
        loop {
            match xml.next_piece() {
                Ok(Some(XmlPiece::Start(tag))) => match tag.name {
                    b"t" => in_text = !phonetic,
                    b"rPh" => phonetic = true,
                    _ => {}
                },
                Ok(Some(XmlPiece::Text(text))) if in_text => item.extend_from_slice(text),
                Ok(Some(XmlPiece::Text(_))) => {}
                Ok(Some(XmlPiece::End(name))) => match name {
                    b"t" => in_text = false,
                    b"rPh" => phonetic = false,
                    b"si" => {
                        self.push(&unescaped(&item));
                        item.clear();
                    }
                    _ => {}
                },
                Ok(None) => return,
                Err(_) => {}
            }
            if !self.has_room(item.len()) {
                return self.give_up(&mut |_| ());
            }
        }
    }
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
