//! Warns of data that are older than the caller wants.

use std::time::{Duration, SystemTime};

use doisift_known::{Date, IndexSource};

use crate::task::utc;

/// Data that a check asked, and that are older than [`stale_after`](crate::Check::stale_after).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct OutdatedData {
    /// The agency of an index, or the name of one of its sources without an agency; or the file of notices.
    pub source: String,
    /// The date of the data.
    pub date: Date,
}

/// Returns the data that are older than `max_age`, and warns of them. `sources` are those of an index.
pub(super) fn outdated(
    sources: &[IndexSource],
    notices: Option<(&str, Date)>,
    max_age: Duration,
) -> Vec<OutdatedData> {
    let limit = SystemTime::now().checked_sub(max_age).and_then(day);
    let of_index = sources.iter().filter_map(|source| {
        let name = source.agency.as_ref().unwrap_or(&source.name);
        Some((name.as_str(), source.date?))
    });
    let mut old: Vec<OutdatedData> = Vec::new();
    for (source, date) in of_index
        .chain(notices)
        .filter(|(_, date)| Some(*date) < limit)
    {
        let source = source.to_owned();
        let data = OutdatedData { source, date };
        if !old.contains(&data) {
            log::warn!(
                "the data of {} are of {date}, older than --stale-after; names and notices since then are missing",
                doisift_documents::printable::name(&data.source)
            );
            old.push(data);
        }
    }
    old
}

/// Returns the day of a time, in UTC. `None` after the year 9999.
pub(super) fn day(time: SystemTime) -> Option<Date> {
    utc(time).get(..10)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_outdated_from_the_day_after_the_last_that_is_allowed() {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        let dated = |days| day(SystemTime::now() - DAY * days);
        let outdated = |date: Option<Date>, max| {
            let notices = date.map(|date| ("watch.csv", date));
            outdated(&[], notices, DAY * max).len()
        };
        assert_eq!(outdated(dated(29), 30), 0);
        assert_eq!(outdated(dated(32), 30), 1);
        assert_eq!(outdated(dated(40), 400), 0);
        assert_eq!(outdated("1999".parse().ok(), u32::MAX), 0);
        assert_eq!(outdated("1999-12".parse().ok(), 30), 1);
        assert_eq!(outdated(None, 0), 0);
    }
}
