//! The scanner and buffers of one thread, and how it scans a chunk.

use std::ops::Range;

use doisift_core::internal::Decision;
use doisift_core::{Mention, Scanner, Tally, TextKind};
use doisift_documents::{Chunk, ChunkBuffer, TableCell};

use super::cells::TableRows;
use super::kind;
use super::text::{SharedDocument, SharedLines, SourceText, TextLine};
use crate::dedup::{Batch, Document, StoredFields};
use crate::error::Error;
use crate::lookup::RecentIndexStatuses;
use crate::pipeline::edges::{ChunkLinks, EdgeReader, place_in_cell};
use crate::pipeline::plan::PrefixFilter;
use crate::pipeline::rows::{AnchorKind, HeldRows, MentionContext, PairKey, ReadyRows};
use crate::pipeline::shared_scan::SharedScan;
use crate::report::ScanCounts;

/// Bytes of a read if the same thread scans them. This many stay in the cache of a core.
const READ_BYTES: usize = 256 << 10;

/// The scanner and buffers of one thread; reused for each chunk.
pub(crate) struct ChunkScanner<'r> {
    scan: &'r SharedScan<'r>,
    scanner: Scanner,
    found: FoundMentions<'r>,
    /// `None` if rows have no places.
    edges: Option<EdgeReader<'r>>,
    /// Asks the index for rows of mentions.
    index: Option<RecentIndexStatuses<'r>>,
    /// The kind of the text that is scanned.
    kind: TextKind,
    counts: ScanCounts,
}

/// Mentions that were found but are not yet in the table or the output.
struct FoundMentions<'r> {
    scan: &'r SharedScan<'r>,
    batch: Batch,
    /// Keys of pairs, if the rows are pairs.
    pairs: Option<PairKey>,
    /// Whether only the number of mentions is kept for a name.
    counts: bool,
    rows: HeldRows,
    keep_rows: bool,
    /// The first source whose names go into the table. `None` if no names do.
    first_unnamed: Option<usize>,
    /// Whether rows have places.
    has_edges: bool,
    /// Whether rows have mentions as they are written.
    has_texts: bool,
    /// Bytes before and after a mention whose text its row has.
    context: usize,
    filter: Option<&'r PrefixFilter>,
    /// Mentions that the filter left out.
    filtered: u64,
}

impl<'r> ChunkScanner<'r> {
    pub(crate) fn new(scan: &'r SharedScan<'r>) -> Self {
        let selection = &scan.plan.options.selection;
        let found = FoundMentions {
            scan,
            batch: scan.table.batch(),
            pairs: selection.writes_pairs().then(PairKey::default),
            counts: scan.plan.options.stored_fields() == StoredFields::Count,
            first_unnamed: scan.first_unnamed(),
            rows: HeldRows::default(),
            has_edges: selection.writes_edges(),
            keep_rows: selection.writes_mentions(),
            has_texts: selection.writes_texts(),
            context: selection.context,
            filter: selection.filter.as_ref(),
            filtered: 0,
        };
        ChunkScanner {
            scan,
            scanner: scan.plan.options.scanner(),
            found,
            edges: EdgeReader::new(scan.plan.options, &scan.ledger),
            index: scan.plan.rows_index(),
            kind: TextKind::Unknown,
            counts: ScanCounts::default(),
        }
    }

    /// Creates a buffer for chunks that this thread reads and scans.
    pub(crate) fn sliding(scan: &SharedScan<'_>) -> ChunkBuffer {
        let chunk = scan.plan.shares.chunk;
        ChunkBuffer::new(scan.plan.reach, chunk, chunk.min(READ_BYTES))
    }

    /// Whether rows are held.
    pub(crate) fn has_rows(&self) -> bool {
        !self.found.rows.is_empty()
    }

    /// Makes rows of what was found so far, with the index's answers about their names.
    ///
    /// # Errors
    /// If the index cannot be read, or the rows cannot be formatted.
    pub(crate) fn make_rows(&mut self) -> Result<ReadyRows, Error> {
        let rows = &mut self.found.rows;
        if let Some(index) = &mut self.index {
            rows.ask(index)?;
        }
        self.scan.maker.make(rows)
    }

