//! The state that all threads of a run share: its sources, its table, its counts and errors.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use doisift_core::Scanner;
use doisift_documents::{
    ChunkReach, Claims, Finder, FoundSources, Gate, Halt, InputError, Opening, Remark, Source,
    SourceKind, Sources, Unpackers, display_name, printable, unmarked_encoding,
};

use super::checkpoint::{Checkpoint, CheckpointFolder, Done, Earlier};
use super::effect::Met;
use super::gate::Gates;
use super::notice::{self, Gain, Notice, Notices};
use super::options::{OnError, ScanOptions};
use super::seek::Unfound;
use super::shares::Shares;
use crate::dedup::{Budget, Document, DocumentId, Lasting, NameTable};
use crate::error::{Error, ErrorKind};
use crate::lock::lock;
use crate::records::FileId;
use crate::report::{Counts, Losses, Skipped};
use crate::structure::StructureFaults;
use crate::task::{Destinations, Monitor, Outputs, not_cancelled, same_name};

/// The state that all threads of a run share.
pub(super) struct SharedScan<'p> {
    pub(super) options: &'p ScanOptions,
    pub(super) sources: Arc<Sources>,
    pub(super) reach: ChunkReach,
    pub(super) shares: Shares,
    pub(super) unpackers: Unpackers,
    pub(super) table: NameTable,
    /// Device and inode of files that this run created, which are no sources.
    own: Vec<FileId>,
    /// Device and inode of files that an output would overwrite.
    overwritten: Vec<FileId>,
    stopped: AtomicBool,
    /// What options are compared with at the end.
    pub(super) met: Met,
    has_folder: bool,
    /// Whether an earlier run has read some sources.
    is_resumed: bool,
    pub(super) gates: Gates,
    /// Symbolic links that were not followed.
    pub(super) links: u64,
    ledger: Mutex<ScanLedger>,
    notices: Notices,
    pub(super) checkpoint: Option<Arc<Checkpoint>>,
}

/// The counts and errors of a run so far.
#[derive(Default)]
struct ScanLedger {
    counts: Counts,
    losses: Losses,
    /// Errors for paths that could not be read while sources were searched. A resumed run finds them again.
    unfound: Losses,
    skipped: Skipped,
    /// Number of sources by recognised kind, if that is logged.
    recognised: BTreeMap<&'static str, u64>,
    failure: Option<Error>,
}

/// The number of a source in source order, and its name, which all its documents share.
#[derive(Clone)]
pub(super) struct NamedSource {
    pub(super) ordinal: u32,
    pub(super) name: Arc<str>,
}

impl NamedSource {
    /// The source with this number in the order of sources.
    pub(super) fn new(ordinal: u32, source: &Source) -> Self {
        NamedSource {
            ordinal,
            name: display_name(&source.path).into(),
        }
    }
}

/// Finds the sources, without the files of the checkpoint in `folder`.
fn find(
    options: &ScanOptions,
    finder: Finder<'_>,
    destinations: &Destinations,
    folder: Option<&CheckpointFolder>,
) -> Result<FoundSources, Error> {
    let mut found = finder.finish();
    if options.monitor.is_cancelled() {
        return Err(Error::new(ErrorKind::Cancelled));
    }
    let may_repeat = options.search.given_stdin_name().is_some() || !options.readers.is_empty();
    let repeated = may_repeat.then(|| found.sources.repeated_name()).flatten();
    if let Some(name) = repeated {
        return Err(same_name(&display_name(&name)));
    }
    destinations.check_found(&found.sources)?;
    if let Some(folder) = folder {
        let is_stdin = |source: &Source| source.kind == SourceKind::Stdin;
        let keep = |source: &Source| is_stdin(source) || !folder.holds(&source.path);
        found.sources.retain(keep);
    }
    Ok(found)
}

/// The ledger of a run that goes on where an `earlier` one ended.
fn ledger(options: &ScanOptions, earlier: Option<&Earlier>, unfound: &Unfound) -> ScanLedger {
    let done = earlier.map(|earlier| &earlier.done);
    let mut ledger = ScanLedger::resumed(done, &options.monitor);
    (ledger.unfound, ledger.failure) = unfound.take();
    ledger
}

/// The bytes around a chunk that are read for it.
fn reach(options: &ScanOptions) -> ChunkReach {
    let (before, after) = Scanner::new().window();
    let context = options.selection.context;
    ChunkReach {
        before: before + context,
        after: after + context,
    }
}

