//! Cleans batches on all threads, and writes them in their order.
//!
//! The caller's thread reads. With one thread it does everything in turn. With more, plain threads clean batches and one more
//! writes them. The number of batches is fixed, so memory is too: a written batch is filled again.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use super::batch::RowBuffer;
use super::settings::NormalizeSettings;
use super::sink::ColumnSink;
use super::worker::ColumnWorker;
use crate::error::{Error, ErrorKind};
use crate::lock::lock;

/// Takes batches from the thread that reads.
pub(super) trait Hands {
    /// An empty batch; none if the run is over, because writing failed.
    fn fresh(&mut self) -> Option<RowBuffer>;

    /// Has a batch cleaned and written.
    fn pass(&mut self, batch: RowBuffer);
}

/// Calls `read`, and cleans and writes the batches that it passes on. Returns the sink, and what `read` returned.
pub(super) fn run<T>(
    settings: &NormalizeSettings,
    sink: ColumnSink,
    read: impl FnOnce(&mut dyn Hands) -> Result<T, Error>,
) -> Result<(ColumnSink, T), Error> {
    match settings.threads {
        0 | 1 => {
            let mut alone = Alone {
                worker: ColumnWorker::new(settings),
                sink,
                free: vec![RowBuffer::default(), RowBuffer::default()],
                failure: None,
            };
            let read = read(&mut alone);
            match alone.failure {
                Some(error) => Err(error),
                None => Ok((alone.sink, read?)),
            }
        }
        threads => many(settings, threads, sink, read),
    }
}

/// Everything on one thread.
struct Alone {
    worker: ColumnWorker,
    sink: ColumnSink,
    free: Vec<RowBuffer>,
    failure: Option<Error>,
}

impl Hands for Alone {
    fn fresh(&mut self) -> Option<RowBuffer> {
        match self.failure {
            None => self.free.pop(),
            Some(_) => None,
        }
    }

    fn pass(&mut self, mut batch: RowBuffer) {
        self.worker.clean(&mut batch);
        if self.failure.is_none() {
            self.failure = self.sink.write(&mut batch).err();
        }
        batch.clear();
        self.free.push(batch);
    }
}

/// The payload of a panic.
type Panic = Box<dyn Any + Send>;

/// The reader's ends of the channels.
struct Many {
    work: Sender<RowBuffer>,
    free: Receiver<RowBuffer>,
}

impl Hands for Many {
    fn fresh(&mut self) -> Option<RowBuffer> {
        self.free.recv().ok()
    }

    fn pass(&mut self, batch: RowBuffer) {
        // If all workers have ended, the next call of `fresh` returns none.
        let _ = self.work.send(batch);
    }
}

fn many<T>(
    settings: &NormalizeSettings,
    threads: usize,
    sink: ColumnSink,
    read: impl FnOnce(&mut dyn Hands) -> Result<T, Error>,
) -> Result<(ColumnSink, T), Error> {
    let (work, waiting) = mpsc::channel();
    let (done, cleaned) = mpsc::channel();
    let (give_back, free) = mpsc::channel();
    for _ in 0..2 * threads + 2 {
        // The receiver is still there.
        let _ = give_back.send(RowBuffer::default());
    }
    let waiting = Arc::new(Mutex::new(waiting));
    thread::scope(|scope| {
        for number in 0..threads {
            let (waiting, done) = (Arc::clone(&waiting), done.clone());
            let worker = ColumnWorker::new(settings);
            thread::Builder::new()
                .name(format!("clean-{number}"))
                .spawn_scoped(scope, move || clean(worker, &waiting, &done))
                .map_err(|error| Error::new(ErrorKind::Threads(error)))?;
        }
        drop((done, waiting));
        let writer = thread::Builder::new()
            .name("write".into())
            .spawn_scoped(scope, move || write(sink, &cleaned, &give_back))
            .map_err(|error| Error::new(ErrorKind::Threads(error)))?;
        let mut hands = Many { work, free };
        let read = read(&mut hands);
        drop(hands);
        match writer.join().unwrap_or_else(|panic| Err(Ok(panic))) {
            Ok(sink) => Ok((sink, read?)),
            Err(Err(error)) => Err(error),
            Err(Ok(panic)) => resume_unwind(panic),
        }
    })
}

/// Cleans batches until there are no more, and passes on each, or the panic that one caused.
fn clean(
    mut worker: ColumnWorker,
    waiting: &Mutex<Receiver<RowBuffer>>,
    done: &Sender<Result<RowBuffer, Panic>>,
) {
    loop {
        let batch = lock(waiting).recv();
        let Ok(mut batch) = batch else { return };
        let cleaned = catch_unwind(AssertUnwindSafe(|| {
            worker.clean(&mut batch);
            batch
        }));
        if done.send(cleaned).is_err() {
            return;
        }
    }
}

/// Writes batches in their order, and gives them back, until there are no more, one has failed or a worker panicked.
fn write(
    mut sink: ColumnSink,
    cleaned: &Receiver<Result<RowBuffer, Panic>>,
    give_back: &Sender<RowBuffer>,
) -> Result<ColumnSink, Result<Panic, Error>> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for batch in cleaned {
        let batch = batch.map_err(Ok)?;
        early.insert(batch.number, batch);
        while let Some(mut batch) = early.remove(&next) {
            next += 1;
            sink.write(&mut batch).map_err(Err)?;
            batch.clear();
            // If the reader has ended, no batch is needed any more.
            let _ = give_back.send(batch);
        }
    }
    Ok(sink)
}
