//! A run as seen from outside: how far it is, and a way to end it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::run::lock;
use crate::printable;

/// Watches a run, and can end it. Cheap to clone; all clones watch the same run.
#[derive(Clone, Debug, Default)]
pub struct Monitor(Arc<State>);

#[derive(Debug, Default)]
struct State {
    bytes: AtomicU64,
    /// Of these, those that an earlier run read.
    resumed: AtomicU64,
    passed: AtomicU64,
    mentions: AtomicU64,
    /// 0 where it is not known.
    total: AtomicU64,
    cancelled: AtomicBool,
    suspended: AtomicBool,
    /// The run can be suspended: it makes a checkpoint then.
    resumable: AtomicBool,
    temporary: Mutex<Temporary>,
}

/// Files that are to be removed if a run does not come to its end.
#[derive(Debug, Default)]
struct Temporary {
    paths: Vec<PathBuf>,
    /// They were removed, and what is made now is to go at once.
    removed: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of sources read so far, packed as they are.
    pub bytes: u64,
    /// Of these, bytes that an earlier run read which this one [goes on from](super::PipelineBuilder::checkpoint).
    pub resumed: u64,
    /// Bytes of sources that are done with and were not read, since they are no text.
    pub passed: u64,
    /// Bytes of all sources, if that was [measured](super::PipelineBuilder::measure) and all have a size.
    pub total: Option<u64>,
    /// Mentions found so far.
    pub mentions: u64,
}

impl Monitor {
    /// A monitor for one run.
    pub fn new() -> Self {
        Self::default()
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let total = self.0.total.load(Ordering::Relaxed);
        Progress {
            bytes: self.0.bytes.load(Ordering::Relaxed),
            resumed: self.0.resumed.load(Ordering::Relaxed),
            passed: self.0.passed.load(Ordering::Relaxed),
            total: (total > 0).then_some(total),
            mentions: self.0.mentions.load(Ordering::Relaxed),
        }
    }

    /// Ends the run soon: within a chunk on each thread, or when a read that waits returns.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Ends a run that has a [checkpoint](super::PipelineBuilder::checkpoint) so that nothing is lost: no further source is
    /// started, those being read are read to their end, which may take long, and a last checkpoint is made. Then the run ends
    /// as if it was cancelled. Without a checkpoint, and once all sources were read, it is the same as [`cancel`](Self::cancel).
    pub fn suspend(&self) {
        self.0.suspended.store(true, Ordering::Relaxed);
    }

    /// Whether the run was told to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed) || self.0.suspended.load(Ordering::Relaxed)
    }

    /// Whether what is under way is to be dropped.
    pub(super) fn is_ending(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
            || (self.is_cancelled() && !self.0.resumable.load(Ordering::Relaxed))
    }

    /// Whether the run makes a checkpoint if it is suspended now.
    pub(super) fn set_resumable(&self, resumable: bool) {
        self.0.resumable.store(resumable, Ordering::Relaxed);
    }

    /// Removes the temporary files of a run that will not come to its end, because the process is about to exit while a
    /// read waits. What cannot be removed stays.
    pub fn remove_temporary_files(&self) {
        let mut temporary = lock(&self.0.temporary);
        temporary.removed = true;
        temporary.paths.drain(..).for_each(|path| remove(&path));
    }

    pub(crate) fn bytes(&self) -> &AtomicU64 {
        &self.0.bytes
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn passed(&self) -> &AtomicU64 {
        &self.0.passed
    }

    /// Counts bytes that need not be read.
    pub(super) fn add_passed(&self, bytes: u64) {
        self.0.passed.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that an earlier run read.
    pub(super) fn add_resumed(&self, bytes: u64) {
        self.0.resumed.fetch_add(bytes, Ordering::Relaxed);
        self.add_bytes(bytes);
    }

    pub(super) fn add_mentions(&self, mentions: u64) {
        self.0.mentions.fetch_add(mentions, Ordering::Relaxed);
    }

    pub(super) fn set_total(&self, bytes: u64) {
        self.0.total.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn note_temporary(&self, path: Option<&Path>) {
        let mut temporary = lock(&self.0.temporary);
        match temporary.removed {
            true => path.into_iter().for_each(remove),
            false => temporary.paths.extend(path.map(Path::to_owned)),
        }
    }

    /// The temporary files have their names now, or are gone.
    pub(crate) fn forget_temporary(&self) {
        lock(&self.0.temporary).paths.clear();
    }
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        log::debug!("{}: {error}", printable::path(path));
    }
}
