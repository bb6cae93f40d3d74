//! Runs a task on its own thread, so that Python can handle signals meanwhile.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::ArrayRef;
use doisift::{Error, Monitor};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::array::bug;
use crate::error::exception;
use crate::report::Progress;

/// Max time of a wait before Python can handle a signal, and the time between two calls for progress.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Interval at which a waiting thread tries again.
const DOZE: Duration = Duration::from_millis(1);

/// Max time that the end of Python waits for runs that cannot end because a read blocks.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// The runs that have not ended. Python must end after them, since it kills threads that use it after its end.
static OPEN: Mutex<BTreeMap<u64, Monitor>> = Mutex::new(BTreeMap::new());

/// Keeps a run in the list of open runs until dropped.
struct Entry(u64);

impl Entry {
    fn new(monitor: &Monitor) -> Entry {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        open_runs().insert(number, monitor.clone());
        Entry(number)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        open_runs().remove(&self.0);
    }
}

/// Locks the open runs, even after a panic: each change is a single step, so the map is usable.
fn open_runs() -> MutexGuard<'static, BTreeMap<u64, Monitor>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets Python handle signals about every [`TICK`] during work that does not hold the GIL.
pub(crate) struct Watch {
    /// Bytes until the clock is read.
    left: usize,
    handled: Instant,
}

impl Watch {
    /// Bytes of text between two readings of the clock. At most a few milliseconds of work.
    pub(crate) const PIECE: usize = 128 << 10;

    pub(crate) fn new() -> Watch {
        Watch {
            left: Watch::PIECE,
            handled: Instant::now(),
        }
    }

    /// Counts work on `bytes` bytes.
    ///
    /// # Errors
    /// If the handler of a signal raises an exception, as the handler of Ctrl-C does.
    pub(crate) fn pass(&mut self, bytes: usize) -> PyResult<()> {
        if bytes < self.left {
            self.left -= bytes;
            return Ok(());
        }
        self.left = Watch::PIECE;
        if self.handled.elapsed() < TICK {
            return Ok(());
        }
        self.handled = Instant::now();
        handle_signals()
    }
}

/// Lets Python handle signals, on a thread that does not hold the GIL.
pub(crate) fn handle_signals() -> PyResult<()> {
    Python::try_attach(|py| py.check_signals()).unwrap_or_else(|| Err(bug()))
}

/// End all runs before Python ends.
#[pyfunction]
pub(crate) fn _end_runs(py: Python<'_>) {
    py.detach(|| {
        open_runs().values().for_each(Monitor::cancel);
        let until = Instant::now() + LAST_WAIT;
        while !open_runs().is_empty() && Instant::now() < until {
            thread::sleep(DOZE);
        }
    });
}

/// Sends a batch to a consumer that may be slow. Returns whether the run continues.
pub(crate) fn send(batches: &SyncSender<ArrayRef>, mut batch: ArrayRef, monitor: &Monitor) -> bool {
    loop {
        batch = match batches.try_send(batch) {
            Ok(()) => return true,
            Err(TrySendError::Full(batch)) if !monitor.is_cancelled() => batch,
            Err(_) => return false,
        };
        thread::sleep(DOZE);
    }
}

/// A started run.
pub(crate) struct Running<R> {
    monitor: Monitor,
    result: Receiver<Result<R, Error>>,
}

impl<R: Send + 'static> Running<R> {
    /// Runs `work` on a new thread. `monitor` must be the monitor of the run.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(crate) fn start(
        monitor: Monitor,
        work: impl FnOnce() -> Result<R, Error> + Send + 'static,
    ) -> PyResult<Running<R>> {
        let (send, result) = sync_channel(1);
        let entry = Entry::new(&monitor);
        let work = move || {
            // Fails if the receiver was dropped.
            let _ = send.send(work());
            drop(entry);
        };
        let started = thread::Builder::new()
            .name("doisift".to_owned())
            .spawn(work);
        started.map_err(|error| PyOSError::new_err(format!("cannot start a thread: {error}")))?;
        Ok(Running { monitor, result })
    }

    pub(crate) fn cancel(&self) {
        self.monitor.cancel();
    }

    /// Waits for the end of a run that has sent all its rows.
    pub(crate) fn end(&self) -> PyResult<R> {
        let result = self.result.recv();
        Python::try_attach(|py| read(py, result.ok())).unwrap_or_else(|| Err(bug()))
    }

    /// Waits for the end of the run. Calls `progress` meanwhile and once at the end.
    ///
    /// A signal, or an exception of `progress`, ends the run; a run with a checkpoint first writes it. A second signal ends the
    /// wait at once, for a run that cannot end because a read blocks.
    pub(crate) fn finish(
        &mut self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<R> {
        loop {
            let result = self.wait(py);
            let ended = !matches!(result, Err(RecvTimeoutError::Timeout));
            let went = py.check_signals().and_then(|()| match progress {
                Some(progress) => progress
                    .call1((Progress::from(self.monitor.progress()),))
                    .map(drop),
                None => Ok(()),
            });
            match (went, ended) {
                (Ok(()), true) => return read(py, result.ok()),
                (Ok(()), false) => {}
                (Err(error), true) => return Err(error),
                (Err(error), false) => return Err(self.interrupt(py, error)),
            }
        }
    }

    /// Waits for the end of a cancelled run and ignores its result.
    ///
    /// # Errors
    /// If a signal ends the wait.
    pub(crate) fn await_end(&mut self, py: Python<'_>) -> PyResult<()> {
        while self.is_open(py) {
            py.check_signals()?;
        }
        Ok(())
    }

    /// Waits a moment for the end. Returns whether the run is still open.
    fn is_open(&mut self, py: Python<'_>) -> bool {
        matches!(self.wait(py), Err(RecvTimeoutError::Timeout))
    }

    fn wait(&mut self, py: Python<'_>) -> Result<Result<R, Error>, RecvTimeoutError> {
        let result = &mut self.result;
        py.detach(move || result.recv_timeout(TICK))
    }

    fn interrupt(&mut self, py: Python<'_>, error: PyErr) -> PyErr {
        self.monitor.suspend();
        while self.is_open(py) {
            if py.check_signals().is_err() {
                self.monitor.cancel();
                self.monitor.remove_temporary_files();
                break;
            }
        }
        error
    }
}

fn read<R>(py: Python<'_>, result: Option<Result<R, Error>>) -> PyResult<R> {
    let result = result.ok_or_else(bug)?;
    result.map_err(|error| exception(py, &error))
}
