//! Lets threads wait for their turn on the real clock, and ends their wait if the client is cancelled.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::rate::{Rate, RateWindow};

/// Ends the questions of a client from any thread.
///
/// Requests in progress still end, at the latest with their timeout, and their answers are kept. No further questions are
/// asked: a cancelled client stays cancelled.
#[derive(Clone, Debug)]
pub struct CancelHandle(Arc<RequestLimiter>);

impl CancelHandle {
    /// Ends the questions of the client.
    pub fn cancel(&self) {
        self.0.change(|state| state.is_cancelled = true);
    }

    /// Whether the client was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.lock().is_cancelled
    }
}

#[derive(Debug)]
struct RequestLimiterState {
    limiter: RateWindow,
    is_cancelled: bool,
}

/// The only limiter of a client.
#[derive(Debug)]
pub(crate) struct RequestLimiter {
    state: Mutex<RequestLimiterState>,
    changed: Condvar,
}

/// The right to one request in progress.
pub(crate) struct RequestPermit<'a>(&'a RequestLimiter);

impl Drop for RequestPermit<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.limiter.end(Instant::now()));
    }
}

impl RequestLimiter {
    pub fn new(rate: Rate) -> Arc<Self> {
        let state = RequestLimiterState {
            limiter: RateWindow::new(rate, Instant::now()),
            is_cancelled: false,
        };
        Arc::new(RequestLimiter {
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    pub fn cancel_handle(self: &Arc<Self>) -> CancelHandle {
        CancelHandle(Arc::clone(self))
    }

    /// Waits for the turn of a request. Returns `None` if the client is cancelled.
    pub fn enter(&self) -> Option<RequestPermit<'_>> {
        let mut state = self.lock();
        while !state.is_cancelled {
            match state.limiter.start(Instant::now()) {
                Ok(()) => return Some(RequestPermit(self)),
                Err(wait) => state = self.wait(state, wait),
            }
        }
        None
    }

    /// Waits for `wait`. Returns `None` if the client is cancelled.
    pub fn sleep(&self, wait: Duration) -> Option<()> {
        let end = Instant::now() + wait;
        let mut state = self.lock();
        while !state.is_cancelled {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(());
            }
            state = self.wait(state, left);
        }
        None
    }

    /// Makes all threads wait. Returns how much longer they wait than before.
    pub fn pause(&self, wait: Duration) -> Duration {
        let mut longer = Duration::ZERO;
        self.change(|state| longer = state.limiter.pause(Instant::now(), wait));
        longer
    }

    /// Applies the rate that the service states.
    pub fn obey(&self, rate: Rate) {
        self.change(|state| state.limiter.obey(rate));
    }

    fn change(&self, change: impl FnOnce(&mut RequestLimiterState)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, RequestLimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, RequestLimiterState>,
        wait: Duration,
    ) -> MutexGuard<'a, RequestLimiterState> {
        let waited = self.changed.wait_timeout(state, wait);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
