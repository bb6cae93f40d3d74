//! A run from its first source to its last row: what all threads share, and what comes before and after them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rayon::ThreadPool;
use serde::Serialize;

use super::checkpoint::{self, Checkpoint, Done, Folder};
use super::clash::{Destinations, in_checkpoint};
use super::monitor::Monitor;
use super::notice::{self, Gain, Notice, Notices};
use super::options::{OnError, Options};
use super::seek::{self, Unfound};
use super::shares::Shares;
use super::{crew, turn};
use crate::dedup::{Budget, Document, DocumentId, Drained, Kept, Lasting, Table};
use crate::error::{CheckpointError, Error, ErrorKind};
use crate::input::{
    Claims, Finder, FoundSources, InputError, Kind, Opening, Reach, Remark, Source, Sources,
    Unpackers, display_name, unmarked_encoding,
};
use crate::printable;
use crate::records::{Block, FileId, Format, MentionRow, Output, Record, RowWriter, Whole, writer};
use crate::report::{Counts, Losses, Report, Skipped};
use crate::scan::Scanner;

/// What all threads of a run share.
pub(super) struct Run<'p> {
    pub(super) options: &'p Options,
    pub(super) sources: Arc<Sources>,
    pub(super) reach: Reach,
    pub(super) shares: Shares,
    pub(super) unpackers: Unpackers,
    pub(super) table: Table,
    /// Device and inode of files that this run made and that are no sources.
    own: Vec<FileId>,
    /// Device and inode of files that an output would overwrite.
    overwritten: Vec<FileId>,
    stopped: AtomicBool,
    /// Symbolic links that were not followed.
    links: u64,
    ledger: Mutex<Ledger>,
    notices: Notices,
    checkpoint: Option<Arc<Checkpoint>>,
}

/// What came of a run so far.
#[derive(Default)]
struct Ledger {
    counts: Counts,
    losses: Losses,
    /// Paths that could not be looked at: a run that goes on from another finds them again.
    unfound: Losses,
    skipped: Skipped,
    /// What sources were recognised as, if anybody wants to know.
    recognised: BTreeMap<&'static str, u64>,
    failure: Option<Error>,
}

/// A source on its way through the threads: its ordinal, and the name that all its documents share.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) ordinal: u32,
    pub(super) name: Arc<str>,
}

/// Where rows go, and how many went there.
pub(super) struct Sink {
    rows: Box<dyn RowWriter<Output>>,
    written: u64,
}

/// The files of a run that are written.
pub(crate) struct Outputs {
    pub(crate) rows: Output,
    pub(crate) report: Option<Output>,
}

/// Runs a pipeline.
pub(super) fn run(options: &Options) -> Result<Report, Error> {
    let report = run_through(options);
    options.monitor.forget_temporary();
    let report = report.map_err(|error| cause(error, &options.monitor));
    warn_of_report(&report, options.report.as_deref());
    report.map_err(|error| match (error.kind(), &options.checkpoint) {
        (ErrorKind::Spill(stopped), _) if stopped.is_stop() => Error::new(ErrorKind::Cancelled),
        (ErrorKind::Spill(run), Some(folder)) if run.is_damage() => {
            checkpoint::fault(folder, CheckpointError::Damaged(run.path().to_owned()))
        }
        _ => error,
    })
}

