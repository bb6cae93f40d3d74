//! `doisift scan`: runs the plan on a thread of its own, while this one watches signals and shows progress.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use doisift::{Error, ErrorKind, Monitor, Report};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::Ending;
use crate::args::ScanArgs;
use crate::plan::Plan;
use crate::progress::Meter;
use crate::summary::{self, Shown};

/// How often signals are looked for and progress is shown.
const TICK: Duration = Duration::from_millis(50);
/// How long a run may take to end when it was interrupted; a read that waits takes for ever.
const GRACE: Duration = Duration::from_secs(1);

/// How long the sources that are being read may take to their end when a run with a checkpoint was interrupted.
const CALM: Duration = Duration::from_secs(5);

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
    let calm = checkpoint.as_ref().map_or(Duration::ZERO, |_| CALM);
    let ended = watched(&monitor, meter, calm, move || pipeline.run(), ending)?;
    if ended == Ending::Interrupted {
        tell_how_to_resume(checkpoint.as_deref());
    }
    Ok(ended)
}

/// Runs on a thread of its own, while this one watches signals and shows progress; then tells by `ending` how a run ended that
/// came to its end. A run that was interrupted has `calm` to come to a last checkpoint, if it has any.
pub(crate) fn watched<R: Send + 'static>(
    monitor: &Monitor,
    mut meter: Meter,
    calm: Duration,
    run: impl FnOnce() -> Result<R, Error> + Send + 'static,
    ending: impl FnOnce(&R) -> Ending,
) -> anyhow::Result<Ending> {
    let interrupted = signals()?;
    let (sender, result) = mpsc::channel();
    let work = move || {
        // The receiver is gone only when the process is about to exit.
        let _ = sender.send(run());
    };
    thread::Builder::new()
        .name("run".into())
        .spawn(work)
        .context("cannot start a thread")?;
    let result = watch(&result, monitor, &interrupted, calm, &mut meter)?;
    meter.end(monitor.progress());
    match result {
        Some(Ok(report)) => Ok(ending(&report)),
        Some(Err(error)) => failure(error),
        None => {
            monitor.remove_temporary_files();
            Ok(Ending::Interrupted)
        }
    }
}

fn tell_how_to_resume(checkpoint: Option<&Path>) {
    if let Some(folder) = checkpoint.filter(|folder| folder.exists()) {
        let folder = folder.display();
        log::warn!("interrupted; the same command goes on from what is in {folder}");
    }
}

fn signals() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let hangup = Some(SIGHUP).filter(|_| hangup_ends());
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))
            .context("cannot watch for signals")?;
    }
    Ok(interrupted)
}

/// Whether a terminal that goes away ends this process, as it does unless nohup(1) or the like saw to it.
fn hangup_ends() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 0)
}

/// Waits for the run to end. None if it was interrupted and does not end by itself, or was interrupted twice. Unless
/// `calm` is zero the run can be suspended, and has so long to come to that.
fn watch<R>(
    result: &mpsc::Receiver<Result<R, Error>>,
    monitor: &Monitor,
    interrupted: &AtomicBool,
    calm: Duration,
    meter: &mut Meter,
) -> anyhow::Result<Option<Result<R, Error>>> {
    let mut since: Option<Instant> = None;
    loop {
        match result.recv_timeout(TICK) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => bail!("the run broke off"),
            Err(RecvTimeoutError::Timeout) => meter.show(monitor.progress()),
        }
        if interrupted.swap(false, Ordering::Relaxed) {
            if since.replace(Instant::now()).is_some() {
                return Ok(None);
            }
            monitor.suspend();
            if calm > Duration::ZERO {
                log::warn!(
                    "interrupted; ending with a last checkpoint, or at once if interrupted again"
                );
            }
        }
        match since.map(|since| since.elapsed()) {
            Some(passed) if passed > calm + GRACE => return Ok(None),
            Some(passed) if passed > calm => monitor.cancel(),
            _ => {}
        }
    }
}

fn failure(error: Error) -> anyhow::Result<Ending> {
    match error.kind() {
        _ if error.is_closed_pipe() => Ok(Ending::Whole),
        ErrorKind::Cancelled => Ok(Ending::Interrupted),
        _ => Err(error.into()),
    }
}

fn ending(report: &Report, shown: Shown) -> Ending {
    summary::scan(report, shown);
    match report.errors.count {
        0 => Ending::Whole,
        _ => Ending::Lossy,
    }
}
