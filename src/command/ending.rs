//! How a command ends.

/// How a command ended; the discriminants are exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All done.
    Whole = 0,
    /// Done, but some input was lost or refused.
    Lossy = 1,
    /// Wrong usage, or a failure that stopped the run.
    Failed = 2,
    /// Ended by SIGHUP. This and the next two are 128 plus the number of the signal, as in a shell.
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
