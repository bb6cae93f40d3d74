//! Recognises the tags with which social sites hide a part of a link's text. The text then holds the whole name, or an ellipsis
//! follows.

use super::Rule;
use crate::doi::hex_pair;

/// Max bytes of a tag, as JSON writes it.
const MAX_TAG_BYTES: usize = 256;

/// The spellings of an ellipsis, except for three full stops.
#[rustfmt::skip]
pub(super) const ELLIPSES: [&str; 13] = [
    "…", "⋯", "‥", "[…]", "[...]", "(…)", "(...)", ". . .", "&hellip;", "&#8230;", "\\u2026", "\\ldots", "\\dots",
];

/// Returns the text after the ellipsis that `rest` starts with. Three full stops do not count.
pub(super) fn strip_ellipsis(rest: &[u8]) -> Option<&[u8]> {
    let mut rests = ELLIPSES
        .iter()
        .filter_map(|sign| rest.strip_prefix(sign.as_bytes()));
    rests.next()
}

/// Returns the length of the tags that `rest` starts with, if a hidden part of the same text follows: `</span><span
/// class="invisible">`. JSON and HTML may escape them.
#[inline]
pub(crate) fn hidden_part_len(rest: &[u8]) -> Option<usize> {
    if may_start_tag(rest) {
        part_len(rest)
    } else {
        None
    }
}

/// Whether `rest` may start with a tag of the element `span`, at a glance.
#[inline]
fn may_start_tag(rest: &[u8]) -> bool {
    matches!(
        rest,
        [b'<', b'/', b's', b'p', ..]
            | [b'<', b's', b'p', b'a', ..]
            | [b'<', b'\\', ..]
            | [b'&', b'l', b't', b';', b'/' | b'\\', ..]
            | [b'&', b'l', b't', b';', b's', b'p', ..]
            | [b'\\', b'u' | b'\\', ..]
    )
}

#[inline(never)]
fn part_len(rest: &[u8]) -> Option<usize> {
    let start = tag(rest)?;
    let (tag, after) = match start.is_end {
        true => (tag(start.rest)?, start.rest),
        false => (start, rest),
    };
    let opener = opener_len(after);
    let goes_on = match tag.rest {
        [b'&', b'n' | b'#', ..] => false,
        [first, ..] => first.is_ascii_graphic() && !tag.rest.starts_with(&after[..opener]),
        [] => false,
    };
    let is_hidden = !tag.is_end && tag.hides() && goes_on && Rule::HiddenPart.holds();
    is_hidden.then(|| rest.len() - tag.rest.len())
}

/// Whether the bytes `written` of a name contain a hidden part.
pub(super) fn has_hidden_part(written: &[u8]) -> bool {
    let mut starts = memchr::memchr3_iter(b'<', b'\\', b'&', written);
    starts.any(|at| hidden_part_len(&written[at..]).is_some())
}

/// Whether `rest`, after the text of a link, starts with an ellipsis inside tags.
pub(super) fn is_ellipsis_in_tags(rest: &[u8]) -> bool {
    /// Max tags before the ellipsis.
    const MAX_TAGS: usize = 6;
    if !may_start_tag(rest) {
        return false;
    }
    let mut left = rest;
    for _ in 0..MAX_TAGS {
        left = match tag(left) {
            Some(tag) => tag.rest,
            None => return false,
        };
        left = left.strip_prefix(b"&nbsp;").unwrap_or(left);
        left = left.strip_prefix("\u{A0}".as_bytes()).unwrap_or(left);
        if left.starts_with(b"...") || strip_ellipsis(left).is_some() {
            return true;
        }
    }
    false
}

/// A tag of the element `span`, which marks the parts of a link's text.
struct SpanTag<'t> {
    is_end: bool,
    /// The bytes between the element's name and the end of the tag.
    attributes: &'t [u8],
    rest: &'t [u8],
}

impl SpanTag<'_> {
    /// Whether a class or an attribute hides the text of the element.
    fn hides(&self) -> bool {
        let has = |word: &[u8]| memchr::memmem::find(self.attributes, word).is_some();
        has(b"invisible") || has(b"aria-hidden") && has(b"true")
    }
}

/// Reads the tag that `text` starts with.
fn tag(text: &[u8]) -> Option<SpanTag<'_>> {
    let mut rest = strip(text, b'<')?;
    let end = strip(rest, b'/');
    rest = end.unwrap_or(rest).strip_prefix(b"span")?;
    let attributes = rest;
    for _ in 0..MAX_TAG_BYTES {
        let (byte, after) = character(rest)?;
        if byte == b'>' {
            return Some(SpanTag {
                is_end: end.is_some(),
                attributes: &attributes[..attributes.len() - rest.len()],
                rest: after,
            });
        }
        rest = after;
    }
    None
}

/// Returns how many bytes write the first character of `text`.
fn opener_len(text: &[u8]) -> usize {
    character(text).map_or(0, |(_, rest)| text.len() - rest.len())
}

/// Returns `text` without `wanted` at its start; `None` if it starts otherwise.
fn strip(text: &[u8], wanted: u8) -> Option<&[u8]> {
    let (byte, rest) = character(text)?;
    (byte == wanted).then_some(rest)
}

/// Returns the first character of `text`, plain or as JSON and HTML escape it, and the text after it.
fn character(text: &[u8]) -> Option<(u8, &[u8])> {
    const ENTITIES: [(&[u8], u8); 3] = [(b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"')];
    const MAX_BACKSLASHES: usize = 8;
    let entity = ENTITIES
        .iter()
        .find_map(|(written, meaning)| Some((*meaning, text.strip_prefix(*written)?)));
    if entity.is_some() {
        return entity;
    }
    let near = text.iter().take(MAX_BACKSLASHES);
    let backslashes = near.take_while(|byte| **byte == b'\\').count();
    match &text[backslashes..] {
        [b'u', b'0', b'0', a, b, rest @ ..] if backslashes > 0 => Some((hex_pair(*a, *b)?, rest)),
        [first, rest @ ..] => Some((*first, rest)),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_parts_in_every_spelling() {
        for tags in [
            "</span><span class=\"invisible\">",
            "<span aria-hidden=\"true\" class=\"css-1\">",
            "</span><span class=\\\"invisible\\\">",
            "<\\/span><span class=\\\"invisible\\\">",
            "\\u003c/span\\u003e\\u003cspan class=\\\"invisible\\\"\\u003e",
            "\\\\u003c/span\\\\u003e\\\\u003cspan class=\\\\\\\"invisible\\\\\\\"\\\\u003e",
            "&lt;/span&gt;&lt;span class=&quot;invisible&quot;&gt;",
        ] {
            let text = format!("{tags}.7</span>");
            assert_eq!(hidden_part_len(text.as_bytes()), Some(tags.len()), "{tags}");
        }
        for text in [
            "</span><span class=\"invisible\"></span>",
            "</span><span class=\"invisible\">&nbsp;</span>",
            "&lt;/span&gt;&lt;span class=&quot;invisible&quot;&gt;&lt;/span&gt;",
            "</span><span class=\"ellipsis\">a",
            "</span>.7",
            "<b class=\"invisible\">a",
            "</span",
        ] {
            assert_eq!(hidden_part_len(text.as_bytes()), None, "{text}");
        }
    }
}
