//! Feeders: plain threads that read sources which cannot be read in ranges, and give chunks to scanners.

use std::ops::Range;
use std::sync::Arc;

use doisift_documents::{Chunk, ChunkCutter, ReadBytes};

use super::crew::{ScanCrew, ScanJobs};
use super::piece::{PieceBuffers, PieceTicket, TicketChunk};
use super::source_scanner::SourceScanner;
use crate::pipeline::checkpoint::Mark;
use crate::pipeline::edges::ChunkChain;
use crate::pipeline::plan::ScanPlan;
use crate::pipeline::reading::{DocumentScanner, read_source};
use crate::pipeline::rows::ReadyRows;
use crate::pipeline::scanning::{
    SharedDocument, SharedLines, SourceText, TableRows, TextLine, kind,
};
use crate::pipeline::shared_scan::SharedScan;
use crate::report::ScanCounts;
use crate::task::{GateRole, PiecePlace, Tickets};

/// Reads one source.
pub(crate) struct Feeder<'f, 's, 'r> {
    crew: &'s ScanCrew<'r>,
    scan: &'r SharedScan<'r>,
    plan: &'r ScanPlan<'r>,
    scanners: ScanJobs<'s, 'r>,
    tickets: &'f Arc<Tickets<PieceBuffers>>,
    /// The place of the next chunk's mentions in the output.
    place: PiecePlace,
    /// The bytes before the next chunk that are scanned with it.
    carry: Vec<u8>,
    /// Small documents that will be scanned together.
    pack: Option<DocumentPack>,
}

/// Complete documents in a ticket's buffer, one after another.
struct DocumentPack {
    ticket: PieceTicket,
    /// Each document with its range of bytes in the buffer, and the range of its anchors within those.
    documents: Vec<(SourceText, Range<usize>, Range<usize>)>,
    filled: usize,
}

