//! The number of threads that may unpack ahead of readers, shared by all sources that are being read.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The free threads, and the memory of each for unpacked bytes.
#[derive(Debug)]
pub struct UnpackThreads {
    free: AtomicUsize,
    bytes: usize,
}

/// Threads that one source uses. Dropping this frees them.
#[derive(Debug)]
pub(crate) struct ThreadLease<'u> {
    from: &'u UnpackThreads,
    pub(crate) threads: usize,
}

impl UnpackThreads {
    /// Makes `threads` threads available, with about `bytes` bytes each.
    pub fn new(threads: usize, bytes: usize) -> Self {
        UnpackThreads {
            free: AtomicUsize::new(threads),
            bytes,
        }
    }

    /// Takes all free threads. Returns `None` if no thread is free.
    pub(crate) fn lease(&self) -> Option<ThreadLease<'_>> {
        // Called for every member or block, so the usual case is only a read.
        let threads = match self.free.load(Ordering::Relaxed) {
            0 => 0,
            _ => self.free.swap(0, Ordering::Relaxed),
        };
        (threads > 0).then_some(ThreadLease {
            from: self,
            threads,
        })
    }

    /// Returns the number of unpacked bytes that a thread may hold.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for ThreadLease<'_> {
    fn drop(&mut self) {
        self.from.free.fetch_add(self.threads, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_unpacks_for_one_source_at_a_time() {
        let unpackers = UnpackThreads::new(3, 0);
        let lease = unpackers.lease();
        assert_eq!(lease.as_ref().map(|lease| lease.threads), Some(3));
        assert!(unpackers.lease().is_none());
        drop(lease);
        assert_eq!(unpackers.lease().map(|lease| lease.threads), Some(3));
    }
}
