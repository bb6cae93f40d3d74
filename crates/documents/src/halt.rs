//! Asks whether a run must end.

/// Says whether a run must end. Then its commands are killed, and long work within one read is broken off.
pub trait Halt: Sync {
    /// Whether it must end.
    fn is_halted(&self) -> bool;
}

/// `None` never ends a run.
impl Halt for Option<&dyn Halt> {
    fn is_halted(&self) -> bool {
        self.is_some_and(Halt::is_halted)
    }
}
