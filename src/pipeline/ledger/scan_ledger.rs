//! The counts, losses and notices of a scan so far.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use doisift_documents::{
    HaltSignal, InputError, NameClaims, Source, SourceNote, printable, unmarked_encoding,
};

use super::notice::{Notice, Notices, SourceTotals};
use super::structure_faults::{Mistyped, StructureFaults};
use super::unused_options::SeenInputs;
use crate::dedup::Document;
use crate::error::{Cause, Error, MistypedValues};
use crate::lock::lock;
use crate::pipeline::checkpoint::{FinishedWork, Mark, ReadDocument, ReadPlace};
use crate::pipeline::plan::{NamedSource, OnError, ScanOptions, UnreadPaths};
use crate::report::{Losses, ScanCounts};

/// The counts, losses and notices of a scan so far. All threads write to it.
pub(crate) struct ScanLedger<'p> {
    options: &'p ScanOptions,
    entries: Mutex<LedgerEntries>,
    stopped: AtomicBool,
    notices: Notices,
    /// Whether findings are counted only when a mark after them is reached.
    by_marks: bool,
    /// Kinds of input that were read, with which options are compared at the end.
    pub(crate) seen_inputs: SeenInputs,
}

/// The counts and errors of a run so far.
#[derive(Default)]
pub(crate) struct LedgerEntries {
    pub(crate) counts: ScanCounts,
    pub(crate) losses: Losses,
    /// Documents that are not text, by kind.
    pub(crate) skipped: BTreeMap<Cow<'static, str>, u64>,
    /// Findings after the last mark, if rows are checkpointed.
    unsettled: Vec<(ReadPlace, Finding)>,
    /// Errors for paths that could not be read while sources were searched. A resumed run finds them again.
    unfound: Losses,
    /// Number of sources by recognised kind, if that is logged.
    recognised: BTreeMap<&'static str, u64>,
    failure: Option<Error>,
}

/// A finding while sources were read.
enum Finding {
    Loss(Error),
    Skip(&'static str),
    Counts(ScanCounts),
}

impl<'p> ScanLedger<'p> {
    /// Creates the ledger of a run. If it resumes an earlier one, `done` is the finished work of that. If `by_marks`, findings
    /// count only when a mark after them is reached.
    pub(crate) fn new(
        options: &'p ScanOptions,
        done: Option<&FinishedWork>,
        unfound: &UnreadPaths,
        by_marks: bool,
    ) -> Self {
        let mut entries = done.map_or_else(LedgerEntries::default, |done| {
            options.monitor.add_resumed(done.bytes_read);
            options.monitor.add_mentions(done.counts.mentions());
            LedgerEntries {
                counts: done.counts,
                losses: done.losses.clone(),
                skipped: done.skipped.clone(),
                ..LedgerEntries::default()
            }
        });
        (entries.unfound, entries.failure) = unfound.take();
        ScanLedger {
            options,
            stopped: AtomicBool::new(entries.failure.is_some()),
            entries: Mutex::new(entries),
            notices: Notices::default(),
            by_marks,
            seen_inputs: SeenInputs::default(),
        }
    }

    /// Returns the finished work when the first `sources` sources are finished.
    pub(crate) fn done(&self, sources: usize) -> FinishedWork {
        let entries = lock(&self.entries);
        FinishedWork {
            sources,
            counts: entries.counts,
            losses: entries.losses.clone(),
            skipped: entries.skipped.clone(),
            bytes_read: self.options.monitor.progress().bytes,
        }
    }

    /// Returns the bytes of text that were counted so far.
    pub(crate) fn text(&self) -> u64 {
        lock(&self.entries).counts.bytes_decoded
    }

    /// Counts all findings before a mark.
    pub(crate) fn reach(&self, mark: Mark) {
        lock(&self.entries).settle(|place| mark.is_after(place));
    }

    /// Adds a finding, which may have to wait for a mark.
    fn add_finding(&self, place: ReadPlace, found: Finding) {
        let mut entries = lock(&self.entries);
        match self.by_marks {
            true => entries.unsettled.push((place, found)),
            false => entries.add(found),
        }
    }

    /// Whether the run must end, so that further work is useless.
    pub(crate) fn is_halted(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.options.monitor.is_ending()
    }

