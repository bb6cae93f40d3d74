//! Reads a source document by document. A [`Scans`] scans the documents, either on the reading thread or by passing chunks to
//! others.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use doisift_core::TextKind;
use doisift_documents::{
    CellBatch, ChunkCutter, DocumentHead, DocumentSink, InputError, PeekReader, ReadBytes, Source,
    SourceNote, UnpackThreads,
};

use super::gate::{GateRole, SourceGate};
use super::text_table::TextTable;
use crate::dedup::CountedUnit;
use crate::pipeline::checkpoint::{Mark, ReadDocument, ReadPlace};
use crate::pipeline::ledger::Gain;
use crate::pipeline::plan::NamedSource;
use crate::pipeline::scanning::{Dictionaries, TableRows, TextLines, kind};
use crate::pipeline::shared_scan::SharedScan;
use crate::report::Counts;
use crate::task::Monitor;

/// Bytes of a read of text that is skipped.
const PASSED: usize = 256 << 10;

/// Scans documents, or hands them to threads that do.
pub(crate) trait Scans {
    /// Reads a document to its end. Each time `bytes` end or are damaged, `goes_on` reports the damage, and returns whether the
    /// document continues after it. Returns the number of documents in `text`: one, or its lines.
    fn document(
        &mut self,
        text: TextLines,
        cutter: &mut ChunkCutter,
        bytes: &mut dyn ReadBytes,
        goes_on: &mut dyn FnMut(&mut ChunkCutter) -> bool,
    ) -> u64;

    /// Scans the cells of some rows.
    fn cells(&mut self, rows: TableRows);

    /// Reaches a mark. `documents` is the number of documents that were read since the last mark.
    fn mark(&mut self, mark: Mark, documents: u64);
}

/// A source that is being read.
struct SourceReading<'a, 'r> {
    run: &'r SharedScan<'r>,
    named: &'a NamedSource,
    /// The documents found in the source so far.
    gain: Gain,
    /// The ordinal of the next document.
    ordinal: u64,
    /// Number of documents whose reading has begun.
    begun: u64,
    /// Number of documents that were counted at marks.
    counted: u64,
    /// Bytes of text that were read after the last mark.
    unmarked: u64,
    /// The mark of an earlier run in this source, up to which documents are skipped.
    passing: Option<Mark>,
    /// The offset in the next document at which an earlier run ended.
    from: u64,
    /// The bytes that the run had read before this source.
    before: u64,
    dictionaries: Dictionaries,
    whole: Option<WholeDocument>,
    scans: &'a mut dyn Scans,
}

/// A document that is read in several parts.
struct WholeDocument {
    unit: CountedUnit,
    /// Whether a part was read, and the document counted.
    is_counted: bool,
}

/// Reads all documents of a source. Returns the counts of sources and documents, which the caller adds to those of the run.
pub(crate) fn read_source<'r>(
    run: &'r SharedScan<'r>,
    (ordinal, source): (u32, &Source),
    unpackers: Option<&UnpackThreads>,
    role: GateRole,
    scans: &mut dyn Scans,
) -> Counts {
    let named = NamedSource::new(ordinal, source);
    let mut reading = SourceReading::new(run, &named, scans);
    let gate = SourceGate::new(&run.gates, &run.backlog, &run.ledger, role);
    let read_options = run.plan.read_options(&run.ledger, unpackers, Some(&gate));
    let read = read_options.read_source(source, &mut reading);
    run.plan.options.monitor.add_sources(1);
    let (place, gain, counted) = (reading.place(), reading.gain, reading.counted);
    if reading.passing.is_some() {
        run.refuse_mark(&named);
    }
    if source.is_pipe() {
        run.plan.options.monitor.note_stream_end();
    }
    let report_loss = |error| {
        run.ledger
            .report_loss(place, Arc::clone(&named.name), None, error)
    };
    let is_read = read.map_err(report_loss).unwrap_or_default();
    if !is_read {
        return Counts::default();
    }
    run.ledger.end_source(&named, &gain);
    Counts {
        sources: 1,
        documents: gain.documents - counted,
        ..Counts::default()
    }
}

impl<'a, 'r> SourceReading<'a, 'r> {
    fn new(run: &'r SharedScan<'r>, named: &'a NamedSource, scans: &'a mut dyn Scans) -> Self {
        SourceReading {
            run,
            named,
            gain: Gain::default(),
            ordinal: 0,
            begun: 0,
            counted: 0,
            unmarked: 0,
            passing: run.resumed_in(named.ordinal),
            from: 0,
            before: run.plan.options.monitor.progress().bytes,
            dictionaries: Dictionaries::default(),
            whole: None,
            scans,
        }
    }

    fn place(&self) -> ReadPlace {
        ReadPlace {
            source: self.named.ordinal,
            document: ReadDocument::Begun(self.begun),
        }
    }

    /// Skips a document that an earlier run has read. Returns false if there are no more of them.
    fn passes(&mut self, name: Option<&str>, bytes: &mut dyn ReadBytes) -> bool {
        let Some(mark) = self.passing else {
            return false;
        };
        if self.begun == mark.document {
            (self.passing, self.ordinal, self.from) = (None, mark.ordinal, mark.offset);
            if mark.offset == 0 {
                self.run.plan.options.monitor.pass_resumed(self.before);
            }
            self.gain.is_reported = true;
            return false;
        }
        self.begun += 1;
        if let Some(whole) = &mut self.whole {
            whole.is_counted = true;
        }
        if name.is_none() {
            // The next document, if any, is found only at the end of this text.
            pass_all(bytes);
        }
        true
    }

