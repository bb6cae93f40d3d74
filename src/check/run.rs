//! Runs a check: opens the sources, delivers the rows, and replaces fixed files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use doisift_documents::ReadOptions;

use super::fix::FixedFile;
use super::formats::CheckFormat;
use super::judge::Judge;
use super::options::CheckSettings;
use super::outdated::outdated;
use super::report::{CheckCounts, CheckReport};
use super::retractions;
use super::row_sink::{ReferenceSink, TakeRow};
use super::seen::MAX_NAMES;
use super::sources::{SourceReader, expanded};
use crate::counts::Counts;
use crate::error::{Cause, CheckError, Error};
use crate::indexing::IndexSettings;
use crate::lookup::{self, KnownNames};
use crate::objects::remote_sources;
use crate::registry::{self, RegistryCounts};
use crate::task::{Destinations, Monitor, RowTarget, TaskFiles};

/// Max bytes of a file that must be held as a whole, such as a PDF.
const MAX_WHOLE_BYTES: usize = 256 << 20;

/// Runs a check.
pub(super) fn run<'s>(
    settings: &'s CheckSettings,
    caller: Option<TakeRow<'s>>,
) -> Result<CheckReport, Error> {
    let started = Instant::now();
    if caller.is_none() && settings.format == CheckFormat::Text && !settings.diff {
        return Err(Error::new(Cause::Check(CheckError::NoText)));
    }
    let files = TaskFiles {
        rows: RowTarget::file(settings.output.as_deref()),
        side_outputs: &[],
        has_caller: caller.is_some() && !settings.diff,
        report: settings.report.as_deref(),
        services: &settings.services,
        monitor: &settings.monitor,
    };
    files.run(
        |destinations| {
            let paths = expanded(&settings.paths);
            let notices = settings.retractions.iter();
            let inputs = notices.flat_map(IndexSettings::sources).chain(&paths);
            destinations.check_all(&inputs.cloned().collect::<Vec<_>>())?;
            let mut own = settings.own_files();
            own.try_for_each(|file| destinations.check(file))?;
            Ok(paths)
        },
        |paths, rows, destinations| {
            let mut sink = ReferenceSink::new(settings, settings.format.start(rows), caller);
            read(settings, &paths, destinations, &mut sink)?;
            Ok(sink)
        },
        |sink| {
            let rows = sink.out.end().map_err(Error::output)?;
            commit(sink.fixed, &settings.monitor)?;
            Ok((rows, report(settings, sink.counts, started)))
        },
    )
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

/// Reads all sources in their order.
fn read(
    settings: &CheckSettings,
    paths: &[PathBuf],
    destinations: &Destinations,
    sink: &mut ReferenceSink<'_>,
) -> Result<(), Error> {
    let (own, outputs) = (destinations.own(), destinations.filled());
    let read_options = ReadOptions {
        own_files: &own,
        output_files: &outputs,
        limits: settings.limits,
        columns: &settings.columns,
        sheet: settings.sheet.as_ref(),
        temp_folder: &settings.tmp,
        remote: remote_sources(&settings.services),
        max_file_bytes: (settings.memory / 4).min(MAX_WHOLE_BYTES),
        ..settings.monitor.read_options()
    };
    let notices = notices(settings, destinations, &mut sink.counts)?;
    let registry = settings.registry.as_ref().map(registry::open).transpose()?;
    let mut judge = Judge::new(settings.known.clone(), notices, registry);
    let mut reader = SourceReader {
        settings,
        destinations,
        read_options: &read_options,
        judge: &mut judge,
        sink,
    };
    paths.iter().try_for_each(|path| reader.read(path))?;
    sink.counts.registry = judge.asked();
    sink.counts.not_compared = sink.seen.left_out();
    if sink.counts.not_compared > 0 {
        log::warn!(
            "{} names of entries came after the first {MAX_NAMES}, and were not compared with each other; check fewer files at once \
             to find all duplicates",
            sink.counts.not_compared
        );
    }
    Ok(())
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

impl CheckSettings {
    /// Returns the paths of the index and the cache, which outputs may not overwrite.
    fn own_files(&self) -> impl Iterator<Item = &Path> {
        let cache = self
            .registry
            .as_ref()
            .and_then(|options| options.cache.as_deref());
        self.index.as_deref().into_iter().chain(cache)
    }
}
