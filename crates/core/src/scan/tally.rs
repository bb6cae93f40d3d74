//! Counts the candidates, mentions and rejections of a scan.

use std::ops::{Add, AddAssign};

/// Reason why a candidate was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Rejection {
    /// A digit or a full stop is directly before it: the inside of a number, a date, a version.
    InsideNumber,
    /// The first part of the registrant code does not have four to nine digits.
    RegistrantCode,
    /// Nothing that can be a name follows the separator.
    EmptySuffix,
    /// A short DOI, `https://doi.org/10/abc`: an alias, not a name.
    ShortDoi,
    /// The value of an attribute or member called `key`: a citation's key.
    CitationKey,
    /// Link text that was cut short with an ellipsis.
    Ellipsis,
    /// A part of a web page's machinery: an anchor, the address of a picture or film, a page number of an advertiser.
    PagePart,
    /// The bytes that could belong to the name are longer than [`Scanner::max_name`](crate::Scanner::max_name).
    TooLong,
    /// The name, after all cuts, holds characters that no name may hold (N3).
    NotGraphic,
    /// A template in source code, which holds a place for a value.
    Template,
    /// White space is inside the prefix, and no label or proxy comes before it.
    BrokenPrefix,
}

impl Rejection {
    /// Every reason, in the order reports list them.
    pub const ALL: &'static [Rejection] = &[
        Rejection::InsideNumber,
        Rejection::RegistrantCode,
        Rejection::EmptySuffix,
        Rejection::ShortDoi,
        Rejection::CitationKey,
        Rejection::Ellipsis,
        Rejection::PagePart,
        Rejection::TooLong,
        Rejection::NotGraphic,
        Rejection::Template,
        Rejection::BrokenPrefix,
    ];

    /// Returns the word for the reason in reports.
    pub fn name(self) -> &'static str {
        WORDS[self as usize].0
    }

    /// Describes the reason in a few words.
    #[doc(hidden)]
    pub fn description(self) -> &'static str {
        WORDS[self as usize].1
    }
}

/// The word for each reason, and what it means, in the order of [`Rejection::ALL`].
#[rustfmt::skip]
const WORDS: [(&str, &str); Rejection::ALL.len()] = [
    ("inside_number", "a digit, or a digit and a full stop, comes directly before it, as inside a number, a date or a version"),
    ("registrant_code", "the registrant code, after 10., does not start with four to nine digits, as in 10.0.0.0/8"),
    ("empty_suffix", "nothing that can be a name follows the prefix and its separator"),
    ("short_doi", "https://doi.org/10/abc is a short DOI, which is an alias and not a name"),
    ("citation_key", "it is the value of an attribute or member called key: the key of a citation"),
    ("ellipsis", "it is the text of a link that was cut short by an ellipsis"),
    ("page_part", "it is an anchor, the address of a picture or film, or a numbered page in a web page"),
    ("too_long", "the text that could belong to the name is longer than 64 KiB"),
    ("not_graphic", "the rest contains characters that are not allowed in names"),
    ("template", "it is a template in source code, which holds a place for a value, as in 10.5281/zenodo.{id}"),
    ("broken_prefix", "white space is inside the prefix, as in 10. 2019/ 20, and no label or proxy comes before it"),
];

/// Counts that add up: `candidates` is `mentions` plus all rejections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Anchors followed by a complete prefix and separator.
    pub candidates: u64,
    /// Candidates accepted.
    pub mentions: u64,
    /// Mentions whose name was chosen by [known names](crate::Scanner::known) and differs from the one of the rules.
    pub ends_changed: u64,
    rejections: [u64; Rejection::ALL.len()],
}

impl Tally {
    /// Returns how many candidates were refused for this reason.
    pub fn rejected(&self, reason: Rejection) -> u64 {
        self.rejections[reason as usize]
    }

    /// Returns how many candidates were refused for any reason.
    pub fn rejections(&self) -> u64 {
        self.rejections.iter().sum()
    }

    pub(crate) fn reject(&mut self, reason: Rejection) {
        self.rejections[reason as usize] += 1;
    }

    /// Sets how many candidates were refused for this reason, for a tally that was stored.
    #[doc(hidden)]
    pub fn set_rejected(&mut self, reason: Rejection, count: u64) {
        self.rejections[reason as usize] = count;
    }
}

impl Add for Tally {
    type Output = Tally;

    fn add(mut self, other: Tally) -> Tally {
        self += other;
        self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.candidates += other.candidates;
        self.mentions += other.mentions;
        self.ends_changed += other.ends_changed;
        for (mine, theirs) in self.rejections.iter_mut().zip(other.rejections) {
            *mine += theirs;
        }
    }
}
