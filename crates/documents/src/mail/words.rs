//! Encoded words of header fields (RFC 2047).

use memchr::memmem;

use super::charset::{MailCharset, has_foreign};
use super::coding::from_base64;
use crate::numbers::hex_pair;

/// Maximum bytes of an encoded word. RFC 2047 limits it to 75.
const MAX_WORD_BYTES: usize = 4 << 10;

/// An encoded word: its charset, its bytes, and its length.
struct EncodedWord<'h> {
    label: &'h [u8],
    charset: MailCharset,
    bytes: Vec<u8>,
    length: usize,
}

/// Decodes the encoded words of a header to UTF-8. Words that only blanks or line ends separate are one text; all other
/// bytes are kept. If the charset of a word is not known, its bytes are kept. The second value is the label of the first
/// such word with bytes other than ASCII.
pub(super) fn decoded(header: &[u8]) -> (Vec<u8>, Option<Box<str>>) {
    let (mut out, mut unknown) = (Vec::with_capacity(header.len()), None);
    let mut rest = header;
    while let Some(at) = memmem::find(rest, b"=?") {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        match EncodedWord::at(rest) {
            Some(word) => {
                unknown = unknown.or_else(|| word.unknown());
                rest = text(word, rest, &mut out);
            }
            None => {
                out.extend_from_slice(b"=?");
                rest = &rest[2..];
            }
        }
    }
    out.extend_from_slice(rest);
    (out, unknown)
}

/// Decodes `word`, with which `rest` starts, and the words that continue it into `out`. Returns the bytes after them.
fn text<'h>(word: EncodedWord<'_>, mut rest: &'h [u8], out: &mut Vec<u8>) -> &'h [u8] {
    let (charset, mut bytes) = (word.charset, word.bytes);
    rest = &rest[word.length..];
    loop {
        let after = rest.trim_ascii_start();
        match EncodedWord::at(after) {
            // A character may be cut between two words.
            Some(next) if next.charset == charset => {
                bytes.extend(next.bytes);
                rest = &after[next.length..];
            }
            next => {
                out.extend_from_slice(&charset.decode(bytes.into()));
                return if next.is_some() { after } else { rest };
            }
        }
    }
}

impl<'h> EncodedWord<'h> {
    /// Returns the label of its charset, if it is not known and the bytes need one.
    fn unknown(&self) -> Option<Box<str>> {
        let is_unknown = self.charset == MailCharset::Unknown && has_foreign(&self.bytes);
        is_unknown.then(|| String::from_utf8_lossy(self.label).into())
    }

    /// Returns the word with which `text` starts: `=?charset?B?...?=` or `=?charset?Q?...?=`.
    fn at(text: &'h [u8]) -> Option<EncodedWord<'h>> {
        let rest = text
            .get(..text.len().min(MAX_WORD_BYTES))?
            .strip_prefix(b"=?")?;
        let end = memchr::memchr(b'?', rest)?;
        let label = rest[..end].split(|byte| *byte == b'*').next()?;
        if label.is_empty() || !label.iter().all(u8::is_ascii_graphic) {
            return None;
        }
        let [coding, b'?', data @ ..] = &rest[end + 1..] else {
            return None;
        };
        let length = memmem::find(data, b"?=")?;
        let (data, after) = data.split_at(length);
        let bytes = match coding {
            b'B' | b'b' => from_base64(data),
            b'Q' | b'q' => from_q(data),
            _ => return None,
        };
        // A field ends at a line end, unless it is folded.
        let is_one_line = !data.contains(&b'\n') || data.windows(2).any(|two| two == b"\n ");
        let length = text.len().min(MAX_WORD_BYTES) - after.len() + 2;
        is_one_line.then_some(EncodedWord {
            label,
            charset: MailCharset::of(label),
            bytes,
            length,
        })
    }
}

fn from_q(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut rest = data;
    while let Some((first, after)) = rest.split_first() {
        let byte = after.get(..2).filter(|_| *first == b'=').and_then(hex_pair);
        rest = &after[if byte.is_some() { 2 } else { 0 }..];
        match (byte, first) {
            (Some(byte), _) => out.push(byte),
            (None, b'_') => out.push(b' '),
            (None, other) => out.push(*other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_become_text_and_all_other_bytes_stay() {
        for (header, text) in [
            (
                "Subject: =?utf-8?B?MTAuNTU1NS9hYmM=?= x",
                "Subject: 10.5555/abc x",
            ),
            (
                "=?iso-8859-1?q?10.5555/a=5Fb_caf=E9?=",
                "10.5555/a_b caf\u{e9}",
            ),
            (
                "=?utf-8?B?MTAuNTU1?=\r\n\t=?UTF-8?Q?5/split?=\r\n",
                "10.5555/split\r\n",
            ),
            ("=?utf-8?B?w?= =?utf-8?q?=C3?= =?utf-8?q?=A9?=", "\u{e9}"),
            ("=?koi8-r*ru?Q?=C1?= =?utf-8?q?b?=", "\u{430}b"),
            (
                "a =? b =?utf-8?X?c?= =?none?q?d?= =?utf-8?q?e",
                "a =? b =?utf-8?X?c?= d =?utf-8?q?e",
            ),
            ("=?utf-7?q?10.5555/a+AF8-b?=", "10.5555/a_b"),
        ] {
            let (seen, unknown) = super::decoded(header.as_bytes());
            assert_eq!(String::from_utf8_lossy(&seen), text, "{header}");
            assert_eq!(unknown, None);
        }
        let (seen, unknown) = super::decoded(b"=?none?q?=E9?= 10.5555/a");
        assert_eq!(
            (&seen[..], unknown.as_deref()),
            (&b"\xe9 10.5555/a"[..], Some("none"))
        );
    }
}
