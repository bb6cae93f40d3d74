//! Observes a run from outside, and can cancel it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use std::{io, thread};

use doisift_documents::{ReadOptions, printable};
#[cfg(feature = "remote")]
use doisift_remote::{Remote, RemoteError};
use doisift_system::EndingSignals;

use super::ending::Ending;
use super::pending_report::PendingReport;
use super::traffic::Traffic;
use crate::error::{Cause, Error};
use crate::lock::lock;

/// Observes a run, and can cancel it. Cloning is cheap; all clones belong to the same run.
#[derive(Clone, Debug, Default)]
pub struct Monitor(Arc<MonitorState>);

#[derive(Debug, Default)]
struct MonitorState {
    bytes: AtomicU64,
    /// The part of `bytes` that an earlier run read.
    resumed: AtomicU64,
    passed: AtomicU64,
    mentions: AtomicU64,
    sources: AtomicU64,
    /// 0 if it is not known.
    all_sources: AtomicU64,
    questions: AtomicU64,
    answers: AtomicU64,
    cached: AtomicU64,
    traffic: Traffic,
    #[cfg(feature = "remote")]
    remote: OnceLock<Result<Remote, RemoteError>>,
    /// 0 if it is not known.
    total: AtomicU64,
    cancelled: AtomicBool,
    suspended: Arc<AtomicBool>,
    /// Whether the run writes a checkpoint if it is suspended.
    resumable: AtomicBool,
    temporary: Mutex<TemporaryFiles>,
    stream: Mutex<StreamEnd>,
    /// The signals that cancel the run, if any do.
    signals: OnceLock<EndingSignals>,
}

/// The end of input that another program writes.
#[derive(Debug, Default)]
struct StreamEnd {
    ended: Option<Instant>,
    /// The time after `ended` in which a cancellation may still arrive.
    wait: Duration,
}

/// The interval at which a run checks for a cancellation while it waits for one.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// Files that must be removed if a run does not end.
#[derive(Debug, Default)]
struct TemporaryFiles {
    paths: Vec<PathBuf>,
    /// Whether they were removed. Files that are created later are then removed at once.
    removed: bool,
    /// Whether the outputs have their final names.
    committed: bool,
    /// The report, until it is written.
    report: Option<PendingReport>,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of sources read so far, before unpacking.
    pub bytes: u64,
    /// The part of `bytes` that the interrupted run read which this one [resumes](crate::Scan::checkpoint).
    pub resumed: u64,
    /// Bytes of finished sources that were not read, because they are not text.
    pub passed: u64,
    /// Bytes of all sources, if they were [measured](crate::Scan::measure) and all have a size.
    pub total: Option<u64>,
    /// Mentions found so far.
    pub mentions: u64,
    /// Sources of a scan that were read or skipped so far.
    pub sources: u64,
    /// All sources of a scan; 0 until they are found.
    pub all_sources: u64,
    /// Questions to a registry, of a run that asks one: one for each name, and one more for its agency. A check adds those of a
    /// document when it has read it.
    pub questions: u64,
    /// The part of `questions` that is answered so far.
    pub answers: u64,
    /// The part of `answers` that a cache had.
    pub cached: u64,
    /// Requests to the services that have sources.
    pub requests: u64,
    /// The part of `requests` that repeat one that failed.
    pub retries: u64,
}

impl Monitor {
    /// Creates a monitor for one run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the current progress.
    pub fn progress(&self) -> Progress {
        let total = self.0.total.load(Ordering::Relaxed);
        let asked = self.0.traffic.total();
        Progress {
            bytes: self.0.bytes.load(Ordering::Relaxed),
            resumed: self.0.resumed.load(Ordering::Relaxed),
            passed: self.0.passed.load(Ordering::Relaxed),
            total: (total > 0).then_some(total),
            mentions: self.0.mentions.load(Ordering::Relaxed),
            sources: self.0.sources.load(Ordering::Relaxed),
            all_sources: self.0.all_sources.load(Ordering::Relaxed),
            questions: self.0.questions.load(Ordering::Relaxed),
            answers: self.0.answers.load(Ordering::Relaxed),
            cached: self.0.cached.load(Ordering::Relaxed),
            requests: asked.requests,
            retries: asked.retries,
        }
    }

