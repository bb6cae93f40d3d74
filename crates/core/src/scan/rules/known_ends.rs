//! Chooses the name that was meant among the known names that a text starts with.
//!
//! A set of known names can decide what no rule can: that a name goes on after a break, or ends before a word that was added. But
//! it never holds all names, and many names are starts of others. So it is asked only if the rules are in doubt. An end that the
//! rules did not choose counts only at a place that a rule could choose in another text: before a mark, a break, or a tail as in
//! dirty data.

use std::str::from_utf8;

use super::dirt::{self, Draft};
use super::joint::may_be_broken;
use super::script::is_typeset_dash;
use super::word::is_glued;
use super::{DecodedBytes, Form, NameEnd, tail};

/// A candidate, the end that the rules gave its name, and the ends of the known names that it starts with.
pub(crate) struct KnownEnds<'t, T> {
    pub(crate) text: &'t T,
    /// Start of the suffix.
    pub(crate) suffix: usize,
    pub(crate) end: NameEnd,
    /// Ends of known names in ascending order, each after the start of the suffix.
    pub(crate) known: &'t [usize],
}

impl<'w, T: DecodedBytes> KnownEnds<'_, T> {
    /// Returns the end that known names give, if the end of the rules or a later one is known. `beyond` returns the bytes that
    /// are written after a position of the text.
    ///
    /// Of two known ends the later one wins, unless only marks are between them: these belong to the sentence. Then the end is a
    /// guess.
    pub(crate) fn longest(&self, beyond: impl Fn(usize) -> &'w [u8]) -> Option<NameEnd> {
        let is_known = self.known.contains(&self.end.at);
        let later = self.known.iter().rev().filter(|at| **at > self.end.at);
        let mut later = later.filter(|at| self.ends_word(**at, beyond(**at)));
        let end = |at, guessed| NameEnd {
            at,
            guessed,
            ..self.end
        };
        match later.next() {
            Some(at) if !(is_known && self.has_only_marks(*at)) => Some(end(*at, is_known)),
            later => is_known.then(|| end(self.end.at, later.is_some())),
        }
    }

    /// Returns the last known end before that of the rules, if it is followed by a break, or by text that the rules for dirty
    /// data would cut.
    pub(crate) fn shorter(&self, beyond: impl Fn(usize) -> &'w [u8]) -> Option<NameEnd> {
        let count = self.known.partition_point(|at| *at < self.end.at);
        let ends = &self.known[..count];
        let cleaned = (count > 0).then(|| self.cleaned())?;
        let is_end = |at: &usize| {
            self.is_before_break(*at, beyond(*at))
                || self.is_before_word(*at)
                || cleaned == Some(*at)
                || self.is_tail(*at)
        };
        let at = ends.iter().copied().rfind(is_end)?;
        Some(NameEnd {
            at,
            rule: None,
            guessed: false,
        })
    }

    /// Whether the word of the name ends at `at`, with `rest` written after it.
    fn ends_word(&self, at: usize, rest: &[u8]) -> bool {
        let next = self.text.bytes().get(at);
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        !next.is_some_and(goes_on) || rest.first().is_some_and(u8::is_ascii_whitespace)
    }

    fn has_only_marks(&self, at: usize) -> bool {
        let more = &self.text.bytes()[self.end.at..at];
        more.iter().all(u8::is_ascii_punctuation)
    }

    /// Whether white space follows in `rest`, after marks. The name must have a digit: the name of a journal has none, and those
    /// of its articles start with it. A break inside a number does not count.
    fn is_before_break(&self, at: usize, rest: &[u8]) -> bool {
        let text = self.text.bytes();
        let marks = rest.iter().take_while(|byte| byte.is_ascii_punctuation());
        let marks = marks.count();
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        let is_number = marks == 0 && is_digit(text.get(at - 1)) && is_digit(text.get(at));
        let is_break = rest.get(marks).is_some_and(u8::is_ascii_whitespace) && !is_number;
        is_break && text[self.suffix..at].iter().any(u8::is_ascii_digit)
    }

    /// Whether a word that does not belong to the name follows `at` directly: one that follows names in references, a host, or a
    /// capital and small letters. No name of 385,484 registered ones is another one with such a word after it.
    fn is_before_word(&self, at: usize) -> bool {
        let rest = &self.text.bytes()[at..self.end.at];
        let is_title = |word: &[u8; 4]| {
            word[0].is_ascii_uppercase() && word[1..].iter().all(u8::is_ascii_lowercase)
        };
        rest.first_chunk().is_some_and(is_title) || rest.starts_with(b"www.") || is_glued(rest)
    }

    /// Whether the path of a URL could have added the text after `at`.
    fn is_tail(&self, at: usize) -> bool {
        let (prefix, name) = self.text.bytes()[..self.end.at].split_at(self.suffix - 1);
        tail::path_cuts(prefix, &name[1..]).any(|len| self.suffix + len == at)
    }

