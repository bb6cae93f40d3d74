//! Recognises templates in source code, which hold a place for a value: they are not names.

use std::ops::Range;

use super::raw::wiki_character_at;
use super::{NameContext, page};
use crate::block::{Block, positions};

/// Max bytes of a placeholder.
const MAX_PLACEHOLDER_BYTES: usize = 64;

/// Whether the suffix that `written` starts with, after `before`, has a place for a value, or is joined to a value. The suffix
/// ends at the end of `read`; no byte before the start of `read` starts an escape or a tag.
#[inline]
pub(super) fn is_template(
    before: &[u8],
    context: &NameContext,
    written: &[u8],
    read: Range<usize>,
) -> bool {
    let (name, rest) = written.split_at(read.end);
    is_joined_to_value(rest) && (!is_joined_by_and(rest) || is_operand(before, name, rest))
        || ends_in_joint(name) && is_argument(before, name, rest)
        || has_placeholder(context, written, read)
}

/// Whether the last part of a suffix is four or more letters x, `zenodo.XXXXXXX`, or any characters in the terms of a regular
/// expression, `zenodo.+`. No registered name ends so.
#[inline]
pub(crate) fn ends_in_blank_form(suffix: &[u8]) -> bool {
    const MIN_LETTERS: usize = 4;
    if suffix.ends_with(b".+") {
        return true;
    }
    let is_x = |byte: &&u8| matches!(byte, b'x' | b'X');
    suffix.last().is_some_and(|last| is_x(&last)) && {
        let run = suffix.iter().rev().take_while(is_x).count();
        run >= MIN_LETTERS && ends_in_joint(&suffix[..suffix.len() - run])
    }
}

/// Whether a pattern of SQL or a shell replaces a suffix or a part of it: a wildcard after a joint, or any text after `LIKE` that
/// ends in a wildcard. `suffix` is the suffix as read. `is_enclosed` says that an enclosure holds just the name. `is_unescaped` says whether
/// the last byte was not escaped.
#[inline]
pub(super) fn is_pattern(
    before: &[u8],
    suffix: &[u8],
    is_enclosed: bool,
    is_unescaped: impl Fn() -> bool,
) -> bool {
    let at_ends = suffix.first() == Some(&b'*') || matches!(suffix.last(), Some(b'*' | b'%'));
    at_ends && has_pattern(before, suffix, is_enclosed, is_unescaped)
}

fn has_pattern(
    before: &[u8],
    suffix: &[u8],
    is_enclosed: bool,
    is_unescaped: impl Fn() -> bool,
) -> bool {
    let may_be = |(at, mark): &(usize, u8)| {
        let is_last = at + 1 == suffix.len();
        let front = &suffix[..*at];
        let ends_sentence = !is_enclosed && (may_end(front) || is_emphasized(before, front));
        match mark {
            b'%' if !is_last || !is_unescaped() => false,
            _ if is_last && is_compared(before) => true,
            // A format string doubles it.
            b'%' => ends_in_joint(front.strip_suffix(b"%").unwrap_or(front)),
            _ => ends_in_joint(front) && !ends_sentence,
        }
    };
    wildcards(suffix).any(|wildcard| may_be(&wildcard))
}

/// Whether a wildcard replaces a part of `suffix`. No name of 385,484 registered ones has such a wildcard.
pub(crate) fn has_wildcard(suffix: &[u8]) -> bool {
    wildcards(suffix).any(|(at, _)| ends_in_joint(&suffix[..at]))
}

fn wildcards(text: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    memchr::memchr2_iter(b'*', b'%', text).map(|at| (at, text[at]))
}

/// Whether the star after the full stop that `front` ends in may close emphasis that was opened before the name.
fn is_emphasized(before: &[u8], front: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(MAX_PLACEHOLDER_BYTES)..];
    let opens = |at: usize| {
        let last = near[..at].last();
        let next = near.get(at + 1);
        last.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'*' | b'(' | b'['))
            && !next.is_none_or(u8::is_ascii_whitespace)
    };
    front.ends_with(b".") && memchr::memchr_iter(b'*', near).any(opens)
}

