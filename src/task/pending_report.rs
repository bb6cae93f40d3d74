//! The report of a run with how it ended, also of one that failed.

use std::fmt;
use std::io::{self, Write};
use std::time::{Instant, SystemTime};

use serde::Serialize;

use super::ending::{Ending, TaskReport};
use super::traffic::{Traffic, TrafficReport};
use super::utc::utc;
use crate::error::{Cause, Error};
use crate::records::{Output, WholeOutput};

/// The version of the form of reports and rows in JSON. It changes if a program that reads them must be changed; new members do not change it.
pub const REPORT_SCHEMA_VERSION: u32 = 1;

/// The output of the report of a run that has not ended.
pub(crate) struct PendingReport {
    output: Output,
    started: SystemTime,
    clock: Instant,
    traffic: Traffic,
}

/// A report with the ending of its run.
#[derive(Serialize)]
struct EndedReport<'r, R> {
    schema_version: u32,
    status: &'static str,
    exit_code: u8,
    started: String,
    /// The reason why the run failed. `None` if it did not.
    failure: Option<String>,
    /// Requests to services. `None` if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<TrafficReport>,
    #[serde(flatten)]
    report: &'r R,
}

/// Fields of a failed run's report. It has no counts of the input, since they would cover an unknown part of the input.
#[derive(Serialize)]
struct FailedRun {
    version: &'static str,
    seconds: f64,
}

impl PendingReport {
    /// Creates the pending report of a run that started at `started`. `traffic` counts its requests.
    pub(super) fn new(
        output: Output,
        started: SystemTime,
        clock: Instant,
        traffic: Traffic,
    ) -> Self {
        PendingReport {
            output,
            started,
            clock,
            traffic,
        }
    }

    /// Writes the report of a run that is complete as JSON.
    pub(super) fn complete(self, report: &impl TaskReport) -> io::Result<WholeOutput> {
        let ended = EndedReport {
            schema_version: REPORT_SCHEMA_VERSION,
            status: "complete",
            exit_code: report.ending().code(),
            started: utc(self.started),
            failure: None,
            remote: TrafficReport::new(&self.traffic),
            report,
        };
        write(&ended, self.output)
    }

    /// Writes that the run failed, and gives the report its final name. A signal ends it with the exit code of `interrupted`.
    pub(super) fn failed(self, error: &Error, interrupted: Ending) -> io::Result<()> {
        let (status, ending) = match error.cause() {
            Cause::Cancelled => ("interrupted", interrupted),
            _ if error.is_closed_pipe() => ("closed", Ending::Whole),
            _ => ("failed", Ending::Failed),
        };
        let ended = EndedReport {
            schema_version: REPORT_SCHEMA_VERSION,
            status,
            exit_code: ending.code(),
            started: utc(self.started),
            failure: Some(error.to_string()),
            remote: TrafficReport::new(&self.traffic),
            report: &FailedRun {
                version: env!("CARGO_PKG_VERSION"),
                seconds: self.clock.elapsed().as_secs_f64(),
            },
        };
        write(&ended, self.output)?.commit()
    }
}

impl fmt::Debug for PendingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingReport").finish_non_exhaustive()
    }
}

fn write(report: &impl Serialize, mut output: Output) -> io::Result<WholeOutput> {
    serde_json::to_writer_pretty(&mut output, report)?;
    output.write_all(b"\n")?;
    output.finish()
}
