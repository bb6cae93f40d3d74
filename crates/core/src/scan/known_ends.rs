//! Asks a set of known names where a name ends, and applies the answer.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use super::candidate::Candidate;
use super::decode::{DecodedText, Decoder};
use super::rules::NameEnd;
use super::rules::known_ends::{KnownEnds, key_of, last_after_break, with_hyphens};

/// A set of known names, which a [`Scanner`](crate::Scanner) asks where its rules are in doubt.
///
/// The answers must not change while a document is scanned. A set that can fail keeps its error and answers that no names are
/// known.
pub trait NameSet: Send + Sync {
    /// Adds to `ends` the ends of all known names that `text` starts with, in ascending order. `text` is in lower case, as
    /// [keys](crate::Doi::key) are; it starts with a prefix and need not be UTF-8.
    fn known_starts(&self, text: &[u8], ends: &mut Vec<usize>);

    /// Whether the name with this [key](crate::Doi::key) is known.
    fn knows(&self, key: &str) -> bool {
        let mut ends = Vec::new();
        self.known_starts(key.as_bytes(), &mut ends);
        ends.last() == Some(&key.len())
    }
}

/// A set of [keys](crate::Doi::key).
impl NameSet for BTreeSet<String> {
    fn known_starts(&self, text: &[u8], ends: &mut Vec<usize>) {
        let first = ends.len();
        let text = text.utf8_chunks().next().map(|chunk| chunk.valid());
        let mut text = text.unwrap_or_default();
        // A known start is not greater than the text, and all keys between the two start with it as well.
        let below = |text: &str| {
            let range = (Bound::Unbounded, Bound::Included(text));
            self.range::<str, _>(range).next_back()
        };
        while let Some(name) = below(text) {
            let pairs = name.char_indices().zip(text.chars());
            let common = pairs.take_while(|((_, one), other)| one == other);
            let common = common.map(|((at, c), _)| at + c.len_utf8()).last();
            text = &text[..common.unwrap_or_default()];
            if text.len() == name.len() {
                ends.push(text.len());
                let last = text.chars().next_back().map_or(0, char::len_utf8);
                text = &text[..text.len() - last];
            }
        }
        ends[first..].reverse();
    }
}

/// A set of known names, and buffers that are reused from name to name.
#[derive(Clone)]
pub(super) struct KnownLookup {
    names: Arc<dyn NameSet>,
    key: Vec<u8>,
    ends: Vec<usize>,
    wide_ends: Vec<usize>,
    /// Decodes the text that goes on after the break at which the rules end the name.
    decoder: Decoder,
    /// The name that was found, if it is not the start of the text.
    name: Vec<u8>,
}

/// A known name in a candidate.
pub(super) struct KnownName<'f> {
    /// The name, decoded.
    pub(super) name: &'f [u8],
    /// Bytes of the candidate that write the name.
    pub(super) len: usize,
    pub(super) guessed: bool,
}

impl KnownLookup {
    pub(super) fn new(names: Arc<dyn NameSet>) -> Self {
        KnownLookup {
            names,
            key: Vec::new(),
            ends: Vec::new(),
            wide_ends: Vec::new(),
            decoder: Decoder::default(),
            name: Vec::new(),
        }
    }

