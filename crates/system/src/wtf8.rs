//! WTF-8, the encoding that std has for strings of Windows: UTF-8, and unpaired surrogates in three bytes each.

/// Converts WTF-8 to UTF-16. Each byte that is not valid WTF-8 becomes U+FFFD.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn to_wide(bytes: &[u8]) -> Vec<u16> {
    const REPLACEMENT: u16 = 0xfffd;
    let mut wide = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let valid = match str::from_utf8(rest) {
            Ok(_) => rest.len(),
            Err(error) => error.valid_up_to(),
        };
        let (text, after) = rest.split_at(valid);
        wide.extend(str::from_utf8(text).unwrap_or_default().encode_utf16());
        rest = match after {
            [0xed, b @ 0xa0..=0xbf, c @ 0x80..=0xbf, after @ ..] => {
                wide.push(0xd000 | u16::from(b & 0x3f) << 6 | u16::from(c & 0x3f));
                after
            }
            [_, after @ ..] => {
                wide.push(REPLACEMENT);
                after
            }
            [] => after,
        };
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_without_a_partner_come_back() {
        let wide = |text: &str| text.encode_utf16().collect::<Vec<_>>();
        assert_eq!(to_wide("aé\u{1f600}".as_bytes()), wide("aé\u{1f600}"));
        assert_eq!(
            to_wide(b"a\xed\xa0\x80b\xed\xbf\xbf"),
            [0x61, 0xd800, 0x62, 0xdfff]
        );
        assert_eq!(to_wide(b"\xff\xed\xa0"), wide("\u{fffd}\u{fffd}\u{fffd}"));
    }
}
