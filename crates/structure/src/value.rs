//! Finds the whole value of a field around a byte of it.
//!
//! A reader knows the syntax of the byte; the bytes around it show the start and the end of the value. Both are searched within
//! fixed distances, which every piece of a document covers, so that the result does not depend on the pieces.

use std::borrow::Cow;
use std::ops::Range;

use super::tagged::TagSyntax;
use memchr::memmem;
use memchr::{memchr, memchr2, memrchr, memrchr2};

/// Max bytes of a value before the byte.
const MAX_BEFORE_BYTES: usize = 1024;
/// Max bytes from the byte to the end of the value.
const MAX_AFTER_BYTES: usize = 64 << 10;

/// The syntax of a value, which determines its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSyntax {
    /// A string of JSON.
    Json,
    /// The text of an element.
    Element,
    /// A CDATA section that is the whole text of an element.
    Characters,
    /// The value of an attribute, with its quote.
    Attribute(u8),
    /// A value of BibTeX in braces or quotes.
    Bibtex,
    /// A value of YAML on one line.
    Yaml,
    /// The rest of a line with a tag.
    Tagged(TagSyntax),
}

impl ValueSyntax {
    /// Returns the range of the value around the byte at `at`. `None` if it is longer than names are, not alone in its field, or
    /// has no end.
    pub fn around(self, bytes: &[u8], at: usize) -> Option<Range<usize>> {
        let from = at.saturating_sub(MAX_BEFORE_BYTES);
        let near = &bytes[from..bytes.len().min(at + MAX_AFTER_BYTES)];
        let found = self.within(near, at - from)?;
        Some(from + found.start..from + found.end)
    }

    fn within(self, near: &[u8], at: usize) -> Option<Range<usize>> {
        let (before, after) = near.split_at(at);
        let range = |start: usize, length: usize| start..at + length;
        match self {
            ValueSyntax::Json => Some(range(after_quote(before)?, before_quote(after)?)),
            ValueSyntax::Element => {
                let length = memchr(b'<', after)?;
                let is_alone = after[length..].starts_with(b"</");
                is_alone.then_some(range(memrchr(b'>', before)? + 1, length))
            }
            ValueSyntax::Characters => {
                let start = memmem::rfind(before, CDATA_OPENER)? + CDATA_OPENER.len();
                let length = memmem::find(after, b"]]>")?;
                let is_alone = after[length + 3..].starts_with(b"</");
                is_alone.then_some(range(start, length))
            }
            ValueSyntax::Attribute(quote) => {
                Some(range(memrchr(quote, before)? + 1, memchr(quote, after)?))
            }
            ValueSyntax::Bibtex => {
                bibtex(before, after).map(|(start, length)| range(start, length))
            }
            ValueSyntax::Yaml => yaml(before, after).map(|(start, length)| range(start, length)),
            ValueSyntax::Tagged(syntax) => {
                let line = memrchr2(b'\n', b'\r', before).map_or(0, |line| line + 1);
                let (_, mark) = syntax.tag(&before[line..])?;
                Some(range(line + mark, memchr2(b'\n', b'\r', after)?))
            }
        }
    }

    /// Whether the bytes of a value are the name with this key, in upper or lower case. The only escape that it decodes is one
    /// `\/` in JSON.
    pub fn shows(self, value: &[u8], key: &str) -> bool {
        let (start, rest) = match memchr2(b'\\', b'%', value) {
            None => (value, &[][..]),
            Some(at) if self == ValueSyntax::Json && value[at..].starts_with(b"\\/") => {
                (&value[..at], &value[at + 1..])
            }
            Some(_) => return false,
        };
        let key = key.as_bytes().split_at_checked(start.len());
        key.is_some_and(|(before, after)| {
            before.eq_ignore_ascii_case(start)
                && after.eq_ignore_ascii_case(rest)
                && !rest.contains(&b'%')
        })
    }

