//! Starts the threads of a scan, and waits for them.

use std::sync::Mutex;

use super::crew::ScanCrew;
use super::dispatcher::Dispatcher;
use super::source_scanner::Turn;
use crate::error::Error;
use crate::pipeline::rows::{MadeRows, RowProgress, Sink};
use crate::pipeline::shared_scan::SharedScan;
use crate::task::{Crew, Delivery, PiecePlace, with_threads, write_in_order};

/// Reads and scans all sources on several threads.
///
/// # Errors
/// If a thread cannot be started.
pub(crate) fn scan_on_threads(run: &SharedScan<'_>, sink: &mut Sink<'_>) -> Result<(), Error> {
    if !run.plan.options.selection.writes_mentions() {
        return share_out(run, None);
    }
    let mut progress = RowProgress::new(run, sink);
    let write = |place: PiecePlace, rows: Option<MadeRows>| {
        let next = place.after(rows.is_none());
        if let Some(rows) = rows {
            write_piece(run, rows, sink, &mut progress);
        }
        run.backlog.note_written(next);
    };
    let stop = || run.ledger.stop();
    write_in_order(write, &stop, |delivery| share_out(run, Some(delivery)))
}

fn share_out(run: &SharedScan<'_>, delivery: Option<Delivery<MadeRows>>) -> Result<(), Error> {
    let workers = (0..run.plan.shares.threads).map(|_| Mutex::new(Turn::new(run)));
    let crew = ScanCrew {
        run,
        workers: workers.collect(),
        delivery,
    };
    let stop = || run.ledger.stop();
    with_threads(&stop, |threads| {
        let scanners = Crew::new(threads, "scan");
        let mut workers = crew.workers.iter();
        workers.try_for_each(|worker| scanners.start(worker))?;
        Dispatcher::new(&crew, scanners, Crew::new(threads, "feed")).run();
        Ok::<_, Error>(())
    })?;
    crew.settle();
    Ok(())
}

/// Writes the rows of a piece, and adds its counts. Drops both after a failure.
fn write_piece(
    run: &SharedScan<'_>,
    piece: MadeRows,
    sink: &mut Sink<'_>,
    progress: &mut Option<RowProgress<'_>>,
) {
    run.backlog.remove(piece.bytes);
    if run.ledger.is_halted() {
        return;
    }
    let (counts, mark) = (piece.counts, piece.mark);
    let mut written = sink.write(piece, &run.maker);
    run.ledger.count(counts);
    if let (Some(progress), Ok(())) = (progress, &written) {
        written = progress.written(mark, sink);
    }
    if let Err(error) = written {
        run.ledger.fail(error);
    }
}
