//! Runs a scan: opens the outputs, starts the threads, writes the records and the report.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::dispatch::{scan_inline, scan_on_threads};
use super::plan::{ScanOptions, ScanPlan, UnreadPaths, add_named_sources};
use super::rows::{Caller, Drain, Sink, WrittenRows};
use super::shared_scan::SharedScan;
use crate::checkpoint::{self, CheckpointFolder};
use crate::counts::Counts;
use crate::error::{Cause, CheckpointError, Error, SelectionError};
use crate::lookup;
use crate::records::{Output, PartsDone, is_folder};
use crate::report::{KnownReport, ScanReport, edges};
use crate::task::{Destinations, RowOutputs, RowTarget, TaskFiles};

/// Runs a scan. Its rows go to `caller` if there is one.
pub(super) fn run_scan<'c>(
    options: &'c ScanOptions,
    caller: Option<Caller<'c>>,
) -> Result<ScanReport, Error> {
    let started = Instant::now();
    if options.sources.range.is_some() && !options.selection.writes_mentions() {
        return Err(Error::new(Cause::Selection(SelectionError::Range)));
    }
    let unfound = UnreadPaths::new(options.reading.on_error.unwrap_or_default());
    let (is_over, report_loss) = (|| options.monitor.is_cancelled(), |lost| unfound.add(lost));
    let mut checkpoint = None;
    let side_outputs: Vec<_> = options.side_outputs().collect();
    let report = files(options, &side_outputs, caller.is_some()).run_all(
        |destinations| {
            lookup::check_outputs(options.lookup.known.as_deref(), destinations)?;
            let mut finder = options.search.start(&is_over, &report_loss);
            add_named_sources(options, destinations, &mut finder)?;
            Ok((finder, folder(options, destinations)?))
        },
        |(finder, folder), outputs, destinations| {
            let plan = ScanPlan::new(options, finder, destinations, folder.as_ref())?;
            let scan = SharedScan::new(plan, caller.is_some(), &unfound, folder);
            let scan = scan.map_err(|error| with_cause(error, options))?;
            checkpoint = scan.checkpoint.clone();
            let mut sink = sink(&scan, outputs, caller)?;
            scan_sources(&scan, &mut sink).map_err(|error| with_cause(error, options))?;
            Ok((scan, sink))
        },
        |(scan, sink)| write(scan, sink, started).map_err(|error| with_cause(error, options)),
    )?;
    if let Some(checkpoint) = checkpoint {
        checkpoint.end(paths_out(options))?;
    }
    Ok(report)
}

/// Returns the outputs of a run.
fn files<'f>(
    options: &'f ScanOptions,
    side_outputs: &'f [RowTarget<'f>],
    has_caller: bool,
) -> TaskFiles<'f> {
    TaskFiles {
        rows: RowTarget {
            path: options.output.as_deref(),
            parts: options.parts.as_ref(),
        },
        side_outputs,
        has_caller,
        report: options.report.as_deref(),
        services: &options.services,
        monitor: &options.monitor,
    }
}

/// Creates the sink of the rows. It continues after the rows of an earlier run, if there is one.
fn sink<'c>(
    scan: &SharedScan<'c>,
    mut outputs: RowOutputs,
    caller: Option<Caller<'c>>,
) -> Result<Sink<'c>, Error> {
    let (plan, resumed) = (&scan.plan, scan.resumed());
    if let Some(done) = resumed {
        let resume = |output: &mut Output, done: &PartsDone, rows: u64| {
            let passed = done.rows.saturating_sub(rows);
            output.resume(*done, passed).map_err(Error::output)
        };
        resume(&mut outputs.rows, &done.rows, done.at.rows)?;
        if let Some((nodes, output)) = done.nodes.as_ref().zip(outputs.side_outputs.last_mut()) {
            resume(output, nodes, done.at.nodes)?;
        }
    }
    let mut sink = Sink::new(plan.options, plan.shares, outputs, caller)?;
    resumed.into_iter().for_each(|rows| sink.resume(&rows.at));
    Ok(sink)
}

/// Returns the error of a failed run. Damage of a sorted run is reported as damage of the checkpoint, if there is one.
fn with_cause(error: Error, options: &ScanOptions) -> Error {
    match (error.cause(), &options.resources.checkpoint) {
        (Cause::Spill(sorted), Some(folder)) if sorted.is_damage() => {
            checkpoint::fault(folder, CheckpointError::Damaged(sorted.path().to_owned()))
        }
        _ => error,
    }
}

/// Reads and scans all sources.
fn scan_sources(scan: &SharedScan<'_>, sink: &mut Sink<'_>) -> Result<(), Error> {
    let plan = &scan.plan;
    // Only a crew of threads can scan ranges of files.
    if plan.shares.threads > 1 || plan.options.sources.range.is_some() {
        scan_on_threads(scan, sink)?;
    } else {
        scan_inline(scan, sink);
    }
    scan.ledger.end()?;
    lookup::check(&plan.options.ends)
}

/// Writes the rows that need all mentions of a name, and makes the report.
fn write(
    scan: SharedScan<'_>,
    sink: Sink<'_>,
    started: Instant,
) -> Result<(RowOutputs, ScanReport), Error> {
    let (plan, earlier) = (scan.plan, scan.earlier);
    let options = plan.options;
    let (entries, seen_inputs) = scan.ledger.into_entries();
    // An earlier run may have read the input that an option concerns.
    if scan.checkpoint.is_none() {
        seen_inputs.warn(options, &plan.sources, plan.has_folder);
    }
    let drain = Drain::new(options);
    let WrittenRows {
        drained,
        names,
        outputs,
    } = sink.finish(scan.table, &entries.counts, &drain)?;
    let known = drain.known().map(|known| KnownReport {
        ends_changed: Some(entries.counts.tally.ends_changed),
        ..known
    });
    let progress = options.monitor.progress();
    let has_edges = options.selection.writes_edges();
    let report = ScanReport {
        edges: has_edges.then(|| edges(&entries.counts)),
        resumed: earlier.map(|earlier| earlier.counts(progress.resumed)),
        skipped: Counts::of(entries.skipped),
        links: plan.passed_over.links.0,
        records: drained.records,
        names,
        known,
        runs: drained.spilled.runs,
        spilled_bytes: drained.spilled.bytes,
        bytes_read: progress.bytes,
        seconds: started.elapsed().as_secs_f64(),
        ..ScanReport::new(options.for_report(), entries.counts, entries.losses)
    };
    Ok((outputs, report))
}

/// Returns the paths of the outputs that are not standard output.
fn paths_out(options: &ScanOptions) -> impl Iterator<Item = &Path> + Clone {
    let paths = [&options.output, &options.report].into_iter().flatten();
    let side_outputs = options.side_outputs().filter_map(|rows| rows.path);
    paths
        .map(PathBuf::as_path)
        .chain(side_outputs)
        .filter(|path| path.as_os_str() != "-")
}

/// Opens the folder of the checkpoint, if the run has one.
fn folder(
    options: &ScanOptions,
    destinations: &mut Destinations,
) -> Result<Option<CheckpointFolder>, Error> {
    let Some(folder) = options.resources.checkpoint.as_deref() else {
        return Ok(None);
    };
    let folder = checkpoint::open(folder, paths_out(options), destinations)?;
    for output in paths_out(options).filter(|path| is_folder(path)) {
        let keep = folder.keep(output, &options.services);
        destinations.set_keep(output, keep.map_err(Error::output)?);
    }
    Ok(Some(folder))
}
