//! Templates in source code, which hold a place for a value: they name nothing.

use std::ops::Range;

use super::Around;

/// Bytes of a placeholder at most.
const LONGEST: usize = 64;

/// Whether the suffix that `written` starts with has a place for a value, or is put together with one. It ends where `read`
/// ends, and what comes before was swept.
pub(super) fn is_template(around: &Around, written: &[u8], read: Range<usize>) -> bool {
    is_joined_to_value(&written[read.end..]) || has_place(around, written, read)
}

/// Whether a place for a value is in the part of the suffix that was `read`, or follows it directly.
fn has_place(around: &Around, written: &[u8], read: Range<usize>) -> bool {
    let end = written.len().min(read.end + 1);
    let is_sign = |(_, byte): &(usize, &u8)| matches!(byte, b'{' | b'$' | b'%' | b'#');
    let near = written[..end].iter().enumerate().skip(read.start);
    let mut signs = near.filter(is_sign).map(|(at, _)| at).peekable();
    // Braces of BibTeX keep the case of letters.
    let keeps_case = || around.enclosure.is_some_and(|row| row.is_opened_by("{"));
    signs.peek().is_some()
        && !keeps_case()
        && signs.any(|at| is_place(&written[..at], &written[at..]))
}

/// Whether `text` starts with a place for a value after `front`.
fn is_place(front: &[u8], text: &[u8]) -> bool {
    let near = &text[..text.len().min(LONGEST)];
    let after_joint = matches!(front, [] | [.., b'.' | b'-' | b'_' | b'/']);
    // A subscript of LaTeX.
    if front.ends_with(b"$_") {
        return false;
    }
    match near {
        [b'$' | b'#', b'{', inner @ ..] => braced(inner).is_some_and(is_value),
        [b'{', b'{', inner @ ..] => {
            // A template of a wiki may follow the full stop of a sentence.
            let may_end = front.ends_with(b".") && front.iter().any(u8::is_ascii_digit);
            let inner = inner.strip_prefix(b"{").unwrap_or(inner);
            after_joint
                && !may_end
                && braced(inner).is_some_and(|inner| is_value(inner.trim_ascii()))
        }
        [b'{', inner @ ..] => braced(inner).is_some_and(|inner| match after_joint {
            true => inner.is_empty() || is_number(inner) || is_value(inner),
            false => {
                inner.len() > 1 && is_value(inner) && !inner.iter().any(u8::is_ascii_uppercase)
            }
        }),
        [b'$', name @ ..] => after_joint && is_variable(name),
        [b'%', format @ ..] => after_joint && is_format(format),
        _ => false,
    }
}

/// What comes before the brace that closes in `text`.
fn braced(text: &[u8]) -> Option<&[u8]> {
    memchr::memchr(b'}', text).map(|end| &text[..end])
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Whether `text` is a variable, with what it is part of, how to call it and how to write it: `row["id"]`, `self.id:05d`.
fn is_value(text: &[u8]) -> bool {
    let may_follow = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.[]'\"()$!:-| ".contains(byte);
    match text {
        // The case of one capital is kept by braces.
        [b'A'..=b'Z'] | [b'_'] => false,
        [first, rest @ ..] => is_letter(first) && rest.iter().all(may_follow),
        [] => false,
    }
}

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphabetic() || *byte == b'_'
}

/// Whether `text`, after a dollar sign, is the name of a variable or the number of a group. A subfield of MARC has one sign,
/// and more after it.
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

/// How a language joins texts, and what the value that follows can start with.
type Join = (&'static [u8], fn(&u8) -> bool);

const JOINS: [Join; 5] = [
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
    let [b'"' | b'\'', after @ ..] = rest else {
        return false;
    };
    let near = after[..after.len().min(LONGEST)].trim_ascii_start();
    if !near.first().is_some_and(|first| b"+|.&".contains(first)) {
        return false;
    }
    let joins = |(sign, starts): &Join| {
        let value = near.strip_prefix(*sign).map(<[u8]>::trim_ascii_start);
        value.is_some_and(|value| value.first().is_some_and(starts))
    };
    JOINS.iter().any(joins)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            is_place(front.as_bytes(), rest.as_bytes())
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
        ] {
            assert!(!place(text), "{text}");
        }
    }
}
