//! Streams of arrays.

use std::ffi::c_int;
use std::sync::Arc;

use super::data::Data;
use super::field::Field;

/// `EINVAL`, by which consumers know a wrong value.
pub(crate) const INVALID: c_int = 22;
/// `EIO`, by which consumers know a failure to read.
pub(crate) const FAILED: c_int = 5;

/// Arrays of one type, one after the other.
pub(crate) trait Batches: Send {
    /// Their type.
    fn field(&self) -> &Field;

    /// The next array; none at the end.
    ///
    /// # Errors
    /// If there is no next array, for another reason than the end.
    fn next(&mut self) -> Result<Option<Arc<Data>>, StreamError>;
}

/// Why a stream ends early.
#[derive(Clone, Debug)]
pub(crate) struct StreamError {
    /// A value of C's `errno`, never 0.
    pub(crate) code: c_int,
    /// What went wrong.
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
            message: "doisift failed by a mistake of its own; please report it".to_owned(),
        }
    }
}