    /// Ends the run soon: each thread ends after its current chunk, or when a blocked read returns.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Ends a run with a [checkpoint](crate::Scan::checkpoint) without losing work: no further source is started, the
    /// current ones are read to their end, which may take long, and a last checkpoint is written. Then the run ends as if it was
    /// cancelled. Without a checkpoint, or after all sources were read, this works as [`cancel`](Self::cancel) does.
    #[doc(hidden)]
    pub fn suspend(&self) {
        self.0.suspended.store(true, Ordering::Relaxed);
    }

    /// Returns a flag that [suspends](Self::suspend) the run when it is set, for example by a signal handler. The run reads it
    /// directly before it renames its outputs.
    #[doc(hidden)]
    pub fn suspend_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.suspended)
    }

    /// Sets the minimum time between the end of a piped input and the renaming of the outputs; the default is 0. A signal that
    /// ends a whole pipeline may end the program that writes to the pipe first. During this time, the signal can still reach this
    /// process, and the end of the pipe is not mistaken for the end of the data.
    #[doc(hidden)]
    pub fn set_stream_wait(&self, wait: Duration) {
        lock(&self.0.stream).wait = wait;
    }

    /// Whether the run was cancelled or suspended.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed) || self.0.suspended.load(Ordering::Relaxed)
    }

    /// Whether started work must be dropped.
    pub(crate) fn is_ending(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
            || (self.is_cancelled() && !self.0.resumable.load(Ordering::Relaxed))
    }

    /// Sets whether the run writes a checkpoint if it is suspended.
    pub(crate) fn set_resumable(&self, resumable: bool) {
        self.0.resumable.store(resumable, Ordering::Relaxed);
    }

    /// Adds to the number of questions to a registry.
    #[cfg(feature = "resolve")]
    pub(crate) fn add_questions(&self, count: u64) {
        self.0.questions.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts an answer of a registry, or of its cache.
    #[cfg(feature = "resolve")]
    pub(crate) fn note_answer(&self, is_cached: bool) {
        self.0.answers.fetch_add(1, Ordering::Relaxed);
        self.0
            .cached
            .fetch_add(u64::from(is_cached), Ordering::Relaxed);
    }

    /// Removes the temporary files of a run that cannot end, because a read blocks and the process is about to exit, and writes
    /// its report. Errors are ignored. Returns false if the outputs already have their final names, so that the run is about to
    /// succeed.
    #[doc(hidden)]
    pub fn remove_temporary_files(&self) -> bool {
        let mut temporary = lock(&self.0.temporary);
        temporary.removed = true;
        if !temporary.committed {
            let report = temporary.report.take();
            self.write_failure(report, &Error::new(Cause::Cancelled));
        }
        // In reverse order, since a folder was recorded before the files in it.
        let paths = temporary.paths.drain(..).rev();
        paths.for_each(|path| remove(&path));
        !temporary.committed
    }

    /// Calls `rename`, which gives the outputs their final names, unless the run was cancelled.
    pub(crate) fn commit(&self, rename: impl FnOnce() -> io::Result<()>) -> Result<(), Error> {
        // The lock is held until all outputs are renamed, so that the process does not exit between two of them.
        let mut temporary = lock(&self.0.temporary);
        if temporary.removed || self.is_cancelled() {
            return Err(Error::new(Cause::Cancelled));
        }
        rename().map_err(Error::output)?;
        temporary.committed = true;
        temporary.paths.clear();
        Ok(())
    }

    /// Sets the signals that cancel the run. The exit code in its report depends on them.
    pub(crate) fn set_signals(&self, signals: EndingSignals) {
        // Only the first call has an effect: a run is watched once.
        let _ = self.0.signals.set(signals);
    }

    /// Returns the ending of a command whose run was cancelled.
    pub(crate) fn interrupted(&self) -> Ending {
        if let Some(signals) = self.0.signals.get() {
            return Ending::by(signals.last());
        }
        Ending::Interrupted
    }

    /// Returns the requests to services, where they are counted.
    pub(crate) fn traffic(&self) -> &Traffic {
        &self.0.traffic
    }

    /// Returns the services of the run, which `connect` makes the first time. They end with the run.
    #[cfg(feature = "remote")]
    pub(crate) fn remote(
        &self,
        connect: impl FnOnce() -> Result<Remote, RemoteError>,
    ) -> &Result<Remote, RemoteError> {
        self.0.remote.get_or_init(|| {
            let remote = connect()?;
            // The services belong to the state, which they must not keep.
            let state = Arc::downgrade(&self.0);
            remote.cancel_when(move || {
                let state = state.upgrade();
                state.is_none_or(|state| Monitor(state).is_ending())
            });
            Ok(remote)
        })
    }

    /// Takes the report that the run will write.
    pub(super) fn expect_report(&self, report: Option<PendingReport>) {
        lock(&self.0.temporary).report = report;
    }

    /// Takes the report. `None` if it is written already.
    pub(super) fn take_report(&self) -> Option<PendingReport> {
        lock(&self.0.temporary).report.take()
    }

    /// Writes the report of a run that failed.
    pub(super) fn report_failure(&self, error: &Error) {
        // The lock is held until the report is written, so that the process does not exit before.
        let mut temporary = lock(&self.0.temporary);
        let report = temporary.report.take();
        self.write_failure(report, error);
    }

    fn write_failure(&self, report: Option<PendingReport>, error: &Error) {
        let written = report.map(|report| report.failed(error, self.interrupted()));
        if let Some(Err(failure)) = written {
            log::warn!("the report on the failed run was not written: {failure}");
        }
    }

    /// Records the end of an input that another program writes.
    pub(crate) fn note_stream_end(&self) {
        lock(&self.0.stream).ended = Some(Instant::now());
    }

    /// Waits until [`set_stream_wait`](Self::set_stream_wait) has passed since the end of a piped input, or the run is cancelled.
    pub(crate) fn settle(&self) {
        let stream = lock(&self.0.stream);
        let until = stream.ended.map(|ended| ended + stream.wait);
        drop(stream);
        while until.is_some_and(|until| Instant::now() < until) && !self.is_cancelled() {
            thread::sleep(CANCEL_CHECK_INTERVAL);
        }
    }

    /// Returns options for opening sources whose bytes this monitor counts.
    pub(crate) fn read_options(&self) -> ReadOptions<'_> {
        ReadOptions {
            bytes_skipped: &self.0.passed,
            ..ReadOptions::new(&self.0.bytes)
        }
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes of sources that are not read.
    pub(crate) fn add_passed(&self, bytes: u64) {
        self.0.passed.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that an earlier run read.
    pub(crate) fn add_resumed(&self, bytes: u64) {
        self.0.resumed.fetch_add(bytes, Ordering::Relaxed);
        self.add_bytes(bytes);
    }

    /// Counts the bytes read since the count was `before` as read by an earlier run, since they were skipped.
    pub(crate) fn pass_resumed(&self, before: u64) {
        let passed = self.0.bytes.load(Ordering::Relaxed).saturating_sub(before);
        self.0.resumed.fetch_add(passed, Ordering::Relaxed);
    }

    pub(crate) fn add_mentions(&self, mentions: u64) {
        self.0.mentions.fetch_add(mentions, Ordering::Relaxed);
    }

    /// Counts sources that were read or skipped.
    pub(crate) fn add_sources(&self, count: u64) {
        self.0.sources.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn set_all_sources(&self, count: u64) {
        self.0.all_sources.store(count, Ordering::Relaxed);
    }

    pub(crate) fn set_total(&self, bytes: u64) {
        self.0.total.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn note_temporary(&self, path: Option<&Path>) {
        let mut temporary = lock(&self.0.temporary);
        if temporary.removed {
            path.into_iter().for_each(remove)
        } else {
            temporary.paths.extend(path.map(Path::to_owned))
        }
    }

    /// Forgets the temporary files: they have their final names now, or were removed.
    pub(crate) fn forget_temporary(&self) {
        lock(&self.0.temporary).paths.clear();
    }
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path).or_else(|_| fs::remove_dir(path)) {
        log::debug!("{}: {error}", printable::path(path));
    }
}
