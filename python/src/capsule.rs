//! Passes Arrow's structs in Python capsules, by the Arrow PyCapsule interface.

use std::ffi::CStr;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::arrow::{ImportedStream, TextArray, TextType, Width};
use crate::batch::refused;
use crate::sequence;

/// The texts that an object exports, with the width of results for them, or a stream of arrays.
pub(crate) enum Exported {
    Texts(TextArray, Width),
    Stream(ImportedStream),
}

/// A struct of the C interfaces, which C code can move out of its place.
pub(crate) trait CStruct: Send + Sized + 'static {
    /// The name of a capsule with this struct.
    const CAPSULE: &'static CStr;

    /// Moves the struct out of its place.
    ///
    /// # Safety
    /// The pointer must be to such a struct, and nothing may use it meanwhile.
    #[allow(unsafe_code)]
    unsafe fn take(place: *mut Self) -> Self;
}

macro_rules! c_structs {
    ($($name:ident, $capsule:literal;)*) => {$(
        impl CStruct for $name {
            const CAPSULE: &'static CStr = $capsule;

            #[allow(unsafe_code)]
            unsafe fn take(place: *mut Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $name::from_raw(place) }
            }
        }
    )*};
}

c_structs! {
    FFI_ArrowSchema, c"arrow_schema";
    FFI_ArrowArray, c"arrow_array";
    FFI_ArrowArrayStream, c"arrow_array_stream";
}

/// Creates a capsule that owns a struct until a consumer moves it out.
pub(crate) fn capsule<T: CStruct>(py: Python<'_>, value: T) -> PyResult<Bound<'_, PyCapsule>> {
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
        let schema: FFI_ArrowSchema = take(&pair.get_item(0)?)?;
        let array = take(&pair.get_item(1)?)?;
        let of = TextType::of(&schema).map_err(PyTypeError::new_err)?;
        let texts = object.py().detach(|| TextArray::import(array, &of));
        return Ok(Exported::Texts(texts.map_err(refused)?, of.width()));
    }
    if let Some(texts) = sequence::texts(object)? {
        return Ok(Exported::Texts(texts, Width::Large));
    }
    match object.getattr_opt("__arrow_c_stream__")? {
        Some(method) => Ok(Exported::Stream(ImportedStream(take(&method.call0()?)?))),
        None => Err(PyTypeError::new_err(format!(
            "an Arrow array or stream is needed (an object with __arrow_c_array__ or __arrow_c_stream__), or a list of texts, not {}",
            object.get_type().name()?
        ))),
    }
}

/// Moves the struct out of a capsule.
#[allow(unsafe_code)]
fn take<T: CStruct>(capsule: &Bound<'_, PyAny>) -> PyResult<T> {
    let place = capsule
        .cast::<PyCapsule>()?
        .pointer_checked(Some(T::CAPSULE))?;
    // SAFETY: the name of the capsule says that it holds such a struct, and this thread holds the GIL.
    Ok(unsafe { T::take(place.cast().as_ptr()) })
}
