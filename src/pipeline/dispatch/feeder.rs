//! Feeders: plain threads that read sources which cannot be read in ranges, and give chunks to scanners.

use std::ops::Range;
use std::sync::Arc;

use doisift_documents::{Chunk, ChunkCutter, ReadBytes};

use super::crew::{ScanCrew, ScanJobs};
use super::ordered_edges::FedEdges;
use super::piece::{Piece, PieceBuffers, PieceTicket};
use super::source_scanner::Turn;
use crate::pipeline::checkpoint::Mark;
use crate::pipeline::plan::ScanPlan;
use crate::pipeline::reading::{GateRole, Scans, read_source};
use crate::pipeline::rows::MadeRows;
use crate::pipeline::scanning::{Shared, SharedLines, TableRows, TextLine, TextLines, kind};
use crate::pipeline::shared_scan::SharedScan;
use crate::report::Counts;
use crate::task::{PiecePlace, Tickets};

/// Reads one source.
pub(crate) struct Feeder<'f, 's, 'r> {
    crew: &'s ScanCrew<'r>,
    run: &'r SharedScan<'r>,
    plan: &'r ScanPlan<'r>,
    scanners: ScanJobs<'s, 'r>,
    tickets: &'f Arc<Tickets<PieceBuffers>>,
    /// The place of the next chunk's mentions in the output.
    place: PiecePlace,
    /// The bytes before the next chunk that are scanned with it.
    carry: Vec<u8>,
    /// Small documents that will be scanned together.
    pack: Option<Pack>,
}

/// Complete documents in a ticket's buffer, one after another.
struct Pack {
    ticket: PieceTicket,
    /// Each document with its range of bytes in the buffer, and the range of its anchors within those.
    documents: Vec<(TextLines, Range<usize>, Range<usize>)>,
    filled: usize,
}

/// The part of a document's state that its chunks share.
enum FedText<'r> {
    /// One document. The last field finds the places of mentions, if rows have them.
    One(TextLines, Arc<Shared<'r>>, Option<Arc<FedEdges<'r>>>),
    /// Lines as documents. The line is the one in which the next chunk starts; it is shared if an earlier chunk has a part of it.
    Lines(TextLines, TextLine, Option<Arc<Shared<'r>>>),
}

impl Scans for Feeder<'_, '_, '_> {
    fn document(
        &mut self,
        mut text: TextLines,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        goes_on: &mut dyn FnMut(&mut ChunkCutter) -> bool,
    ) -> u64 {
        let options = self.plan.options;
        self.carry.clear();
        if options.reading.lines {
            self.carry.resize(kind::head(options), 0);
            let read = cutter.read(bytes, &mut self.carry);
            self.carry.truncate(read);
            text.set_kind(kind::of(options, &self.carry));
        } else if self.packs(cutter, &mut text, bytes) {
            return 1;
        }
        self.flush();
        let mut text = self.fed(text);
        loop {
            self.stretch(cutter, bytes, &mut text);
            if !goes_on(cutter) {
                break;
            }
            self.carry.clear();
        }
        match text {
            FedText::One(_, _, edges) => {
                if let Some(edges) = edges {
                    let place = self.place.step();
                    edges.take(self.crew, &self.scanners, place, self.tickets.take(), None);
                }
                1
            }
            FedText::Lines(_, line, _) => line.count(cutter.bytes_read()),
        }
    }

    fn mark(&mut self, mark: Mark, documents: u64) {
        self.flush();
        let counts = Counts {
            documents,
            ..Counts::default()
        };
        let rows = MadeRows {
            counts,
            mark: Some(mark),
            ..MadeRows::default()
        };
        self.crew.deliver(self.place.step(), rows);
    }

    fn cells(&mut self, rows: TableRows) {
        self.flush();
        let (crew, place) = (self.crew, self.place.step());
        crew.give(
            &self.scanners,
            place,
            self.tickets.take(),
            move |turn, _| {
                turn.worker.scan_cells(&rows);
            },
        );
    }
}

