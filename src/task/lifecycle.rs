//! The steps that every task takes, in their order.
//!
//! All files that a task writes have temporary names at first, and are renamed together at the end.

use std::io;
use std::time::{Instant, SystemTime};

use super::clash::Destinations;
use super::ending::TaskReport;
use super::files::{RowOutputs, TaskFiles};
use super::monitor::Monitor;
use super::pending_report::PendingReport;
use crate::error::{Cause, Error};
use crate::records::{Output, WholeOutput};

impl TaskFiles<'_> {
    /// As [`run_all`](Self::run_all), for a task with one output of rows.
    pub(crate) fn run<C, D, R: TaskReport>(
        &self,
        check: impl FnOnce(&mut Destinations) -> Result<C, Error>,
        read: impl FnOnce(C, Output, &Destinations) -> Result<D, Error>,
        write: impl FnOnce(D) -> Result<(Output, R), Error>,
    ) -> Result<R, Error> {
        self.run_all(
            check,
            |checked, outputs, destinations| read(checked, outputs.rows, destinations),
            |read| {
                let (rows, report) = write(read)?;
                Ok((rows.into(), report))
            },
        )
    }

    /// Runs a task. `check` compares the inputs with the files that the outputs lead to, before one is created. `read` gets the
    /// output of the rows and reads all inputs, and `write` writes the rows that need all of them. Returns the report.
    ///
    /// # Errors
    /// The errors of the steps, and an error if an output cannot be written or the run is cancelled. Then the outputs are as they
    /// were before, except the report, which has the failure if the outputs were created.
    pub(crate) fn run_all<C, D, R: TaskReport>(
        &self,
        check: impl FnOnce(&mut Destinations) -> Result<C, Error>,
        read: impl FnOnce(C, RowOutputs, &Destinations) -> Result<D, Error>,
        write: impl FnOnce(D) -> Result<(RowOutputs, R), Error>,
    ) -> Result<R, Error> {
        let (started, clock) = (SystemTime::now(), Instant::now());
        let run = || {
            let mut destinations = Destinations::new(self)?;
            let checked = check(&mut destinations)?;
            let (rows, report) = self.create(&mut destinations)?;
            let traffic = self.monitor.traffic();
            let report =
                report.map(|output| PendingReport::new(output, started, clock, traffic.clone()));
            self.monitor.expect_report(report);
            let read = read(checked, rows, &destinations);
            self.monitor.set_resumable(false);
            // Settles before the first record is written to standard output too.
            self.monitor.settle();
            let read = read?;
            not_cancelled(self.monitor)?;
            let (rows, report) = write(read)?;
            commit(rows, &report, self.monitor)?;
            Ok(report)
        };
        let report = run().map_err(|error| cause(error, self.monitor));
        // The report may be the file that is refused as an output, and must not be replaced then.
        let is_clash = |error: &&Error| matches!(error.cause(), Cause::Clash(_));
        if let Some(error) = report.as_ref().err().filter(|error| !is_clash(error)) {
            self.monitor.report_failure(error);
        }
        self.monitor.forget_temporary();
        report
    }

    /// Creates the outputs of the rows and of the report.
    fn create(
        &self,
        destinations: &mut Destinations,
    ) -> Result<(RowOutputs, Option<Output>), Error> {
        let mut create = |target| destinations.create_rows(target, self.monitor);
        let rows = match self.has_caller {
            true => Output::nowhere(),
            false => create(&self.rows)?,
        };
        let side_outputs = self
            .side_outputs
            .iter()
            .map(create)
            .collect::<Result<_, _>>()?;
        let report = self
            .report
            .map(|path| destinations.create(Some(path), self.monitor));
        Ok((RowOutputs { rows, side_outputs }, report.transpose()?))
    }
}

/// Returns the error of a failed run. If its input failed or its output was closed, and the run was cancelled, the cancellation
/// is the cause: a signal may have ended the other programs of the pipeline first.
fn cause(error: Error, monitor: &Monitor) -> Error {
    match error.cause() {
        Cause::Spill(stopped) if stopped.is_stop() => {
            return Error::new(Cause::Cancelled);
        }
        Cause::Input(_) | Cause::List(_) | Cause::Records(_) => monitor.settle(),
        // A pipe may be closed by the same signal, and what is sent to a service ends with the run.
        Cause::Output(_) => {}
        _ => return error,
    }
    not_cancelled(monitor).err().unwrap_or(error)
}

/// Writes the report as JSON, and gives all outputs their final names. Does neither if one of them cannot be written, for
/// example on a full disk, or if the run was cancelled.
fn commit(
    RowOutputs { rows, side_outputs }: RowOutputs,
    report: &impl TaskReport,
    monitor: &Monitor,
) -> Result<(), Error> {
    let outputs = side_outputs.into_iter().chain([rows]);
    let outputs: Vec<_> = outputs
        .map(Output::finish)
        .collect::<Result<_, _>>()
        .map_err(Error::output)?;
    // A run that is cancelled has another report.
    not_cancelled(monitor)?;
    let pending = monitor.take_report();
    let report = pending.map(|pending| pending.complete(report)).transpose();
    let report = match report {
        // The reader of the report closed its pipe. The rows are still written.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
        report => report.map_err(Error::output)?,
    };
    monitor.commit(|| {
        outputs.into_iter().try_for_each(WholeOutput::commit)?;
        report.map_or(Ok(()), WholeOutput::commit)
    })
}

pub(crate) fn not_cancelled(monitor: &Monitor) -> Result<(), Error> {
    if monitor.is_cancelled() {
        Err(Error::new(Cause::Cancelled))
    } else {
        Ok(())
    }
}
