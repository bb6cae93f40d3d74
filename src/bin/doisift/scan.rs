//! `doisift scan`: runs the plan on a thread of its own, while this one watches signals and shows progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use doisift::{Error, ErrorKind, Monitor, Report};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::Ending;
use crate::args::ScanArgs;
use crate::plan::Plan;
use crate::progress::Meter;

/// How often signals are looked for and progress is shown.
const TICK: Duration = Duration::from_millis(50);
/// How long a run may take to end when it was interrupted; a read that waits takes for ever.
const GRACE: Duration = Duration::from_secs(1);

/// Scans as the arguments ask.
pub(crate) fn run(args: ScanArgs) -> anyhow::Result<Ending> {
    let Plan {
        pipeline,
        monitor,
        progress,
        log,
    } = Plan::new(args)?;
    let meter = Meter::new(progress, log);
    watched(&monitor, meter, move || pipeline.run(), ending)
}

/// Runs on a thread of its own, while this one watches signals and shows progress; then tells by `ending` how a run ended that
/// came to its end.
pub(crate) fn watched<R: Send + 'static>(
    monitor: &Monitor,
    mut meter: Meter,
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
    let result = watch(&result, monitor, &interrupted, &mut meter)?;
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

fn signals() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))
            .context("cannot watch for signals")?;
    }
    Ok(interrupted)
}

/// Waits for the run to end. None if it was interrupted and does not end by itself.
fn watch<R>(
    result: &mpsc::Receiver<Result<R, Error>>,
    monitor: &Monitor,
    interrupted: &AtomicBool,
    meter: &mut Meter,
) -> anyhow::Result<Option<Result<R, Error>>> {
    let mut since: Option<Instant> = None;
    loop {
        match result.recv_timeout(TICK) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => bail!("the run broke off"),
            Err(RecvTimeoutError::Timeout) => meter.show(monitor.progress()),
        }
        if interrupted.load(Ordering::Relaxed) {
            monitor.cancel();
            if since.get_or_insert_with(Instant::now).elapsed() > GRACE {
                return Ok(None);
            }
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

fn ending(report: &Report) -> Ending {
    log::info!("{}", summary(report));
    match report.errors.count {
        0 => Ending::Whole,
        _ => Ending::Lossy,
    }
}

fn summary(report: &Report) -> String {
    format!(
        "{} rows from {} mentions in {} documents of {} sources; {} bytes read, {} decoded; {} candidates rejected; \
         {} errors; {:.2} s",
        report.records,
        report.mentions,
        report.documents,
        report.sources,
        report.bytes_read,
        report.bytes_decoded,
        report.candidates - report.mentions,
        report.errors.count,
        report.seconds,
    )
}
