//! The structs of Arrow's C data and stream interfaces, with all unsafe code that they need.
//!
//! Layouts and rules are specified in <https://arrow.apache.org/docs/format/CDataInterface.html> and
//! <https://arrow.apache.org/docs/format/CStreamInterface.html>. A struct is released exactly once, by its owner: here, by
//! `Drop`. Moving a struct out of its place leaves a released one there.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::data::{Buffer, Data};
use super::field::Field;
use super::stream::{Batches, StreamError};

/// Flag of a schema whose values may be null.
const NULLABLE: i64 = 2;

/// Limit of the number of values: no address space of 47 bits holds this many at 16 bytes each.
const MAX: usize = 1 << 43;

/// A type, a name, and whether values may be null.
#[repr(C)]
pub(crate) struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// An array.
#[repr(C)]
pub(crate) struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// A stream of arrays of one type.
#[repr(C)]
pub(crate) struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

/// A struct of the interface, which C code can move out of its place.
///
/// # Safety
/// [`released`](Self::released) must be a value that needs no release.
pub(crate) unsafe trait Movable: Sized {
    /// The name of a capsule with this struct.
    const CAPSULE: &'static CStr;

    /// Returns a released struct.
    fn released() -> Self;

    /// Moves the struct out of its place.
    ///
    /// # Safety
    /// The pointer must be to such a struct, as in a capsule of the [name](Self::CAPSULE), and nothing may use it meanwhile.
    unsafe fn take(place: NonNull<c_void>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { ptr::replace(place.cast().as_ptr(), Self::released()) }
    }
}

macro_rules! movable {
    ($($name:ident, $capsule:literal, { $($field:ident: $value:expr),* };)*) => {$(
        // SAFETY: without `release` there is nothing to release.
        unsafe impl Movable for $name {
            const CAPSULE: &'static CStr = $capsule;

            fn released() -> Self {
                $name { $($field: $value,)* release: None, private_data: ptr::null_mut() }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: it was not released, or `release` would be `None`, and this is its only owner.
                    unsafe { release(self) }
                }
            }
        }

        // SAFETY: the interface ties no struct to a thread.
        unsafe impl Send for $name {}
    )*};
}

movable! {
    ArrowSchema, c"arrow_schema", {
        format: c"n".as_ptr(), name: ptr::null(), metadata: ptr::null(), flags: 0, n_children: 0,
        children: ptr::null_mut(), dictionary: ptr::null_mut()
    };
    ArrowArray, c"arrow_array", {
        length: 0, null_count: 0, offset: 0, n_buffers: 0, n_children: 0, buffers: ptr::null_mut(),
        children: ptr::null_mut(), dictionary: ptr::null_mut()
    };
    ArrowArrayStream, c"arrow_array_stream", { get_schema: None, get_next: None, get_last_error: None };
}

// SAFETY: arrays are immutable, and shared references only read them.
unsafe impl Sync for ArrowArray {}

/// Data that an exported schema owns.
struct SchemaParts {
    _format: CString,
    _name: CString,
    children: Vec<*mut ArrowSchema>,
}

impl ArrowSchema {
    /// Exports the schema of a field.
    pub(crate) fn of(field: &Field) -> ArrowSchema {
        let children = field.children().iter();
        let mut parts = Box::new(SchemaParts {
            _format: text(field.format()),
            _name: text(field.name),
            children: children.map(|of| boxed(ArrowSchema::of(of))).collect(),
        });
        ArrowSchema {
            format: parts._format.as_ptr(),
            name: parts._name.as_ptr(),
            metadata: ptr::null(),
            flags: if field.nullable { NULLABLE } else { 0 },
            n_children: parts.children.len() as i64,
            children: parts.children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_schema),
            private_data: Box::into_raw(parts).cast(),
        }
    }

    /// Returns the format string of the type, or an empty string if it is missing or not UTF-8.
    pub(crate) fn format(&self) -> &str {
        match self.format.is_null() {
            true => "",
            // SAFETY: a schema that is not released has a string there.
            false => unsafe { CStr::from_ptr(self.format) }
                .to_str()
                .unwrap_or_default(),
        }
    }

    /// Returns the type of the dictionary's values, if this is the type of indices into a dictionary.
    pub(crate) fn dictionary(&self) -> Option<&ArrowSchema> {
        // SAFETY: null, or a schema that is owned by this one.
        unsafe { self.dictionary.as_ref() }
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: called once, with a schema that `of` made.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        parts
            .children
            .iter()
            .for_each(|&child| drop(Box::from_raw(child)));
        (*schema).release = None;
    }
}

