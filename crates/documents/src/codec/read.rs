//! Helpers of codecs to read input and to report damage.

use std::io::{self, BufRead, Read};

use crate::fault::{InputError, Packing};

/// Ends at the first error.
pub(crate) struct Fused<R> {
    inner: R,
    failed: bool,
}

impl<R> Fused<R> {
    pub(crate) fn new(inner: R) -> Self {
        Fused {
            inner,
            failed: false,
        }
    }
}

impl<R: Read> Read for Fused<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Ok(0);
        }
        let result = self.inner.read(into);
        self.failed = result
            .as_ref()
            .is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        result
    }
}

/// Skips zero bytes. True if nothing else is left.
pub(super) fn is_padding(raw: &mut impl BufRead) -> io::Result<bool> {
    loop {
        fill(raw)?;
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

/// Fills the buffer of `raw`, unless the source has ended.
pub(crate) fn fill(raw: &mut impl BufRead) -> io::Result<()> {
    loop {
        match raw.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result.map(drop),
        }
    }
}

/// The error for input that ends within a packing.
pub(crate) fn early_end() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early")
}

/// Reports an error of a codec as damage of its input. Errors of reading that input are returned as they are.
pub(crate) fn damaged(packing: Packing, error: io::Error) -> io::Error {
    let is_reported = error
        .get_ref()
        .is_some_and(|inner| inner.is::<InputError>());
    match error.kind() {
        io::ErrorKind::Interrupted => error,
        _ if is_reported || error.raw_os_error().is_some() => error,
        _ => InputError::Damaged { packing, error }.into(),
    }
}
