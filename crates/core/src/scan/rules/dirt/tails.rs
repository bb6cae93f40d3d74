//! Finds pages, words and places in print to cut from the end of a name in dirty data.

use crate::scan::rules::Rule;
use crate::scan::rules::tail::{self, TailRule};

/// Stems of words that text from a title page adds to a name: `.author`, as in "Author manuscript". No registered name ends in a
/// word that starts so after a digit or the `.x` of one publisher's names.
pub(crate) const TITLE_PAGE_STEMS: [&str; 6] =
    ["author", "research", "receiv", "accept", "peer", "hhs"];

/// The texts that are cut from the end, in addition to marks.
pub(super) const TAILS: [TailRule; 9] = [
    (Rule::PlaceInPrint, place_in_print),
    (Rule::BracketedYear, bracketed_year),
    (Rule::PageWord, tail::page_word),
    (Rule::PageSegment, |_, suffix| {
        tail::page_segment(suffix, false)
    }),
    (Rule::File, tail::file),
    (Rule::ArticleView, tail::article_view),
    tail::ARXIV_VERSION,
    (Rule::Version, tail::version),
    (Rule::TitlePage, title_page),
];

/// Finds a word of the title page after a digit and a full stop or slash.
fn title_page(_: &[u8], suffix: &[u8]) -> Option<usize> {
    let is_letter = |b: &&u8| b.is_ascii_alphabetic() || **b == b'-';
    let len = suffix.iter().rev().take_while(is_letter).count();
    let (head, word) = suffix.split_at(suffix.len() - len);
    let head = head
        .strip_suffix(b".")
        .or_else(|| head.strip_suffix(b"/"))?;
    let is_whole = head.last().is_some_and(u8::is_ascii_digit) || head.ends_with(b".x");
    let is = |stem: &&str| {
        let start = word.get(..stem.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(stem.as_bytes()) && Rule::TitlePage.holds_for(stem)
    };
    (is_whole && TITLE_PAGE_STEMS.iter().any(is)).then_some(head.len())
}

/// Finds volume, pages and year, as in `,85,1494(2006)`.
fn place_in_print(prefix: &[u8], suffix: &[u8]) -> Option<usize> {
    let head = &suffix[..bracketed_year(prefix, suffix).unwrap_or(suffix.len())];
    let is_digit = |b: &u8| b.is_ascii_digit();
    let is_number = |field: &[u8]| {
        let may = |b: &u8| is_digit(b) || matches!(b, b'-' | b':');
        !field.is_empty() && field.iter().all(may)
    };
    let (mut end, mut count) = (head.len(), 0);
    let last_number = |end: usize| {
        let comma = memchr::memrchr(b',', &head[..end]);
        comma.filter(|&comma| is_number(&head[comma + 1..end]))
    };
    while let Some(comma) = last_number(end) {
        (end, count) = (comma, count + 1);
    }
    let is_place = match count {
        0 => false,
        1 => head.len() < suffix.len() || is_year(&head[end + 1..]),
        _ => true,
    };
    (is_place && head.last().is_some_and(is_digit)).then_some(end)
}

/// Finds a year in brackets. A bracketed number after volume and issue is a page: `(asce)0733-9445(2008)134:7(1959)`.
fn bracketed_year(_: &[u8], suffix: &[u8]) -> Option<usize> {
    match suffix {
        [head @ .., b'(', a, b, c, d, b')'] if is_year(&[*a, *b, *c, *d]) => {
            (!ends_in_issue(head)).then_some(head.len())
        }
        _ => None,
    }
}

pub(super) fn is_year(text: &[u8]) -> bool {
    matches!(text, [b'1', b'9', a, b] | [b'2', b'0', a, b] if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Whether `head` ends in up to three letters or digits after a number and a colon.
fn ends_in_issue(head: &[u8]) -> bool {
    let issue = head.iter().rev().take_while(|b| b.is_ascii_alphanumeric());
    let len = issue.count();
    let volume = &head[..head.len() - len];
    matches!(len, 1..=3) && matches!(volume, [.., digit, b':'] if digit.is_ascii_digit())
}
