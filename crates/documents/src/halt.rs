//! Asks whether a task must end.

/// Says whether a task must end. Then its commands are killed, and long work within one read is broken off.
pub trait HaltSignal: Sync {
    /// Whether it must end.
    fn is_halted(&self) -> bool;
}

/// `None` never ends a task.
impl HaltSignal for Option<&dyn HaltSignal> {
    fn is_halted(&self) -> bool {
        self.is_some_and(HaltSignal::is_halted)
    }
}
