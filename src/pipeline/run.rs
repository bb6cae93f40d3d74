//! A run from its first source to its last row: what all threads share, and what comes before and after them.

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rayon::ThreadPool;
use serde::Serialize;

use super::monitor::Monitor;
use super::options::{OnError, Options};
use super::{crew, turn};
use crate::dedup::{Budget, Document, DocumentId, Drained, Kept, Table};
use crate::error::{Error, ErrorKind};
use crate::input::{InputError, Kind, Opening, Reach, Separator, Source, display_name, read_list};
use crate::records::{Block, Format, MentionRow, Output, Record, RowWriter, writer};
use crate::report::{Counts, Losses, Report, Skipped};
use crate::scan::Scanner;

/// What all threads of a run share.
pub(super) struct Run<'p> {
    pub(super) options: &'p Options,
    pub(super) sources: Vec<Source>,
    pub(super) reach: Reach,
    pub(super) table: Table,
    /// Device and inode of this run's outputs.
    own: Vec<(u64, u64)>,
    stopped: AtomicBool,
    ledger: Mutex<Ledger>,
}

/// What came of a run so far.
#[derive(Default)]
struct Ledger {
    counts: Counts,
    losses: Losses,
    skipped: Skipped,
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
    report
}

fn run_through(options: &Options) -> Result<Report, Error> {
    let started = Instant::now();
    // Before any source is looked for, so that none of them is a source.
    let report = options.report.as_deref();
    let outputs = Outputs::create(options.output.as_deref(), report, &options.monitor)?;
    let pool = pool(options)?;
    let run = Run::new(options, &outputs)?;
    let mut sink = Sink {
        rows: writer(options.format, options.mentions, outputs.rows).map_err(Error::output)?,
        written: 0,
    };
    match &pool {
        Some(pool) => crew::run(&run, pool, &mut sink),
        None => turn::run(&run, &mut sink),
    }
    let (table, counts, losses, skipped) = run.into_results()?;
    let mut report = Report::new(options.for_report(), counts, losses);
    report.skipped = skipped;
    let (drained, rows) = sink.finish(table, pool.as_ref(), options)?;
    report.records = drained.records;
    report.runs = drained.spilled.runs;
    report.spilled_bytes = drained.spilled.bytes;
    report.bytes_read = options.monitor.progress().bytes;
    report.seconds = started.elapsed().as_secs_f64();
    commit(rows, &report, outputs.report)?;
    Ok(report)
}

/// With one thread all is done on the caller's.
fn pool(options: &Options) -> Result<Option<ThreadPool>, Error> {
    let threads = options.threads;
    let builder = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|n| format!("scan-{n}"));
    let pool = (threads > 1).then(|| builder.build()).transpose();
    pool.map_err(|error| Error::new(ErrorKind::Threads(io::Error::other(error))))
}

impl Outputs {
    /// Opens them; `monitor` learns of those that are temporary.
    pub(crate) fn create(
        rows: Option<&Path>,
        report: Option<&Path>,
        monitor: &Monitor,
    ) -> Result<Self, Error> {
        let create = |path: Option<&Path>| -> Result<Output, Error> {
            let output = Output::create(path).map_err(Error::output)?;
            monitor.note_temporary(output.temporary());
            Ok(output)
        };
        Ok(Outputs {
            rows: create(rows)?,
            report: report.map(|path| create(Some(path))).transpose()?,
        })
    }

    fn identities(&self) -> Vec<(u64, u64)> {
        let report = self.report.iter().flat_map(Output::identities);
        self.rows
            .identities()
            .iter()
            .chain(report)
            .copied()
            .collect()
    }
}

/// Gives the rows their name, then the report, which is written as JSON.
pub(crate) fn commit(
    rows: Output,
    report: &impl Serialize,
    output: Option<Output>,
) -> Result<(), Error> {
    let commit = || -> io::Result<()> {
        rows.commit()?;
        let Some(mut output) = output else {
            return Ok(());
        };
        serde_json::to_writer_pretty(&mut output, report)?;
        output.write_all(b"\n")?;
        output.commit()
    };
    commit().map_err(Error::output)
}

