//! Decides when requests may be sent. The time is a parameter.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::SetupError;
use crate::delay::MAX_WAIT;

/// A maximum number of requests in any interval of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    requests: u32,
    interval: Duration,
}

impl Default for Rate {
    /// Returns a rate of 5 requests per second.
    fn default() -> Self {
        Rate {
            requests: 5,
            interval: Duration::from_secs(1),
        }
    }
}

impl Rate {
    /// Makes a rate of `requests` in any `interval`.
    ///
    /// # Errors
    ///
    /// [`SetupError::Rate`] if either is zero, or the interval longer than a day.
    pub fn new(requests: u32, interval: Duration) -> Result<Self, SetupError> {
        if requests == 0 || interval.is_zero() || interval > MAX_WAIT {
            return Err(SetupError::Rate);
        }
        Ok(Rate { requests, interval })
    }

    /// Parses the rate that a service states in the headers `x-rate-limit-limit` and `x-rate-limit-interval`, such as `50`
    /// and `1s`.
    pub(crate) fn from_headers(limit: &str, interval: &str) -> Option<Self> {
        let seconds = interval.trim().trim_end_matches('s').parse().ok()?;
        let limit = limit.trim().parse().ok()?;
        Rate::new(limit, Duration::from_secs(seconds)).ok()
    }

    /// Returns the time between two requests that are sent evenly.
    fn spacing(self) -> Duration {
        self.interval / self.requests
    }

    /// Returns the slower of two rates.
    fn slower(self, other: Rate) -> Rate {
        if other.spacing() > self.spacing() {
            other
        } else {
            self
        }
    }
}

/// Decides when the next request may be sent.
///
/// Requests start evenly. A request takes a place from its start until an interval has passed since its answer. The service
/// receives it between the two. So two requests on one place arrive at least an interval apart, and there are no more
/// places than the rate has requests.
#[derive(Debug)]
pub(crate) struct RateWindow {
    /// The caller's rate.
    own: Rate,
    /// The rate in force: the service may want a lower one.
    rate: Rate,
    under_way: usize,
    /// When the requests of the last interval were answered, oldest first.
    answered: VecDeque<Instant>,
    not_before: Option<Instant>,
}

/// Length of a wait that ends when a request is answered.
const UNTIL_ANSWERED: Duration = Duration::from_secs(3600);

impl RateWindow {
    /// Makes a limiter. The first request waits too, since an earlier process may have sent one just before.
    pub fn new(rate: Rate, now: Instant) -> Self {
        RateWindow {
            own: rate,
            rate,
            under_way: 0,
            answered: VecDeque::new(),
            not_before: Some(now + rate.spacing()),
        }
    }

    /// Takes a place for a request that starts now. The error is the time to wait before the next try.
    pub fn start(&mut self, now: Instant) -> Result<(), Duration> {
        let interval = self.rate.interval;
        while self
            .answered
            .front()
            .is_some_and(|at| *at + interval <= now)
        {
            self.answered.pop_front();
        }
        if let Some(at) = self.not_before.filter(|at| *at > now) {
            return Err(at - now);
        }
        if self.under_way + self.answered.len() >= self.rate.requests as usize {
            let oldest = self.answered.front();
            return Err(oldest.map_or(UNTIL_ANSWERED, |at| *at + interval - now));
        }
        self.under_way += 1;
        self.not_before = Some(now + self.rate.spacing());
        Ok(())
    }

    /// Ends a request that was answered or given up.
    pub fn end(&mut self, now: Instant) {
        self.under_way = self.under_way.saturating_sub(1);
        self.answered.push_back(now);
    }

    /// Sends nothing for `wait` after `now`. Returns how much longer that is than before.
    pub fn pause(&mut self, now: Instant, wait: Duration) -> Duration {
        let before = self.not_before.unwrap_or(now).max(now);
        let at = now + wait;
        self.not_before = self.not_before.max(Some(at));
        at.saturating_duration_since(before)
    }

    /// Applies the rate that the service states, if it is lower than the caller's.
    pub fn obey(&mut self, stated: Rate) {
        self.rate = self.own.slower(stated);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Makes a limiter, and returns when it lets the first request pass.
    fn limiter(requests: u32) -> (RateWindow, Instant) {
        let rate = Rate::new(requests, 1000 * MS).unwrap();
        let now = Instant::now();
        (RateWindow::new(rate, now), now + rate.spacing())
    }

    #[test]
    fn requests_start_evenly() {
        let (mut limiter, start) = limiter(5);
        assert_eq!(limiter.start(start - 50 * MS), Err(50 * MS));
        assert_eq!(limiter.start(start), Ok(()));
        assert_eq!(limiter.start(start), Err(200 * MS));
        assert_eq!(limiter.start(start + 150 * MS), Err(50 * MS));
        assert_eq!(limiter.start(start + 200 * MS), Ok(()));
    }

    #[test]
    fn a_place_is_free_an_interval_after_the_answer() {
        let (mut limiter, start) = limiter(1);
        assert_eq!(limiter.start(start), Ok(()));
        assert_eq!(limiter.start(start + 5000 * MS), Err(UNTIL_ANSWERED));
        limiter.end(start + 5000 * MS);
        assert_eq!(limiter.start(start + 5400 * MS), Err(600 * MS));
        assert_eq!(limiter.start(start + 6000 * MS), Ok(()));
    }

    #[test]
    fn a_pause_holds_and_is_never_shortened() {
        let (mut limiter, start) = limiter(5);
        assert_eq!(limiter.pause(start, 3000 * MS), 3000 * MS);
        assert_eq!(limiter.pause(start, 1000 * MS), Duration::ZERO);
        assert_eq!(limiter.start(start), Err(3000 * MS));
        assert_eq!(limiter.start(start + 3000 * MS), Ok(()));
    }

    #[test]
    fn a_stated_rate_lowers_the_own_and_never_raises_it() {
        let (mut limiter, start) = limiter(5);
        limiter.obey(Rate::from_headers("50", "1s").unwrap());
        assert_eq!(limiter.rate, limiter.own);
        limiter.obey(Rate::from_headers("2", "1s").unwrap());
        assert_eq!(limiter.start(start), Ok(()));
        assert_eq!(limiter.start(start), Err(500 * MS));
        limiter.obey(Rate::from_headers("50", "1s").unwrap());
        assert_eq!(limiter.rate, limiter.own);
    }

    #[test]
    fn headers_of_rates() {
        let minutes = Rate::from_headers(" 1000", "300s");
        assert_eq!(minutes, Rate::new(1000, 300_000 * MS).ok());
        assert_eq!(Rate::from_headers("50", "1"), Rate::new(50, 1000 * MS).ok());
        for (limit, interval) in [
            ("0", "1s"),
            ("50", "0s"),
            ("", "1s"),
            ("50", "soon"),
            ("1", "99999999999s"),
        ] {
            assert_eq!(Rate::from_headers(limit, interval), None);
        }
    }
}
