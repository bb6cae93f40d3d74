//! How a command ends.

/// How a command ended, as its exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All done.
    Whole = 0,
    /// Done, but some input was lost or refused.
    Lossy = 1,
    /// Usage, or a failure that stopped the run.
    Failed = 2,
    /// Ended by SIGHUP; these three are 128 and the signal's number, as a shell has it.
    HungUp = 129,
    /// Ended by SIGINT.
    Interrupted = 130,
    /// Ended by SIGTERM.
    Terminated = 143,
}

impl Ending {
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}
