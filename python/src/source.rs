//! Reads Python's files as sources.

use std::io::{self, BufReader, Read};
use std::path::PathBuf;

use doisift::{Monitor, Scan};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// Bytes of one read. Large, since each call needs the GIL.
const PIECE: usize = 1 << 20;

/// A source, in the form that the Python files of the package pass.
#[derive(FromPyObject)]
pub(crate) enum Item {
    /// A name, and an object with a method `read(size)` that returns bytes.
    File(String, Py<PyAny>),
    Path(PathBuf),
}

/// Adds sources to a run. `monitor` must be the monitor of the run.
pub(crate) fn add(scan: Scan, items: Vec<Item>, monitor: &Monitor) -> Scan {
    items.into_iter().fold(scan, |scan, item| match item {
        Item::Path(path) => scan.input(path),
        Item::File(name, file) => {
            let monitor = monitor.clone();
            let file = PythonFile { file, monitor };
            scan.reader(name, BufReader::with_capacity(PIECE, file))
        }
    })
}

/// A binary file of Python.
struct PythonFile {
    file: Py<PyAny>,
    monitor: Monitor,
}

impl Read for PythonFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // A slow file may not fill a buffer for a long time, so cancelling is checked at each read. A cancelled run ignores this
        // end of the data.
        if self.monitor.is_cancelled() {
            return Ok(0);
        }
        let read = Python::try_attach(|py| self.piece(py, into.len()));
        let closing = || io::Error::other("Python is shutting down");
        let piece = read.ok_or_else(closing)?.map_err(io::Error::other)?;
        // By the rules for Python's files, `read` returns at most as many bytes as were asked for.
        let place = into.get_mut(..piece.len());
        let place =
            place.ok_or_else(|| io::Error::other("read() returned more bytes than requested"))?;
        place.copy_from_slice(&piece);
        Ok(piece.len())
    }
}

impl PythonFile {
    fn piece(&self, py: Python<'_>, size: usize) -> PyResult<PyBackedBytes> {
        let piece = self.file.bind(py).call_method1("read", (size,))?;
        piece.extract().map_err(|_| {
            let kind = piece.get_type().name();
            let kind = kind.map_or_else(|_| "another type".to_owned(), |kind| kind.to_string());
            PyTypeError::new_err(format!(
                "read() returned {kind}, not bytes; open the file in binary mode"
            ))
        })
    }
}
