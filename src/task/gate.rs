//! The gates of a run: one thread at a time may take more memory than its share.
//!
//! A feeder that was admitted may wait for scanners, so these have a gate of their own. If rows are written in the order of
//! sources, an admitted feeder may also wait until all earlier sources are written. So it is admitted only after that.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard};

use doisift_documents::{HaltSignal, MemoryGate};

use super::backlog::Backlog;
use crate::lock::lock;

/// The gates of a run.
#[derive(Default)]
pub(crate) struct Gates {
    feeders: Mutex<()>,
    scanners: Mutex<()>,
}

/// The gate for one source.
pub(crate) struct SourceGate<'r> {
    gates: &'r Gates,
    backlog: &'r Backlog,
    halt: &'r dyn HaltSignal,
    role: GateRole,
    entered: RefCell<GateEntry<'r>>,
}

/// The thread that reads a source.
#[derive(Clone, Copy)]
pub(crate) enum GateRole {
    Feeder,
    /// A feeder if rows are written in the order of slots, with the slot of its source.
    OrderedFeeder(u64),
    Scanner,
}

#[derive(Default)]
struct GateEntry<'r> {
    depth: usize,
    guard: Option<MutexGuard<'r, ()>>,
}

impl<'r> SourceGate<'r> {
    pub(crate) fn new(
        gates: &'r Gates,
        backlog: &'r Backlog,
        halt: &'r dyn HaltSignal,
        role: GateRole,
    ) -> Self {
        SourceGate {
            gates,
            backlog,
            halt,
            role,
            entered: RefCell::default(),
        }
    }
}

impl MemoryGate for SourceGate<'_> {
    fn enter(&self) {
        let mut entered = self.entered.borrow_mut();
        if entered.depth == 0 {
            if let GateRole::OrderedFeeder(slot) = self.role {
                self.backlog.wait_for(slot, self.halt);
            }
            entered.guard = Some(lock(match self.role {
                GateRole::Scanner => &self.gates.scanners,
                _ => &self.gates.feeders,
            }));
        }
        entered.depth += 1;
    }

    fn leave(&self) {
        let mut entered = self.entered.borrow_mut();
        entered.depth = entered.depth.saturating_sub(1);
        if entered.depth == 0 {
            entered.guard = None;
        }
    }
}