impl<'p> SharedScan<'p> {
    pub(super) fn new(
        options: &'p ScanOptions,
        finder: Finder<'_>,
        unfound: &Unfound,
        destinations: &Destinations,
        outputs: &Outputs,
        folder: Option<CheckpointFolder>,
    ) -> Result<Self, Error> {
        let found = find(options, finder, destinations, folder.as_ref())?;
        let (sources, passed_over) = (Arc::new(found.sources), found.passed_over);
        let has_folder = found.has_folder;
        let begun = folder.map(|folder| Checkpoint::begin(folder, options, &sources));
        let (checkpoint, earlier) = begun.transpose()?.unzip();
        let checkpoint = checkpoint.map(Arc::new);
        let ledger = ledger(options, earlier.as_ref(), unfound);
        options.monitor.set_resumable(checkpoint.is_some());
        let is_resumed = earlier.is_some();
        let lasting = checkpoint.as_ref().zip(earlier);
        let lasting = lasting.map(|(checkpoint, earlier)| checkpoint.lasting(earlier));
        let own = outputs.temporary_ids().chain(destinations.empty());
        let shares = Shares::new(options, &sources);
        let run = SharedScan {
            options,
            sources,
            reach: reach(options),
            shares,
            unpackers: Unpackers::new(shares.threads, shares.unpacked),
            table: table(options, shares, lasting),
            own: own.collect(),
            overwritten: destinations.filled(),
            stopped: AtomicBool::new(ledger.failure.is_some()),
            met: Met::default(),
            has_folder,
            is_resumed,
            gates: Gates::default(),
            links: passed_over.links.0,
            ledger: Mutex::new(ledger),
            notices: Notices::default(),
            checkpoint,
        };
        notice::report_passed_over(&passed_over, options.search.has_globs());
        run.announce();
        Ok(run)
    }

    /// Logs how many sources there are, and gives the monitor their total size if that was asked for.
    fn announce(&self) {
        log::info!("sources: {}", self.sources.len());
        if let Some(checkpoint) = self.checkpoint.as_ref().filter(|at| at.started() > 0) {
            log::info!(
                "sources finished by the interrupted run: {}",
                checkpoint.started()
            );
        }
        if self.options.measure {
            self.measure();
        }
    }

    /// Sets the monitor's total to the size of all sources, if each has one.
    fn measure(&self) {
        if self
            .sources
            .iter()
            .any(|source| source.kind != SourceKind::File)
        {
            return;
        }
        let size = |source: Source| fs::metadata(source.path).map_or(0, |at| at.len());
        let done = self.checkpoint.as_ref().map_or(0, |at| at.started());
        let (done, rest) = (
            self.sources.iter().take(done),
            self.sources.iter().skip(done),
        );
        let monitor = &self.options.monitor;
        let done: u64 = done.map(size).sum();
        monitor.add_passed(done.saturating_sub(monitor.progress().bytes));
        monitor.set_total(done + rest.map(size).sum::<u64>());
    }

    /// The sources in order, without those that an earlier run finished. Stops early if the run must end.
    pub(super) fn each_source(&self) -> impl Iterator<Item = (u32, Source)> {
        let done = self.checkpoint.as_ref().map_or(0, |at| at.started());
        let sources = (0..).zip(self.sources.iter()).skip(done);
        sources.take_while(|_| !self.is_halted() && !self.options.monitor.is_cancelled())
    }

