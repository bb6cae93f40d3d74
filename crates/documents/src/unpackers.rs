//! The number of threads that may unpack ahead of readers, shared by all sources that are being read.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The free threads, and the memory of each for unpacked bytes.
#[derive(Debug)]
pub struct Unpackers {
    free: AtomicUsize,
    bytes: usize,
}

/// Threads that one source uses. Dropping this frees them.
#[derive(Debug)]
pub(crate) struct Lease<'u> {
    from: &'u Unpackers,
    pub(crate) threads: usize,
}

impl Unpackers {
    /// Makes `threads` threads available, with about `bytes` bytes each.
    pub fn new(threads: usize, bytes: usize) -> Self {
        Unpackers {
            free: AtomicUsize::new(threads),
            bytes,
        }
    }

    /// Takes all free threads. Returns `None` if no thread is free.
    pub(crate) fn take(&self) -> Option<Lease<'_>> {
        // Called for every member or block, so the usual case is only a read.
        let threads = match self.free.load(Ordering::Relaxed) {
            0 => 0,
            _ => self.free.swap(0, Ordering::Relaxed),
        };
        (threads > 0).then_some(Lease {
            from: self,
            threads,
        })
    }

    /// Returns the number of unpacked bytes that a thread may hold.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.from.free.fetch_add(self.threads, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_unpacks_for_one_source_at_a_time() {
        let unpackers = Unpackers::new(3, 0);
        let lease = unpackers.take();
        assert_eq!(lease.as_ref().map(|lease| lease.threads), Some(3));
        assert!(unpackers.take().is_none());
        drop(lease);
        assert_eq!(unpackers.take().map(|lease| lease.threads), Some(3));
    }
}