    /// Sets the kind of the text that is scanned next.
    pub(crate) fn set_kind(&mut self, kind: TextKind) {
        self.kind = kind;
        self.scanner.set_kind(kind);
    }

    pub(crate) fn counts(&mut self) -> &mut ScanCounts {
        &mut self.counts
    }

    /// Scans a chunk of a document, and reads its structure if rows have places.
    pub(crate) fn scan(&mut self, chunk: &Chunk<'_>, document: &Document) {
        self.find(chunk, document);
        if let Some(edges) = &mut self.edges {
            edges.chunk(chunk, self.kind, document, &mut self.found.rows);
        }
    }

    /// Finds the mentions in a chunk.
    fn find(&mut self, chunk: &Chunk<'_>, document: &Document) {
        let range = self.undamaged(chunk);
        let found = &mut self.found;
        let bytes = (chunk.bytes, chunk.offset);
        let each = |decision: Decision<'_>| match decision {
            Decision::Mention(mention) => found.add(document, &mention, bytes),
            Decision::Refused(offset) => found.add_refused(document, offset, bytes),
        };
        let tally = self
            .scanner
            .decide_range(chunk.bytes, range, chunk.offset, each);
        self.add(tally, chunk.range.len());
    }

    /// Scans a chunk of a document that other threads scan too. Rows get places if `links` are given.
    pub(crate) fn scan_shared(
        &mut self,
        chunk: &Chunk<'_>,
        shared: &SharedDocument<'_>,
        links: Option<ChunkLinks>,
    ) {
        self.set_kind(shared.kind);
        let before = self.counts.tally.mentions;
        self.find(chunk, &shared.document);
        if self.counts.tally.mentions > before {
            shared.note_mention();
        }
        self.found.hand_over();
        if let Some(links) = links {
            self.read_linked(links, Some(chunk), shared);
        }
    }

    /// Reads the structure of a chunk of a document that other threads read too, or its end.
    pub(crate) fn read_linked(
        &mut self,
        links: ChunkLinks,
        chunk: Option<&Chunk<'_>>,
        shared: &SharedDocument<'_>,
    ) {
        if let Some(edges) = &mut self.edges {
            let document = (shared.kind, &shared.document);
            let faults = edges.linked(links, chunk, document, &mut self.found.rows);
            shared.add_faults(faults);
        }
    }

    /// Scans a chunk whose lines are documents. `line` is the line in which it starts. Returns the line in which it ends.
    pub(crate) fn scan_lines(
        &mut self,
        chunk: &Chunk<'_>,
        text: &SourceText,
        mut line: TextLine,
        shared: &SharedLines<'_>,
    ) -> TextLine {
        self.set_kind(text.kind());
        let mut tally = Tally::default();
        let mut at = chunk.range.start;
        while at < chunk.range.end {
            let end = memchr::memchr(b'\n', &chunk.bytes[at..])
                .map_or(chunk.bytes.len(), |length| at + length);
            tally += self.scan_line(chunk, at..end, text, line, shared);
            if end >= chunk.range.end {
                break;
            }
            self.end_line(text, line, shared);
            at = end + 1;
            line = TextLine {
                ordinal: line.ordinal + 1,
                start: chunk.offset + at as u64,
            };
        }
        self.add(tally, chunk.range.len());
        if shared.first.is_some() || shared.last.is_some() {
            self.found.hand_over();
        }
        line
    }

    /// Scans `part` of a chunk, which is a line or a part of one.
    fn scan_line(
        &mut self,
        chunk: &Chunk<'_>,
        part: Range<usize>,
        text: &SourceText,
        line: TextLine,
        shared: &SharedLines<'_>,
    ) -> Tally {
        let from = line.start.saturating_sub(chunk.offset) as usize;
        let piece = Chunk {
            bytes: &chunk.bytes[from..part.end],
            range: part.start - from..part.end.min(chunk.range.end) - from,
            offset: chunk.offset + from as u64 - line.start,
            is_damaged: chunk.is_damaged && part.end == chunk.bytes.len(),
        };
        let range = self.undamaged(&piece);
        let found = &mut self.found;
        let mut document = None;
        let tally = self
            .scanner
            .scan_range(piece.bytes, range, piece.offset, |mention| {
                let document = document.get_or_insert_with(|| text.line(line));
                found.add(document, &mention, (piece.bytes, piece.offset));
            });
        if let Some(shared) = document.and_then(|document| shared.find(&document.id)) {
            shared.note_mention();
        }
        tally
    }

    /// Marks the end of `line`.
    fn end_line(&mut self, text: &SourceText, line: TextLine, shared: &SharedLines<'_>) {
        let id = text.id(line);
        if shared.find(&id).is_none() {
            self.found.batch.close(&id);
        }
    }

    /// Marks the end, at `end`, of a text that this thread scanned alone; `line` is its last line. Returns the number of
    /// lines.
    pub(crate) fn end_lines(&mut self, text: &SourceText, line: TextLine, end: u64) -> u64 {
        self.end_line(text, line, &SharedLines::default());
        line.count(end)
    }

    /// Marks the end of a document that this thread scanned alone. Returns the number of documents.
    pub(crate) fn end(&mut self, document: &Document) -> u64 {
        self.found.batch.close(&document.id);
        if let Some(edges) = &mut self.edges {
            edges.end(document, &mut self.found.rows);
        }
        1
    }

    /// Scans some rows of a table.
    pub(crate) fn scan_rows(&mut self, rows: &TableRows) {
        match self.scan.plan.options.columns.objects {
            true => self.scan_objects(rows),
            false => self.scan_cells(rows),
        }
    }

    /// Scans rows that are objects of JSON, each of them as a document.
    fn scan_objects(&mut self, rows: &TableRows) {
        self.set_kind(TextKind::Unknown);
        let mut name = String::new();
        for cell in rows.batch.cells() {
            let document = rows.document(cell.row, &mut name);
            let bytes = rows.batch.text(cell);
            let chunk = Chunk {
                bytes,
                range: 0..bytes.len(),
                offset: 0,
                is_damaged: false,
            };
            self.scan(&chunk, &document);
            self.end(&document);
        }
    }

    /// Scans the cells of some rows.
    fn scan_cells(&mut self, rows: &TableRows) {
        let options = self.scan.plan.options;
        let bytes = rows.batch.bytes().len();
        let found = rows.candidate_cells(&self.scanner);
        let mut tally = Tally::default();
        let (mut document, mut name) = (None::<(u32, Document)>, String::new());
        for (number, starts) in found.cells {
            let cell = &rows.batch.cells()[number];
            if let Some((_, last)) = document.take_if(|(row, _)| *row != cell.row) {
                self.found.batch.close(&last.id);
            }
            let made = || (cell.row, rows.document(cell.row, &mut name));
            let (_, document) = document.get_or_insert_with(made);
            if options.selection.writes_columns() {
                document.column = Some(rows.batch.place(cell).into());
            }
            tally += self.scan_cell(rows, cell, &found.starts[starts], document);
        }
        if let Some((_, last)) = document {
            self.found.batch.close(&last.id);
        }
        self.add(tally, bytes);
    }

    /// Scans a cell, in which candidates may start at `starts`.
    fn scan_cell(
        &mut self,
        rows: &TableRows,
        cell: &TableCell,
        starts: &[usize],
        document: &Document,
    ) -> Tally {
        let text = rows.batch.text(cell);
        let found = &mut self.found;
        let options = self.scan.plan.options;
        self.scanner.set_kind(kind::of_cell(options, text));
        let starts = starts.iter().copied();
        let tally = self.scanner.scan_at(text, starts, |mention| {
            found.add(document, &mention, (text, 0));
        });
        if self.found.has_edges {
            let record = rows.batch.own_name(cell.row);
            place_in_cell(&mut self.found.rows, record, &rows.batch.pointer(cell));
        }
        tally
    }

    /// Returns the range of a chunk, without a last name that damage may have cut, since its rest may look like another name.
    fn undamaged(&mut self, chunk: &Chunk<'_>) -> Range<usize> {
        let range = chunk.range.clone();
        if !chunk.is_damaged {
            return range;
        }
        let mut last = None;
        self.scanner
            .scan_range(chunk.bytes, range.clone(), 0, |mention| {
                last = Some((
                    mention.offset as usize,
                    mention.offset as usize + mention.text.len(),
                ));
            });
        match last {
            Some((start, end))
                if chunk.bytes[end..]
                    .iter()
                    .all(|byte| b".,;:!?-&'".contains(byte)) =>
            {
                range.start..start
            }
            _ => range,
        }
    }

    fn add(&mut self, tally: Tally, bytes: usize) {
        let filtered = std::mem::take(&mut self.found.filtered);
        self.counts.tally += tally;
        self.counts.filtered += filtered;
        self.counts.bytes_decoded += bytes as u64;
        let plan = &self.scan.plan;
        let monitor = &plan.options.monitor;
        monitor.add_mentions(tally.mentions - filtered);
    }

    /// Passes all mentions to the table, and adds the counts to those of the run.
    pub(crate) fn settle(&mut self) {
        self.found.hand_over();
        let counts = self.take_counts();
        self.scan.ledger.count(counts);
    }

    /// Takes the counts so far.
    pub(crate) fn take_counts(&mut self) -> ScanCounts {
        std::mem::take(&mut self.counts)
    }
}

