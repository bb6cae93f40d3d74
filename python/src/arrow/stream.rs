//! The interface of streams of arrays.

use std::ffi::c_int;
use std::sync::Arc;

use super::data::Data;
use super::field::Field;

/// `EINVAL`: tells consumers that a value is wrong.
pub(crate) const INVALID: c_int = 22;
/// `EIO`: tells consumers that reading failed.
pub(crate) const FAILED: c_int = 5;

/// Produces arrays of one type.
pub(crate) trait Batches: Send {
    /// Returns the type of the arrays.
    fn field(&self) -> &Field;

    /// Returns the next array, or `None` at the end.
    ///
    /// # Errors
    /// If the next array cannot be made.
    fn next(&mut self) -> Result<Option<Arc<Data>>, StreamError>;
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
    pub(super) fn released() -> StreamError {
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
