//! Reads a source document by document. A [`DocumentScanner`] scans the documents, either on the reading thread or by passing chunks to
//! others.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use doisift_core::TextKind;
use doisift_documents::{
    CellBatch, ChunkCutter, DocumentHead, DocumentSink, InputError, PeekReader, ReadBytes, Source,
    SourceNote, UnpackThreads,
};

use super::text_table::TextTable;
use crate::dedup::CountedUnit;
use crate::pipeline::checkpoint::{Mark, ReadDocument, ReadPlace};
use crate::pipeline::ledger::SourceTotals;
use crate::pipeline::plan::NamedSource;
use crate::pipeline::scanning::{SourceText, TableRows, kind};
use crate::pipeline::shared_scan::SharedScan;
use crate::report::ScanCounts;
use crate::task::{GateRole, Monitor, SourceGate};

/// Bytes of a read of text that is skipped.
const SKIP_READ_BYTES: usize = 256 << 10;

/// Scans documents, or hands them to threads that do.
pub(crate) trait DocumentScanner {
    /// Reads a document to its end. Each time `bytes` end or are damaged, `continue_after_damage` reports the damage, and returns whether the
    /// document continues after it. Returns the number of documents in `text`: one, or its lines.
    fn document(
        &mut self,
        text: SourceText,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        continue_after_damage: &mut dyn FnMut(&mut ChunkCutter) -> bool,
    ) -> u64;

    /// Scans the cells of some rows.
    fn cells(&mut self, rows: TableRows);

    /// Reaches a mark. `documents` is the number of documents that were read since the last mark.
    fn mark(&mut self, mark: Mark, documents: u64);
}

/// A source that is being read.
struct SourceReading<'a, 'r> {
    scan: &'r SharedScan<'r>,
    named: &'a NamedSource,
    /// The documents found in the source so far.
    totals: SourceTotals,
    /// The ordinal of the next document.
    ordinal: u64,
    /// Number of documents whose reading has begun.
    begun: u64,
    /// Number of documents that were counted at marks.
    counted: u64,
    /// Bytes of text that were read after the last mark.
    unmarked: u64,
    /// The mark of an earlier run in this source, up to which documents are skipped.
    resume_mark: Option<Mark>,
    /// The offset in the next document at which an earlier run ended.
    resume_offset: u64,
    /// The bytes that the run had read before this source.
    before: u64,
    whole: Option<WholeDocument>,
    scanner: &'a mut dyn DocumentScanner,
}

/// A document that is read in several parts.
struct WholeDocument {
    unit: CountedUnit,
    /// Whether a part was read, and the document counted.
    is_counted: bool,
}

/// Reads all documents of a source. Returns the counts of sources and documents, which the caller adds to those of the run.
pub(crate) fn read_source<'r>(
    scan: &'r SharedScan<'r>,
    (ordinal, source): (u32, &Source),
    unpackers: Option<&UnpackThreads>,
    role: GateRole,
    scanner: &mut dyn DocumentScanner,
) -> ScanCounts {
    let named = NamedSource::new(ordinal, source);
    let mut reading = SourceReading::new(scan, &named, scanner);
    let gate = SourceGate::new(&scan.gates, &scan.backlog, &scan.ledger, role);
    let read_options = scan.plan.read_options(&scan.ledger, unpackers, Some(&gate));
    scan.plan.expect_after(ordinal);
    let read = read_options.read_source(source, &mut reading);
    scan.plan.options.monitor.add_sources(1);
    let (place, totals, counted) = (reading.place(), reading.totals, reading.counted);
    if reading.resume_mark.is_some() {
        scan.refuse_mark(&named);
    }
    if source.is_pipe() {
        scan.plan.options.monitor.note_stream_end();
    }
    let report_loss = |error| {
        scan.ledger
            .report_loss(place, Arc::clone(&named.name), None, error)
    };
    let is_read = read.map_err(report_loss).unwrap_or_default();
    if !is_read {
        return ScanCounts::default();
    }
    scan.ledger.end_source(&named, &totals);
    ScanCounts {
        sources: 1,
        documents: totals.documents - counted,
        ..ScanCounts::default()
    }
}

