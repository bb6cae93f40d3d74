//! Reads, unpacks and scans sources one after another on one thread.

use std::time::Instant;

use doisift_documents::{ChunkBuffer, ChunkCutter, ReadBytes, Source, UnpackThreads};

use crate::pipeline::checkpoint::Mark;
use crate::pipeline::reading::{GateRole, Scans, read_source};
use crate::pipeline::scanning::{SharedLines, TableRows, TextLine, TextLines, Worker, kind};
use crate::pipeline::shared_scan::SharedScan;

/// A worker that also reads sources.
pub(crate) struct Turn<'r> {
    pub(crate) run: &'r SharedScan<'r>,
    pub(crate) worker: Worker<'r>,
    pub(crate) sliding: ChunkBuffer,
}

impl<'r> Turn<'r> {
    pub(crate) fn new(run: &'r SharedScan<'r>) -> Self {
        Turn {
            run,
            worker: Worker::new(run),
            sliding: Worker::sliding(run),
        }
    }

    /// Passes all mentions to the table, and writes a checkpoint if the run has any.
    pub(super) fn checkpoint(&mut self) {
        let since = Instant::now();
        self.worker.settle();
        self.run.checkpoint(since);
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
        let mut scans = InTurn { turn: self, after };
        let counts = read_source(
            scans.turn.run,
            (ordinal, source),
            unpackers,
            GateRole::Scanner,
            &mut scans,
        );
        *self.worker.counts() += counts;
    }
}

/// A function that is called after a chunk, and at a mark.
type AfterChunk<'t, 'r> = &'t mut dyn FnMut(&mut Worker<'r>, Option<Mark>);

/// Scans documents on the thread that reads them.
struct InTurn<'t, 'r> {
    turn: &'t mut Turn<'r>,
    after: AfterChunk<'t, 'r>,
}

impl InTurn<'_, '_> {
    /// Scans a document up to its end or to damage.
    fn stretch(
        &mut self,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        text: &TextLines,
        line: &mut TextLine,
    ) {
        let Turn {
            run,
            worker,
            sliding,
        } = &mut *self.turn;
        let reading = &run.plan.options.reading;
        worker.set_kind(text.kind());
        while let Some(chunk) = sliding.next_chunk(cutter, bytes) {
            let mark = text.mark_at(chunk.offset + chunk.range.end as u64);
            if reading.lines {
                *line = worker.scan_lines(&chunk, text, *line, &SharedLines::default());
            } else {
                worker.scan(&chunk, text.whole());
            }
            (self.after)(worker, mark);
            if run.ledger.is_halted() {
                break;
            }
        }
    }
}

impl Scans for InTurn<'_, '_> {
    fn document(
        &mut self,
        mut text: TextLines,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        goes_on: &mut dyn FnMut(&mut ChunkCutter) -> bool,
    ) -> u64 {
        let run = self.turn.run;
        let options = run.plan.options;
        let sliding = &mut self.turn.sliding;
        sliding.start(0);
        let head = sliding.head(cutter, bytes, kind::head(options));
        text.set_kind(kind::of(options, head));
        let mut line = TextLine::default();
        loop {
            self.stretch(cutter, bytes, &text, &mut line);
            if !goes_on(cutter) {
                break;
            }
            self.turn.sliding.start(cutter.bytes_read());
        }
        let worker = &mut self.turn.worker;
        let documents = if options.reading.lines {
            worker.end_lines(&text, line, cutter.bytes_read())
        } else {
            worker.end(text.whole())
        };
        // The end of a document decides the last rows.
        (self.after)(worker, None);
        documents
    }

    fn cells(&mut self, rows: TableRows) {
        let worker = &mut self.turn.worker;
        worker.scan_cells(&rows);
        (self.after)(worker, None);
    }

    fn mark(&mut self, mark: Mark, documents: u64) {
        let worker = &mut self.turn.worker;
        worker.counts().documents += documents;
        (self.after)(worker, Some(mark));
    }
}
