//! Runs a check: opens the sources, delivers the rows, and replaces fixed files.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use doisift_documents::ReadOptions;

use super::document::Compared;
use super::fix::{FileRepairs, FixedFile};
use super::judge::Judge;
use super::options::CheckSettings;
use super::reference::Reference;
use super::report::{CheckCounts, CheckReport};
use super::row::{CheckedReference, RowPlace};
use super::seen::{MAX_NAMES, SeenNames};
use super::sources::{SourceReader, expanded};
use super::write::{CheckFormat, RowsOut};
use crate::error::{Cause, CheckError, Error};
use crate::lookup;
use crate::registry;
use crate::task::{Destinations, Monitor, RowTarget, TaskFiles};

/// Max bytes of a file that must be held as a whole, such as a PDF.
const MAX_WHOLE_BYTES: usize = 256 << 20;

/// Takes a row and decides whether the run continues.
pub(super) type TakeRow<'t> = &'t mut dyn FnMut(&CheckedReference) -> ControlFlow<()>;

/// The rows of a document.
pub(super) struct DocumentRows<'d> {
    pub(super) place: RowPlace<'d>,
    /// The name of the document for messages.
    pub(super) document: Arc<str>,
    pub(super) compared: Compared,
}

/// Counts and compares rows and delivers them to the output or the caller.
pub(super) struct RowSink<'s> {
    settings: &'s CheckSettings,
    out: RowsOut,
    caller: Option<TakeRow<'s>>,
    pub(super) counts: CheckCounts,
    /// The names of the entries of all sources.
    seen: SeenNames,
    /// The names of the references of the current record, and its number.
    in_record: (SeenNames, u64),
    /// Repaired files under temporary names, each with its source.
    fixed: Vec<(Arc<str>, FixedFile)>,
}

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
        monitor: &settings.monitor,
    };
    files.run(
        |destinations| {
            let paths = expanded(&settings.paths);
            destinations.check_all(&paths)?;
            let mut own = settings.own_files();
            own.try_for_each(|file| destinations.check(file))?;
            Ok(paths)
        },
        |paths, rows, destinations| {
            let mut sink = RowSink::new(settings, RowsOut::new(settings.format, rows), caller);
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
    CheckReport {
        version: env!("CARGO_PKG_VERSION"),
        options: settings.for_report(),
        sources: counts.sources,
        documents: counts.documents,
        references: counts.references,
        verdicts: counts.verdicts,
        findings: counts.findings,
        fixed: counts.fixed,
        not_compared: counts.not_compared,
        skipped: counts.skipped,
        errors: counts.errors,
        known: settings.known.as_deref().map(lookup::report),
        registry: counts.registry,
        bytes_read: settings.monitor.progress().bytes,
        seconds: started.elapsed().as_secs_f64(),
    }
}

/// Reads all sources in their order.
fn read(
    settings: &CheckSettings,
    paths: &[PathBuf],
    destinations: &Destinations,
    sink: &mut RowSink<'_>,
) -> Result<(), Error> {
    let (own, outputs) = (destinations.own(), destinations.filled());
    let read_options = ReadOptions {
        own_files: &own,
        output_files: &outputs,
        limits: settings.limits,
        columns: &settings.columns,
        sheet: settings.sheet.as_ref(),
        temp_folder: &settings.tmp,
        max_file_bytes: (settings.memory / 4).min(MAX_WHOLE_BYTES),
        ..settings.monitor.read_options()
    };
    let inquiry = settings.registry.as_ref().map(registry::open).transpose()?;
    let mut judge = Judge::new(settings.known.clone(), inquiry);
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

impl<'s> RowSink<'s> {
    fn new(settings: &'s CheckSettings, out: RowsOut, caller: Option<TakeRow<'s>>) -> Self {
        RowSink {
            settings,
            out,
            caller,
            counts: CheckCounts::default(),
            seen: SeenNames::default(),
            in_record: (SeenNames::default(), 0),
            fixed: Vec::new(),
        }
    }

    /// Writes the repairs of a file under a temporary name, or as a diff. A file with two names in the run is fixed once.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn repair(&mut self, repairs: FileRepairs, source: &Arc<str>) -> Result<(), Error> {
        if self.settings.diff {
            let out = self.out.output().map(|out| repairs.write_diff(out));
            return out.unwrap_or(Ok(())).map_err(Error::output);
        }
        if let Some(file) = repairs.write(&self.settings.monitor)? {
            let mut others = self.fixed.iter();
            let is_new = !others.any(|(_, other)| other.replaces_same(&file));
            self.fixed
                .extend(is_new.then(|| (Arc::clone(source), file)));
        }
        Ok(())
    }

    /// Counts and logs an error of a file below a folder.
    pub(super) fn report_loss(&mut self, error: &Error) {
        log::warn!("{error}");
        self.counts.errors.add(error);
    }

    /// Starts a document. Its records are numbered anew.
    pub(super) fn enter(&mut self) {
        self.in_record.1 = 0;
    }

    /// Adds to a row the place of an earlier one with the same name, if such names are compared.
    pub(super) fn compare(
        &mut self,
        row: &mut CheckedReference,
        record: u64,
        rows: &DocumentRows<'_>,
    ) {
        let seen = match rows.compared {
            Compared::Nothing => return,
            _ if record == Reference::UNCOMPARED => return,
            Compared::All => &mut self.seen,
            Compared::InRecord if record == 0 => return,
            Compared::InRecord => {
                let (seen, last) = &mut self.in_record;
                if std::mem::replace(last, record) != record {
                    seen.clear();
                }
                seen
            }
        };
        let line = row.line.unwrap_or_default();
        let key = row.doi.as_deref();
        let first = key.and_then(|key| seen.note(key, &rows.document, line));
        if let Some(first) = first {
            row.add_first(&first);
        }
    }

    /// Counts and delivers a row.
    ///
    /// # Errors
    /// If it cannot be written, or the caller ends the run.
    pub(super) fn take(&mut self, row: &CheckedReference) -> Result<(), Error> {
        let is_finding = self.settings.is_finding(row);
        self.counts.references += 1;
        *self.counts.verdicts.entry(row.verdict).or_default() += 1;
        self.counts.findings += u64::from(is_finding);
        self.counts.fixed += u64::from(row.fixed);
        match self.caller.as_mut().map(|take| take(row)) {
            Some(ControlFlow::Break(())) => Err(Error::new(Cause::Cancelled)),
            Some(ControlFlow::Continue(())) => Ok(()),
            None => self.out.write(row, is_finding).map_err(Error::output),
        }
    }
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

    /// Whether a row is a finding: its verdict is one of those chosen, and it was not fixed.
    pub(super) fn is_finding(&self, row: &CheckedReference) -> bool {
        row.is_open() && self.findings.contains(&row.verdict)
    }
}
