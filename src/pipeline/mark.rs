//! Marks: places in the sources at which reading can begin again.
//!
//! Rows are written in the order of sources. So a mark that is delivered with them, and the counts of all pieces before it, are all
//! that a later run needs to go on there. A mark is between two documents, or in a plain file that is read in ranges.

use serde::{Deserialize, Serialize};

use super::checkpoint::Done;
use super::sink::Sink;
use super::state::SharedScan;
use crate::report::KnownCounts;

/// A place in the sources at which reading can begin again. All sources before its source are finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// The number of the source in source order.
    pub(super) source: u32,
    /// Documents of the source that were read. None of them is read again.
    pub(super) document: u64,
    /// The ordinal of the next document, which is greater if lines or rows are documents.
    pub(super) ordinal: u64,
    /// The offset in a plain file that is read in ranges.
    pub(super) offset: u64,
}

/// The place of something that was found while sources were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReadPlace {
    pub(super) source: u32,
    /// Documents of the source whose reading had begun.
    pub(super) document: u64,
}

/// What was done before a mark.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct MarkedRows {
    pub(super) mark: Mark,
    /// The number of rows.
    pub(super) rows: u64,
    /// What an index said of their names.
    pub(super) standings: KnownCounts,
}

/// Follows the rows that are written, and writes a checkpoint when a part is complete.
pub(super) struct RowProgress<'r> {
    run: &'r SharedScan<'r>,
    /// What was written before the last mark, and all that was done before it.
    last: (MarkedRows, Done),
    /// Complete parts.
    parts: usize,
}

impl Mark {
    /// The mark after a source.
    pub(super) fn after(source: u32) -> Self {
        Mark {
            source: source + 1,
            ..Mark::default()
        }
    }

    /// A mark in a plain file.
    pub(super) fn within(source: u32, offset: u64) -> Self {
        Mark {
            source,
            offset,
            ..Mark::default()
        }
    }

    /// Whether some of its source was read.
    pub(super) fn is_within(&self) -> bool {
        self.document > 0 || self.offset > 0
    }

    /// Whether what was found at `place` is before the mark, and so is not found again by a run that goes on there.
    pub(super) fn is_after(&self, place: ReadPlace) -> bool {
        let is_before = place.document <= self.document && self.document > 0;
        place.source < self.source || place.source == self.source && is_before
    }
}

impl<'r> RowProgress<'r> {
    /// None if the run writes no checkpoints of rows.
    pub(super) fn new(run: &'r SharedScan<'r>, sink: &Sink<'_>) -> Option<Self> {
        let at = run.resumed().map(|resumed| resumed.at.clone());
        run.checkpoints_rows().then(|| RowProgress {
            run,
            last: done_at(run, at.unwrap_or_default()),
            parts: sink.parts().len(),
        })
    }

    /// Takes note that rows were written, after the last mark.
    pub(super) fn written(&mut self, sink: &Sink<'_>) {
        let parts = sink.parts();
        if parts.len() > self.parts {
            self.parts = parts.len();
            let (at, done) = &self.last;
            self.run.checkpoint_rows(at, done, parts);
        }
    }

    /// Takes note that all rows before a mark were written.
    pub(super) fn reach(&mut self, mark: Mark, sink: &Sink<'_>) {
        self.run.ledger.reach(mark);
        self.last = done_at(self.run, sink.marked(mark));
    }
}

fn done_at(run: &SharedScan<'_>, at: MarkedRows) -> (MarkedRows, Done) {
    let done = run.ledger.done(at.mark.source as usize);
    (at, done)
}
