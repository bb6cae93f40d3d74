//! The types of the rows of rules for dirty data, and their input.

use super::draft::{Draft, Edit};
use crate::scan::rules::Rule;

/// The suffix of a name that was found, and the text around it.
pub(super) struct FoundSuffix<'n> {
    pub(super) prefix: &'n str,
    /// The text before the scheme or proxy, and the scheme or proxy with the prefix as written.
    pub(super) front: (&'n str, String),
    /// The marks of emphasis before the name, which may follow it too.
    pub(super) emphasis: &'n str,
    pub(super) draft: Draft,
}

impl FoundSuffix<'_> {
    pub(super) fn suffix(&self) -> &str {
        &self.draft.text
    }
}

/// A rule, and a function that returns its edits.
pub(super) type RepairRule = (Rule, fn(&FoundSuffix<'_>) -> Vec<Edit>);

/// A rule, and a function that returns where the name ends by it; `None` if the rule does not end it.
pub(super) type EndRule = (Rule, fn(&FoundSuffix<'_>) -> Option<usize>);
