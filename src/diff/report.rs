//! The counts of a comparison, and their JSON.

use std::path::PathBuf;

use crate::options::{OptionValue, OptionValues};
use crate::records::Format;
use crate::report::format_name;
use crate::task::{Ending, TaskReport};

/// The counts and options of a comparison. Serialises to the object that `doisift diff --report` writes.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct DiffReport {
    /// Version of doisift.
    pub version: &'static str,
    /// The options of the comparison.
    pub options: DiffOptions,
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
        match self.options.exit_code && self.has_changes() {
            true => Ending::Lossy,
            false => Ending::Whole,
        }
    }
}

/// The options of a comparison.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The old file as typed. Bytes that are not UTF-8 are written `\xNN`.
    pub old: String,
    /// The new file as typed.
    pub new: String,
    /// The file of the rows. `None` for standard output.
    pub output: Option<PathBuf>,
    /// Format of the rows.
    #[serde(serialize_with = "format_name")]
    pub format: Format,
    /// The fields of a row, in order.
    pub fields: Vec<&'static str>,
    /// Memory budget in bytes, for rows that are sorted.
    pub memory: u64,
    /// Whether changes count as exit code 1.
    pub exit_code: bool,
    /// All other options, by name.
    #[serde(flatten)]
    pub(super) given: OptionValues,
}

impl DiffOptions {
    /// Returns the value of any other option, by the name of its setter.
    #[doc(hidden)]
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.given.get(name)
    }
}

impl DiffReport {
    /// Whether anything changed.
    pub fn has_changes(&self) -> bool {
        self.appeared + self.vanished + self.retracted > 0
    }

    /// Creates the report of a comparison that has not read anything yet.
    pub(super) fn new(options: DiffOptions, compared: &'static str) -> Self {
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
