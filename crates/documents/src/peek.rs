//! The bytes of a source, with look-ahead.

use crate::fault::InputError;
use crate::read::{ReadBuffer, ReadBytes, UnpackedAhead, read_held};
use crate::spare::ReusedBuffer;

/// Initial size of the buffer in bytes: enough for every magic number. It is small because the first bytes of a plain source
/// are copied through it.
pub(super) const INITIAL_BYTES: usize = 4 << 10;

/// A buffered reader that can show the next bytes.
pub struct PeekReader<R> {
    inner: R,
    buffer: ReusedBuffer,
    start: usize,
    end: usize,
    /// The error after the bytes in the buffer.
    error: Option<InputError>,
    /// Whether `inner` ended after the bytes in the buffer. The next read returns the end without another call, which would
    /// cost time for small files.
    has_ended: bool,
}

impl<R: ReadBytes> PeekReader<R> {
    /// Reads `inner` through a small buffer.
    pub(super) fn new(inner: R) -> Self {
        PeekReader::with_capacity(inner, INITIAL_BYTES)
    }

    /// Reads `inner` through a buffer of `capacity` bytes.
    pub fn with_capacity(inner: R, capacity: usize) -> Self {
        PeekReader {
            inner,
            buffer: ReusedBuffer::new(capacity),
            start: 0,
            end: 0,
            error: None,
            has_ended: false,
        }
    }

    /// Makes room for `capacity` bytes at once.
    pub(super) fn grow(mut self, capacity: usize) -> Self {
        self.reserve(capacity);
        self
    }

    /// Makes room for `capacity` bytes at once.
    pub fn reserve(&mut self, capacity: usize) {
        if capacity <= self.buffer.len() {
            return;
        }
        let mut buffer = ReusedBuffer::new(capacity);
        let held = self.end - self.start;
        buffer[..held].copy_from_slice(&self.buffer[self.start..self.end]);
        (self.buffer, self.start, self.end) = (buffer, 0, held);
    }

    /// Returns the next bytes: `count` of them (at most the capacity), or fewer if the source ends or cannot be read. The
    /// error is returned by the read that reaches it.
    pub fn peek(&mut self, count: usize) -> &[u8] {
        if self.end - self.start < count {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            self.fill(count);
        }
        let shown = count.min(self.end - self.start);
        &self.buffer[self.start..self.start + shown]
    }

    /// Returns the number of bytes in the buffer.
    pub(super) fn held(&self) -> usize {
        self.end - self.start
    }

    fn fill(&mut self, count: usize) {
        while self.end < count && self.error.is_none() && !self.has_ended {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.has_ended = true;
                    break;
                }
                Ok(read) => self.end += read,
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// If an error comes after fewer than `count` bytes, takes these bytes and the error.
    pub(super) fn take_cut(&mut self, count: usize) -> Option<(Vec<u8>, InputError)> {
        if self.held() >= count {
            return None;
        }
        let error = self.error.take()?;
        let held = self.buffer[self.start..self.end].to_vec();
        self.start = self.end;
        Some((held, error))
    }

    /// Whether an error follows the bytes in the buffer.
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Reads from `inner`. The buffer is empty.
    fn read_inner(&mut self, into: Option<&mut [u8]>) -> Result<usize, InputError> {
        self.take_error()?;
        if std::mem::take(&mut self.has_ended) {
            return Ok(0);
        }
        self.inner.read(into.unwrap_or(&mut self.buffer))
    }

    /// Returns the error after the bytes in the buffer, if no read has returned it yet.
    pub(super) fn take_error(&mut self) -> Result<(), InputError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

impl<R: ReadBytes> ReadBuffer for PeekReader<R> {
    fn fill_buf(&mut self) -> Result<&[u8], InputError> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.end = self.read_inner(None)?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn consume(&mut self, count: usize) {
        self.start = self.end.min(self.start + count);
    }
}

impl<R: ReadBytes> ReadBytes for PeekReader<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        // A read as large as the buffer bypasses it.
        if self.start == self.end && into.len() >= self.buffer.len() {
            return self.read_inner(Some(into));
        }
        read_held(self, into)
    }

    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        self.inner.unpacked_ahead()
    }
}
