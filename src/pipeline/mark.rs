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

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::checkpoint::Done;
use super::options::ScanOptions;
use super::sink::Sink;
use super::state::SharedScan;
use crate::error::Error;
use crate::report::KnownCounts;

/// Number of marks in the amount of text after which a part ends.
const MARKS: u64 = 16;
/// Bytes of text between two marks in a source, if parts do not end after an amount of text.
const STEP: u64 = 128 << 20;
/// The mark after a source is fixed if the source has at least this many bytes, or its number is a multiple of this many sources.
/// Small sources are read together.
const SOURCES: (u64, u32) = (1 << 20, 64);

/// A place in the sources at which reading can resume. All sources before its source are finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// The number of the source in source order.
    pub(super) source: u32,
    /// Documents of the source that were read. None of them is read again.
    pub(super) document: u64,
    /// The ordinal of the next document. It exceeds `document` if lines or rows are documents.
    pub(super) ordinal: u64,
    /// The offset in the next document. All anchors before it were decided.
    pub(super) offset: u64,
    /// Whether a part may end there.
    pub(super) is_fixed: bool,
}

/// The place of a finding while sources were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadPlace {
    pub(super) source: u32,
    pub(super) document: ReadDocument,
}

/// The place of a finding in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadDocument {
    /// Documents whose reading had begun.
    Begun(u64),
    /// The ordinal of the document that has the finding.
    Ordinal(u64),
}

/// The rows that were written before a mark.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct MarkedRows {
    pub(super) mark: Mark,
    /// The number of rows.
    pub(super) rows: u64,
    /// The number of rows of records of documents.
    pub(super) nodes: u64,
    /// Counts of an index's answers about their names.
    pub(super) standings: KnownCounts,
}

/// Follows the rows that are written. Ends parts at marks, and writes a checkpoint when a part is complete.
pub(super) struct RowProgress<'r> {
    run: &'r SharedScan<'r>,
    /// Bytes of text between two marks.
    step: u64,
    /// For each mark at which a later run may resume, the rows and the work before it. `None` if there are no checkpoints.
    /// Complete parts have all rows before the first mark.
    marks: Option<Vec<(MarkedRows, Done)>>,
    /// Number of complete parts.
    parts: usize,
}

impl Mark {
    /// Returns the mark after a source. `size` is its size in bytes; `None` if it is not a file.
    pub(super) fn after(source: u32, size: Option<u64>) -> Self {
        let (large, few) = SOURCES;
        Mark {
            source: source + 1,
            is_fixed: size.is_none_or(|size| size >= large) || (source + 1).is_multiple_of(few),
            ..Mark::default()
        }
    }

    /// Returns the mark before the document number `document` of a source, whose ordinal is `ordinal`.
    pub(super) fn before(source: u32, document: u64, ordinal: u64) -> Self {
        Mark {
            source,
            document,
            ordinal,
            offset: 0,
            is_fixed: true,
        }
    }

    /// Returns a mark in the document that follows this mark.
    pub(super) fn within(self, offset: u64) -> Self {
        Mark {
            offset,
            is_fixed: false,
            ..self
        }
    }

    /// Whether a part of its source was read.
    pub(super) fn is_within(&self) -> bool {
        self.document > 0 || self.offset > 0
    }

    /// Whether a finding at `place` is before the mark, so that a run that resumes there does not find it again.
    pub(super) fn is_after(&self, place: ReadPlace) -> bool {
        let is_before = match place.document {
            ReadDocument::Begun(begun) => self.is_within() && begun <= self.document,
            ReadDocument::Ordinal(ordinal) => ordinal < self.ordinal,
        };
        place.source < self.source || place.source == self.source && is_before
    }
}

impl<'r> RowProgress<'r> {
    /// Starts to follow the rows. Returns `None` if the run makes no marks.
    pub(super) fn new(run: &'r SharedScan<'r>, sink: &Sink<'_>) -> Option<Self> {
        let at = run.resumed().map(|resumed| resumed.at.clone());
        let first = || vec![done_at(run, at.unwrap_or_default())];
        run.marks.map(|step| RowProgress {
            run,
            step,
            marks: run.checkpoints_rows().then(first),
            parts: sink.parts(),
        })
    }

    /// Called after rows were written. If `mark` is given, all rows before it are written.
    ///
    /// # Errors
    /// If a part cannot be ended or written to disk, or a checkpoint cannot be written.
    pub(super) fn written(&mut self, mark: Option<Mark>, sink: &mut Sink<'_>) -> Result<(), Error> {
        if sink.parts() > self.parts {
            self.checkpoint(sink)?;
        }
        mark.map_or(Ok(()), |mark| self.reach(mark, sink))
    }

    fn reach(&mut self, mark: Mark, sink: &mut Sink<'_>) -> Result<(), Error> {
        self.run.ledger.reach(mark);
        if let Some(marks) = &mut self.marks {
            push(marks, done_at(self.run, sink.marked(mark)), self.step);
        }
        match mark.is_fixed && sink.reach(self.run.ledger.text())? {
            true => self.checkpoint(sink),
            false => Ok(()),
        }
    }

    /// Writes a checkpoint of the complete parts, if one is due. Its mark is the last one before which they have all rows.
    fn checkpoint(&mut self, sink: &mut Sink<'_>) -> Result<(), Error> {
        let (Some(marks), Some(checkpoint)) = (&mut self.marks, &self.run.checkpoint) else {
            return Ok(());
        };
        if !checkpoint.is_due_for_rows() {
            return Ok(());
        }
        self.parts = sink.parts();
        let since = Instant::now();
        sink.sync()?;
        let last = marks.iter().rposition(|(at, _)| sink.has_all_before(at));
        marks.drain(..last.unwrap_or(0));
        marks.first().map_or(Ok(()), |(at, done)| {
            checkpoint.write_rows(since, done.clone(), sink.done(at))
        })
    }
}

/// Adds a mark. The last mark so far is dropped if it is within a `step` of text after the one before it, so that their number
/// stays small.
fn push(marks: &mut Vec<(MarkedRows, Done)>, mark: (MarkedRows, Done), step: u64) {
    if let [.., (_, before), (_, last)] = &**marks
        && last.counts.bytes_decoded - before.counts.bytes_decoded < step
    {
        marks.pop();
    }
    marks.push(mark);
}

/// Returns the bytes of text between two marks in a source. `None` if marks are not needed, since no rows in the order of sources
/// are in parts.
pub(super) fn step(options: &ScanOptions) -> Option<u64> {
    let nodes = options.nodes_to.as_ref();
    let plans = [
        options.parts.as_ref(),
        nodes.and_then(|nodes| nodes.parts.as_ref()),
    ];
    let plans = plans.into_iter().flatten();
    let steps = plans.map(|plan| plan.size.text().map_or(STEP, |text| text / MARKS));
    steps.min().filter(|_| options.selection.writes_mentions())
}

fn done_at(run: &SharedScan<'_>, at: MarkedRows) -> (MarkedRows, Done) {
    let done = run.ledger.done(at.mark.source as usize);
    (at, done)
}
