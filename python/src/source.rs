//! Files of Python as sources.

use std::io::{self, BufReader, Read};
use std::path::PathBuf;

use doisift::{Monitor, PipelineBuilder};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// How many bytes are asked for at once, since each call needs the GIL.
const PIECE: usize = 1 << 20;

/// A source as the Python files pass it on.
#[derive(FromPyObject)]
pub(crate) enum Item {
    /// A name, and an object with a method `read(size)` that gives bytes.
    File(String, Py<PyAny>),
    Path(PathBuf),
}

/// Adds the sources of the run that `monitor` can cancel.
pub(crate) fn add(
    builder: PipelineBuilder,
    items: Vec<Item>,
    monitor: &Monitor,
) -> PipelineBuilder {
    items.into_iter().fold(builder, |builder, item| match item {
        Item::Path(path) => builder.source(path),
        Item::File(name, file) => {
            let monitor = monitor.clone();
            let file = PythonFile { file, monitor };
            builder.reader(name, BufReader::with_capacity(PIECE, file))
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
        // A slow file fills no buffer for a long time, and until then nobody else asks. A cancelled run takes no end for that of
        // the data.
        if self.monitor.is_cancelled() {
            return Ok(0);
        }
        let read = Python::try_attach(|py| self.piece(py, into.len()));
        let closing = || io::Error::other("Python is shutting down");
        let piece = read.ok_or_else(closing)?.map_err(io::Error::other)?;
        // A file that gives more than was asked for breaks the rules of Python's files.
        let place = into.get_mut(..piece.len());
        let place = place
            .ok_or_else(|| io::Error::other("read() gave more bytes than it was asked for"))?;
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
                "read() gave {kind}, not bytes; open the file in binary mode"
            ))
        })
    }
}
