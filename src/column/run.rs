//! Runs a normalization: opens the inputs and outputs, reads, and writes the report.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use doisift_documents::{ReadOptions, display_name};

use super::crew::{self, BatchSender};
use super::reading::{InputReading, Readings};
use super::report::{CellTally, CleanReport};
use super::settings::CleanSettings;
use super::sink::ColumnSink;
use crate::counts::Counts;
use crate::error::{Cause, Error, TableError};
use crate::lookup;
use crate::objects::remote_sources;
use crate::records::FileId;
use crate::task::{RowTarget, TaskFiles, named_source, not_cancelled};

/// Runs a normalization.
pub(super) fn run(settings: &CleanSettings) -> Result<CleanReport, Error> {
    let started = Instant::now();
    let monitor = &settings.monitor;
    let files = TaskFiles {
        rows: RowTarget::file(settings.output.as_deref()),
        side_outputs: &[],
        has_caller: false,
        report: settings.report.as_deref(),
        services: &settings.services,
        monitor,
    };
    files.run(
        |destinations| {
            lookup::check_outputs(settings.lookup.known.as_deref(), destinations)?;
            destinations.check_all(&settings.inputs)
        },
        |(), rows, destinations| {
            let (own, sink) = (destinations.own(), ColumnSink::new(rows));
            let (mut sink, readings) =
                crew::run(settings, sink, |batches| read(settings, &own, batches))?;
            sink.end();
            lookup::check(&settings.ends)?;
            check_members(settings, &sink.tally, &readings)?;
            Ok((sink, readings))
        },
        |(sink, readings)| {
            let ColumnSink { output, tally, .. } = sink;
            Ok((output, report(settings, tally, readings, started)))
        },
    )
}

fn report(
    settings: &CleanSettings,
    tally: CellTally,
    readings: Readings,
    started: Instant,
) -> CleanReport {
    CleanReport {
        version: env!("CARGO_PKG_VERSION"),
        options: settings.for_report(),
        documents: readings.documents,
        rows: tally.rows,
        statuses: tally.statuses.counts(),
        rules: Counts::of(tally.rules),
        ragged: tally.ragged,
        broken: tally.broken,
        known: settings.known.as_deref().map(lookup::report),
        errors: readings.losses,
        bytes_read: settings.monitor.progress().bytes,
        seconds: started.elapsed().as_secs_f64(),
    }
}

/// Reads all inputs in their order.
fn read(
    settings: &CleanSettings,
    own: &[FileId],
    batches: &mut BatchSender<'_>,
) -> Result<Readings, Error> {
    let monitor = &settings.monitor;
    let read_options = ReadOptions {
        own_files: own,
        limits: settings.limits,
        splits_mails: false,
        reads_pdfs: false,
        // Tables in columns get no memory, so that they are refused.
        max_file_bytes: 0,
        thread_bytes: 0,
        sheet: settings.sheet.as_ref(),
        temp_folder: &settings.tmp,
        remote: remote_sources(&settings.services),
        ..monitor.read_options()
    };
    let mut readings = Readings::default();
    for path in &settings.inputs {
        let reading = InputReading {
            settings,
            batches: &mut *batches,
            readings: &mut readings,
            source: display_name(path).into(),
            failure: None,
        };
        read_input(path, &read_options, reading)?;
    }
    Ok(readings)
}

fn read_input(
    path: &Path,
    read_options: &ReadOptions<'_>,
    mut reading: InputReading<'_, '_>,
) -> Result<(), Error> {
    let monitor = &reading.settings.monitor;
    let name = Arc::clone(&reading.source);
    let lost = |error| Error::new(Cause::Input(error)).in_source(Arc::clone(&name));
    let source = named_source(path).map_err(lost)?;
    let read = read_options.read_source(&source, &mut reading);
    if source.is_pipe() {
        monitor.note_stream_end();
    }
    read.map_err(lost)?;
    not_cancelled(monitor)?;
    reading.failure.map_or(Ok(()), Err)
}

/// # Errors
/// If no object of JSON Lines has a wanted member.
fn check_members(
    settings: &CleanSettings,
    tally: &CellTally,
    readings: &Readings,
) -> Result<(), Error> {
    let Some(members) = readings.members() else {
        return Ok(());
    };
    let is_there = |at: usize| tally.present >> at.min(63) & 1 == 1;
    let mut columns = settings.columns.column.iter().enumerate();
    match columns.find(|(at, _)| !is_there(*at)) {
        Some((_, column)) => Err(Error::new(Cause::Table(TableError::NoMember {
            column: column.clone(),
            members: members.to_owned(),
        }))),
        None => Ok(()),
    }
}
