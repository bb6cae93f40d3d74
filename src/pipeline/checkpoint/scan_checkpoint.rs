//! The checkpoints of a scan.
//!
//! Sources are started in order, and a checkpoint waits for all started sources. So the finished sources are always the first
//! ones, and the sorted runs hold their names. Rows in parts are written in the order of sources. A checkpoint of them has the
//! complete parts and the last mark before the end of the last part, and waits for nothing. `saved` defines the content of the
//! manifest. This module decides when a checkpoint is due; its caller makes sure that all started sources are finished then.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use doisift_documents::{Source, Sources};
use doisift_system::sync_folder;

use super::saved::{FinishedRows, FinishedWork, SavedScan};
use crate::checkpoint::{
    CheckpointFolder, FixedSettings, MANIFEST_FILE, ManifestHead, NamedRun, Stamp, at, check_files,
    fault, read_manifest, sync_outputs, write_manifest,
};
use crate::dedup::{Lasting, RunFile, SpillError, Spilled};
use crate::error::{CheckpointError, Error};
use crate::lock::lock;
use crate::lookup;
use crate::options::OptionValue;
use crate::pipeline::plan::{OnError, ScanOptions};

/// Min time between checkpoints, as a multiple of the duration of the last one. So checkpoints take at most a twentieth of the
/// time.
const REST_PER_CHECKPOINT: u32 = 19;

/// The checkpoints of a run.
pub(crate) struct ScanCheckpoint {
    folder: CheckpointFolder,
    settings: FixedSettings,
    sources: Arc<Sources>,
    interval: Duration,
    state: Mutex<CheckpointState>,
}

struct CheckpointState {
    /// The stamps of all sources that this or an earlier run started, taken before they were read.
    stamps: Vec<Option<Stamp>>,
    /// Number of sources that were started, including those that an earlier run finished.
    started: usize,
    /// The finished work as the next manifest will describe it.
    done: FinishedWork,
    /// The time of the last checkpoint.
    made: Instant,
    due: Duration,
    /// The time after which another checkpoint of rows is due.
    rest: Duration,
}

/// The finished work of an earlier run.
pub(crate) struct EarlierScan {
    pub(crate) done: FinishedWork,
    /// Its rows, if they are in parts.
    pub(crate) rows: Option<FinishedRows>,
    runs: Vec<RunFile>,
    spilled: Spilled,
}

impl ScanCheckpoint {
    /// Resumes from the checkpoint in `folder`, or starts from the beginning without one.
    ///
    /// # Errors
    /// If the run cannot be resumed from it, or a source cannot be read twice.
    pub(crate) fn begin(
        folder: CheckpointFolder,
        options: &ScanOptions,
        sources: &Arc<Sources>,
    ) -> Result<(Self, EarlierScan), Error> {
        // The index may have moved to another path.
        let known = options.known.as_deref().map(lookup::identity);
        let known = known.unwrap_or_else(|| OptionValue::Unset.to_string());
        let kept = options.selection.checkpoint_content();
        let settings = FixedSettings::new(&options.given, [("the format", kept), ("known", known)]);
        let read = read(
            &folder,
            &settings,
            sources,
            options.reading.on_error.unwrap_or_default(),
        );
        let (earlier, stamps) = read.map_err(|error| fault(folder.path(), error))?;
        let interval = options.resources.interval();
        let state = CheckpointState {
            stamps,
            started: earlier.done.sources,
            done: earlier.done.clone(),
            made: Instant::now(),
            due: interval,
            rest: Duration::ZERO,
        };
        let checkpoint = ScanCheckpoint {
            folder,
            settings,
            sources: Arc::clone(sources),
            interval,
            state: Mutex::new(state),
        };
        Ok((checkpoint, earlier))
    }

    /// Records that the next source will be read. A source that an earlier run started keeps its earlier stamp, which was
    /// compared with the file: parts may have rows of it.
    pub(crate) fn start(&self, source: &Source) {
        let stamp = Stamp::of(source);
        let mut state = lock(&self.state);
        if state.started == state.stamps.len() {
            state.stamps.push(stamp);
        }
        state.started += 1;
    }

    /// Returns the number of sources that were started, including those that an earlier run finished.
    pub(crate) fn started(&self) -> usize {
        lock(&self.state).started
    }

    /// Returns the error that a source has changed since the interrupted run read it.
    pub(crate) fn changed(&self, source: &Arc<str>) -> Error {
        fault(
            self.folder.path(),
            CheckpointError::Changed(Arc::clone(source)),
        )
    }

    /// Whether it is time for another checkpoint.
    pub(crate) fn is_due(&self) -> bool {
        let state = lock(&self.state);
        state.started > state.done.sources && state.made.elapsed() >= state.due
    }

    /// Writes a checkpoint. All started sources must be finished; `done` has their counts. `keep` makes the table write its
    /// names and call [`write`]. `since` is the time at which the wait for the sources began.
    pub(crate) fn make<E>(
        &self,
        since: Instant,
        done: FinishedWork,
        keep: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        if done.sources == 0 {
            return Ok(());
        }
        lock(&self.state).done = done;
        keep()?;
        let mut state = lock(&self.state);
        state.made = Instant::now();
        state.due = self.interval.max(since.elapsed() * REST_PER_CHECKPOINT);
        if self.interval.is_zero() {
            state.due = Duration::ZERO;
        }
        Ok(())
    }

