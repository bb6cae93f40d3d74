//! The threads of a scan, and the pieces of work that they do.
//!
//! The caller's thread distributes the sources. Scanners do pieces of work: they read groups of small files and ranges of large
//! ones, scan chunks that feeders read, and make rows of the mentions. Each piece of work needs a ticket, which is returned when
//! its rows are made. The rows may then wait for earlier ones. Scanners wait neither for tickets nor for each other.

use std::sync::Mutex;

use super::dispatch::Dispatcher;
use super::maker::MadeRows;
use super::mark::{Mark, RowProgress};
use super::rows::HeldMentions;
use super::sink::Sink;
use super::state::SharedScan;
use super::turn::Turn;
use crate::error::Error;
use crate::lock::lock;
use crate::report::Counts;
use crate::run::{Crew, Delivery, Jobs, PiecePlace, Ticket, with_threads, write_in_order};

/// Pieces of work per thread that are started at the same time: one that runs, one that waits, and two in reserve.
pub(super) const AHEAD: usize = 4;

/// The buffers for one piece of work; reused.
#[derive(Default)]
pub(super) struct PieceBuffers {
    pub(super) bytes: Box<[u8]>,
    pub(super) rows: HeldMentions,
    /// The counts of the piece, if rows are written in order.
    pub(super) counts: Counts,
    /// The mark after the piece, if reading can resume there.
    pub(super) mark: Option<Mark>,
}

pub(super) type PieceTicket = Ticket<PieceBuffers>;
/// The jobs of scanners.
pub(super) type ScanJobs<'s, 'r> = Jobs<'s, &'s Mutex<Turn<'r>>>;

/// Data that the threads of a scan share.
pub(super) struct ScanCrew<'r> {
    pub(super) run: &'r SharedScan<'r>,
    workers: Vec<Mutex<Turn<'r>>>,
    /// Takes rows in any order. `None` if records are written.
    delivery: Option<Delivery<MadeRows>>,
}

/// Reads and scans all sources on several threads.
///
/// # Errors
/// If a thread cannot be started.
pub(super) fn run(run: &SharedScan<'_>, sink: &mut Sink<'_>) -> Result<(), Error> {
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

impl<'r> ScanCrew<'r> {
    /// Makes all workers pass their mentions to the table.
    pub(super) fn settle(&self) {
        let workers = self.workers.iter();
        workers.for_each(|worker| lock(worker).worker.settle());
    }

    /// Runs `work` on a scanner, makes rows of its mentions, and delivers these to `place`.
    pub(super) fn give<'s>(
        &'s self,
        jobs: &ScanJobs<'s, 'r>,
        place: PiecePlace,
        ticket: PieceTicket,
        work: impl FnOnce(&mut Turn<'r>, &PieceTicket) + Send + 's,
    ) {
        self.give_then(jobs, ticket, work, move |ticket| self.finish(place, ticket));
    }

    /// Runs `work` on a scanner, and passes its mentions to `then`, even if `work` panics.
    pub(super) fn give_then<'s>(
        &'s self,
        jobs: &ScanJobs<'s, 'r>,
        mut ticket: PieceTicket,
        work: impl FnOnce(&mut Turn<'r>, &PieceTicket) + Send + 's,
        then: impl FnOnce(PieceTicket) + Send + 's,
    ) {
        jobs.give(move |turn, panics| {
            // Each scanner has its own worker, so the lock is free.
            let mut turn = lock(turn);
            if !self.run.ledger.is_halted() {
                panics.guard(|| {
                    work(&mut turn, &ticket);
                    if let Err(error) = turn.worker.ask_index() {
                        self.run.ledger.fail(error);
                    }
                });
            }
            std::mem::swap(turn.worker.rows(), &mut ticket.rows);
            if self.delivery.is_some() {
                ticket.counts += turn.worker.take_counts();
            }
            drop(turn);
            then(ticket);
        });
    }

    /// Lets a scanner make rows of the decided mentions and deliver these to `place`.
    pub(super) fn give_finish<'s>(
        &'s self,
        jobs: &ScanJobs<'s, 'r>,
        place: PiecePlace,
        ticket: PieceTicket,
    ) {
        jobs.give(move |_, _| self.finish(place, ticket));
    }

    /// Makes rows of the decided mentions, delivers them to `place`, and returns the ticket to its pool.
    fn finish(&self, place: PiecePlace, mut ticket: PieceTicket) {
        if self.delivery.is_none() {
            return;
        }
        let (counts, mark) = (std::mem::take(&mut ticket.counts), ticket.mark.take());
        let mut made = MadeRows::default();
        if self.run.ledger.is_halted() {
            ticket.rows.clear();
        } else {
            let rows = self.run.maker.make(&mut ticket.rows);
            made = rows.unwrap_or_else(|error| {
                self.run.ledger.fail(error);
                MadeRows::default()
            });
        }
        self.deliver(
            place,
            MadeRows {
                counts,
                mark,
                ..made
            },
        );
    }

    /// Delivers rows to `place`. Drops them if records are written.
    pub(super) fn deliver(&self, place: PiecePlace, rows: MadeRows) {
        if let Some(delivery) = &self.delivery {
            self.run.backlog.add(rows.bytes);
            delivery.send(place, Some(rows));
        }
    }

    /// Ends a source at `place`, which becomes the next one. `counts` are those that were not delivered yet.
    pub(super) fn end_source(&self, ordinal: u32, counts: Counts, place: &mut PiecePlace) {
        if self.delivery.is_none() {
            return self.run.ledger.count(counts);
        }
        let rows = MadeRows {
            counts,
            mark: Some(self.run.mark_after(ordinal)),
            ..MadeRows::default()
        };
        self.deliver(place.step(), rows);
    }

    /// Ends a slot, whose last piece is the one before `place`.
    pub(super) fn end(&self, place: PiecePlace) {
        if let Some(delivery) = &self.delivery {
            delivery.send(place, None);
        }
    }
}
