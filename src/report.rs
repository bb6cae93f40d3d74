//! Counters of a run that can be added, and the report of a scan.

use std::collections::BTreeSet;
use std::ops::{Add, AddAssign};

use doisift_core::{Rejection, Tally};
use doisift_known::IndexSource;

use crate::counts::Counts;
use crate::error::Error;
use crate::options::ReportedOptions;
use crate::records::IndexStatus;
use crate::task::{Ending, TaskReport};
use doisift_structure::Role;

/// Max errors that a report lists. Further ones are only counted.
const LISTED: usize = 1000;

/// Report of a scan. Serialises to the object that `doisift scan --report` writes.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ScanReport {
    /// Version of doisift.
    pub version: &'static str,
    pub(crate) options: ReportedOptions,
    /// Work of the interrupted run that this one continues: `parts` that are complete, in all outputs, `sources` that are finished,
    /// and `bytes_read` that need not be read again. The other counts include it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Counts>,
    /// Sources that were opened.
    pub sources: u64,
    /// Documents in these sources.
    pub documents: u64,
    /// Members of archives whose names were longer than 4,096 bytes and were cut.
    pub cut_names: u64,
    /// Bytes read from the sources, before unpacking.
    pub bytes_read: u64,
    /// Bytes of documents, unpacked.
    pub bytes_decoded: u64,
    /// Candidates: the sum of mentions, filtered mentions and rejections.
    pub candidates: u64,
    /// Accepted candidates, without those filtered out by their prefix.
    pub mentions: u64,
    /// Mentions filtered out by their prefix.
    pub filtered: u64,
    /// Refused candidates, for the [name](Rejection::name) of each reason.
    pub rejections: Counts,
    /// Rows that were written. If the rows are counts, the number of names that were counted.
    pub records: u64,
    /// Records that were written besides the rows. `None` if they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<u64>,
    /// Edges by role (`self`, `reference`, `other`), `asserted` references, and values of fields of records that are not of the
    /// types of their columns (`mistyped`); documents with `broken` structure. `None` if the rows are not edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<Counts>,
    /// The index of known names that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownReport>,
    /// Sorted runs of names that were written to disk because the memory budget was used up.
    pub runs: u64,
    /// Bytes of these runs.
    pub spilled_bytes: u64,
    /// Symbolic links below folders that were not followed.
    pub links: u64,
    /// Documents that are not text, by kind, such as `pdf`, in alphabetic order.
    pub skipped: Counts,
    /// Errors that lost input.
    pub errors: Losses,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

impl TaskReport for ScanReport {
    fn ending(&self) -> Ending {
        Ending::of_lost(self.errors.count)
    }

    fn options(&self) -> &ReportedOptions {
        &self.options
    }
}

/// Work of an interrupted run that a later run continues.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResumedWork {
    /// Complete parts of all outputs in parts.
    pub(crate) parts: u64,
    /// Sources that are finished.
    pub(crate) sources: u64,
}

impl ResumedWork {
    /// Returns the counts for a report. `bytes_read` need not be read again.
    pub(crate) fn counts(self, bytes_read: u64) -> Counts {
        Counts::of([
            ("parts", self.parts),
            ("sources", self.sources),
            ("bytes_read", bytes_read),
        ])
    }
}

/// The index of known names that a run asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct KnownReport {
    /// Number of names in the index.
    pub names: u64,
    /// Sources from which the index was built.
    pub sources: Vec<IndexSource>,
    /// Mentions whose end differs from the one that the rules alone would find. `None` if the run does not scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_changed: Option<u64>,
    /// Rows with a name that is `known`, `unknown` although others with its prefix are known, or `untold` since none with its
    /// prefix is, and rows with a `retracted` name. `None` if rows do not have these answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Counts>,
}

/// Answers of an index of known names, counted over rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct KnownCounts {
    /// Rows whose name is known.
    known: u64,
    /// Rows whose name is not known, although others with its prefix are.
    unknown: u64,
    /// Rows about whose name the index cannot tell, since it knows no name with its prefix.
    untold: u64,
    /// Rows whose name is retracted.
    retracted: u64,
}

impl KnownCounts {
    pub(crate) fn add(&mut self, index_status: IndexStatus<'_>) {
        let count = match index_status.known {
            Some(true) => &mut self.known,
            Some(false) => &mut self.unknown,
            None => &mut self.untold,
        };
        *count += 1;
        self.retracted += u64::from(index_status.retracted == Some(true));
    }

    /// Returns the counts for a report.
    pub(crate) fn counts(self) -> Counts {
        Counts::of([
            ("known", self.known),
            ("unknown", self.unknown),
            ("untold", self.untold),
            ("retracted", self.retracted),
        ])
    }
}

impl AddAssign for KnownCounts {
    fn add_assign(&mut self, other: KnownCounts) {
        self.known += other.known;
        self.unknown += other.unknown;
        self.untold += other.untold;
        self.retracted += other.retracted;
    }
}

