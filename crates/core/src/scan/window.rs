//! The bytes that a decision about an anchor may read, what opens a name in them, and the name that was accepted.
//!
//! Needs no other part of the scanner, so that each can use it.

use super::mention::Form;
use super::rules::Rule;

/// Bytes before an anchor that the decision about it may read.
pub(super) const WINDOW_BYTES_BEFORE: usize = 1024;

/// Bytes after the longest name that the decision about its end may read.
pub(super) const WINDOW_BYTES_AFTER: usize = 256;

/// An accepted candidate, in terms of its window.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AcceptedName {
    pub(super) form: Form,
    pub(super) guessed: bool,
    /// The rule that ended it; `None` if the text or known names ended it.
    pub(super) rule: Option<Rule>,
    /// Bytes of the window from the anchor to the last byte kept.
    pub(super) len: usize,
    /// The answer of known names.
    pub(super) known_verdict: KnownVerdict,
}

/// The answer of known names about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownVerdict {
    /// They were not asked, since the rules are not in doubt.
    NotAsked,
    /// No name is known that the text could hold.
    Unknown,
    /// The name that the rules find is known.
    Same,
    /// Another name is known.
    Other,
}

/// A scheme, proxy or label before a name, which says in what form the name was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opener {
    pub(super) form: Form,
    /// Bytes of the scheme or proxy before the anchor; 0 for a label.
    pub(super) len: usize,
    /// Whether white space is in these bytes.
    pub(super) is_spaced: bool,
}