/// Data that an exported array owns.
struct ArrayParts {
    _data: Arc<Data>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

impl ArrowArray {
    /// Exports an array over shared data.
    pub(crate) fn of(data: &Arc<Data>) -> ArrowArray {
        let children = data.children.iter();
        let mut parts = Box::new(ArrayParts {
            _data: Arc::clone(data),
            buffers: data.buffers.iter().map(address).collect(),
            children: children.map(|of| boxed(ArrowArray::of(of))).collect(),
        });
        ArrowArray {
            length: data.length as i64,
            null_count: data.nulls as i64,
            offset: 0,
            n_buffers: parts.buffers.len() as i64,
            n_children: parts.children.len() as i64,
            buffers: parts.buffers.as_mut_ptr(),
            children: parts.children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_array),
            private_data: Box::into_raw(parts).cast(),
        }
    }

    #[cfg(test)]
    pub(super) fn children(&self) -> *mut *mut ArrowArray {
        self.children
    }

    /// Returns the number of values, and the index of the first one in the buffers. Returns `None` if the array is released, or
    /// if a number is negative or too large.
    pub(crate) fn extent(&self) -> Option<(usize, usize)> {
        self.release?;
        let length = usize::try_from(self.length).ok()?;
        let offset = usize::try_from(self.offset).ok()?;
        let end = length.checked_add(offset)?;
        (end < MAX).then_some((length, offset))
    }

    /// Returns the number of buffers.
    pub(crate) fn buffer_count(&self) -> usize {
        usize::try_from(self.n_buffers).unwrap_or(0)
    }

    /// Returns the values of the dictionary, if the array has one.
    pub(crate) fn dictionary(&self) -> Option<&ArrowArray> {
        // SAFETY: null, or an array that is owned by this one.
        unsafe { self.dictionary.as_ref() }
    }

    /// Returns the first `count` values of a buffer, or `None` if the array lacks the buffer or it is null.
    ///
    /// # Safety
    /// By the type of the array, the buffer must have `count` values of `N` bytes.
    pub(crate) unsafe fn buffer<const N: usize>(
        &self,
        index: usize,
        count: usize,
    ) -> Option<&[[u8; N]]> {
        if index >= self.buffer_count() || self.buffers.is_null() {
            return None;
        }
        // SAFETY: `buffers` has `n_buffers` pointers. The values are bytes, so that no alignment is needed.
        unsafe {
            let start = *self.buffers.add(index);
            let values = NonNull::new(start.cast_mut())?.cast::<[u8; N]>();
            Some(std::slice::from_raw_parts(values.as_ptr(), count))
        }
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: called once, with an array that `of` made. A child that was moved away is released already.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        parts
            .children
            .iter()
            .for_each(|&child| drop(Box::from_raw(child)));
        (*array).release = None;
    }
}

/// Data that an exported stream owns.
struct StreamParts {
    batches: Box<dyn Batches>,
    error: CString,
}

impl ArrowArrayStream {
    /// Exports a stream of batches.
    pub(crate) fn of(batches: Box<dyn Batches>) -> ArrowArrayStream {
        let parts = Box::new(StreamParts {
            batches,
            error: CString::default(),
        });
        ArrowArrayStream {
            get_schema: Some(schema_of_stream),
            get_next: Some(next_of_stream),
            get_last_error: Some(error_of_stream),
            release: Some(release_stream),
            private_data: Box::into_raw(parts).cast(),
        }
    }