impl<'f, 's, 'r> Feeder<'f, 's, 'r> {
    /// Creates a feeder for a source whose first piece is at `place`.
    pub(crate) fn new(
        crew: &'s ScanCrew<'r>,
        scanners: ScanJobs<'s, 'r>,
        tickets: &'f Arc<Tickets<PieceBuffers>>,
        place: PiecePlace,
    ) -> Self {
        Feeder {
            crew,
            run: crew.run,
            plan: &crew.run.plan,
            scanners,
            tickets,
            place,
            carry: Vec::new(),
            pack: None,
        }
    }

    pub(crate) fn source(&mut self, ordinal: u32) {
        let run = self.run;
        if let Some(source) = self.plan.sources.get(ordinal as usize) {
            let role = match self.plan.options.selection.writes_mentions() {
                true => GateRole::OrderedFeeder(self.place.slot),
                false => GateRole::Feeder,
            };
            let source = (ordinal, &source);
            let counts = read_source(run, source, Some(&run.unpackers), role, self);
            self.flush();
            self.crew.end_source(ordinal, counts, &mut self.place);
        }
    }

    /// Ends the slot of the source.
    pub(crate) fn end(self) {
        self.crew.end(self.place);
    }

    /// Starts a document that is given to scanners in chunks.
    fn fed(&self, text: TextLines) -> FedText<'r> {
        let run = self.run;
        let reading = &run.plan.options.reading;
        if reading.lines {
            return FedText::Lines(text, TextLine::default(), None);
        }
        let shared = Shared::new(text.whole().clone(), text.kind(), run);
        let edges = FedEdges::new(self.crew, &shared, self.place);
        FedText::One(text, shared, edges)
    }

    /// Reads a document into the pack. If it does not fit or is damaged, returns false and keeps the bytes in `carry`.
    /// The free part of a pack has room for the head of a document.
    fn packs(
        &mut self,
        cutter: &mut ChunkCutter,
        text: &mut TextLines,
        bytes: &mut dyn ReadBytes,
    ) -> bool {
        if self.pack.as_ref().is_some_and(Pack::is_full) {
            self.flush();
        }
        let pack = match self.pack.take() {
            Some(pack) => pack,
            None => Pack::new(self.ticket()),
        };
        let pack = self.pack.insert(pack);
        let free = &mut pack.ticket.bytes[pack.filled..];
        let read = cutter.read(bytes, free);
        text.set_kind(kind::of(self.plan.options, &free[..read]));
        if !cutter.is_whole() {
            self.carry.extend_from_slice(&free[..read]);
            return false;
        }
        let anchors = cutter.take_anchors(usize::MAX).unwrap_or_default();
        let anchors = anchors.start as usize..anchors.end as usize;
        let range = pack.filled..pack.filled + read;
        pack.filled = range.end;
        pack.documents.push((text.clone(), range, anchors));
        true
    }

    /// Takes a ticket whose buffer has room for a chunk and the bytes around it. Waits while too many rows wait for those of
    /// earlier sources.
    fn ticket(&self) -> PieceTicket {
        let run = self.run;
        run.backlog.wait_for_room(self.place, &run.ledger);
        let size = self.plan.reach.before + self.plan.reach.after + self.plan.shares.chunk;
        let mut ticket = self.tickets.take();
        if ticket.bytes.len() != size {
            ticket.bytes = vec![0; size].into_boxed_slice();
        }
        ticket
    }

    /// Gives the pack to a scanner.
    fn flush(&mut self) {
        let Some(pack) = self.pack.take() else { return };
        let place = self.place.step();
        let documents = pack.documents;
        self.crew
            .give(&self.scanners, place, pack.ticket, move |turn, ticket| {
                for (text, range, anchors) in documents {
                    let chunk = Chunk {
                        bytes: &ticket.bytes[range],
                        range: anchors,
                        offset: 0,
                        is_damaged: false,
                    };
                    turn.worker.set_kind(text.kind());
                    turn.worker.scan(&chunk, text.whole());
                    turn.worker.end(text.whole());
                }
            });
    }

    /// Reads a document up to its end or to damage, and gives its chunks to a scanner.
    fn stretch(
        &mut self,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        text: &mut FedText<'r>,
    ) {
        while !cutter.is_done() && !self.run.ledger.is_halted() {
            let mut ticket = self.ticket();
            if let Some(piece) = self.fill(cutter, bytes, &mut ticket) {
                self.scan(ticket, piece, text);
            }
        }
    }

    /// Reads the next chunk into a ticket's buffer, and keeps the bytes that the chunk after it needs before its own. Returns
    /// `None` if the bytes that it read have no anchors to scan.
    fn fill(
        &mut self,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        ticket: &mut PieceTicket,
    ) -> Option<Piece> {
        let chunk = self.plan.shares.chunk;
        let offset = cutter.bytes_read() - self.carry.len() as u64;
        let mut filled = self.carry.len();
        ticket.bytes[..filled].copy_from_slice(&self.carry);
        let anchors = cutter.take_anchors(chunk).or_else(|| {
            filled += cutter.read(bytes, &mut ticket.bytes[filled..]);
            cutter.take_anchors(chunk)
        });
        let keep = cutter
            .next_anchor()
            .saturating_sub(self.plan.reach.before as u64);
        let keep = keep.saturating_sub(offset).min(filled as u64) as usize;
        self.carry.clear();
        self.carry.extend_from_slice(&ticket.bytes[keep..filled]);
        let anchors = anchors?;
        let range = (anchors.start - offset) as usize..(anchors.end - offset) as usize;
        Some(Piece {
            filled,
            range,
            offset,
            damaged: cutter.is_damaged(),
        })
    }

    /// Gives a chunk to a scanner.
    fn scan(&mut self, mut ticket: PieceTicket, piece: Piece, text: &mut FedText<'r>) {
        let (crew, place) = (self.crew, self.place.step());
        match text {
            FedText::One(text, shared, edges) => {
                ticket.mark = text.mark_at(piece.offset + piece.range.end as u64);
                let (shared, edges) = (Arc::clone(shared), edges.clone());
                let scanned = piece.clone();
                let scan = move |turn: &mut Turn<'r>, ticket: &PieceTicket| {
                    turn.worker.scan_shared(&scanned.chunk(ticket), &shared);
                };
                let Some(edges) = edges else {
                    return crew.give(&self.scanners, place, ticket, scan);
                };
                let jobs = self.scanners.clone();
                let then = move |ticket| edges.take(crew, &jobs, place, ticket, Some(piece));
                crew.give_then(&self.scanners, ticket, scan, then);
            }
            FedText::Lines(text, line, shared) => {
                let first = *line;
                let lines = self.lines(&piece.chunk(&ticket), text, line, shared);
                let text = text.clone();
                crew.give(&self.scanners, place, ticket, move |turn, ticket| {
                    turn.worker
                        .scan_lines(&piece.chunk(ticket), &text, first, &lines);
                });
            }
        }
    }

    /// Returns the lines that a chunk shares with its neighbours. Moves `line` to the line in which the next chunk starts.
    fn lines(
        &self,
        chunk: &Chunk<'_>,
        text: &TextLines,
        line: &mut TextLine,
        shared: &mut Option<Arc<Shared<'r>>>,
    ) -> SharedLines<'r> {
        let first = shared.take();
        let next = line.after(chunk);
        let last = match &first {
            Some(first) if next == *line => Arc::clone(first),
            _ => Shared::new(text.line(next), text.kind(), self.run),
        };
        *line = next;
        *shared = Some(Arc::clone(&last));
        SharedLines {
            first,
            last: Some(last),
        }
    }
}

impl Pack {
    fn new(ticket: PieceTicket) -> Self {
        Pack {
            ticket,
            documents: Vec::new(),
            filled: 0,
        }
    }

    /// Whether the buffer is so full that most documents would not fit.
    fn is_full(&self) -> bool {
        self.filled > self.ticket.bytes.len() / 4 * 3
    }
}
