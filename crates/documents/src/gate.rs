//! Admits one thread at a time to more memory than its share.
//!
//! So the memory for one document depends on the budget alone, not on the number of threads. A document that does not fit a
//! thread's share is read alone, with as much memory as a single thread would have.

/// Admits a thread to more memory than its share, while no other thread has it.
pub trait MemoryGate {
    /// Waits until the thread is admitted. A thread that is admitted may enter again at once.
    fn enter(&self);

    /// Ends the admission that the last `enter` began.
    fn leave(&self);
}

/// A thread's admission to more memory than its share. It ends on drop.
pub(super) struct MemoryPermit<'g>(Option<&'g dyn MemoryGate>);

impl<'g> MemoryPermit<'g> {
    /// Waits for the admission. Without a gate there are no other threads.
    pub(super) fn wait(gate: Option<&'g dyn MemoryGate>) -> Self {
        if let Some(gate) = gate {
            gate.enter();
        }
        MemoryPermit(gate)
    }
}

impl Drop for MemoryPermit<'_> {
    fn drop(&mut self) {
        if let Some(gate) = self.0 {
            gate.leave();
        }
    }
}