impl<'a, 'r> SourceReading<'a, 'r> {
    fn new(
        scan: &'r SharedScan<'r>,
        named: &'a NamedSource,
        scanner: &'a mut dyn DocumentScanner,
    ) -> Self {
        SourceReading {
            scan,
            named,
            totals: SourceTotals::default(),
            ordinal: 0,
            begun: 0,
            counted: 0,
            unmarked: 0,
            resume_mark: scan.resumed_in(named.ordinal),
            resume_offset: 0,
            before: scan.plan.options.monitor.progress().bytes,
            whole: None,
            scanner,
        }
    }

    fn place(&self) -> ReadPlace {
        ReadPlace {
            source: self.named.ordinal,
            document: ReadDocument::Begun(self.begun),
        }
    }

    /// Skips a document that an earlier run has read. Returns false if there are no more of them.
    fn skips(&mut self, name: Option<&str>, bytes: &mut dyn ReadBytes) -> bool {
        let Some(mark) = self.resume_mark else {
            return false;
        };
        if self.begun == mark.document {
            (self.resume_mark, self.ordinal, self.resume_offset) =
                (None, mark.ordinal, mark.offset);
            if mark.offset == 0 {
                self.scan.plan.options.monitor.pass_resumed(self.before);
            }
            self.totals.is_reported = true;
            return false;
        }
        self.begun += 1;
        if let Some(whole) = &mut self.whole {
            whole.is_counted = true;
        }
        if name.is_none() {
            // The next document, if any, is found only at the end of this text.
            skip_all(bytes);
        }
        true
    }

    /// Makes a mark before the next document if enough text was read.
    fn mark(&mut self) {
        if self.begun == 0 || !self.scan.is_mark_due(self.unmarked) {
            return;
        }
        let mark = Mark::before(self.named.ordinal, self.begun, self.ordinal);
        let documents = self.totals.documents - self.counted;
        (self.counted, self.unmarked) = (self.totals.documents, 0);
        self.scanner.mark(mark, documents);
    }

    /// Returns the mark before the document whose reading has begun, if there may be marks in it. Marks in a document have no
    /// counts of documents, so this mark must directly follow another mark, or the start of the source.
    fn mark_of_text(&self) -> Option<Mark> {
        let follows = self.unmarked == 0 && self.totals.documents == self.counted;
        let (source, before) = (self.named.ordinal, self.begun - 1);
        let mark = || Mark::before(source, before, self.ordinal);
        (follows && self.scan.marks_texts()).then(mark)
    }

    /// Reads a text as one document, or one for each of its lines.
    fn text(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        let (scan, options) = (self.scan, self.scan.plan.options);
        let seen_inputs = &scan.ledger.seen_inputs;
        seen_inputs.add_text(options, head.origin.is_none());
        let from = std::mem::take(&mut self.resume_offset);
        let mut cutter = ChunkCutter::starting_at(scan.plan.reach, from);
        let mut bytes = ResumedText {
            bytes,
            skip_bytes: from,
            before: self.before,
            monitor: &options.monitor,
        };
        let name = head.name.clone();
        let text = self.source_text(head);
        let place = self.place();
        let (source, totals) = (&self.named.name, &mut self.totals);
        let mut continue_after_damage = |cutter: &mut ChunkCutter| {
            let Some((offset, error)) = cutter.take_damage() else {
                return false;
            };
            totals.is_reported = true;
            let document = Some((name.clone(), offset));
            scan.ledger
                .report_loss(place, Arc::clone(source), document, error);
            !scan.ledger.is_halted()
        };
        let documents =
            self.scanner
                .document(text, &mut cutter, &mut bytes, &mut continue_after_damage);
        self.count_text(documents, cutter.bytes_read());
    }

    /// Describes a text whose reading has begun.
    fn source_text(&self, head: DocumentHead) -> SourceText {
        let options = self.scan.plan.options;
        let of_origin = |origin| kind::of_origin(options, origin);
        SourceText::new(self.named, self.ordinal, head.name)
            .captured(head.record)
            .part_of(self.whole.as_ref().map(|whole| whole.unit.clone()))
            .marked(self.mark_of_text())
            .known(head.origin.map(of_origin))
    }

