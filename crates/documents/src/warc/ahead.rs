//! A reader with look-ahead, even if its input returns few bytes at once.

use crate::fault::InputError;
use crate::read::{ReadBuffer, ReadBytes, read_held};

/// Shows the next bytes of a reader before they are read.
pub(super) struct PeekBody<'c> {
    inner: &'c mut dyn ReadBuffer,
    /// Bytes that were read from `inner` ahead.
    held: Vec<u8>,
    /// Number of these that were returned by reads.
    at: usize,
    /// The error that follows them.
    error: Option<InputError>,
}

impl<'c> PeekBody<'c> {
    pub(super) fn new(inner: &'c mut dyn ReadBuffer) -> Self {
        PeekBody {
            inner,
            held: Vec::new(),
            at: 0,
            error: None,
        }
    }

    /// Returns the next bytes: at least `count` of them, or all up to the end or an error. The error is returned by the
    /// read that reaches it.
    pub(super) fn peek(&mut self, count: usize) -> &[u8] {
        // Nothing is copied if the buffer of `inner` has enough bytes.
        if self.at == self.held.len() && self.error.is_none() && self.is_at_hand(count) {
            return self.inner.fill_buf().unwrap_or_default();
        }
        self.held.drain(..self.at);
        self.at = 0;
        while self.held.len() < count && self.error.is_none() {
            match self.inner.fill_buf() {
                Ok([]) => break,
                Ok(bytes) => {
                    let taken = bytes.len().min(count - self.held.len());
                    self.held.extend_from_slice(&bytes[..taken]);
                    self.inner.consume(taken);
                }
                Err(error) => self.error = Some(error),
            }
        }
        &self.held
    }

    /// Takes the error that was found ahead, if no read has reached it.
    pub(super) fn take_error(&mut self) -> Option<InputError> {
        self.error.take()
    }

    /// Puts back an error that was taken and that no read has reached.
    pub(super) fn put_back(&mut self, error: Option<InputError>) {
        self.error = self.error.take().or(error);
    }

    /// Whether the buffer of `inner` has `count` bytes.
    fn is_at_hand(&mut self, count: usize) -> bool {
        match self.inner.fill_buf() {
            Ok(bytes) => bytes.len() >= count,
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }
}

impl ReadBuffer for PeekBody<'_> {
    fn fill_buf(&mut self) -> Result<&[u8], InputError> {
        if self.at < self.held.len() {
            return Ok(&self.held[self.at..]);
        }
        match self.error.take() {
            Some(error) => Err(error),
            None => self.inner.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        if self.at < self.held.len() {
            self.at = self.held.len().min(self.at + count);
        } else {
            self.inner.consume(count);
        }
    }
}

impl ReadBytes for PeekBody<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        read_held(self, into)
    }
}
