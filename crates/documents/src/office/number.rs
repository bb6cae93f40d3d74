//! Numbers, dates and times of cells as text.
//!
//! The format of a cell only decides whether its number is a date or a time, since formats depend on the language of a
//! program. Dates and times are written as in ISO 8601, with a blank between them, and numbers with up to 15 digits, as
//! programs keep them.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use crate::xml::{XmlPiece, XmlReader, attribute};

/// Meaning of a cell's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NumberFormat {
    #[default]
    Number,
    Date,
    Time,
    DateTime,
    /// A duration.
    Elapsed,
}

/// Seconds of a day.
const DAY_SECONDS: f64 = 86_400.0;
/// The first day after 9999-12-31, in days as programs count them.
const END_DAY: f64 = 2_958_466.0;

impl NumberFormat {
    /// Returns the format with a number below 164, which has no code in the file (ISO/IEC 29500-1, 18.8.30).
    pub(super) fn of_number(number: u32) -> Self {
        match number {
            14..=17 | 27..=31 | 34..=36 | 50..=58 => NumberFormat::Date,
            18..=21 | 32 | 33 | 45 | 47 => NumberFormat::Time,
            22 => NumberFormat::DateTime,
            46 => NumberFormat::Elapsed,
            _ => NumberFormat::Number,
        }
    }

    /// Returns the meaning of a code such as `dd/mm/yyyy`. Only its first part counts, which is for positive numbers.
    pub(super) fn of_code(code: &str) -> Self {
        let (mut days, mut times, mut months) = (false, false, false);
        let mut rest = code;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                ';' => break,
                '"' => 2 + rest[1..].find('"').unwrap_or(rest.len()),
                '\\' | '_' | '*' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                '[' if is_elapsed(rest) => return NumberFormat::Elapsed,
                '[' => 1 + rest.find(']').unwrap_or(rest.len()),
                'A' | 'a' if starts(rest, "am/pm") => 5,
                _ => first.len_utf8(),
            };
            match first {
                'd' | 'D' | 'y' | 'Y' => days = true,
                'h' | 'H' | 's' | 'S' => times = true,
                'm' | 'M' => months = true,
                _ => {}
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        match (days || months && !times, times) {
            (true, true) => NumberFormat::DateTime,
            (true, false) => NumberFormat::Date,
            (false, true) => NumberFormat::Time,
            (false, false) => NumberFormat::Number,
        }
    }

    /// Formats a number of a cell as text. `is_1904` says that days are counted from 1904.
    pub(super) fn text(self, value: f64, is_1904: bool) -> String {
        let is_day = (0.0..END_DAY).contains(&value);
        if self == NumberFormat::Number || !is_day {
            return decimal(value);
        }
        let seconds = (value * DAY_SECONDS).round() as i64;
        let (day, second) = (seconds / 86_400, seconds % 86_400);
        let clock = clock(second);
        match self {
            NumberFormat::Elapsed => {
                let hours = seconds / 3600;
                format!("{hours}{}", &clock[2..])
            }
            NumberFormat::Date => date(day, is_1904),
            NumberFormat::Time if day == 0 => clock,
            _ => format!("{} {clock}", date(day, is_1904)),
        }
    }
}

fn starts(text: &str, with: &str) -> bool {
    let start = text.get(..with.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(with))
}

/// Whether `code` starts with a duration such as `[h]`.
fn is_elapsed(code: &str) -> bool {
    let inner = code[1..].split(']').next().unwrap_or_default();
    let is_unit = |byte: u8| matches!(byte.to_ascii_lowercase(), b'h' | b'm' | b's');
    !inner.is_empty() && inner.bytes().all(is_unit)
}

/// Formats a second of the day as a time.
fn clock(second: i64) -> String {
    let (minute, second) = (second / 60, second % 60);
    format!("{:02}:{:02}:{second:02}", minute / 60, minute % 60)
}

