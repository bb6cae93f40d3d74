//! Decides whether a prefix starts a name, from the bytes beside it only.
//!
//! A prefix that starts a name also ends the name before it, so that names never overlap.

use super::place::{in_defended_url, without_backslashes};
use super::{Form, Rule};
use crate::scan::Rejection;

/// Directory indicator, registrant code and separator, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrittenPrefix {
    /// Bytes from the directory indicator to the end of the separator.
    pub(crate) len: usize,
    pub(crate) separator: Separator,
    pub(crate) registrant: RegistrantKind,
    /// Whether the prefix may have to be decoded.
    pub(crate) is_escaped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Slash,
    /// A slash, with white space inside the prefix. It makes a name only after a label or proxy.
    SpacedSlash,
    /// A colon. It makes a name only in a URN (H3).
    Colon,
    /// An underscore. It is a slash only in a URL that a mail filter rewrote.
    Underscore,
}

/// The kind of a prefix's registrant code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegistrantKind {
    /// Four to nine digits in its first part, as all registered ones that were seen.
    FourToNineDigits,
    /// An ISBN as a prefix, `10.978.` or `10.979.`.
    Isbn,
    Other,
}

/// A prefix that starts a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameStart {
    pub(crate) prefix: WrittenPrefix,
    /// Bytes before the prefix that belong to it: those of a directory indicator that is written twice.
    pub(crate) doubled_len: usize,
}

impl NameStart {
    fn new(prefix: WrittenPrefix, doubled_len: usize) -> Self {
        NameStart {
            prefix,
            doubled_len,
        }
    }
}

/// Decides about `prefix`, with `before` before it and `after` from its first byte on. Returns a start, or why the candidate is
/// refused at once; `None` if it is not a candidate. `form` reads the form from the bytes before a name.
pub(crate) fn start(
    before: &[u8],
    after: &[u8],
    prefix: WrittenPrefix,
    form: impl FnOnce(&[u8]) -> Form,
) -> Option<Result<NameStart, Rejection>> {
    let is_usual =
        prefix.separator == Separator::Slash && prefix.registrant != RegistrantKind::Other;
    if is_usual && !may_go_on_after(before) {
        return Some(Ok(NameStart::new(prefix, 0)));
    }
    let outer = before_doubled(before).filter(|_| Rule::DoubledIndicator.holds());
    if outer.is_none() && goes_on_before(before, after) {
        return (prefix.separator != Separator::Colon).then_some(Err(Rejection::InsideNumber));
    }
    let is_long = outer.is_none() && is_long_inside_word(before, after);
    if is_usual && outer.is_none() && !is_long {
        return Some(Ok(NameStart::new(prefix, 0)));
    }
    let (doubled_len, form) = (
        outer.map_or(0, |_| DIRECTORY.len()),
        form(outer.unwrap_or(before)),
    );
    match (prefix.separator, form) {
        (Separator::Slash, Form::Bare) if is_long && Rule::LongCode.holds() => {
            Some(Err(Rejection::RegistrantCode))
        }
        (Separator::SpacedSlash, form) if form == Form::Bare || !Rule::BrokenPrefix.holds() => {
            Some(Err(Rejection::BrokenPrefix))
        }
        (Separator::Colon, form) if form != Form::Urn => None,
        (Separator::Underscore, _) if !in_defended_url(before) => None,
        // In a URN any registrant code is valid: the name starts at the first indicator.
        (_, Form::Bare | Form::Urn) if outer.is_some() => Some(Err(Rejection::InsideNumber)),
        (_, form)
            if prefix.registrant == RegistrantKind::Other
                && form != Form::Urn
                && Rule::RegistrantCode.holds() =>
        {
            Some(Err(Rejection::RegistrantCode))
        }
        _ => Some(Ok(NameStart::new(prefix, doubled_len))),
    }
}

/// Whether `after` goes on with a number that `before` ends in, or with the name before a year.
fn goes_on_before(before: &[u8], after: &[u8]) -> bool {
    let is_inside = || is_inside_number(before) && !ends_in_subfield_code(before);
    Rule::InsideNumber.holds() && is_inside()
        || Rule::YearPage.holds() && ends_in_year(before, after)
}

/// Whether a prefix after `before` may be the rest of a number, of another prefix or of a name.
#[inline]
pub(crate) fn may_go_on_after(before: &[u8]) -> bool {
    match before.last() {
        Some(b'0'..=b'9' | b'.' | b'-') => true,
        Some(b'E' | b'e' | b';') => before_stop(before).is_some(),
        _ => false,
    }
}

const DIRECTORY: &[u8] = b"10.";

/// Returns the bytes before `10.10.1038/x`, if `before` ends in its first `10.`. After a label or proxy, the inner name counts.
fn before_doubled(before: &[u8]) -> Option<&[u8]> {
    before
        .strip_suffix(DIRECTORY)
        .filter(|outer| !is_inside_number(outer))
}

