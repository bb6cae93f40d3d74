//! Where a name ends: the order in which the rules apply.

use super::page::is_page_part;
use super::place::UrlPlace;
use super::suffix::{self, Reading};
use super::tail::{Surroundings, trim};
use super::{Around, Decoded, End, Rule};
use crate::scan::Rejection;

/// The end of the name of `text` whose suffix starts at `suffix`.
///
/// `before` is what comes before the name. `after` gives the bytes as written from a byte of `text` on.
pub(crate) fn end<'w>(
    text: &impl Decoded,
    suffix: usize,
    around: &Around,
    before: &[u8],
    after: impl Fn(usize) -> &'w [u8],
) -> Result<End, Rejection> {
    let (end, taken) = trimmed(text, suffix, around, &after);
    if is_page_part(before, around, &text.bytes()[suffix..taken]) {
        return Err(Rejection::PagePart);
    }
    if end.at <= suffix {
        return Err(Rejection::EmptySuffix);
    }
    match ellipsis_end(text.bytes(), end.at, taken) {
        Some(at) if Rule::Ellipsis.holds() && ends_enclosure(before, around, after(at)) => {
            Err(Rejection::Ellipsis)
        }
        _ => Ok(end),
    }
}

/// The end of the name, and where reading it stopped before anything was trimmed.
fn trimmed<'w>(
    text: &impl Decoded,
    suffix: usize,
    around: &Around,
    after: impl Fn(usize) -> &'w [u8],
) -> (End, usize) {
    let trim = |end: End, whole| {
        let around = Surroundings {
            whole,
            field: around.enclosure.is_some(),
            place: around.place,
        };
        (trim(text.bytes(), suffix, end, around), end.at)
    };
    if let Some(enclosure) = around.enclosure.filter(|_| around.place == UrlPlace::None) {
        let end = suffix::end(text, suffix, around, Reading::Whole);
        if enclosure.is_closed_by(after(end.at)) {
            return trim(end, true);
        }
    }
    trim(suffix::end(text, suffix, around, Reading::Prose), false)
}

/// Where an ellipsis ends that was trimmed from a name or follows it: `end` is that of the name, `taken` that of what was
/// read.
fn ellipsis_end(text: &[u8], end: usize, taken: usize) -> Option<usize> {
    let sign = "…".as_bytes();
    let trimmed = &text[end..taken];
    if trimmed.ends_with(b"...") && !trimmed.ends_with(b"....") {
        Some(taken)
    } else if text[taken..].starts_with(sign) {
        Some(taken + sign.len())
    } else {
        None
    }
}

/// Marks around a text that holds a name among other words.
const MARKS: [(&[u8], &[u8]); 7] = [
    (b"\\\"", b"\\\""),
    (b"&quot;", b"&quot;"),
    (b"\"", b"\""),
    (b"'", b"'"),
    (b"{", b"}"),
    (b"[", b"]"),
    (b"|", b"|"),
];

/// Whether a tag follows, or what ends the enclosure of a name or of the text around it. A mark that nothing opened ends
/// neither, and nor does the end of a line that holds more than the name.
fn ends_enclosure(before: &[u8], around: &Around, after: &[u8]) -> bool {
    let closes = |(opener, closer): &(&[u8], &[u8])| {
        after.starts_with(closer) && memchr::memmem::find(before, opener).is_some()
    };
    after.starts_with(b"<")
        || after.starts_with(b"&lt;")
        || around.enclosure.is_some_and(|e| e.is_closed_by(after))
        || MARKS.iter().any(closes)
}
