//! Passes streams of arrays through the C stream interface, on the struct of the crate `arrow-array`.
//!
//! The crate exports streams of record batches only, and its reader drops the code of an error. So the calls are made here, with
//! the unsafe code that they need. A struct is released exactly once, by its owner.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::FieldRef;
use arrow_schema::ffi::FFI_ArrowSchema;

/// `EINVAL`: tells consumers that a value is wrong.
pub(crate) const INVALID: c_int = 22;
/// `EIO`: tells consumers that reading failed.
pub(crate) const FAILED: c_int = 5;

/// Produces arrays of one type.
pub(crate) trait Batches: Send {
    /// Returns the type of the arrays.
    fn field(&self) -> &FieldRef;

    /// Returns the next array, or `None` at the end.
    ///
    /// # Errors
    /// If the next array cannot be made.
    fn next(&mut self) -> Result<Option<ArrayRef>, StreamError>;
}

/// Error that ends a stream early.
#[derive(Clone, Debug)]
pub(crate) struct StreamError {
    /// A value of C's `errno`, never 0.
    pub(crate) code: c_int,
    /// The message.
    pub(crate) message: String,
}

impl StreamError {
    fn released() -> StreamError {
        StreamError {
            code: INVALID,
            message: "the Arrow stream was read already; make it again".to_owned(),
        }
    }

    pub(super) fn panicked() -> StreamError {
        StreamError {
            code: FAILED,
            message: "doisift failed by an internal error; please report it".to_owned(),
        }
    }
}

/// A stream of another library.
pub(crate) struct ImportedStream(pub(crate) FFI_ArrowArrayStream);

impl ImportedStream {
    /// Returns the type of its arrays.
    ///
    /// # Errors
    /// If the producer fails, or the stream is released.
    pub(crate) fn schema(&mut self) -> Result<FFI_ArrowSchema, StreamError> {
        let mut schema = FFI_ArrowSchema::empty();
        let get = self.0.get_schema().ok_or_else(StreamError::released)?;
        // SAFETY: the stream is not released, and the place is empty.
        let code = unsafe { get(&mut self.0, &mut schema) };
        self.check(code).map(|()| schema)
    }

    /// Returns the next array, or `None` at the end.
    ///
    /// # Errors
    /// If the producer fails, or the stream is released.
    pub(crate) fn next(&mut self) -> Result<Option<FFI_ArrowArray>, StreamError> {
        let mut array = FFI_ArrowArray::empty();
        let get = self.0.get_next().ok_or_else(StreamError::released)?;
        // SAFETY: the stream is not released, and the place is empty.
        let code = unsafe { get(&mut self.0, &mut array) };
        self.check(code)?;
        Ok((!array.is_released()).then_some(array))
    }

    fn check(&mut self, code: c_int) -> Result<(), StreamError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the stream is not released; its text is valid until the next call.
        let message = self.0.get_last_error().and_then(|get| unsafe {
            let text = get(&mut self.0);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        });
        let message = message.unwrap_or_else(|| format!("error {code} of the Arrow stream"));
        Err(StreamError { code, message })
    }
}

/// Exports a stream of batches.
pub(crate) fn export(batches: Box<dyn Batches>) -> FFI_ArrowArrayStream {
    let parts = Box::new(StreamParts {
        batches,
        error: CString::default(),
    });
    // SAFETY: the calls do as the interface says, with the parts that `release_stream` drops.
    unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(schema_of_stream),
            Some(next_of_stream),
            Some(error_of_stream),
            Some(release_stream),
            Box::into_raw(parts).cast(),
        )
    }
}

/// Data that an exported stream owns.
struct StreamParts {
    batches: Box<dyn Batches>,
    error: CString,
}

impl StreamParts {
    /// Keeps the message of an error. Returns its code.
    fn keep(&mut self, error: StreamError) -> c_int {
        let message = error.message.split('\0').next().unwrap_or_default();
        self.error = CString::new(message).unwrap_or_default();
        error.code
    }
}

/// Returns the data of a stream that [`export`] made.
///
/// # Safety
/// The stream must not be released, and must not be used elsewhere meanwhile.
unsafe fn parts<'s>(stream: *mut FFI_ArrowArrayStream) -> &'s mut StreamParts {
    // SAFETY: the caller's promise.
    unsafe { &mut *(*stream).private_data().cast::<StreamParts>() }
}

unsafe extern "C" fn schema_of_stream(
    stream: *mut FFI_ArrowArrayStream,
    place: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: the consumer passes a stream that is not released.
    let parts = unsafe { parts(stream) };
    match FFI_ArrowSchema::try_from(parts.batches.field()) {
        Ok(schema) => {
            // SAFETY: the place holds nothing.
            unsafe { place.write(schema) };
            0
        }
        Err(_) => parts.keep(StreamError::panicked()),
    }
}

unsafe extern "C" fn next_of_stream(
    stream: *mut FFI_ArrowArrayStream,
    place: *mut FFI_ArrowArray,
) -> c_int {
    // SAFETY: the consumer passes a stream that is not released.
    let parts = unsafe { parts(stream) };
    let next = catch_unwind(AssertUnwindSafe(|| parts.batches.next()));
    let (array, code) = match next.unwrap_or_else(|_| Err(StreamError::panicked())) {
        Ok(Some(array)) => (FFI_ArrowArray::new(&array.to_data()), 0),
        Ok(None) => (FFI_ArrowArray::empty(), 0),
        Err(error) => (FFI_ArrowArray::empty(), parts.keep(error)),
    };
    // SAFETY: the place holds nothing.
    unsafe { place.write(array) };
    code
}

unsafe extern "C" fn error_of_stream(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: the consumer passes a stream that is not released.
    unsafe { parts(stream) }.error.as_ptr()
}

unsafe extern "C" fn release_stream(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: called once, with a stream that `export` made. The struct that is left has no call and no data.
    unsafe {
        let parts = Box::from_raw((*stream).private_data().cast::<StreamParts>());
        stream.write(FFI_ArrowArrayStream::empty());
        // Dropping the batches may run foreign code, which must not unwind into C.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(parts)));
    }
}
