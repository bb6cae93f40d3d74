//! The work that scanners are given: it scans, makes rows of the mentions, and delivers these.
//!
//! Each piece of work needs a ticket, which is returned when its rows are made. The rows may then wait for earlier ones. Scanners
//! do not wait for tickets, and for each other only where a chunk is read with the state after the chunk before it.

use std::sync::Mutex;

use super::piece::PieceTicket;
use super::source_scanner::SourceScanner;
use crate::lock::lock;
use crate::pipeline::rows::ReadyRows;
use crate::pipeline::shared_scan::SharedScan;
use crate::report::ScanCounts;
use crate::task::{Delivery, Jobs, PiecePlace};

/// The jobs of scanners.
pub(crate) type ScanJobs<'s, 'r> = Jobs<'s, &'s Mutex<SourceScanner<'r>>>;

/// Data that the threads of a scan share.
pub(crate) struct ScanCrew<'r> {
    pub(crate) scan: &'r SharedScan<'r>,
    pub(super) source_scanners: Vec<Mutex<SourceScanner<'r>>>,
    /// Takes rows in any order. `None` if records are written.
    pub(super) delivery: Option<Delivery<ReadyRows>>,
}

impl<'r> ScanCrew<'r> {
    /// Makes all workers pass their mentions to the table.
    pub(crate) fn settle(&self) {
        let source_scanners = self.source_scanners.iter();
        source_scanners.for_each(|scanner| lock(scanner).chunk_scanner.settle());
    }

    /// Runs `work` on a scanner, makes rows of what it finds, and delivers these to `place`, even if `work` panics.
    pub(crate) fn give<'s>(
        &'s self,
        jobs: &ScanJobs<'s, 'r>,
        place: PiecePlace,
        mut ticket: PieceTicket,
        work: impl FnOnce(&mut SourceScanner<'r>, &PieceTicket) + Send + 's,
    ) {
        jobs.give(move |scanner, panics| {
            // Each scanner has its own worker, so the lock is free.
            let mut scanner = lock(scanner);
            let mark = ticket.mark.take();
            let mut rows = ReadyRows::default();
            if !self.scan.ledger.is_halted() {
                panics.guard(|| {
                    work(&mut scanner, &ticket);
                    rows = self.make(&mut scanner);
                });
            }
            self.deliver(place, ReadyRows { mark, ..rows });
        });
    }

    /// Makes rows of the names that a scanner holds.
    fn make(&self, scanner: &mut SourceScanner<'r>) -> ReadyRows {
        if self.delivery.is_none() {
            return ReadyRows::default();
        }
        let scanner = &mut scanner.chunk_scanner;
        let made = scanner.make_rows().unwrap_or_else(|error| {
            self.scan.ledger.fail(error);
            ReadyRows::default()
        });
        ReadyRows {
            counts: made.counts + scanner.take_counts(),
            ..made
        }
    }

    /// Delivers rows to `place`. Drops them if records are written.
    pub(crate) fn deliver(&self, place: PiecePlace, rows: ReadyRows) {
        if let Some(delivery) = &self.delivery {
            self.scan.backlog.add(rows.bytes);
            delivery.send(place, Some(rows));
        }
    }

    /// Ends a source at `place`, which becomes the next one. `counts` are those that were not delivered yet.
    pub(crate) fn end_source(&self, ordinal: u32, counts: ScanCounts, place: &mut PiecePlace) {
        if self.delivery.is_none() {
            return self.scan.ledger.count(counts);
        }
        let rows = ReadyRows {
            counts,
            mark: Some(self.scan.mark_after(ordinal)),
            ..ReadyRows::default()
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
