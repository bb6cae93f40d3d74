//! The maximum age of an answer.

use std::str::FromStr;
use std::time::Duration;

parsed_types! {
    Age, OptionKind::Parsed, |age| format!("{}s", age.0.as_secs());
}

/// A time such as `30d`, `12h`, `15m` or `20s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age(pub Duration);

/// The error that a text is not an [`Age`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not an age; write a number of days, hours, minutes or seconds, such as 30d, 12h, 15m or 20s"
)]
pub struct BadAge;

impl FromStr for Age {
    type Err = BadAge;

    fn from_str(text: &str) -> Result<Age, BadAge> {
        let unit = text.chars().last().ok_or(BadAge)?;
        let seconds = match unit {
            'd' => 24 * 60 * 60,
            'h' => 60 * 60,
            'm' => 60,
            's' => 1,
            _ => return Err(BadAge),
        };
        let number = text.strip_suffix(unit).unwrap_or_default();
        // `parse` also accepts a sign.
        let number = number
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then_some(number);
        let number: u64 = number
            .and_then(|number| number.parse().ok())
            .ok_or(BadAge)?;
        number
            .checked_mul(seconds)
            .map(|all| Age(Duration::from_secs(all)))
            .ok_or(BadAge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        let seconds = |text: &str| text.parse().map(|Age(age)| age.as_secs());
        assert_eq!(seconds("2d"), Ok(172_800));
        assert_eq!(seconds("3h"), Ok(10_800));
        assert_eq!((seconds("0m"), seconds("7s")), (Ok(0), Ok(7)));
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
            assert_eq!(seconds(text), Err(BadAge), "{text}");
        }
    }
}