impl FoundMentions<'_> {
    /// Adds a mention found in `bytes`, which start at an offset of the document.
    fn add(&mut self, document: &Document, mention: &Mention<'_>, bytes: (&[u8], u64)) {
        if self.filter.is_some_and(|filter| !filter.takes(mention.key)) {
            self.filtered += 1;
            if self.has_edges {
                let (kind, around) = (AnchorKind::Filtered, MentionContext::default());
                self.rows.push_found(document, mention, kind, around);
            }
            return;
        }
        if self.keep_rows {
            let around = MentionContext::none(self.has_texts);
            let (start, length) = ((mention.offset - bytes.1) as usize, mention.text.len());
            let around = around.around(bytes.0, start, length, self.context);
            match self.has_edges {
                true => (self.rows).push_found(document, mention, AnchorKind::Mention, around),
                false => self.rows.push(document, mention, around),
            }
        }
        if !self.fills_table(document) {
            return;
        }
        match &mut self.pairs {
            Some(pairs) => self.batch.count(pairs.of(document, mention.key)),
            None if self.counts => self.batch.count(mention.key.as_bytes()),
            None => self.batch.push(document, mention),
        }
        if self.batch.is_full() {
            self.hand_over();
        }
    }

    /// Adds an anchor without a mention, if rows have places and a field may start there.
    fn add_refused(&mut self, document: &Document, offset: u64, bytes: (&[u8], u64)) {
        if self.has_edges && may_start_value(bytes.0, (offset - bytes.1) as usize) {
            self.rows.push_refused(document, offset);
        }
    }

    /// Whether the names of a document go into the table.
    fn fills_table(&self, document: &Document) -> bool {
        let first = self.first_unnamed;
        first.is_some_and(|first| document.id.source as usize >= first)
    }

    fn hand_over(&mut self) {
        if self.first_unnamed.is_none() {
            return;
        }
        if let Err(error) = self.scan.table.absorb(&mut self.batch) {
            self.scan.ledger.fail(error.into());
        }
    }
}

/// Whether a field, or a name in a presentation form, may start at `at`: the byte before, without white space, must be a mark
/// that can precede it.
fn may_start_value(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].trim_ascii_end();
    before
        .last()
        .is_some_and(|byte| b"\"'>{=/:-".contains(byte))
}
