//! Finds the signs, brackets and repetitions that end a name in dirty data.

use std::ops::RangeInclusive;

use super::row::FoundSuffix;
use crate::scan::Form;
use crate::scan::rules::place::UrlPlace;
use crate::scan::rules::suffix::{self, NameBounds, SuffixHead};
use crate::scan::rules::{DecodedBytes, Escape, NameContext, Rule, TextScope, tail};

/// Returns where a raw `?` or `#` of a URL is. The `#` that ends a SICI (`3.0.co;2-#`) belongs to the name.
pub(super) fn query(found: &FoundSuffix<'_>) -> Option<usize> {
    let suffix = found.suffix();
    let starts_query = |&(at, mark): &(usize, &str)| {
        let more = suffix[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric());
        mark == "?" || more || !suffix[..at].ends_with(";2-")
    };
    let mut marks = suffix.match_indices(['?', '#']);
    Some(marks.find(starts_query)?.0)
}

/// Returns where the marks of emphasis are that end a word.
pub(super) fn emphasis(found: &FoundSuffix<'_>) -> Option<usize> {
    let (suffix, emphasis) = (found.suffix(), found.emphasis);
    let ends_word = |&(at, _): &(usize, &str)| {
        let rest = &suffix[at + emphasis.len()..];
        !emphasis.is_empty() && !rest.starts_with(char::is_alphanumeric)
    };
    Some(suffix.match_indices(emphasis).find(ends_word)?.0)
}

pub(super) fn article_id(found: &FoundSuffix<'_>) -> Option<usize> {
    tail::article_id(found.prefix.as_bytes(), found.suffix().as_bytes())
}

/// A suffix in dirty data with its escapes undone: a `?` or `#` that is left was escaped.
struct UndoneSuffix<'t>(&'t [u8]);

impl DecodedBytes for UndoneSuffix<'_> {
    fn bytes(&self) -> &[u8] {
        self.0
    }

    fn escape(&self, at: usize) -> Escape {
        match self.0[at] {
            b'?' | b'#' => Escape::Percent,
            _ => Escape::Plain,
        }
    }

    fn is_single(&self, _at: usize) -> bool {
        true
    }
}

/// Returns where the name ends in running text, and by which rule; `None` if the text ends it.
pub(super) fn prose(suffix: &str) -> Option<(Rule, usize)> {
    let context = NameContext {
        form: Form::Label,
        opener: 0,
        place: UrlPlace::None,
        enclosure: None,
        scope: TextScope::Any,
    };
    let end = suffix::end(
        &UndoneSuffix(suffix.as_bytes()),
        0,
        SuffixHead::empty(0),
        &context,
        NameBounds::Prose,
    );
    Some((end.rule?, end.at))
}

/// Returns where the end of the name is repeated: `cshperspect.a007732a007732`. Runs of digits only may repeat.
pub(super) fn doubled_end(found: &FoundSuffix<'_>) -> Option<usize> {
    const DOUBLED_END_BYTES: RangeInclusive<usize> = 6..=64;
    let bytes = found.suffix().as_bytes();
    let is_doubled = |len: &usize| {
        let (head, end) = bytes.split_at(bytes.len() - len);
        head.ends_with(end)
            && end.iter().any(u8::is_ascii_digit)
            && end.iter().any(u8::is_ascii_alphabetic)
    };
    let longest = (bytes.len() / 2).min(*DOUBLED_END_BYTES.end());
    let len = (*DOUBLED_END_BYTES.start()..=longest)
        .rev()
        .find(is_doubled)?;
    let at = bytes.len() - len;
    found.suffix().is_char_boundary(at).then_some(at)
}

/// Returns where the first bracket is that is opened and never closed.
pub(super) fn unclosed_bracket(found: &FoundSuffix<'_>) -> Option<usize> {
    let mut open: [Vec<usize>; 3] = Default::default();
    for (at, c) in found.suffix().char_indices() {
        match "()[]<>".find(c) {
            Some(kind) if kind % 2 == 0 => open[kind / 2].push(at),
            Some(kind) => drop(open[kind / 2].pop()),
            None => {}
        }
    }
    open.iter().flatten().min().copied()
}
