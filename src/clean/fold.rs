//! Characters as a name has them: what encoders and typesetters made of them, undone.

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory as Gc, get_general_category};

use crate::doi::decode_escapes;
use crate::scan::without_markup;

/// `text` with entities, backslashes and full width undone, its blanks as plain ones, its dashes as `-`, and nothing invisible.
pub(super) fn characters(text: &str) -> String {
    let mut text = without_transfer_encoding(text);
    if text.contains(['\\', '&', '{', '$', '%']) {
        text = without_markup(&text).into();
    }
    if !text.is_ascii() {
        text = unset(&text).into();
    }
    plain(&text)
}

/// `text` with the quoted-printable of e-mail undone, but for what a parameter's value may start with, `=20`. No registered name
/// holds an equals sign before two hexadecimal digits.
fn without_transfer_encoding(text: &str) -> Cow<'_, str> {
    let digits = |at: usize| text.get(at + 1..at + 3);
    let byte = |at: usize| u8::from_str_radix(digits(at)?, 16).ok();
    let is_mark = |byte: u8| byte.is_ascii_punctuation() || !byte.is_ascii();
    let shows = |(at, _)| byte(at).is_some_and(is_mark);
    let ends = ["=20", "=0D", "=0A"]
        .iter()
        .any(|mark| text.ends_with(mark));
    if ends || !text.contains('?') && text.match_indices('=').any(shows) {
        let decoded = decode_escapes(b'=', text).into_owned();
        String::from_utf8(decoded).map_or(Cow::Borrowed(text), Cow::Owned)
    } else {
        Cow::Borrowed(text)
    }
}

/// `text` as it was before it was typeset or read in another encoding: without ligatures, slashes of mathematics, full
/// width, a soft hyphen shown as `¬`, and dashes of UTF-8 read as Latin.
fn unset(text: &str) -> String {
    // East Asian typesetters set a whole name in full width.
    let wide = text.contains("１０") || text.contains("10．");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if let Some((_, letters)) = LIGATURES.iter().find(|(ligature, _)| *ligature == c) {
            out.push_str(letters);
        } else if c == '¬' {
            rest = rest.trim_start();
        } else if let Some(after) = dash_read_as_latin(c, rest) {
            out.push('-');
            rest = after;
        } else {
            out.push(
                halved(c)
                    .filter(|half| wide || "/-<>".contains(*half))
                    .unwrap_or(c),
            );
        }
    }
    out
}

const LIGATURES: [(char, &str); 7] = [
    ('ﬀ', "ff"),
    ('ﬁ', "fi"),
    ('ﬂ', "fl"),
    ('ﬃ', "ffi"),
    ('ﬄ', "ffl"),
    ('ﬅ', "st"),
    ('ﬆ', "st"),
];

/// What follows `c` and `rest` if they are the three bytes of a dash, U+2010 to U+2015, read as cp1252 or Latin-1.
fn dash_read_as_latin(c: char, rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(['€', '\u{80}']).filter(|_| c == 'â')?;
    rest.strip_prefix([
        '\u{90}', '\u{91}', '\u{92}', '\u{93}', '\u{94}', '\u{95}', '‘', '’', '“', '”', '–', '—',
        '•',
    ])
}

/// The ASCII character that `c` is in full width, or that it looks like.
fn halved(c: char) -> Option<char> {
    if matches!(c, '⁄' | '∕' | '⧸' | '╱') {
        return Some('/');
    }
    let offset = u32::from('！') - u32::from('!');
    let is_wide = ('！'..='～').contains(&c);
    is_wide
        .then(|| char::from_u32(u32::from(c) - offset))
        .flatten()
}

/// `text` with plain blanks and hyphens, and nothing invisible.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter_map(folded).collect()
}

fn folded(c: char) -> Option<char> {
    match c {
        // The sign for a character that was lost.
        '\u{FFFD}' => None,
        // Typesetters make dashes of hyphens: names hold hyphens.
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' => Some('-'),
        c if c.is_whitespace() => Some(' '),
        c if matches!(get_general_category(c), Gc::Control | Gc::Format) => None,
        c => Some(c),
    }
}