/// Formats a day as programs count them. They treat 1900 as a leap year, as the first of them did.
fn date(day: i64, is_1904: bool) -> String {
    if day == 60 && !is_1904 {
        return "1900-02-29".into();
    }
    let unix = if is_1904 {
        day - 24_107
    } else {
        day - 25_569 + i64::from(day < 60)
    };
    // Years start in March, so that leap days are their last days, and 400 of them have 146,097 days.
    let days = unix + 719_468;
    let (era, in_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month < 3);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Formats a number with up to 15 digits. Further digits are the noise of binary fractions.
pub(super) fn decimal(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if size == 0.0 || (1e-9..1e21).contains(&size) {
        format!("{}", rounded + 0.0)
    } else {
        format!("{rounded:E}")
    }
}

/// The formats of the numbers of a workbook. Only tables need them.
#[derive(Default)]
pub(super) struct NumberFormats {
    /// Codes of formats by their numbers.
    codes: HashMap<u32, NumberFormat>,
    /// The formats of the styles that cells have.
    styles: Vec<NumberFormat>,
    pub(super) is_1904: bool,
}

impl NumberFormats {
    pub(super) fn add_code(&mut self, number: u32, code: &str) {
        self.codes.insert(number, NumberFormat::of_code(code));
    }

    /// Adds the next style, whose format has this number.
    pub(super) fn add_style(&mut self, number: u32) {
        let known = self.codes.get(&number).copied();
        let format = known.unwrap_or_else(|| NumberFormat::of_number(number));
        self.styles.push(format);
    }

    pub(super) fn text(&self, style: u64, value: f64) -> String {
        let format = usize::try_from(style).ok();
        let format = format.and_then(|style| self.styles.get(style));
        format
            .copied()
            .unwrap_or_default()
            .text(value, self.is_1904)
    }

    /// Reads the member with the styles.
    pub(super) fn read(&mut self, xml: &mut XmlReader<'_>) {
        let mut in_cells = false;
        while let Ok(Some(piece)) = xml.next_piece() {
            match piece {
                XmlPiece::Start(tag) => match tag.local_name().into_inner() {
                    "numFmt" => {
                        let code = attribute(&tag, "formatCode").unwrap_or_default();
                        self.add_code(number(&tag, "numFmtId"), &code);
                    }
                    "cellXfs" => in_cells = true,
                    "xf" if in_cells => self.add_style(number(&tag, "numFmtId")),
                    _ => {}
                },
                XmlPiece::End(tag) if tag.local_name().into_inner() == "cellXfs" => return,
                _ => {}
            }
        }
    }
}

fn number(tag: &BytesStart<'_>, name: &str) -> u32 {
    let digits = attribute(tag, name).unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// Returns a truth value as programs show it.
pub(super) fn truth(is_true: bool) -> &'static [u8] {
    if is_true { b"TRUE" } else { b"FALSE" }
}

/// Decodes a number of 30 bits: an integer or the start of a float, maybe in hundredths.
pub(super) fn packed(bits: u32) -> f64 {
    let value = match bits & 2 {
        0 => f64::from_bits(u64::from(bits & !3) << 32),
        _ => f64::from(bits as i32 >> 2),
    };
    if bits & 1 == 1 { value / 100.0 } else { value }
}

/// Returns an error as programs show it.
pub(super) fn error(code: u8) -> &'static [u8] {
    match code {
        0x00 => b"#NULL!",
        0x07 => b"#DIV/0!",
        0x0f => b"#VALUE!",
        0x17 => b"#REF!",
        0x1d => b"#NAME?",
        0x24 => b"#NUM!",
        _ => b"#N/A",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_formats_say_what_a_number_means() {
        for (code, wanted) in [
            ("General", NumberFormat::Number),
            ("0.00%", NumberFormat::Number),
            ("#,##0.00\\ \"days\"", NumberFormat::Number),
            ("[$kr-414]\\ #,##0;[Red]-#,##0", NumberFormat::Number),
            ("dd/mm/yyyy", NumberFormat::Date),
            ("[$-409]mmm\\-yy;@", NumberFormat::Date),
            ("mmmm", NumberFormat::Date),
            ("h:mm AM/PM", NumberFormat::Time),
            ("mm:ss.0", NumberFormat::Time),
            ("yyyy-mm-dd hh:mm", NumberFormat::DateTime),
            ("[h]:mm:ss", NumberFormat::Elapsed),
            ("", NumberFormat::Number),
            ("\"", NumberFormat::Number),
            ("\\", NumberFormat::Number),
            ("[", NumberFormat::Number),
        ] {
            assert_eq!(NumberFormat::of_code(code), wanted, "{code}");
        }
    }

    #[test]
    fn numbers_are_written_with_15_digits() {
        for (value, wanted) in [
            (0.1 + 0.2, "0.3"),
            (-0.0, "0"),
            (2021.0, "2021"),
            (1.5e300, "1.5E300"),
            (1234567890123456.0, "1234567890123460"),
            (f64::NAN, ""),
        ] {
            assert_eq!(decimal(value), wanted);
        }
    }

    #[test]
    fn dates_are_those_that_programs_show() {
        for (format, value, is_1904, wanted) in [
            (NumberFormat::Date, 1.0, false, "1900-01-01"),
            (NumberFormat::Date, 59.0, false, "1900-02-28"),
            (NumberFormat::Date, 60.0, false, "1900-02-29"),
            (NumberFormat::Date, 61.0, false, "1900-03-01"),
            (NumberFormat::Date, 45_351.0, false, "2024-02-29"),
            (NumberFormat::Date, 43_889.0, true, "2024-02-29"),
            (NumberFormat::Date, 2_958_465.0, false, "9999-12-31"),
            (NumberFormat::Date, -1.0, false, "-1"),
            (
                NumberFormat::DateTime,
                45_351.5,
                false,
                "2024-02-29 12:00:00",
            ),
            (NumberFormat::Time, 0.75, false, "18:00:00"),
            (NumberFormat::Time, 45_351.75, false, "2024-02-29 18:00:00"),
            (NumberFormat::Elapsed, 1.5, false, "36:00:00"),
        ] {
            assert_eq!(format.text(value, is_1904), wanted);
        }
    }
}