/// Whether `before` ends in the operator `LIKE` or `GLOB` and the start of a literal.
fn is_compared(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(MAX_PLACEHOLDER_BYTES)..];
    let Some(quote) = memchr::memrchr2(b'\'', b'"', near) else {
        return false;
    };
    let is_lead = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b'\\');
    let head = &near[..near[..quote]
        .iter()
        .rposition(|b| !is_lead(b))
        .map_or(0, |at| at + 1)];
    let operator = &head[head.len().saturating_sub(4)..];
    operator.eq_ignore_ascii_case(b"like") || operator.eq_ignore_ascii_case(b"glob")
}

/// Whether `suffix` ends in a mark after which more of a name must follow, or is empty.
fn ends_in_joint(suffix: &[u8]) -> bool {
    matches!(suffix, [] | [.., b'.' | b'-' | b'_' | b'/'])
}

/// Whether a place for a value is in the part of the suffix that was `read`, or directly beside it.
#[inline]
fn has_placeholder(context: &NameContext, written: &[u8], read: Range<usize>) -> bool {
    let end = written.len().min(read.end + 1);
    // In `#{`, the brace alone may start an escape.
    let start = read.start.saturating_sub(1);
    // Braces of BibTeX protect the case of letters.
    let keeps_case = || context.enclosure.is_some_and(|row| row.is_opened_by("{"));
    let starts_place = |at: usize| {
        at < end
            && !is_in_wiki_character(written, at)
            && is_placeholder(&written[..at], &written[at..])
    };
    for block in (start..end).step_by(Block::SIZE) {
        let signs = Block::new(written, block).find_any(*b"{$%#<&");
        if positions(signs).any(|at| starts_place(block + at)) {
            return !keeps_case();
        }
    }
    false
}

/// Whether one of the two opening braces of a wiki's template for a character is at `at`.
fn is_in_wiki_character(written: &[u8], at: usize) -> bool {
    let starts_at = |at: usize| wiki_character_at(&written[at..]).is_some();
    written[at] == b'{' && (starts_at(at) || at > 0 && starts_at(at - 1))
}

/// Whether `text` starts with a word in angle brackets after `front`, `zenodo.<id>`, and not with an element of a page.
fn is_angled(front: &[u8], text: &[u8]) -> bool {
    let Some(open) = bracket_len(text, b"<", b"&lt;") else {
        return false;
    };
    let inner = text[open..].strip_prefix(b"<").unwrap_or(&text[open..]);
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ');
    let (word, rest) = inner.split_at(inner.iter().take_while(is_part).count());
    word.first().is_some_and(is_letter)
        && bracket_len(rest, b">", b"&gt;").is_some()
        && !is_element(word, rest)
        && !may_end(front)
}

fn bracket_len(text: &[u8], raw: &[u8], entity: &[u8]) -> Option<usize> {
    let mut signs = [raw, entity].into_iter();
    signs.find(|sign| text.starts_with(sign)).map(<[u8]>::len)
}

/// Whether `word` is the start tag of an element: of HTML, or of one that ends in `rest`.
fn is_element(word: &[u8], rest: &[u8]) -> bool {
    const ELEMENTS: [&str; 16] = [
        "a", "br", "dd", "div", "dt", "hr", "img", "li", "p", "q", "s", "sup", "td", "th", "tr",
        "wbr",
    ];
    let mut elements = ELEMENTS.iter().chain(&page::INLINE_ELEMENTS);
    let ends = |at: usize| {
        rest[at..]
            .strip_prefix(b"</")
            .is_some_and(|end| end.starts_with(word))
    };
    elements.any(|element| word.eq_ignore_ascii_case(element.as_bytes()))
        || memchr::memchr_iter(b'<', rest).any(ends)
}

/// Whether `front` is a name and the full stop of a sentence.
fn may_end(front: &[u8]) -> bool {
    front.ends_with(b".") && front.iter().any(u8::is_ascii_digit)
}

