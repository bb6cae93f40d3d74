//! Scans all sources on the caller's thread, one after another.

use super::source_scanner::Turn;
use crate::pipeline::checkpoint::Mark;
use crate::pipeline::rows::{RowProgress, Sink};
use crate::pipeline::scanning::Worker;
use crate::pipeline::shared_scan::SharedScan;

/// Reads and scans all sources.
pub(crate) fn scan_inline(run: &SharedScan<'_>, sink: &mut Sink<'_>) {
    let mut turn = Turn::new(run);
    let mut progress = RowProgress::new(run, sink);
    for (ordinal, source) in run.each_source() {
        if run.is_checkpoint_due() {
            turn.checkpoint();
        }
        run.start(&source);
        turn.source(ordinal, &source, None, &mut |worker, mark| {
            write(run, worker, mark, sink, &mut progress);
        });
        if progress.is_some() {
            let mark = Some(run.mark_after(ordinal));
            write(run, &mut turn.worker, mark, sink, &mut progress);
        }
    }
    turn.checkpoint();
}

/// Writes the rows that a worker found before a mark, or before its next chunk.
fn write(
    run: &SharedScan<'_>,
    worker: &mut Worker<'_>,
    mark: Option<Mark>,
    sink: &mut Sink<'_>,
    progress: &mut Option<RowProgress<'_>>,
) {
    // Runs that write no mentions have no rows here.
    if !worker.rows().is_empty() {
        let asked = worker.ask_index();
        let made = asked.and_then(|()| run.maker.make(worker.rows()));
        if let Err(error) = made.and_then(|rows| sink.write(rows, &run.maker)) {
            return run.ledger.fail(error);
        }
    }
    let Some(progress) = progress.as_mut().filter(|_| !run.ledger.is_halted()) else {
        return;
    };
    if mark.is_some() {
        worker.settle();
    }
    if let Err(error) = progress.written(mark, sink) {
        run.ledger.fail(error);
    }
}
