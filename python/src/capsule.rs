//! Passes Arrow's structs in Python capsules, by the Arrow PyCapsule interface.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::arrow::{ArrowArray, ArrowArrayStream, ArrowSchema, Movable};
use crate::sequence;

/// The structs that an object exports.
pub(crate) enum Exported {
    Array(ArrowSchema, ArrowArray),
    Stream(ArrowArrayStream),
}

/// Creates a capsule that owns a struct until a consumer moves it out.
pub(crate) fn capsule<T: Movable + Send + 'static>(
    py: Python<'_>,
    value: T,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, value, T::CAPSULE)
}

/// Imports the array or stream of an object with the PyCapsule interface, or the texts of a list.
///
/// # Errors
/// If it is neither, or its method fails.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Exported> {
    if let Some(method) = object.getattr_opt("__arrow_c_array__")? {
        let pair = method.call0()?;
        let pair = pair.cast::<PyTuple>()?;
        let schema = take(&pair.get_item(0)?)?;
        return Ok(Exported::Array(schema, take(&pair.get_item(1)?)?));
    }
    if let Some((schema, array)) = sequence::texts(object)? {
        return Ok(Exported::Array(schema, array));
    }
    match object.getattr_opt("__arrow_c_stream__")? {
        Some(method) => Ok(Exported::Stream(take(&method.call0()?)?)),
        None => Err(PyTypeError::new_err(format!(
            "an Arrow array or stream is needed (an object with __arrow_c_array__ or __arrow_c_stream__), or a list of texts, not {}",
            object.get_type().name()?
        ))),
    }
}

/// Moves the struct out of a capsule.
#[allow(unsafe_code)]
fn take<T: Movable>(capsule: &Bound<'_, PyAny>) -> PyResult<T> {
    let place = capsule
        .cast::<PyCapsule>()?
        .pointer_checked(Some(T::CAPSULE))?;
    // SAFETY: the name of the capsule says that it holds such a struct, and this thread holds the GIL.
    Ok(unsafe { T::take(place) })
}
