//! Finds the ends of strings, numbers and words.

use memchr::memchr3;
use wide::u8x16;

/// Whether a number or a word may have this byte.
pub(super) fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Returns the offset of the quote that ends the string at `from`. Returns `None` if an escape or a line end comes first, or
/// there is no quote.
#[inline]
pub(super) fn plain_end(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let end = near_end(rest).or_else(|| memchr3(b'"', b'\\', b'\n', rest))?;
    (rest[end] == b'"').then_some(from + end)
}

/// Returns the first quote, backslash or line end in the next 64 bytes. For short strings, which most are, it is faster than
/// memchr.
#[inline(always)]
fn near_end(rest: &[u8]) -> Option<usize> {
    let near = &rest[..rest.len().min(64)];
    let (parts, last) = near.as_chunks::<16>();
    for (part, bytes) in parts.iter().enumerate() {
        let bytes = u8x16::new(*bytes);
        let is = |byte| bytes.cmp_eq(u8x16::splat(byte));
        let ends = (is(b'"') | is(b'\\') | is(b'\n')).move_mask();
        if ends != 0 {
            return Some(part * 16 + ends.trailing_zeros() as usize);
        }
    }
    let is_end = |byte: &u8| matches!(byte, b'"' | b'\\' | b'\n');
    Some(near.len() - last.len() + last.iter().position(is_end)?)
}
