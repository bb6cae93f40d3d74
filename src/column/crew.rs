//! Cleans batches on all threads, and writes them in their order.
//!
//! The caller's thread reads. With one thread it does all work in turn. With more, a crew cleans batches and one more thread
//! writes them. The number of batches, and so the memory, is fixed: a written batch is filled again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::batch::RowBuffer;
use super::settings::CleanSettings;
use super::sink::ColumnSink;
use super::worker::ColumnWorker;
use crate::error::Error;
use crate::task::{Crew, PiecePlace, Ticket, Tickets, with_threads, write_in_order};

/// Passes batches from the reading thread to the crew.
pub(super) struct BatchSender<'h> {
    batches: Arc<Tickets<RowBuffer>>,
    /// Whether the run is over, because writing failed or a thread panicked.
    is_over: &'h AtomicBool,
    /// Passes a batch on to be cleaned and written.
    pass: &'h mut dyn FnMut(Ticket<RowBuffer>),
}

impl BatchSender<'_> {
    /// Returns an empty batch, or `None` if the run is over.
    pub(super) fn empty_batch(&mut self) -> Option<Ticket<RowBuffer>> {
        let is_over = self.is_over.load(Ordering::Relaxed);
        (!is_over).then(|| self.batches.take())
    }

    /// Passes a batch on to be cleaned and written.
    pub(super) fn pass(&mut self, batch: Ticket<RowBuffer>) {
        (self.pass)(batch);
    }
}

/// Calls `read`, and cleans and writes its batches. Returns the sink and the result of `read`.
pub(super) fn run<T>(
    settings: &CleanSettings,
    mut sink: ColumnSink,
    read: impl FnOnce(&mut BatchSender<'_>) -> Result<T, Error>,
) -> Result<(ColumnSink, T), Error> {
    let (mut failure, is_over) = (None, &AtomicBool::new(false));
    let mut write = |mut batch: Ticket<RowBuffer>| {
        if !is_over.load(Ordering::Relaxed) {
            failure = sink.write(&mut batch).err();
            is_over.fetch_or(failure.is_some(), Ordering::Relaxed);
        }
        batch.clear();
    };
    let read = if settings.threads > 1 {
        with_crew(settings, is_over, &mut write, read)
    } else {
        let mut worker = ColumnWorker::new(settings);
        read(&mut BatchSender {
            batches: Tickets::new(1),
            is_over,
            pass: &mut |mut batch| {
                worker.clean(&mut batch);
                write(batch);
            },
        })
    };
    match failure {
        Some(error) => Err(error),
        None => Ok((sink, read?)),
    }
}

/// Cleans batches with a crew. Passes them to `write` in their order, on another thread.
fn with_crew<T>(
    settings: &CleanSettings,
    is_over: &AtomicBool,
    write: &mut (dyn FnMut(Ticket<RowBuffer>) + Send),
    read: impl FnOnce(&mut BatchSender<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let stop = || is_over.store(true, Ordering::Relaxed);
    let write = |_, batch: Option<Ticket<RowBuffer>>| batch.map_or((), &mut *write);
    write_in_order(write, &stop, |delivery| {
        let delivery = &delivery;
        with_threads(&stop, |threads| {
            let crew = Crew::new(threads, "clean");
            for _ in 0..settings.threads {
                crew.start(ColumnWorker::new(settings))?;
            }
            let mut place = PiecePlace::default();
            read(&mut BatchSender {
                batches: Tickets::new(2 * settings.threads + 2),
                is_over,
                pass: &mut |mut batch| {
                    let place = place.step();
                    crew.jobs().give(move |worker: &mut ColumnWorker, panics| {
                        panics.guard(|| worker.clean(&mut batch));
                        delivery.send(place, Some(batch));
                    });
                },
            })
        })
    })
}
