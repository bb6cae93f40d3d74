//! Which words after a name, without a blank between, are not part of it.

use super::Rule;

/// Whether `rest` may start a URL.
pub(crate) fn is_http(rest: &[u8]) -> bool {
    starts_with(rest, "http")
}

/// Whether `rest` starts a URL: `http:/` in any name is glued on.
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

/// What may follow a glued word.
type Next = fn(Option<&u8>) -> bool;

const ANY: Next = |_| true;
const NO_LETTER: Next = |next| !next.is_some_and(u8::is_ascii_lowercase);
const DIGIT: Next = |next| next.is_some_and(u8::is_ascii_digit);

/// What follows a name in printed references. A capital is one.
pub(crate) const GLUED: [(&str, Next); 7] = [
    ("URL", ANY),
    ("Epub", ANY),
    ("http", ANY),
    ("pmid", NO_LETTER),
    ("arxiv", NO_LETTER),
    ("doi", NO_LETTER),
    ("pmc", DIGIT),
];

/// Whether `rest`, after `.`, `,` or `[`, starts with what follows a name in printed references.
#[inline]
pub(crate) fn is_glued(rest: &[u8]) -> bool {
    let start = rest.first_chunk();
    let start = start.map(|start: &[u8; 2]| start.map(|byte| byte | 0x20));
    let may = matches!(
        start.as_ref(),
        Some(b"ur" | b"ep" | b"ht" | b"pm" | b"ar" | b"do")
    );
    may && starts_with_glued(rest)
}

fn starts_with_glued(rest: &[u8]) -> bool {
    GLUED.iter().any(|(word, next)| {
        let starts = if word.starts_with(|c: char| c.is_ascii_uppercase()) {
            rest.starts_with(word.as_bytes())
        } else {
            starts_with(rest, word)
        };
        starts && next(rest.get(word.len())) && Rule::GluedWord.holds_for(word)
    })
}

/// Whether `rest` starts with `name=` or `name:`: what follows a semicolon or an ampersand in a URL or a list of fields.
pub(crate) fn is_parameter(rest: &[u8]) -> bool {
    const LONGEST: usize = 64;
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let len = rest.iter().take(LONGEST).take_while(is_name).count();
    Rule::Parameter.holds()
        && len > 0
        && !rest[0].is_ascii_digit()
        && matches!(rest.get(len), Some(b'=' | b':'))
}

/// Where in `name` the title starts whose first word was glued to it, if more words are in `rest`: after a digit and at most
/// one small letter, a capital and small letters.
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
