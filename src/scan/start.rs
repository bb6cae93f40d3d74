//! Whether a name starts at an anchor, told from the bytes beside it and from nothing else.
//!
//! The same answer decides what is judged and what ends the name before, so that names never overlap
//! and no stretch of text is read for more than one of them.

use super::automaton::{self, Prefix, Registrant, Separator};
use super::{BEFORE, Form, Rejection, context};

/// A place where a name starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) prefix: Prefix,
    /// Where what belongs to the name starts: at the anchor, or at a directory indicator written twice.
    pub(super) outer: usize,
}

/// What stands at the anchor `at`: nothing, a candidate that is refused at once, or a start.
pub(super) fn start(window: &[u8], at: usize) -> Option<Result<Start, Rejection>> {
    let prefix = automaton::prefix(&window[at..])?;
    let before = &window[at.saturating_sub(BEFORE)..at];
    if automaton::ends_in_prefix(before) {
        return None;
    }
    let slip = slip(before);
    let inside = is_inside_number(before) || ends_in_year(before, &window[at..]);
    if slip.is_none() && inside {
        return (prefix.separator == Separator::Slash).then_some(Err(Rejection::InsideNumber));
    }
    let usual = prefix.separator == Separator::Slash && prefix.registrant != Registrant::Odd;
    if usual && slip.is_none() {
        return Some(Ok(Start { prefix, outer: at }));
    }
    let form = context::opener(slip.unwrap_or(before)).form;
    match (prefix.separator, form) {
        (Separator::Broken, Form::Bare) => None,
        (Separator::Colon, form) if form != Form::Urn => None,
        // In a URN any code is one: the name starts at the first indicator.
        (_, Form::Bare | Form::Urn) if slip.is_some() => Some(Err(Rejection::InsideNumber)),
        (_, form) if prefix.registrant == Registrant::Odd && form != Form::Urn => {
            Some(Err(Rejection::RegistrantCode))
        }
        _ => Some(Ok(Start {
            prefix,
            outer: at - slip.map_or(0, |_| DIRECTORY.len()),
        })),
    }
}

const DIRECTORY: &[u8] = b"10.";

/// What stands before `10.` in `10.10.1038/x`: behind a label or proxy, the inner name counts.
fn slip(before: &[u8]) -> Option<&[u8]> {
    before
        .strip_suffix(DIRECTORY)
        .filter(|outer| !is_inside_number(outer))
}

/// Whether `-10.2010/` stands behind a digit: the end of a name, and a page word behind it.
fn ends_in_year(before: &[u8], after: &[u8]) -> bool {
    let behind_digit = matches!(before, [.., digit, b'-'] if digit.is_ascii_digit());
    let is_year = after.starts_with(b"10.19") || after.starts_with(b"10.20");
    behind_digit && is_year && after.get(7) == Some(&b'/')
}

/// Whether a digit or a full stop stands directly before; an escape's own digits do not count.
fn is_inside_number(before: &[u8]) -> bool {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'%', a, b] | [.., b'\\', b'x', a, b] if hex(&[*a, *b]) => false,
        [.., b'\\', b'u', a, b, c, d] if hex(&[*a, *b, *c, *d]) => false,
        [.., last] => last.is_ascii_digit() || *last == b'.',
        [] => false,
    }
}
