//! Sources one after another on one thread: read, unpacked and scanned in turn.

use std::io::Read;
use std::sync::Arc;

use super::order::Rows;
use super::run::{Named, Run, Sink};
use super::worker::{Line, SharedLines, Worker};
use crate::dedup::Document;
use crate::error::Error;
use crate::input::{Cutter, Sliding, Source, open};

/// A worker that also reads.
pub(super) struct Turn<'r> {
    run: &'r Run<'r>,
    pub(super) worker: Worker<'r>,
    pub(super) sliding: Sliding,
}

/// Takes all sources in turn.
pub(super) fn run(run: &Run<'_>, sink: &mut Sink) {
    let mut turn = Turn::new(run);
    for (ordinal, source) in run.each_source() {
        turn.source(ordinal, source, &mut |rows| {
            if let Err(error) = rows.write(sink) {
                run.fail(Error::output(error));
            }
        });
    }
    turn.worker.finish();
}

impl<'r> Turn<'r> {
    pub(super) fn new(run: &'r Run<'r>) -> Self {
        Turn {
            run,
            worker: Worker::new(run),
            sliding: Worker::sliding(run),
        }
    }

    /// Takes all documents of a source, and calls `after` with the mentions of each chunk, where these are kept.
    pub(super) fn source(
        &mut self,
        ordinal: u32,
        source: &Source,
        after: &mut dyn FnMut(&mut Rows),
    ) {
        let named = self.run.named(ordinal);
        let mut container = match open(source, self.run.seen()) {
            Ok(Some(container)) => container,
            Ok(None) => return,
            Err(error) => return self.run.lose(named.name, None, error),
        };
        self.worker.counts().sources += 1;
        let mut documents = 0;
        loop {
            match container.next() {
                Ok(Some(mut member)) => {
                    let document = named.document(documents, member.name);
                    documents += self.document(&named, &document, &mut *member.bytes, after);
                }
                Ok(None) => break,
                Err(error) => {
                    self.run.lose(Arc::clone(&named.name), None, error.into());
                    break;
                }
            }
        }
        self.worker.counts().documents += documents;
    }

    /// Takes one document, or one for each of its lines. Returns how many.
    fn document(
        &mut self,
        source: &Named,
        document: &Document,
        bytes: &mut dyn Read,
        after: &mut dyn FnMut(&mut Rows),
    ) -> u64 {
        let mut cutter = Cutter::new(self.run.reach);
        let alone = SharedLines::default();
        let mut line = Line::default();
        self.sliding.start(0);
        while let Some(chunk) = self.sliding.next(&mut cutter, bytes) {
            if self.run.options.lines {
                line = self.worker.scan_lines(&chunk, source, line, &alone);
            } else {
                self.worker.scan(&chunk, document);
            }
            after(self.worker.rows());
            if self.run.is_halted() {
                break;
            }
        }
        let end = cutter.end();
        if let Some(error) = cutter.into_damage() {
            self.run.lose(
                Arc::clone(&source.name),
                Some((document.name.clone(), end)),
                error,
            );
        }
        if self.run.options.lines {
            self.worker.end_line(source, line, &alone);
            return line.count(end);
        }
        self.worker.end(document);
        1
    }
}
