//! Recognises a SICI (ANSI/NISO Z39.56) at the end of a suffix: `…49:8<693::AID-X>3.0.CO;2-O`.

use super::Rule;

/// Whether `code` is the `3.0.CO` of a SICI.
pub(crate) fn is_code(code: &[u8]) -> bool {
    matches!(code, [a, b'.', b, b'.', c, d]
        if a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_alphabetic() && d.is_ascii_alphabetic())
}

/// Whether the semicolon of a whole ending, `3.0.CO;2-O`, is at `at` of `text`. It does not separate cells.
pub(crate) fn is_semicolon(text: &[u8], at: usize) -> bool {
    let is_tail = matches!(text[at..], [b';', a, b'-', b, ..] if a.is_ascii_digit() && b.is_ascii_graphic() && b != b';');
    Rule::SiciTail.holds() && is_tail && is_code(&text[at.saturating_sub(6)..at])
}

/// Bytes after the code in the endings `3.0.CO;2`, of names that lack the rest.
pub(super) const BARE_TAIL_BYTES: usize = 2;

/// Whether the semicolon of an ending without the rest, `3.0.CO;2`, is at `at` of `text`, before the end of a cell. It may
/// separate two cells, but of 179 registered names that end in `3.0.CO` or `3.0.CO;2`, 153 have the digit.
pub(crate) fn is_bare_semicolon(text: &[u8], at: usize) -> bool {
    let is_tail = text[at..].starts_with(b";2")
        && matches!(
            text.get(at + BARE_TAIL_BYTES),
            None | Some(b';' | b'\r' | b'\n')
        );
    Rule::SiciTail.holds() && is_tail && is_code(&text[at.saturating_sub(6)..at])
}

/// Whether `rest`, after the closing angle bracket, goes on as a SICI does: `3.0.CO;`. Some names were registered, or are cited,
/// without the text after the code.
pub(crate) fn goes_on_after_angle(rest: &[u8]) -> bool {
    let is_whole = !rest.get(6).is_some_and(u8::is_ascii_alphanumeric);
    Rule::SiciAngle.holds() && rest.len() >= 6 && is_whole && is_code(&rest[..6])
}

/// Whether `rest` starts in the middle of a whole SICI: `APMC117>3.0.CO;2-9`.
pub(crate) fn is_middle_of_whole(rest: &[u8]) -> bool {
    let close = rest.iter().position(|b| matches!(b, b'>' | b']'));
    close.is_some_and(|close| goes_on_after_angle(&rest[close + 1..]))
}

/// Max bytes of a SICI with blanks to look at.
const MAX_MIDDLE_BYTES: usize = 48;

/// Whether the blank that `rest` starts with may be inside the SICI that `front` ends in, at a glance: a bracket comes before or
/// after it.
#[inline]
pub(crate) fn may_have_blank(front: &[u8], rest: &[u8]) -> bool {
    let is_bracket = |b: &u8| matches!(b, b'[' | b'<' | b']' | b'>');
    let opens = |b: &u8| matches!(b, b'[' | b'<') || b.is_ascii_whitespace();
    rest.get(1).is_some_and(opens) || front.iter().any(is_bracket)
}

/// Whether the blanks between `front` and `rest` are inside a SICI: before its middle or in it, `(2007)27 [ 32:TLBCFP]2.0.CO;2`.
pub(crate) fn is_blank_inside(front: &[u8], rest: &[u8]) -> bool {
    if let [b'[' | b'<', middle @ ..] = rest {
        return is_middle(middle);
    } else if matches!(front.last(), Some(b']' | b'>')) {
        return goes_on_after_angle(rest);
    }
    let near = &front[front.len().saturating_sub(MAX_MIDDLE_BYTES)..];
    let Some(open) = near.iter().rposition(|b| matches!(b, b'[' | b'<')) else {
        return false;
    };
    let (front, rest) = (&near[open + 1..], &rest[..rest.len().min(MAX_MIDDLE_BYTES)]);
    memchr::memchr2(b']', b'>', front).is_none() && is_middle(&[front, rest].concat())
}

/// Whether `text`, after an opening bracket, is a page, a colon and letters, a closing bracket, and goes on as a SICI does.
fn is_middle(text: &[u8]) -> bool {
    let near = &text[..text.len().min(MAX_MIDDLE_BYTES)];
    let Some(close) = near.iter().position(|b| matches!(b, b']' | b'>')) else {
        return false;
    };
    let (inner, after) = (&near[..close], near[close + 1..].trim_ascii_start());
    let may = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b' ' | b'-' | b'.');
    inner
        .trim_ascii_start()
        .first()
        .is_some_and(u8::is_ascii_digit)
        && inner.contains(&b':')
        && inner.iter().all(may)
        && goes_on_after_angle(after)
}

/// Whether the semicolon that `rest` starts with is that of the `;2-O` that ends a SICI, by its own shape or by the `3.0.CO` that
/// `suffix` ends in.
pub(crate) fn is_tail(suffix: &[u8], rest: &[u8]) -> bool {
    let code = &suffix[suffix.len().saturating_sub(6)..];
    let goes_on = rest.get(1).is_some_and(u8::is_ascii_digit);
    Rule::SiciTail.holds()
        && rest.first() == Some(&b';')
        && (rest.starts_with(b";2-") || goes_on && is_code(code))
}
