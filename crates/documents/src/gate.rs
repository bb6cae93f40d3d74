//! Admits one thread at a time to more memory than its share.
//!
//! So the memory for one document depends on the budget alone, not on the number of threads. A document that does not fit a
//! thread's share is read alone, with as much memory as a single thread would have.

/// Admits a thread to more memory than its share, while no other thread has it.
pub trait Gate {
    /// Waits until the thread is admitted. A thread that is admitted may enter again at once.
    fn enter(&self);

    /// Ends the admission that the last `enter` began.
    fn leave(&self);
}

/// A gate without other threads.
pub struct OpenGate;

impl Gate for OpenGate {
    fn enter(&self) {}

    fn leave(&self) {}
}

/// A thread's admission to more memory than its share. It ends on drop.
pub(super) struct Admitted<'g>(&'g dyn Gate);

impl<'g> Admitted<'g> {
    pub(super) fn through(gate: &'g dyn Gate) -> Self {
        gate.enter();
        Admitted(gate)
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}
