//! Runs an indexing: opens sources and output, reads, and writes the index.

use std::cell::RefCell;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use doisift_documents::{
    ReadOptions, Source, SourceKind, Sources, UnpackThreads, UnreadablePath, display_name,
    printable,
};
use doisift_known::{BuildError, Index};
use doisift_system::{bytes_of, path_of};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::build::failed;
use super::checkpoint::begin as begin_checkpoint;
use super::collect::{Collector, input_error};
use super::options::{IndexContent, IndexSettings};
use super::reading::NamesReading;
use super::report::{IndexReport, NoticeIndex};
use crate::checkpoint::{self, CheckpointFolder};
use crate::dedup::SpillError;
use crate::error::{Cause, Error, KnownError};
use crate::objects::remote_sources;
use crate::records::Output;
use crate::task::{Destinations, Monitor, RowTarget, TaskFiles, not_cancelled};

/// Unpacked bytes may take 1/16 of the memory.
const UNPACKED_MEMORY_PARTS: usize = 16;

/// Runs an indexing.
pub(super) fn run(settings: &IndexSettings) -> Result<IndexReport, Error> {
    let started = Instant::now();
    let files = TaskFiles {
        rows: RowTarget::file(settings.output.as_deref()),
        side_outputs: &[],
        has_caller: false,
        report: settings.report.as_deref(),
        services: &settings.services,
        monitor: &settings.monitor,
    };
    let mut checkpoint = None;
    let report = files.run(
        |destinations| {
            match settings.on_error {
                None => destinations.check_all(&settings.paths)?,
                Some(_) => destinations.check_clashes(&settings.paths)?,
            }
            destinations.check_all_before_rows(&settings.added())?;
            folder(settings, destinations)
        },
        |folder, rows, destinations| {
            let (sources, unfound) = find(settings, destinations, folder.as_ref())?;
            let mut collector = begin(settings, folder, &sources)?;
            collector.take_unfound(unfound);
            read(&mut collector, &sources, destinations)?;
            collector.report_refused();
            Ok((collector, rows))
        },
        |(mut collector, rows)| {
            checkpoint = collector.checkpoint.take();
            write(collector, rows, started)
        },
    )?;
    if let Some(checkpoint) = checkpoint {
        checkpoint.end(outputs(settings))?;
    }
    Ok(report)
}

/// Reads the notices of all sources into an index in a temporary file without a name.
///
/// # Errors
/// If an output would overwrite a source, or a temporary file cannot be written, or the run is cancelled.
pub(super) fn notices(
    settings: &IndexSettings,
    destinations: &Destinations,
) -> Result<NoticeIndex, Error> {
    let (sources, unfound) = find(settings, destinations, None)?;
    let mut collector = Collector::new(settings)?;
    collector.take_unfound(unfound);
    read(&mut collector, &sources, destinations)?;
    collector.report_refused();
    collector.losses.unite(collector.unfound);
    let spilled = |error| Error::from(SpillError::io(&settings.tmp, error));
    let mut file = tempfile::tempfile_in(&settings.tmp).map_err(spilled)?;
    let monitor = &settings.monitor;
    let out = CancellableOutput {
        out: &mut file,
        monitor,
    };
    let built = collector.builder.finish(BufWriter::new(out));
    not_cancelled(monitor)?;
    let built = built.map_err(|error| match error {
        BuildError::Output(error) => spilled(error),
        error => failed(settings, error),
    })?;
    let name = settings.paths.first().map(|path| display_name(path));
    let index = Index::from_file(&name.unwrap_or_default(), file);
    Ok(NoticeIndex {
        index: index.map_err(|error| Error::new(Cause::Known(KnownError::Unreadable(error))))?,
        notices: collector.counts.notices,
        noted: built.noted,
        refused: collector.counts.refused,
        losses: collector.losses,
    })
}

/// Returns the files that the run writes.
fn outputs(settings: &IndexSettings) -> impl Iterator<Item = &Path> + Clone {
    let report = settings.report.as_deref();
    let report = report.filter(|path| path.as_os_str() != "-");
    [settings.output.as_deref(), report].into_iter().flatten()
}

/// Opens the folder of the checkpoint, if the run has one.
fn folder(
    settings: &IndexSettings,
    destinations: &mut Destinations,
) -> Result<Option<CheckpointFolder>, Error> {
    let folder = settings.checkpoint.as_deref();
    let open = |folder| checkpoint::open(folder, outputs(settings), destinations);
    folder.map(open).transpose()
}

/// Starts to collect, or resumes an interrupted run. Adds indexes at the start, before sources are read.
fn begin<'s>(
    settings: &'s IndexSettings,
    folder: Option<CheckpointFolder>,
    sources: &Arc<Sources>,
) -> Result<Collector<'s>, Error> {
    let mut collector = match folder {
        None => Collector::new(settings)?,
        Some(folder) => {
            let (checkpoint, builder, earlier) = begin_checkpoint(folder, settings, sources)?;
            Collector::resume(settings, checkpoint, builder, earlier)
        }
    };
    if collector.resumed.is_none() {
        add(&mut collector)?;
    }
    Ok(collector)
}

/// Adds the indexes in the options.
fn add(collector: &mut Collector<'_>) -> Result<(), Error> {
    let settings = collector.settings;
    for path in settings.added() {
        let unreadable = |error| Error::new(Cause::Known(KnownError::Unreadable(error)));
        let index = Index::open(&path).map_err(unreadable)?;
        let added = match settings.content {
            IndexContent::Prefixes => collector.builder.add_prefixes(&index),
            _ => collector.builder.add(&index),
        };
        added.map_err(|error| failed(settings, error))?;
        not_cancelled(&settings.monitor)?;
    }
    Ok(())
}

