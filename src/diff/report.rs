//! The counts of a comparison, and their JSON.

use crate::options::{OptionValue, ReportedOptions};
use crate::task::{Ending, TaskReport};

/// The counts and options of a comparison. Serialises to the object that `doisift diff --report` writes.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct DiffReport {
    /// Version of doisift.
    pub version: &'static str,
    pub(crate) options: ReportedOptions,
    /// Kind of the compared rows: `names`, `edges`, `mentions`, `nodes` or `pairs`.
    pub compared: &'static str,
    /// Number of distinct ones in the old file.
    pub old: u64,
    /// Number of distinct ones in the new file.
    pub new: u64,
    /// Number of those that only the new file has.
    pub appeared: u64,
    /// Number of those that only the old file has.
    pub vanished: u64,
    /// Number of names that are retracted only in the new file.
    pub retracted: u64,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

impl TaskReport for DiffReport {
    fn ending(&self) -> Ending {
        let counts = self.options.get("exit_code") == Some(&OptionValue::Flag(true));
        match counts && self.has_changes() {
            true => Ending::Lossy,
            false => Ending::Whole,
        }
    }

    fn options(&self) -> &ReportedOptions {
        &self.options
    }
}

impl DiffReport {
    /// Whether anything changed.
    pub fn has_changes(&self) -> bool {
        self.appeared + self.vanished + self.retracted > 0
    }

    /// Creates the report of a comparison that has not read anything yet.
    pub(super) fn new(options: ReportedOptions, compared: &'static str) -> Self {
        DiffReport {
            version: env!("CARGO_PKG_VERSION"),
            options,
            compared,
            old: 0,
            new: 0,
            appeared: 0,
            vanished: 0,
            retracted: 0,
            seconds: 0.0,
        }
    }
}
