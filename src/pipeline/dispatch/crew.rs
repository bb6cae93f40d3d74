//! The work that scanners are given: it scans, makes rows of the mentions, and delivers these.
//!
//! Each piece of work needs a ticket, which is returned when its rows are made. The rows may then wait for earlier ones. Scanners
//! wait neither for tickets nor for each other.

use std::sync::Mutex;

use super::piece::PieceTicket;
use super::source_scanner::Turn;
use crate::lock::lock;
use crate::pipeline::rows::MadeRows;
use crate::pipeline::shared_scan::SharedScan;
use crate::report::Counts;
use crate::task::{Delivery, Jobs, PiecePlace};

/// The jobs of scanners.
pub(crate) type ScanJobs<'s, 'r> = Jobs<'s, &'s Mutex<Turn<'r>>>;

/// Data that the threads of a scan share.
pub(crate) struct ScanCrew<'r> {
    pub(crate) run: &'r SharedScan<'r>,
    pub(super) workers: Vec<Mutex<Turn<'r>>>,
    /// Takes rows in any order. `None` if records are written.
    pub(super) delivery: Option<Delivery<MadeRows>>,
}

impl<'r> ScanCrew<'r> {
    /// Makes all workers pass their mentions to the table.
    pub(crate) fn settle(&self) {
        let workers = self.workers.iter();
        workers.for_each(|worker| lock(worker).worker.settle());
    }

    /// Runs `work` on a scanner, makes rows of its mentions, and delivers these to `place`.
    pub(crate) fn give<'s>(
        &'s self,
        jobs: &ScanJobs<'s, 'r>,
        place: PiecePlace,
        ticket: PieceTicket,
        work: impl FnOnce(&mut Turn<'r>, &PieceTicket) + Send + 's,
    ) {
        self.give_then(jobs, ticket, work, move |ticket| self.finish(place, ticket));
    }

    /// Runs `work` on a scanner, and passes its mentions to `then`, even if `work` panics.
    pub(crate) fn give_then<'s>(
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
    pub(crate) fn give_finish<'s>(
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
    pub(crate) fn deliver(&self, place: PiecePlace, rows: MadeRows) {
        if let Some(delivery) = &self.delivery {
            self.run.backlog.add(rows.bytes);
            delivery.send(place, Some(rows));
        }
    }

    /// Ends a source at `place`, which becomes the next one. `counts` are those that were not delivered yet.
    pub(crate) fn end_source(&self, ordinal: u32, counts: Counts, place: &mut PiecePlace) {
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
    pub(crate) fn end(&self, place: PiecePlace) {
        if let Some(delivery) = &self.delivery {
            delivery.send(place, None);
        }
    }
}