    /// Returns the type of its arrays.
    ///
    /// # Errors
    /// If the producer fails, or the stream is released.
    pub(crate) fn schema(&mut self) -> Result<ArrowSchema, StreamError> {
        let mut schema = ArrowSchema::released();
        let Some(get) = self.get_schema else {
            return Err(StreamError::released());
        };
        // SAFETY: the stream is not released, and the place is empty.
        let code = unsafe { get(self, &mut schema) };
        self.check(code).map(|()| schema)
    }

    /// Returns the next array, or `None` at the end.
    ///
    /// # Errors
    /// If the producer fails, or the stream is released.
    pub(crate) fn next(&mut self) -> Result<Option<ArrowArray>, StreamError> {
        let mut array = ArrowArray::released();
        let Some(get) = self.get_next else {
            return Err(StreamError::released());
        };
        // SAFETY: the stream is not released, and the place is empty.
        let code = unsafe { get(self, &mut array) };
        self.check(code)
            .map(|()| array.release.is_some().then_some(array))
    }

    fn check(&mut self, code: c_int) -> Result<(), StreamError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the stream is not released; its text is valid until the next call.
        let message = self.get_last_error.and_then(|get| unsafe {
            let text = get(self);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        });
        let message = message.unwrap_or_else(|| format!("error {code} of the Arrow stream"));
        Err(StreamError { code, message })
    }
}

/// Returns the data of a stream that [`ArrowArrayStream::of`] made.
///
/// # Safety
/// The stream must not be released, and must not be used elsewhere meanwhile.
unsafe fn parts<'s>(stream: *mut ArrowArrayStream) -> &'s mut StreamParts {
    // SAFETY: the caller's promise.
    unsafe { &mut *(*stream).private_data.cast::<StreamParts>() }
}

unsafe extern "C" fn schema_of_stream(
    stream: *mut ArrowArrayStream,
    place: *mut ArrowSchema,
) -> c_int {
    // SAFETY: the consumer passes a stream that is not released, and a place that holds nothing.
    unsafe { place.write(ArrowSchema::of(parts(stream).batches.field())) };
    0
}

unsafe extern "C" fn next_of_stream(
    stream: *mut ArrowArrayStream,
    place: *mut ArrowArray,
) -> c_int {
    // SAFETY: the consumer passes a stream that is not released.
    let parts = unsafe { parts(stream) };
    let next = catch_unwind(AssertUnwindSafe(|| parts.batches.next()));
    let (array, code) = match next.unwrap_or_else(|_| Err(StreamError::panicked())) {
        Ok(Some(data)) => (ArrowArray::of(&data), 0),
        Ok(None) => (ArrowArray::released(), 0),
        Err(error) => {
            parts.error = text(&error.message);
            (ArrowArray::released(), error.code)
        }
    };
    // SAFETY: the place holds nothing.
    unsafe { place.write(array) };
    code
}

unsafe extern "C" fn error_of_stream(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: the consumer passes a stream that is not released.
    unsafe { parts(stream) }.error.as_ptr()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: called once, with a stream that `of` made.
    unsafe {
        let parts = Box::from_raw((*stream).private_data.cast::<StreamParts>());
        (*stream).release = None;
        // Dropping the batches may run foreign code, which must not unwind into C.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(parts)));
    }
}

fn boxed<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Converts a text for C. Cuts it before its first NUL.
fn text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

fn address(buffer: &Buffer) -> *const c_void {
    match buffer {
        Buffer::Absent => ptr::null(),
        Buffer::Bytes(values) => values.as_ptr().cast(),
        Buffer::Small(values) => values.as_ptr().cast(),
        Buffer::Large(values) => values.as_ptr().cast(),
    }
}
