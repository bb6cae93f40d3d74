//! Runs a task on its own thread. R waits for its end in short steps, so that it can be interrupted between them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use doisift::{CheckReport, Monitor, ScanReport};
use extendr_api::prelude::*;
use extendr_api::serializer::to_robj;

use crate::frame::Frame;
use crate::{Answer, bug};

/// Time that one step waits for the end.
const TICK: Duration = Duration::from_millis(100);

/// Max time to wait for the end of a cancelled run. A run that waits for a slow file ends later by itself.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Result of a run.
pub(crate) struct Done {
    /// Its rows, unless they were written to a file.
    pub(crate) rows: Option<Frame>,
    pub(crate) report: TaskReport,
}

pub(crate) enum TaskReport {
    Scan(Box<ScanReport>),
    Check(Box<CheckReport>),
}

/// A started run. It is cancelled when R drops it.
pub(crate) struct Run {
    monitor: Monitor,
    result: Receiver<Answer<Done>>,
    ended: Option<Answer<Done>>,
}

impl Run {
    /// Runs `work` on a new thread. `monitor` must be the monitor of the run.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(crate) fn start(
        monitor: Monitor,
        work: impl FnOnce() -> Answer<Done> + Send + 'static,
    ) -> Answer<Run> {
        let (send, result) = sync_channel(1);
        let work = move || {
            // Fails if R has dropped the run.
            let _ = send.send(work());
        };
        let started = thread::Builder::new()
            .name("doisift".to_owned())
            .spawn(work);
        started.map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(Run {
            monitor,
            result,
            ended: None,
        })
    }

    /// Waits a moment. Returns whether the run has ended.
    pub(crate) fn wait(&mut self) -> bool {
        self.wait_for(TICK)
    }

    fn wait_for(&mut self, time: Duration) -> bool {
        if self.ended.is_none() {
            self.ended = match self.result.recv_timeout(time) {
                Ok(result) => Some(result),
                // Its thread panicked.
                Err(RecvTimeoutError::Disconnected) => Some(Err(bug())),
                Err(RecvTimeoutError::Timeout) => None,
            };
        }
        self.ended.is_some()
    }

    /// Returns the bytes that were read, and the bytes of all sources, NA if unknown.
    pub(crate) fn progress(&self) -> [Rfloat; 2] {
        let now = self.monitor.progress();
        let total = now
            .total
            .map_or(Rfloat::na(), |total| (total as f64).into());
        [((now.bytes + now.passed) as f64).into(), total]
    }

    /// Ends the run early. A run with a checkpoint writes it first. Returns whether the run has ended.
    pub(crate) fn cancel(&mut self) -> bool {
        self.monitor.suspend();
        let has_ended = self.wait_for(LAST_WAIT);
        if !has_ended {
            self.monitor.cancel();
            self.monitor.remove_temporary_files();
        }
        has_ended
    }

    /// Returns the rows and the report of an ended run.
    pub(crate) fn finish(&mut self) -> Answer<Robj> {
        let done = self.ended.take().unwrap_or_else(|| Err(bug()))?;
        let report = match &done.report {
            TaskReport::Scan(report) => to_robj(report),
            TaskReport::Check(report) => to_robj(report),
        };
        let report = report.map_err(|_| bug())?;
        let rows: Robj = done.rows.map_or_else(|| ().into(), Frame::into_list);
        Ok(list!(rows = rows, report = report).into())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.monitor.cancel();
    }
}