fn run_through(options: &Options) -> Result<Report, Error> {
    let started = Instant::now();
    let destinations = Destinations::new(options.output.as_deref(), options.report.as_deref())?;
    let unfound = Unfound::new(options.on_error);
    let is_over = || options.monitor.is_cancelled();
    let lose = |lost| unfound.add(lost);
    let mut finder = options.search.start(&is_over, &lose);
    seek::add_named(options, &destinations, &mut finder)?;
    let folder = folder(options)?;
    let outputs = Outputs::create(
        options.output.as_deref(),
        options.report.as_deref(),
        folder.as_ref().map(Folder::mark),
        &options.monitor,
    )?;
    let run = Run::new(options, finder, &unfound, &destinations, &outputs, folder)?;
    let pool = pool(run.shares.threads)?;
    let checkpoint = run.checkpoint.clone();
    let mut sink = Sink {
        rows: writer(options.format, options.mentions, outputs.rows).map_err(Error::output)?,
        written: 0,
    };
    match &pool {
        Some(pool) => crew::run(&run, pool, &mut sink),
        None => turn::run(&run, &mut sink),
    }
    options.monitor.set_resumable(false);
    // Before the first record goes to standard output, too.
    options.monitor.settle();
    let links = run.links;
    let (table, counts, losses, skipped) = run.into_results()?;
    let mut report = Report::new(options.for_report(), counts, losses);
    report.skipped = skipped;
    report.links = links;
    let (drained, rows) = sink.finish(table, pool.as_ref(), options)?;
    report.records = drained.records;
    report.runs = drained.spilled.runs;
    report.spilled_bytes = drained.spilled.bytes;
    report.bytes_read = options.monitor.progress().bytes;
    report.seconds = started.elapsed().as_secs_f64();
    commit(rows, &report, outputs.report, &options.monitor)?;
    if let Some(checkpoint) = checkpoint {
        checkpoint.end(paths_out(options))?;
    }
    Ok(report)
}

/// The files that a run writes.
fn paths_out(options: &Options) -> impl Iterator<Item = &Path> {
    let paths = [&options.output, &options.report].into_iter().flatten();
    paths
        .map(PathBuf::as_path)
        .filter(|path| path.as_os_str() != "-")
}

/// The folder of checkpoints, taken for this run.
fn folder(options: &Options) -> Result<Option<Folder>, Error> {
    let folder = options.checkpoint.as_deref();
    let opened = folder.map(|folder| Folder::open(folder, paths_out(options)));
    let opened = opened.transpose()?;
    let held = |folder: &Folder| paths_out(options).find(|path| folder.holds(path));
    match opened.as_ref().and_then(held) {
        Some(output) => Err(in_checkpoint(output)),
        None => Ok(opened),
    }
}

/// With one thread all is done on the caller's.
fn pool(threads: usize) -> Result<Option<ThreadPool>, Error> {
    let builder = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|n| format!("scan-{n}"));
    let pool = (threads > 1).then(|| builder.build()).transpose();
    pool.map_err(|error| Error::new(ErrorKind::Threads(io::Error::other(error))))
}

impl Outputs {
    /// Opens them, under temporary names that are made with `mark` if there is one; `monitor` learns of those.
    pub(crate) fn create(
        rows: Option<&Path>,
        report: Option<&Path>,
        mark: Option<&str>,
        monitor: &Monitor,
    ) -> Result<Self, Error> {
        let create = |path: Option<&Path>| -> Result<Output, Error> {
            let output = match mark {
                Some(mark) => Output::create_marked(path, mark),
                None => Output::create(path),
            };
            let output = output.map_err(Error::output)?;
            monitor.note_temporary(output.temporary());
            Ok(output)
        };
        Ok(Outputs {
            rows: create(rows)?,
            report: report.map(|path| create(Some(path))).transpose()?,
        })
    }

    /// Device and inode of the temporary files.
    fn temporary_ids(&self) -> impl Iterator<Item = FileId> {
        let outputs = [&self.rows].into_iter().chain(&self.report);
        outputs.filter_map(Output::temporary_id)
    }
}

/// The error that ended a run; or that it was cancelled, if what cancelled it may be what ended its input or closed its output.
pub(crate) fn cause(error: Error, monitor: &Monitor) -> Error {
    match error.kind() {
        ErrorKind::Input(_) | ErrorKind::List(_) | ErrorKind::Records(_) => monitor.settle(),
        _ if error.is_closed_pipe() => {}
        _ => return error,
    }
    not_cancelled(monitor).err().unwrap_or(error)
}

/// Warns that there is no report at `path` because nobody reads the rows any more, which is no failure.
pub(crate) fn warn_of_report<R>(result: &Result<R, Error>, path: Option<&Path>) {
    if let (Err(error), Some(path)) = (result, path)
        && error.is_closed_pipe()
    {
        let path = printable::path(path);
        log::warn!("{path} was not written: the reader of the rows went away before the run ended");
    }
}