    /// Returns where the rules for dirty data end the name; `None` if they cut nothing or change bytes before that.
    fn cleaned(&self) -> Option<usize> {
        let (prefix, name) = self.text.bytes()[..self.end.at].split_at(self.suffix - 1);
        let (prefix, suffix) = (from_utf8(prefix).ok()?, from_utf8(&name[1..]).ok()?);
        let cleaned = dirt::name(prefix, Draft::new(suffix)).text;
        let kept = cleaned.get(self.suffix..)?;
        let is_cut = kept.len() < suffix.len() && suffix.starts_with(kept);
        is_cut.then_some(self.suffix + kept.len())
    }
}

/// Returns the last of the `known` ends that is after the break at byte `broken` of the written name, and ends a word. `written`
/// returns where the text before a position ends as written, and the bytes after that.
pub(crate) fn last_after_break<'w>(
    known: &[usize],
    broken: usize,
    written: impl Fn(usize) -> (usize, &'w [u8]),
) -> Option<usize> {
    let mut ends = known.iter().rev();
    let found = ends.find(|at| {
        let (end, rest) = written(**at);
        end > broken && ends_text(rest)
    });
    found.copied()
}

/// Whether the rules are in doubt about this `end` of the name whose suffix starts at `suffix` of `text`: it is a guess, text
/// that a name may hold was cut, or the name seems to have too much or too little. `rest` is written after the name.
pub(crate) fn is_doubtful(
    text: &[u8],
    suffix: usize,
    end: NameEnd,
    form: Form,
    rest: &[u8],
) -> bool {
    let (name, cut) = text.split_at(end.at);
    let name = &name[suffix..];
    end.guessed || may_hold_more(cut) || may_hold_note(name) || may_end_elsewhere(name, form, rest)
}

/// Whether the name with `suffix` may end in added text, or go on after a break in `rest`.
#[inline]
pub(crate) fn may_end_elsewhere(suffix: &[u8], form: Form, rest: &[u8]) -> bool {
    may_have_tail(suffix) || may_be_broken(form, suffix, rest)
}

/// Whether a name may contain a place in print or another label, `,2019` or `PMID:1`. The colons of a SICI follow digits.
fn may_hold_note(name: &[u8]) -> bool {
    let mut marks = memchr::memchr2_iter(b',', b':', name);
    marks.any(|at| name[at] == b',' || at > 0 && name[at - 1].is_ascii_alphabetic())
}

/// Whether `rest`, the text that was cut, may be more of the name: more than marks of a sentence, and not the end of an
/// enclosure.
fn may_hold_more(rest: &[u8]) -> bool {
    let ends_name = |byte: &u8| b"\"'<>{}|\\&?#".contains(byte);
    let is_mark = |byte: &u8| b".,;:!?)]}\"'-".contains(byte);
    !rest.first().is_some_and(ends_name) && !rest.iter().all(is_mark)
}

/// Whether a suffix may end in an added word, version, brackets, or word and number. Few names end so.
#[inline]
fn may_have_tail(suffix: &[u8]) -> bool {
    let digits = suffix.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    match &suffix[..suffix.len() - digits] {
        [.., b')' | b']'] => digits == 0,
        [.., b'v'] if matches!(digits, 1 | 2) => true,
        front @ [.., a, b, c] => {
            [a, b, c].iter().all(|byte| byte.is_ascii_alphabetic())
                && (digits == 0 || ends_in_glued_word(front))
        }
        _ => false,
    }
}

/// Whether `text` ends in four letters or more after a digit.
fn ends_in_glued_word(text: &[u8]) -> bool {
    let before = text.iter().rposition(|byte| !byte.is_ascii_alphabetic());
    before.is_some_and(|at| text.len() - at > 4 && text[at].is_ascii_digit())
}

/// Whether `rest` ends the word of a name, perhaps after the marks of a sentence.
fn ends_text(rest: &[u8]) -> bool {
    let is_mark = |byte: &&u8| b".,;:)]}>\"'".contains(byte);
    let marks = rest.iter().take_while(is_mark).count();
    rest.get(marks)
        .is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'<')
}

/// Writes to `key` the key of the names that `text` may start with: in ASCII lower case, with a slash before `suffix` as the
/// separator.
pub(crate) fn key_of(text: &[u8], suffix: usize, key: &mut Vec<u8>) {
    key.clear();
    key.extend(text.iter().map(u8::to_ascii_lowercase));
    key[suffix - 1] = b'/';
}

/// Returns `name` with hyphens instead of its typeset dashes; `None` if it has none, or is not UTF-8.
pub(crate) fn with_hyphens(name: &[u8]) -> Option<Vec<u8>> {
    let text = from_utf8(name).ok()?;
    let has_dash = text.contains(is_typeset_dash);
    has_dash.then(|| text.replace(is_typeset_dash, "-").into_bytes())
}
