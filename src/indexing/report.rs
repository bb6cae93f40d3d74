//! The counts of an indexing, and their JSON.

use doisift_known::Index;

use crate::counts::Counts;
use crate::options::ReportedOptions;
use crate::report::Losses;
use crate::task::{Ending, TaskReport};

/// The counts and options of an indexing. Serialises to the object that `doisift index --report` writes.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct IndexReport {
    /// Version of doisift.
    pub version: &'static str,
    pub(crate) options: ReportedOptions,
    /// Sources that were read.
    pub sources: u64,
    /// Work of the interrupted run that this one continues. The counts include it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Counts>,
    /// Documents in these sources.
    pub documents: u64,
    /// Names in the sources, with repetitions.
    pub names: u64,
    /// Notices in the sources, with repetitions.
    pub notices: u64,
    /// Refused: texts in the place of a name that are not DOI names, and objects of JSON without a name.
    pub refused: u64,
    /// Drafts in DataCite's files, whose names are not registered.
    pub drafts: u64,
    /// Distinct names in the index, including those of added indexes.
    pub known: u64,
    /// Names with notices in the index, known or not.
    pub noted: u64,
    /// Registered prefixes that the index lists.
    pub prefixes: u64,
    /// Errors that lost input.
    pub errors: Losses,
    /// Bytes of the sources that were read, before unpacking.
    pub bytes_read: u64,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

impl TaskReport for IndexReport {
    fn ending(&self) -> Ending {
        Ending::of_lost(self.errors.count + self.refused)
    }

    fn options(&self) -> &ReportedOptions {
        &self.options
    }
}

/// Notices that were read, in an index without names.
pub(crate) struct NoticeIndex {
    pub(crate) index: Index,
    /// Notices in the sources, with repetitions.
    pub(crate) notices: u64,
    /// Names that have notices.
    pub(crate) noted: u64,
    /// Texts in the place of a name or a date that cannot be read.
    pub(crate) refused: u64,
    /// Errors that lost input.
    pub(crate) losses: Losses,
}

/// Names, notices and refused texts so far.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct NameCounts {
    pub(super) sources: u64,
    pub(super) documents: u64,
    pub(super) names: u64,
    pub(super) notices: u64,
    pub(super) refused: u64,
    pub(super) drafts: u64,
}
