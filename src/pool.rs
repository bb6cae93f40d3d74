//! Threads for work that never blocks: sorting, formatting and encoding.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool whose threads start at first use.
#[derive(Debug)]
pub(crate) struct LazyPool {
    threads: usize,
    pool: OnceLock<Option<ThreadPool>>,
}

impl LazyPool {
    /// Creates a pool of `threads` threads.
    pub(crate) fn new(threads: usize) -> Self {
        LazyPool {
            threads,
            pool: OnceLock::new(),
        }
    }

    /// Returns the pool, or `None` if the caller must do the work itself: the pool has one thread, or threads cannot be started.
    pub(crate) fn get(&self) -> Option<&ThreadPool> {
        self.pool.get_or_init(|| self.start()).as_ref()
    }

    fn start(&self) -> Option<ThreadPool> {
        let pool = ThreadPoolBuilder::new().num_threads(self.threads);
        let pool = pool.thread_name(|n| format!("rows-{n}"));
        (self.threads > 1).then(|| pool.build().ok()).flatten()
    }
}
