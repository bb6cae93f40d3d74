//! Days, months and years, as registries give them.

use std::fmt;
use std::str::FromStr;

use doisift_core::ParseError;

/// A day, a month or a year: `2026-03-09`, `2026-03`, `2026`.
///
/// Dates sort by time; a month comes after its days, and a year after its months.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

const ABSENT_PART: u8 = u8::MAX;

impl Date {
    /// Makes a date of a year from 1 to 9999, and a month and a day if they are known. Returns `None` if the month or day does not
    /// exist, or a day has no month.
    #[doc(hidden)]
    pub fn new(year: u16, month: Option<u8>, day: Option<u8>) -> Option<Self> {
        let last_day = match month {
            None => 0,
            Some(4 | 6 | 9 | 11) => 30,
            Some(2) if is_leap(year) => 29,
            Some(2) => 28,
            Some(_) => 31,
        };
        let exists = (1..=9999).contains(&year)
            && month.is_none_or(|month| (1..=12).contains(&month))
            && day.is_none_or(|day| (1..=last_day).contains(&day));
        let part = |part: Option<u8>| part.unwrap_or(ABSENT_PART);
        exists.then_some(Date {
            year,
            month: part(month),
            day: part(day),
        })
    }

    /// Returns the year.
    #[doc(hidden)]
    pub fn year(&self) -> u16 {
        self.year
    }

    /// Returns the month, from 1.
    #[doc(hidden)]
    pub fn month(&self) -> Option<u8> {
        Some(self.month).filter(|&month| month != ABSENT_PART)
    }

    /// Returns the day of the month, from 1.
    #[doc(hidden)]
    pub fn day(&self) -> Option<u8> {
        Some(self.day).filter(|&day| day != ABSENT_PART)
    }

    /// Returns four bytes that sort as dates do; `None` comes last.
    pub(crate) fn to_bytes(date: Option<Date>) -> [u8; 4] {
        date.map_or([u8::MAX; 4], |date| {
            let [high, low] = date.year.to_be_bytes();
            [high, low, date.month, date.day]
        })
    }

    /// Returns the date of these bytes; `None` if the date does not exist.
    pub(crate) fn from_bytes(bytes: [u8; 4]) -> Option<Option<Date>> {
        let [high, low, month, day] = bytes;
        if bytes == [u8::MAX; 4] {
            return Some(None);
        }
        let part = |part: u8| Some(part).filter(|&part| part != ABSENT_PART);
        let date = Date::new(u16::from_be_bytes([high, low]), part(month), part(day));
        date.map(Some)
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        for part in [self.month(), self.day()].into_iter().flatten() {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}

/// Written as its text.
#[cfg(feature = "serde")]
impl serde::Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Date {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        const EXPECTED: &str = "a year, a month or a day, such as 2026-03-09";
        date(text).ok_or_else(|| ParseError::new("date", text, EXPECTED))
    }
}

fn date(text: &str) -> Option<Date> {
    let parts = text.split('-').zip([4, 2, 2]);
    let numbers: Option<Vec<u16>> = parts.map(|(part, length)| number(part, length)).collect();
    let numbers = numbers.filter(|_| text.split('-').count() <= 3)?;
    let narrow = |part: Option<&u16>| part.and_then(|&part| part.try_into().ok());
    Date::new(
        *numbers.first()?,
        narrow(numbers.get(1)),
        narrow(numbers.get(2)),
    )
}

/// Parses a number of exactly `length` decimal digits.
fn number(text: &str, length: usize) -> Option<u16> {
    let is_number = text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_they_are_read() {
        for text in ["2026-03-09", "2026-03", "2026", "2024-02-29", "0001"] {
            let date: Date = text.parse().unwrap();
            assert_eq!(date.to_string(), text);
            assert_eq!(
                Date::from_bytes(Date::to_bytes(Some(date))),
                Some(Some(date))
            );
        }
        assert_eq!(Date::from_bytes(Date::to_bytes(None)), Some(None));
    }

    #[test]
    fn days_that_do_not_exist_are_refused() {
        for text in [
            "",
            "26",
            "2026-",
            "2026-13",
            "2026-00",
            "2026-02-29",
            "2026-04-31",
            "2026-3-9",
            "2026-03-09-1",
            "+026",
            "0000",
            "1900-02-29",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
        assert_eq!(Date::from_bytes([7, 234, 13, 1]), None);
    }

    #[test]
    fn a_month_comes_after_its_days() {
        let date = |text: &str| text.parse::<Date>().unwrap();
        assert!(date("2026-03-31") < date("2026-03"));
        assert!(date("2026-03") < date("2026-04-01"));
        assert!(Date::to_bytes(Some(date("9999"))) < Date::to_bytes(None));
    }
}
