//! The maximum age of an answer.

use std::time::Duration;

use doisift_core::ParseError;

use super::spec::OptionKind;
use super::types::{OptionType, parsed};
use super::value::{BadOption, OptionValue};

/// A time such as `30d`, `12h`, `15m` or `20s`.
impl OptionType for Duration {
    const KIND: OptionKind = OptionKind::Parsed;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        const EXPECTED: &str =
            "a number of days, hours, minutes or seconds, such as 30d, 12h, 15m or 20s";
        let text = parsed::<String>(value)?;
        let wrong = || BadOption::Value(ParseError::new("age", &text, EXPECTED).to_string());
        seconds(&text).map(Duration::from_secs).ok_or_else(wrong)
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(format!("{}s", self.as_secs()).into())
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
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
