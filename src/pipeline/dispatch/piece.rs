//! Pieces of work: their tickets with buffers, and the chunks in these.

use std::ops::Range;

use doisift_documents::Chunk;

use crate::pipeline::checkpoint::Mark;
use crate::task::Ticket;

/// The buffers for one piece of work; reused.
#[derive(Default)]
pub(crate) struct PieceBuffers {
    pub(crate) bytes: Box<[u8]>,
    /// The mark after the piece, if reading can resume there.
    pub(crate) mark: Option<Mark>,
}

pub(crate) type PieceTicket = Ticket<PieceBuffers>;

/// A chunk in a ticket's buffer.
#[derive(Clone)]
pub(crate) struct TicketChunk {
    pub(super) filled: usize,
    pub(super) range: Range<usize>,
    pub(super) offset: u64,
    pub(super) damaged: bool,
}

impl TicketChunk {
    pub(crate) fn chunk<'b>(&self, ticket: &'b PieceTicket) -> Chunk<'b> {
        Chunk {
            bytes: &ticket.bytes[..self.filled],
            range: self.range.clone(),
            offset: self.offset,
            is_damaged: self.damaged,
        }
    }
}
