//! Tickets limit the work that is started but not finished: starting takes one, and finishing returns it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::rows::HeldMentions;
use crate::lock::lock;

/// A fixed number of tickets. A thread of a rayon pool must never take one, since it would block.
pub(super) struct Tickets {
    free: Mutex<Vec<Load>>,
    returned: Condvar,
    count: usize,
    /// Size of the buffer that comes with a ticket.
    size: usize,
}

/// The right to do one piece of work, with its buffers. Dropping it returns it.
pub(super) struct Ticket {
    pub(super) load: Load,
    home: Arc<Tickets>,
}

/// The buffers of a ticket; reused.
#[derive(Default)]
pub(super) struct Load {
    pub(super) buffer: Box<[u8]>,
    pub(super) rows: HeldMentions,
}

impl Tickets {
    /// `count` tickets, each with a buffer of `size` bytes that is allocated when first used.
    pub(super) fn new(count: usize, size: usize) -> Arc<Self> {
        let free = (0..count).map(|_| Load::default()).collect();
        Arc::new(Tickets {
            free: Mutex::new(free),
            returned: Condvar::new(),
            count,
            size,
        })
    }

    /// Waits until all tickets are returned. No thread may take one meanwhile.
    pub(super) fn wait(&self) {
        let mut free = lock(&self.free);
        while free.len() < self.count {
            free = self
                .returned
                .wait(free)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Number of tickets that are not returned.
    pub(super) fn out(&self) -> usize {
        self.count - lock(&self.free).len()
    }

    /// Takes a ticket; waits until there is one. Its buffer has old content; its rows are empty.
    pub(super) fn take(self: &Arc<Self>) -> Ticket {
        let mut free = lock(&self.free);
        let mut load = loop {
            match free.pop() {
                Some(load) => break load,
                None => {
                    free = self
                        .returned
                        .wait(free)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        };
        drop(free);
        if load.buffer.len() != self.size {
            load.buffer = vec![0; self.size].into_boxed_slice();
        }
        Ticket {
            load,
            home: Arc::clone(self),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        lock(&self.home.free).push(std::mem::take(&mut self.load));
        self.home.returned.notify_one();
    }
}
