//! The encoding of a body, as its header states it.

use std::borrow::Cow;
use std::io;

use data_encoding::{BASE64_MIME_PERMISSIVE, BASE64_NOPAD};
use memchr::memchr;

use crate::codec::{damaged, early_end};
use crate::fault::{InputError, Packing};
use crate::numbers::hex_pair;

/// Minimum length of a line of base64 in which a damaged character is not taken for the end of the data.
const LONG_LINE_BYTES: usize = 40;
/// Maximum number of damaged characters in such a line.
const MAX_DAMAGED_CHARS: usize = 2;

/// How the bytes of a body are encoded (RFC 2045, 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MailCoding {
    /// Not encoded.
    #[default]
    Plain,
    Base64,
    Quoted,
}

/// The decoded body of a part.
pub(super) struct DecodedPart<'b> {
    pub(super) bytes: Cow<'b, [u8]>,
    /// Number of encoded bytes. The bytes after them are not in the coding.
    pub(super) used: usize,
    /// Losses, after their offsets in the body.
    pub(super) losses: Vec<(usize, InputError)>,
}

impl MailCoding {
    /// Returns the coding that a field names; [`Plain`](MailCoding::Plain) for an unknown one.
    pub(super) fn of(value: &[u8]) -> MailCoding {
        let value = value.to_ascii_lowercase();
        let names = |coding: &[u8]| memchr::memmem::find(&value, coding).is_some();
        if names(b"base64") {
            MailCoding::Base64
        } else if names(b"quoted-printable") {
            MailCoding::Quoted
        } else {
            MailCoding::Plain
        }
    }

    /// Decodes `body`. `is_text` says that it has no control characters.
    pub(super) fn decode(self, body: &[u8], is_text: bool) -> DecodedPart<'_> {
        match self {
            MailCoding::Plain => DecodedPart {
                bytes: body.into(),
                used: body.len(),
                losses: uuencoded_file(body).into_iter().collect(),
            },
            MailCoding::Base64 => base64_body(body),
            MailCoding::Quoted => {
                let mut out = Vec::with_capacity(body.len());
                for line in lines(body) {
                    unquote(line, is_text, &mut out);
                }
                DecodedPart {
                    bytes: out.into(),
                    used: body.len(),
                    losses: Vec::new(),
                }
            }
        }
    }
}

pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// Decodes base64 up to the first line of text. A wrong character counts as zeros, so that the bytes after it keep their
/// places.
fn base64_body(body: &[u8]) -> DecodedPart<'_> {
    let mut out = Vec::with_capacity(body.len() / 4 * 3);
    let (mut chars, mut losses) = (Vec::new(), Vec::new());
    let (mut used, mut width) = (0, 0);
    for line in lines(body) {
        let text = line.trim_ascii();
        let wrong = text.iter().filter(|byte| !is_base64(**byte)).count();
        if wrong > 0 && is_text(text, wrong, width) {
            break;
        }
        width = text.len();
        chars.extend(text.iter().map(|byte| match byte {
            byte if is_base64(*byte) => *byte,
            _ => b'A',
        }));
        if !decode_groups(&mut chars, &mut out) || wrong > 0 {
            losses.push((used, wrong_line()));
        }
        used += line.len();
    }
    if !decode_end(&chars, &mut out) {
        losses.push((used, damaged(Packing::Mail, early_end())));
    }
    DecodedPart {
        bytes: out.into(),
        used,
        losses,
    }
}

/// Whether a line with this number of wrong characters is text after the data, and not damaged data. `width` is the length of
/// the line before it.
fn is_text(line: &[u8], wrong: usize, width: usize) -> bool {
    let has = |bytes: &[u8]| line.iter().any(|byte| bytes.contains(byte));
    // A line as long as those before it, with one wrong character.
    let is_like = width >= LONG_LINE_BYTES && line.len() <= width && wrong == 1 && !has(b" ");
    // Every DOI name has a full stop or a character of an escape.
    let is_prose = has(b" \t.:%&;\\");
    let is_short = line.len() < LONG_LINE_BYTES || wrong > MAX_DAMAGED_CHARS;
    !is_like && (is_prose || is_short)
}

/// Decodes the groups of four characters, and removes them. Returns false if padding is wrong; the bytes before it are kept.
fn decode_groups(chars: &mut Vec<u8>, out: &mut Vec<u8>) -> bool {
    let (start, whole) = (out.len(), chars.len() / 4 * 4);
    out.resize(start + whole / 4 * 3, 0);
    let decoded = BASE64_MIME_PERMISSIVE.decode_mut(&chars[..whole], &mut out[start..]);
    let is_right = decoded.is_ok();
    out.truncate(start + decoded.unwrap_or_else(|partial| partial.written));
    chars.drain(..whole);
    is_right
}

/// Decodes the characters after the last group. Returns whether the last byte is complete. Many programs omit the padding;
/// then the unused bits are zeros.
fn decode_end(chars: &[u8], out: &mut Vec<u8>) -> bool {
    let decoded = BASE64_NOPAD.decode(chars);
    out.extend(decoded.as_deref().unwrap_or_default());
    decoded.is_ok()
}

