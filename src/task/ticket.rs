//! Tickets limit the work that is started but not finished: starting takes one, and finishing returns it.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::lock::lock;

/// A fixed number of tickets, each with buffers `L`.
pub(crate) struct Tickets<L> {
    free: Mutex<Vec<L>>,
    returned: Condvar,
    count: usize,
}

/// The right to do one piece of work, and its buffers. Dropping it returns both.
pub(crate) struct Ticket<L: Default> {
    load: L,
    home: Arc<Tickets<L>>,
}

impl<L: Default> Tickets<L> {
    pub(crate) fn new(count: usize) -> Arc<Self> {
        Arc::new(Tickets {
            free: Mutex::new((0..count).map(|_| L::default()).collect()),
            returned: Condvar::new(),
            count,
        })
    }

    /// Waits until all tickets are returned. No thread may take one meanwhile.
    pub(crate) fn wait(&self) {
        let free = lock(&self.free);
        drop(
            self.returned
                .wait_while(free, |free| free.len() < self.count),
        );
    }

    /// Returns the number of tickets that are taken.
    pub(crate) fn out(&self) -> usize {
        self.count - lock(&self.free).len()
    }

    /// Takes a ticket; waits until one is free. Its buffers have old content.
    pub(crate) fn take(self: &Arc<Self>) -> Ticket<L> {
        debug_assert!(
            rayon::current_thread_index().is_none(),
            "a thread of a pool waits for a ticket"
        );
        let free = lock(&self.free);
        let free = self.returned.wait_while(free, |free| free.is_empty());
        let load = free.unwrap_or_else(PoisonError::into_inner).pop();
        Ticket {
            load: load.unwrap_or_default(),
            home: Arc::clone(self),
        }
    }
}

impl<L: Default> Deref for Ticket<L> {
    type Target = L;

    fn deref(&self) -> &L {
        &self.load
    }
}

impl<L: Default> DerefMut for Ticket<L> {
    fn deref_mut(&mut self) -> &mut L {
        &mut self.load
    }
}

impl<L: Default> Drop for Ticket<L> {
    fn drop(&mut self) {
        lock(&self.home.free).push(std::mem::take(&mut self.load));
        self.home.returned.notify_one();
    }
}