    /// Ends the run with an error. If there are several, the first is returned.
    pub(crate) fn fail(&self, error: Error) {
        lock(&self.entries).failure.get_or_insert(error);
        self.stop();
    }

    /// Makes the run end.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn count(&self, counts: ScanCounts) {
        lock(&self.entries).counts += counts;
    }

    /// Reports lost input. `at` is its document and offset; `None` for a source that could not be opened.
    pub(crate) fn report_loss(
        &self,
        place: ReadPlace,
        source: Arc<str>,
        at: Option<(Option<Arc<str>>, u64)>,
        error: InputError,
    ) {
        let is_fatal = error.is_fatal();
        let mut error = Error::new(Cause::Input(error)).in_source(source);
        if let Some((document, offset)) = at {
            error = error.at(document, offset);
        }
        match is_fatal {
            true => self.fail(error),
            false => self.report_lost(place, error),
        }
    }

    /// Reports an error that loses input, or ends the run with it, depending on the option `on_error`.
    fn report_lost(&self, place: ReadPlace, error: Error) {
        match self.options.reading.on_error.unwrap_or_default() {
            OnError::Fail => self.fail(error),
            OnError::Skip => {
                log::warn!("{error}");
                self.add_finding(place, Finding::Loss(error));
            }
        }
    }

    /// Reports that the names of `count` documents of a source were cut.
    pub(crate) fn report_cut_names(&self, place: ReadPlace, source: &Arc<str>, count: u64) {
        let error = Error::new(Cause::Input(InputError::CutNames(count)));
        log::warn!("{}", error.in_source(Arc::clone(source)));
        let counts = ScanCounts {
            cut_names: count,
            ..ScanCounts::default()
        };
        self.add_finding(place, Finding::Counts(counts));
    }

    /// Counts and reports the faults in the structure of a document. No mention is lost by them.
    pub(crate) fn report_structure(&self, document: &Document, faults: StructureFaults) {
        if faults == StructureFaults::default() {
            return;
        }
        let counts = ScanCounts {
            broken: u64::from(faults.broken.is_some()),
            mistyped: faults.mistyped.iter().map(|values| values.count).sum(),
            ..ScanCounts::default()
        };
        self.add_finding(place_of(document), Finding::Counts(counts));
        let names = [Some(&*document.source), document.name.as_deref()]
            .into_iter()
            .flatten();
        let names: String = names.map(|name| printable::name(name) + ": ").collect();
        if let Some(offset) = faults.broken {
            let more = match faults.count {
                ..=1 => String::new(),
                count => format!(" here and in {} more places", count - 1),
            };
            log::warn!(
                "{names}offset {offset}: the structure is broken{more}; names near it may have no record"
            );
        }
        if faults.undecided > 0 {
            log::warn!(
                "{names}a record has too many names before its identifier or its fields; the first of them lack these"
            );
        }
        if faults.cut > 0 {
            log::warn!(
                "{names}identifiers and fields of records, and paths, with more than 4096 bytes, shortened in the middle: {}",
                faults.cut
            );
        }
        for values in faults.mistyped {
            self.report_mistyped(document, values);
        }
    }

    /// Reports values of a field of records that are not of the type of its column.
    fn report_mistyped(&self, document: &Document, values: Mistyped) {
        let column = &self.options.selection.structure.fields[values.field].column;
        let mistyped = MistypedValues {
            column: column.name.clone(),
            kind: column.kind.name(),
            values: column.kind.values(),
            count: values.count,
            first: values.first,
        };
        let error = Error::new(Cause::Mistyped(mistyped.into()));
        let error = error.in_source(Arc::clone(&document.source));
        let error = error.at(document.name.clone(), values.offset);
        self.report_lost(place_of(document), error);
    }

    /// Reports that a document is not JSON although its name has an ending of JSON.
    pub(crate) fn report_no_json(&self, document: &Document) {
        self.notices
            .add(&document.source, document.name.as_deref(), Notice::NoJson);
    }

    /// Reports rows of a table with more or fewer cells than its header.
    pub(crate) fn report_ragged(&self, source: &NamedSource, document: Option<&str>, rows: u64) {
        if rows > 0 {
            self.notices
                .add(&source.name, document, Notice::Ragged(rows));
        }
    }

