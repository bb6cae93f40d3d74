//! The Python classes that export arrays and streams of arrays.

use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{Array as _, ArrayRef};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::FieldRef;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::{
    PyIndexError, PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyList};

use crate::arrow::{Batches, FAILED, INVALID, StreamError, export};
use crate::capsule::capsule;
use crate::sequence;

/// An Arrow array.
///
/// Give it to any library that knows the Arrow PyCapsule interface: `polars.Series(array)`, `pyarrow.array(array)`, and for
/// a record batch `polars.DataFrame(array)`, `pyarrow.record_batch(array)`. Without one, it is a sequence of values of Python,
/// as for `pandas.Series(array)` and `numpy.asarray(array)`.
#[pyclass(frozen, module = "doisift")]
pub(crate) struct Array {
    pub(crate) field: FieldRef,
    pub(crate) data: ArrayRef,
}

#[pymethods]
impl Array {
    fn __len__(&self) -> usize {
        self.data.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, row: isize) -> PyResult<Bound<'py, PyAny>> {
        let length = self.data.len();
        let from_end = row.checked_add_unsigned(length).unwrap_or(row);
        let row = usize::try_from(if row < 0 { from_end } else { row });
        let row = row.ok().filter(|row| *row < length);
        let row =
            row.ok_or_else(|| PyIndexError::new_err("the array has no row of this number"))?;
        sequence::value(py, &self.data, row)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.to_pylist(py)?.try_iter()
    }

    /// Returns the values as a list: `str`, `int`, `bool`, `list`, `dict` for structs, and `None`.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        sequence::list(py, &self.data)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        sequence::refuse_rows(&self.field)?;
        sequence::numpy(&self.to_pylist(py)?, dtype, copy)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema(py, &self.field)
    }

    #[pyo3(signature = (requested_schema=None))]
    #[allow(unused_variables, reason = "the interface lets a producer ignore it")]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let array = capsule(py, FFI_ArrowArray::new(&self.data.to_data()))?;
        Ok((schema(py, &self.field)?, array))
    }
}

fn schema<'py>(py: Python<'py>, field: &FieldRef) -> PyResult<Bound<'py, PyCapsule>> {
    capsule(py, FFI_ArrowSchema::try_from(field).map_err(|_| bug())?)
}

/// Makes the arrays of a stream, on a thread that does not hold the GIL.
pub(crate) trait Source: Send {
    /// Returns the next array, or `None` at the end.
    fn next(&mut self) -> PyResult<Option<ArrayRef>>;

    /// Ends the stream early, and waits until the files that it reads are closed.
    fn close(&mut self) -> PyResult<()> {
        Ok(())
    }
}

/// A stream of Arrow arrays, which is read once.
///
/// Give it to any library that knows the Arrow PyCapsule interface, or read its arrays with ``for``.
#[pyclass(frozen, subclass, module = "doisift")]
pub(crate) struct ArrayStream {
    field: FieldRef,
    shared: Arc<Mutex<Shared>>,
}

/// State that all readers of a stream share. Only the reader that asks first gets arrays.
struct Shared {
    source: Option<Box<dyn Source>>,
    /// The number of the reader that asked first. The object itself is 0.
    reader: Option<u64>,
    /// Number of capsules that were made.
    capsules: u64,
}

impl ArrayStream {
    pub(crate) fn new(field: FieldRef, source: Box<dyn Source>) -> Self {
        let shared = Shared {
            source: Some(source),
            reader: None,
            capsules: 0,
        };
        ArrayStream {
            field,
            shared: Arc::new(Mutex::new(shared)),
        }
    }
}

