//! Delays before a question is asked again: pure functions of the attempt, a random number and the time.

use std::time::{Duration, SystemTime};

/// Delays between attempts. Each doubles the one before. A random part of up to half is subtracted, so that clients that
/// failed together do not return together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The maximum delay after the first attempt; 1 second by default.
    pub first: Duration,
    /// The maximum delay after any attempt; 1 minute by default.
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff {
            first: Duration::from_secs(1),
            max: Duration::from_secs(60),
        }
    }
}

impl Backoff {
    /// Returns the delay after attempt `attempt`, counted from 0. `random` is from 0 to 1.
    pub(crate) fn delay(self, attempt: u32, random: f64) -> Duration {
        let doubled = self.first.saturating_mul(2u32.saturating_pow(attempt));
        let longest = self.max.min(MAX_WAIT);
        doubled.min(longest).mul_f64(0.5 + random / 2.0)
    }
}

/// Maximum of any wait and interval, so that no sum of times overflows.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum wait that a service can ask for. After a longer one a client gives up, since nobody watches a task that waits for
/// hours.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(10 * 60);

/// Parses a header `Retry-After`, which has seconds or a date, and returns the delay.
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    let wait = match header.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = httpdate::parse_http_date(header).ok()?;
            date.duration_since(now).unwrap_or_default()
        }
    };
    Some(wait.min(MAX_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_longest() {
        let backoff = Backoff::default();
        let seconds = |attempt| backoff.delay(attempt, 1.0).as_secs();
        assert_eq!([0, 1, 2, 5, 6, 40].map(seconds), [1, 2, 4, 32, 60, 60]);
        assert_eq!(backoff.delay(0, 0.0), Duration::from_millis(500));
        let (first, max) = (Duration::MAX, Duration::MAX);
        assert_eq!(Backoff { first, max }.delay(9, 1.0), MAX_WAIT);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2015 07:28:00 GMT").unwrap();
        let seconds = |header| retry_after(header, now).map(|wait| wait.as_secs());
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds("Wed, 21 Oct 2015 07:29:30 GMT"), Some(90));
        assert_eq!(seconds("Wed, 21 Oct 2015 07:27:00 GMT"), Some(0));
        assert_eq!(seconds("99999999999"), Some(86_400));
        assert_eq!(seconds("later"), None);
    }
}
