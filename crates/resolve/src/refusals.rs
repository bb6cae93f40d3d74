//! Decides when a client gives up: the service is not found, refuses the program, or wants a long pause.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ServiceFailure;

/// The failures of a client that concern all names.
#[derive(Default)]
pub(crate) struct Refusals(Mutex<RefusalState>);

#[derive(Default)]
struct RefusalState {
    /// Failures since the last answer.
    count: u32,
    /// Why the client gave up.
    given_up: Option<ServiceFailure>,
}

impl Refusals {
    /// Returns the failure of a question after the client gave up; `None` if the question should be asked.
    pub fn given_up(&self) -> Option<ServiceFailure> {
        let reason = self.lock().given_up.clone()?;
        Some(ServiceFailure::NotAsked(Box::new(reason)))
    }

    /// Notes that a question was answered.
    pub fn answered(&self) {
        self.lock().count = 0;
    }

    /// Notes a failure. Returns whether the client gives up because of it; the first such failure is logged.
    pub fn note(&self, failure: &ServiceFailure) -> bool {
        let Some(max) = failure.gives_up_after() else {
            return false;
        };
        let mut state = self.lock();
        state.count += 1;
        if state.count >= max && state.given_up.is_none() {
            log::warn!("{failure}; nothing more is asked, and answers so far are kept by --cache");
            state.given_up = Some(failure.clone());
        }
        state.given_up.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, RefusalState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
