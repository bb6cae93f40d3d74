//! The counts of a run, and their JSON.

use crate::options::ReportedOptions;
use crate::report::Losses;
use crate::task::{Ending, TaskReport};

/// The counts and options of a run that asked a registry. Serialises to the object that `doisift resolve --report` writes.
///
/// `known`, `unknown`, `could_not_ask` and `refused` add up to `rows`.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ResolveReport {
    /// Version of doisift.
    pub version: &'static str,
    pub(crate) options: ReportedOptions,
    /// Rows that were written.
    pub rows: u64,
    /// Names that are registered.
    pub known: u64,
    /// Names that the registry does not know.
    pub unknown: u64,
    /// Names that the registry could not be asked for.
    pub could_not_ask: u64,
    /// Texts that are not DOI names.
    pub refused: u64,
    /// Names whose agency, or whose alias's target, could not be asked for.
    pub in_part: u64,
    /// Questions that the cache answered.
    pub cached: u64,
    /// Questions to a service.
    pub asked: u64,
    /// Errors that lost input.
    pub errors: Losses,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

impl TaskReport for ResolveReport {
    fn ending(&self) -> Ending {
        Ending::of_lost(self.could_not_ask + self.in_part + self.refused + self.errors.count)
    }

    fn options(&self) -> &ReportedOptions {
        &self.options
    }
}