    /// Decodes the text of a value. Bytes that are not UTF-8 are replaced.
    pub fn decoded(self, value: &[u8]) -> Cow<'_, str> {
        match self {
            ValueSyntax::Json => super::json_text::unescaped(value),
            ValueSyntax::Element | ValueSyntax::Attribute(_) => {
                match String::from_utf8_lossy(value) {
                    Cow::Borrowed(text) => htmlize::unescape(text),
                    Cow::Owned(text) => Cow::Owned(htmlize::unescape(&text).into_owned()),
                }
            }
            ValueSyntax::Bibtex => {
                Cow::Owned(without_latex(&String::from_utf8_lossy(value)).into_owned())
            }
            ValueSyntax::Characters | ValueSyntax::Yaml | ValueSyntax::Tagged(_) => {
                String::from_utf8_lossy(value)
            }
        }
    }
}

const CDATA_OPENER: &[u8] = b"<![CDATA[";

/// Returns the offset after the last quote that is not escaped.
fn after_quote(before: &[u8]) -> Option<usize> {
    let mut end = before.len();
    loop {
        let quote = memrchr(b'"', &before[..end])?;
        let escapes = before[..quote]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\');
        if escapes.count() % 2 == 0 {
            return Some(quote + 1);
        }
        end = quote;
    }
}

/// Returns the offset of the first quote that is not escaped.
fn before_quote(after: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', &after[at..])?;
        match after[at] {
            b'"' => return Some(at),
            _ => at += 2,
        }
        if at > after.len() {
            return None;
        }
    }
}

/// Returns the start of a BibTeX value in `before`, and its length in `after`.
fn bibtex(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    let mut end = before.len();
    loop {
        let equals = memrchr(b'=', &before[..end])?;
        let rest = &before[equals + 1..];
        let opener = equals + 1 + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let start = opener + 1;
        match before[opener] {
            b'{' => return Some((start, closed(&before[start..], after, b'}')?)),
            b'"' => return Some((start, closed(&before[start..], after, b'"')?)),
            _ => end = equals,
        }
    }
}

/// Returns the start of a value of YAML in `before`, and its length in `after`.
fn yaml(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    let line = memrchr2(b'\n', b'\r', before).map_or(0, |line| line + 1);
    let written = &before[line..];
    let key = memmem::find(written, b": ").map_or(0, |colon| colon + 2);
    let is_before = |byte: &u8| matches!(byte, b' ' | b'-');
    let start = line
        + key
        + written[key..]
            .iter()
            .take_while(|byte| is_before(byte))
            .count();
    let end = memchr2(b'\n', b'\r', after).unwrap_or(after.len());
    let rest = &after[..end];
    match before.get(start) {
        Some(quote @ (b'"' | b'\'')) => Some((start + 1, memchr(*quote, rest)?)),
        _ => Some((start, memmem::find(rest, b" #").unwrap_or(end))),
    }
}

/// Returns the length of the value in `after`: up to the first `closer` outside of inner braces. `None` if the value ends in
/// `before` or has no end.
fn closed(before: &[u8], after: &[u8], closer: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, &byte) in before.iter().chain(after).enumerate() {
        match byte {
            byte if byte == closer && depth == 0 => return at.checked_sub(before.len()),
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Marks that LaTeX writes with a backslash.
pub const LATEX_MARKS: [char; 5] = ['_', '&', '%', '#', '$'];

/// Returns the text without the backslashes and braces of [`LATEX_MARKS`], and without a `\url` macro around it.
pub fn without_latex(text: &str) -> Cow<'_, str> {
    match without_marks(text) {
        Cow::Borrowed(plain) => Cow::Borrowed(in_url(plain).unwrap_or(plain)),
        Cow::Owned(plain) => Cow::Owned(in_url(&plain).map(str::to_owned).unwrap_or(plain)),
    }
}

/// Returns the text without the backslashes and braces of [`LATEX_MARKS`].
fn without_marks(text: &str) -> Cow<'_, str> {
    let mut plain = String::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = memchr2(b'\\', b'{', &rest.as_bytes()[from..]) {
        from += at + 1;
        if !rest[from..].starts_with(LATEX_MARKS) {
            continue;
        }
        let (before, mark) = rest.split_at(from);
        plain += before;
        let (mark, mut after) = mark.split_at(1);
        for (opener, closer) in [("{\\", "}"), ("\\", ""), ("{", "}")] {
            let parts = plain.strip_suffix(opener).zip(after.strip_prefix(closer));
            if let Some((inside, outside)) = parts {
                plain.truncate(inside.len());
                after = outside;
            }
        }
        plain += mark;
        (rest, from) = (after, 0);
    }
    match plain.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(plain + rest),
    }
}

