//! Runs a check: opens the sources, delivers the rows, and replaces fixed files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use doisift_documents::printable;

use super::baseline::Baseline;
use super::crew;
use super::fix::FixedFile;
use super::formats::CheckFormat;
use super::options::CheckSettings;
use super::outdated::outdated;
use super::report::{CheckCounts, CheckReport};
use super::retractions;
use super::row_sink::{ReferenceSink, TakeRow};
use super::seen::MAX_NAMES;
use super::sources::expanded;
use crate::counts::Counts;
use crate::error::{Cause, CheckError, Error};
use crate::indexing::IndexSettings;
use crate::lookup::{self, KnownNames};
use crate::registry::RegistryCounts;
use crate::task::{Destinations, Monitor, RowOutputs, RowTarget, TaskFiles};

/// Max accepted findings that are named because no row used them.
const MAX_UNUSED: usize = 20;

/// Runs a check.
pub(super) fn run<'s>(
    settings: &'s CheckSettings,
    caller: Option<TakeRow<'s>>,
) -> Result<CheckReport, Error> {
    let started = Instant::now();
    if caller.is_none() && settings.format == CheckFormat::Text && !settings.diff {
        return Err(Error::new(Cause::Check(CheckError::NoText)));
    }
    let written = settings.write_baseline.as_deref();
    let written: Vec<_> = written
        .into_iter()
        .map(|path| RowTarget::file(Some(path)))
        .collect();
    let files = TaskFiles {
        rows: RowTarget {
            path: settings.output.as_deref(),
            parts: settings.parts.as_ref(),
        },
        side_outputs: &written,
        has_caller: caller.is_some() && !settings.diff,
        report: settings.report.as_deref(),
        services: &settings.services,
        monitor: &settings.monitor,
    };
    files.run_all(
        |destinations| inputs(settings, destinations),
        |(paths, baseline), outputs, destinations| {
            let out = settings.format.start(outputs.rows);
            let out = out.map_err(Error::output)?;
            let mut sink = ReferenceSink::new(settings, out, baseline, caller);
            let notices = notices(settings, destinations, &mut sink.counts)?;
            crew::read((settings, notices), &paths, destinations, &mut sink)?;
            report_not_compared(&mut sink);
            report_unused(&mut sink);
            Ok((sink, outputs.side_outputs))
        },
        |(sink, mut side_outputs)| {
            let rows = sink.out.end().map_err(Error::output)?;
            let written = side_outputs.first_mut();
            let written = written.map(|output| sink.baseline.write(output));
            written.transpose().map_err(Error::output)?;
            commit(sink.fixed, &settings.monitor)?;
            let outputs = RowOutputs { rows, side_outputs };
            Ok((outputs, report(settings, sink.counts, started)))
        },
    )
}

/// Returns the paths of the sources, and the accepted findings. No output may be one of the files that are read.
fn inputs(
    settings: &CheckSettings,
    destinations: &mut Destinations,
) -> Result<(Vec<PathBuf>, Baseline), Error> {
    let paths = expanded(&settings.paths);
    let notices = settings.retractions.iter();
    let inputs = notices.flat_map(IndexSettings::sources).chain(&paths);
    destinations.check_all(&inputs.cloned().collect::<Vec<_>>())?;
    let mut own = settings.own_files();
    own.try_for_each(|file| destinations.check(file))?;
    let baselines = settings.baselines();
    baselines.for_each(|file| destinations.pass_over(file));
    let accepts_all = settings.write_baseline.is_some();
    let baseline = Baseline::new(settings.baseline.as_deref(), accepts_all)?;
    Ok((paths, baseline))
}

/// Renames all fixed files, or none if one of the originals was changed after it was read.
fn commit(fixed: Vec<(Arc<str>, FixedFile)>, monitor: &Monitor) -> Result<(), Error> {
    let failed =
        |source: &Arc<str>, error| Error::new(Cause::Check(error)).in_source(Arc::clone(source));
    let mut locks = Vec::with_capacity(fixed.len());
    for (source, file) in &fixed {
        // Another run that replaced the file before it was locked has changed it.
        locks.push(file.lock().map_err(|error| failed(source, error))?);
        let check = file.check();
        check.map_err(|_| failed(source, CheckError::Changed))?;
    }
    monitor.commit(|| fixed.into_iter().try_for_each(|(_, file)| file.commit()))
}

