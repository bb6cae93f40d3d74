//! Whether white space is a break inside a name, as printed references have it.

use super::{Around, Form, Rule, Scope};

/// How much white space a break may be.
const LONGEST_BREAK: usize = 16;
/// How much of the next word bears on it.
const LONGEST_WORD: usize = 64;

/// Where white space can be a break inside a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Joints {
    /// A label, scheme or proxy comes before the name.
    is_labelled: bool,
    /// The layout of a page broke the lines.
    is_printed: bool,
}

impl Joints {
    /// Those of a name that `around` describes.
    pub(crate) fn of(around: &Around) -> Self {
        Joints {
            is_labelled: around.form != Form::Bare,
            is_printed: around.scope == Scope::Printed,
        }
    }

    #[cfg(test)]
    pub(crate) fn for_tests(is_labelled: bool) -> Self {
        Joints {
            is_labelled,
            is_printed: false,
        }
    }

    /// The length of the white space that `rest` starts with, if it may be a break after `suffix`, as written so far.
    pub(crate) fn break_len(self, suffix: &[u8], rest: &[u8]) -> Option<usize> {
        if self == Joints::default() {
            return None;
        }
        let near = &rest[..rest.len().min(LONGEST_BREAK)];
        let blanks = near.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let lines = rest[..blanks].iter().filter(|b| **b == b'\n').count();
        let word = first_word(&rest[blanks..]);
        let is_break = lines <= 1 && self.is_labelled && goes_on(suffix, word)
            || lines == 1 && self.is_printed && line_goes_on(suffix, word);
        is_break.then_some(blanks)
    }
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

/// Whether `word` on the next line goes on with the name whose suffix so far is `suffix`, at the end of a line that has no
/// room for it.
///
/// Nothing but a name ends in a joint there. After a full stop, a word may also start the next sentence, and a number the next
/// item of a list.
fn line_goes_on(suffix: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first().filter(|_| Rule::LineEnd.holds()) else {
        return false;
    };
    let has_digit = |text: &[u8]| text.iter().any(u8::is_ascii_digit);
    if !(first.is_ascii_alphanumeric() || *first == b'(') || starts_another(word) {
        return false;
    }
    match suffix {
        [] => true,
        [.., b'/' | b'-' | b'_' | b':' | b'('] => true,
        // A suffix without any digit is seldom whole.
        [.., b'.'] if !has_digit(suffix) => true,
        [front @ .., b'.'] => match first {
            b'0'..=b'9' => is_long_number(word) || ends_in_number(front),
            _ => first.is_ascii_lowercase() && has_digit(word),
        },
        // The middle of a SICI.
        [.., b'C' | b'c', b'O' | b'o', b';'] => *first == b'2',
        _ => !first.is_ascii_uppercase() && is_rest_of_name(word),
    }
}

/// Whether `word` could be no word of a text, but the rest of a name that was broken between two letters or digits: it has
/// marks and digits inside, and is neither a fraction nor a range.
fn is_rest_of_name(word: &[u8]) -> bool {
    let len = word.iter().rposition(u8::is_ascii_alphanumeric);
    let word = &word[..len.map_or(0, |last| last + 1)];
    let is_mark = |b: &&u8| matches!(b, b'.' | b'-' | b'_' | b'/' | b'(' | b'[' | b':' | b';');
    let marks = word.iter().filter(is_mark).count();
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = word.iter().any(u8::is_ascii_alphabetic);
    has_inner_mark(word) && digits > 1 && (marks > 1 || letters || digits > 8)
}

/// Whether `word` starts a name or a URL of its own.
fn starts_another(word: &[u8]) -> bool {
    let starts = |start: &[u8]| {
        let front = word.get(..start.len());
        front.is_some_and(|front| front.eq_ignore_ascii_case(start))
    };
    starts(b"http") || starts(b"doi") || starts(b"www.") || starts(b"10.") && word.contains(&b'/')
}

/// Whether a mark is between two letters or digits of `word`.
fn has_inner_mark(word: &[u8]) -> bool {
    word.windows(3).any(|three| {
        matches!(three[1], b'.' | b'-' | b'_' | b'/' | b'(' | b'[' | b':')
            && three[0].is_ascii_alphanumeric()
            && three[2].is_ascii_alphanumeric()
    })
}

/// Whether `word` starts with a number of more digits than a page or a year has, or with zeros, or has more of a name after
/// its number.
fn is_long_number(word: &[u8]) -> bool {
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 4 || word[0] == b'0' || has_inner_mark(word)
}

/// Whether `suffix` ends in a full stop and a short number, as a year, a month or a volume in a name, after which a number of
/// the name may follow.
fn ends_in_number(suffix: &[u8]) -> bool {
    const LONGEST: usize = 4;
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit());
    let digits = digits.count();
    (1..=LONGEST).contains(&digits) && suffix[..suffix.len() - digits].ends_with(b".")
}

/// Whether the line ends in `rest`, which follows a name and the marks after it, and the paragraph goes on. Then the name
/// may go on too.
pub(crate) fn is_at_line_end(rest: &[u8]) -> bool {
    const MARKS: usize = 2;
    let marks = rest.iter().take(MARKS);
    let marks = marks.take_while(|b| matches!(b, b'.' | b'-' | b'/' | b':'));
    matches!(rest[marks.count()..], [b'\n', next, ..] if next != b'\n') && Rule::LineEnd.holds()
}

/// Whether a break after a full stop was joined in `suffix`: who broke a name at one broke it at each.
fn broken_after_stop(suffix: &[u8]) -> bool {
    let is_break = |pair: &[u8]| pair[0] == b'.' && pair[1].is_ascii_whitespace();
    suffix.windows(2).any(is_break)
}
