//! Recognises texts that do not hold the whole name: an ellipsis ends them, blanks replaced joints, or a line end may be inside
//! the name.

use super::{remark, start};
use crate::scan::rules::Rule;
use crate::scan::rules::hidden::ELLIPSES;
use crate::scan::rules::joint::NextWord;
use crate::scan::rules::template::has_wildcard;

/// Whether a name with this suffix is a placeholder: four of the letter x or five of n in a row, or a pattern such as `*`. No
/// name of 385,484 registered ones holds such a text.
pub(crate) fn is_placeholder(suffix: &str) -> bool {
    let lower = suffix.to_lowercase().replace('×', "x");
    let is_held =
        lower.contains("xxxx") || lower.contains("nnnnn") || has_wildcard(suffix.as_bytes());
    is_held && Rule::Placeholder.holds()
}

/// Returns `text` without the word after an ellipsis, `… (more)` or `... [truncated]`.
fn without_note(text: &str) -> &str {
    let is_mark = |c: char| matches!(c, '(' | '[' | ')' | ']' | ' ' | '（' | '）');
    let head = text.trim_end_matches(|c: char| c.is_alphabetic() || is_mark(c));
    let note = &text[head.len()..];
    let is_word = note.trim_matches(is_mark).chars().all(char::is_alphabetic);
    let follows = note.starts_with(is_mark) && (head.ends_with("...") || head.ends_with('…'));
    if follows && is_word { head } else { text }
}

/// Returns where the ellipsis starts that cuts short a name, the last word of `text`. Only closing marks or a note may follow it.
pub(crate) fn cut_short(text: &str) -> Option<usize> {
    const CLOSERS: [char; 12] = [
        ')', ']', '}', '>', '"', '\'', '»', '”', '’', '」', '』', '*',
    ];
    let mut head = without_note(text.trim_end());
    while let Some(inner) = head.strip_suffix(CLOSERS) {
        head = match inner.rsplit_once("</") {
            Some((front, tag)) if tag.bytes().all(|b| b.is_ascii_alphanumeric()) => front,
            _ => inner,
        };
        head = head.trim_end();
    }
    let mut ends = ELLIPSES
        .iter()
        .chain(&["..."])
        .filter_map(|sign| head.strip_suffix(sign));
    let head = ends.next()?.trim_end_matches(['[', '(', ' ']);
    let word = head.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_name = word.contains("10.") && word.contains('/') && !head.ends_with(['.', '/']);
    (is_name && Rule::CutShort.holds()).then_some(head.len())
}

/// Returns where the first blank is that replaced a hyphen or an underscore in the first name of `text`. Nobody can tell which of
/// the two it was.
///
/// The number of a printed line after the prefix hides where the name goes on, `10.5555/ 512 kacsn.2019`. Blanks also replaced
/// joints if numbers and single letters follow the start of an ISBN, `978 3 642 12345 6`, or if one of these numbers has three or
/// more digits and starts with zero, `coli a 00346`. Volumes, pages, years and dates are not written so.
pub(crate) fn lost_joint(text: &str) -> Option<usize> {
    let start = start::find_iter(text).next()?;
    let suffix = start.rest();
    let mut words = suffix.split_whitespace();
    let first = words.next()?;
    let is_numbered = text[..text.len() - suffix.len()].ends_with(char::is_whitespace)
        && NextWord::read(suffix.as_bytes()).is_line_number();
    let is_part = |word: &&str| {
        word.bytes().all(|b| b.is_ascii_digit())
            || word.len() == 1 && word.bytes().all(|b| b.is_ascii_alphabetic())
    };
    let more = words.map(|word| word.trim_end_matches(['.', ',', ';', ')']));
    let parts: Vec<_> = more.take(MAX_PARTS).take_while(is_part).collect();
    let is_padded = |word: &&str| word.len() > 2 && word.starts_with('0');
    let goes_on = matches!(first, "978" | "979") || parts.iter().any(is_padded);
    let is_lost =
        parts.len() > 1 && goes_on && first.ends_with(|c: char| c.is_ascii_alphanumeric());
    let at = || text.len() - suffix.trim_start().len() + first.len();
    ((is_lost || is_numbered) && !start.is_spaced() && Rule::LostJoints.holds()).then(at)
}

/// Max number of parts that are read after the first.
const MAX_PARTS: usize = 8;

/// Whether a line ends with `c`, by some system, standard or program. The last four separate the fields of records, and some
/// programs use one of them as a hyphen.
pub(crate) fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{1c}'..='\u{1f}'
    )
}

/// Whether the text that was cut from a name starts with a line end and a word that may be the rest of the name: it has a digit,
/// or is the last word. Other words are prose. A remark, another name and an opening bracket do not continue a name.
pub(crate) fn may_go_on(cut: &str) -> bool {
    let rest = cut.trim_start();
    let mut words = rest.split_whitespace();
    let Some(word) = words.next() else {
        return false;
    };
    let has = |is: fn(char) -> bool| word.contains(is);
    let is_like_rest = has(|c| c.is_ascii_digit())
        || has(char::is_alphanumeric) && words.next().is_none() && !word.ends_with(':');
    let is_end =
        word.starts_with('[') || remark::starts(word) || start::find_iter(word).next().is_some();
    cut[..cut.len() - rest.len()].contains(is_line_end)
        && is_like_rest
        && !is_end
        && Rule::BrokenLine.holds()
}
