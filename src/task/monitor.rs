//! A run as seen from outside: how far it is, and a way to end it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::error::{Error, ErrorKind};
use crate::lock::lock;
use crate::printable;
use crate::temporary::{LazyRunFolder, RunFolder};

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
    suspended: Arc<AtomicBool>,
    /// The run can be suspended: it makes a checkpoint then.
    resumable: AtomicBool,
    temporary: Mutex<Temporary>,
    stream: Mutex<Stream>,
    /// Of the runs of a merge.
    runs: LazyRunFolder,
}

/// When input that others write came to its end.
#[derive(Debug, Default)]
struct Stream {
    ended: Option<Instant>,
    /// How long a cancellation may take to come after that.
    wait: Duration,
}

/// How long a run sleeps at a time while it waits for a cancellation.
const DOZE: Duration = Duration::from_millis(2);

/// Files that are to be removed if a run does not come to its end.
#[derive(Debug, Default)]
struct Temporary {
    paths: Vec<PathBuf>,
    /// They were removed, and what is made now is to go at once.
    removed: bool,
    /// The outputs have their names.
    committed: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of sources read so far, packed as they are.
    pub bytes: u64,
    /// Of these, bytes that an earlier run read which this one [goes on from](crate::PipelineBuilder::checkpoint).
    pub resumed: u64,
    /// Bytes of sources that are done with and were not read, since they are no text.
    pub passed: u64,
    /// Bytes of all sources, if that was [measured](crate::PipelineBuilder::measure) and all have a size.
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

    /// Ends a run that has a [checkpoint](crate::PipelineBuilder::checkpoint) so that nothing is lost: no further source is
    /// started, those being read are read to their end, which may take long, and a last checkpoint is made. Then the run ends
    /// as if it was cancelled. Without a checkpoint, and once all sources were read, it is the same as [`cancel`](Self::cancel).
    pub fn suspend(&self) {
        self.0.suspended.store(true, Ordering::Relaxed);
    }

    /// A flag that [suspends](Self::suspend) the run when it is set, such as by the handler of a signal. The run reads it
    /// itself before its outputs get their names.
    pub fn suspend_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.suspended)
    }

    /// Sets how long after the end of a pipe that was read the outputs get their names at the earliest; the default is at
    /// once. A signal that ends a whole pipeline may end the program that feeds the run first, and the end of the pipe must
    /// not pass for the end of the data before the signal reaches this process.
    pub fn set_stream_wait(&self, wait: Duration) {
        lock(&self.0.stream).wait = wait;
    }

    /// Whether the run was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed) || self.0.suspended.load(Ordering::Relaxed)
    }

    /// Whether what is under way is to be dropped.
    pub(crate) fn is_ending(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
            || (self.is_cancelled() && !self.0.resumable.load(Ordering::Relaxed))
    }

    /// Whether the run makes a checkpoint if it is suspended now.
    pub(crate) fn set_resumable(&self, resumable: bool) {
        self.0.resumable.store(resumable, Ordering::Relaxed);
    }

    /// Removes the temporary files of a run that will not come to its end, because the process is about to exit while a
    /// read waits. What cannot be removed stays. False if the outputs have their names already: the run is about to end well.
    pub fn remove_temporary_files(&self) -> bool {
        let mut temporary = lock(&self.0.temporary);
        temporary.removed = true;
        // Files were noted after the folder that they are in.
        let paths = temporary.paths.drain(..).rev();
        paths.for_each(|path| remove(&path));
        !temporary.committed
    }

    /// Has `rename` give the outputs their names, unless the run was asked to end.
    pub(crate) fn commit(&self, rename: impl FnOnce() -> io::Result<()>) -> Result<(), Error> {
        // Held until all have their names, so that the process does not exit between two.
        let mut temporary = lock(&self.0.temporary);
        if temporary.removed || self.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled));
        }
        rename().map_err(Error::output)?;
        temporary.committed = true;
        temporary.paths.clear();
        Ok(())
    }

    /// Takes note that input which another program writes came to its end.
    pub(crate) fn note_stream_end(&self) {
        lock(&self.0.stream).ended = Some(Instant::now());
    }

    /// Waits until a cancellation that ended the input would have come.
    pub(crate) fn settle(&self) {
        let stream = lock(&self.0.stream);
        let until = stream.ended.map(|ended| ended + stream.wait);
        drop(stream);
        while until.is_some_and(|until| Instant::now() < until) && !self.is_cancelled() {
            thread::sleep(DOZE);
        }
    }

    pub(crate) fn bytes(&self) -> &AtomicU64 {
        &self.0.bytes
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn passed(&self) -> &AtomicU64 {
        &self.0.passed
    }

    /// Counts bytes that need not be read.
    pub(crate) fn add_passed(&self, bytes: u64) {
        self.0.passed.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that an earlier run read.
    pub(crate) fn add_resumed(&self, bytes: u64) {
        self.0.resumed.fetch_add(bytes, Ordering::Relaxed);
        self.add_bytes(bytes);
    }

    pub(crate) fn add_mentions(&self, mentions: u64) {
        self.0.mentions.fetch_add(mentions, Ordering::Relaxed);
    }

    pub(crate) fn set_total(&self, bytes: u64) {
        self.0.total.store(bytes, Ordering::Relaxed);
    }

    /// A temporary folder for runs, which the first call makes in `folder`.
    pub(crate) fn run_folder(&self, folder: &Path) -> io::Result<Arc<RunFolder>> {
        let note = |path: &Path| self.note_temporary(Some(path));
        self.0.runs.get(folder, &note)
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
        self.0.runs.clear();
    }
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path).or_else(|_| fs::remove_dir(path)) {
        log::debug!("{}: {error}", printable::path(path));
    }
}