    /// Makes a mark before the next document if enough text was read.
    fn mark(&mut self) {
        if self.begun == 0 || !self.run.is_mark_due(self.unmarked) {
            return;
        }
        let mark = Mark::before(self.named.ordinal, self.begun, self.ordinal);
        let documents = self.gain.documents - self.counted;
        (self.counted, self.unmarked) = (self.gain.documents, 0);
        self.scans.mark(mark, documents);
    }

    /// Returns the mark before the document whose reading has begun, if there may be marks in it. Marks in a document have no
    /// counts of documents, so this mark must directly follow another mark, or the start of the source.
    fn mark_of_text(&self) -> Option<Mark> {
        let follows = self.unmarked == 0 && self.gain.documents == self.counted;
        let (source, before) = (self.named.ordinal, self.begun - 1);
        let mark = || Mark::before(source, before, self.ordinal);
        (follows && self.run.marks_texts()).then(mark)
    }

    /// Reads a text as one document, or one for each of its lines.
    fn text(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        let options = self.run.plan.options;
        let DocumentHead {
            name,
            origin,
            record,
            ..
        } = head;
        self.run.ledger.met.add_text(options, origin.is_none());
        let from = std::mem::take(&mut self.from);
        let mut cutter = ChunkCutter::starting_at(self.run.plan.reach, from);
        let bytes = &mut ResumedText {
            bytes,
            passing: from,
            before: self.before,
            monitor: &options.monitor,
        };
        let of_origin = |origin| kind::of_origin(options, origin);
        let origin = origin.map(of_origin);
        let text = TextLines::new(self.named, self.ordinal, name.clone())
            .captured(record)
            .part_of(self.whole.as_ref().map(|whole| whole.unit.clone()))
            .marked(self.mark_of_text())
            .known(origin);
        let place = self.place();
        let (run, source, gain) = (self.run, &self.named.name, &mut self.gain);
        let mut goes_on = |cutter: &mut ChunkCutter| {
            let Some((offset, error)) = cutter.take_damage() else {
                return false;
            };
            gain.is_reported = true;
            run.ledger.report_loss(
                place,
                Arc::clone(source),
                Some((name.clone(), offset)),
                error,
            );
            !run.ledger.is_halted()
        };
        let documents = self.scans.document(text, &mut cutter, bytes, &mut goes_on);
        let is_whole = |whole: &mut WholeDocument| !std::mem::replace(&mut whole.is_counted, true);
        let is_counted = options.reading.lines || self.whole.as_mut().is_none_or(is_whole);
        self.gain.documents += if is_counted { documents } else { 0 };
        self.ordinal += documents;
        self.unmarked += cutter.bytes_read();
    }
}

/// Text of which an earlier run has read a part. That part is read again, and skipped.
struct ResumedText<'t> {
    bytes: &'t mut dyn ReadBytes,
    /// Bytes that are still to be skipped.
    passing: u64,
    /// The bytes that the run had read before the source.
    before: u64,
    monitor: &'t Monitor,
}

impl ReadBytes for ResumedText<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let read = self.bytes.read(into)?;
        if self.passing > 0 {
            self.passing = self.passing.saturating_sub(read as u64);
            if self.passing == 0 {
                self.monitor.pass_resumed(self.before);
            }
        }
        Ok(read)
    }
}

/// Reads to the end.
fn pass_all(bytes: &mut dyn ReadBytes) {
    let mut buffer = vec![0; PASSED];
    while !matches!(bytes.read(&mut buffer), Ok(0)) {}
}

impl DocumentSink for SourceReading<'_, '_> {
    /// Reads one document, or one for each of its lines. If columns are chosen, it may be a table.
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        if self.passes(head.name.as_deref(), bytes) {
            return;
        }
        self.mark();
        self.begun += 1;
        let options = self.run.plan.options;
        if head.origin.is_some() || !options.columns.is_given() {
            return self.text(head, bytes);
        }
        let raw = PeekReader::with_capacity(bytes, TextKind::HEAD_BYTES);
        match TextTable::start(options, &head, raw) {
            Ok(table) => {
                let ragged = table.read(self);
                self.run
                    .ledger
                    .report_ragged(self.named, head.name.as_deref(), ragged);
            }
            Err(mut raw) => self.text(head, &mut raw),
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
        if self.passing.is_some() {
            return;
        }
        self.gain.documents += u64::from(batch.rows);
        self.unmarked += batch.bytes().len() as u64;
        if batch.cells().is_empty() {
            return;
        }
        self.scans.cells(TableRows {
            dictionaries: self.dictionaries.of(&batch),
            batch,
            source: self.named.clone(),
            table: table.name.clone(),
            ordinal: self.ordinal,
            capture: table.record.clone(),
        });
    }

    fn end_table(&mut self, rows: u64) {
        let met = &self.run.ledger.met;
        met.table.store(true, Ordering::Relaxed);
        self.ordinal += rows;
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        self.gain.is_reported = true;
        if self.passing.is_some() {
            return;
        }
        let (place, source) = (self.place(), Arc::clone(&self.named.name));
        self.run
            .ledger
            .report_loss(place, source, Some((name, offset)), error);
    }

    fn report_cut_names(&mut self, count: u64) {
        if self.passing.is_some() {
            return;
        }
        self.run.ledger.cut(self.place(), &self.named.name, count);
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        self.gain.skip(kind);
        if self.passing.is_some() {
            return;
        }
        self.run
            .ledger
            .skip(self.place(), &self.named.name, name.as_deref(), kind);
    }

    fn note(&mut self, name: Option<Arc<str>>, note: SourceNote) {
        if self.passing.is_some() {
            return;
        }
        self.gain.is_reported |= self.run.ledger.note(self.named, name.as_deref(), note);
    }

    fn is_halted(&self) -> bool {
        self.run.ledger.is_halted()
    }
}
