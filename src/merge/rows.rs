//! Opens an input, and goes through its rows.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::run::Run;
use crate::error::{Error, ErrorKind};
use crate::input::{InputError, display_name};
use crate::records::{OwnedRecord, ReadError, RowReader, file_reader, reader};
use crate::task::{Monitor, not_cancelled};

/// An input whose rows are sorted.
pub(super) enum Input {
    /// As it was named.
    File(PathBuf),
    Run(Run),
}

/// The rows of an input, one after another.
pub(super) struct Rows<'m> {
    name: Arc<str>,
    rows: Box<dyn RowReader>,
    monitor: &'m Monitor,
}

impl Input {
    /// Goes through its rows from the first.
    pub(super) fn open<'m>(&self, monitor: &'m Monitor) -> Result<Rows<'m>, Error> {
        match self {
            Input::File(path) => Rows::open(path, monitor),
            Input::Run(run) => Rows::of_run(run, monitor),
        }
    }
}

impl<'m> Rows<'m> {
    /// The rows of what was named.
    pub(super) fn open(path: &Path, monitor: &'m Monitor) -> Result<Self, Error> {
        let rows = match path.as_os_str() == "-" {
            true => reader(Counted::new(io::stdin(), monitor)),
            false => file_reader(Counted::new(open(path)?, monitor)),
        };
        Rows::new(path, rows, monitor)
    }

    /// The rows of a run, whose bytes are no input.
    fn of_run(run: &Run, monitor: &'m Monitor) -> Result<Self, Error> {
        Rows::new(run.path(), reader(open(run.path())?), monitor)
    }

    fn new(
        path: &Path,
        rows: Result<Box<dyn RowReader>, ReadError>,
        monitor: &'m Monitor,
    ) -> Result<Self, Error> {
        let name: Arc<str> = display_name(path).into();
        let rows = rows.map_err(|error| wrong(&name, error))?;
        Ok(Rows {
            name,
            rows,
            monitor,
        })
    }

    /// Reads the next row into `into`; false at the end.
    pub(super) fn next(&mut self, into: &mut OwnedRecord) -> Result<bool, Error> {
        not_cancelled(self.monitor)?;
        let read = self.rows.next(into);
        read.map_err(|error| wrong(&self.name, error))
    }

    /// The error that says that this input is not what it was.
    pub(super) fn changed(&self) -> Error {
        lost(&self.name, InputError::Changed)
    }
}

/// An input that cannot be opened.
pub(super) fn lost(name: &Arc<str>, error: InputError) -> Error {
    Error::new(ErrorKind::Input(error)).in_source(Arc::clone(name))
}

/// An input that is no file of records, or has a row that is wrong.
pub(super) fn wrong(name: &Arc<str>, error: ReadError) -> Error {
    Error::new(ErrorKind::Records(error)).in_source(Arc::clone(name))
}

fn open(path: &Path) -> Result<File, Error> {
    let failed = |error| lost(&display_name(path).into(), InputError::of_path(path, error));
    File::open(path).map_err(failed)
}

/// Counts what is read.
struct Counted<R> {
    raw: R,
    monitor: Monitor,
}

impl<R> Counted<R> {
    fn new(raw: R, monitor: &Monitor) -> Self {
        let monitor = monitor.clone();
        Counted { raw, monitor }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(into)?;
        self.monitor.add_bytes(read as u64);
        Ok(read)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.raw.seek(to)
    }
}