/// Decodes an encoded word in base64.
pub(super) fn from_base64(word: &[u8]) -> Vec<u8> {
    let mut chars: Vec<u8> = word
        .iter()
        .copied()
        .filter(|byte| is_base64(*byte))
        .collect();
    let mut out = Vec::new();
    decode_groups(&mut chars, &mut out);
    decode_end(&chars, &mut out);
    out
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn wrong_line() -> InputError {
    let what = "a line has wrong characters, or a wrong number of them, for its encoding";
    damaged(
        Packing::Mail,
        io::Error::new(io::ErrorKind::InvalidData, what),
    )
}

/// Decodes a line of quoted-printable into `out`. Bytes that are not a valid escape are kept. In a text, the escape of a
/// control character is kept too, since it was not meant as one: `doi=10.5555/a`.
fn unquote(line: &[u8], is_text: bool, out: &mut Vec<u8>) {
    let text = line.trim_ascii_end();
    let end = &line[without_end(line).len()..];
    let (mut rest, end) = match text.strip_suffix(b"=") {
        Some(before) => (before, &b""[..]),
        None if end.is_empty() => (line, end),
        None => (text, end),
    };
    while let Some(at) = memchr(b'=', rest) {
        out.extend_from_slice(&rest[..at]);
        let byte = rest.get(at + 1..at + 3).and_then(hex_pair);
        let byte = byte.filter(|byte| !is_text || is_of_text(*byte));
        out.push(byte.unwrap_or(b'='));
        rest = &rest[at + if byte.is_some() { 3 } else { 1 }..];
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(end);
}

fn is_of_text(byte: u8) -> bool {
    !byte.is_ascii_control() || matches!(byte, b'\t' | b'\r' | b'\n')
}

/// Returns a line, or a text, without the line end after it.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the offset of the first file in uuencode, which is not read, as an error.
fn uuencoded_file(text: &[u8]) -> Option<(usize, InputError)> {
    let at = memchr::memmem::find_iter(text, b"begin ").find(|at| {
        let mut lines = lines(&text[*at..]).map(without_end);
        let (first, data) = (lines.next(), lines.next());
        (*at == 0 || text[at - 1] == b'\n')
            && first.is_some_and(is_uuencode_start)
            && data.is_some_and(is_uuencode_data)
    });
    Some((at?, InputError::Unsupported(Packing::Uuencode)))
}

/// Whether `line` is the first line of a file in uuencode: `begin`, its mode in octal digits, its name.
fn is_uuencode_start(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ').skip(1);
    let mode = words.next().unwrap_or_default();
    (3..=4).contains(&mode.len())
        && mode.iter().all(|byte| matches!(byte, b'0'..=b'7'))
        && words.next().is_some_and(|name| !name.is_empty())
}

/// Whether `line` has as many characters as its first one says. A check character may follow.
fn is_uuencode_data(line: &[u8]) -> bool {
    let Some((count @ b' '..=b'`', data)) = line.split_first() else {
        return line == b"end";
    };
    let length = usize::from((count - b' ') & 0x3f).div_ceil(3) * 4;
    let is_char = |byte: &u8| matches!(byte, b' '..=b'`');
    (length..=length + 1).contains(&data.len()) && data.iter().all(is_char) || line == b"end"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(body: &str) -> (Vec<u8>, usize, usize) {
        let body = MailCoding::Base64.decode(body.as_bytes(), true);
        (body.bytes.into_owned(), body.used, body.losses.len())
    }

    #[test]
    fn lines_of_base64_of_any_length_are_one_text() {
        for text in ["MTAuNTU1NS9hYmM=", "MTA\nuN\nTU1NS9hYmM=\r\n"] {
            assert_eq!(decoded(text), (b"10.5555/abc".to_vec(), text.len(), 0));
        }
        for (text, bytes, losses) in [
            ("", &b""[..], 0),
            ("YQ==YWI=", b"aab", 0),
            ("YWI", b"ab", 0),
            ("YWJ", b"", 1),
            ("YQ", b"a", 0),
            ("YWJjY", b"abc", 1),
        ] {
            assert_eq!(
                decoded(text),
                (bytes.to_vec(), text.len(), losses),
                "{text}"
            );
        }
    }

    #[test]
    fn text_is_not_base64_and_a_damaged_character_moves_nothing() {
        for text in ["see this", "10.5555/abc", "-- ", "a:b", "*"] {
            assert_eq!(decoded(text), (b"".to_vec(), 0, 0), "{text}");
        }
        let line = "MTAuNTU1NS9hYmMgMTAuNTU1NS9hYmMgMTAuNTU1NS9hYmMg";
        let (out, _, losses) = decoded(&line.replacen('A', "*", 1));
        assert_eq!(losses, 1);
        assert!(out.ends_with(b"5555/abc 10.5555/abc 10.5555/abc "));
    }

    #[test]
    fn files_in_uuencode_are_recognised_by_two_lines() {
        for (text, at) in [
            ("begin 644 a b.txt\n#0V%T\n", Some(0)),
            ("see\nbegin 0644 a\r\n`\r\nend\n", Some(4)),
            ("begin 644 a\nend\n", Some(0)),
            ("begin 10 lines\n#0V%T\n", None),
            ("begin 644 a\n#0V%T0V%T\n", None),
            ("begin 644 lines\nof the text\n", None),
            ("to begin 644 a\n#0V%T\n", None),
        ] {
            assert_eq!(
                uuencoded_file(text.as_bytes()).map(|(at, _)| at),
                at,
                "{text}"
            );
        }
    }
}