/// The part of a document's state that its chunks share.
enum DividedText<'r> {
    /// One document. The last field links its chunks, if rows have places; `None` before the first chunk.
    One(SourceText, Arc<SharedDocument<'r>>, Option<ChunkChain>),
    /// Lines as documents. The line is the one in which the next chunk starts; it is shared if an earlier chunk has a part of it.
    Lines(SourceText, TextLine, Option<Arc<SharedDocument<'r>>>),
}

impl DocumentScanner for Feeder<'_, '_, '_> {
    fn document(
        &mut self,
        mut text: SourceText,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        continue_after_damage: &mut dyn FnMut(&mut ChunkCutter) -> bool,
    ) -> u64 {
        let options = self.plan.options;
        self.carry.clear();
        if options.reading.lines {
            self.carry.resize(kind::head(options), 0);
            let read = cutter.read(bytes, &mut self.carry);
            self.carry.truncate(read);
            text.set_kind(kind::of(options, &self.carry));
        } else if self.try_pack(cutter, &mut text, bytes) {
            return 1;
        }
        self.give_pack();
        let mut text = self.divide(text);
        loop {
            self.scan_until_damage(cutter, bytes, &mut text);
            if !continue_after_damage(cutter) {
                break;
            }
            self.carry.clear();
        }
        match text {
            DividedText::One(_, shared, chain) => {
                self.end_chain(chain, shared);
                1
            }
            DividedText::Lines(_, line, _) => line.count(cutter.bytes_read()),
        }
    }

    fn mark(&mut self, mark: Mark, documents: u64) {
        self.give_pack();
        let counts = ScanCounts {
            documents,
            ..ScanCounts::default()
        };
        let rows = ReadyRows {
            counts,
            mark: Some(mark),
            ..ReadyRows::default()
        };
        self.crew.deliver(self.place.step(), rows);
    }

    fn cells(&mut self, rows: TableRows) {
        self.give_pack();
        let (crew, place) = (self.crew, self.place.step());
        crew.give(
            &self.scanners,
            place,
            self.tickets.take(),
            move |scanner, _| {
                scanner.chunk_scanner.scan_rows(&rows);
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
            scan: crew.scan,
            plan: &crew.scan.plan,
            scanners,
            tickets,
            place,
            carry: Vec::new(),
            pack: None,
        }
    }

    pub(crate) fn source(&mut self, ordinal: u32) {
        let scan = self.scan;
        if let Some(source) = self.plan.sources.get(ordinal as usize) {
            let role = match self.plan.options.selection.writes_mentions() {
                true => GateRole::OrderedFeeder(self.place.slot),
                false => GateRole::Feeder,
            };
            let source = (ordinal, &source);
            let counts = read_source(scan, source, Some(&scan.unpackers), role, self);
            self.give_pack();
            self.crew.end_source(ordinal, counts, &mut self.place);
        }
    }

    /// Ends the slot of the source.
    pub(crate) fn end(self) {
        self.crew.end(self.place);
    }

    /// Starts a document that is given to scanners in chunks.
    fn divide(&self, text: SourceText) -> DividedText<'r> {
        let scan = self.scan;
        let reading = &scan.plan.options.reading;
        if reading.lines {
            return DividedText::Lines(text, TextLine::default(), None);
        }
        let shared = SharedDocument::new(text.whole().clone(), text.kind(), scan);
        DividedText::One(text, shared, None)
    }

    /// Reads a document into the pack. If it does not fit or is damaged, returns false and keeps the bytes in `carry`.
    /// The free part of a pack has room for the head of a document.
    fn try_pack(
        &mut self,
        cutter: &mut ChunkCutter,
        text: &mut SourceText,
        bytes: &mut dyn ReadBytes,
    ) -> bool {
        if self.pack.as_ref().is_some_and(DocumentPack::is_full) {
            self.give_pack();
        }
        let pack = match self.pack.take() {
            Some(pack) => pack,
            None => DocumentPack::new(self.ticket()),
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
        let scan = self.scan;
        scan.backlog.wait_for_room(self.place, &scan.ledger);
        let size = self.plan.reach.before + self.plan.reach.after + self.plan.shares.chunk;
        let mut ticket = self.tickets.take();
        if ticket.bytes.len() != size {
            ticket.bytes = vec![0; size].into_boxed_slice();
        }
        ticket
    }

    /// Gives the pack to a scanner.
    fn give_pack(&mut self) {
        let Some(pack) = self.pack.take() else { return };
        let place = self.place.step();
        let documents = pack.documents;
        self.crew.give(
            &self.scanners,
            place,
            pack.ticket,
            move |scanner, ticket| {
                for (text, range, anchors) in documents {
                    let chunk = Chunk {
                        bytes: &ticket.bytes[range],
                        range: anchors,
                        offset: 0,
                        is_damaged: false,
                    };
                    scanner.chunk_scanner.set_kind(text.kind());
                    scanner.chunk_scanner.scan(&chunk, text.whole());
                    scanner.chunk_scanner.end(text.whole());
                }
            },
        );
    }

    /// Reads a document up to its end or to damage, and gives its chunks to a scanner.
    fn scan_until_damage(
        &mut self,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        text: &mut DividedText<'r>,
    ) {
        while !cutter.is_done() && !self.scan.ledger.is_halted() {
            let mut ticket = self.ticket();
            if let Some(piece) = self.fill(cutter, bytes, &mut ticket, text) {
                self.scan(ticket, piece, text);
            }
        }
    }

    /// Reads the next chunk into a ticket's buffer, and keeps the bytes that the chunk after it needs. Returns `None` if the bytes
    /// that it read have no anchors to scan.
    fn fill(
        &mut self,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        ticket: &mut PieceTicket,
        text: &mut DividedText<'r>,
    ) -> Option<TicketChunk> {
        let offset = cutter.bytes_read() - self.carry.len() as u64;
        let mut filled = self.carry.len();
        ticket.bytes[..filled].copy_from_slice(&self.carry);
        filled += cutter.read(bytes, &mut ticket.bytes[filled..]);
        let anchors = cutter.take_anchors(self.plan.shares.chunk);
        let piece = anchors.map(|anchors| {
            let piece = TicketChunk {
                filled,
                range: (anchors.start - offset) as usize..(anchors.end - offset) as usize,
                offset,
                damaged: cutter.is_damaged(),
            };
            self.end_at_cut(piece, ticket, cutter, text)
        });
        let keep = cutter
            .next_anchor()
            .saturating_sub(self.plan.reach.before as u64);
        let keep = keep.saturating_sub(offset).min(filled as u64) as usize;
        self.carry.clear();
        self.carry.extend_from_slice(&ticket.bytes[keep..filled]);
        piece
    }

    /// Lets a chunk end where its document can be cut, if rows have places and there is such a cut. The rest of it is given back to
    /// `cutter`, unless the document ends.
    fn end_at_cut(
        &self,
        mut piece: TicketChunk,
        ticket: &PieceTicket,
        cutter: &mut ChunkCutter,
        text: &mut DividedText<'r>,
    ) -> TicketChunk {
        let options = self.plan.options;
        let DividedText::One(text, _, chain) = text else {
            return piece;
        };
        if !options.selection.writes_edges() {
            return piece;
        }
        let chunk = piece.chunk(ticket);
        let chain = chain.get_or_insert_with(|| ChunkChain::new(options, &chunk, text.kind()));
        if !cutter.is_done()
            && let Some(end) = chain.last_cut(&chunk)
        {
            cutter.give_back((piece.range.end - end) as u64);
            piece.range.end = end;
        }
        piece
    }

    /// Lets a scanner read the end of a document whose last chunk does not end at a cut.
    fn end_chain(&mut self, chain: Option<ChunkChain>, shared: Arc<SharedDocument<'r>>) {
        if let Some(links) = chain.and_then(ChunkChain::end) {
            let (place, ticket) = (self.place.step(), self.tickets.take());
            let end = move |scanner: &mut SourceScanner<'r>, _: &PieceTicket| {
                scanner.chunk_scanner.read_linked(links, None, &shared);
            };
            self.crew.give(&self.scanners, place, ticket, end);
        }
    }

    /// Gives a chunk to a scanner.
    fn scan(&mut self, mut ticket: PieceTicket, piece: TicketChunk, text: &mut DividedText<'r>) {
        let (crew, place) = (self.crew, self.place.step());
        match text {
            DividedText::One(text, shared, chain) => {
                ticket.mark = text.mark_at(piece.offset + piece.range.end as u64);
                let links = chain
                    .as_mut()
                    .map(|chain| chain.link(&piece.chunk(&ticket)));
                let shared = Arc::clone(shared);
                crew.give(&self.scanners, place, ticket, move |scanner, ticket| {
                    let chunk = piece.chunk(ticket);
                    scanner.chunk_scanner.scan_shared(&chunk, &shared, links);
                });
            }
            DividedText::Lines(text, line, shared) => {
                let first = *line;
                let lines = self.lines(&piece.chunk(&ticket), text, line, shared);
                let text = text.clone();
                crew.give(&self.scanners, place, ticket, move |scanner, ticket| {
                    scanner
                        .chunk_scanner
                        .scan_lines(&piece.chunk(ticket), &text, first, &lines);
                });
            }
        }
    }

    /// Returns the lines that a chunk shares with its neighbours. Moves `line` to the line in which the next chunk starts.
    fn lines(
        &self,
        chunk: &Chunk<'_>,
        text: &SourceText,
        line: &mut TextLine,
        shared: &mut Option<Arc<SharedDocument<'r>>>,
    ) -> SharedLines<'r> {
        let first = shared.take();
        let next = line.after(chunk);
        let last = match &first {
            Some(first) if next == *line => Arc::clone(first),
            _ => SharedDocument::new(text.line(next), text.kind(), self.scan),
        };
        *line = next;
        *shared = Some(Arc::clone(&last));
        SharedLines {
            first,
            last: Some(last),
        }
    }
}

impl DocumentPack {
    fn new(ticket: PieceTicket) -> Self {
        DocumentPack {
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
