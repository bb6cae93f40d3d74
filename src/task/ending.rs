//! How a run ends, and its exit code.

use doisift_system::EndingSignal;
use serde::Serialize;

use crate::options::ReportedOptions;

/// How a command ended; the discriminants are exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
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
    /// Returns the ending of a run that read everything, and lost or refused `lost` pieces of input.
    pub fn of_lost(lost: u64) -> Self {
        match lost {
            0 => Ending::Whole,
            _ => Ending::Lossy,
        }
    }

    /// Returns the ending of a run that `signal` ended.
    pub(crate) fn by(signal: EndingSignal) -> Self {
        match signal {
            EndingSignal::HangUp => Ending::HungUp,
            EndingSignal::Interrupt => Ending::Interrupted,
            EndingSignal::Terminate => Ending::Terminated,
        }
    }

    /// Returns the exit code.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The report of a task.
pub trait TaskReport: Serialize {
    /// Returns the ending of a command whose run gave this report.
    fn ending(&self) -> Ending;

    /// Returns the options of the run.
    fn options(&self) -> &ReportedOptions;
}
