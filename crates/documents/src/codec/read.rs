//! Helpers of codecs that read input and report damage.

use std::io;

use crate::fault::{InputError, Packing};
use crate::read::{ReadBuffer, ReadBytes};

/// A reader that ends at the first error.
pub(crate) struct StopAtError<R> {
    inner: R,
    failed: bool,
}

impl<R> StopAtError<R> {
    pub(crate) fn new(inner: R) -> Self {
        StopAtError {
            inner,
            failed: false,
        }
    }
}

impl<R: ReadBytes> ReadBytes for StopAtError<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if self.failed {
            return Ok(0);
        }
        let result = self.inner.read(into);
        self.failed = result.is_err();
        result
    }
}

/// Skips zero bytes. Returns true if nothing else is left.
pub(super) fn is_padding(raw: &mut impl ReadBuffer) -> Result<bool, InputError> {
    loop {
        let held = raw.fill_buf()?;
        if held.is_empty() {
            return Ok(true);
        }
        let count = held.iter().take_while(|byte| **byte == 0).count();
        let is_all = count == held.len();
        raw.consume(count);
        if !is_all {
            return Ok(false);
        }
    }
}

/// Returns the error for input that ends within a packing.
pub(crate) fn early_end() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early")
}

/// Reports an error of a codec as damage of its input.
pub(crate) fn damaged(packing: Packing, error: impl Into<io::Error>) -> InputError {
    InputError::Damaged {
        packing,
        error: error.into(),
    }
}
