//! Recognises words that follow a name without a blank and do not belong to it.

use super::Rule;

/// Whether `rest` may start a URL.
pub(crate) fn is_http(rest: &[u8]) -> bool {
    starts_with(rest, "http")
}

/// Whether `rest` starts a URL. An `http:/` inside any name was glued on.
pub(crate) fn is_web_scheme(rest: &[u8]) -> bool {
    let rest = if starts_with(rest, "https") {
        &rest[5..]
    } else if starts_with(rest, "http") {
        &rest[4..]
    } else {
        return false;
    };
    rest.starts_with(b":/")
}

/// Whether a byte may follow a glued word.
type NextByteTest = fn(Option<&u8>) -> bool;

const ANY_BYTE: NextByteTest = |_| true;
const NO_LOWER_CASE: NextByteTest = |next| !next.is_some_and(u8::is_ascii_lowercase);
/// Names of one publisher have `.pubmed.` in them.
const NO_NAME_BYTE: NextByteTest =
    |next| !next.is_some_and(|b| b.is_ascii_alphabetic() || b".-_/".contains(b));
const DIGIT: NextByteTest = |next| next.is_some_and(u8::is_ascii_digit);

/// Words that follow names in printed references. One with a capital is listed as it is written; the others may have any case.
pub(crate) const GLUED_WORDS: [(&str, NextByteTest); 9] = [
    ("URL", ANY_BYTE),
    ("Epub", ANY_BYTE),
    ("http", ANY_BYTE),
    ("pmid", NO_LOWER_CASE),
    ("arxiv", NO_LOWER_CASE),
    ("doi", NO_LOWER_CASE),
    ("pmc", DIGIT),
    ("pmcid", NO_LOWER_CASE),
    ("pubmed", NO_NAME_BYTE),
];

/// Whether `rest`, after `.`, `,` or `[`, starts with a word that follows names in printed references.
#[inline]
pub(crate) fn is_glued(rest: &[u8]) -> bool {
    let start = rest.first_chunk();
    let start = start.map(|start: &[u8; 2]| start.map(|byte| byte | 0x20));
    let may = matches!(
        start.as_ref(),
        Some(b"ur" | b"ep" | b"ht" | b"pm" | b"pu" | b"ar" | b"do")
    );
    may && starts_with_glued(rest)
}

fn starts_with_glued(rest: &[u8]) -> bool {
    GLUED_WORDS.iter().any(|(word, next)| {
        let starts = if word.starts_with(|c: char| c.is_ascii_uppercase()) {
            rest.starts_with(word.as_bytes())
        } else {
            starts_with(rest, word)
        };
        starts && next(rest.get(word.len())) && Rule::GluedWord.holds_for(word)
    })
}

/// Words for a missing value in tables.
#[rustfmt::skip]
pub(crate) const MISSING_VALUES: [&str; 17] = [
    "na", "n/a", "n.a.", "nan", "nil", "no", "none", "not", "null", "missing", "unavailable", "unknown", "undefined", "tba", "tbd",
    "void", "empty",
];

/// Whether `rest`, after the mark of a list, is a word for a missing value or a short DOI, up to the end of the text or the next
/// mark. No registered name ends so.
#[inline]
pub(crate) fn is_missing_value(rest: &[u8]) -> bool {
    let may_start =
        |first: &u8| matches!(first | 0x20, b'n' | b'm' | b'u' | b't' | b'v' | b'e' | b'1');
    rest.first().is_some_and(may_start) && starts_with_missing_value(rest)
}

fn starts_with_missing_value(rest: &[u8]) -> bool {
    const MAX_WORD_BYTES: usize = 16;
    let near = &rest[..rest.len().min(MAX_WORD_BYTES)];
    let is_end = |byte: &u8| b",;|)]}>'\"<".contains(byte);
    let Some(len) = near
        .iter()
        .position(is_end)
        .or((near.len() == rest.len()).then_some(near.len()))
    else {
        return false;
    };
    let value = &near[..len];
    let is =
        |word: &&str| value.eq_ignore_ascii_case(word.as_bytes()) && Rule::NoValue.holds_for(word);
    let is_short_name =
        |code: &[u8]| !code.is_empty() && code.iter().all(u8::is_ascii_alphanumeric);
    MISSING_VALUES.iter().any(is) || value.strip_prefix(b"10/").is_some_and(is_short_name)
}

/// Min digits of a number that follows a label without a mark.
const MIN_NUMBER_DIGITS: usize = 4;

/// Returns where a label starts in `name` that was glued to it without a mark, `002PMID: 1`, and has a colon or a number after
/// it. `rest` returns the bytes after the name. No registered name has such a label after a digit. The first `label_free_len` bytes have no
/// colon.
#[inline]
pub(crate) fn glued_label<'w>(
    name: &[u8],
    label_free_len: usize,
    rest: impl FnOnce() -> &'w [u8],
) -> Option<usize> {
    label_before_colon(name, label_free_len).or_else(|| label_at_end(name, rest))
}

#[inline]
fn label_before_colon(name: &[u8], label_free_len: usize) -> Option<usize> {
    let rest = name.get(label_free_len..).filter(|rest| !rest.is_empty())?;
    let mut colons = memchr::memchr_iter(b':', rest);
    colons.find_map(|colon| label_start(&name[..label_free_len + colon], |_| true))
}

