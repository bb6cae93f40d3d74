//! Tags and white space inside a name: what is dropped, and what ends it.

use super::{angle_end, is_year, sici_angle_len};
use crate::scan::rules::Rule;

/// Elements that hold a note to the name, not a part of it.
const NOTES: [&str; 4] = ["sup", "sub", "xref", "fn"];

/// Whether what the element `name` holds is no part of the name that it is in: a note, or an editor's mark such as
/// `xml_add`, for no element of running text has `_` in its name.
fn is_note(name: &str) -> bool {
    Rule::Note.holds() && (NOTES.contains(&name) || name.contains('_'))
}

/// Elements that nothing closes; a name does not go on after them.
const BREAKS: [&str; 4] = ["br", "p", "hr", "img"];

/// `suffix` without tags. A note goes with its text; a tag that ends an element around the name ends the name.
pub(super) fn without_tags(suffix: &str) -> String {
    let mut out = String::new();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = suffix;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_tag = |_: &Tag<'_>| sici_angle_len(rest) == 0 && Rule::Tag.holds();
        let Some(tag) = Tag::read(rest).filter(is_tag) else {
            out.push('<');
            rest = &rest[1..];
            continue;
        };
        rest = match tag.kind {
            Kind::Close if open.pop() != Some(tag.name) => return out,
            Kind::Open if is_note(tag.name) => after_element(rest, &tag),
            Kind::Open if BREAKS.contains(&tag.name) => return out,
            Kind::Open => {
                open.push(tag.name);
                &rest[tag.len..]
            }
            Kind::Close | Kind::Empty => &rest[tag.len..],
        };
    }
    out + rest
}

/// What follows the element that `tag` opens; nothing where it is never closed.
fn after_element<'t>(text: &'t str, tag: &Tag<'_>) -> &'t str {
    let close = format!("</{}>", tag.name);
    text.find(&close).map_or("", |at| &text[at + close.len()..])
}

#[derive(Clone, Copy)]
enum Kind {
    Open,
    Close,
    Empty,
}

struct Tag<'t> {
    name: &'t str,
    kind: Kind,
    len: usize,
}

impl<'t> Tag<'t> {
    /// The tag that `text` starts with.
    fn read(text: &'t str) -> Option<Tag<'t>> {
        let end = angle_end(text)?;
        let inner = text.get(1..end)?;
        let (inner, kind) = match (inner.strip_prefix('/'), inner.strip_suffix('/')) {
            (Some(inner), _) => (inner, Kind::Close),
            (None, Some(inner)) => (inner, Kind::Empty),
            (None, None) => (inner, Kind::Open),
        };
        let name_end = inner.find(|c: char| !c.is_ascii_alphanumeric() && !"-:_".contains(c));
        let name = &inner[..name_end.unwrap_or(inner.len())];
        let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && (name.len() == inner.len() || inner[name.len()..].starts_with(' '));
        is_tag.then_some(Tag {
            name,
            kind,
            len: end + 1,
        })
    }
}

/// The most pieces that a name is joined of.
const WORDS: usize = 16;

/// `suffix` up to the white space that ends it, without the white space that broke it.
pub(super) fn joined(suffix: &str) -> String {
    let mut words = suffix.split_whitespace().take(WORDS).peekable();
    let mut name = words.next().unwrap_or_default().to_owned();
    // A name that was broken at one full stop was broken at each.
    let mut at_stops = false;
    while let Some(word) = words.next() {
        let is_number = word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let goes_on_after_stop = at_stops && name.ends_with('.') && is_number;
        if !goes_on_after_stop && !goes_on(&name, word, words.peek().is_none()) {
            break;
        }
        at_stops |= name.ends_with('.') && is_number;
        name.push_str(word);
    }
    name
}

/// Whether `word` looks like the rest of the name whose suffix so far is `name`: a break is beside a joint, and digits
/// follow it. `is_last` says that nothing follows `word`.
fn goes_on(name: &str, word: &str, is_last: bool) -> bool {
    if !Rule::DirtBreak.holds() {
        return false;
    }
    let has_digit = |text: &str| text.bytes().any(|b| b.is_ascii_digit());
    let starts_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
    let starts_well = word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '(');
    if name.matches('<').count() > name.matches('>').count() {
        return true;
    }
    match name.as_bytes() {
        b"j." => starts_well,
        [.., b'/' | b'-' | b':' | b'_' | b'('] => starts_well && has_digit(word),
        // The letter that one publisher's names end in.
        [.., b'.'] if word.trim_end_matches('.').eq_ignore_ascii_case("x") => true,
        // A full stop may end a sentence; what follows a whole name then is a year, a volume, or words.
        [.., b'.'] if has_digit(name) => {
            let number = word.trim_end_matches('.');
            starts_with_digit && (number.contains('.') || is_last && !is_year(number))
        }
        [.., b'.'] => starts_well && has_digit(word),
        _ => {
            word.starts_with(['.', '-', '/', '_', ':', '(', '<'])
                && has_digit(word)
                && !word.ends_with(')')
                || !has_digit(name) && starts_with_digit
        }
    }
}