/// Edges by role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct RoleCounts {
    /// Names of the records themselves.
    #[serde(rename = "self")]
    own: u64,
    /// Names in references, both asserted and mined.
    reference: u64,
    /// All other names.
    other: u64,
    /// Names in references in fields for identifiers.
    asserted: u64,
}

impl RoleCounts {
    pub(crate) fn add(&mut self, role: Role, asserted: bool) {
        match role {
            Role::Own => self.own += 1,
            Role::Reference => self.reference += 1,
            _ => self.other += 1,
        }
        self.asserted += u64::from(asserted && role == Role::Reference);
    }
}

impl AddAssign for RoleCounts {
    fn add_assign(&mut self, other: RoleCounts) {
        self.own += other.own;
        self.reference += other.reference;
        self.other += other.other;
        self.asserted += other.asserted;
    }
}

/// Errors that lost input: their number, and the first of them in source order.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Losses {
    /// The number of all errors, listed or not.
    pub count: u64,
    /// The first 1,000 of them.
    pub list: BTreeSet<Loss>,
}

/// One error that lost input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Loss {
    /// Name of the source.
    pub source: Option<String>,
    /// Name of the document, if it has one.
    pub document: Option<String>,
    /// Offset in the decoded bytes of the document. `None` if it was not opened.
    pub offset: Option<u64>,
    /// The error message.
    pub message: String,
}

impl Losses {
    /// Counts an error, and lists it if it is among the first.
    pub(crate) fn add(&mut self, error: &Error) {
        self.count += 1;
        self.list.insert(Loss {
            source: error.source_name().map(str::to_owned),
            document: error.document_name().map(str::to_owned),
            offset: error.offset(),
            message: error.cause().to_string(),
        });
        if self.list.len() > LISTED {
            self.list.pop_last();
        }
    }

    /// Adds the errors of another part of the run.
    pub(crate) fn unite(&mut self, other: Losses) {
        self.count += other.count;
        self.list.extend(other.list);
        while self.list.len() > LISTED {
            self.list.pop_last();
        }
    }
}

/// The counters that each part of a run adds to the report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScanCounts {
    pub(crate) sources: u64,
    pub(crate) documents: u64,
    pub(crate) cut_names: u64,
    pub(crate) bytes_decoded: u64,
    /// Mentions in the tally that were filtered out by their prefix.
    pub(crate) filtered: u64,
    pub(crate) tally: Tally,
    /// Mentions by role, if rows have roles.
    pub(crate) roles: RoleCounts,
    /// Documents whose structure is broken.
    pub(crate) broken: u64,
    /// Values of fields of records that are not of the types of their columns.
    pub(crate) mistyped: u64,
}

impl ScanCounts {
    /// Counts a source that is one document, or nothing if it is counted elsewhere.
    pub(crate) fn of_text(is_counted: bool) -> Self {
        let counted = u64::from(is_counted);
        ScanCounts {
            sources: counted,
            documents: counted,
            ..ScanCounts::default()
        }
    }

    /// Returns the number of mentions that were not filtered out.
    pub(crate) fn mentions(&self) -> u64 {
        self.tally.mentions - self.filtered
    }
}

impl Add for ScanCounts {
    type Output = ScanCounts;

    fn add(mut self, other: ScanCounts) -> ScanCounts {
        self += other;
        self
    }
}

impl AddAssign for ScanCounts {
    fn add_assign(&mut self, other: ScanCounts) {
        self.sources += other.sources;
        self.documents += other.documents;
        self.cut_names += other.cut_names;
        self.bytes_decoded += other.bytes_decoded;
        self.filtered += other.filtered;
        self.tally += other.tally;
        self.roles += other.roles;
        self.broken += other.broken;
        self.mistyped += other.mistyped;
    }
}

impl ScanReport {
    /// Makes a report with these options, counters and errors. All other counts are 0.
    pub(crate) fn new(options: ReportedOptions, counts: ScanCounts, errors: Losses) -> Self {
        ScanReport {
            version: env!("CARGO_PKG_VERSION"),
            resumed: None,
            sources: counts.sources,
            documents: counts.documents,
            cut_names: counts.cut_names,
            bytes_read: 0,
            bytes_decoded: counts.bytes_decoded,
            candidates: counts.tally.candidates,
            mentions: counts.mentions(),
            filtered: counts.filtered,
            rejections: rejections(&counts.tally),
            edges: None,
            options,
            records: 0,
            names: None,
            known: None,
            runs: 0,
            spilled_bytes: 0,
            links: 0,
            skipped: Counts::default(),
            errors,
            seconds: 0.0,
        }
    }
}

fn rejections(tally: &Tally) -> Counts {
    let reasons = Rejection::ALL.iter();
    Counts::of(reasons.map(|&reason| (reason.name(), tally.rejected(reason))))
}

/// Returns the counts of edges by role, and of what was lost of them.
pub(crate) fn edges(counts: &ScanCounts) -> Counts {
    let RoleCounts {
        own,
        reference,
        other,
        asserted,
    } = counts.roles;
    Counts::of([
        ("self", own),
        ("reference", reference),
        ("other", other),
        ("asserted", asserted),
        ("broken", counts.broken),
        ("mistyped", counts.mistyped),
    ])
}
