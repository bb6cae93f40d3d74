//! The percent escape: two hexadecimal digits for a byte (H1, H5).

use std::borrow::Cow;

/// Returns the byte of two hexadecimal digits, or `None` for other bytes.
pub(crate) fn hex_pair(high: u8, low: u8) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    u8::try_from(digit(high)? << 4 | digit(low)?).ok()
}

/// Decodes the first byte of `escaped`. Also returns the number of bytes read: three for an escape, else one. A `%` without two
/// hexadecimal digits after it is a percent sign (H5).
pub(super) fn first(escaped: &[u8]) -> Option<(u8, usize)> {
    first_after(b'%', escaped)
}

/// Decodes as [`first`] does, for escapes that start with `mark`.
fn first_after(mark: u8, escaped: &[u8]) -> Option<(u8, usize)> {
    match *escaped {
        [first, high, low, ..] if first == mark => {
            Some(hex_pair(high, low).map_or((mark, 1), |byte| (byte, 3)))
        }
        [byte, ..] => Some((byte, 1)),
        [] => None,
    }
}

/// Undoes each escape once. Copies only if there is a `%`.
pub(crate) fn decode(text: &str) -> Cow<'_, [u8]> {
    decode_after(b'%', text)
}

/// Undoes escapes that start with `mark`, such as `=` for quoted-printable.
pub(crate) fn decode_after(mark: u8, text: &str) -> Cow<'_, [u8]> {
    let mut rest = text.as_bytes();
    let Some(plain) = memchr::memchr(mark, rest) else {
        return Cow::Borrowed(rest);
    };
    let mut decoded = Vec::with_capacity(rest.len());
    decoded.extend_from_slice(&rest[..plain]);
    rest = &rest[plain..];
    while let Some((byte, width)) = first_after(mark, rest) {
        decoded.push(byte);
        rest = &rest[width..];
    }
    Cow::Owned(decoded)
}

/// Converts an offset in the output of [`decode`] to an offset in `text`.
pub(super) fn written_at(text: &str, decoded: usize) -> usize {
    let mut at = 0;
    for _ in 0..decoded {
        at += first(&text.as_bytes()[at..]).map_or(0, |(_, width)| width);
    }
    at
}

/// Appends the escape for `byte`, with upper case digits, as in the newest of the source documents.
pub(super) fn push(byte: u8, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}