/// Whether `text` starts with a place for a value after `front`.
fn is_placeholder(front: &[u8], text: &[u8]) -> bool {
    let near = &text[..text.len().min(MAX_PLACEHOLDER_BYTES)];
    let after_joint = ends_in_joint(front);
    // A subscript of LaTeX is not a place.
    if front.ends_with(b"$_") {
        return false;
    }
    match near {
        [b'$' | b'#', b'{', inner @ ..] => braced(inner).is_some_and(is_value),
        [b'{', b'{', inner @ ..] => {
            // A template of a wiki may follow the full stop of a sentence.
            let inner = inner.strip_prefix(b"{").unwrap_or(inner);
            after_joint
                && !may_end(front)
                && braced(inner).is_some_and(|inner| is_value(inner.trim_ascii()))
        }
        [b'{', inner @ ..] => {
            braced(inner).is_some_and(|inner| is_braced_value(inner, after_joint))
        }
        [b'%', b'7', b'B' | b'b', inner @ ..] => {
            let end = inner
                .windows(3)
                .position(|end| end.eq_ignore_ascii_case(b"%7D"));
            end.is_some_and(|end| is_braced_value(&inner[..end], after_joint))
        }
        [b'<' | b'&', ..] => after_joint && is_angled(front, text),
        [b'$', name @ ..] => after_joint && is_variable(name),
        [b'%', format @ ..] => after_joint && is_format(format),
        _ => false,
    }
}

/// Returns the text before the first closing brace of `text`.
fn braced(text: &[u8]) -> Option<&[u8]> {
    memchr::memchr(b'}', text).map(|end| &text[..end])
}

/// Whether `inner`, the text between braces, makes them a place for a value.
fn is_braced_value(inner: &[u8], after_joint: bool) -> bool {
    if after_joint {
        inner.is_empty() || is_number(inner) || is_value(inner)
    } else {
        inner.len() > 1 && is_value(inner) && !inner.iter().any(u8::is_ascii_uppercase)
    }
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Whether `text` is a variable, perhaps with an index, a call or a format: `row["id"]`, `self.id:05d`.
fn is_value(text: &[u8]) -> bool {
    let may_follow = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.[]'\"()$!:-| ".contains(byte);
    match text {
        // Braces protect the case of a single capital.
        [b'A'..=b'Z'] | [b'_'] => false,
        [first, rest @ ..] => is_letter(first) && rest.iter().all(may_follow),
        [] => false,
    }
}

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphabetic() || *byte == b'_'
}

