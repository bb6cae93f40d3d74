//! Marks: places in the sources at which reading can resume.
//!
//! Rows are written in the order of sources. So a later run can resume with a mark that is delivered with the rows, and the
//! counts of all pieces before it. A mark is a number of documents of a source, and an offset in the document after them. Every
//! way of reading skips the input before a mark, whatever way of reading made the mark: a resumed run may have other threads and
//! another budget, which decide how sources are read.
//!
//! A part may end at a fixed mark. Fixed marks depend on the sources alone: not on threads, chunks, or the start of a run. Parts
//! of edges and parts of the documents' records end at different marks. So a run resumes at a mark before the end of the last
//! part of both.

use serde::{Deserialize, Serialize};

use crate::pipeline::plan::ScanOptions;
use crate::report::KnownCounts;

/// Number of marks in the amount of text after which a part ends.
const MARKS_PER_PART: u64 = 16;
/// Bytes of text between two marks in a source, if parts do not end after an amount of text.
const MARK_STEP_BYTES: u64 = 128 << 20;
/// The mark after a source is fixed if the source has at least this many bytes, or its number is a multiple of this many sources.
/// Small sources are read together.
const MIN_FIXED_SOURCE_BYTES: u64 = 1 << 20;
const SOURCES_PER_FIXED_MARK: u32 = 64;

/// A place in the sources at which reading can resume. All sources before its source are finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// The number of the source in source order.
    pub(crate) source: u32,
    /// Documents of the source that were read. None of them is read again.
    pub(crate) document: u64,
    /// The ordinal of the next document. It exceeds `document` if lines or rows are documents.
    pub(crate) ordinal: u64,
    /// The offset in the next document. All anchors before it were decided.
    pub(crate) offset: u64,
    /// Whether a part may end there.
    pub(crate) is_fixed: bool,
}

/// The place of a finding while sources were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadPlace {
    pub(crate) source: u32,
    pub(crate) document: ReadDocument,
}

/// The place of a finding in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadDocument {
    /// Documents whose reading had begun.
    Begun(u64),
    /// The ordinal of the document that has the finding.
    Ordinal(u64),
}

/// The rows that were written before a mark.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MarkedRows {
    pub(crate) mark: Mark,
    /// The number of rows.
    pub(crate) rows: u64,
    /// The number of rows of records of documents.
    pub(crate) nodes: u64,
    /// Counts of an index's answers about their names.
    pub(crate) index_statuses: KnownCounts,
}

impl Mark {
    /// Returns the mark after a source. `size` is its size in bytes; `None` if it is not a file.
    pub(crate) fn after(source: u32, size: Option<u64>) -> Self {
        Mark {
            source: source + 1,
            is_fixed: size.is_none_or(|size| size >= MIN_FIXED_SOURCE_BYTES)
                || (source + 1).is_multiple_of(SOURCES_PER_FIXED_MARK),
            ..Mark::default()
        }
    }

    /// Returns the mark before the document number `document` of a source, whose ordinal is `ordinal`.
    pub(crate) fn before(source: u32, document: u64, ordinal: u64) -> Self {
        Mark {
            source,
            document,
            ordinal,
            offset: 0,
            is_fixed: true,
        }
    }

    /// Returns a mark in the document that follows this mark.
    pub(crate) fn within(self, offset: u64) -> Self {
        Mark {
            offset,
            is_fixed: false,
            ..self
        }
    }

    /// Whether a part of its source was read.
    pub(crate) fn is_within(&self) -> bool {
        self.document > 0 || self.offset > 0
    }

    /// Whether a finding at `place` is before the mark, so that a run that resumes there does not find it again.
    pub(crate) fn is_after(&self, place: ReadPlace) -> bool {
        let is_before = match place.document {
            ReadDocument::Begun(begun) => self.is_within() && begun <= self.document,
            ReadDocument::Ordinal(ordinal) => ordinal < self.ordinal,
        };
        place.source < self.source || place.source == self.source && is_before
    }
}

/// Returns the bytes of text between two marks in a source. `None` if marks are not needed, since no rows in the order of sources
/// are in parts.
pub(crate) fn mark_step(options: &ScanOptions) -> Option<u64> {
    let nodes = options.nodes_to.as_ref();
    let plans = [
        options.parts.as_ref(),
        nodes.and_then(|nodes| nodes.parts.as_ref()),
    ];
    let plans = plans.into_iter().flatten();
    let steps = plans.map(|plan| {
        plan.size
            .text()
            .map_or(MARK_STEP_BYTES, |text| text / MARKS_PER_PART)
    });
    steps.min().filter(|_| options.selection.writes_mentions())
}
