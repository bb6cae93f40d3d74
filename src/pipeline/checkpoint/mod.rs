//! Checkpoints: what is done is kept in a folder, so that a run that was ended goes on from there.
//!
//! Sources are started in order, and a checkpoint waits for all that were started; so what is done is always the first so
//! many sources, and the runs that hold their names. `manifest` says how that is written down, `folder` where. When a
//! checkpoint is due is decided here; that nothing is under way then is up to who goes through the sources.

mod folder;
mod manifest;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub(super) use folder::{Folder, fault};
pub(super) use manifest::Done;

use folder::{MANIFEST, at, sync_folder};
use manifest::{Head, Manifest, NamedRun, Settings, Stamp};

use super::options::{OnError, Options};
use crate::dedup::{Lasting, RunFile, SpillError, Spilled};
use crate::error::{CheckpointError, Error};
use crate::input::{Kind, Source, Sources, display_name};
use crate::lock::lock;
use crate::temporary::is_run;

/// Between checkpoints, at least so many times what the last one took: all of them take a twentieth of the time at most.
const REST: u32 = 19;

/// A run's checkpoints.
pub(super) struct Checkpoint {
    folder: Folder,
    settings: Settings,
    sources: Arc<Sources>,
    interval: Duration,
    state: Mutex<State>,
}

struct State {
    /// Of the sources that were started, as they were before.
    stamps: Vec<Option<Stamp>>,
    /// What the next manifest says, and the last one if nothing was started since.
    done: Done,
    /// When the last checkpoint was made.
    made: Instant,
    due: Duration,
}

/// What an earlier run did already.
pub(super) struct Earlier {
    pub(super) done: Done,
    runs: Vec<RunFile>,
    spilled: Spilled,
}

impl Checkpoint {
    /// Goes on from what `folder` holds, or starts anew if it holds no checkpoint. `names` says whether keys alone are kept.
    ///
    /// # Errors
    /// If it holds one that the run cannot go on from, or there is a source that cannot be read twice.
    pub(super) fn begin(
        folder: Folder,
        options: &Options,
        names: bool,
        sources: &Arc<Sources>,
    ) -> Result<(Self, Earlier), Error> {
        let settings = Settings {
            lines: options.lines,
            kind: options.kind.map(|kind| kind.name().to_owned()),
            names,
            limits: options.limits,
        };
        let read = read(&folder, &settings, sources, options.on_error);
        let (earlier, stamps) = read.map_err(|error| fault(folder.path(), error))?;
        let interval = options.checkpoint_interval;
        let state = State {
            stamps,
            done: earlier.done.clone(),
            made: Instant::now(),
            due: interval,
        };
        let checkpoint = Checkpoint {
            folder,
            settings,
            sources: Arc::clone(sources),
            interval,
            state: Mutex::new(state),
        };
        Ok((checkpoint, earlier))
    }

    /// Takes note of the next source, which is about to be read.
    pub(super) fn start(&self, source: &Source) {
        let stamp = Stamp::of(source);
        lock(&self.state).stamps.push(stamp);
    }

    /// How many sources were started, those of earlier runs too.
    pub(super) fn started(&self) -> usize {
        lock(&self.state).stamps.len()
    }

    /// Whether it is time for another checkpoint.
    pub(super) fn is_due(&self) -> bool {
        let state = lock(&self.state);
        state.stamps.len() > state.done.sources && state.made.elapsed() >= state.due
    }

    /// Makes a checkpoint: all sources that were started are done, and came to `done`. `keep` has the table [keep](write) all
    /// it holds; `since` is when the run began to wait for them.
    pub(super) fn make<E>(
        &self,
        since: Instant,
        done: Done,
        keep: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        if done.sources == 0 {
            return Ok(());
        }
        lock(&self.state).done = done;
        keep()?;
        let mut state = lock(&self.state);
        state.made = Instant::now();
        state.due = self.interval.max(since.elapsed() * REST);
        if self.interval.is_zero() {
            state.due = Duration::ZERO;
        }
        Ok(())
    }

    /// Writes the manifest: `runs` hold all names of the sources that are done.
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
        let head = Head::new(self.settings.clone(), runs, spilled, state.done.clone());
        // The runs' names have to be there before any manifest names them.
        sync_folder(self.folder.path()).map_err(|error| at(self.folder.path(), error))?;
        self.folder.replace(MANIFEST, |out| {
            manifest::write(out, head, &self.sources, &state.stamps)
        })
    }

    /// What a table needs for its runs to outlast the process.
    pub(super) fn lasting(self: &Arc<Self>, earlier: Earlier) -> Lasting {
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

    /// Where runs go.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The outputs have their names: sees to it that they are on the disk, and removes the checkpoint.
    pub(super) fn end<'p>(&self, outputs: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
        for output in outputs {
            sync(output).map_err(|error| fault(self.path(), at(output, error)))?;
        }
        self.folder
            .remove()
            .map_err(|error| fault(self.path(), error))
    }
}

/// Sees to it that a regular file and its name are on the disk.
fn sync(path: &Path) -> std::io::Result<()> {
    // A pipe has no path, though /dev/stdout leads to it.
    if !fs::metadata(path)?.is_file() {
        return Ok(());
    }
    let path = fs::canonicalize(path)?;
    File::open(&path)?.sync_all()?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn read(
    folder: &Folder,
    settings: &Settings,
    sources: &Sources,
    on_error: OnError,
) -> Result<(Earlier, Vec<Option<Stamp>>), CheckpointError> {
    if let Some(stream) = sources.iter().find(|source| source.kind != Kind::File) {
        return Err(CheckpointError::Stream(display_name(&stream.path).into()));
    }
    let mut earlier = Earlier {
        done: Done::default(),
        runs: Vec::new(),
        spilled: Spilled::default(),
    };
    let Some(Manifest { head, stamps }) =
        manifest::read(&folder.file(MANIFEST), settings, sources)?
    else {
        folder.sweep(&BTreeSet::new())?;
        return Ok((earlier, Vec::new()));
    };
    earlier.spilled = head.spilled();
    if on_error == OnError::Fail && head.done.losses.count > 0 {
        return Err(CheckpointError::Lost(head.done.losses.count));
    }
    for run in &head.runs {
        earlier.runs.push(checked(folder, run)?);
    }
    folder.sweep(&head.runs.iter().map(|run| run.name.as_str()).collect())?;
    earlier.done = head.done;
    Ok((earlier, stamps))
}

/// The file of a run, if it has the length that it had. What is in it is checked when it is read.
fn checked(folder: &Folder, run: &NamedRun) -> Result<RunFile, CheckpointError> {
    let path = folder.file(&run.name);
    let found = fs::symlink_metadata(&path).map_err(|error| at(&path, error))?;
    match found.is_file() && found.len() == run.bytes && is_run(&run.name) {
        true => Ok(RunFile {
            path,
            bytes: run.bytes,
        }),
        false => Err(CheckpointError::Damaged(path)),
    }
}
