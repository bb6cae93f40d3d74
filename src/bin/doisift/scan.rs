//! `doisift scan`: runs the plan, while a thread of its own watches signals and shows progress.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use doisift::{Error, ErrorKind, Monitor, Report};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::args::ScanArgs;
use crate::ending::Ending;
use crate::plan::Plan;
use crate::progress::Meter;
use crate::summary::{self, Shown};

/// How often signals are counted and progress is shown.
const TICK: Duration = Duration::from_millis(50);
/// How long a run may take to end when it was interrupted; a read that waits takes for ever.
const GRACE: Duration = Duration::from_secs(1);

/// The same if it was interrupted twice: so long it has to tidy up.
const AT_ONCE: Duration = Duration::from_millis(200);

/// How long the sources that are being read may take to their end when a run with a checkpoint was interrupted.
const CALM: Duration = Duration::from_secs(5);

/// How long after the end of a pipe the outputs get their names at the earliest. The kernel signals a process group within
/// microseconds; what signals processes one by one may be held up by the load of the machine.
const STREAM_WAIT: Duration = Duration::from_millis(50);

/// Scans as the arguments ask.
pub(crate) fn run(args: ScanArgs) -> anyhow::Result<Ending> {
    let plan = Plan::new(args)?;
    let meter = Meter::new(plan.progress, plan.log);
    plan.log_decisions();
    let Plan {
        pipeline,
        monitor,
        checkpoint,
        summary,
        ..
    } = plan;
    let ending = move |report: &Report| ending(report, summary);
    watched(&monitor, meter, checkpoint, move || pipeline.run(), ending)
}

/// Runs, while a thread of its own watches signals and shows progress; then says by `ending` how a run ended that came to its
/// end. With a `checkpoint`, a run that was interrupted has some time to keep what it has.
///
/// The run has the main thread: signals to the process are handled there as a rule, so that one which came before the outputs
/// get their names is seen in time, however busy the machine is.
pub(crate) fn watched<R>(
    monitor: &Monitor,
    meter: Meter,
    checkpoint: Option<PathBuf>,
    run: impl FnOnce() -> Result<R, Error>,
    ending: impl FnOnce(&R) -> Ending,
) -> anyhow::Result<Ending> {
    monitor.set_stream_wait(STREAM_WAIT);
    let signals = Signals::watch(monitor)?;
    let watch = Watch {
        signals: signals.clone(),
        monitor: monitor.clone(),
        checkpoint: checkpoint.clone(),
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
    match result.map_err(|_| anyhow!("the run broke off"))? {
        Ok(report) => Ok(ending(&report)),
        Err(error) if error.is_closed_pipe() => Ok(Ending::Whole),
        Err(error) if matches!(error.kind(), ErrorKind::Cancelled) => {
            say_how_to_resume(checkpoint.as_deref());
            Ok(signals.ending())
        }
        Err(error) => Err(error.into()),
    }
}

fn say_how_to_resume(checkpoint: Option<&Path>) {
    if let Some(folder) = checkpoint.filter(|folder| folder.exists()) {
        let folder = folder.display();
        log::warn!("interrupted; the same command goes on from what is in {folder}");
    }
}

/// The signals that came.
#[derive(Clone, Default)]
struct Signals {
    /// The last one.
    last: Arc<AtomicUsize>,
    /// One came that was not counted yet.
    new: Arc<AtomicBool>,
}

impl Signals {
    /// Watches signals from now on; each ends the run of `monitor`.
    fn watch(monitor: &Monitor) -> anyhow::Result<Signals> {
        let signals = Signals::default();
        let hangup = Some(SIGHUP).filter(|_| hangup_ends());
        for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
            signals
                .register(signal, monitor)
                .context("cannot watch for signals")?;
        }
        Ok(signals)
    }

    fn register(&self, signal: i32, monitor: &Monitor) -> std::io::Result<()> {
        use signal_hook::flag::{register, register_usize};
        register_usize(signal, Arc::clone(&self.last), signal as usize)?;
        register(signal, Arc::clone(&self.new))?;
        register(signal, monitor.suspend_flag())?;
        Ok(())
    }

    /// Whether another one came.
    fn take(&self) -> bool {
        self.new.swap(false, Ordering::Relaxed)
    }

    fn ending(&self) -> Ending {
        match self.last.load(Ordering::Relaxed) as i32 {
            SIGHUP => Ending::HungUp,
            SIGTERM => Ending::Terminated,
            _ => Ending::Interrupted,
        }
    }
}

/// Whether a terminal that goes away ends this process, as it does unless nohup(1) or the like saw to it.
fn hangup_ends() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 0)
}

/// What watches a run.
struct Watch {
    signals: Signals,
    monitor: Monitor,
    checkpoint: Option<PathBuf>,
    meter: Meter,
}

impl Watch {
    /// Watches until the run has `ended`. One that was interrupted and does not end by itself, or was interrupted twice, ends
    /// here, with the process.
    fn until(mut self, ended: &Receiver<()>) -> Meter {
        let calm = self.checkpoint.as_ref().map_or(Duration::ZERO, |_| CALM);
        // When to cancel the run, and when to end the process.
        let mut ends: Option<(Instant, Instant)> = None;
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            self.meter.show(self.monitor.progress());
            let now = Instant::now();
            if self.signals.take() {
                ends = Some(match ends {
                    None => (now + calm, now + calm + GRACE),
                    Some(_) => (now, now + AT_ONCE),
                });
                if calm > Duration::ZERO && ends.is_some_and(|(cancel, _)| cancel > now) {
                    log::warn!(
                        "interrupted; ending with a last checkpoint, or at once if interrupted again"
                    );
                }
            }
            if ends.is_some_and(|(cancel, _)| cancel <= now) {
                self.monitor.cancel();
            }
            // Outputs that have their names already are not taken back: such a run is about to end.
            let over = ends.is_some_and(|(_, leave)| leave <= now);
            if over && self.monitor.remove_temporary_files() {
                self.leave();
            }
        }
        self.meter
    }

    fn leave(self) -> ! {
        self.meter.end(self.monitor.progress());
        say_how_to_resume(self.checkpoint.as_deref());
        process::exit(self.signals.ending().code().into())
    }
}

fn ending(report: &Report, shown: Shown) -> Ending {
    summary::scan(report, shown);
    match report.errors.count {
        0 => Ending::Whole,
        _ => Ending::Lossy,
    }
}
