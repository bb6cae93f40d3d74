//! Recognises breaks by the shape of a name, whatever is around it.

use super::following::{NextWord, is_incomplete};
use super::{MAX_PAGE_DIGITS, WhiteSpace, has_digit, is_long_number, starts_another};
use crate::doi::hex_pair;
use crate::scan::rules::Rule;
use crate::scan::rules::raw::ends_in_break_command;

/// Whether the end of `suffix` allows a break that [`has_break`] recognises, at a glance.
#[inline]
pub(super) fn may_end_part(suffix: &[u8]) -> bool {
    match suffix {
        [.., b'%', _] => true,
        [.., last] => LAST_OF_PART[*last as usize] && ends_part(suffix),
        [] => false,
    }
}

static LAST_OF_PART: [bool; 256] = {
    let mut last = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        last[byte] = matches!(
            byte as u8,
            b'.' | b'_' | b'%' | b';' | b'}' | b']' | b'k' | b'0' | b't' | b'd' | b'D' | 0xAD
        );
        byte += 1;
    }
    last
};

fn ends_part(suffix: &[u8]) -> bool {
    match suffix {
        [.., b'.' | b'_' | b'%' | b';' | 0xAD] => true,
        [.., b'}' | b']'] | [.., b'a', b'k'] | [.., b'y', b'0'] | [.., b'p', b't'] => {
            memchr::memchr(b'\\', suffix).is_some()
        }
        [.., b'\\', b'u', _, _, _, _] => true,
        _ => false,
    }
}

/// Whether the white space that `rest` starts with, described by `end`, is inside the name with `suffix`.
pub(super) fn has_break(suffix: &[u8], rest: &[u8], space: WhiteSpace) -> bool {
    let first = rest.get(space.len).copied().unwrap_or_default();
    let may_go_on = match first {
        // After a full stop, a part of a name starts with such a letter only before the first digit. An `x` may follow a digit.
        b'a'..=b'w' | b'y' | b'z' => !suffix.ends_with(b".") || !has_digit(suffix),
        b'A'..=b'W' | b'Y' | b'Z' => !suffix.ends_with(b"."),
        _ => first.is_ascii_alphanumeric(),
    };
    if space.line_feeds > 1 || !may_go_on {
        return false;
    }
    let following = NextWord::read(&rest[space.len..]);
    if starts_another(following.word) {
        return false;
    }
    ends_in_break_command(suffix)
        || ends_in_soft_hyphen(suffix) && Rule::BreakAfterSoftHyphen.holds()
        || is_in_escape(suffix, following.word, space) && Rule::BreakInEscape.holds()
        || is_in_chapter(suffix, following.word) && Rule::BreakInShape.holds()
        || is_before_last_part(suffix, following, space) && Rule::BreakInShape.holds()
        || is_before_number(suffix, following) && Rule::BreakBeforeNumber.holds()
}

/// Whether `suffix` ends in a soft hyphen, which is shown only at the end of a broken line.
fn ends_in_soft_hyphen(suffix: &[u8]) -> bool {
    const FORMS: [&[u8]; 5] = [b"\xC2\xAD", b"&shy;", b"&#173;", b"&#xAD;", b"\\u00ad"];
    let is_at_end = |form: &&[u8]| {
        let near = suffix.len().checked_sub(form.len()).map(|at| &suffix[at..]);
        near.is_some_and(|near| near.eq_ignore_ascii_case(form))
    };
    FORMS.iter().any(is_at_end)
}

/// Whether the break is inside a percent-encoded mark, `10.1023/A%` and `3A1022645801436`.
fn is_in_escape(suffix: &[u8], word: &[u8], space: WhiteSpace) -> bool {
    let byte = match (suffix, word) {
        ([.., b'%'], [high, low, _, ..]) => hex_pair(*high, *low),
        ([.., b'%', high], [low, _, ..]) => hex_pair(*high, *low),
        _ => None,
    };
    space.line_feeds == 1 && byte.is_some_and(|byte| byte.is_ascii_punctuation())
}