/// Finds a glued label before the digits and marks that `name` ends in.
#[inline]
fn label_at_end<'w>(name: &[u8], rest: impl FnOnce() -> &'w [u8]) -> Option<usize> {
    let is_mark = |byte: &&u8| matches!(byte, b'.' | b',' | b';');
    let marks = name.iter().rev().take_while(is_mark).count();
    let (name, marks) = name.split_at(name.len() - marks);
    let digits = trailing_digits(name);
    match digits {
        0 => {
            let rest = if marks.is_empty() { rest() } else { marks };
            label_start(name, |word| may_follow_label(word, rest))
        }
        MIN_NUMBER_DIGITS.. => {
            let is_numbered = |word: &str| matches!(word, "pmid" | "pmcid" | "pmc");
            label_start(&name[..name.len() - digits], is_numbered)
        }
        _ => None,
    }
}

/// Whether [`glued_label`] may find a label in `name`, which has no colon, at a glance. Digits follow its first `stem` bytes.
#[inline]
pub(crate) fn may_have_label(name: &[u8], stem: usize) -> bool {
    let digits = name.len() - stem;
    (digits == 0 || digits >= MIN_NUMBER_DIGITS)
        && name[..stem].last_chunk().is_some_and(may_end_label)
}

fn trailing_digits(text: &[u8]) -> usize {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit());
    digits.count()
}

/// Whether one of [`GLUED_WORDS`] that may be a label ends in these letters.
fn may_end_label(end: &[u8; 2]) -> bool {
    let end = end.map(|byte| byte | 0x20);
    matches!(&end, b"rl" | b"ub" | b"id" | b"iv" | b"oi" | b"mc" | b"ed")
}

/// Whether `rest` may follow the label `word`: a colon, or a number after white space. `pubmed` needs neither.
fn may_follow_label(word: &str, rest: &[u8]) -> bool {
    let value = rest.trim_ascii_start();
    let has_blank = value.len() < rest.len();
    match rest.first() {
        Some(b':') => true,
        next if word == "pubmed" => !next.is_some_and(u8::is_ascii_alphanumeric),
        _ => has_blank && value.first().is_some_and(u8::is_ascii_digit),
    }
}

/// Returns where the label starts that `text` ends in, if `may_be` accepts it. A digit, a bracket or a letter that the label
/// cannot go on from is before it.
#[inline]
fn label_start(text: &[u8], may_be: impl Fn(&str) -> bool) -> Option<usize> {
    match text.last_chunk().is_some_and(may_end_label) {
        true => listed_label_start(text, may_be),
        false => None,
    }
}

fn listed_label_start(text: &[u8], may_be: impl Fn(&str) -> bool) -> Option<usize> {
    let start = |(word, _): &(&str, NextByteTest)| {
        let at = text.len().checked_sub(word.len()).filter(|at| *at > 0)?;
        let (front, label) = text.split_at(at);
        // The start of a URL is not a label.
        let is_label =
            *word != "http" && label.eq_ignore_ascii_case(word.as_bytes()) && may_be(word);
        let is_apart = match front.last()? {
            b'0'..=b'9' | b')' | b']' | b'>' => true,
            b'a'..=b'z' if label[0].is_ascii_uppercase() => true,
            last => last.is_ascii_alphabetic() && matches!(*word, "pmid" | "pmcid" | "pubmed"),
        };
        (is_label && is_apart && Rule::GluedWord.holds_for(word)).then_some(at)
    };
    GLUED_WORDS.iter().find_map(start)
}

/// Whether `rest` starts with `name=` or `name:`, as after a semicolon or an ampersand in a URL or a list of fields.
pub(crate) fn is_parameter(rest: &[u8]) -> bool {
    const MAX_PARAMETER_NAME_BYTES: usize = 64;
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let len = rest
        .iter()
        .take(MAX_PARAMETER_NAME_BYTES)
        .take_while(is_name)
        .count();
    Rule::Parameter.holds()
        && len > 0
        && !rest[0].is_ascii_digit()
        && matches!(rest.get(len), Some(b'=' | b':'))
}

/// Returns where a title starts in `name` whose first word was glued to it, if more words are in `rest`. Its capital and small
/// letters follow a digit, or a digit and one small letter.
#[inline]
pub(crate) fn glued_title<'w>(name: &[u8], rest: impl FnOnce() -> &'w [u8]) -> Option<usize> {
    match name.last().is_some_and(u8::is_ascii_lowercase) {
        true => title_after_digit(name, rest()),
        false => None,
    }
}

fn title_after_digit(name: &[u8], rest: &[u8]) -> Option<usize> {
    let rest = match rest {
        [b':' | b',', rest @ ..] => rest,
        rest => rest,
    };
    let small = name
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_lowercase());
    let capital = name.len().checked_sub(small.count() + 1)?;
    let is_after_digit = match &name[..capital] {
        [.., last] if last.is_ascii_digit() => true,
        [.., digit, last] => digit.is_ascii_digit() && last.is_ascii_lowercase(),
        _ => false,
    };
    let goes_on = matches!(rest, [b' ', next, ..] if next.is_ascii_alphabetic());
    let is_title = is_after_digit && goes_on && name[capital].is_ascii_uppercase();
    (is_title && Rule::GluedTitle.holds()).then_some(capital)
}

fn starts_with(rest: &[u8], word: &str) -> bool {
    rest.get(..word.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}
