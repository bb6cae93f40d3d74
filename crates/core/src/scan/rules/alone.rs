//! Decides whether a name is alone in its enclosure, except for its label.

use super::enclosure::Enclosure;
use super::{Form, NameContext};

/// Max bytes of a line to read before a name.
const MAX_LINE_BYTES: usize = 128;

/// Whether the name between `before` and `rest` is alone in quotes, in brackets, in an element or in a line, with its label or
/// key, its scheme and the marks of a list or of YAML.
pub(crate) fn is_alone(before: &[u8], context: &NameContext, rest: &[u8]) -> bool {
    let outside = &before[..before.len() - context.opener];
    let is_labelled = context.form == Form::Label || outside.trim_ascii_end().ends_with(b":");
    let front = if is_labelled {
        without_label(outside)
    } else {
        outside
    };
    Enclosure::opened_by(front).is_some_and(|row| row.is_closed_by(rest))
        || is_bracketed(front, rest)
        || ends_value(rest) && is_item(outside)
}

/// Returns `before` without the word that it ends in, such as `doi:`.
pub(super) fn without_label(before: &[u8]) -> &[u8] {
    const MAX_LABEL_BYTES: usize = 16;
    let front = before.len().saturating_sub(MAX_LABEL_BYTES);
    let is_joint = |b: &&u8| matches!(b, b':' | b' ' | b'.');
    let joints = before[front..].iter().rev().take_while(is_joint).count();
    let word = &before[front..before.len() - joints];
    let letters = word.iter().rev().take_while(|b| b.is_ascii_alphabetic());
    &before[..before.len() - joints - letters.count()]
}

fn is_bracketed(front: &[u8], rest: &[u8]) -> bool {
    match (front.last(), rest.first()) {
        (Some(b'('), Some(b')')) => true,
        // A list in a line of YAML or code.
        (Some(b'['), Some(b']' | b',')) => true,
        (Some(b' ' | b','), Some(b']' | b',')) => {
            let near = &front[front.len().saturating_sub(MAX_LINE_BYTES)..];
            let bracket = |b: &&u8| matches!(b, b'[' | b']' | b'\n');
            near.iter().rfind(bracket) == Some(&b'[')
        }
        _ => false,
    }
}

/// Whether `rest` ends a line, or goes on with a comment of YAML.
fn ends_value(rest: &[u8]) -> bool {
    let is_blank = |b: &&u8| matches!(b, b' ' | b'\t');
    let blanks = rest.iter().take_while(is_blank).count();
    match rest.get(blanks) {
        None | Some(b'\n' | b'\r') => true,
        next => blanks > 0 && next == Some(&b'#'),
    }
}

/// Whether the line that `before` ends in holds only marks of a list, and keys, anchors and tags of YAML.
fn is_item(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(MAX_LINE_BYTES)..];
    let line = match near.iter().rposition(|b| matches!(b, b'\n' | b'\r')) {
        Some(end) => &near[end + 1..],
        None if near.len() == before.len() => near,
        None => return false,
    };
    let is_blank = |b: &u8| matches!(b, b' ' | b'\t');
    let mut words = line.split(is_blank);
    line.last().is_none_or(is_blank)
        && words.all(|word| match word {
            [] | b"-" | b"*" | b"+" | b"\xE2\x80\xA2" => true,
            [b'&' | b'!', ..] => true,
            [number @ .., b'.' | b')'] => number.iter().all(u8::is_ascii_digit),
            [key @ .., b':'] => !key.contains(&b','),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::rules::TextScope;

    fn alone(before: &str, form: Form, opener: usize, rest: &str) -> bool {
        let scheme = |_: &[u8]| false;
        let context = NameContext::read(before.as_bytes(), form, opener, TextScope::Any, scheme);
        is_alone(before.as_bytes(), &context, rest.as_bytes())
    }

    #[test]
    fn names_alone() {
        for (before, form, rest) in [
            ("a\n- ", Form::Bare, "\n"),
            ("  * ", Form::Bare, ""),
            ("12. ", Form::Bare, "\r\n"),
            ("\ndoi: ", Form::Label, "\n"),
            ("\n  - doi: ", Form::Label, " # as printed\n"),
            ("\nx.y-z: &a !!str ", Form::Bare, "\n"),
            ("x: \"doi: ", Form::Label, "\""),
            ("{\"x\":\"DOI ", Form::Label, "\"}"),
            ("<a>doi: ", Form::Label, "</a>"),
            ("[", Form::Bare, ", 10.5555/b]"),
            ("see (", Form::Bare, ")"),
        ] {
            assert!(alone(before, form, 0, rest), "{before:?} {rest:?}");
        }
        assert!(alone("  - https://doi.org/", Form::Url, 16, "\n"));
        assert!(alone("x: [a, https://doi.org/", Form::Url, 16, "]"));
        for (before, form, rest) in [
            ("see ", Form::Bare, "\n"),
            ("see DOI: ", Form::Label, "\n"),
            ("- ", Form::Bare, " and"),
            ("x, ", Form::Bare, ","),
            ("x: \"doi: ", Form::Label, " and\""),
            ("- see ", Form::Bare, "\n"),
            ("- *", Form::Bare, "\n"),
        ] {
            assert!(!alone(before, form, 0, rest), "{before:?} {rest:?}");
        }
    }
}
