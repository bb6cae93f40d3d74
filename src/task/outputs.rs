//! The files that a task writes. They have temporary names at first, and are renamed together at the end.

use std::io::{self, Write};
use std::path::Path;

use doisift_documents::printable;
use serde::Serialize;

use super::monitor::Monitor;
use crate::error::{Error, ErrorKind};
use crate::records::{FileId, Output, WholeOutput};

/// The outputs of a task.
pub(crate) struct Outputs {
    pub(crate) rows: Output,
    pub(crate) report: Option<Output>,
}

impl Outputs {
    /// Creates them under temporary names, which hold `mark` if it is given, and reports these to `monitor`.
    pub(crate) fn create(
        rows: Option<&Path>,
        report: Option<&Path>,
        mark: Option<&str>,
        monitor: &Monitor,
    ) -> Result<Self, Error> {
        let create = |path: Option<&Path>| -> Result<Output, Error> {
            let output = match mark {
                Some(mark) => Output::create_marked(path, mark),
                None => Output::create(path),
            };
            let output = output.map_err(Error::output)?;
            monitor.note_temporary(output.temporary());
            Ok(output)
        };
        Ok(Outputs {
            rows: create(rows)?,
            report: report.map(|path| create(Some(path))).transpose()?,
        })
    }

    /// Only the report: the caller takes the rows.
    pub(crate) fn without_rows(report: Option<&Path>, monitor: &Monitor) -> Result<Self, Error> {
        let report = report.map(|path| Output::create(Some(path)));
        let report = report.transpose().map_err(Error::output)?;
        if let Some(report) = &report {
            monitor.note_temporary(report.temporary());
        }
        Ok(Outputs {
            rows: Output::nowhere(),
            report,
        })
    }

    /// Device and inode of the temporary files.
    pub(crate) fn temporary_ids(&self) -> impl Iterator<Item = FileId> {
        let outputs = [&self.rows].into_iter().chain(&self.report);
        outputs.filter_map(Output::temporary_id)
    }
}

/// The error to return for a failed run. If its input ended or its output was closed, and it was cancelled, that is the
/// cause: a signal may have ended the other programs of the pipeline first.
pub(crate) fn cause(error: Error, monitor: &Monitor) -> Error {
    match error.kind() {
        ErrorKind::Input(_) | ErrorKind::List(_) | ErrorKind::Records(_) => monitor.settle(),
        _ if error.is_closed_pipe() => {}
        _ => return error,
    }
    not_cancelled(monitor).err().unwrap_or(error)
}

/// Warns that no report was written to `path`, if the reader of the rows closed the pipe, which is not a failure.
pub(crate) fn warn_of_report<R>(result: &Result<R, Error>, path: Option<&Path>) {
    if let (Err(error), Some(path)) = (result, path)
        && error.is_closed_pipe()
    {
        let path = printable::path(path);
        log::warn!(
            "{path} was not written: the reader of the rows closed the pipe before the run ended"
        );
    }
}

/// Writes the report as JSON, and gives both outputs their final names. Does neither if one of them cannot be written, for
/// example on a full disk, or if the run was cancelled.
pub(crate) fn commit(
    rows: Output,
    report: &impl Serialize,
    output: Option<Output>,
    monitor: &Monitor,
) -> Result<(), Error> {
    let rows = rows.finish().map_err(Error::output)?;
    let report = output
        .map(|output| write_report(report, output))
        .transpose();
    let report = match report {
        // The reader of the report closed its pipe. The rows are still written.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
        report => report.map_err(Error::output)?,
    };
    monitor.commit(|| {
        rows.commit()?;
        report.map_or(Ok(()), WholeOutput::commit)
    })
}

fn write_report(report: &impl Serialize, mut output: Output) -> io::Result<WholeOutput> {
    serde_json::to_writer_pretty(&mut output, report)?;
    output.write_all(b"\n")?;
    output.finish()
}

pub(crate) fn not_cancelled(monitor: &Monitor) -> Result<(), Error> {
    if monitor.is_cancelled() {
        Err(Error::new(ErrorKind::Cancelled))
    } else {
        Ok(())
    }
}
