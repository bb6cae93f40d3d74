//! The headers and footers of printed sheets.

use memchr::memchr;

/// Returns the text of a header or footer, in which `&` starts codes of formats and parts (ISO/IEC 29500-1, 18.3.1.39).
pub(super) fn text(text: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(at) = memchr(b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length = match rest {
            [b'&', ..] => {
                out.push(b'&');
                1
            }
            // The left, middle and right part.
            [b'L' | b'C' | b'R', ..] => {
                out.extend_from_slice(b"\n\n");
                1
            }
            [b'"', name @ ..] => memchr(b'"', name).map_or(rest.len(), |end| end + 2),
            [b'K', ..] => rest.len().min(7),
            _ if digits > 0 => digits,
            // A field such as the page number, or a format.
            _ => rest.len().min(1),
        };
        rest = &rest[length..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_no_text() {
        for (header, shown) in [
            ("&Ldoi:10.5555/a&Rpage &P", "\n\ndoi:10.5555/a\n\npage "),
            ("&\"Arial,Bold\"&12&K00FF00a&&b&", "a&b"),
            ("&\"open", ""),
        ] {
            assert_eq!(text(header.as_bytes()), shown.as_bytes(), "{header}");
        }
    }
}
