//! Times as text.

use std::time::{SystemTime, UNIX_EPOCH};

/// Writes a time as `2026-03-09T12:00:00Z`. Times before 1970 are written as its start.
pub(crate) fn utc(time: SystemTime) -> String {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    let since = time.duration_since(UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / DAY_SECONDS);
    let (hour, minute, second) = (
        seconds % DAY_SECONDS / 3600,
        seconds % 3600 / 60,
        seconds % 60,
    );
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns year, month and day of a day, counted from 1970-01-01 as 0.
fn date(mut day: u64) -> (u64, usize, u64) {
    let mut year = 1970;
    loop {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let february = 28 + u64::from(is_leap);
        let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, days) in (1..).zip(months) {
            if day < days {
                return (year, month, day + 1);
            }
            day -= days;
        }
        year += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (1_772_064_001, "2026-02-26T00:00:01Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
