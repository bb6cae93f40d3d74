//! Finds words after a name that are not part of it: text that was glued on, hosts, and short lists of words.

use std::sync::LazyLock;

use super::row::FoundSuffix;
use super::tails::is_year;
use crate::scan::rules::{Rule, sici};

/// Addresses and a label that end a name. No registered name holds one, except at the start of its suffix, as in
/// `10.4028/www.scientific.net/…`. In `/nhttp` a line break was written `/n`.
const ADDRESSES: [&str; 5] = ["/nhttp", "http", "www.", "dx.doi", "doi:"];

/// Words that end a name. No registered name holds one.
const WORDS_ANYWHERE: [&str; 5] = [
    "accessed",
    "lastaccessed",
    "available",
    "published",
    "retrieved",
];

/// Words that end a name after the first digit of its suffix. Of 385,484 registered names only a SICI holds one there. More names
/// hold one before it, as `10.1016/j.pmcj.2005.03.005`, but few suffixes have no digit.
#[rustfmt::skip]
const WORDS_AFTER_DIGIT: [&str; 16] = [
    "doi.", "doi10.",
    // Other identifiers, and indexes that link to them.
    "pmid", "pmc", "pubmed", "arxiv", "crossref", "google", "issn", "isbn", "jstor", "oclc", "s2cid",
    // The state of the publication, and when it was read.
    "epub", "last",
    // A dotted line up to the page, or a text that was cut short.
    "...",
];

/// Starts of remarks, before which a name ends. In them `o` matches the digit `0` too, as in `http://dx.d0i.0rg`. [`glued`]
/// recognises most other words that were glued on; these are short, or follow names that end in a letter.
pub(crate) fn remarks() -> impl Iterator<Item = &'static str> {
    ADDRESSES
        .into_iter()
        .chain(WORDS_ANYWHERE)
        .chain(WORDS_AFTER_DIGIT)
}

/// Returns where text starts that was glued on after a digit: a character beyond ASCII, or a run of letters that no name has
/// there.
///
/// Of 385,484 registered names, none has characters beyond ASCII after a digit, and 18 have seven or more letters that no joint
/// follows. None has four that a mark of prose follows, or three after a bracket, wherever the digit is. Of 112,024 labels in
/// their own case, one has a capital and small letters. Names of one publisher end in `abstract` after a digit.
pub(super) fn glued(found: &FoundSuffix<'_>) -> Option<usize> {
    let suffix = found.suffix();
    let is_start = |at: &usize| is_glued(&suffix[*at..]);
    let digits = suffix.match_indices(|c: char| c.is_ascii_digit());
    let after_digit = digits.map(|(at, digit)| at + digit.len()).find(is_start);
    let first_digit = first_digit(suffix);
    let brackets = suffix[first_digit..].match_indices(['(', '[']);
    let bracket = brackets.map(|(at, _)| first_digit + at).find(is_start);
    // One publisher's names end in this letter. A word may follow it.
    let is_capital = |at: &usize| suffix[*at..].starts_with(|c: char| c.is_ascii_uppercase());
    let letters = suffix.match_indices(".x").map(|(at, x)| at + x.len());
    let after_letter = letters.filter(is_capital).find(is_start);
    let ends = [after_digit, bracket, after_letter].into_iter().flatten();
    ends.min()
}

/// Returns where the first digit of a suffix is, or the end of the suffix.
fn first_digit(suffix: &str) -> usize {
    let digit = suffix.find(|c: char| c.is_ascii_digit());
    digit.unwrap_or(suffix.len())
}

fn is_glued(rest: &str) -> bool {
    const MAX_WORD_LETTERS: usize = 6;
    const MAX_LETTERS_AFTER_STOP: usize = 8;
    let bracket = rest.strip_prefix(['(', '[']);
    let emphasis = rest.strip_prefix("**");
    let stop = rest.strip_prefix('.');
    let word = bracket.or(stop).or(emphasis).unwrap_or(rest);
    let letters = |text: &str, is: fn(&u8) -> bool| text.bytes().take_while(is).count();
    let len = letters(word, u8::is_ascii_alphabetic);
    let small = if word.starts_with(|c: char| c.is_ascii_uppercase()) {
        letters(&word[1..], u8::is_ascii_lowercase)
    } else {
        0
    };
    let longest = match stop {
        Some(_) => MAX_LETTERS_AFTER_STOP,
        None => MAX_WORD_LETTERS,
    };
    if word == "abstract" {
        return false;
    }
    match word[len..].chars().next() {
        _ if word.starts_with(|c: char| !c.is_ascii()) => true,
        _ if emphasis.is_some() => len > 2,
        _ if bracket.is_some() => len > 2 && word.starts_with(|c: char| c.is_ascii_lowercase()),
        _ if stop.is_none() && small > 1 => true,
        Some(':') => len > 2 || small > 0,
        Some(';' | '=' | '(' | '[' | ',') => len > 3,
        Some(_) if len > 3 && is_year(&word.as_bytes()[len..]) => true,
        Some('.' | '/' | '_' | '-') => false,
        // Names have parts such as `.supplement2`.
        Some(next) if stop.is_some() && next.is_ascii_digit() => false,
        Some(next) => len > longest || len > 0 && !next.is_ascii(),
        None => len > longest || small > 3,
    }
}

