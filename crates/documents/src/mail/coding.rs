//! The encoding of a body, as its header states it.

use super::field::{unquoted, without_comments};

/// How the bytes of a body are encoded (RFC 2045, 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MailCoding {
    /// Not encoded.
    #[default]
    Plain,
    Base64,
    Quoted,
    Uu,
}

impl MailCoding {
    /// Returns the coding that a field names; [`Plain`](MailCoding::Plain) for an unknown one.
    pub(super) fn of(value: &[u8]) -> MailCoding {
        let value = without_comments(value);
        let value = value.split(|byte| *byte == b';').next().unwrap_or(&value);
        let value = unquoted(value);
        match value.trim_ascii().to_ascii_lowercase().as_slice() {
            b"base64" => MailCoding::Base64,
            b"quoted-printable" => MailCoding::Quoted,
            b"x-uuencode" | b"uuencode" | b"x-uue" | b"uue" => MailCoding::Uu,
            _ => MailCoding::Plain,
        }
    }
}
