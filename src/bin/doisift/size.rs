//! Sizes as typed: `512M`, `1G`.

/// Why a size has no meaning.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadSize {
    #[error("a size is a number of bytes, or one of K, M, G or T behind it")]
    Form,
    #[error("that is more than can be counted")]
    Large,
}

/// The bytes of a size: a number, or one with K, M, G or T behind it, each 1,024 of the one before.
///
/// # Errors
/// If it is anything else, or 2^64 bytes or more.
pub(crate) fn parse(text: &str) -> Result<u64, BadSize> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let power = match &text[digits.len()..] {
        "" => 0,
        "K" | "k" => 1,
        "M" | "m" => 2,
        "G" | "g" => 3,
        "T" | "t" => 4,
        _ => return Err(BadSize::Form),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BadSize::Form);
    }
    let number: u64 = digits.parse().map_err(|_| BadSize::Large)?;
    number
        .checked_mul(1024_u64.pow(power))
        .ok_or(BadSize::Large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_with_or_without_a_unit() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("4K", 4096),
            ("512M", 512 << 20),
            ("1g", 1 << 30),
            ("2T", 2 << 40),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "", "M", "-1", "+1", "1.5G", "1 G", "1GB", "1P", "G1", "1G1", "\u{664}",
        ] {
            assert_eq!(parse(text), Err(BadSize::Form), "{text}");
        }
        for text in ["18446744073709551616", "16777216T", "99999999999999999999K"] {
            assert_eq!(parse(text), Err(BadSize::Large), "{text}");
        }
    }
}
