//! Asks a plain set of keys where a name ends, by looking up each start of the text.

use std::collections::BTreeSet;

use super::layers::UndoneText;
use crate::scan::Form;
use crate::scan::rules::known_ends::{KnownEnds, is_doubtful, last_after_break, with_hyphens};
use crate::scan::rules::{DecodedBytes, NameEnd};

/// A candidate with the end that the rules found, and the known keys to ask.
pub(super) struct KnownQuery<'q> {
    pub(super) known: &'q BTreeSet<String>,
    /// The document from the candidate on, and the lengths of the candidate and of its prefix in it.
    pub(super) after: &'q [u8],
    pub(super) max_len: usize,
    pub(super) prefix: usize,
    pub(super) form: Form,
    pub(super) text: UndoneText,
    /// Reads the text past breaks that the rules do not take for one, if it is not too long.
    pub(super) widened: &'q dyn Fn() -> Option<UndoneText>,
    pub(super) end: NameEnd,
}

/// A decoded name, and how many bytes write it.
pub(super) struct NameReading {
    pub(super) name: Vec<u8>,
    pub(super) len: usize,
    pub(super) guessed: bool,
}

impl NameReading {
    fn new(text: &UndoneText, end: NameEnd) -> Self {
        NameReading {
            name: text.bytes()[..end.at].to_vec(),
            len: text.end(end.at),
            guessed: end.guessed,
        }
    }
}

impl KnownQuery<'_> {
    /// Returns the name of the rules.
    pub(super) fn by_rules(&self) -> NameReading {
        NameReading::new(&self.text, self.end)
    }

    /// Returns the name that the known keys give, if the rules are in doubt.
    pub(super) fn known(&self) -> Option<NameReading> {
        let (text, end) = (&self.text, self.end);
        let suffix = text.position(self.prefix);
        let beyond = |at: usize| &self.after[text.end(at)..];
        if self.known.is_empty()
            || !is_doubtful(text.bytes(), suffix, end, self.form, beyond(end.at))
        {
            return None;
        }
        let ends = KnownEnds {
            text,
            suffix,
            end,
            known: &self.ends(text),
        };
        let reading = |end| NameReading::new(text, end);
        let longest = ends.longest(beyond).map(reading);
        longest
            .or_else(|| self.after_break())
            .or_else(|| self.hyphenated())
            .or_else(|| ends.shorter(beyond).map(reading))
    }

    fn after_break(&self) -> Option<NameReading> {
        let widened = &(self.widened)()?;
        let written = |at: usize| (widened.end(at), &self.after[widened.end(at)..]);
        let at = last_after_break(&self.ends(widened), self.max_len, written)?;
        Some(NameReading::new(widened, NameEnd::of_text(at)))
    }

    fn hyphenated(&self) -> Option<NameReading> {
        let name = with_hyphens(&self.text.bytes()[..self.end.at])?;
        let key = String::from_utf8(name.to_ascii_lowercase()).ok()?;
        self.known.contains(&key).then(|| NameReading {
            name,
            len: self.text.end(self.end.at),
            guessed: false,
        })
    }

    /// Returns the ends of the keys that `text` starts with.
    fn ends(&self, text: &UndoneText) -> Vec<usize> {
        let mut key = text.bytes().to_ascii_lowercase();
        let suffix = text.position(self.prefix);
        key[suffix - 1] = b'/';
        let is_known = |end: &usize| {
            let key = std::str::from_utf8(&key[..*end]);
            key.is_ok_and(|key| self.known.contains(key))
        };
        (suffix + 1..=key.len()).filter(is_known).collect()
    }
}
