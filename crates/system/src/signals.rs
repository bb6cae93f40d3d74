//! The signals that ask this process to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A request to this process to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndingSignal {
    /// The end of the terminal. It is not watched if the process was started to ignore it.
    HangUp,
    /// Ctrl-C; on Windows also Ctrl-Break and the end of the console or of the session.
    Interrupt,
    /// The usual signal of kill(1). Windows does not have it.
    Terminate,
}

/// The signals that arrived.
#[derive(Clone, Debug, Default)]
pub struct EndingSignals {
    /// The number of the last signal.
    pub(crate) last: Arc<AtomicUsize>,
    /// Whether a signal arrived that was not taken yet.
    pub(crate) new: Arc<AtomicBool>,
}

/// Numbers of signals, which are the same on all systems.
pub(crate) const HANGUP: i32 = 1;
#[cfg(feature = "signals")]
pub(crate) const INTERRUPT: i32 = 2;
pub(crate) const TERMINATE: i32 = 15;

impl EndingSignals {
    /// Whether another signal arrived since the last call.
    pub fn take(&self) -> bool {
        self.new.swap(false, Ordering::Relaxed)
    }

    /// Returns the last signal; an interrupt if no signal arrived.
    pub fn last(&self) -> EndingSignal {
        match self.last.load(Ordering::Relaxed) as i32 {
            HANGUP => EndingSignal::HangUp,
            TERMINATE => EndingSignal::Terminate,
            _ => EndingSignal::Interrupt,
        }
    }
}
