//! Finds the ends of names of XML elements and attributes.

use wide::u8x16;

/// Returns the length of the name at the start of `bytes`. `None` if it does not end within 16 bytes, or there are fewer bytes. A
/// name ends before a blank, a control character, `/`, `<`, `=`, `>` or a quote.
#[inline(always)]
pub(super) fn short_name(bytes: &[u8]) -> Option<usize> {
    let part = u8x16::new(*bytes.first_chunk()?);
    let (blank, slash) = (u8x16::splat(b' '), u8x16::splat(b'/'));
    let from_less = part - u8x16::splat(b'<');
    let is_sign = from_less.min(u8x16::splat(2)).cmp_eq(from_less);
    let quote = |quote| part.cmp_eq(u8x16::splat(quote));
    let is_quote = quote(b'"') | quote(b'\'');
    let ends = part.min(blank).cmp_eq(part) | part.cmp_eq(slash) | is_sign | is_quote;
    let ends = ends.move_mask();
    (ends != 0).then_some(ends.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_end_at_signs() {
        let length = |text: &str| short_name(format!("{text:16}").as_bytes());
        assert_eq!(length("name>"), Some(4));
        assert_eq!(length("a:b:name=''"), Some(8));
        assert_eq!(length("a/:"), Some(1));
        assert_eq!(length("\u{e9}-._\n:"), Some(5));
        assert_eq!(length("<"), Some(0));
        assert_eq!(length("a\""), Some(1));
        assert_eq!(length("ab'"), Some(2));
        assert_eq!(length("0123456789;!#?@x"), None);
        assert_eq!(short_name(b"name>"), None);
    }
}
