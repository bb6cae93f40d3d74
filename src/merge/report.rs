//! What a merge did, as JSON.

use std::path::PathBuf;

use super::run::Run;
use crate::records::Format;
use crate::report::format_name;

/// What a merge did. Serialises to the object that `doisift merge --report` writes.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct MergeReport {
    /// Version of doisift.
    pub version: &'static str,
    /// What was asked for.
    pub options: MergeOptions,
    /// Rows of the inputs.
    pub rows: u64,
    /// Rows written: one for each name.
    pub records: u64,
    /// Mentions of all names.
    pub mentions: u64,
    /// Inputs that had to be sorted: their rows were not, or they could not be read twice.
    pub sorted: u64,
    /// Temporary files that were written for this, or because there were too many inputs to have them open at once.
    pub runs: u64,
    /// Bytes of these.
    pub spilled_bytes: u64,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

/// The options of a merge that bear on its result.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct MergeOptions {
    /// What was to be read, as typed; bytes that are not UTF-8 written `\xNN`.
    pub inputs: Vec<String>,
    /// Where the rows went; none for standard output.
    pub output: Option<PathBuf>,
    /// Format of the rows.
    #[serde(serialize_with = "format_name")]
    pub format: Format,
    /// Bytes of memory.
    pub memory: u64,
}

impl MergeReport {
    /// The report of a merge that has read nothing yet.
    pub(super) fn new(options: MergeOptions) -> Self {
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

    /// Takes note of a run that was written.
    pub(super) fn add_run(&mut self, run: &Run) {
        self.runs += 1;
        self.spilled_bytes += run.bytes;
    }
}
