//! The counts of a merge, and their JSON.

use crate::options::ReportedOptions;
use crate::task::{Ending, TaskReport};

/// The counts and options of a merge. Serialises to the object that `doisift merge --report` writes.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct MergeReport {
    /// Version of doisift.
    pub version: &'static str,
    pub(crate) options: ReportedOptions,
    /// Rows of the inputs.
    pub rows: u64,
    /// Rows written: one for each name.
    pub records: u64,
    /// Mentions of all names.
    pub mentions: u64,
    /// Inputs that had to be sorted: their rows were not sorted, or they could not be read twice.
    pub sorted: u64,
    /// Sorted runs in a temporary file, of inputs that had to be sorted, or because there were too many inputs to open them all.
    pub runs: u64,
    /// Bytes of this file.
    pub spilled_bytes: u64,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

impl TaskReport for MergeReport {
    fn ending(&self) -> Ending {
        Ending::Whole
    }

    fn options(&self) -> &ReportedOptions {
        &self.options
    }
}

impl MergeReport {
    /// Creates the report of a merge that has not read anything yet.
    pub(super) fn new(options: ReportedOptions) -> Self {
        MergeReport {
            version: env!("CARGO_PKG_VERSION"),
            options,
            rows: 0,
            records: 0,
            mentions: 0,
            sorted: 0,
            runs: 0,
            spilled_bytes: 0,
            seconds: 0.0,
        }
    }
}
