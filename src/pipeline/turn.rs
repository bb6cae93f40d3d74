//! Sources one after another on one thread: read, unpacked and scanned in turn.

use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use super::kind::KnownText;
use super::notice::Gain;
use super::rows::Rows;
use super::sink::Sink;
use super::state::{Named, Run};
use super::worker::{Line, Lines, SharedLines, Worker};
use crate::error::Error;
use crate::input::{Cutter, Documents, InputError, Remark, Sliding};

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
        if run.is_checkpoint_due() {
            turn.checkpoint();
        }
        run.start(&source);
        turn.source(ordinal, &mut |rows| {
            if let Err(error) = rows.write(sink) {
                run.fail(Error::output(error));
            }
        });
    }
    turn.checkpoint();
}

impl<'r> Turn<'r> {
    pub(super) fn new(run: &'r Run<'r>) -> Self {
        Turn {
            run,
            worker: Worker::new(run),
            sliding: Worker::sliding(run),
        }
    }

    /// Hands over all that was found, and makes a checkpoint if the run has any.
    fn checkpoint(&mut self) {
        let since = Instant::now();
        self.worker.settle();
        self.run.checkpoint(since);
    }

    /// Takes all documents of a source, and calls `after` with the mentions of each chunk, where these are kept.
    pub(super) fn source(&mut self, ordinal: u32, after: &mut dyn FnMut(&mut Rows)) {
        let run = self.run;
        let Some(source) = run.sources.get(ordinal as usize) else {
            return;
        };
        let named = run.named(ordinal);
        let mut reading = Reading {
            turn: self,
            named: &named,
            gain: Gain::default(),
            after,
        };
        let read = run.opening(None).read(&source, &mut reading);
        let gain = reading.gain;
        run.note_pipe_end(&source);
        match read {
            Ok(read) => {
                self.worker.counts().sources += u64::from(read);
                self.worker.counts().documents += gain.documents;
                if read {
                    run.end_source(&named, &gain);
                }
            }
            Err(error) => run.lose(named.name, None, error),
        }
    }
}

/// A source that is read in turn.
struct Reading<'t, 'r> {
    turn: &'t mut Turn<'r>,
    named: &'t Named,
    gain: Gain,
    after: &'t mut dyn FnMut(&mut Rows),
}

impl Reading<'_, '_> {
    /// Scans a document to its end or to damage.
    fn stretch(
        &mut self,
        cutter: &mut Cutter,
        bytes: &mut dyn Read,
        text: &Lines,
        line: &mut Line,
    ) {
        let Turn {
            run,
            worker,
            sliding,
        } = &mut *self.turn;
        sliding.start(cutter.end());
        worker.set_kind(text.kind());
        while let Some(chunk) = sliding.next(cutter, bytes) {
            if run.options.lines {
                *line = worker.scan_lines(&chunk, text, *line, &SharedLines::default());
            } else {
                worker.scan(&chunk, text.whole());
            }
            (self.after)(worker.rows());
            if run.is_halted() {
                break;
            }
        }
    }
}

impl Documents for Reading<'_, '_> {
    /// Takes one document, or one for each of its lines.
    fn document(&mut self, name: Option<Arc<str>>, bytes: &mut dyn Read) {
        let mut cutter = Cutter::new(self.turn.run.reach);
        let KnownText { kind, mut bytes } = KnownText::new(self.turn.run.options, bytes);
        let text = Lines::new(self.named, self.gain.documents, name.clone(), kind);
        let mut line = Line::default();
        loop {
            self.stretch(&mut cutter, &mut bytes, &text, &mut line);
            let Some((offset, error)) = cutter.take_damage() else {
                break;
            };
            self.lose(name.clone(), offset, error);
            if self.is_halted() {
                break;
            }
        }
        self.gain.documents += match self.turn.run.options.lines {
            true => self.turn.worker.end_lines(&text, line, cutter.end()),
            false => self.turn.worker.end(text.whole()),
        };
    }

    fn lose(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        let source = Arc::clone(&self.named.name);
        self.gain.is_told = true;
        self.turn.run.lose(source, Some((name, offset)), error);
    }

    fn cut(&mut self, count: u64) {
        self.turn.run.cut(&self.named.name, count);
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        let run = self.turn.run;
        self.gain.skip(kind);
        run.skip(&self.named.name, name.as_deref(), kind);
    }

    fn remark(&mut self, name: Option<Arc<str>>, remark: Remark) {
        let run = self.turn.run;
        self.gain.is_told |= run.remark(self.named, name.as_deref(), remark);
    }

    fn is_halted(&self) -> bool {
        self.turn.run.is_halted()
    }
}