    /// Counts and logs a document that is not text.
    pub(crate) fn skip(
        &self,
        place: ReadPlace,
        source: &str,
        document: Option<&str>,
        kind: &'static str,
    ) {
        let names = [Some(source), document].into_iter().flatten();
        let names: String = names.map(|name| printable::name(name) + ": ").collect();
        log::debug!("{names}skipped: {kind}");
        self.add_finding(place, Finding::Skip(kind));
    }

    /// Handles a note on the start of a source, or of a document in it. Returns whether it was a notice about the source.
    pub(crate) fn note(
        &self,
        source: &NamedSource,
        document: Option<&str>,
        note: SourceNote,
    ) -> bool {
        let notice = match note {
            SourceNote::Source(kind) => {
                if log::log_enabled!(log::Level::Info) {
                    *lock(&self.entries).recognised.entry(kind).or_default() += 1;
                }
                return false;
            }
            SourceNote::Misnamed(claim, found) => Notice::Misnamed(claim, found),
            SourceNote::Unmarked(encoding) => Notice::Unmarked(encoding),
            SourceNote::Empty if source.is_named => Notice::Empty,
            SourceNote::Empty => return false,
        };
        self.notices.add(&source.name, document, notice);
        document.is_none()
    }

    /// Handles the start of a large plain text file, as [`note`](Self::note) does.
    pub(crate) fn note_text(&self, named: &NamedSource, source: &Source, start: &[u8]) {
        self.note(named, None, SourceNote::Source("text"));
        if let Some((claim, found)) = NameClaims::of(&source.path).denied_by_text(start) {
            self.note(named, None, SourceNote::Misnamed(claim, found));
        } else if let Some(encoding) = unmarked_encoding(start) {
            self.note(named, None, SourceNote::Unmarked(encoding));
        }
    }

    /// Ends a source. Writes a notice if it was named and gave no text.
    pub(crate) fn end_source(&self, source: &NamedSource, totals: &SourceTotals) {
        if let Some(notice) = totals.notice()
            && source.is_named
            && !self.is_halted()
        {
            self.notices.add(&source.name, None, notice);
        }
    }

    /// Ends the ledger after all sources were read: writes the notices and counts that were withheld.
    ///
    /// # Errors
    /// The first error that ended the run.
    pub(crate) fn end(&self) -> Result<(), Error> {
        self.notices.end();
        let mut entries = lock(&self.entries);
        entries.settle(|_| true);
        entries.log_recognised();
        entries.failure.take().map_or(Ok(()), Err)
    }

    /// Returns the counts and errors, and the kinds of input that were read.
    pub(crate) fn into_entries(self) -> (LedgerEntries, SeenInputs) {
        let entries = self.entries.into_inner();
        let mut entries = entries.unwrap_or_else(PoisonError::into_inner);
        let unfound = std::mem::take(&mut entries.unfound);
        entries.losses.unite(unfound);
        (entries, self.seen_inputs)
    }
}

/// Returns the place of a finding in a document.
fn place_of(document: &Document) -> ReadPlace {
    ReadPlace {
        source: document.id.source,
        document: ReadDocument::Ordinal(document.id.document),
    }
}

impl HaltSignal for ScanLedger<'_> {
    fn is_halted(&self) -> bool {
        ScanLedger::is_halted(self)
    }
}

impl LedgerEntries {
    fn add(&mut self, found: Finding) {
        match found {
            Finding::Loss(error) => self.losses.add(&error),
            Finding::Skip(kind) => *self.skipped.entry(kind.into()).or_default() += 1,
            Finding::Counts(counts) => self.counts += counts,
        }
    }

    /// Counts the findings at places for which `is_settled` is true.
    fn settle(&mut self, is_settled: impl Fn(ReadPlace) -> bool) {
        let unsettled = std::mem::take(&mut self.unsettled);
        for (place, found) in unsettled {
            match is_settled(place) {
                true => self.add(found),
                false => self.unsettled.push((place, found)),
            }
        }
    }

    fn log_recognised(&self) {
        let kinds = self.recognised.iter();
        let kinds: Vec<_> = kinds
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        if !kinds.is_empty() {
            log::info!("sources recognised as: {}", kinds.join(", "));
        }
    }
}
