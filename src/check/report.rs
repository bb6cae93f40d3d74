//! The counts of a check, and their JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use doisift_known::Date;

use super::outdated::OutdatedData;
use super::verdict::CheckVerdict;
use crate::counts::Counts;
use crate::options::ReportedOptions;
use crate::registry::{COULD_NOT_ASK, RegistryCounts};
use crate::report::{KnownReport, Losses};
use crate::task::{Ending, TaskReport};

/// The counts and options of a check. Serialises to the object that `doisift check --report` writes.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct CheckReport {
    /// Version of doisift.
    pub version: &'static str,
    pub(crate) options: ReportedOptions,
    /// Files and streams that were read.
    pub sources: u64,
    /// Documents that were read.
    pub documents: u64,
    /// References in these documents.
    pub references: u64,
    /// References by verdict; verdicts without any are left out.
    pub verdicts: Counts,
    /// References with a verdict that `fail_on` names, without those that were fixed or accepted.
    pub findings: u64,
    /// References that would be findings, but were accepted.
    pub accepted: u64,
    /// Accepted findings of the baseline that no row of their sources used, if the sources were read.
    pub unused_baseline: u64,
    /// Comments that accept findings, about which there were none.
    pub unused_comments: u64,
    /// References whose text was replaced.
    pub fixed: u64,
    /// Names of entries that were not compared with later ones, since there were too many to keep.
    pub not_compared: u64,
    /// Documents without references, by kind. Files below folders that lack the column count as `no_column`.
    pub skipped: Counts,
    /// Errors of files below folders.
    pub errors: Losses,
    /// The index of known names that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownReport>,
    /// The notices that were read at the start of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retractions: Option<RetractionsReport>,
    /// Data of the index and the notices that are older than [`stale_after`](crate::Check::stale_after).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outdated: Vec<OutdatedData>,
    /// The distinct names that the registry was asked for: `known`, `unknown` and `could_not_ask` of them add up to those that the
    /// cache answered, `cached`, and those that the service was asked for, `asked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry: Option<Counts>,
    /// Bytes of the sources that were read, before unpacking.
    pub bytes_read: u64,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

/// The notices that a check read at its start.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct RetractionsReport {
    /// The file, folder or address.
    pub source: String,
    /// Notices in it, with repetitions.
    pub notices: u64,
    /// Names that have notices.
    pub names: u64,
    /// Notices without a name or a date that can be read.
    pub refused: u64,
    /// The newest date of the notices up to today, or without any, that of the file.
    pub date: Option<Date>,
}

impl TaskReport for CheckReport {
    fn ending(&self) -> Ending {
        // Files that could not be read take precedence over findings, and findings over unanswered questions.
        match (self.findings, self.could_not_ask()) {
            _ if self.errors.count > 0 => Ending::Failed,
            (0, 0) => Ending::Whole,
            (0, _) => Ending::Failed,
            _ => Ending::Lossy,
        }
    }

    fn options(&self) -> &ReportedOptions {
        &self.options
    }
}

/// Counts so far.
#[derive(Default)]
pub(super) struct CheckCounts {
    pub(super) sources: u64,
    pub(super) documents: u64,
    pub(super) references: u64,
    pub(super) verdicts: BTreeMap<CheckVerdict, u64>,
    pub(super) findings: u64,
    pub(super) accepted: u64,
    pub(super) unused_baseline: u64,
    pub(super) unused_comments: u64,
    pub(super) fixed: u64,
    pub(super) not_compared: u64,
    pub(super) skipped: BTreeMap<Cow<'static, str>, u64>,
    pub(super) errors: Losses,
    pub(super) registry: Option<RegistryCounts>,
    pub(super) retractions: Option<RetractionsReport>,
    pub(super) outdated: Vec<OutdatedData>,
}

impl CheckReport {
    /// Returns the number of names that the registry could not be asked about.
    pub(crate) fn could_not_ask(&self) -> u64 {
        let registry = self.registry.as_ref();
        registry.map_or(0, |registry| registry.get(COULD_NOT_ASK))
    }
}
