//! Bounds the memory of rows that wait until the rows before them are written.
//!
//! A thread that starts more work waits while there are too many rows, except for the first piece that is not written: its rows
//! wait for no others.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use doisift_documents::HaltSignal;

use super::order::PiecePlace;
use crate::lock::lock;

/// Interval at which a waiting thread checks whether the run must end.
const HALT_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Counts the waiting rows of a run.
pub(crate) struct Backlog {
    state: Mutex<BacklogState>,
    less: Condvar,
    /// Bytes of rows at which no more work is started.
    max: usize,
}

#[derive(Default)]
struct BacklogState {
    bytes: usize,
    /// The first piece that is not written.
    next: PiecePlace,
}

impl Backlog {
    pub(crate) fn new(max: usize) -> Self {
        Backlog {
            state: Mutex::default(),
            less: Condvar::new(),
            max,
        }
    }

    /// Counts rows that were made.
    pub(crate) fn add(&self, bytes: usize) {
        lock(&self.state).bytes += bytes;
    }

    /// Counts rows that were written.
    pub(crate) fn remove(&self, bytes: usize) {
        lock(&self.state).bytes -= bytes;
        self.less.notify_all();
    }

    /// Records that all pieces before this one are written.
    pub(crate) fn note_written(&self, next: PiecePlace) {
        lock(&self.state).next = next;
        self.less.notify_all();
    }

    /// Waits until all slots before this one are written.
    pub(crate) fn wait_for(&self, slot: u64, halt: &dyn HaltSignal) {
        self.wait(halt, |state| state.next >= PiecePlace::of(slot));
    }

    /// Waits until more work may be started for a piece.
    pub(crate) fn wait_for_room(&self, place: PiecePlace, halt: &dyn HaltSignal) {
        self.wait(halt, |state| state.bytes < self.max || state.next >= place);
    }

    fn wait(&self, halt: &dyn HaltSignal, is_over: impl Fn(&BacklogState) -> bool) {
        let mut state = lock(&self.state);
        while !is_over(&state) && !halt.is_halted() {
            let waited = self.less.wait_timeout(state, HALT_CHECK_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    struct Never;

    impl HaltSignal for Never {
        fn is_halted(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_later_piece_waits_for_room_and_the_first_one_does_not() {
        let (backlog, started) = (Backlog::new(10), AtomicBool::new(false));
        let second = PiecePlace { slot: 0, piece: 1 };
        backlog.add(10);
        backlog.wait_for_room(PiecePlace::default(), &Never);
        thread::scope(|scope| {
            scope.spawn(|| {
                backlog.wait_for_room(second, &Never);
                started.store(true, Ordering::Relaxed);
            });
            thread::sleep(2 * HALT_CHECK_INTERVAL);
            assert!(!started.load(Ordering::Relaxed));
            backlog.remove(1);
        });
        backlog.add(1);
        backlog.note_written(second);
        backlog.wait_for_room(second, &Never);
    }
}