/// Whether `suffix` is the ISBN of a book and `_`, and `word` starts as the number of a chapter does.
fn is_in_chapter(suffix: &[u8], word: &[u8]) -> bool {
    const ISBN_DIGITS: usize = 13;
    let Some(book) = suffix.strip_suffix(b"_") else {
        return false;
    };
    let digits = book.iter().filter(|b| b.is_ascii_digit()).count();
    let is_isbn = digits == ISBN_DIGITS && book.iter().all(|b| b.is_ascii_digit() || *b == b'-');
    is_isbn && book.starts_with(b"97") && word[0].is_ascii_digit()
}

/// Whether the last part of a name follows, as publishers form them: the `x` after a journal, a year and a number; the number of
/// an article after a year and a month; the number of a paper after the short name of a conference and a year, or after the
/// number of its proceedings, which has as many digits.
fn is_before_last_part(suffix: &[u8], following: NextWord<'_>, space: WhiteSpace) -> bool {
    let Some(front) = suffix.trim_ascii_start().strip_suffix(b".") else {
        return false;
    };
    let is_journal = front.starts_with(b"j.");
    let digits = following
        .word
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let is_proceedings = front.len() > MAX_PAGE_DIGITS && front.iter().all(u8::is_ascii_digit);
    let is_conference = front.iter().take_while(|b| b.is_ascii_uppercase()).count() > 1;
    match following.word[0] {
        b'x' | b'X' => is_journal && has_digit(front) && is_x(following.word),
        b'1'..=b'9' if is_proceedings => digits == front.len(),
        b'1' | b'2' if is_journal && ends_in_issn(front) => {
            digits == 4 && following.word[4..].starts_with(b".")
        }
        b'0' => digits == 3 && is_incomplete(front) && ends_in_month(front),
        b'1'..=b'9' if is_journal => digits == 3 && is_incomplete(front) && ends_in_month(front),
        b'1'..=b'9' => {
            let is_year = is_incomplete(front) && has_digit(front) && !ends_in_month(front);
            space.line_feeds == 1 && is_conference && is_year && !following.may_be_item()
        }
        _ => false,
    }
}

/// Whether `suffix` is `j.` and an ISSN, after which the year follows.
fn ends_in_issn(suffix: &[u8]) -> bool {
    let between = suffix.get(2..suffix.len().saturating_sub(ISSN_BYTES));
    between.is_some_and(|between| between.trim_ascii().is_empty()) && is_issn_at_end(suffix)
}

/// Bytes of an ISSN.
const ISSN_BYTES: usize = 9;

fn is_issn_at_end(text: &[u8]) -> bool {
    let is_issn = |(at, byte): (usize, &u8)| match at {
        4 => *byte == b'-',
        8 => byte.is_ascii_digit() || byte.eq_ignore_ascii_case(&b'x'),
        _ => byte.is_ascii_digit(),
    };
    let issn = text.last_chunk::<ISSN_BYTES>();
    issn.is_some_and(|issn| issn.iter().enumerate().all(is_issn))
}

/// Whether `suffix` ends in a full stop and the two digits of a month.
fn ends_in_month(suffix: &[u8]) -> bool {
    matches!(suffix, [.., b'.', b'0' | b'1', b'0'..=b'9'])
}

/// Whether `suffix` has no digit yet, and letters, a full stop and digits follow it: `10.1371/journal.` and `pone.0176020`.
fn is_before_number(suffix: &[u8], following: NextWord<'_>) -> bool {
    let Some(front) = suffix.strip_suffix(b".") else {
        return false;
    };
    // A break was joined before this one.
    if front.iter().any(u8::is_ascii_whitespace)
        && !has_digit(front)
        && following.word[0].is_ascii_digit()
    {
        return is_long_number(following.word);
    }
    let is_lower_case = following.word[0].is_ascii_lowercase();
    let letters = following
        .word
        .iter()
        .take_while(|b| b.is_ascii_alphabetic())
        .count();
    let is_part = match &following.word[letters..] {
        [b'.', rest @ ..] => rest.is_empty() || rest[0].is_ascii_alphanumeric(),
        _ => false,
    };
    !front.is_empty()
        && !has_digit(front)
        && is_lower_case
        && is_part
        && following.leads_to_number()
}