    /// Counts the documents of a text that was read. The parts of a document in several parts count once.
    fn count_text(&mut self, documents: u64, bytes_read: u64) {
        let is_first = |whole: &mut WholeDocument| !std::mem::replace(&mut whole.is_counted, true);
        let has_lines = self.scan.plan.options.reading.lines;
        let is_counted = has_lines || self.whole.as_mut().is_none_or(is_first);
        self.totals.documents += if is_counted { documents } else { 0 };
        self.ordinal += documents;
        self.unmarked += bytes_read;
    }
}

/// Text of which an earlier run has read a part. That part is read again, and skipped.
struct ResumedText<'t> {
    bytes: &'t mut dyn ReadBytes,
    /// Bytes that are still to be skipped.
    skip_bytes: u64,
    /// The bytes that the run had read before the source.
    before: u64,
    monitor: &'t Monitor,
}

impl ReadBytes for ResumedText<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let read = self.bytes.read(into)?;
        if self.skip_bytes > 0 {
            self.skip_bytes = self.skip_bytes.saturating_sub(read as u64);
            if self.skip_bytes == 0 {
                self.monitor.pass_resumed(self.before);
            }
        }
        Ok(read)
    }
}

/// Reads to the end.
fn skip_all(bytes: &mut dyn ReadBytes) {
    let mut buffer = vec![0; SKIP_READ_BYTES];
    while !matches!(bytes.read(&mut buffer), Ok(0)) {}
}

impl DocumentSink for SourceReading<'_, '_> {
    /// Reads one document, or one for each of its lines. If columns are chosen, it may be a table.
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        if self.skips(head.name.as_deref(), bytes) {
            return;
        }
        self.mark();
        self.begun += 1;
        let options = self.scan.plan.options;
        if head.origin.is_some() || !options.columns.is_given() {
            return self.text(head, bytes);
        }
        let raw = PeekReader::with_capacity(bytes, TextKind::HEAD_BYTES);
        match TextTable::start(options, &head, raw) {
            Ok(table) => {
                let ragged = table.read(self);
                self.scan
                    .ledger
                    .report_ragged(self.named, head.name.as_deref(), ragged);
            }
            Err(mut raw) => self.text(head, &mut *raw),
        }
    }

    fn begin_parts(&mut self) {
        self.whole = Some(WholeDocument {
            unit: CountedUnit::whole(self.named.ordinal, self.ordinal),
            is_counted: false,
        });
    }

    fn end_parts(&mut self) {
        self.whole = None;
    }

    fn cells(&mut self, table: &DocumentHead, batch: CellBatch) {
        if self.resume_mark.is_some() {
            return;
        }
        self.totals.documents += u64::from(batch.rows);
        self.unmarked += batch.bytes().len() as u64;
        if batch.cells().is_empty() {
            return;
        }
        self.scanner.cells(TableRows {
            batch,
            source: self.named.clone(),
            table: table.name.clone(),
            ordinal: self.ordinal,
            capture: table.record.clone(),
        });
    }

    fn end_table(&mut self, rows: u64) {
        let seen_inputs = &self.scan.ledger.seen_inputs;
        seen_inputs.table.store(true, Ordering::Relaxed);
        let has_texts = self.scan.plan.options.columns.objects;
        seen_inputs.text.fetch_or(has_texts, Ordering::Relaxed);
        self.ordinal += rows;
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        self.totals.is_reported = true;
        if self.resume_mark.is_some() {
            return;
        }
        let (place, source) = (self.place(), Arc::clone(&self.named.name));
        self.scan
            .ledger
            .report_loss(place, source, Some((name, offset)), error);
    }

    fn report_cut_names(&mut self, count: u64) {
        if self.resume_mark.is_some() {
            return;
        }
        self.scan
            .ledger
            .report_cut_names(self.place(), &self.named.name, count);
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        self.totals.skip(kind);
        if self.resume_mark.is_some() {
            return;
        }
        self.scan
            .ledger
            .skip(self.place(), &self.named.name, name.as_deref(), kind);
    }

    fn note(&mut self, name: Option<Arc<str>>, note: SourceNote) {
        if self.resume_mark.is_some() {
            return;
        }
        self.totals.is_reported |= self.scan.ledger.note(self.named, name.as_deref(), note);
    }

    fn is_halted(&self) -> bool {
        self.scan.ledger.is_halted()
    }
}