pub(super) fn listed(found: &FoundSuffix<'_>) -> Option<usize> {
    let bytes = found.suffix().as_bytes();
    let first_digit = first_digit(found.suffix());
    let mut starts = bytes.windows(2).enumerate();
    let is_start = |(at, two): (usize, &[u8])| {
        let starts = |words: &[&str]| starts_with_one(words, &bytes[at..]);
        let is_word = || starts(&WORDS_ANYWHERE) || at > first_digit && starts(&WORDS_AFTER_DIGIT);
        let is_remark = at > 0
            && FIRST_TWO[two_letters(two)]
            && (starts(&ADDRESSES) || starts_word(bytes, at) && is_word())
            && !sici::is_middle_of_whole(&bytes[at..]);
        is_remark.then_some(at)
    };
    starts.find_map(is_start)
}

/// Whether a word that was glued to a name may start at `at`. It may not inside another word, as in `unavailable`. A capital
/// after a small letter starts a word, and so does a letter after the single letter that one publisher's names end in.
fn starts_word(text: &[u8], at: usize) -> bool {
    let (front, word) = text.split_at(at);
    match front {
        [.., mark, b'x'] if !mark.is_ascii_alphabetic() => true,
        [.., last] if last.is_ascii_lowercase() => word[0].is_ascii_uppercase(),
        [.., last] => !last.is_ascii_alphabetic(),
        [] => false,
    }
}

/// Whether two letters start a remark. Most texts hold few that do.
static FIRST_TWO: LazyLock<Box<[bool]>> = LazyLock::new(|| {
    let mut first = vec![false; 1 << 16].into_boxed_slice();
    for word in remarks() {
        first[two_letters(word.as_bytes())] = true;
    }
    first
});

/// Returns the first two letters of a word as a number, without regard to case.
fn two_letters(word: &[u8]) -> usize {
    let letter = |byte: u8| match byte {
        b'0' => b'o',
        byte => byte.to_ascii_lowercase(),
    };
    usize::from(letter(word[0])) << 8 | usize::from(letter(word[1]))
}

/// Whether a word starts a remark.
pub(super) fn starts(word: &str) -> bool {
    [&WORDS_ANYWHERE[..], &WORDS_AFTER_DIGIT[..]]
        .iter()
        .any(|words| starts_with_one(words, word.as_bytes()))
}

fn starts_with_one(words: &[&str], rest: &[u8]) -> bool {
    let same = |(found, wanted): (&u8, u8)| {
        found.eq_ignore_ascii_case(&wanted) || (*found, wanted) == (b'0', b'o')
    };
    words.iter().any(|word| {
        let is_found = rest.len() >= word.len() && rest.iter().zip(word.bytes()).all(same);
        is_found && Rule::Remark.holds_for(word)
    })
}

/// Returns where a host starts that was glued on after a full stop, such as `.jid.sagepub.com`, or after a digit, such as
/// `journals.sagepub.com`, at the end or with a path. A host at the start of a suffix or after a slash belongs to the name, as in
/// `10.4028/www.scientific.net/amr.433`.
pub(super) fn host(found: &FoundSuffix<'_>) -> Option<usize> {
    let suffix = found.suffix();
    let lower = suffix.to_ascii_lowercase();
    let ends_host = |(at, top): (usize, &str)| {
        let rest = &suffix[at + top.len()..];
        (rest.is_empty() || rest.starts_with(['/', ':'])).then_some(at)
    };
    let tops = [".com", ".org", ".net", ".edu", ".gov"];
    let at = tops
        .iter()
        .filter_map(|top| lower.match_indices(top).find_map(ends_host))
        .min()?;
    let is_label = |label: &&str| label.len() > 1 && label.bytes().all(|b| b.is_ascii_alphabetic());
    let labels = suffix[..at].rsplit('.').take_while(is_label);
    let (count, len) = labels.fold((0, 0), |(count, len), label| {
        (count + 1, len + label.len() + 1)
    });
    let start = at.checked_sub(len).filter(|_| len > 0)?;
    // The first part of a host in two parts may be glued to the name: `1379er.sagepub.com`.
    let name = suffix[..start].trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let glued =
        count == 1 && start - name.len() > 1 && name.ends_with(|c: char| c.is_ascii_digit());
    Some(if glued { name.len() } else { start })
}
