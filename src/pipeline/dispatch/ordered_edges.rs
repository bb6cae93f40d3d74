//! Finds the places of mentions in a document whose chunks several threads scan.
//!
//! The structure of a document is read in order. The thread that has scanned the next chunk reads the structure of that chunk,
//! and of the chunks after it that are scanned by then. No thread waits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::crew::{ScanCrew, ScanJobs};
use super::piece::{PieceTicket, TicketChunk};
use crate::lock::lock;
use crate::pipeline::rows::HeldMentions;
use crate::pipeline::scanning::{EdgeFinder, SharedDocument};
use crate::task::PiecePlace;

/// A document, and the chunks of it that were scanned before their turn.
pub(crate) struct OrderedEdges<'r> {
    shared: Arc<SharedDocument<'r>>,
    queue: Mutex<ScannedQueue>,
    /// Only the thread that has set `is_reading` locks it.
    reading: Mutex<EdgeReading<'r>>,
}

struct ScannedQueue {
    /// Scanned chunks by the number of their piece. The end of the document is `None`.
    scanned: BTreeMap<u64, (PieceTicket, Option<TicketChunk>)>,
    next: PiecePlace,
    is_reading: bool,
}

struct EdgeReading<'r> {
    finder: EdgeFinder<'r>,
    /// The rows that are not decided yet.
    rows: HeldMentions,
}

impl<'r> OrderedEdges<'r> {
    /// Starts a document. `next` is the place of its first chunk. Returns `None` if rows have no places.
    pub(crate) fn new(
        crew: &ScanCrew<'r>,
        shared: &Arc<SharedDocument<'r>>,
        next: PiecePlace,
    ) -> Option<Arc<Self>> {
        let finder = EdgeFinder::new(crew.scan)?;
        Some(Arc::new(OrderedEdges {
            shared: Arc::clone(shared),
            queue: Mutex::new(ScannedQueue {
                scanned: BTreeMap::new(),
                next,
                is_reading: false,
            }),
            reading: Mutex::new(EdgeReading {
                finder,
                rows: HeldMentions::with_edges(),
            }),
        }))
    }

    /// Takes a scanned chunk with its mentions, or the end of the document. Gives the decided mentions to scanners, which make
    /// rows of them.
    pub(crate) fn take<'s>(
        &self,
        crew: &'s ScanCrew<'r>,
        jobs: &ScanJobs<'s, 'r>,
        place: PiecePlace,
        ticket: PieceTicket,
        piece: Option<TicketChunk>,
    ) {
        let mut queue = lock(&self.queue);
        queue.scanned.insert(place.piece, (ticket, piece));
        if std::mem::replace(&mut queue.is_reading, true) {
            return;
        }
        while let Some((ticket, piece)) = queue.pop() {
            let place = queue.next;
            drop(queue);
            crew.give_finish(jobs, place, self.read(crew, ticket, piece));
            queue = lock(&self.queue);
            queue.next.step();
        }
        queue.is_reading = false;
    }

    /// Reads the structure of a chunk, or ends the document. Returns the ticket with the decided rows.
    fn read(
        &self,
        crew: &ScanCrew<'_>,
        mut ticket: PieceTicket,
        piece: Option<TicketChunk>,
    ) -> PieceTicket {
        let mut reading = lock(&self.reading);
        let EdgeReading { finder, rows } = &mut *reading;
        let from = rows.len();
        rows.append(&mut ticket.rows);
        match piece {
            _ if crew.scan.ledger.is_halted() => {}
            Some(piece) => {
                let chunk = piece.chunk(&ticket);
                finder.start(&chunk, self.shared.kind, &self.shared.document);
                finder.chunk(&chunk, rows, from);
            }
            None => {
                finder.end(&self.shared.document, rows);
            }
        }
        ticket.counts += finder.take_counts();
        rows.move_decided(&mut ticket.rows);
        ticket
    }
}

impl ScannedQueue {
    fn pop(&mut self) -> Option<(PieceTicket, Option<TicketChunk>)> {
        self.scanned.remove(&self.next.piece)
    }
}
