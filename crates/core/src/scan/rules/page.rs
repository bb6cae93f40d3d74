//! Recognises the machinery of web pages: parts that look like a name and are not.

use super::hidden::hidden_part_len;
use super::place::UrlPlace;
use super::raw::{ends_in_break_command, is_hard_tag, optional_break_len};
use super::start::WrittenPrefix;
use super::{Form, NameContext, Rule, TextScope};

/// Attributes that hold the page's own anchors, and those that hold the addresses of media in the page.
pub(crate) const ANCHOR_ATTRIBUTES: [&str; 2] = ["id", "name"];
pub(crate) const MEDIA_ATTRIBUTES: [&str; 4] = ["src", "srcset", "data-src", "poster"];

/// Words in a `meta` element whose content is the address of media.
pub(crate) const META_MEDIA: [&str; 3] = ["image", "video", "audio"];

/// File endings of pictures, films and sounds. The names of articles do not end so.
pub(crate) const MEDIA_FILES: [&str; 14] = [
    ".avi", ".gif", ".jpeg", ".jpg", ".mov", ".mp3", ".mp4", ".ogg", ".ogv", ".png", ".svg",
    ".tif", ".webm", ".webp",
];

/// Whether `suffix`, as read, is part of a page instead of a name. `before` are the bytes before the name.
///
/// No name of 385,484 registered ones has four or more segments of digits only, as the pages of an advertising server have.
#[inline]
pub(crate) fn is_page_part(before: &[u8], context: &NameContext, suffix: &[u8]) -> bool {
    let in_path = context.place == UrlPlace::Path;
    if in_path && context.form == Form::Bare && Rule::Numbers.holds() && has_only_numbers(suffix) {
        return true;
    }
    if in_path && before.ends_with(b"/prefixes/") && Rule::PrefixPage.holds() {
        return true;
    }
    if context.scope != TextScope::Page || matches!(context.form, Form::Url | Form::Hdl) {
        return false;
    }
    in_path && is_media_file(suffix)
        || Attribute::read(before).is_some_and(|attribute| attribute.is_machinery())
}

fn is_media_file(suffix: &[u8]) -> bool {
    let has_ending = |ending: &&str| ends_with(suffix, ending) && Rule::MediaFile.holds_for(ending);
    // Each ending has three or four letters.
    matches!(suffix, [.., b'.', _, _, _] | [.., b'.', _, _, _, _])
        && MEDIA_FILES.iter().any(has_ending)
}

/// Elements that format a part of a line, which may be part of a name. Links and notes are not listed, since they bound a name.
pub(crate) const INLINE_ELEMENTS: [&str; 12] = [
    "b", "code", "em", "font", "i", "mark", "small", "span", "strong", "sub", "tt", "u",
];

/// The meaning of a `<` in a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AngleBracket {
    /// Tags of this length that are not part of the name, which goes on after them.
    InlineTags(usize),
    /// A tag that ends the name.
    BoundaryTag,
    /// Not a tag: it may belong to the name.
    NotTag,
}

impl AngleBracket {
    /// Reads the tags that `rest` starts with.
    ///
    /// A name goes on after inline tags if a letter or digit follows, perhaps with marks of a name before it.
    pub(crate) fn of(rest: &[u8], scope: TextScope) -> AngleBracket {
        if let Some(len) = hidden_part_len(rest) {
            return AngleBracket::InlineTags(len);
        }
        let inline = match scope {
            TextScope::Page => inline_tags_len(rest),
            _ => 0,
        };
        match optional_break_len(rest) {
            Some(len) => AngleBracket::InlineTags(len),
            None if inline > 0 && may_go_on_with(&rest[inline..]) => {
                AngleBracket::InlineTags(inline)
            }
            None if inline > 0 || is_hard_tag(rest) => AngleBracket::BoundaryTag,
            None => AngleBracket::NotTag,
        }
    }
}

/// Returns the length of the inline tags that `rest` starts with.
pub(crate) fn inline_tags_len(rest: &[u8]) -> usize {
    rest.len() - without_inline_tags(rest).len()
}

/// Whether `rest`, after tags, goes on with more of a name.
fn may_go_on_with(rest: &[u8]) -> bool {
    /// Max bytes to look at.
    const MAX_BYTES_AFTER_TAGS: usize = 100;
    let mut rest = &rest[..rest.len().min(MAX_BYTES_AFTER_TAGS)];
    loop {
        rest = match without_inline_tags(rest) {
            [
                b'.' | b'-' | b'_' | b'/' | b':' | b';' | b'(' | b')',
                after @ ..,
            ]
            | [b'&', b'l' | b'g', b't', b';', after @ ..] => after,
            [next, ..] => return next.is_ascii_alphanumeric(),
            [] => return false,
        };
    }
}

/// Returns `rest` after the inline tags that it starts with.
fn without_inline_tags(rest: &[u8]) -> &[u8] {
    /// Max bytes of the tags.
    const MAX_TAGS_BYTES: usize = 150;
    let near = &rest[..rest.len().min(MAX_TAGS_BYTES)];
    let mut left = near;
    while let Some(after) = left.strip_prefix(b"<").and_then(after_inline_tag) {
        left = after;
    }
    &rest[near.len() - left.len()..]
}

