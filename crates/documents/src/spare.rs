//! Buffers that the readers of a thread reuse one after the other.
//!
//! A task over many files starts a reader for each. Allocating and clearing its buffer takes longer than recognising a small file,
//! and half as long as unpacking a large one.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::thread::LocalKey;

/// Size in bytes of the largest small buffer that is kept for another reader.
const MAX_KEPT_BYTES: usize = 16 << 10;

thread_local! {
    static SMALL: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    static LARGE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A buffer whose bytes have any value at the start.
pub(super) struct ReusedBuffer {
    /// At least `size` bytes.
    bytes: Vec<u8>,
    size: usize,
    /// Where the thread keeps it; `None` if it is freed.
    kept: Option<&'static LocalKey<Cell<Vec<u8>>>>,
}

impl ReusedBuffer {
    /// Makes a buffer of `size` bytes, which is kept if it is small.
    pub(super) fn new(size: usize) -> Self {
        let kept = (size <= MAX_KEPT_BYTES).then_some(&SMALL);
        ReusedBuffer::kept_in(kept, size)
    }

    /// Makes a buffer of `size` bytes, which is kept for as long as the thread runs. The size counts as held by the thread.
    pub(super) fn large(size: usize) -> Self {
        ReusedBuffer::kept_in(Some(&LARGE), size)
    }

    fn kept_in(kept: Option<&'static LocalKey<Cell<Vec<u8>>>>, size: usize) -> Self {
        let spare = kept.and_then(|kept| kept.try_with(Cell::take).ok());
        let fitting = spare.filter(|bytes| bytes.len() >= size);
        ReusedBuffer {
            bytes: fitting.unwrap_or_else(|| vec![0; size]),
            size,
            kept,
        }
    }
}

impl Drop for ReusedBuffer {
    fn drop(&mut self) {
        if let Some(kept) = self.kept {
            // If the thread is ending, the buffer is freed instead.
            let _ = kept.try_with(|spare| spare.set(std::mem::take(&mut self.bytes)));
        }
    }
}

impl Deref for ReusedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.size]
    }
}

impl DerefMut for ReusedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.size]
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
    fn a_large_buffer_is_kept_if_that_is_asked_for() {
        drop(ReusedBuffer::large(10 * MAX_KEPT_BYTES));
        assert_eq!(ReusedBuffer::large(100).bytes.len(), 10 * MAX_KEPT_BYTES);
        drop(ReusedBuffer::new(10 * MAX_KEPT_BYTES));
        assert!(SMALL.take().capacity() <= MAX_KEPT_BYTES);
        drop(ReusedBuffer::new(100));
        assert!(SMALL.take().capacity() >= 100);
    }
}
