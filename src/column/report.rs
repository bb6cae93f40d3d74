//! The counts of a run, and their JSON.

use std::collections::BTreeMap;

use super::status::CellStatus;
use crate::counts::Counts;
use crate::options::ReportedOptions;
use crate::report::{KnownReport, Losses};
use crate::task::{Ending, TaskReport};

/// Report of a [`CleanTable`](super::CleanTable) run. Serialises to the object that `doisift normalize --report` writes.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct CleanReport {
    /// Version of doisift.
    pub version: &'static str,
    pub(crate) options: ReportedOptions,
    /// Tables or texts that were read: documents of the inputs.
    pub documents: u64,
    /// Rows, without headers and blank rows; or lines.
    pub rows: u64,
    /// Cells or lines by status: `empty`, `unchanged`, `normalized`, `cleaned`, `several` and `refused`.
    pub statuses: Counts,
    /// Names that each rule for dirty data changed, by the rule's id.
    pub rules: Counts,
    /// Rows with more or fewer cells than the header.
    pub ragged: u64,
    /// Lines that are not a JSON object, which stay unchanged.
    pub broken: u64,
    /// The index of known names that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownReport>,
    /// Errors that lost input.
    pub errors: Losses,
    /// Bytes read from the inputs, before unpacking.
    pub bytes_read: u64,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

impl TaskReport for CleanReport {
    fn ending(&self) -> Ending {
        let lost = [CellStatus::Refused, CellStatus::Several];
        let refused: u64 = lost
            .map(|status| self.statuses.get(status.name()))
            .iter()
            .sum();
        Ending::of_lost(refused + self.broken + self.errors.count)
    }

    fn options(&self) -> &ReportedOptions {
        &self.options
    }
}

/// A number for each [`CellStatus`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellCounts([u64; CellStatus::ALL.len()]);

impl CellCounts {
    /// Returns the number of cells with this status.
    pub(super) fn get(&self, status: CellStatus) -> u64 {
        self.0[status as usize]
    }

    pub(super) fn add(&mut self, status: CellStatus) {
        self.0[status as usize] += 1;
    }

    /// Returns the counts for a report.
    pub(super) fn counts(&self) -> Counts {
        Counts::of(CellStatus::ALL.map(|status| (status.name(), self.get(status))))
    }
}

/// The counts of a part of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct CellTally {
    pub(super) rows: u64,
    pub(super) statuses: CellCounts,
    pub(super) rules: BTreeMap<&'static str, u64>,
    pub(super) ragged: u64,
    pub(super) broken: u64,
    /// Wanted members that any JSON object has: a bit for each, by its index.
    pub(super) present: u64,
}

impl CellTally {
    /// Adds the counts of another part and resets them.
    pub(super) fn take(&mut self, other: &mut CellTally) {
        self.rows += std::mem::take(&mut other.rows);
        for status in CellStatus::ALL {
            self.statuses.0[status as usize] += other.statuses.get(status);
        }
        other.statuses = CellCounts::default();
        for (rule, count) in std::mem::take(&mut other.rules) {
            *self.rules.entry(rule).or_default() += count;
        }
        self.ragged += std::mem::take(&mut other.ragged);
        self.broken += std::mem::take(&mut other.broken);
        self.present |= std::mem::take(&mut other.present);
    }
}
