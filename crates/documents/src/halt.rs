//! Whether a run must end.

/// Says whether a run must end, so that its commands are killed, and work that is long within one read is broken off.
pub trait Halt: Sync {
    /// Whether it must end.
    fn is_halted(&self) -> bool;
}

/// A run need not end if nothing says so.
impl Halt for Option<&dyn Halt> {
    fn is_halted(&self) -> bool {
        self.is_some_and(Halt::is_halted)
    }
}