    /// Records that the next source is about to be read.
    pub(super) fn start(&self, source: &Source) {
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.start(source);
        }
    }

    /// Records the end of a source that another program may have written while it was read.
    pub(super) fn note_pipe_end(&self, source: &Source) {
        if source.is_pipe() {
            self.options.monitor.note_stream_end();
        }
    }

    pub(super) fn has_checkpoints(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Whether it is time to wait for all started work and write a checkpoint.
    pub(super) fn is_checkpoint_due(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(|at| at.is_due())
    }

    /// Writes a checkpoint if the run has any. All started sources must be finished, unless the run was halted. `since` is the
    /// time at which the wait for them began.
    pub(super) fn checkpoint(&self, since: Instant) {
        let Some(checkpoint) = self.checkpoint.as_ref().filter(|_| !self.is_halted()) else {
            return;
        };
        let ledger = lock(&self.ledger);
        let done = Done {
            sources: checkpoint.started(),
            counts: ledger.counts,
            losses: ledger.losses.clone(),
            skipped: ledger.skipped.clone(),
            bytes_read: self.options.monitor.progress().bytes,
        };
        drop(ledger);
        if let Err(error) = checkpoint.make(since, done, || self.table.checkpoint()) {
            self.fail(error.into());
        }
    }

    pub(super) fn named(&self, ordinal: u32) -> NamedSource {
        match self.sources.get(ordinal as usize) {
            Some(source) => NamedSource::new(ordinal, &source),
            None => NamedSource {
                ordinal,
                name: "".into(),
            },
        }
    }

    /// The options for opening sources, with `unpackers` for unpacking in parallel, if given.
    pub(super) fn opening<'o>(
        &'o self,
        unpackers: Option<&'o Unpackers>,
        gate: &'o dyn Gate,
    ) -> Opening<'o> {
        Opening {
            bytes: self.options.monitor.bytes(),
            passed: self.options.monitor.passed(),
            own: &self.own,
            outputs: &self.overwritten,
            readers: Some(&self.options.readers),
            preprocessor: self.options.preprocessor.as_ref(),
            halt: Some(self),
            limits: self.options.limits,
            whole: self.shares.whole,
            share: 2 * self.shares.unpacked,
            gate,
            columns: &self.options.columns,
            sheet: None,
            tmp: &self.options.tmp,
            records: self.options.selection.writes_captures(),
            unpackers,
        }
    }

    /// Whether a command is run for the source, and its output read instead.
    pub(super) fn is_preprocessed(&self, source: &Source) -> bool {
        let by = self.options.preprocessor.as_ref();
        by.is_some_and(|by| by.takes(source))
    }

    /// Whether the run must end, so that further work is useless.
    pub(super) fn is_halted(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.options.monitor.is_ending()
    }

    /// Reports lost input: at `at`, a document and an offset, or a source that could not be opened.
    pub(super) fn lose(
        &self,
        source: Arc<str>,
        at: Option<(Option<Arc<str>>, u64)>,
        error: InputError,
    ) {
        let ends_run = error.ends_run();
        let mut error = Error::new(ErrorKind::Input(error)).in_source(source);
        if let Some((document, offset)) = at {
            error = error.at(document, offset);
        }
        match self.options.on_error {
            _ if ends_run => self.fail(error),
            OnError::Fail => self.fail(error),
            OnError::Skip => {
                log::warn!("{error}");
                lock(&self.ledger).losses.add(&error);
            }
        }
    }

    /// Reports that the names of so many documents of a source were cut.
    pub(super) fn cut(&self, source: &Arc<str>, count: u64) {
        let error = Error::new(ErrorKind::Input(InputError::CutNames(count)));
        log::warn!("{}", error.in_source(Arc::clone(source)));
        self.count(Counts {
            cut_names: count,
            ..Counts::default()
        });
    }

    /// Reports what was wrong with the structure of a document. No mention is lost by it.
    pub(super) fn report_structure(&self, document: &Document, faults: StructureFaults) {
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
                "{names}a record has too many names before its identifier; the first of them have no record"
            );
        }
        if faults.cut > 0 {
            log::warn!(
                "{names}identifiers of records, and paths, that are longer than 4096 bytes and were cut in their middle: {}",
                faults.cut
            );
        }
        self.count(Counts {
            broken: u64::from(faults.broken.is_some()),
            ..Counts::default()
        });
    }

    /// Reports rows of a table with more or fewer cells than its header.
    pub(super) fn report_ragged(&self, source: &NamedSource, document: Option<&str>, rows: u64) {
        if rows > 0 {
            self.notices
                .add(&source.name, document, Notice::Ragged(rows));
        }
    }

    /// Counts and logs a document that is not text.
    pub(super) fn skip(&self, source: &str, document: Option<&str>, kind: &'static str) {
        let names = [Some(source), document].into_iter().flatten();
        let names: String = names.map(|name| printable::name(name) + ": ").collect();
        log::debug!("{names}skipped: {kind}");
        lock(&self.ledger).skipped.add(kind);
    }

    /// Handles a remark on the start of a source, or of a document in it. Returns whether it was a notice about the source.
    pub(super) fn remark(
        &self,
        source: &NamedSource,
        document: Option<&str>,
        remark: Remark,
    ) -> bool {
        let notice = match remark {
            Remark::Source(kind) => {
                if log::log_enabled!(log::Level::Info) {
                    *lock(&self.ledger).recognised.entry(kind).or_default() += 1;
                }
                return false;
            }
            Remark::Misnamed(claim, found) => Notice::Misnamed(claim, found),
            Remark::Unmarked(encoding) => Notice::Unmarked(encoding),
            Remark::Empty if self.is_named(source) => Notice::Empty,
            Remark::Empty | Remark::Encoded(_) => return false,
        };
        self.notices.add(&source.name, document, notice);
        document.is_none()
    }

    /// Handles the start of a large plain text file, as [`remark`](Self::remark) does.
    pub(super) fn remark_text(&self, ordinal: u32, start: &[u8]) {
        let named = self.named(ordinal);
        self.remark(&named, None, Remark::Source("text"));
        let source = self.sources.get(ordinal as usize);
        let claims = source.map(|source| Claims::of(&source.path));
        let denied = claims.and_then(|claims| claims.denied_by_text(start));
        if let Some((claim, found)) = denied {
            self.remark(&named, None, Remark::Misnamed(claim, found));
        } else if let Some(encoding) = unmarked_encoding(start) {
            self.remark(&named, None, Remark::Unmarked(encoding));
        }
    }

    /// Ends a source. Writes a notice if it was named and gave no text.
    pub(super) fn end_source(&self, source: &NamedSource, gain: &Gain) {
        if let Some(notice) = gain
            .notice()
            .filter(|_| self.is_named(source) && !self.is_halted())
        {
            self.notices.add(&source.name, None, notice);
        }
    }

    fn is_named(&self, source: &NamedSource) -> bool {
        let source = self.sources.get(source.ordinal as usize);
        source.is_some_and(|source| source.named)
    }

    /// Ends the run with an error. If there are several, the first is returned.
    pub(super) fn fail(&self, error: Error) {
        lock(&self.ledger).failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn count(&self, counts: Counts) {
        lock(&self.ledger).counts += counts;
    }

    pub(super) fn into_results(self) -> Result<(NameTable, Counts, Losses, Skipped), Error> {
        self.notices.end();
        let ledger = self.ledger.into_inner();
        let mut ledger = ledger.unwrap_or_else(PoisonError::into_inner);
        if ledger.failure.is_none() && !self.is_resumed && !self.options.monitor.is_ending() {
            self.met.warn(self.options, &self.sources, self.has_folder);
        }
        ledger.log_recognised();
        ledger.losses.unite(ledger.unfound);
        match ledger.failure {
            Some(error) => Err(error),
            None => not_cancelled(&self.options.monitor)
                .map(|()| (self.table, ledger.counts, ledger.losses, ledger.skipped)),
        }
    }
}

