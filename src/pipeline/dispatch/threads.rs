//! Starts the threads of a scan, and waits for them.

use std::sync::Mutex;

use super::crew::ScanCrew;
use super::dispatcher::Dispatcher;
use super::source_scanner::SourceScanner;
use crate::error::Error;
use crate::pipeline::rows::{ReadyRows, RowProgress, Sink};
use crate::pipeline::shared_scan::SharedScan;
use crate::task::{Crew, Delivery, PiecePlace, with_threads, write_in_order};

/// Reads and scans all sources on several threads.
///
/// # Errors
/// If a thread cannot be started.
pub(crate) fn scan_on_threads(scan: &SharedScan<'_>, sink: &mut Sink<'_>) -> Result<(), Error> {
    if !scan.plan.options.selection.writes_mentions() {
        return share_out(scan, None);
    }
    let mut progress = RowProgress::new(scan, sink);
    let write = |place: PiecePlace, rows: Option<ReadyRows>| {
        let next = place.after(rows.is_none());
        if let Some(rows) = rows {
            write_piece(scan, rows, sink, &mut progress);
        }
        scan.backlog.note_written(next);
    };
    let stop = || scan.ledger.stop();
    write_in_order(write, &stop, |delivery| share_out(scan, Some(delivery)))
}

fn share_out(scan: &SharedScan<'_>, delivery: Option<Delivery<ReadyRows>>) -> Result<(), Error> {
    let source_scanners =
        (0..scan.plan.shares.threads).map(|_| Mutex::new(SourceScanner::new(scan)));
    let crew = ScanCrew {
        scan,
        source_scanners: source_scanners.collect(),
        delivery,
    };
    let stop = || scan.ledger.stop();
    with_threads(&stop, |threads| {
        let scanners = Crew::new(threads, "scan");
        let mut source_scanners = crew.source_scanners.iter();
        source_scanners.try_for_each(|scanner| scanners.start(scanner))?;
        Dispatcher::new(&crew, scanners, Crew::new(threads, "feed")).run();
        Ok::<_, Error>(())
    })?;
    crew.settle();
    Ok(())
}

/// Writes the rows of a piece, and adds its counts. Drops both after a failure.
fn write_piece(
    scan: &SharedScan<'_>,
    piece: ReadyRows,
    sink: &mut Sink<'_>,
    progress: &mut Option<RowProgress<'_>>,
) {
    scan.backlog.remove(piece.bytes);
    if scan.ledger.is_halted() {
        return;
    }
    let (counts, mark) = (piece.counts, piece.mark);
    let mut written = sink.write(piece, &scan.maker);
    scan.ledger.count(counts);
    if let (Some(progress), Ok(())) = (progress, &written) {
        written = progress.written(mark, sink);
    }
    if let Err(error) = written {
        scan.ledger.fail(error);
    }
}
