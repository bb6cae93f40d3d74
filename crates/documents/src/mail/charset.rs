//! The charset of a text, and its conversion to UTF-8.

use encoding_rs::{Decoder, Encoding, REPLACEMENT};

use super::base64::value;

/// A charset as its label names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MailCharset {
    Known(&'static Encoding),
    /// UTF-7 (RFC 2152), which web pages may not use and mails do.
    Utf7,
    /// No charset is named, or the label says that it is unknown (RFC 1428). The bytes are kept.
    #[default]
    None,
    /// The label is not known. The bytes are kept.
    Unknown,
}

impl MailCharset {
    pub(super) fn of(label: &[u8]) -> MailCharset {
        let label = label.trim_ascii();
        match Encoding::for_label(label) {
            // Decoders of encodings that web pages may not use return no text.
            Some(known) if known != REPLACEMENT => MailCharset::Known(known),
            _ if is_one_of(label, &UTF_7_LABELS) => MailCharset::Utf7,
            _ if is_one_of(label, &UNKNOWN_LABELS) => MailCharset::None,
            _ => MailCharset::Unknown,
        }
    }

    /// Whether ASCII characters have their ASCII bytes in it.
    pub(super) fn has_ascii(self) -> bool {
        !matches!(self, MailCharset::Known(known) if !known.is_ascii_compatible())
    }

    /// Returns the text of all of `bytes`, in UTF-8 if the charset is known.
    pub(super) fn decode(self, bytes: Vec<u8>) -> Vec<u8> {
        match self {
            MailCharset::Known(known) => {
                let (text, _) = known.decode_without_bom_handling(&bytes);
                text.into_owned().into_bytes()
            }
            MailCharset::Utf7 => Utf7Decoder::default().decode_piece(&bytes),
            MailCharset::None | MailCharset::Unknown => bytes,
        }
    }
}

const UTF_7_LABELS: [&str; 4] = ["utf-7", "utf7", "unicode-1-1-utf-7", "unicode-2-0-utf-7"];
/// Labels by which programs say that they do not know the charset.
const UNKNOWN_LABELS: [&str; 4] = ["", "unknown-8bit", "x-unknown", "unknown"];

fn is_one_of(label: &[u8], known: &[&str]) -> bool {
    known
        .iter()
        .any(|known| label.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether `bytes` may have characters outside ASCII: bytes above 127, or escapes that switch to another set.
pub(super) fn has_foreign(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .any(|byte| !byte.is_ascii() || matches!(byte, b'\x1b' | b'\x0e'))
        || memchr::memmem::find(bytes, b"~{").is_some()
}

/// Converts a text piece by piece.
pub(super) enum CharsetDecoder {
    Known(Decoder),
    Utf7(Utf7Decoder),
    None,
}

impl CharsetDecoder {
    pub(super) fn of(charset: MailCharset) -> Self {
        match charset {
            MailCharset::Known(known) if known == encoding_rs::UTF_8 => CharsetDecoder::None,
            MailCharset::Known(known) => CharsetDecoder::Known(known.new_decoder()),
            MailCharset::Utf7 => CharsetDecoder::Utf7(Utf7Decoder::default()),
            MailCharset::None | MailCharset::Unknown => CharsetDecoder::None,
        }
    }

    /// Converts the next part of the text to UTF-8. Bytes that are not a character become U+FFFD.
    pub(super) fn decode_piece(&mut self, text: Vec<u8>, is_last: bool) -> Vec<u8> {
        match self {
            CharsetDecoder::Known(decoder) => converted(decoder, &text, is_last),
            CharsetDecoder::Utf7(utf7) => utf7.decode_piece(&text),
            CharsetDecoder::None => text,
        }
    }
}

fn converted(decoder: &mut Decoder, text: &[u8], is_last: bool) -> Vec<u8> {
    let max = decoder.max_utf8_buffer_length(text.len());
    let mut out = vec![0; max.unwrap_or(4 * text.len() + 16)];
    let (_, _, written, _) = decoder.decode_to_utf8(text, &mut out, is_last);
    out.truncate(written);
    out
}

/// A decoder of UTF-7: ASCII, and units of UTF-16 in base64 between `+` and `-` or another character that base64 lacks.
#[derive(Default)]
pub(super) struct Utf7Decoder {
    /// Inside base64: bits of an incomplete unit, their number, and whether no digit was read yet.
    shifted: Option<(u32, u32, bool)>,
    /// The first unit of a pair.
    high: Option<u16>,
}

impl Utf7Decoder {
    fn decode_piece(&mut self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        for byte in text {
            match (self.shifted, value(*byte)) {
                (None, _) if *byte == b'+' => self.shifted = Some((0, 0, true)),
                (None, _) => out.push(*byte),
                (Some((bits, held, _)), Some(digit)) => {
                    self.bits(bits << 6 | digit, held + 6, &mut out);
                }
                (Some((.., is_empty)), None) => {
                    self.shifted = None;
                    if is_empty {
                        out.push(b'+');
                    }
                    if *byte != b'-' {
                        out.push(*byte);
                    }
                }
            }
        }
        out
    }

    fn bits(&mut self, bits: u32, held: u32, out: &mut Vec<u8>) {
        let rest = held.saturating_sub(16);
        self.shifted = Some((bits & 0xffff, held, false));
        if held >= 16 {
            self.shifted = Some((bits & ((1 << rest) - 1), rest, false));
            self.unit((bits >> rest) as u16, out);
        }
    }

    fn unit(&mut self, unit: u16, out: &mut Vec<u8>) {
        let is_high = (0xd800..0xdc00).contains(&unit);
        let low = (!is_high).then_some(unit);
        let units = self.high.take().into_iter().chain(low);
        for character in char::decode_utf16(units) {
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.high = is_high.then_some(unit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf7_is_decoded_in_pieces_of_any_length() {
        for (text, wanted) in [
            ("Hi Mom -+Jjo--!", "Hi Mom -\u{263a}-!"),
            ("A+ImIDkQ.", "A\u{2262}\u{391}."),
            ("1 +- 1, + 2", "1 + 1, + 2"),
            ("10.5555/a+AF8-b+ADs-c", "10.5555/a_b;c"),
            ("+2D3eAA and +2D0-x", "\u{1f600} and x"),
            ("+2D0AYQ-", "\u{fffd}a"),
        ] {
            for step in 1..text.len() {
                let (mut utf7, mut out) = (Utf7Decoder::default(), Vec::new());
                for piece in text.as_bytes().chunks(step) {
                    out.extend(utf7.decode_piece(piece));
                }
                assert_eq!(String::from_utf8_lossy(&out), wanted, "{text}");
            }
        }
    }

    #[test]
    fn labels_name_charsets() {
        assert_eq!(MailCharset::of(b" UTF-7 "), MailCharset::Utf7);
        assert_eq!(MailCharset::of(b"x-none"), MailCharset::Unknown);
        assert_eq!(MailCharset::of(b"X-UNKNOWN"), MailCharset::None);
        assert_eq!(MailCharset::of(b"iso-2022-kr"), MailCharset::Unknown);
        assert_eq!(
            MailCharset::of(b"utf8"),
            MailCharset::Known(encoding_rs::UTF_8)
        );
        assert!(has_foreign(b"\x1b$B") && has_foreign(b"caf\xe9") && !has_foreign(b"abc\r\n"));
    }
}
