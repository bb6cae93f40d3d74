//! Memory beyond a thread's share, which one thread at a time may have.
//!
//! What one document may take then depends on the budget alone, not on the number of threads: a document that does not fit a
//! thread's share is read alone, with as much as a single thread would have.

/// Admits a thread to more memory than its share, while no other thread has it.
pub trait Gate {
    /// Waits until the thread is admitted. One that was admitted may enter again at once.
    fn enter(&self);

    /// Ends what the last `enter` began.
    fn leave(&self);
}

/// A gate without other threads.
pub struct OpenGate;

impl Gate for OpenGate {
    fn enter(&self) {}

    fn leave(&self) {}
}

/// A thread has more memory than its share as long as this lives.
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