impl<'p> Run<'p> {
    fn new(options: &'p Options, outputs: &Outputs) -> Result<Self, Error> {
        let (before, behind) = Scanner::new().window();
        let (sources, lost) = options.search.find(&paths(options)?);
        let run = Run {
            options,
            sources,
            reach: Reach { before, behind },
            table: table(options),
            own: outputs.identities(),
            stopped: AtomicBool::new(false),
            ledger: Mutex::default(),
        };
        for path in lost {
            run.lose(display_name(&path.path).into(), None, path.error);
        }
        if options.measure {
            run.measure();
        }
        Ok(run)
    }

    /// Tells the monitor the size of all sources, if each has one.
    fn measure(&self) {
        if self.sources.iter().all(|source| source.kind == Kind::File) {
            let sizes = self
                .sources
                .iter()
                .map(|source| fs::metadata(&source.path).map_or(0, |at| at.len()));
            self.options.monitor.set_total(sizes.sum());
        }
    }

    /// The sources in order.
    pub(super) fn each_source(&self) -> impl Iterator<Item = (u32, &Source)> {
        (0..).zip(&self.sources).take_while(|_| !self.is_halted())
    }

    pub(super) fn named(&self, ordinal: u32) -> Named {
        let name = self
            .sources
            .get(ordinal as usize)
            .map_or("".into(), |source| display_name(&source.path));
        Named {
            ordinal,
            name: name.into(),
        }
    }

    /// How sources are opened.
    pub(super) fn opening(&self, threads: usize) -> Opening<'_> {
        Opening {
            bytes: self.options.monitor.bytes(),
            own: &self.own,
            limits: self.options.limits,
            tmp: &self.options.tmp,
            threads,
        }
    }

    /// Whether there is no use in going on.
    pub(super) fn is_halted(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.options.monitor.is_cancelled()
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
            OnError::Fail => self.fail(error),
            OnError::Skip => {
                log::warn!("{error}");
                lock(&self.ledger).losses.add(&error);
            }
        }
    }

    /// Takes note of a document that is no text.
    pub(super) fn skip(&self, source: &str, document: Option<&str>, kind: &'static str) {
        match document {
            Some(document) => log::info!("{source}: {document}: skipped: {kind}"),
            None => log::info!("{source}: skipped: {kind}"),
        }
        lock(&self.ledger).skipped.add(kind);
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
        let ledger = self
            .ledger
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match ledger.failure {
            Some(error) => Err(error),
            None => not_cancelled(&self.options.monitor)
                .map(|()| (self.table, ledger.counts, ledger.losses, ledger.skipped)),
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
fn table(options: &Options) -> Table {
    let monitor = options.monitor.clone();
    // What gathers records for the output has its part; most of it, it has while the table is still full.
    let output = options.format.held().min(options.memory / 2);
    let budget = Budget {
        bytes: options.memory - output,
        folder: options.tmp.clone(),
        threads: options.threads,
        note: Box::new(move |path| monitor.note_temporary(Some(path))),
        fan: None,
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

/// All paths that were named, in lists too.
fn paths(options: &Options) -> Result<Vec<PathBuf>, Error> {
    let mut paths = options.paths.clone();
    for (list, separator) in &options.lists {
        let listed = listed(list, *separator);
        paths.extend(listed.map_err(|error| {
            Error::new(ErrorKind::List(error)).in_source(display_name(list).into())
        })?);
    }
    Ok(paths)
}

fn listed(list: &Path, separator: Separator) -> io::Result<Vec<PathBuf>> {
    match list.as_os_str() == "-" {
        true => read_list(io::stdin().lock(), separator),
        false => read_list(BufReader::new(File::open(list)?), separator),
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
