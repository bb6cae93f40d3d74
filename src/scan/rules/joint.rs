//! Whether white space is a break inside a name, as printed references have it.

use super::Rule;

/// How much white space a break may be.
const LONGEST_BREAK: usize = 16;
/// How much of the next word bears on it.
const LONGEST_WORD: usize = 64;

/// The length of the white space that `rest` starts with, if it may be a break after `suffix`, as written so far.
pub(crate) fn break_len(suffix: &[u8], rest: &[u8]) -> Option<usize> {
    let near = &rest[..rest.len().min(LONGEST_BREAK)];
    let blanks = near.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let lines = rest[..blanks].iter().filter(|b| **b == b'\n').count();
    let word = first_word(&rest[blanks..]);
    (lines <= 1 && goes_on(suffix, word)).then_some(blanks)
}

/// The bytes up to the next white space or quote.
fn first_word(rest: &[u8]) -> &[u8] {
    let near = rest.iter().take(LONGEST_WORD);
    let len = near
        .take_while(|b| !b.is_ascii_whitespace() && **b != b'"')
        .count();
    &rest[..len]
}

/// Whether `word` looks like the rest of the name whose suffix so far is `suffix`.
///
/// A slash wants more after it; a hyphen or colon goes on with digits; and a suffix without any digit is seldom whole.
fn goes_on(suffix: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else {
        return false;
    };
    let has_digit = word.iter().any(u8::is_ascii_digit);
    let starts_well = first.is_ascii_alphanumeric() || *first == b'(';
    match suffix {
        [] => {
            Rule::BreakAfterPrefix.holds()
                && starts_well
                && (has_digit || first.is_ascii_lowercase())
        }
        [.., b'/' | b'-' | b':'] => Rule::BreakAfterMark.holds() && starts_well && has_digit,
        b"j." => Rule::BreakAfterJournal.holds() && first.is_ascii_alphanumeric(),
        [.., b'.'] => {
            let goes_on = match broken_after_stop(suffix) {
                true => word.iter().all(|b| b.is_ascii_digit() || *b == b'.'),
                false => !suffix.iter().any(u8::is_ascii_digit),
            };
            Rule::BreakAfterStop.holds() && first.is_ascii_digit() && goes_on
        }
        _ => false,
    }
}

/// Whether a break after a full stop was joined in `suffix`: who broke a name at one broke it at each.
fn broken_after_stop(suffix: &[u8]) -> bool {
    let is_break = |pair: &[u8]| pair[0] == b'.' && pair[1].is_ascii_whitespace();
    suffix.windows(2).any(is_break)
}
