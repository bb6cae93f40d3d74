//! How many bytes a candidate can take up at most, before any escape is undone.

use super::spelling::prefix;
use super::{BEFORE, Candidate, Form, before_twice, opener, standing};

/// Where the candidate ends, counted from its first byte.
pub(super) fn stretch(candidate: &Candidate<'_>) -> usize {
    let (text, from) = (candidate.behind, candidate.prefix.len);
    let joinable = candidate.around.form != Form::Bare;
    let mut at = from;
    while at < text.len() && at <= candidate.max_name {
        let blanks = if joinable {
            break_len(text, from, at)
        } else {
            None
        };
        if let Some(doubled) = next_name(candidate, at) {
            let name = &text[from..at - doubled];
            let led_up = opener::scheme(name).map_or(0, |(_, len)| len);
            // A break directly before the next name was none.
            at = from + name[..name.len() - led_up].trim_ascii_end().len();
            break;
        } else if let Some(len) = blanks {
            at += len;
        } else if text[at..].starts_with(b"<wbr />") {
            at += b"<wbr />".len();
        } else if ends_here(&text[at..]) {
            break;
        } else {
            at += 1;
        }
    }
    at
}

/// Whether `rest` starts with what no name holds, however it is escaped: a blank or another control, some marks, a tag.
fn ends_here(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/' | b'!' | b'?', ..] => true,
        [byte, ..] => *byte <= b' ' || *byte == 0x7F || b"\"|`".contains(byte),
        [] => true,
    }
}

/// Whether a name of its own starts at `at` of the candidate, as told by the bytes beside it: the length of a directory
/// indicator that is written twice.
fn next_name(candidate: &Candidate<'_>, at: usize) -> Option<usize> {
    let behind = &candidate.behind[at..];
    let next = prefix(behind)?;
    let before = [candidate.before, &candidate.behind[..at]].concat();
    let before = &before[before.len().saturating_sub(BEFORE)..];
    let is_name = matches!(standing(before, behind, &next), Some(Ok(_)));
    is_name.then(|| before.len() - before_twice(before).unwrap_or(before).len())
}

/// The length of the white space at `at`, if it may be a break in the suffix that starts at `from`.
fn break_len(text: &[u8], from: usize, at: usize) -> Option<usize> {
    if !b" \t\r\n".contains(&text[at]) {
        return None;
    }
    let rest = &text[at..];
    let len = rest
        .iter()
        .take(16)
        .take_while(|b| b.is_ascii_whitespace())
        .count();
    let (blanks, rest) = rest.split_at(len);
    let word: Vec<u8> = rest
        .iter()
        .copied()
        .take(64)
        .take_while(|b| !b.is_ascii_whitespace() && *b != b'"')
        .collect();
    let lines = blanks.iter().filter(|b| **b == b'\n').count();
    (lines <= 1 && goes_on(&text[from..at], &word)).then_some(len)
}

/// Whether `word` looks like more of a name that has `suffix` so far.
fn goes_on(suffix: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else {
        return false;
    };
    let word_has_digit = word.iter().any(u8::is_ascii_digit);
    let starts_well = first.is_ascii_alphanumeric() || *first == b'(';
    if suffix.is_empty() {
        return starts_well && (word_has_digit || first.is_ascii_lowercase());
    }
    if suffix == b"j." {
        return first.is_ascii_alphanumeric();
    }
    match suffix[suffix.len() - 1] {
        b'/' | b'-' | b':' => starts_well && word_has_digit,
        b'.' => first.is_ascii_digit() && !suffix.iter().any(u8::is_ascii_digit),
        _ => false,
    }
}
