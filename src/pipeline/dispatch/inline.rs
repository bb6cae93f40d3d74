//! Scans all sources on the caller's thread, one after another.

use super::source_scanner::SourceScanner;
use crate::pipeline::checkpoint::Mark;
use crate::pipeline::rows::{RowProgress, Sink};
use crate::pipeline::scanning::ChunkScanner;
use crate::pipeline::shared_scan::SharedScan;

/// Reads and scans all sources.
pub(crate) fn scan_inline(scan: &SharedScan<'_>, sink: &mut Sink<'_>) {
    let mut scanner = SourceScanner::new(scan);
    let mut progress = RowProgress::new(scan, sink);
    for (ordinal, source) in scan.each_source() {
        if scan.is_checkpoint_due() {
            scanner.checkpoint();
        }
        scan.start(&source);
        scanner.source(ordinal, &source, None, &mut |chunk_scanner, mark| {
            write(scan, chunk_scanner, mark, sink, &mut progress);
        });
        if progress.is_some() {
            let mark = Some(scan.mark_after(ordinal));
            write(scan, &mut scanner.chunk_scanner, mark, sink, &mut progress);
        }
    }
    scanner.checkpoint();
}

/// Writes the rows that a worker found before a mark, or before its next chunk.
fn write(
    scan: &SharedScan<'_>,
    chunk_scanner: &mut ChunkScanner<'_>,
    mark: Option<Mark>,
    sink: &mut Sink<'_>,
    progress: &mut Option<RowProgress<'_>>,
) {
    // Runs that write no mentions have no rows here.
    if chunk_scanner.has_rows() {
        let made = chunk_scanner.make_rows();
        let written = made.and_then(|rows| {
            scan.ledger.count(rows.counts);
            sink.write(rows, &scan.maker)
        });
        if let Err(error) = written {
            return scan.ledger.fail(error);
        }
    }
    let Some(progress) = progress.as_mut().filter(|_| !scan.ledger.is_halted()) else {
        return;
    };
    if mark.is_some() {
        chunk_scanner.settle();
    }
    if let Err(error) = progress.written(mark, sink) {
        scan.ledger.fail(error);
    }
}
