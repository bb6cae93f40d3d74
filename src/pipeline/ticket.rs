//! Tickets bound how much is under way: whoever starts work waits for one, whoever ends it gives it back.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::run::lock;

/// A number of tickets. A rayon worker must never take one: it would wait.
pub(super) struct Tickets {
    free: Mutex<Vec<Box<[u8]>>>,
    returned: Condvar,
    /// Size of the buffer that comes with a ticket.
    size: usize,
}

/// The right to have one piece of work under way, and a buffer for it. Goes back when it is dropped.
pub(super) struct Ticket {
    pub(super) buffer: Box<[u8]>,
    home: Arc<Tickets>,
}

impl Tickets {
    /// `count` tickets, each with a buffer of `size` bytes that is allocated when first used.
    pub(super) fn new(count: usize, size: usize) -> Arc<Self> {
        let free = (0..count).map(|_| Box::default()).collect();
        Arc::new(Tickets { free: Mutex::new(free), returned: Condvar::new(), size })
    }

    /// Waits for a ticket. Its buffer holds what it last held.
    pub(super) fn take(self: &Arc<Self>) -> Ticket {
        let mut free = lock(&self.free);
        let mut buffer = loop {
            match free.pop() {
                Some(buffer) => break buffer,
                None => free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(free);
        if buffer.len() != self.size {
            buffer = vec![0; self.size].into_boxed_slice();
        }
        Ticket { buffer, home: Arc::clone(self) }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        lock(&self.home.free).push(std::mem::take(&mut self.buffer));
        self.home.returned.notify_one();
    }
}