impl Halt for SharedScan<'_> {
    fn is_halted(&self) -> bool {
        SharedScan::is_halted(self)
    }
}

impl ScanLedger {
    fn log_recognised(&self) {
        let kinds = self.recognised.iter();
        let kinds: Vec<_> = kinds
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        if !kinds.is_empty() {
            log::info!("sources recognised as: {}", kinds.join(", "));
        }
    }

    /// The counts and errors at the start of a run, with those of the run that it resumes.
    fn resumed(done: Option<&Done>, monitor: &Monitor) -> ScanLedger {
        let Some(done) = done else {
            return ScanLedger::default();
        };
        monitor.add_resumed(done.bytes_read);
        monitor.add_mentions(done.counts.mentions());
        ScanLedger {
            counts: done.counts,
            losses: done.losses.clone(),
            skipped: done.skipped.clone(),
            ..ScanLedger::default()
        }
    }
}

impl NamedSource {
    /// The document number `ordinal` of this source.
    pub(super) fn document(&self, ordinal: u64, name: Option<Arc<str>>) -> Document {
        let id = DocumentId {
            source: self.ordinal,
            document: ordinal,
        };
        Document {
            id,
            source: Arc::clone(&self.name),
            name,
            capture: None,
            column: None,
        }
    }
}

/// The table of a run. It stays empty if mentions are written.
fn table(options: &ScanOptions, shares: Shares, lasting: Option<Lasting>) -> NameTable {
    let (noting, ending) = (options.monitor.clone(), options.monitor.clone());
    // Runs of a checkpoint must not be removed if this process exits; the next process uses or removes them.
    let note = lasting.is_none();
    let folder = options.checkpoint.as_ref().unwrap_or(&options.tmp);
    let budget = Budget {
        note: Box::new(move |path| noting.note_temporary(Some(path).filter(|_| note))),
        stop: Box::new(move || ending.is_ending()),
        lasting,
        ..Budget::new(shares.table, folder, shares.threads)
    };
    NameTable::within(options.selection.kept(), budget)
}
