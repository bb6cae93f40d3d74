//! Follows the rows that are written in the order of sources: ends parts at marks, and writes checkpoints of complete parts.

use std::time::Instant;

use super::sink::Sink;
use crate::error::Error;
use crate::pipeline::checkpoint::{FinishedWork, Mark, MarkedRows};
use crate::pipeline::shared_scan::SharedScan;

/// Follows the rows that are written. Ends parts at marks, and writes a checkpoint when a part is complete.
pub(crate) struct RowProgress<'r> {
    scan: &'r SharedScan<'r>,
    /// Bytes of text between two marks.
    step: u64,
    /// For each mark at which a later run may resume, the rows and the work before it. `None` if there are no checkpoints.
    /// Complete parts have all rows before the first mark.
    marks: Option<Vec<(MarkedRows, FinishedWork)>>,
    /// Number of complete parts.
    parts: usize,
}

impl<'r> RowProgress<'r> {
    /// Starts to follow the rows. Returns `None` if the run makes no marks.
    pub(crate) fn new(scan: &'r SharedScan<'r>, sink: &Sink<'_>) -> Option<Self> {
        let at = scan.resumed().map(|resumed| resumed.at.clone());
        let first = || vec![done_at(scan, at.unwrap_or_default())];
        scan.marks.map(|step| RowProgress {
            scan,
            step,
            marks: scan.checkpoints_rows().then(first),
            parts: sink.parts(),
        })
    }

    /// Called after rows were written. If `mark` is given, all rows before it are written.
    ///
    /// # Errors
    /// If a part cannot be ended or written to disk, or a checkpoint cannot be written.
    pub(crate) fn written(&mut self, mark: Option<Mark>, sink: &mut Sink<'_>) -> Result<(), Error> {
        if sink.parts() > self.parts {
            self.checkpoint(sink)?;
        }
        mark.map_or(Ok(()), |mark| self.reach(mark, sink))
    }

    fn reach(&mut self, mark: Mark, sink: &mut Sink<'_>) -> Result<(), Error> {
        self.scan.ledger.reach(mark);
        if let Some(marks) = &mut self.marks {
            push(marks, done_at(self.scan, sink.marked(mark)), self.step);
        }
        match mark.is_fixed && sink.report_place(self.scan.ledger.text())? {
            true => self.checkpoint(sink),
            false => Ok(()),
        }
    }

    /// Writes a checkpoint of the complete parts, if one is due. Its mark is the last one before which they have all rows, and the
    /// runs all names.
    fn checkpoint(&mut self, sink: &mut Sink<'_>) -> Result<(), Error> {
        let (Some(marks), Some(checkpoint)) = (&mut self.marks, &self.scan.checkpoint) else {
            return Ok(());
        };
        if !checkpoint.is_due_for_rows() {
            return Ok(());
        }
        self.parts = sink.parts();
        let since = Instant::now();
        sink.sync()?;
        let last = marks.iter().rposition(|(at, _)| sink.has_all_before(at));
        let last = last.unwrap_or(0);
        let named = |(at, _): &(MarkedRows, _)| checkpoint.has_names_before(at.mark);
        let usable = marks[..=last].iter().rposition(named).unwrap_or(0);
        // Of the marks whose names are saved later, all at once, only the last will be used.
        marks.drain(last.min(usable + 1)..last);
        marks.drain(..usable);
        marks.first().map_or(Ok(()), |(at, done)| {
            checkpoint.write_rows(since, done.clone(), sink.done(at))
        })
    }
}

/// Adds a mark. The last mark so far is dropped if it is within a `step` of text after the one before it, so that their number
/// stays small.
fn push(marks: &mut Vec<(MarkedRows, FinishedWork)>, mark: (MarkedRows, FinishedWork), step: u64) {
    if let [.., (_, before), (_, last)] = &**marks
        && last.counts.bytes_decoded - before.counts.bytes_decoded < step
    {
        marks.pop();
    }
    marks.push(mark);
}

fn done_at(scan: &SharedScan<'_>, at: MarkedRows) -> (MarkedRows, FinishedWork) {
    let done = scan.ledger.done(at.mark.source as usize);
    (at, done)
}