/// Reads all sources in their order, except those that the interrupted run has read.
fn read(
    collector: &mut Collector<'_>,
    sources: &Sources,
    destinations: &Destinations,
) -> Result<(), Error> {
    let settings = collector.settings;
    let pool = pool(settings.threads)?;
    let (own, outputs) = (destinations.own(), destinations.filled());
    let share = settings.memory / UNPACKED_MEMORY_PARTS;
    let ahead = settings.threads.saturating_sub(1);
    let unpackers = UnpackThreads::new(ahead, share / ahead.max(1));
    let read_options = ReadOptions {
        own_files: &own,
        output_files: &outputs,
        limits: settings.limits,
        max_file_bytes: share,
        thread_bytes: share,
        columns: &settings.columns,
        sheet: settings.sheet.as_ref(),
        temp_folder: &settings.tmp,
        remote: remote_sources(&settings.services),
        unpackers: (ahead > 0).then_some(&unpackers),
        ..settings.monitor.read_options()
    };
    let done = collector.last_settled.0.sources;
    for (number, source) in sources.iter().enumerate().skip(done) {
        collector.not_failed()?;
        if let Some(checkpoint) = &mut collector.checkpoint {
            checkpoint.start(number, &source);
        }
        read_source(&source, &read_options, &pool, collector);
        collector.not_cancelled()?;
        collector.end_source(number);
    }
    collector.not_failed()
}

/// Returns the sources at the paths, and the paths that could not be read.
fn find(
    settings: &IndexSettings,
    destinations: &Destinations,
    folder: Option<&CheckpointFolder>,
) -> Result<(Arc<Sources>, Vec<UnreadablePath>), Error> {
    let lost = RefCell::new(Vec::new());
    let is_over = || settings.monitor.is_cancelled();
    let report_loss = |path: UnreadablePath| lost.borrow_mut().push(path);
    let mut finder = settings.search.start(&is_over, &report_loss);
    settings.paths.iter().for_each(|path| finder.add(path));
    let mut found = finder.finish();
    not_cancelled(&settings.monitor)?;
    destinations.check_found(&found.sources)?;
    if let Some(folder) = folder {
        let is_stdin = |source: &Source| source.kind == SourceKind::Stdin;
        let keep = |source: &Source| is_stdin(source) || !folder.holds(&source.path);
        found.sources.retain(keep);
    }
    Ok((Arc::new(found.sources), lost.take()))
}

fn pool(threads: usize) -> Result<ThreadPool, Error> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::new(Cause::Threads(io::Error::other(error))))
}

fn read_source(
    source: &Source,
    read_options: &ReadOptions<'_>,
    pool: &ThreadPool,
    collector: &mut Collector<'_>,
) {
    let name: Arc<str> = display_name(&source.path).into();
    if source.path.extension().is_some_and(|end| end == "doix") {
        if source.is_named {
            let error = Error::new(Cause::Known(KnownError::Index));
            collector.fail(error.in_source(name));
        } else {
            let name = printable::name(&name);
            log::warn!("{name}: skipped, since it is an index; add its names with --add");
        }
        return;
    }
    let monitor = &collector.settings.monitor;
    let mut reading = NamesReading::new(collector, pool, Arc::clone(&name), listed(source));
    reading.check_columns(source);
    let read = read_options.read_source(source, &mut reading);
    reading.end_passing();
    if source.is_pipe() {
        monitor.note_stream_end();
    }
    match read {
        Ok(is_read) => collector.counts.sources += u64::from(is_read),
        Err(error) => {
            let is_fatal = error.is_fatal();
            collector.take(input_error(&source.path, error), is_fatal);
        }
    }
}

/// Returns the name of a source in the index: the last part of the path that was named, a file or a folder.
fn listed(source: &Source) -> String {
    if source.kind == SourceKind::Stdin {
        return "-".to_owned();
    }
    let bytes = bytes_of(&source.path);
    let path = match source.is_named {
        true => &bytes[..],
        false => bytes.get(..source.folder_bytes).unwrap_or(&bytes),
    };
    let path = path_of(path.to_vec());
    let name = path.file_name().map_or(&*path, Path::new);
    display_name(name).into_owned()
}

/// Writes the index.
fn write(
    mut collector: Collector<'_>,
    rows: Output,
    started: Instant,
) -> Result<(Output, IndexReport), Error> {
    let (settings, counts) = (collector.settings, collector.counts);
    collector.losses.unite(collector.unfound);
    let monitor = &settings.monitor;
    let mut out = CancellableOutput { out: rows, monitor };
    let built = collector.builder.finish(&mut out);
    not_cancelled(monitor)?;
    let built = built.map_err(|error| failed(settings, error))?;
    if built.names + built.prefixes == 0 {
        log::warn!("the index has no names");
    }
    let progress = monitor.progress();
    let report = IndexReport {
        version: env!("CARGO_PKG_VERSION"),
        options: settings.for_report(),
        sources: counts.sources,
        resumed: collector
            .resumed
            .map(|earlier| earlier.counts(progress.resumed)),
        documents: counts.documents,
        names: counts.names,
        notices: counts.notices,
        refused: counts.refused,
        drafts: counts.drafts,
        known: built.names,
        noted: built.noted,
        prefixes: built.prefixes,
        errors: collector.losses,
        bytes_read: progress.bytes,
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok((out.out, report))
}

/// The output of the index, which fails once the run is cancelled.
struct CancellableOutput<'m, W> {
    out: W,
    monitor: &'m Monitor,
}

impl<W: Write> Write for CancellableOutput<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.monitor.is_cancelled() {
            true => Err(io::Error::other("interrupted")),
            false => self.out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
