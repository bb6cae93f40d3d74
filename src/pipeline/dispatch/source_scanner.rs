//! Reads, unpacks and scans sources one after another on one thread.

use std::time::Instant;

use doisift_documents::{ChunkBuffer, ChunkCutter, ReadBytes, Source, UnpackThreads};

use crate::pipeline::checkpoint::Mark;
use crate::pipeline::reading::{DocumentScanner, read_source};
use crate::pipeline::scanning::{ChunkScanner, SharedLines, SourceText, TableRows, TextLine, kind};
use crate::pipeline::shared_scan::SharedScan;
use crate::task::GateRole;

/// A worker that also reads sources.
pub(crate) struct SourceScanner<'r> {
    pub(crate) scan: &'r SharedScan<'r>,
    pub(crate) chunk_scanner: ChunkScanner<'r>,
    pub(crate) sliding: ChunkBuffer,
}

impl<'r> SourceScanner<'r> {
    pub(crate) fn new(scan: &'r SharedScan<'r>) -> Self {
        SourceScanner {
            scan,
            chunk_scanner: ChunkScanner::new(scan),
            sliding: ChunkScanner::sliding(scan),
        }
    }

    /// Passes all mentions to the table, and writes a checkpoint if the run has any.
    pub(super) fn checkpoint(&mut self) {
        let since = Instant::now();
        self.chunk_scanner.settle();
        self.scan.checkpoint(since);
    }

    /// Scans all documents of a source. If given, `unpackers` unpack it in parallel. Calls `after` after each chunk, to take the
    /// mentions that the worker holds, and at marks.
    pub(crate) fn source(
        &mut self,
        ordinal: u32,
        source: &Source,
        unpackers: Option<&UnpackThreads>,
        after: AfterChunk<'_, 'r>,
    ) {
        let mut inline_scan = InlineScan {
            scanner: self,
            after,
        };
        let counts = read_source(
            inline_scan.scanner.scan,
            (ordinal, source),
            unpackers,
            GateRole::Scanner,
            &mut inline_scan,
        );
        *self.chunk_scanner.counts() += counts;
    }
}

/// A function that is called after a chunk, and at a mark.
type AfterChunk<'t, 'r> = &'t mut dyn FnMut(&mut ChunkScanner<'r>, Option<Mark>);

/// Scans documents on the thread that reads them.
struct InlineScan<'t, 'r> {
    scanner: &'t mut SourceScanner<'r>,
    after: AfterChunk<'t, 'r>,
}

impl InlineScan<'_, '_> {
    /// Scans a document up to its end or to damage.
    fn scan_until_damage(
        &mut self,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        text: &SourceText,
        line: &mut TextLine,
    ) {
        let SourceScanner {
            scan,
            chunk_scanner,
            sliding,
        } = &mut *self.scanner;
        let reading = &scan.plan.options.reading;
        chunk_scanner.set_kind(text.kind());
        while let Some(chunk) = sliding.next_chunk(cutter, bytes) {
            let mark = text.mark_at(chunk.offset + chunk.range.end as u64);
            if reading.lines {
                *line = chunk_scanner.scan_lines(&chunk, text, *line, &SharedLines::default());
            } else {
                chunk_scanner.scan(&chunk, text.whole());
            }
            (self.after)(chunk_scanner, mark);
            if scan.ledger.is_halted() {
                break;
            }
        }
    }
}

impl DocumentScanner for InlineScan<'_, '_> {
    fn document(
        &mut self,
        mut text: SourceText,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        continue_after_damage: &mut dyn FnMut(&mut ChunkCutter) -> bool,
    ) -> u64 {
        let scan = self.scanner.scan;
        let options = scan.plan.options;
        let sliding = &mut self.scanner.sliding;
        sliding.start(0);
        let head = sliding.head(cutter, bytes, kind::head(options));
        text.set_kind(kind::of(options, head));
        let mut line = TextLine::default();
        loop {
            self.scan_until_damage(cutter, bytes, &text, &mut line);
            if !continue_after_damage(cutter) {
                break;
            }
            self.scanner.sliding.start(cutter.bytes_read());
        }
        let chunk_scanner = &mut self.scanner.chunk_scanner;
        let documents = if options.reading.lines {
            chunk_scanner.end_lines(&text, line, cutter.bytes_read())
        } else {
            chunk_scanner.end(text.whole())
        };
        // The end of a document decides the last rows.
        (self.after)(chunk_scanner, None);
        documents
    }

    fn cells(&mut self, rows: TableRows) {
        let chunk_scanner = &mut self.scanner.chunk_scanner;
        chunk_scanner.scan_rows(&rows);
        (self.after)(chunk_scanner, None);
    }

    fn mark(&mut self, mark: Mark, documents: u64) {
        let chunk_scanner = &mut self.scanner.chunk_scanner;
        chunk_scanner.counts().documents += documents;
        (self.after)(chunk_scanner, Some(mark));
    }
}