    /// Writes the manifest. `runs` hold all names of the finished sources.
    fn write(&self, runs: &[RunFile], spilled: Spilled) -> Result<(), CheckpointError> {
        let state = lock(&self.state);
        let named = |run: &RunFile| NamedRun {
            name: run
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            bytes: run.bytes,
        };
        let runs = runs.iter().map(named).collect();
        // The entries of the runs must be on disk before a manifest lists them.
        sync_folder(self.folder.path()).map_err(|error| at(self.folder.path(), error))?;
        self.replace(
            runs,
            SavedScan::of_names(state.done.clone(), spilled),
            &state.stamps,
        )
    }

    /// Whether it is time for another checkpoint of rows that are in parts.
    pub(crate) fn is_due_for_rows(&self) -> bool {
        let state = lock(&self.state);
        self.interval.is_zero() || state.made.elapsed() >= state.rest
    }

    /// Writes the manifest of a run whose rows are in parts, which are on disk. `done` is the work before the mark of `rows`, and
    /// `since` the time at which the checkpoint began.
    pub(crate) fn write_rows(
        &self,
        since: Instant,
        mut done: FinishedWork,
        rows: FinishedRows,
    ) -> Result<(), Error> {
        let mut state = lock(&self.state);
        let sizes = state.stamps.iter().take(done.sources).flatten();
        // Readers are ahead of the mark, so this counts the sizes of finished sources. A resumed run counts the bytes of the
        // mark's source when it passes over them.
        done.bytes_read = sizes.map(Stamp::size).sum();
        let saved = SavedScan::of_rows(done, rows);
        let written = self.replace(Vec::new(), saved, &state.stamps);
        (state.made, state.rest) = (Instant::now(), since.elapsed() * REST_PER_CHECKPOINT);
        written.map_err(|error| fault(self.folder.path(), error))
    }

    fn replace(
        &self,
        runs: Vec<NamedRun>,
        saved: SavedScan,
        stamps: &[Option<Stamp>],
    ) -> Result<(), CheckpointError> {
        // Parts may have rows of all sources that were started.
        let read = match &saved.rows {
            Some(_) => stamps.len(),
            None => saved.done.sources,
        };
        let head = ManifestHead::new(self.settings.clone(), runs, read, saved);
        self.folder.replace(MANIFEST_FILE, |out| {
            write_manifest(out, head, &self.sources, stamps)
        })
    }

    /// Returns the settings of a table whose runs outlast the process.
    pub(crate) fn lasting(self: &Arc<Self>, earlier: EarlierScan) -> Lasting {
        let checkpoint = Arc::clone(self);
        let keep = move |runs: &[RunFile], spilled| {
            checkpoint
                .write(runs, spilled)
                .map_err(|error| match error {
                    CheckpointError::Io(path, error) => SpillError::io(&path, error),
                    other => SpillError::io(checkpoint.path(), std::io::Error::other(other)),
                })
        };
        Lasting {
            runs: earlier.runs,
            written: earlier.spilled,
            keep: Box::new(keep),
        }
    }

    /// Returns the folder for runs.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Syncs the outputs, which have their final names, to disk, and removes the checkpoint.
    pub(crate) fn end<'p>(&self, outputs: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
        let ended = sync_outputs(outputs).and_then(|()| self.folder.remove());
        ended.map_err(|error| fault(self.path(), error))
    }
}

fn read(
    folder: &CheckpointFolder,
    settings: &FixedSettings,
    sources: &Sources,
    on_error: OnError,
) -> Result<(EarlierScan, Vec<Option<Stamp>>), CheckpointError> {
    check_files(sources)?;
    let mut earlier = EarlierScan {
        done: FinishedWork::default(),
        rows: None,
        runs: Vec::new(),
        spilled: Spilled::default(),
    };
    let read = read_manifest::<SavedScan>(&folder.file(MANIFEST_FILE), settings, sources)?;
    let Some(manifest) = read else {
        folder.sweep(&BTreeSet::new())?;
        return Ok((earlier, Vec::new()));
    };
    let (saved, runs) = (manifest.head.done, manifest.head.runs);
    earlier.spilled = saved.spilled();
    if on_error == OnError::Fail && saved.done.losses.count > 0 {
        return Err(CheckpointError::Lost(saved.done.losses.count));
    }
    for run in &runs {
        earlier.runs.push(checked(folder, run)?);
    }
    folder.sweep(&runs.iter().map(|run| run.name.as_str()).collect())?;
    earlier.done = saved.done;
    earlier.rows = saved.rows;
    Ok((earlier, manifest.stamps))
}

/// Returns the file of a run after checking its length. Its content is checked when it is read.
fn checked(folder: &CheckpointFolder, run: &NamedRun) -> Result<RunFile, CheckpointError> {
    let path = folder.run(run, |found| found == run.bytes)?;
    Ok(RunFile {
        path,
        bytes: run.bytes,
    })
}