/// Whether `suffix` ends in a full stop and lacks a number as its last part, as publishers form names: a page after volume and
/// issue, `archderm.114.3.` or `v6i1.`; a number after the short name of a journal and a digit, `fes3.`; the year after the
/// number of a manuscript; a chapter. Of 385,484 registered names, 5,800 have these forms, and 90 end before the number.
pub(super) fn lacks_last_part(suffix: &[u8]) -> bool {
    let bare: Vec<u8> = suffix
        .iter()
        .copied()
        .filter(|b| !b.is_ascii_whitespace())
        .collect();
    let Some(front) = bare.strip_suffix(b".") else {
        return false;
    };
    let is_short_title = matches!(front, [title @ .., b'0'..=b'9'] if !title.is_empty() && title.iter().all(u8::is_ascii_alphabetic));
    is_short_title
        || is_year_and_journal(front)
        || ends_in_issue(front)
        || ends_in_manuscript(front)
        || ends_in_handbook(front)
}

/// Whether `front` ends in a volume and an issue of one digit, after letters or an ISSN, or in `v6i1`.
fn ends_in_issue(front: &[u8]) -> bool {
    const MAX_VOLUME_DIGITS: usize = 3;
    let [front @ .., mark, b'1'..=b'9'] = front else {
        return false;
    };
    let digits = front
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let (head, volume) = front.split_at(front.len() - digits);
    let is_volume = (1..=MAX_VOLUME_DIGITS).contains(&volume.len());
    is_volume
        && match (head, mark) {
            ([.., b'.', b'v'], b'i') => true,
            ([head @ .., b'.' | b'/' | b'-'], b'.') => {
                head.last().is_some_and(u8::is_ascii_alphabetic)
                    || is_issn_at_end(head)
                    || volume.len() > 1 && ends_in_year(head)
            }
            _ => false,
        }
}

/// Whether `front` ends in letters, a full stop and a year.
fn ends_in_year(front: &[u8]) -> bool {
    match front {
        [.., letter, b'.', b'1', b'9', _, digit] | [.., letter, b'.', b'2', b'0', _, digit] => {
            letter.is_ascii_alphabetic() && digit.is_ascii_digit()
        }
        _ => false,
    }
}

/// Whether `front` is a year and the short name of a journal, `2013.jamadermatol`, which a number follows.
fn is_year_and_journal(front: &[u8]) -> bool {
    match front {
        [b'1' | b'2', b'0' | b'9', _, digit, b'.', journal @ ..] => {
            digit.is_ascii_digit()
                && !journal.is_empty()
                && journal.iter().all(u8::is_ascii_alphabetic)
        }
        _ => false,
    }
}

/// Whether `front` ends in the number of a manuscript as one publisher forms it, `wnl.0000078943.50032`. Two digits follow it,
/// hexadecimal in some names.
pub(super) fn ends_in_manuscript(front: &[u8]) -> bool {
    let front = front.strip_suffix(b".").unwrap_or(front);
    let mut parts = front.rsplit(|b| *b == b'.').map(<[u8]>::trim_ascii);
    let mut is_number = |len: usize| {
        let part = parts.next().unwrap_or_default();
        let digits = part.iter().filter(|b| !b.is_ascii_whitespace());
        digits.clone().count() == len && digits.into_iter().all(u8::is_ascii_digit)
    };
    is_number(5) && is_number(10)
}

/// Whether `front` is the ISBN of a handbook with its number, `oxfordhb/9780199841332.013`.
fn ends_in_handbook(front: &[u8]) -> bool {
    const ISBN_DIGITS: usize = 13;
    let Some(front) = front.strip_suffix(b".013") else {
        return false;
    };
    let isbn = front.rsplit(|b| *b == b'/').next().unwrap_or_default();
    isbn.len() == ISBN_DIGITS && isbn.iter().all(u8::is_ascii_digit)
}

/// Whether `word` is two hexadecimal digits, perhaps with marks after them.
pub(super) fn is_hexadecimal_pair(word: &[u8]) -> bool {
    match word {
        [a, b, rest @ ..] => {
            hex_pair(*a, *b).is_some() && !rest.first().is_some_and(u8::is_ascii_alphanumeric)
        }
        _ => false,
    }
}

/// Whether `word` is the letter that the names of one publisher end in.
pub(super) fn is_x(word: &[u8]) -> bool {
    let end = word.iter().rposition(u8::is_ascii_alphanumeric);
    matches!(&word[..end.map_or(0, |at| at + 1)], b"x" | b"X")
}