    /// Returns the known name of `candidate`, whose `text` has a suffix from `suffix` to `end` by the rules; `None` if none is
    /// known.
    pub(super) fn find<'f>(
        &'f mut self,
        candidate: &Candidate<'_>,
        text: DecodedText<'f>,
        suffix: usize,
        end: NameEnd,
    ) -> Option<KnownName<'f>> {
        key_of(text.bytes, suffix, &mut self.key);
        self.ends.clear();
        self.names.known_starts(&self.key, &mut self.ends);
        self.ends.retain(|end| *end > suffix);
        let beyond = |at| &candidate.after[text.end(at)..];
        let found = |end: NameEnd| KnownName {
            name: &text.bytes[..end.at],
            len: text.end(end.at),
            guessed: end.guessed,
        };
        let longest = self.known(&text, suffix, end).longest(beyond);
        if let Some(end) = longest {
            return Some(found(end));
        }
        let broken = self.after_break(candidate);
        let hyphenated = broken.is_none() && self.hyphenated(&text.bytes[..end.at]);
        if let Some(len) = broken.or(hyphenated.then(|| text.end(end.at))) {
            return Some(KnownName {
                name: &self.name,
                len,
                guessed: false,
            });
        }
        self.known(&text, suffix, end).shorter(beyond).map(found)
    }

    fn known<'k, 't>(
        &'k self,
        text: &'k DecodedText<'t>,
        suffix: usize,
        end: NameEnd,
    ) -> KnownEnds<'k, DecodedText<'t>> {
        KnownEnds {
            text,
            suffix,
            end,
            known: &self.ends,
        }
    }

    /// Finds a name that goes on after a break that the rules do not take for one. Returns how many bytes of the candidate write
    /// it.
    fn after_break(&mut self, candidate: &Candidate<'_>) -> Option<usize> {
        let (raw_bytes, layer_limits) = candidate.widened()?;
        let text = self.decoder.text(raw_bytes, Some(layer_limits));
        let suffix = text.position(candidate.prefix.len);
        key_of(text.bytes, suffix, &mut self.key);
        self.wide_ends.clear();
        self.names.known_starts(&self.key, &mut self.wide_ends);
        self.wide_ends.retain(|end| *end > suffix);
        let broken = candidate.raw_bytes.len();
        let written = |at| (text.end(at), &candidate.after[text.end(at)..]);
        let at = last_after_break(&self.wide_ends, broken, written)?;
        self.name.clear();
        self.name.extend_from_slice(&text.bytes[..at]);
        Some(text.end(at))
    }

    /// Whether `name` is known with hyphens instead of its typeset dashes. If so, `self.name` is the name with hyphens.
    fn hyphenated(&mut self, name: &[u8]) -> bool {
        let Some(name) = with_hyphens(name) else {
            return false;
        };
        let key = String::from_utf8(name.to_ascii_lowercase());
        self.name = name;
        key.is_ok_and(|key| self.names.knows(&key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scanner;

    /// Returns the names that a scanner with the names of `known` finds in `text`, with `?` after a guess.
    fn found(known: &[&str], text: &str) -> Vec<String> {
        let known: BTreeSet<_> = known.iter().map(|name| name.to_string()).collect();
        let mut scanner = Scanner::new().known(Arc::new(known));
        let shown = |mention: crate::Match<'_>| {
            format!("{}{}", mention.doi, if mention.guessed { "?" } else { "" })
        };
        scanner
            .find_iter(&format!("see {text}"))
            .map(shown)
            .collect()
    }

    #[test]
    fn a_set_gives_the_ends_of_its_names() {
        let names = [
            "10.5555/a",
            "10.5555/ab",
            "10.5555/abc",
            "10.5555/abé",
            "10.5555/b",
            "10.5555/ab1",
        ];
        let set: BTreeSet<_> = names.map(str::to_owned).into();
        for (text, wanted) in [
            ("10.5555/abcd", &[9, 10, 11][..]),
            ("10.5555/ab", &[9, 10]),
            ("10.5555/abz", &[9, 10]),
            ("10.5555/ab0", &[9, 10]),
            ("10.5555/abéx", &[9, 10, 12]),
            ("10.5555/c", &[]),
            ("10.5555/", &[]),
            ("10.4", &[]),
        ] {
            let mut ends = vec![7];
            set.known_starts(text.as_bytes(), &mut ends);
            assert_eq!(ends[0], 7);
            assert_eq!(ends[1..], *wanted, "{text}");
        }
    }

    #[test]
    fn the_longest_known_end_wins() {
        for (text, known, name) in [
            ("10.5555/ab1.pdf and", "10.5555/ab1", "10.5555/ab1"),
            ("10.5555/ab1/full", "10.5555/ab1", "10.5555/ab1"),
            ("10.5555/ab1,2019", "10.5555/ab1", "10.5555/ab1"),
            ("10.5555/ab1(2019)", "10.5555/ab1", "10.5555/ab1"),
            ("10.5555/ab1PMID:12", "10.5555/ab1", "10.5555/ab1"),
            ("10.5555/ab1Smith", "10.5555/ab1", "10.5555/ab1"),
            ("10.5555/ab1/pdf", "10.5555/ab1/pdf", "10.5555/ab1/pdf"),
            (
                "https://a.example/10.5555/ab1/pdf",
                "10.5555/ab1/pdf",
                "10.5555/ab1/pdf",
            ),
            ("10.5555/ab*, 1", "10.5555/ab*", "10.5555/ab*"),
            (
                "doi:10.5555/ j.00401. x D",
                "10.5555/j.00401.x",
                "10.5555/j.00401.x",
            ),
            (
                "doi:10.5555/00401. x D",
                "10.5555/00401.x",
                "10.5555/00401.x",
            ),
            (
                "doi:10.5555/j. cd.2. 3. Next",
                "10.5555/j.cd.2.3",
                "10.5555/j.cd.2.3",
            ),
            ("doi:10.5555/a‐1‐b", "10.5555/a-1-b", "10.5555/a-1-b"),
            (
                "doi:10.5555/AB/ 12345 S",
                "10.5555/ab/12345",
                "10.5555/AB/12345",
            ),
            ("doi:10.5555/a1/ 12345 S", "10.5555/a1", "10.5555/a1"),
        ] {
            assert_eq!(found(&[known], text), [name], "{text}");
        }
    }

    #[test]
    fn where_no_name_is_known_the_rules_decide() {
        for (text, known, name) in [
            ("10.5555/ab1.s001", "10.5555/ab1", "10.5555/ab1.s001"),
            ("10.5555/ab12.pdf", "10.5555/ab1", "10.5555/ab12.pdf"),
            ("10.5555/ab1video", "10.5555/ab1", "10.5555/ab1video"),
            ("10.5555/ab1-2,5", "10.5555/ab1", "10.5555/ab1-2,5"),
            ("10.5555/ab1/full", "10.5555/ab2", "10.5555/ab1/full"),
            ("doi:10.5555/ab-1. 23 S", "10.5555/ab-123", "10.5555/ab-1"),
        ] {
            let mut names = found(&[known], text);
            names
                .iter_mut()
                .for_each(|name| *name = name.trim_end_matches('?').to_owned());
            assert_eq!(names, [name], "{text}");
        }
    }

    #[test]
    fn two_known_ends_are_a_guess() {
        let known = ["10.5555/ab1", "10.5555/ab1/pdf", "10.5555/ab1)"];
        assert_eq!(
            found(&known, "https://a.example/10.5555/ab1/pdf"),
            ["10.5555/ab1/pdf?"]
        );
        assert_eq!(found(&known, "10.5555/ab1)(x"), ["10.5555/ab1?"]);
    }
}
