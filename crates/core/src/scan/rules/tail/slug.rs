//! Finds the number and the words of a title that a site adds to a name.

use super::{PathSegment, slashes};

/// Returns where a number starts, with its slash, that a site adds to a whole name before the words of its title:
/// `G48456.1/594540/Ice-sheets`. A number without these words may belong to the name, `2024/5558634`.
pub(super) fn title_slug(_: &[u8], suffix: &[u8]) -> Option<usize> {
    let folder = memchr::memrchr(b'/', suffix)?;
    let digit = suffix[..folder].iter().position(u8::is_ascii_digit)?;
    slashes(&suffix[..folder])
        .filter(|at| *at > digit)
        .find(|at| {
            let (name, rest) = (&suffix[..*at], &suffix[at + 1..]);
            let mut segments = rest.split(|b| *b == b'/');
            let number = segments.next().unwrap_or_default();
            let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
            let is_title = |slug: &[u8]| {
                is_slug(slug) || number.len() >= MIN_SITE_ID_DIGITS && is_title_word(slug)
            };
            is_number
                && !name.iter().all(u8::is_ascii_digit)
                && segments.next().is_some_and(is_title)
        })
}

/// Min digits of the number of an article on a site. A volume or a page has fewer.
const MIN_SITE_ID_DIGITS: usize = 5;

/// Whether `segment` is the words of a title, with hyphens between them: a word starts with a capital, or there are three or
/// more.
fn is_slug(segment: &[u8]) -> bool {
    const MIN_WORD_LETTERS: usize = 3;
    const MIN_WORDS: usize = 3;
    let mut words = segment.split(|b| *b == b'-');
    let is_word =
        |word: &[u8]| word.len() >= MIN_WORD_LETTERS && word.iter().all(u8::is_ascii_alphabetic);
    let has_word = words.clone().any(is_word);
    let is_title = match words.clone().count() {
        MIN_WORDS.. => true,
        count => count > 1 && words.any(|word| word.first().is_some_and(u8::is_ascii_uppercase)),
    };
    has_word && is_title
}

/// Whether `segment` is a title of one word, and not a page of a site.
fn is_title_word(segment: &[u8]) -> bool {
    const MIN_TITLE_LETTERS: usize = 4;
    matches!(segment, [first, rest @ ..] if first.is_ascii_uppercase() && rest.iter().all(u8::is_ascii_lowercase))
        && segment.len() >= MIN_TITLE_LETTERS
        && !PathSegment::read(segment).is_listed()
}
