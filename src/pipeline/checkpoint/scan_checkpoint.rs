//! The checkpoints of a scan.
//!
//! Sources are started in order, and a checkpoint of names waits for all started sources. So the finished sources are always the
//! first ones, and the sorted runs hold their names. Rows in parts are written in the order of sources. A checkpoint of them has
//! the complete parts and the last mark before the end of the last part, and waits for nothing.
//!
//! A run with both kinds makes both kinds of checkpoints, and each manifest has the last of each. Reading resumes at the mark of
//! the rows, which is before the end of the finished sources, and the names of these sources are not added to the table again.
//! `saved` defines the content of the manifest.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use doisift_documents::{Source, Sources};

use super::mark::Mark;
use super::saved::{FinishedRows, FinishedWork, SavedScan};
use crate::checkpoint::{
    CheckpointFolder, FixedSettings, NamedRun, Pace, SavedProgress, check_losses, fault,
};
use crate::dedup::{Lasting, RunFile, SpillError, Spilled};
use crate::error::{CheckpointError, Error};
use crate::lock::lock;
use crate::lookup;
use crate::options::OptionValue;
use crate::pipeline::plan::ScanOptions;

/// The checkpoints of a run.
pub(crate) struct ScanCheckpoint {
    path: PathBuf,
    state: Mutex<CheckpointState>,
}

struct CheckpointState {
    /// Its pace is that of the names.
    progress: SavedProgress,
    row_pace: Pace,
    /// Number of sources that were started, including those that an earlier run finished. Rows and names of an earlier run may
    /// come from further ones.
    started: usize,
    /// The finished work as the next manifest will describe it, and its runs.
    saved: SavedScan,
    runs: Vec<NamedRun>,
}