#[pymethods]
impl ArrayStream {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema(py, &self.field)
    }

    #[pyo3(signature = (requested_schema=None))]
    #[allow(unused_variables, reason = "the interface lets a producer ignore it")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = py.detach(|| {
            let mut shared = lock(&self.shared);
            shared.capsules += 1;
            shared.capsules
        });
        let handle = Handle {
            field: Arc::clone(&self.field),
            shared: Arc::clone(&self.shared),
            reader,
        };
        capsule(py, export(Box::new(handle)))
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Array>> {
        let data = py.detach(|| lock(&self.shared).next(0))?;
        Ok(data.map(|data| Array {
            field: Arc::clone(&self.field),
            data,
        }))
    }

    /// Raises an exception. Without this method, pandas would take the object for a list of arrays.
    fn __len__(&self) -> PyResult<usize> {
        Err(PyTypeError::new_err(
            "the length of a stream is not known before it is read; its values are stream.to_pylist(), and a Series of pandas has \
             the accessor of doisift.pandas",
        ))
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// Returns the values of all remaining arrays as one list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        while let Some(array) = self.__next__(py)? {
            list.call_method1("extend", (array.to_pylist(py)?,))?;
        }
        Ok(list)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        sequence::refuse_rows(&self.field)?;
        sequence::numpy(&self.to_pylist(py)?, dtype, copy)
    }

    /// Ends the stream and closes the files that it reads. No array comes after that.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let source = lock(&self.shared).source.take();
            source.map_or(Ok(()), |mut source| source.close())
        })
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }
}

impl Shared {
    fn next(&mut self, reader: u64) -> PyResult<Option<ArrayRef>> {
        if *self.reader.get_or_insert(reader) != reader {
            return Err(PyValueError::new_err(
                "this stream was read, and can be read only once; create it again",
            ));
        }
        let Some(source) = &mut self.source else {
            return Ok(None);
        };
        let next = source.next();
        if !matches!(next, Ok(Some(_))) {
            self.source = None;
        }
        next
    }
}

/// A capsule of a stream.
struct Handle {
    field: FieldRef,
    shared: Arc<Mutex<Shared>>,
    reader: u64,
}

impl Batches for Handle {
    fn field(&self) -> &FieldRef {
        &self.field
    }

    fn next(&mut self) -> Result<Option<ArrayRef>, StreamError> {
        // The consumer may hold the GIL; the source needs it free, since its files may be Python's.
        let next =
            Python::try_attach(
                |py| match py.detach(|| lock(&self.shared).next(self.reader)) {
                    Err(error) if is_raised_again(py, &error) => Ok(None),
                    next => next.map_err(|error| stream_error(py, &error)),
                },
            );
        next.unwrap_or_else(|| {
            Err(StreamError {
                code: FAILED,
                message: "Python is shutting down".to_owned(),
            })
        })
    }
}

/// Whether the error is an interruption that Python raises again when a consumer in C returns to it on this thread. Then the
/// stream just ends, since the consumer would turn the error into one of its own.
fn is_raised_again(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py) && interrupt(py).unwrap_or(false)
}

/// Makes the main thread raise an interruption. Returns whether this is the main thread.
fn interrupt(py: Python<'_>) -> PyResult<bool> {
    let main = py.import("threading")?.call_method0("main_thread")?;
    let thread = py.import("_thread")?;
    let is_main = main
        .getattr("ident")?
        .eq(thread.call_method0("get_ident")?)?;
    // The last call: other Python code after it would handle the interruption.
    thread.call_method0("interrupt_main")?;
    Ok(is_main)
}

/// Converts an exception to the error for a consumer in C.
fn stream_error(py: Python<'_>, error: &PyErr) -> StreamError {
    let message = message(py, error);
    let code: c_int = match error.is_instance_of::<PyValueError>(py) {
        true => INVALID,
        false => FAILED,
    };
    StreamError { code, message }
}

fn message(py: Python<'_>, error: &PyErr) -> String {
    let value = error.value(py);
    let text = match error.is_instance_of::<PyOSError>(py) {
        true => value
            .getattr("strerror")
            .ok()
            .filter(|text| !text.is_none()),
        false => None,
    };
    let text = text.map_or_else(|| value.str(), |text| text.str());
    let text = text.map_or_else(|_| String::new(), |text| text.to_string());
    match text.is_empty() {
        true => error.to_string(),
        false => text,
    }
}

/// Locks it, even after a panic: each change is a single step, so the value is usable.
fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the exception for a failure that no input should cause.
pub(crate) fn bug() -> PyErr {
    PyRuntimeError::new_err("doisift failed by an internal error; please report it")
}
