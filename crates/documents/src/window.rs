//! A buffer over a stream that can look ahead and go back.

use crate::fault::InputError;
use crate::read::ReadBytes;

/// Bytes of a read.
const READ_BYTES: usize = 128 << 10;
/// Maximum bytes of the buffer beyond those that are held and a read.
const MAX_SPARE_BYTES: usize = 3 << 20;

/// A buffer that slides over a stream, and grows with the bytes that are held. It ends at an error of the stream until the error
/// is taken.
pub(super) struct SlidingWindow<R> {
    inner: R,
    buffer: Vec<u8>,
    /// Bytes before this index can be dropped.
    start: usize,
    at: usize,
    end: usize,
    /// Offset of the buffer in the stream.
    offset: u64,
    /// The error after the bytes in the buffer.
    error: Option<InputError>,
    ended: bool,
}

impl<R: ReadBytes> SlidingWindow<R> {
    /// Reads `inner`, whose first byte is at `offset`.
    pub(super) fn new(inner: R, offset: u64) -> Self {
        SlidingWindow {
            inner,
            buffer: Vec::new(),
            start: 0,
            at: 0,
            end: 0,
            offset,
            error: None,
            ended: false,
        }
    }

    /// Starts again with another stream.
    pub(super) fn restart(&mut self, inner: R, offset: u64) {
        let buffer = std::mem::take(&mut self.buffer);
        *self = SlidingWindow {
            buffer,
            ..SlidingWindow::new(inner, offset)
        };
    }

    /// Returns the offset of the position in the stream.
    pub(super) fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// Returns the held bytes from the position.
    pub(super) fn held(&self) -> &[u8] {
        &self.buffer[self.at..self.end]
    }

    /// Whether the window ends after the held bytes.
    pub(super) fn is_stopped(&self) -> bool {
        self.ended || self.error.is_some()
    }

    /// Returns the held bytes from the position: at least `count`, unless the stream ends or cannot be read.
    pub(super) fn ensure(&mut self, count: usize) -> &[u8] {
        while self.end - self.at < count && !self.is_stopped() {
            self.make_room();
            let free = self.buffer.len().min(self.end + READ_BYTES);
            match self.inner.read(&mut self.buffer[self.end..free]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) => self.error = Some(error),
            }
        }
        self.held()
    }

    /// Reads until `count` bytes are held. Returns false if the window ends before.
    pub(super) fn hold(&mut self, count: usize) -> bool {
        self.ensure(count).len() >= count
    }

    /// Makes room for `count` bytes from the position, so that [`ensure`](Self::ensure) need not move bytes.
    pub(super) fn reserve(&mut self, count: usize) {
        let size = self.at + count;
        if self.buffer.len() < size {
            self.buffer.reserve_exact(size - self.buffer.len());
            self.buffer.resize(size, 0);
        }
    }

    /// Makes room for one read. Held bytes are moved only after a number in proportion to them was read, so that the cost is
    /// linear.
    fn make_room(&mut self) {
        if self.end < self.buffer.len() {
            return;
        }
        let kept = self.end - self.start;
        if self.start < kept + READ_BYTES {
            let needed = kept + READ_BYTES;
            let larger = needed + needed.min(MAX_SPARE_BYTES);
            self.buffer.resize(larger.max(self.buffer.len()), 0);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.offset += self.start as u64;
        self.at -= self.start;
        self.end = kept;
        self.start = 0;
    }

    /// Moves the position by `count` bytes, which must be held.
    pub(super) fn consume(&mut self, count: usize) {
        self.at = self.end.min(self.at + count);
    }

    /// Moves the position by `count` bytes, which must be held, and drops all bytes before it.
    pub(super) fn skip(&mut self, count: usize) {
        self.consume(count);
        self.forget();
    }

    /// Drops all bytes before the position.
    pub(super) fn forget(&mut self) {
        self.start = self.at;
    }

    /// Drops the bytes before `position` of the stream.
    pub(super) fn forget_before(&mut self, position: u64) {
        let start = position.saturating_sub(self.offset);
        self.start = self.start.max(self.at.min(start as usize));
    }

    /// Moves the position to any held byte, or forward up to the end of the stream.
    pub(super) fn go_to(&mut self, position: u64) {
        let held = position.saturating_sub(self.offset).min(self.end as u64);
        self.at = self.start.max(held as usize);
        while self.position() < position && !self.ensure(1).is_empty() {
            let left = usize::try_from(position - self.position()).unwrap_or(usize::MAX);
            self.skip(left);
        }
    }

    /// Takes the error after the held bytes. Then reading may continue after it.
    pub(super) fn take_error(&mut self) -> Option<InputError> {
        self.error.take()
    }
}
