//! Runs a scan: opens the outputs, starts the threads, writes the records and the report.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::ThreadPool;

use super::checkpoint::{self, CheckpointFolder};
use super::options::ScanOptions;
use super::seek::{self, Unfound};
use super::sink::{Caller, Sink};
use super::state::SharedScan;
use super::{crew, turn};
use crate::error::{CheckpointError, Error, ErrorKind, SelectionError};
use crate::report::Report;
use crate::task::{Destinations, Outputs, cause, commit, in_checkpoint, warn_of_report};

/// Runs a pipeline. Its rows go to `caller` if there is one.
pub(super) fn run(options: &ScanOptions, caller: Option<Caller<'_>>) -> Result<Report, Error> {
    let report = run_through(options, caller);
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

fn run_through(options: &ScanOptions, caller: Option<Caller<'_>>) -> Result<Report, Error> {
    let started = Instant::now();
    if options.range.is_some() && !options.selection.writes_mentions() {
        return Err(Error::new(ErrorKind::Selection(SelectionError::Range)));
    }
    let destinations = destinations(options, caller.is_some())?;
    let unfound = Unfound::new(options.on_error);
    let is_over = || options.monitor.is_cancelled();
    let lose = |lost| unfound.add(lost);
    let mut finder = options.search.start(&is_over, &lose);
    seek::add_named(options, &destinations, &mut finder)?;
    let folder = folder(options)?;
    let outputs = create(options, caller.is_some(), folder.as_ref())?;
    let run = SharedScan::new(options, finder, &unfound, &destinations, &outputs, folder)?;
    let pool = pool(run.shares.threads, options.range.is_some())?;
    let checkpoint = run.checkpoint.clone();
    let mut sink = Sink::new(options, outputs.rows, caller)?;
    match &pool {
        Some(pool) => crew::run(&run, pool, &mut sink),
        None => turn::run(&run, &mut sink),
    }
    options.monitor.set_resumable(false);
    // Also before the first record is written to standard output.
    options.monitor.settle();
    let links = run.links;
    let (table, counts, losses, skipped) = run.into_results()?;
    let (drained, rows) = sink.finish(table, &counts, pool.as_ref(), options)?;
    let report = Report {
        skipped,
        links,
        records: drained.records,
        runs: drained.spilled.runs,
        spilled_bytes: drained.spilled.bytes,
        bytes_read: options.monitor.progress().bytes,
        seconds: started.elapsed().as_secs_f64(),
        ..Report::new(options.for_report(), counts, losses)
    };
    commit(rows, &report, outputs.report, &options.monitor)?;
    if let Some(checkpoint) = checkpoint {
        checkpoint.end(paths_out(options))?;
    }
    Ok(report)
}

/// What the outputs of a run replace. Rows that go to a caller have none.
fn destinations(options: &ScanOptions, has_caller: bool) -> Result<Destinations, Error> {
    let report = options.report.as_deref();
    if has_caller {
        Destinations::without_rows(report)
    } else {
        Destinations::new(options.output.as_deref(), report)
    }
}

fn create(
    options: &ScanOptions,
    has_caller: bool,
    folder: Option<&CheckpointFolder>,
) -> Result<Outputs, Error> {
    let (report, monitor) = (options.report.as_deref(), &options.monitor);
    match has_caller {
        true => Outputs::without_rows(report, monitor),
        false => {
            let mark = folder.map(CheckpointFolder::mark);
            Outputs::create(options.output.as_deref(), report, mark, monitor)
        }
    }
}

/// The paths of the outputs that are files.
fn paths_out(options: &ScanOptions) -> impl Iterator<Item = &Path> {
    let paths = [&options.output, &options.report].into_iter().flatten();
    paths
        .map(PathBuf::as_path)
        .filter(|path| path.as_os_str() != "-")
}

/// The folder of the checkpoint, locked for this run.
fn folder(options: &ScanOptions) -> Result<Option<CheckpointFolder>, Error> {
    let folder = options.checkpoint.as_deref();
    let opened = folder.map(|folder| CheckpointFolder::open(folder, paths_out(options)));
    let opened = opened.transpose()?;
    let held = |folder: &CheckpointFolder| paths_out(options).find(|path| folder.holds(path));
    match opened.as_ref().and_then(held) {
        Some(output) => Err(in_checkpoint(output)),
        None => Ok(opened),
    }
}

/// The pool; none for one thread, since all work runs on the caller's then. Only a pool scans ranges of files.
fn pool(threads: usize, has_range: bool) -> Result<Option<ThreadPool>, Error> {
    let builder = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|n| format!("scan-{n}"));
    let pool = (threads > 1 || has_range)
        .then(|| builder.build())
        .transpose();
    pool.map_err(|error| Error::new(ErrorKind::Threads(io::Error::other(error))))
}