/// The finished work of an earlier run.
#[derive(Default)]
pub(crate) struct EarlierScan {
    pub(crate) saved: SavedScan,
    runs: Vec<RunFile>,
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
        let kept = options.checkpoint_content();
        let settings = FixedSettings::new(&options.given, [("the format", kept), ("known", known)]);
        let pace = |in_parts| Pace::new(options.resources.interval(), in_parts);
        let path = folder.path().to_owned();
        let failed = |error| fault(&path, error);
        let begun = SavedProgress::begin::<SavedScan>(folder, settings, sources, pace(false));
        let (progress, earlier) = begun.map_err(failed)?;
        let earlier = earlier.map(|(saved, runs)| {
            check_losses(options.reading.on_error, &saved.done.losses)?;
            EarlierScan::of(saved, &runs, progress.folder())
        });
        let earlier = earlier.transpose().map_err(failed)?;
        let saved = earlier.as_ref().map(|earlier| earlier.saved.clone());
        let saved = saved.unwrap_or_else(|| SavedScan::start(options));
        let earlier = earlier.unwrap_or_default();
        let state = CheckpointState {
            progress,
            row_pace: pace(true),
            started: saved.done.sources,
            saved,
            runs: earlier.runs.iter().map(named).collect(),
        };
        let state = Mutex::new(state);
        Ok((ScanCheckpoint { path, state }, earlier))
    }

    /// Records that the next source will be read.
    pub(crate) fn start(&self, source: &Source) {
        let mut state = lock(&self.state);
        let number = state.started;
        state.progress.start(number, source);
        state.started += 1;
    }

    /// Returns the number of sources that were started, including those that an earlier run finished.
    pub(crate) fn started(&self) -> usize {
        lock(&self.state).started
    }

    /// Returns the error that a source has changed since the interrupted run read it.
    pub(crate) fn changed(&self, source: &Arc<str>) -> Error {
        fault(&self.path, CheckpointError::Changed(Arc::clone(source)))
    }

    /// Whether it is time for another checkpoint of the table.
    pub(crate) fn is_due(&self) -> bool {
        let state = lock(&self.state);
        let is_ahead = |named| state.started > named;
        state.saved.named.is_some_and(is_ahead) && state.progress.pace.is_due()
    }

    /// Writes a checkpoint of the table. All started sources must be finished; `done` has their counts. `keep` makes the table
    /// write its names and call [`write_names`](Self::write_names). `since` is the time at which the wait for the sources began.
    pub(crate) fn make<E>(
        &self,
        since: Instant,
        done: FinishedWork,
        keep: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        if done.sources == 0 {
            return Ok(());
        }
        self.set_done(done);
        keep()?;
        lock(&self.state).progress.pace.note_written(since);
        Ok(())
    }

    /// Sets the counts of the finished work, unless rows have counts of their own.
    fn set_done(&self, done: FinishedWork) {
        let saved = &mut lock(&self.state).saved;
        if saved.rows.is_none() {
            saved.done = done;
        }
    }

    /// Writes the manifest. `runs` hold all names of the finished sources.
    fn write_names(&self, runs: &[RunFile], spilled: Spilled) -> Result<(), CheckpointError> {
        let state = &mut *lock(&self.state);
        // An earlier run may have the names of more sources than this one has started.
        state.saved.named = state.saved.named.max(Some(state.started));
        state.saved.spilled = (spilled.runs, spilled.bytes);
        state.runs = runs.iter().map(named).collect();
        state.write()
    }

    /// Whether it is time for another checkpoint of rows that are in parts.
    pub(crate) fn is_due_for_rows(&self) -> bool {
        lock(&self.state).row_pace.is_due()
    }

    /// Whether a run may resume at a mark: if the names before it are kept, they are in the runs.
    pub(crate) fn has_names_before(&self, mark: Mark) -> bool {
        let ended = mark.source as usize + usize::from(mark.is_within());
        let named = lock(&self.state).saved.named;
        named.is_none_or(|named| ended <= named)
    }

    /// Writes the manifest of a run whose rows are in parts, which are on disk. `done` is the work before the mark of `rows`, and
    /// `since` the time at which the checkpoint began.
    pub(crate) fn write_rows(
        &self,
        since: Instant,
        mut done: FinishedWork,
        rows: FinishedRows,
    ) -> Result<(), Error> {
        let state = &mut *lock(&self.state);
        // Readers are ahead of the mark, so this counts the sizes of finished sources. A resumed run counts the bytes of the
        // mark's source when it passes over them.
        done.bytes_read = state.progress.source_bytes(done.sources);
        (state.saved.done, state.saved.rows) = (done, Some(rows));
        let written = state.write();
        state.row_pace.note_written(since);
        written.map_err(|error| state.progress.fault(error))
    }

    /// Returns the settings of a table whose runs outlast the process.
    pub(crate) fn lasting(self: &Arc<Self>, earlier: EarlierScan) -> Lasting {
        let checkpoint = Arc::clone(self);
        let keep = move |runs: &[RunFile], spilled| {
            checkpoint
                .write_names(runs, spilled)
                .map_err(|error| match error {
                    CheckpointError::Io(path, error) => SpillError::io(&path, error),
                    other => SpillError::io(&checkpoint.path, std::io::Error::other(other)),
                })
        };
        Lasting {
            runs: earlier.runs,
            written: earlier.saved.spilled(),
            keep: Box::new(keep),
        }
    }

    /// Syncs the outputs, which have their final names, to disk, and removes the checkpoint.
    pub(crate) fn end<'p>(&self, outputs: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
        lock(&self.state).progress.end(outputs)
    }
}

impl CheckpointState {
    /// Writes the manifest. Its rows and names may be of all sources that were started.
    fn write(&self) -> Result<(), CheckpointError> {
        let progress = &self.progress;
        progress.write(progress.started(), self.runs.clone(), &self.saved)
    }
}

impl EarlierScan {
    fn of(
        saved: SavedScan,
        runs: &[NamedRun],
        folder: &CheckpointFolder,
    ) -> Result<Self, CheckpointError> {
        let runs = runs.iter().map(|run| checked(folder, run));
        Ok(EarlierScan {
            runs: runs.collect::<Result<_, _>>()?,
            saved,
        })
    }
}

/// Returns the name and size of a run for the manifest.
fn named(run: &RunFile) -> NamedRun {
    let name = run.path.file_name().unwrap_or_default();
    NamedRun {
        name: name.to_string_lossy().into_owned(),
        bytes: run.bytes,
    }
}

/// Returns the file of a run after checking its length. Its content is checked when it is read.
fn checked(folder: &CheckpointFolder, run: &NamedRun) -> Result<RunFile, CheckpointError> {
    let path = folder.run(run, |found| found == run.bytes)?;
    Ok(RunFile {
        path,
        bytes: run.bytes,
    })
}
