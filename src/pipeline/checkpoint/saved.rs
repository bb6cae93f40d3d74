//! The scan's part of a checkpoint's manifest.

use std::borrow::Cow;
use std::collections::BTreeMap;

use doisift_core::{Rejection, Tally};
use serde::{Deserialize, Serialize};

use super::mark::MarkedRows;
use crate::dedup::Spilled;
use crate::pipeline::plan::ScanOptions;
use crate::records::PartsDone;
use crate::report::{Losses, RoleCounts, ScanCounts};

/// The finished work of a scan, as the manifest stores it.
///
/// Names and rows are saved at places of their own. Reading resumes at that of the rows, which is never after that of the names.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct SavedScan {
    /// The counts of the work before the place at which reading resumes.
    pub(crate) done: FinishedWork,
    /// The number of sources whose names are in the runs. `None` if no names are kept.
    pub(crate) named: Option<usize>,
    /// The number and size of all runs written so far.
    pub(super) spilled: (u64, u64),
    /// The rows, if they are in parts.
    pub(crate) rows: Option<FinishedRows>,
}

/// The counts and errors of the finished sources.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FinishedWork {
    /// The number of finished sources, which are the first in source order.
    pub(crate) sources: usize,
    #[serde(with = "SavedCounts")]
    pub(crate) counts: ScanCounts,
    pub(crate) losses: Losses,
    pub(crate) skipped: BTreeMap<Cow<'static, str>, u64>,
    pub(crate) bytes_read: u64,
}

/// The rows that are written, if they are in parts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FinishedRows {
    /// The mark at which reading resumes. It is before the end of the last part of each output, so the last rows of these are
    /// made again.
    pub(crate) at: MarkedRows,
    pub(crate) rows: PartsDone,
    /// The rows of the documents' records, if these are written.
    pub(crate) nodes: Option<PartsDone>,
}

impl SavedScan {
    /// Returns the state of a scan that has not read anything.
    pub(super) fn start(options: &ScanOptions) -> Self {
        SavedScan {
            named: options.fills_table().then_some(0),
            rows: (options.selection.writes_mentions()).then(FinishedRows::default),
            ..SavedScan::default()
        }
    }

    pub(super) fn spilled(&self) -> Spilled {
        Spilled {
            runs: self.spilled.0,
            bytes: self.spilled.1,
        }
    }
}

/// The form of [`ScanCounts`] in the manifest, with rejections by reason.
#[derive(Serialize, Deserialize)]
struct SavedCounts {
    sources: u64,
    documents: u64,
    cut_names: u64,
    bytes_decoded: u64,
    filtered: u64,
    candidates: u64,
    mentions: u64,
    ends_changed: u64,
    rejections: BTreeMap<String, u64>,
    roles: RoleCounts,
    broken: u64,
    mistyped: u64,
}

impl SavedCounts {
    fn serialize<S: serde::Serializer>(counts: &ScanCounts, to: S) -> Result<S::Ok, S::Error> {
        let rejected =
            |reason: Rejection| (reason.name().to_owned(), counts.tally.rejected(reason));
        let counted = SavedCounts {
            sources: counts.sources,
            documents: counts.documents,
            cut_names: counts.cut_names,
            bytes_decoded: counts.bytes_decoded,
            filtered: counts.filtered,
            candidates: counts.tally.candidates,
            mentions: counts.tally.mentions,
            ends_changed: counts.tally.ends_changed,
            rejections: Rejection::ALL.iter().copied().map(rejected).collect(),
            roles: counts.roles,
            broken: counts.broken,
            mistyped: counts.mistyped,
        };
        Serialize::serialize(&counted, to)
    }

    fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<ScanCounts, D::Error> {
        let counted: SavedCounts = Deserialize::deserialize(from)?;
        let mut tally = Tally::default();
        tally.candidates = counted.candidates;
        tally.mentions = counted.mentions;
        tally.ends_changed = counted.ends_changed;
        for &reason in Rejection::ALL {
            let count = counted.rejections.get(reason.name());
            tally.set_rejected(reason, count.copied().unwrap_or(0));
        }
        Ok(ScanCounts {
            sources: counted.sources,
            documents: counted.documents,
            cut_names: counted.cut_names,
            bytes_decoded: counted.bytes_decoded,
            filtered: counted.filtered,
            tally,
            roles: counted.roles,
            broken: counted.broken,
            mistyped: counted.mistyped,
        })
    }
}