/// Returns the argument of a `\url` macro around a text.
fn in_url(text: &str) -> Option<&str> {
    text.strip_prefix("\\url{")?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the decoded value around the first `10.`.
    #[track_caller]
    fn value(syntax: ValueSyntax, text: &str) -> Option<String> {
        let at = text.find("10.").unwrap();
        let range = syntax.around(text.as_bytes(), at);
        range.map(|range| syntax.decoded(&text.as_bytes()[range]).into_owned())
    }

    #[test]
    fn the_bytes_of_a_value_show_its_name() {
        let shows = |value: &str, key| ValueSyntax::Json.shows(value.as_bytes(), key);
        for value in ["10.5555/A.1", "10.5555\\/a.1"] {
            assert!(shows(value, "10.5555/a.1"), "{value}");
            assert!(!shows(value, "10.5555/a.12"), "{value}");
            assert!(!shows(value, "10.5555/a."), "{value}");
        }
        assert!(!shows("10.5555/ a.1", "10.5555/a.1"));
        assert!(!shows("10.5555\\/a%2F1", "10.5555/a%2f1"));
        assert!(!shows("10.5555\\/a\\/1", "10.5555/a/1"));
        assert!(!ValueSyntax::Bibtex.shows(b"10.5555\\/a", "10.5555/a"));
    }

    #[test]
    fn the_escapes_of_latex_are_undone_once() {
        for (written, plain) in [
            ("10.5555/a_b", "10.5555/a_b"),
            ("{A} \\emph{b}", "{A} \\emph{b}"),
            ("a\\_b{\\_}c{_}d\\&", "a_b_c_d&"),
            ("{\\{\\_}}", "_"),
            ("{{_}}", "{_}"),
            ("\\\\_", "\\_"),
            ("{\\_", "{_"),
            ("\\url{http://x.org/a}", "http://x.org/a"),
            ("\\url{http://x.org/a\\_b}", "http://x.org/a_b"),
            ("\\url{a} b", "\\url{a} b"),
        ] {
            assert_eq!(without_latex(written), plain, "{written}");
        }
    }

    #[test]
    fn values_reach_from_their_opener_to_their_end() {
        let cases = [
            (
                ValueSyntax::Json,
                r#""a":"b\"c 10.5555\/x y","d""#,
                Some("b\"c 10.5555/x y"),
            ),
            (ValueSyntax::Json, r#""a":"10.5555/x\"#, None),
            (
                ValueSyntax::Element,
                "<doi> 10.5555/a&lt;b </doi>",
                Some(" 10.5555/a<b "),
            ),
            (ValueSyntax::Element, "<doi>10.5555/a<i>b</i></doi>", None),
            (
                ValueSyntax::Characters,
                "<doi><![CDATA[10.5555/a<b]]></doi>",
                Some("10.5555/a<b"),
            ),
            (
                ValueSyntax::Attribute(b'\''),
                "<a b='' c='10.5555/\"x' d='y'>",
                Some("10.5555/\"x"),
            ),
            (
                ValueSyntax::Bibtex,
                "doi = {10.5555/a{\\_}b=c}, x = {}",
                Some("10.5555/a_b=c"),
            ),
            (
                ValueSyntax::Bibtex,
                "doi=\"10.5555/{b\"}c\"",
                Some("10.5555/{b\"}c"),
            ),
            (ValueSyntax::Bibtex, "doi = 10.5555/a,", None),
            (
                ValueSyntax::Tagged(TagSyntax::Ris),
                "TY  - JOUR\r\nDO  - 10.5555/x y\r\nER",
                Some(" 10.5555/x y"),
            ),
            (
                ValueSyntax::Tagged(TagSyntax::Ris),
                "N1  - on two\n10.5555/x\nER",
                None,
            ),
        ];
        for (syntax, text, wanted) in cases {
            assert_eq!(value(syntax, text).as_deref(), wanted, "{text}");
        }
    }
}