/// Whether the name that is `written` so was joined over white space, or over inline tags in a page.
pub(crate) fn is_joined(scope: TextScope, written: &[u8]) -> bool {
    let is_tag = |at| inline_tags_len(&written[at..]) > 0;
    let is_in_markup = |at: usize| {
        let front = written[..at].trim_ascii_end();
        front.ends_with(b"<wbr") || ends_in_break_command(front)
    };
    let is_break = |(at, byte): (usize, &u8)| byte.is_ascii_whitespace() && !is_in_markup(at);
    written.iter().any(u8::is_ascii_whitespace) && written.iter().enumerate().any(is_break)
        || scope == TextScope::Page && memchr::memchr_iter(b'<', written).any(is_tag)
}

/// Reads the prefix that `rest` starts with, if inline tags cut it. `read` reads a prefix in the text without the tags.
pub(crate) fn cut_prefix(
    rest: &[u8],
    read: impl Fn(&[u8]) -> Option<WrittenPrefix>,
) -> Option<WrittenPrefix> {
    /// Max bytes of a prefix without its tags, and with them.
    const MAX_PREFIX_BYTES: usize = 32;
    const MAX_RAW_PREFIX_BYTES: usize = 200;
    let rest = &rest[..rest.len().min(MAX_RAW_PREFIX_BYTES)];
    let (mut text, mut ends) = ([0; MAX_PREFIX_BYTES], [0; MAX_PREFIX_BYTES]);
    let (mut len, mut left) = (0, rest);
    while let Some((byte, after)) = left.split_first().filter(|_| len < MAX_PREFIX_BYTES) {
        (text[len], left) = (*byte, after);
        ends[len] = rest.len() - left.len();
        len += 1;
        left = without_inline_tags(left);
    }
    let prefix = read(&text[..len])?;
    let len = ends[prefix.len - 1];
    (len > prefix.len).then_some(WrittenPrefix {
        len,
        is_escaped: true,
        ..prefix
    })
}

/// Returns the text after the inline tag that `tag` starts with, without its `<`; `None` if it is another tag.
fn after_inline_tag(tag: &[u8]) -> Option<&[u8]> {
    /// Max bytes of the name of an element.
    const MAX_ELEMENT_NAME_BYTES: usize = 6;
    let inner = tag.strip_prefix(b"/").unwrap_or(tag);
    let len = inner.iter().take_while(|b| b.is_ascii_alphanumeric());
    let (name, rest) = inner.split_at(len.count());
    let is = |word: &&str| {
        name.eq_ignore_ascii_case(word.as_bytes()) && Rule::InlineElement.holds_for(word)
    };
    if name.len() > MAX_ELEMENT_NAME_BYTES
        || !matches!(rest, [b' ' | b'>', ..])
        || !INLINE_ELEMENTS.iter().any(is)
    {
        return None;
    }
    let end = memchr::memchr(b'>', rest)?;
    Some(&rest[end + 1..])
}

/// Whether `suffix` starts with four or more segments of digits. A segment may have one letter before its digits.
fn has_only_numbers(suffix: &[u8]) -> bool {
    const MIN_SEGMENTS: usize = 4;
    let is_number = |segment: &&[u8]| {
        let digits = match segment {
            [first, rest @ ..] if first.is_ascii_alphabetic() => rest,
            all => all,
        };
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    let segments = suffix.split(|b| *b == b'/');
    segments.take_while(is_number).count() >= MIN_SEGMENTS
}

fn ends_with(text: &[u8], ending: &str) -> bool {
    let start = text.len().checked_sub(ending.len());
    start.is_some_and(|start| text[start..].eq_ignore_ascii_case(ending.as_bytes()))
}

/// An attribute of an element whose value holds a name.
struct Attribute<'b> {
    name: &'b [u8],
    /// The tag up to the attribute's name.
    tag: &'b [u8],
}

impl<'b> Attribute<'b> {
    /// Returns the attribute whose quoted value `before` ends in.
    fn read(before: &'b [u8]) -> Option<Self> {
        let quote = memchr::memrchr2(b'"', b'\'', before)?;
        let head = before[..quote].trim_ascii_end().strip_suffix(b"=")?;
        let head = head.trim_ascii_end();
        let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b':' | b'_');
        let len = head.iter().rev().take_while(is_name).count();
        let (front, name) = head.split_at(head.len() - len);
        let tag = &front[memchr::memrchr(b'<', front)?..];
        let is_inside = memchr::memchr(b'>', tag).is_none() && !name.is_empty();
        is_inside.then_some(Attribute { name, tag })
    }

    fn is_machinery(&self) -> bool {
        let is = |name: &str| self.name.eq_ignore_ascii_case(name.as_bytes());
        let has = |word: &str| memchr::memmem::find(self.tag, word.as_bytes()).is_some();
        let is_anchor = |name: &&str| is(name) && Rule::Anchor.holds_for(name);
        let is_source = |name: &&str| is(name) && Rule::Source.holds_for(name);
        let is_media = |word: &&str| has(word) && Rule::MetaMedia.holds_for(word);
        ANCHOR_ATTRIBUTES.iter().any(is_anchor)
            || MEDIA_ATTRIBUTES.iter().any(is_source)
            || is("content") && META_MEDIA.iter().any(is_media)
    }
}
