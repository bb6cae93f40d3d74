//! The readable text around a mention, for callers that keep it in buffers of their own; see
//! [`Match::around`](crate::Match::around).
//!
//! White space becomes single blanks, control characters are left out, and bytes that are not UTF-8 are replaced. No character is
//! cut.

/// Appends the readable text of the last bytes of `bytes`, at most `max`: those before a name.
pub fn before(bytes: &[u8], max: usize, into: &mut String) {
    let window = &bytes[bytes.len().saturating_sub(max)..];
    // Leaves out the rest of a character that the window cuts.
    let cut = window.iter().take(3);
    let cut = cut.take_while(|byte| **byte & 0xc0 == 0x80).count();
    read(&window[cut..], into);
}

/// Appends the readable text of the first bytes of `bytes`, at most `max`: those after a name.
pub fn after(bytes: &[u8], max: usize, into: &mut String) {
    read(&bytes[..bytes.len().min(max)], into);
}

/// Appends bytes as readable text: white space becomes single blanks, control characters are left out, and bytes that are
/// not UTF-8 are replaced. A character that the end cuts is left out.
fn read(bytes: &[u8], into: &mut String) {
    if bytes.is_empty() {
        return;
    }
    let start = into.len();
    let mut left = bytes.len();
    for part in bytes.utf8_chunks() {
        left -= part.valid().len() + part.invalid().len();
        for char in part.valid().chars() {
            match char {
                _ if char.is_whitespace() => {
                    if !into[start..].ends_with(' ') {
                        into.push(' ');
                    }
                }
                _ if char.is_control() => {}
                _ => into.push(char),
            }
        }
        let is_cut = left == 0 && is_incomplete(part.invalid());
        if !part.invalid().is_empty() && !is_cut {
            into.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Whether more bytes could complete `bytes` to a character.
fn is_incomplete(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(all: &str, max: usize) -> (String, String) {
        let (left, right) = all.split_once('@').unwrap();
        let (mut first, mut last) = (String::new(), String::new());
        before(left.as_bytes(), max, &mut first);
        after(right.as_bytes(), max, &mut last);
        (first, last)
    }

    fn pair(left: &str, right: &str) -> (String, String) {
        (left.to_owned(), right.to_owned())
    }

    #[test]
    fn white_space_is_one_blank_and_control_characters_are_left_out() {
        let text = "a\r\n\t b\u{1b}[1m\0 @\u{a0}\n\nc\u{7f}d\n";
        assert_eq!(around(text, 64), pair("a b[1m ", " cd "));
        assert_eq!(around("@", 64), pair("", ""));
    }

    #[test]
    fn characters_are_whole() {
        assert_eq!(around("xé😀@😀éx", 6), pair("é😀", "😀é"));
        for max in 0..8 {
            let (left, right) = around("é😀é@é😀é", max);
            let fitting = [0, 0, 2, 2, 2, 2, 6, 6][max];
            assert_eq!((left.len(), right.len()), (fitting, fitting), "{max}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        let mut text = String::new();
        before(b"\xe4\xf6 na\xefve ", 64, &mut text);
        after(b"\xfc.\xc3", 64, &mut text);
        assert_eq!(text, "\u{fffd}\u{fffd} na\u{fffd}ve \u{fffd}.");
    }
}