/// Whether `text`, after a dollar sign, is the name of a variable or the number of a group. The code of a MARC subfield is one
/// character, with the subfield's text after it.
fn is_variable(text: &[u8]) -> bool {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name = &text[..text.iter().take_while(is_part).count()];
    match name {
        [b'1'..=b'9'] => true,
        [first, _, ..] => first.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Whether `text`, after a percent sign, is a format of C or Python.
fn is_format(text: &[u8]) -> bool {
    let text = match text {
        [b'(', rest @ ..] => match memchr::memchr(b')', rest) {
            Some(end) => &rest[end + 1..],
            None => return false,
        },
        rest => {
            let width = rest.iter().take_while(|byte| byte.is_ascii_digit());
            &rest[width.count()..]
        }
    };
    let ends = !text.get(1).is_some_and(u8::is_ascii_alphanumeric);
    ends && matches!(text.first(), Some(b's' | b'd' | b'i' | b'u'))
}

/// A sign that joins texts in some language, and whether a byte can start the value after it.
type JoinSign = (&'static [u8], fn(&u8) -> bool);

const JOIN_SIGNS: [JoinSign; 5] = [
    (b"+", starts_value),
    (b"||", starts_value),
    (b"..", starts_value),
    (b"& ", starts_value),
    (b".", |byte| *byte == b'$'),
];

fn starts_value(byte: &u8) -> bool {
    is_letter(byte) || matches!(byte, b'$' | b'(')
}

/// Whether `rest` closes the literal that holds the name, and joins a value to it: `' + id`.
#[inline]
pub(crate) fn is_joined_to_value(rest: &[u8]) -> bool {
    match rest {
        [b'"' | b'\'', b'+' | b'|' | b'.' | b'&', ..] => joins_value(rest),
        [b'"' | b'\'', blank, ..] if blank.is_ascii_whitespace() => joins_value(rest),
        _ => false,
    }
}

/// Decides for [`is_joined_to_value`], after its check of the first bytes.
#[cold]
fn joins_value(rest: &[u8]) -> bool {
    let near = after_literal(rest);
    let joins = |(sign, starts): &JoinSign| {
        let value = near.strip_prefix(*sign).map(<[u8]>::trim_ascii_start);
        value.is_some_and(|value| value.first().is_some_and(starts))
    };
    JOIN_SIGNS.iter().any(joins)
}

/// Returns the text after the quote that closes the literal, without blanks.
fn after_literal(rest: &[u8]) -> &[u8] {
    let after = rest.get(1..).unwrap_or_default();
    after[..after.len().min(MAX_PLACEHOLDER_BYTES)].trim_ascii_start()
}

/// Whether the joining sign is `&`, which joins words of a text too.
fn is_joined_by_and(rest: &[u8]) -> bool {
    after_literal(rest).starts_with(b"&")
}

/// Returns the bytes before the literal that ends with `quote`; `None` if it does not open in the line that `before` ends in.
fn before_literal(before: &[u8], quote: u8) -> Option<&[u8]> {
    let near = &before[before.len().saturating_sub(2 * MAX_PLACEHOLDER_BYTES)..];
    let opener = near.iter().rposition(|b| *b == quote || *b == b'\n')?;
    (near[opener] == quote).then_some(near[..opener].trim_ascii_end())
}

/// Whether a literal and `&` are code: the literal is assigned, joined to another or passed to a function, or its suffix ends in
/// a joint, and no word of a text follows.
fn is_operand(before: &[u8], suffix: &[u8], rest: &[u8]) -> bool {
    let value = after_literal(rest)[1..].trim_ascii_start();
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$');
    let after = &value[value.iter().take_while(is_part).count()..];
    let next = after.iter().find(|b| !matches!(b, b' ' | b'\t'));
    let is_code = next.is_none_or(|next| b"\r\n),;&([+_".contains(next));
    is_code
        && (ends_in_joint(suffix)
            || before_literal(before, rest[0]).is_some_and(|front| match front {
                [.., last, b'('] => last.is_ascii_alphanumeric(),
                [.., last] => matches!(last, b'=' | b'&'),
                [] => false,
            }))
}

/// Whether a literal that ends in a joint, with `rest` after it, is an argument before a value, `paste0("10.5555/zenodo.", id)`,
/// or in a list of such starts of names.
fn is_argument(before: &[u8], suffix: &[u8], rest: &[u8]) -> bool {
    let [quote @ (b'"' | b'\''), ..] = rest else {
        return false;
    };
    let Some(value) = after_literal(rest).strip_prefix(b",") else {
        return false;
    };
    let has_digit = suffix.iter().any(u8::is_ascii_digit);
    let is_value = value.trim_ascii_start().first().is_some_and(|first| {
        starts_value(first) || !has_digit && (first.is_ascii_digit() || first == quote)
    });
    is_value
        && before_literal(before, *quote).is_some_and(|front| matches!(front, [.., b'(' | b',']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Form;
    use crate::scan::rules::TextScope;

    #[test]
    fn values_joined() {
        for rest in [
            "' + id",
            "\" + str(x)",
            "'+$x",
            "' . $id",
            "' || id",
            "\" .. id",
            "\" & A2",
        ] {
            assert!(is_joined_to_value(rest.as_bytes()), "{rest}");
        }
        for rest in [
            "'", "', id", "' + '/x'", "'. See", "\"+1", " + x", "\"\n.", "' . x",
        ] {
            assert!(!is_joined_to_value(rest.as_bytes()), "{rest}");
        }
    }

    #[test]
    fn places() {
        let place = |text: &str| {
            let at = text.find(['{', '$', '%', '#']).unwrap();
            let (front, rest) = text.split_at(at);
            is_placeholder(front.as_bytes(), rest.as_bytes())
        };
        for text in [
            "hepdata.{recid}.v1",
            "{}",
            "a/{0}",
            "a-{i}",
            "a{id}",
            "zenodo.${id}",
            "a#{id}",
            "zenodo.$1",
            "$id",
            "zenodo.%s",
            "zenodo.%d.v1",
            "a-%05d",
            "a.%(id)s",
            "zenodo.{{ id }}",
            "{{{id}}}",
            "a.{self.id:05d}",
            "a.{row['id']}",
            "zenodo.%7Bid%7D",
            "zenodo.%7bid%7d.v1",
            "a%7Bid%7D",
        ] {
            assert!(place(text), "{text}");
        }
        for text in [
            "a7{$_2$}",
            "a079{[}0523",
            "12{IROIRS}",
            "{S}0045",
            "a12.{{dead link}}",
            "a$2doi",
            "a.$2doi",
            "d8sy$",
            "a.%20b",
            "a.%d0",
            "a#id",
            "a{_}",
            "a.{\\_}b",
            "a%7BB%7D",
            "a.%7B",
        ] {
            assert!(!place(text), "{text}");
        }
    }

    #[test]
    fn places_in_angle_brackets() {
        let place = |text: &str| {
            let (front, rest) = text.split_at(text.find(['<', '&']).unwrap());
            is_placeholder(front.as_bytes(), rest.as_bytes())
        };
        for text in [
            "zenodo.<id>",
            "zenodo.<CONCEPT-DOI>\"",
            "<record id>",
            "a1-<N>.",
            "<<recid>>",
            "zenodo.&lt;id&gt;",
        ] {
            assert!(place(text), "{text}");
        }
        for text in [
            "abc1.<id>",
            "abc.<br>",
            "abc-<wbr>1",
            "abc.<year>2020</year>",
            "abc.<xref rid=\"1\">",
            "abc.</id>",
            "12:3<1::AID-X>3.0.CO;2-1",
            "abc.&amp;",
            "abc<id>",
        ] {
            assert!(!place(text), "{text}");
        }
    }

    #[test]
    fn literals_in_code() {
        let is_code = |before: &str, text: &str| {
            let context =
                NameContext::read(before.as_bytes(), Form::Bare, 0, TextScope::Any, |_| false);
            let end = text.find(['"', '\'']).unwrap();
            is_template(before.as_bytes(), &context, text.as_bytes(), end..end)
        };
        for (before, text) in [
            ("paste0(\"", "zenodo.\", id)"),
            ("f(x, 'https://a.example/", "zenodo.', id)"),
            ("x.replace(\"", "zenodo.\", \"\")"),
            ("paste0(\"", "zenodo.\", 1:3)"),
            ("= \"", "abc1\" & Id"),
            ("f(\"", "abc1\" & A2)"),
            ("x = \"", "abc1\" & Id\r\ny = 2"),
            ("see \"", "zenodo.\" & id & \"x\""),
        ] {
            assert!(is_code(before, text), "{before}{text}");
        }
        for (before, text) in [
            ("f(\"", "abc1\", id)"),
            ("[\"", "abc.\", \"def.\"]"),
            ("f(\"", "abc1.\", \"A title\")"),
            ("see \"", "abc1\" & others"),
            ("see (\"", "abc1\" & others)"),
            ("see \"", "abc1\" & others\nand more"),
            ("x = \"", "abc1\" & then some more"),
            ("x = \"y\n ", "abc1\" & id"),
        ] {
            assert!(!is_code(before, text), "{before}{text}");
        }
    }

    #[test]
    fn forms_to_fill_in() {
        for (suffix, expected) in [
            ("zenodo.XXXXXXX", true),
            ("xxxx", true),
            ("2020-xxxxx", true),
            ("00666.xxx", false),
            ("abcxxxx", false),
            ("j.1365-2486.x", false),
            ("xxxx1", false),
            ("journal.pone.+", true),
            ("ja047156+", false),
        ] {
            assert_eq!(ends_in_blank_form(suffix.as_bytes()), expected, "{suffix}");
        }
    }
}