/// Whether `-10.2010/` follows a digit: the end of a name, before the word of a page.
fn ends_in_year(before: &[u8], after: &[u8]) -> bool {
    let after_digit = matches!(before, [.., digit, b'-'] if digit.is_ascii_digit());
    let is_year = after.starts_with(b"10.19") || after.starts_with(b"10.20");
    after_digit && is_year && after.get(7) == Some(&b'/')
}

/// Signs before the code of a subfield in the records of libraries, MARC and PICA.
const SUBFIELD_MARKS: [char; 5] = ['$', '\u{1F}', 'ƒ', 'ǂ', '‡'];

pub(super) fn is_subfield_mark(c: char) -> bool {
    SUBFIELD_MARKS.contains(&c)
}

/// Whether `before` ends in a subfield mark and a digit that is the subfield's code.
pub(crate) fn ends_in_subfield_code(before: &[u8]) -> bool {
    let front = match before {
        [front @ .., b'0'..=b'9'] => front,
        _ => return false,
    };
    let ends_in = |mark: &char| front.ends_with(mark.encode_utf8(&mut [0; 4]).as_bytes());
    SUBFIELD_MARKS.iter().any(ends_in) && Rule::SubfieldCode.holds()
}

/// Whether a registrant code of six digits or more starts after a hyphen or a full stop inside a word. In 385,484 registered
/// names and 780,313 mentions, no code has more than five digits.
fn is_long_inside_word(before: &[u8], after: &[u8]) -> bool {
    const MAX_CODE_DIGITS: usize = 5;
    let code = after.get(DIRECTORY.len()..).unwrap_or_default();
    let digits = code.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > MAX_CODE_DIGITS
        && matches!(before, [.., inside, b'-' | b'.'] if inside.is_ascii_alphanumeric())
}

/// Whether `before` ends in a digit, or in a full stop after a digit or in a name. Any other full stop ends a sentence or a label.
fn is_inside_number(before: &[u8]) -> bool {
    match before_stop(before) {
        Some(front) => ends_in_digit(without_backslashes(front)) || ends_in_name(front),
        None => ends_in_digit(before),
    }
}

/// Returns the bytes before the full stop, plain or escaped, that `before` ends in.
fn before_stop(before: &[u8]) -> Option<&[u8]> {
    const STOPS: [&[u8]; 8] = [
        b".",
        b"%2E",
        b"%2e",
        b"&#46;",
        b"&#x2e;",
        b"&#x2E;",
        b"&period;",
        b"\\u002e",
    ];
    STOPS.iter().find_map(|stop| before.strip_suffix(*stop))
}

/// Whether `text` ends in a digit that is not part of an escape.
fn ends_in_digit(text: &[u8]) -> bool {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match text {
        [.., b'%', a, b] | [.., b'\\', b'x', a, b] if hex(&[*a, *b]) => false,
        [.., b'\\', b'u', a, b, c, d] if hex(&[*a, *b, *c, *d]) => false,
        [.., last] => last.is_ascii_digit(),
        [] => false,
    }
}

/// Whether `text` ends in a letter of a name, which may go on with a full stop and a number, as `10.1103/physrevx.10.011031`
/// does. A label is not part of the name before it.
fn ends_in_name(text: &[u8]) -> bool {
    /// Max bytes of the word to look at.
    const MAX_WORD_BYTES: usize = 128;
    const LABEL: &[u8] = b"doi";
    let near = &text[text.len().saturating_sub(MAX_WORD_BYTES)..];
    let ends_in_letter = near.last().is_some_and(u8::is_ascii_alphabetic);
    let label = near.len().saturating_sub(LABEL.len());
    if !ends_in_letter || near[label..].eq_ignore_ascii_case(LABEL) {
        return false;
    }
    let is_outside = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>".contains(byte);
    let word = near.iter().rposition(is_outside).map_or(0, |at| at + 1);
    let is_prefix = |at: usize| {
        let code = &near[word + at + DIRECTORY.len()..];
        let digits = code.iter().take_while(|byte| byte.is_ascii_digit());
        let digits = digits.count();
        digits > 3 && matches!(code.get(digits), Some(b'/' | b'\\' | b'%' | b'&'))
    };
    memchr::memmem::find_iter(&near[word..], DIRECTORY).any(is_prefix)
}

/// Whether `suffix` may follow `prefix` in a name written as `form`. After an ISBN, only the title number and the check digit
/// may.
pub(crate) fn has_right_suffix(prefix: WrittenPrefix, form: Form, suffix: &[u8]) -> bool {
    prefix.registrant != RegistrantKind::Isbn
        || form == Form::Urn
        || !Rule::IsbnPrefix.holds()
        || suffix.len() <= 7 && suffix.iter().all(u8::is_ascii_digit)
}
