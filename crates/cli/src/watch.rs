//! Watches a run: handles signals, and shows progress.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use doisift::{Error, ErrorKind, Monitor};
use doisift_system::EndingSignals;

use crate::progress::Meter;
use doisift::internal::{Ending, interrupted, set_signals};

/// Time between checks for signals and updates of the progress.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Time that an interrupted run has to end. Then the process exits, since a blocked read may never return.
const EXIT_DELAY: Duration = Duration::from_secs(1);

/// Time that a run has to end after a second interrupt.
const AT_ONCE: Duration = Duration::from_millis(200);

/// Time that an interrupted run with a checkpoint has to read its current sources to their end.
const SOURCE_END_DELAY: Duration = Duration::from_secs(5);

/// Min time between the end of a piped input and the renaming of the outputs. A signal that ends the whole pipeline arrives in
/// this time: the kernel signals a process group within microseconds, but a program that signals processes one by one may be
/// delayed by the load of the machine.
const STREAM_WAIT: Duration = Duration::from_millis(50);

/// The message for an interrupted run.
#[derive(Clone, Debug)]
pub(crate) struct Interruption {
    checkpoint: Option<PathBuf>,
    /// The state of the output, and advice, if no checkpoint was written.
    line: String,
}

impl Interruption {
    /// Creates the message for a run with this `output`, or standard output. `remedy` is added if no checkpoint was written.
    pub(crate) fn new(checkpoint: Option<PathBuf>, output: Option<&Path>, remedy: &str) -> Self {
        let left = match output {
            Some(path) => format!("{} was not written", path.display()),
            None => "the rows on standard output are incomplete".to_owned(),
        };
        Interruption {
            checkpoint,
            line: left + remedy,
        }
    }

    /// Creates the message for a run that leaves `left`.
    pub(crate) fn leaving(left: &str) -> Self {
        Interruption {
            checkpoint: None,
            line: left.to_owned(),
        }
    }

    fn report(&self) {
        match self.checkpoint.as_ref().filter(|folder| folder.exists()) {
            Some(folder) => {
                let folder = folder.display();
                log::warn!("interrupted; the same command resumes from {folder}");
            }
            None => log::warn!("interrupted; {}", self.line),
        }
    }
}

/// Calls `run` while another thread watches signals and shows progress. `ending` gives the exit code of a complete run.
/// With a checkpoint, an interrupted run has some time to write its last one.
///
/// `run` has the main thread, which usually handles the signals of the process. So a signal that arrives before the outputs are
/// renamed is handled first, even on a busy machine.
pub(crate) fn watched<R>(
    monitor: &Monitor,
    meter: Meter,
    interruption: Interruption,
    run: impl FnOnce() -> Result<R, Error>,
    ending: impl FnOnce(R) -> anyhow::Result<Ending>,
) -> anyhow::Result<Ending> {
    monitor.set_stream_wait(STREAM_WAIT);
    let signals = EndingSignals::watch(monitor.suspend_flag());
    let signals = signals.context("cannot watch for signals")?;
    set_signals(monitor, signals.clone());
    let watch = RunWatch {
        signals,
        monitor: monitor.clone(),
        interruption: interruption.clone(),
        meter,
    };
    let (running, ended) = mpsc::channel();
    let watch = thread::Builder::new()
        .name("watch".into())
        .spawn(move || watch.until(&ended))
        .context("cannot start a thread")?;
    let result = catch_unwind(AssertUnwindSafe(run));
    drop(running);
    if let Ok(meter) = watch.join() {
        meter.end(monitor.progress());
    }
    match result
        .map_err(|_| anyhow!("internal error; the message above says where. Please report it"))?
    {
        Ok(report) => ending(report),
        Err(error) if error.is_closed_pipe() => Ok(Ending::Whole),
        Err(error) if error.kind() == ErrorKind::Cancelled => {
            interruption.report();
            Ok(interrupted(monitor))
        }
        Err(error) => Err(error.into()),
    }
}

/// Watches a run: handles signals, and shows progress.
struct RunWatch {
    signals: EndingSignals,
    monitor: Monitor,
    interruption: Interruption,
    meter: Meter,
}

impl RunWatch {
    /// Watches until the run has `ended`. Exits the process if an interrupted run does not end in time.
    fn until(mut self, ended: &Receiver<()>) -> Meter {
        let checkpoint = self.interruption.checkpoint.as_ref();
        let calm = checkpoint.map_or(Duration::ZERO, |_| SOURCE_END_DELAY);
        // The times at which to cancel the run and to exit the process.
        let mut ends: Option<(Instant, Instant)> = None;
        while ended.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            self.meter.show(self.monitor.progress());
            let now = Instant::now();
            if self.signals.take() {
                ends = Some(match ends {
                    None => (now + calm, now + calm + EXIT_DELAY),
                    Some(_) => (now, now + AT_ONCE),
                });
                if calm > Duration::ZERO && ends.is_some_and(|(cancel, _)| cancel > now) {
                    log::warn!(
                        "interrupted; writing a last checkpoint; interrupt again to stop at once"
                    );
                }
            }
            if ends.is_some_and(|(cancel, _)| cancel <= now) {
                self.monitor.cancel();
            }
            // If the outputs were renamed already, they are kept, and the run will end by itself.
            let over = ends.is_some_and(|(_, leave)| leave <= now);
            if over && self.monitor.remove_temporary_files() {
                self.leave();
            }
        }
        self.meter
    }

    fn leave(self) -> ! {
        self.meter.end(self.monitor.progress());
        self.interruption.report();
        process::exit(interrupted(&self.monitor).code().into())
    }
}
