//! The machinery of web pages: what has the form of a name there and is none.

use super::hidden::hidden_part_len;
use super::place::UrlPlace;
use super::raw::{ends_in_break_command, is_hard_tag, optional_break_len};
use super::start::Prefix;
use super::{Around, Form, Rule, Scope};

/// Attributes that hold the page's own anchors, or the addresses of what the page shows.
pub(crate) const ANCHORS: [&str; 2] = ["id", "name"];
pub(crate) const SOURCES: [&str; 4] = ["src", "srcset", "data-src", "poster"];

/// What a `meta` element says that its content is the address of.
pub(crate) const META_MEDIA: [&str; 3] = ["image", "video", "audio"];

/// Files that show or sound something: an article is not called so.
pub(crate) const MEDIA_FILES: [&str; 14] = [
    ".avi", ".gif", ".jpeg", ".jpg", ".mov", ".mp3", ".mp4", ".ogg", ".ogv", ".png", ".svg",
    ".tif", ".webm", ".webp",
];

/// Whether what is written as `taken` from the suffix on, with `before` before the name, is a part of a page and no name.
///
/// Of 385,484 registered names none has four segments or more of digits alone, as the pages of an advertising server have.
#[inline]
pub(crate) fn is_page_part(before: &[u8], around: &Around, taken: &[u8]) -> bool {
    let in_path = around.place == UrlPlace::Path;
    if in_path && around.form == Form::Bare && Rule::Numbers.holds() && has_only_numbers(taken) {
        return true;
    }
    if in_path && before.ends_with(b"/prefixes/") && Rule::PrefixPage.holds() {
        return true;
    }
    if around.scope != Scope::Page || matches!(around.form, Form::Url | Form::Hdl) {
        return false;
    }
    in_path && is_media_file(taken)
        || Attribute::around(before).is_some_and(|attribute| attribute.is_machinery())
}

fn is_media_file(taken: &[u8]) -> bool {
    let has_ending = |ending: &&str| ends_with(taken, ending) && Rule::MediaFile.holds_for(ending);
    // Each has three or four letters.
    matches!(taken, [.., b'.', _, _, _] | [.., b'.', _, _, _, _])
        && MEDIA_FILES.iter().any(has_ending)
}

/// Elements for a part of a line, that may be a part of a name. What is a link or a note bounds it.
pub(crate) const INLINE: [&str; 12] = [
    "b", "code", "em", "font", "i", "mark", "small", "span", "strong", "sub", "tt", "u",
];

/// What a `<` in a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Tags of this length, which are no part of the name around them.
    Inside(usize),
    /// A tag that ends the name.
    Bound,
    /// No tag: it may be the name's.
    No,
}

impl Tag {
    /// What `rest` starts with.
    ///
    /// A name goes on after the tags of parts of a line if a letter or digit follows, with marks of a name before it or none.
    pub(crate) fn of(rest: &[u8], scope: Scope) -> Tag {
        if let Some(len) = hidden_part_len(rest) {
            return Tag::Inside(len);
        }
        let inline = match scope {
            Scope::Page => inline_tags_len(rest),
            _ => 0,
        };
        match optional_break_len(rest) {
            Some(len) => Tag::Inside(len),
            None if inline > 0 && may_go_on_with(&rest[inline..]) => Tag::Inside(inline),
            None if inline > 0 || is_hard_tag(rest) => Tag::Bound,
            None => Tag::No,
        }
    }
}

/// The length of the tags of parts of a line that `rest` starts with.
pub(crate) fn inline_tags_len(rest: &[u8]) -> usize {
    rest.len() - without_inline_tags(rest).len()
}

/// Whether `rest`, after tags, goes on with more of a name.
fn may_go_on_with(rest: &[u8]) -> bool {
    /// Bytes that are looked at.
    const LONGEST: usize = 100;
    let mut rest = &rest[..rest.len().min(LONGEST)];
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

/// `rest` after the tags of parts of a line that it starts with.
fn without_inline_tags(rest: &[u8]) -> &[u8] {
    /// Bytes of tags at most.
    const LONGEST: usize = 150;
    let near = &rest[..rest.len().min(LONGEST)];
    let mut left = near;
    while let Some(after) = left.strip_prefix(b"<").and_then(after_inline_tag) {
        left = after;
    }
    &rest[near.len() - left.len()..]
}

/// Whether the name that is `written` so was joined over tags of parts of a line in a page, or over white space.
pub(crate) fn is_joined(scope: Scope, written: &[u8]) -> bool {
    let is_tag = |at| inline_tags_len(&written[at..]) > 0;
    let is_in_markup = |at: usize| {
        let front = written[..at].trim_ascii_end();
        front.ends_with(b"<wbr") || ends_in_break_command(front)
    };
    let is_break = |(at, byte): (usize, &u8)| byte.is_ascii_whitespace() && !is_in_markup(at);
    written.iter().any(u8::is_ascii_whitespace) && written.iter().enumerate().any(is_break)
        || scope == Scope::Page && memchr::memchr_iter(b'<', written).any(is_tag)
}

/// The prefix that `rest` starts with, if tags of parts of a line cut it, as `read` finds it in the text without them.
pub(crate) fn cut_prefix(rest: &[u8], read: impl Fn(&[u8]) -> Option<Prefix>) -> Option<Prefix> {
    /// Bytes of a prefix without its tags, and with them.
    const LONGEST: usize = 32;
    const LONGEST_WRITTEN: usize = 200;
    let rest = &rest[..rest.len().min(LONGEST_WRITTEN)];
    let (mut text, mut ends) = ([0; LONGEST], [0; LONGEST]);
    let (mut len, mut left) = (0, rest);
    while let Some((byte, after)) = left.split_first().filter(|_| len < LONGEST) {
        (text[len], left) = (*byte, after);
        ends[len] = rest.len() - left.len();
        len += 1;
        left = without_inline_tags(left);
    }
    let prefix = read(&text[..len])?;
    let len = ends[prefix.len - 1];
    (len > prefix.len).then_some(Prefix {
        len,
        escaped: true,
        ..prefix
    })
}

/// What follows the tag of a part of a line that `tag` goes on with.
fn after_inline_tag(tag: &[u8]) -> Option<&[u8]> {
    /// Bytes of the name of an element at most.
    const LONGEST: usize = 6;
    let inner = tag.strip_prefix(b"/").unwrap_or(tag);
    let len = inner.iter().take_while(|b| b.is_ascii_alphanumeric());
    let (name, rest) = inner.split_at(len.count());
    let is = |word: &&str| {
        name.eq_ignore_ascii_case(word.as_bytes()) && Rule::InlineElement.holds_for(word)
    };
    if name.len() > LONGEST || !matches!(rest, [b' ' | b'>', ..]) || !INLINE.iter().any(is) {
        return None;
    }
    let end = memchr::memchr(b'>', rest)?;
    Some(&rest[end + 1..])
}

/// Whether `suffix` starts with four segments or more of digits, each with a letter before them at most.
fn has_only_numbers(suffix: &[u8]) -> bool {
    const MIN: usize = 4;
    let is_number = |segment: &&[u8]| {
        let digits = match segment {
            [first, rest @ ..] if first.is_ascii_alphabetic() => rest,
            all => all,
        };
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    let segments = suffix.split(|b| *b == b'/');
    segments.take_while(is_number).count() >= MIN
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
    /// The attribute in whose quoted value `before` ends.
    fn around(before: &'b [u8]) -> Option<Self> {
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
        ANCHORS.iter().any(is_anchor)
            || SOURCES.iter().any(is_source)
            || is("content") && META_MEDIA.iter().any(is_media)
    }
}