/// Gives the rows their name, and the report, which is written as JSON; but neither before both are written, so that one that
/// finds no room leaves none, nor if `monitor` was told to end the run.
pub(crate) fn commit(
    rows: Output,
    report: &impl Serialize,
    output: Option<Output>,
    monitor: &Monitor,
) -> Result<(), Error> {
    let rows = rows.finish().map_err(Error::output)?;
    let report = output
        .map(|output| write_report(report, output))
        .transpose();
    let report = match report {
        // Whoever closes a pipe wants no more of the report; the rows are for others.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
        report => report.map_err(Error::output)?,
    };
    monitor.commit(|| {
        rows.commit()?;
        report.map_or(Ok(()), Whole::commit)
    })
}

fn write_report(report: &impl Serialize, mut output: Output) -> io::Result<Whole> {
    serde_json::to_writer_pretty(&mut output, report)?;
    output.write_all(b"\n")?;
    output.finish()
}

impl<'p> Run<'p> {
    fn new(
        options: &'p Options,
        finder: Finder<'_>,
        unfound: &Unfound,
        destinations: &Destinations,
        outputs: &Outputs,
        folder: Option<Folder>,
    ) -> Result<Self, Error> {
        let (before, behind) = Scanner::new().window();
        let FoundSources {
            mut sources,
            passed_over,
        } = finder.finish();
        if options.monitor.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled));
        }
        destinations.check_found(&sources)?;
        if let Some(folder) = &folder {
            sources.retain(|source| !folder.holds(&source.path));
        }
        let sources = Arc::new(sources);
        let names = kept(options) == Kept::Key;
        let begun = folder.map(|folder| Checkpoint::begin(folder, options, names, &sources));
        let (checkpoint, earlier) = begun.transpose()?.unzip();
        let checkpoint = checkpoint.map(Arc::new);
        options.monitor.set_resumable(checkpoint.is_some());
        let mut ledger = Ledger::resumed(
            earlier.as_ref().map(|earlier| &earlier.done),
            &options.monitor,
        );
        (ledger.unfound, ledger.failure) = unfound.take();
        let is_failed = ledger.failure.is_some();
        let lasting = checkpoint.as_ref().zip(earlier);
        let shares = Shares::new(options, &sources);
        let run = Run {
            options,
            sources,
            reach: Reach { before, behind },
            shares,
            unpackers: Unpackers::new(shares.threads, shares.unpacked),
            table: table(
                options,
                shares,
                lasting.map(|(checkpoint, earlier)| checkpoint.lasting(earlier)),
            ),
            own: outputs
                .temporary_ids()
                .chain(destinations.empty())
                .collect(),
            overwritten: destinations.filled(),
            stopped: AtomicBool::new(is_failed),
            links: passed_over.links.0,
            ledger: Mutex::new(ledger),
            notices: Notices::default(),
            checkpoint,
        };
        log::info!("sources: {}", run.sources.len());
        if let Some(checkpoint) = run.checkpoint.as_ref().filter(|at| at.started() > 0) {
            log::info!("sources that an earlier run did: {}", checkpoint.started());
        }
        notice::report_passed_over(&passed_over, options.search.has_globs());
        if options.measure {
            run.measure();
        }
        Ok(run)
    }

    /// Sets the monitor's total to the size of all sources, if each has one.
    fn measure(&self) {
        if self.sources.iter().any(|source| source.kind != Kind::File) {
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

    /// The sources in order, without those that an earlier run did, until the run is to end.
    pub(super) fn each_source(&self) -> impl Iterator<Item = (u32, Source)> {
        let done = self.checkpoint.as_ref().map_or(0, |at| at.started());
        let sources = (0..).zip(self.sources.iter()).skip(done);
        sources.take_while(|_| !self.is_halted() && !self.options.monitor.is_cancelled())
    }

    /// Takes note of the next source, which is about to be read.
    pub(super) fn start(&self, source: &Source) {
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.start(source);
        }
    }

    /// Takes note that a source was read, if another program wrote it meanwhile.
    pub(super) fn note_pipe_end(&self, source: &Source) {
        if source.is_pipe() {
            self.options.monitor.note_stream_end();
        }
    }

    pub(super) fn has_checkpoints(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Whether it is time to wait for all that is under way, and make a checkpoint.
    pub(super) fn is_checkpoint_due(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(|at| at.is_due())
    }

    /// Makes a checkpoint, if the run has any. All sources that were started are done, unless the run was halted; `since`
    /// is when they were begun to be waited for.
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

    pub(super) fn named(&self, ordinal: u32) -> Named {
        let name = self
            .sources
            .get(ordinal as usize)
            .map_or("".into(), |source| display_name(&source.path).into());
        Named { ordinal, name }
    }

    /// How sources are opened, to be unpacked with the help of `unpackers` if there are any.
    pub(super) fn opening<'o>(&'o self, unpackers: Option<&'o Unpackers>) -> Opening<'o> {
        Opening {
            bytes: self.options.monitor.bytes(),
            passed: self.options.monitor.passed(),
            own: &self.own,
            outputs: &self.overwritten,
            limits: self.options.limits,
            tmp: &self.options.tmp,
            unpackers,
        }
    }

    /// Whether there is no use in going on.
    pub(super) fn is_halted(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.options.monitor.is_ending()
    }

    /// Takes note of input that was lost: at `at` of a document, or a source that was not opened.
    pub(super) fn lose(
        &self,
        source: Arc<str>,
        at: Option<(Option<Arc<str>>, u64)>,
        error: InputError,
    ) {
        let mut error = Error::new(ErrorKind::Input(error)).in_source(source);
        if let Some((document, offset)) = at {
            error = error.at(document, offset);
        }
        match self.options.on_error {
            _ if matches!(error.kind(), ErrorKind::Input(InputError::Output)) => self.fail(error),
            OnError::Fail => self.fail(error),
            OnError::Skip => {
                log::warn!("{error}");
                lock(&self.ledger).losses.add(&error);
            }
        }
    }

    /// Takes note that so many documents of a source have names that were cut.
    pub(super) fn cut(&self, source: &Arc<str>, count: u64) {
        let error = Error::new(ErrorKind::Input(InputError::CutNames(count)));
        log::warn!("{}", error.in_source(Arc::clone(source)));
        self.count(Counts {
            cut_names: count,
            ..Counts::default()
        });
    }

    /// Takes note of a document that is no text.
    pub(super) fn skip(&self, source: &str, document: Option<&str>, kind: &'static str) {
        let names = [Some(source), document].into_iter().flatten();
        let names: String = names.map(|name| printable::name(name) + ": ").collect();
        log::debug!("{names}skipped: {kind}");
        lock(&self.ledger).skipped.add(kind);
    }

    /// Takes note of what the start of a source, or of a document in it, says. Whether it was written to the log.
    pub(super) fn remark(&self, source: &Named, document: Option<&str>, remark: Remark) -> bool {
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
            Remark::Empty => return false,
        };
        self.notices.add(&source.name, document, notice);
        document.is_none()
    }

    /// Takes note of a large file that is plain text and starts with `start`.
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

    /// A source was read to its end: says so if it was named and nothing came of it.
    pub(super) fn end_source(&self, source: &Named, gain: &Gain) {
        if let Some(notice) = gain
            .notice()
            .filter(|_| self.is_named(source) && !self.is_halted())
        {
            self.notices.add(&source.name, None, notice);
        }
    }

    fn is_named(&self, source: &Named) -> bool {
        let source = self.sources.get(source.ordinal as usize);
        source.is_some_and(|source| source.named)
    }

    /// Ends the run; the first error to do so is the run's.
    pub(super) fn fail(&self, error: Error) {
        lock(&self.ledger).failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn count(&self, counts: Counts) {
        lock(&self.ledger).counts += counts;
    }

    fn into_results(self) -> Result<(Table, Counts, Losses, Skipped), Error> {
        self.notices.end();
        let ledger = self.ledger.into_inner();
        let mut ledger = ledger.unwrap_or_else(PoisonError::into_inner);
        ledger.log_recognised();
        ledger.losses.unite(ledger.unfound);
        match ledger.failure {
            Some(error) => Err(error),
            None => not_cancelled(&self.options.monitor)
                .map(|()| (self.table, ledger.counts, ledger.losses, ledger.skipped)),
        }
    }
}

impl Ledger {
    fn log_recognised(&self) {
        let kinds = self.recognised.iter();
        let kinds: Vec<_> = kinds
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        if !kinds.is_empty() {
            log::info!("sources recognised as: {}", kinds.join(", "));
        }
    }

    /// What came of a run that goes on from what an earlier one has done.
    fn resumed(done: Option<&Done>, monitor: &Monitor) -> Ledger {
        let Some(done) = done else {
            return Ledger::default();
        };
        monitor.add_resumed(done.bytes_read);
        monitor.add_mentions(done.counts.tally.mentions);
        Ledger {
            counts: done.counts,
            losses: done.losses.clone(),
            skipped: done.skipped.clone(),
            ..Ledger::default()
        }
    }
}

impl Named {
    /// The document at `ordinal` of this source.
    pub(super) fn document(&self, ordinal: u64, name: Option<Arc<str>>) -> Document {
        let id = DocumentId {
            source: self.ordinal,
            document: ordinal,
        };
        Document {
            id,
            source: Arc::clone(&self.name),
            name,
        }
    }
}

/// The table of a run; where mentions are wanted it stays empty.
fn table(options: &Options, shares: Shares, lasting: Option<Lasting>) -> Table {
    let (noting, ending) = (options.monitor.clone(), options.monitor.clone());
    // What the next run wants or removes is not to be removed if this process exits.
    let note = lasting.is_none();
    let folder = options.checkpoint.as_ref().unwrap_or(&options.tmp);
    let budget = Budget {
        note: Box::new(move |path| noting.note_temporary(Some(path).filter(|_| note))),
        stop: Box::new(move || ending.is_ending()),
        lasting,
        ..Budget::new(shares.table, folder, shares.threads)
    };
    Table::within(kept(options), budget)
}

/// What the format shows of a record.
fn kept(options: &Options) -> Kept {
    match options.format {
        Format::Names => Kept::Key,
        _ => Kept::All,
    }
}

pub(crate) fn not_cancelled(monitor: &Monitor) -> Result<(), Error> {
    if monitor.is_cancelled() {
        Err(Error::new(ErrorKind::Cancelled))
    } else {
        Ok(())
    }
}

impl Sink {
    pub(super) fn mention(&mut self, row: &MentionRow<'_>) -> io::Result<()> {
        self.written += 1;
        self.rows.mention(row)
    }

    /// Writes the records of `table`, unless it was mentions that were written, and ends the output.
    fn finish(
        self,
        table: Table,
        pool: Option<&ThreadPool>,
        options: &Options,
    ) -> Result<(Drained, Output), Error> {
        if options.mentions {
            let drained = Drained {
                records: self.written,
                ..Drained::default()
            };
            return Ok((drained, self.rows.finish().map_err(Error::output)?));
        }
        let mut rows = self.rows.into_blocks().map_err(Error::output)?;
        let format = |records: &mut dyn Iterator<Item = Record<'_>>| {
            Block::new(options.format, records).map_err(Error::output)
        };
        let write = |block: Block| {
            not_cancelled(&options.monitor)?;
            rows.write(block).map_err(Error::output)
        };
        // No chunk is left to scan, so that writing here keeps nothing waiting.
        let drained = match pool {
            Some(pool) => pool.install(|| table.into_rows(format, write)),
            None => table.into_rows(format, write),
        }?;
        Ok((drained, rows.finish().map_err(Error::output)?))
    }
}

/// A panic elsewhere while the lock was held is reported by itself.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
