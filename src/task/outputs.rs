//! The files that a task writes: created under temporary names, and given their own together at the end.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::monitor::Monitor;
use crate::error::{Error, ErrorKind};
use crate::printable;
use crate::records::{FileId, Output, Whole};

/// The files of a run that are written.
pub(crate) struct Outputs {
    pub(crate) rows: Output,
    pub(crate) report: Option<Output>,
}

impl Outputs {
    /// Opens them, under temporary names that are made with `mark` if there is one; `monitor` learns of those.
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

    /// Device and inode of the temporary files.
    pub(crate) fn temporary_ids(&self) -> impl Iterator<Item = FileId> {
        let outputs = [&self.rows].into_iter().chain(&self.report);
        outputs.filter_map(Output::temporary_id)
    }
}

/// The error that ended a run; or that it was cancelled, if what cancelled it may be what ended its input or closed its output.
pub(crate) fn cause(error: Error, monitor: &Monitor) -> Error {
    match error.kind() {
        ErrorKind::Input(_) | ErrorKind::List(_) | ErrorKind::Records(_) => monitor.settle(),
        _ if error.is_closed_pipe() => {}
        _ => return error,
    }
    not_cancelled(monitor).err().unwrap_or(error)
}

/// Warns that there is no report at `path` because nobody reads the rows any more, which is no failure.
pub(crate) fn warn_of_report<R>(result: &Result<R, Error>, path: Option<&Path>) {
    if let (Err(error), Some(path)) = (result, path)
        && error.is_closed_pipe()
    {
        let path = printable::path(path);
        log::warn!("{path} was not written: the reader of the rows went away before the run ended");
    }
}

/// Gives the rows their name, and the report, which is written as JSON; but neither before both are written, so that one that
/// finds no room leaves none, nor if `monitor` was asked to end the run.
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
        // Whoever closes a pipe wants no more of the report; the rows are for others.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
        report => report.map_err(Error::output)?,
    };
    monitor.commit(|| {
        rows.commit()?;
        report.map_or(Ok(()), Whole::commit)
    })
}

fn write_report(report: &impl Serialize, mut output: Output) -> io::Result<Whole> {
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
