//! The percent escape: two hexadecimal digits for a byte (H1, H5).

use std::borrow::Cow;

/// The byte that two hexadecimal digits denote.
pub(crate) fn hex_pair(high: u8, low: u8) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    u8::try_from(digit(high)? << 4 | digit(low)?).ok()
}

/// The first decoded byte of `escaped`, and the number of bytes it was read from: three for an escape, else one.
/// A `%` without two hexadecimal digits after it is a percent sign (H5).
pub(super) fn first(escaped: &[u8]) -> Option<(u8, usize)> {
    first_after(b'%', escaped)
}

/// The same for escapes that start with `mark`.
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

/// The same for escapes that start with `mark`, as those of quoted-printable do with `=`.
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

/// The offset in `text` of the byte that is at offset `decoded` in the output of [`decode`].
pub(super) fn written_at(text: &str, decoded: usize) -> usize {
    let mut at = 0;
    for _ in 0..decoded {
        at += first(&text.as_bytes()[at..]).map_or(0, |(_, width)| width);
    }
    at
}

/// Appends the escape for `byte`, with upper case digits as in the newest of the source documents.
pub(super) fn push(byte: u8, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}
