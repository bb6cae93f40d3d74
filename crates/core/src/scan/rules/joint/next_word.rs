//! Classifies the word after white space: the number of a page or an item, a key, the rest of a name, or the start of another
//! one.

use super::{MAX_PAGE_DIGITS, MAX_WORD_BYTES};

/// Whether `word`, with `rest` after it, is the number of a page or of an item instead of the end of a name: a number of up to
/// four digits, unless it ends a sentence and a line.
pub(super) fn is_page_or_item(word: &[u8], rest: &[u8]) -> bool {
    let number = word.strip_suffix(b".").unwrap_or(word);
    let ends_line = matches!(rest.first(), None | Some(b'\n' | b'\r'));
    number.len() <= MAX_PAGE_DIGITS
        && number.iter().all(u8::is_ascii_digit)
        && !(word.ends_with(b".") && ends_line)
}

/// Whether `word`, with `rest` after it, is the number of an item: `12 Smith`. A number with a full stop may end a sentence.
pub(super) fn is_item(word: &[u8], rest: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit) && matches!(rest, [b' ', b'A'..=b'Z', ..])
}

/// Whether `word` is the next key of YAML or front matter, `title:`.
pub(super) fn is_key(word: &[u8]) -> bool {
    let name = word.strip_suffix(b":").unwrap_or_default();
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_part)
}

/// Returns the bytes of `rest` up to the next white space or quote.
pub(super) fn first_word(rest: &[u8]) -> &[u8] {
    let near = rest.iter().take(MAX_WORD_BYTES);
    let len = near
        .take_while(|b| !b.is_ascii_whitespace() && **b != b'"')
        .count();
    &rest[..len]
}

/// Whether `word` is the number of an article as some journals form it, `aaf8083`: a few small letters and a number that is
/// longer than that of a figure.
pub(super) fn is_code(word: &[u8]) -> bool {
    const CODE_LETTERS: std::ops::RangeInclusive<usize> = 1..=4;
    const MIN_CODE_DIGITS: usize = 4;
    let end = word.iter().rposition(u8::is_ascii_alphanumeric);
    let word = &word[..end.map_or(0, |at| at + 1)];
    let letters = word.iter().take_while(|b| b.is_ascii_lowercase()).count();
    let digits = &word[letters..];
    CODE_LETTERS.contains(&letters)
        && digits.len() >= MIN_CODE_DIGITS
        && digits.iter().all(u8::is_ascii_digit)
}

/// Whether `word` starts with more digits than a page or a year has.
pub(super) fn is_long_run(word: &[u8]) -> bool {
    word.len() > MAX_PAGE_DIGITS && word[..=MAX_PAGE_DIGITS].iter().all(u8::is_ascii_digit)
}

/// Whether `word` starts with a number of three or more digits that is not a year.
pub(super) fn is_not_year(word: &[u8]) -> bool {
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 2 && !(digits == 4 && matches!(word, [b'1', b'9', ..] | [b'2', b'0', ..]))
}

/// Whether `word` looks like the rest of a name that was broken between two letters or digits, and not like a word of a text: it
/// has marks and digits inside, and is neither a fraction nor a range.
pub(super) fn is_rest_of_name(word: &[u8]) -> bool {
    let len = word.iter().rposition(u8::is_ascii_alphanumeric);
    let word = &word[..len.map_or(0, |last| last + 1)];
    let is_mark = |b: &&u8| matches!(b, b'.' | b'-' | b'_' | b'/' | b'(' | b'[' | b':' | b';');
    let marks = word.iter().filter(is_mark).count();
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = word.iter().any(u8::is_ascii_alphabetic);
    has_inner_mark(word) && digits > 1 && (marks > 1 || letters || digits > 8)
}

/// Whether `word` starts another name or a URL.
pub(super) fn starts_another(word: &[u8]) -> bool {
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

/// Whether `word` starts with a number of more digits than a page or a year has, or with a zero, or has more of a name after its
/// number.
pub(super) fn is_long_number(word: &[u8]) -> bool {
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > MAX_PAGE_DIGITS || word[0] == b'0' || has_inner_mark(word)
}
