//! Small buffers that the readers of a thread reuse one after the other.
//!
//! A task over small files starts a reader for each. Allocating and clearing its buffer takes longer than recognising the
//! file.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

/// Size in bytes of the largest buffer that is kept for another reader.
const MAX_KEPT_BYTES: usize = 16 << 10;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A buffer whose bytes have any value at the start.
pub(super) struct ReusedBuffer(Vec<u8>);

impl ReusedBuffer {
    /// Makes a buffer of `size` bytes.
    pub(super) fn new(size: usize) -> Self {
        if size > MAX_KEPT_BYTES {
            return ReusedBuffer(vec![0; size]);
        }
        let mut bytes = SPARE.try_with(Cell::take).unwrap_or_default();
        bytes.reserve_exact(size.saturating_sub(bytes.len()));
        bytes.resize(size, 0);
        ReusedBuffer(bytes)
    }
}

impl Drop for ReusedBuffer {
    fn drop(&mut self) {
        if self.0.capacity() <= MAX_KEPT_BYTES {
            // If the thread is ending, the buffer is freed instead.
            let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.0)));
        }
    }
}

impl Deref for ReusedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for ReusedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_has_the_size_that_is_asked_for_whatever_was_kept() {
        for size in [100, MAX_KEPT_BYTES, 7, MAX_KEPT_BYTES + 1, 8192, 0, 5000] {
            let (one, other) = (ReusedBuffer::new(size), ReusedBuffer::new(size));
            assert_eq!((one.len(), other.len()), (size, size));
        }
    }

    #[test]
    fn a_large_buffer_is_not_kept() {
        drop(ReusedBuffer::new(10 * MAX_KEPT_BYTES));
        assert!(SPARE.take().capacity() <= MAX_KEPT_BYTES);
        drop(ReusedBuffer::new(100));
        assert!(SPARE.take().capacity() >= 100);
    }
}
