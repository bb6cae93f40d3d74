//! The maximum age of an answer.

use std::str::FromStr;
use std::time::Duration;

use doisift_core::ParseError;

parsed_types! {
    Age, OptionKind::Parsed, |age| format!("{}s", age.0.as_secs());
}

/// A time such as `30d`, `12h`, `15m` or `20s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age(pub Duration);

impl FromStr for Age {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Age, ParseError> {
        const EXPECTED: &str =
            "a number of days, hours, minutes or seconds, such as 30d, 12h, 15m or 20s";
        seconds(text)
            .map(|seconds| Age(Duration::from_secs(seconds)))
            .ok_or_else(|| ParseError::new("age", text, EXPECTED))
    }
}

fn seconds(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let seconds = match unit {
        'd' => 24 * 60 * 60,
        'h' => 60 * 60,
        'm' => 60,
        's' => 1,
        _ => return None,
    };
    let number = text.strip_suffix(unit)?;
    // `parse` also accepts a sign.
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = is_number.then(|| number.parse().ok()).flatten()?;
    number.checked_mul(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        assert_eq!(seconds("2d"), Some(172_800));
        assert_eq!(seconds("3h"), Some(10_800));
        assert_eq!((seconds("0m"), seconds("7s")), (Some(0), Some(7)));
        for text in [
            "",
            "d",
            "1",
            "+1d",
            "1w",
            "1é",
            "99999999999999999999d",
            "9999999999999999999d",
        ] {
            assert!(text.parse::<Age>().is_err(), "{text}");
        }
    }
}