fn report(settings: &CheckSettings, counts: CheckCounts, started: Instant) -> CheckReport {
    let verdicts = counts.verdicts.into_iter();
    let verdicts = verdicts.map(|(verdict, count)| (verdict.name(), count));
    CheckReport {
        version: env!("CARGO_PKG_VERSION"),
        options: settings.for_report(),
        sources: counts.sources,
        documents: counts.documents,
        references: counts.references,
        verdicts: Counts::of(verdicts),
        findings: counts.findings,
        accepted: counts.accepted,
        unused_baseline: counts.unused_baseline,
        unused_comments: counts.unused_comments,
        fixed: counts.fixed,
        not_compared: counts.not_compared,
        skipped: Counts::of(counts.skipped),
        errors: counts.errors,
        known: settings.known.as_deref().map(lookup::report),
        retractions: counts.retractions,
        outdated: counts.outdated,
        registry: counts.registry.map(RegistryCounts::counts),
        bytes_read: settings.monitor.progress().bytes,
        seconds: started.elapsed().as_secs_f64(),
    }
}

/// Says how many names of entries were not compared.
fn report_not_compared(sink: &mut ReferenceSink<'_>) {
    sink.counts.not_compared = sink.seen.left_out();
    if sink.counts.not_compared > 0 {
        log::warn!(
            "{} names of entries came after the first {MAX_NAMES}, and were not compared with each other; check fewer files at once \
             to find all duplicates",
            sink.counts.not_compared
        );
    }
}

/// Reads the notices, and warns of old data.
fn notices(
    settings: &CheckSettings,
    destinations: &Destinations,
    counts: &mut CheckCounts,
) -> Result<Option<Arc<KnownNames>>, Error> {
    let read = |notices| retractions::read(notices, destinations);
    let read = settings.retractions.as_ref().map(read).transpose()?;
    let dated = read.as_ref().and_then(|(_, report)| {
        let date = report.date?;
        Some((report.source.as_str(), date))
    });
    let sources = settings
        .known
        .as_deref()
        .map_or(&[][..], KnownNames::sources);
    counts.outdated = outdated(sources, dated, settings.stale_after);
    Ok(read.map(|(found, report)| {
        counts.retractions = Some(report);
        counts.errors.unite(found.losses);
        Arc::new(found.index)
    }))
}

/// Counts the accepted findings that no row used, and names the first of them.
fn report_unused(sink: &mut ReferenceSink<'_>) {
    let unused = sink.baseline.unused();
    for accepted in unused.iter().take(MAX_UNUSED) {
        let accepted = accepted.shown();
        log::warn!(
            "{}: accepted, but found no longer",
            printable::name(&accepted)
        );
    }
    if let Some(more @ 1..) = unused.len().checked_sub(MAX_UNUSED) {
        log::warn!(
            "{more} more accepted findings were found no longer; --write-baseline leaves them out"
        );
    }
    sink.counts.unused_baseline = unused.len() as u64;
}

impl CheckSettings {
    /// Returns the files of accepted findings, which are no sources.
    fn baselines(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.baseline, &self.write_baseline];
        files.into_iter().flatten().map(PathBuf::as_path)
    }

    /// Returns the paths of the index, the cache and the accepted findings, which outputs may not overwrite. The accepted findings
    /// may be written anew.
    fn own_files(&self) -> impl Iterator<Item = &Path> {
        let cache = self
            .registry
            .as_ref()
            .and_then(|options| options.cache.as_deref());
        let baseline = self.baseline.as_deref();
        let baseline = baseline.filter(|_| self.baseline != self.write_baseline);
        let index = self.index.as_deref();
        index.into_iter().chain(cache).chain(baseline)
    }
}
