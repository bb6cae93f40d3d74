//! Sizes as typed: `512M`, `1.5G`, `64MiB`.

/// The reason why an argument is not a size.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadSize {
    #[error(
        "not a size; write a number of bytes, or a number with K, M, G or T, such as 512M or 1.5G (MB and MiB also mean M)"
    )]
    Form,
    #[error("that is 2^64 bytes or more; give less")]
    Large,
    #[error("{bytes} bytes is too little; the minimum is {}M, and a usual value is {}", .min >> 20, usual(*.bytes))]
    Small { bytes: u64, min: u64 },
}

/// Returns a size to propose: the number with the unit M, if the unit may have been forgotten.
fn usual(bytes: u64) -> String {
    match bytes {
        32..65536 => format!("{bytes}M"),
        _ => "512M".to_owned(),
    }
}

/// Parses a size in bytes: a number, or a number with a unit after it. The units K, M, G and T, with or without `B` or
/// `iB`, in upper or lower case, are powers of 1,024. A number with a unit may have decimals; the result is rounded down.
///
/// # Errors
/// If the text is anything else, or the size is 2^64 bytes or more.
fn bytes(text: &str) -> Result<u64, BadSize> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = &text[..text.len() - unit.len()];
    let power = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 1,
        "m" | "mb" | "mib" => 2,
        "g" | "gb" | "gib" => 3,
        "t" | "tb" | "tib" => 4,
        _ => return Err(BadSize::Form),
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let has_point = number.contains('.');
    if whole.is_empty() || decimals.is_empty() || !is_number(decimals) || has_point && power == 0 {
        return Err(BadSize::Form);
    }
    let unit = 1024_u64.pow(power);
    let whole: u64 = whole.parse().map_err(|_| BadSize::Large)?;
    let bytes = whole.checked_mul(unit).ok_or(BadSize::Large)?;
    bytes
        .checked_add(fraction(decimals, unit))
        .ok_or(BadSize::Large)
}

/// Parses a size in bytes, at least `min`.
pub(super) fn parse(text: &str, min: u64) -> Result<u64, BadSize> {
    match bytes(text)? {
        bytes if bytes < min => Err(BadSize::Small { bytes, min }),
        bytes => Ok(bytes),
    }
}

/// Returns the part of `unit` for these decimal places.
fn fraction(decimals: &str, unit: u64) -> u64 {
    // Further digits are less than a byte in every unit.
    let places = decimals.bytes().take(15);
    let (digits, scale) = places.fold((0_u128, 1_u128), |(digits, scale), digit| {
        (digits * 10 + u128::from(digit - b'0'), scale * 10)
    });
    u64::try_from(digits * u128::from(unit) / scale).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::MIN_MEMORY_BYTES;

    #[test]
    fn a_size_is_a_number_with_or_without_a_unit() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("10B", 10),
            ("4K", 4096),
            ("512M", 512 << 20),
            ("512MB", 512 << 20),
            ("512 MiB", 512 << 20),
            ("1g", 1 << 30),
            ("1GB", 1 << 30),
            ("1GiB", 1 << 30),
            ("1 G", 1 << 30),
            ("1.5G", 3 << 29),
            ("0.25k", 256),
            ("1.000000000000000000001M", 1 << 20),
            ("2T", 2 << 40),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text, 0), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "", "M", "-1", "+1", "1.5", "1.5.5G", ".5G", "1.G", "1P", "G1", "1G1", "1GG", "1MBit",
            "\u{664}", " 1G",
        ] {
            assert_eq!(parse(text, 0), Err(BadSize::Form), "{text}");
        }
        for text in ["18446744073709551616", "16777216T", "99999999999999999999K"] {
            assert_eq!(parse(text, 0), Err(BadSize::Large), "{text}");
        }
    }

    #[test]
    fn a_memory_that_is_too_small_is_refused_with_what_was_meant() {
        let small = parse("512", MIN_MEMORY_BYTES).expect_err("512 bytes");
        let text = "512 bytes is too little; the minimum is 1M, and a usual value is 512M";
        assert_eq!(small.to_string(), text);
        assert!(parse("1023K", MIN_MEMORY_BYTES).is_err());
        assert_eq!(parse("1M", MIN_MEMORY_BYTES), Ok(1 << 20));
    }
}
