//! The charset of a text, and its conversion to UTF-8.

use std::borrow::Cow;

use charset::{Charset, UTF_7};

/// A charset as its label names it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum MailCharset {
    Known(Charset),
    /// No charset is named, or the label says that it is unknown (RFC 1428). The bytes are kept.
    #[default]
    None,
    /// The label is not known. The bytes are kept.
    Unknown,
}

/// Labels by which programs say that they do not know the charset.
const UNKNOWN_LABELS: [&str; 4] = ["", "unknown-8bit", "x-unknown", "unknown"];

impl MailCharset {
    pub(super) fn of(label: &[u8]) -> MailCharset {
        let label = label.trim_ascii();
        let is_label = |known: &&str| label.eq_ignore_ascii_case(known.as_bytes());
        match Charset::for_label_no_replacement(label) {
            Some(known) => MailCharset::Known(known),
            None if UNKNOWN_LABELS.iter().any(is_label) => MailCharset::None,
            None => MailCharset::Unknown,
        }
    }

    /// Whether ASCII characters have their ASCII bytes in it.
    pub(super) fn has_ascii(self) -> bool {
        !matches!(self, MailCharset::Known(known) if !known.is_ascii_compatible() && known != UTF_7)
    }

    /// Returns the text of all of `bytes`, in UTF-8 if the charset is known. Bytes that are not a character become U+FFFD,
    /// except in UTF-8.
    pub(super) fn decode(self, bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
        match self {
            MailCharset::Known(known) if known.name() != "UTF-8" => {
                let (text, _) = known.decode_with_bom_removal(&bytes);
                text.into_owned().into_bytes().into()
            }
            _ => bytes,
        }
    }
}

/// Whether `bytes` may have characters outside ASCII: bytes above 127, or escapes that switch to another set.
pub(super) fn has_foreign(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .any(|byte| !byte.is_ascii() || matches!(byte, b'\x1b' | b'\x0e'))
        || memchr::memmem::find(bytes, b"~{").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_charsets() {
        assert_eq!(MailCharset::of(b" UTF-7 "), MailCharset::Known(UTF_7));
        assert_eq!(MailCharset::of(b"x-none"), MailCharset::Unknown);
        assert_eq!(MailCharset::of(b"X-UNKNOWN"), MailCharset::None);
        assert_eq!(MailCharset::of(b"iso-2022-kr"), MailCharset::Unknown);
        assert!(MailCharset::of(b"utf-7").has_ascii() && !MailCharset::of(b"utf-16").has_ascii());
        assert!(has_foreign(b"\x1b$B") && has_foreign(b"caf\xe9") && !has_foreign(b"abc\r\n"));
    }
}
