//! Check digits, which a quarter of all registered names have. They show without any list whether a digit is wrong.
//!
//! Each family of names has a shape, which says where the digits are, and weights: the sum of the digits times their weights is a
//! multiple of the modulus. Most rules are not published; they were found in registered names, nearly all of which pass.

use super::Doi;

/// Result of checking the digits of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CheckDigit {
    /// The check digit agrees with the other digits.
    Good,
    /// A digit is wrong, or two are swapped. Of 90,840 registered names with a check digit, 25 have a bad one.
    Bad,
}

/// A family of names with a rule for the check digit.
struct CheckDigitFamily {
    /// The prefix. `None` if the rule holds for any prefix.
    prefix: Option<&'static str>,
    /// The shape of the suffix: `d` is a digit, `x` a digit or `x`, `c` the check digit. Every other byte stands for itself.
    shape: &'static str,
    /// The weights of the digits in their order, the check digit's last.
    weights: &'static [u32],
    modulus: u32,
    /// The characters of check digits, by value from 0.
    signs: &'static str,
}

/// Weights for the digits of an ISSN, a year and a number.
const ITEM_WEIGHTS: &[u32] = &[1, 7, 4, 3, 0, 6, 5, 0, 8, 6, 2, 7, 5, 3, 2, 10];

const FAMILIES: [CheckDigitFamily; 5] = [
    // Springer, Nature and BMC: journal, year and number. Found in 26,946 registered names, of which 26,925 pass.
    CheckDigitFamily {
        prefix: None,
        shape: "sddddd-ddd-dddd-c",
        weights: &[12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1],
        modulus: 13,
        signs: "0123456789xyz",
    },
    // Springer's with longer numbers. All of 48,236 pass, except those of one journal.
    CheckDigitFamily {
        prefix: None,
        shape: "sddddd-ddd-ddddd-c",
        weights: &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1],
        modulus: 14,
        signs: "0123456789wxyz",
    },
    // Elsevier's publisher item identifiers of journals. 7,371 of 7,372 pass.
    CheckDigitFamily {
        prefix: Some("10.1016"),
        shape: "sdddd-dddx(dd)ddddd-c",
        weights: ITEM_WEIGHTS,
        modulus: 11,
        signs: "0123456789x",
    },
    // Publisher item identifiers without marks, of Cambridge University Press. All of 2,096 pass.
    CheckDigitFamily {
        prefix: Some("10.1017"),
        shape: "sdddddddxdddddddc",
        weights: ITEM_WEIGHTS,
        modulus: 11,
        signs: "0123456789x",
    },
    // Elsevier's publisher item identifiers of books: an ISBN, here without hyphens, and a number. All of 498 pass.
    CheckDigitFamily {
        prefix: Some("10.1016"),
        shape: "bddddddddddddd.ddddd-c",
        weights: &[8, 0, 0, 9, 3, 10, 8, 4, 9, 7, 1, 8, 6, 2, 7, 5, 3, 2, 10],
        modulus: 11,
        signs: "0123456789x",
    },
];

/// Whether a suffix has the shape of a family, but not its check digit.
fn is_unchecked(suffix: &[u8]) -> bool {
    // Short items of a news digest on drugs.
    let in_digest = suffix.starts_with(b"s40278-");
    // Two journals before Springer took them over in 2006.
    let of_society = matches!(
        suffix,
        [
            b's',
            b'1',
            b'1',
            b'7',
            b'4',
            b'5' | b'6',
            b'-',
            b'0',
            b'0',
            b'0'..=b'5',
            ..
        ]
    );
    // Elsevier numbered earlier articles with check digits of another rule: of 67 names 48 fail.
    let is_earlier = matches!(suffix.get(10..13), Some([b'(', b'9', b'0'..=b'5']));
    in_digest || of_society || is_earlier
}

impl Doi {
    /// Checks the check digit in the name. Returns `None` if the name has no check digit with a known rule.
    ///
    /// | names | rule |
    /// |---|---|
    /// | `sJJJJJ-YYY-NNNN-c` (Springer, Nature, BMC) | digits from the right times 1, 2, 3 and so on; with `c` (`0-9xyz`) a multiple of 13 |
    /// | the same with five `N` | the same with 14 and `0-9wxyz`; not for `s40278` |
    /// | `10.1016/sISSN-ISSN(YY)NNNNN-c`, `10.1017/sISSNISSNYYNNNNNc` | digits times 1, 7, 4, 3, 0, 6, 5, 0, 8, 6, 2, 7, 5, 3, 2, modulo 11; `x` is 10; not Elsevier's of 1990 to 1995 |
    /// | `10.1016/bISBN.NNNNN-c` | digits times 8, 0, 0, 9, 3, 10, 8, 4, 9, 7, 1, 8, 6, 2, 7, 5, 3, 2, modulo 11; and the ISBN's own |
    /// | a suffix with an ISBN of 13 digits, with hyphens or without | EAN: digits times 1 and 3 in turn, a multiple of 10 (ISO 2108) |
    ///
    /// Apart from the last, the rules are not published: they were found in registered names, and 99.9 % of these pass.
    /// Some positions have the weight 0, and some changes cancel out: 88 to 100 % of wrong digits and of transpositions are
    /// found, depending on the family.
    ///
    /// ```
    /// use doisift_core::{CheckDigit, Doi};
    ///
    /// let check = |name| Doi::new(name).map(|doi| doi.check_digit());
    /// assert_eq!(check("10.1038/s41586-020-2649-2")?, Some(CheckDigit::Good));
    /// assert_eq!(check("10.1038/s41586-020-2694-2")?, Some(CheckDigit::Bad));
    /// assert_eq!(check("10.1371/journal.pone.0056879")?, None);
    /// # Ok::<(), doisift_core::DoiError>(())
    /// ```
    pub fn check_digit(&self) -> Option<CheckDigit> {
        CheckDigit::of_key(&self.key())
    }
}

impl CheckDigit {
    /// Checks the name with this [`key`](Doi::key), as [`Doi::check_digit`] does. Does not check whether `key` is a key.
    #[doc(hidden)]
    pub fn of_key(key: &str) -> Option<Self> {
        let checked = FoundCheckDigit::of(key)?;
        Some(match checked.is_good {
            true => CheckDigit::Good,
            false => CheckDigit::Bad,
        })
    }

    /// Returns the word in rows: `good` or `bad`.
    pub fn name(self) -> &'static str {
        match self {
            CheckDigit::Good => "good",
            CheckDigit::Bad => "bad",
        }
    }
}

/// Whether a good check digit shows that the name is complete. That of an ISBN alone does not, since the names of a book's
/// chapters start with the name of the book.
pub(crate) fn ends_in_good_digit(key: &str) -> bool {
    FoundCheckDigit::of(key).is_some_and(|checked| checked.is_good && checked.is_last)
}

/// A check digit that was found.
struct FoundCheckDigit {
    is_good: bool,
    /// Whether the name is of a [`CheckDigitFamily`], whose names end with the check digit.
    is_last: bool,
}

impl FoundCheckDigit {
    fn of(key: &str) -> Option<Self> {
        // `split_once` would take twice as long: prefixes are short.
        let slash = key.bytes().position(|byte| byte == b'/')?;
        let (prefix, suffix) = (&key[..slash], &key[slash + 1..]);
        if is_unchecked(suffix.as_bytes()) {
            return None;
        }
        let book = isbn(suffix);
        // Elsevier puts hyphens into the ISBN or leaves them out.
        let plain = book.as_ref().map_or(suffix, |(plain, _)| plain);
        // The shapes of all families start with one of these.
        let own = match plain.as_bytes().first() {
            Some(b's' | b'b') => FAMILIES
                .iter()
                .find_map(|family| family.check(prefix, plain)),
            _ => None,
        };
        let both = book.as_ref().map(|(_, is_good)| *is_good).into_iter();
        Some(FoundCheckDigit {
            is_good: both.chain(own).reduce(|a, b| a && b)?,
            is_last: own.is_some(),
        })
    }
}

impl CheckDigitFamily {
    /// Checks the check digit. Returns `None` if the name is not of this family.
    fn check(&self, prefix: &str, suffix: &str) -> Option<bool> {
        let has_prefix = self.prefix.is_none_or(|own| own == prefix);
        if suffix.len() != self.shape.len() || !has_prefix {
            return None;
        }
        let mut weights = self.weights.iter();
        let mut sum = 0;
        for (sign, byte) in self.shape.bytes().zip(suffix.bytes()) {
            let value = match sign {
                b'd' | b'x' if byte.is_ascii_digit() => u32::from(byte - b'0'),
                b'x' if byte == b'x' => 10,
                b'c' if byte.is_ascii_alphanumeric() => {
                    match self.signs.bytes().position(|b| b == byte) {
                        Some(value) => value as u32,
                        None => return Some(false),
                    }
                }
                _ if sign == byte && !matches!(sign, b'd' | b'x' | b'c') => continue,
                _ => return None,
            };
            sum += value * weights.next()?;
        }
        Some(sum % self.modulus == 0)
    }
}

/// Digits of an ISBN.
const ISBN_DIGITS: usize = 13;

/// Returns the suffix without the hyphens in its first ISBN, and whether the ISBN's check digit is right.
fn isbn(suffix: &str) -> Option<(String, bool)> {
    let last = suffix.len().checked_sub(ISBN_DIGITS)?;
    let starts = memchr::memchr_iter(b'9', &suffix.as_bytes()[..=last]);
    let starts = starts.filter(|&at| suffix.as_bytes()[at + 1] == b'7');
    let mut starts = starts.filter(|&at| !ends_with_digit(&suffix[..at]));
    starts.find_map(|start| {
        let (digits, end) = isbn_digits(&suffix[start..])?;
        let weighted = digits.bytes().zip([1, 3].into_iter().cycle());
        let sum: u32 = weighted
            .map(|(digit, weight)| u32::from(digit - b'0') * weight)
            .sum();
        let plain = [&suffix[..start], &digits, &suffix[start + end..]].concat();
        Some((plain, sum % 10 == 0))
    })
}

/// Returns the 13 digits at the start of `text`, and the offset of their end. Single hyphens may be between them, but no digit
/// after them.
fn isbn_digits(text: &str) -> Option<(String, usize)> {
    let mut digits = String::with_capacity(ISBN_DIGITS);
    let mut last = b'-';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' if digits.len() < ISBN_DIGITS => digits.push(char::from(byte)),
            b'-' if last != b'-' && digits.len() < ISBN_DIGITS => {}
            _ if digits.len() < ISBN_DIGITS || byte.is_ascii_digit() => return None,
            _ => return is_book(&digits).then_some((digits, at)),
        }
        last = byte;
    }
    is_book(&digits).then_some((digits, text.len()))
}

/// Whether these are 13 digits with the prefix of books, 978 or 979.
fn is_book(digits: &str) -> bool {
    digits.len() == ISBN_DIGITS && (digits.starts_with("978") || digits.starts_with("979"))
}

fn ends_with_digit(text: &str) -> bool {
    text.bytes()
        .last()
        .is_some_and(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(name: &str) -> Option<CheckDigit> {
        Doi::new(name).unwrap().check_digit()
    }

    const GOOD: Option<CheckDigit> = Some(CheckDigit::Good);
    const BAD: Option<CheckDigit> = Some(CheckDigit::Bad);

    /// A registered name of each family, with the min number of 1,000 wrong digits and of 1,000 transpositions that its rule
    /// finds.
    const REGISTERED: [(&str, usize, usize); 6] = [
        ("10.1007/s10514-018-9783-9", 1000, 936),
        ("10.1038/s41598-018-24689-1", 936, 931),
        ("10.1016/s0031-0182(03)00571-6", 882, 985),
        ("10.1017/s0317167100037306", 882, 1000),
        ("10.1016/b978-0-323-90277-9.00026-2", 1000, 1000),
        ("10.1007/978-3-476-05197-4", 1000, 882),
    ];

    #[test]
    fn registered_names_pass_in_any_case() {
        let others = [
            "10.1215/9781478023654-002",
            "10.1007/978-3-031-08697-7_4",
            "10.1016/b978-012372491-5.50002-1",
        ];
        for name in REGISTERED.iter().map(|row| row.0).chain(others) {
            assert_eq!(check(name), GOOD, "{name}");
            assert_eq!(check(&name.to_uppercase()), GOOD, "{name}");
        }
    }

    #[test]
    fn a_good_digit_shows_the_end_only_of_names_that_end_with_it() {
        for (key, is_end) in [
            ("10.1007/s10514-018-9783-9", true),
            ("10.1007/s10514-018-9783-8", false),
            ("10.1007/s10514-018-9783", false),
            ("10.1016/b978-0-323-90277-9.00026-2", true),
            ("10.1016/b978-0-323-90277-9.0002", false),
            ("10.1007/978-3-476-05197-4", false),
            ("10.1007/978-3-476-05197-4_1", false),
            ("10.5555/abc", false),
        ] {
            assert_eq!(ends_in_good_digit(key), is_end, "{key}");
        }
    }

    #[test]
    fn names_of_other_shapes_have_no_check_digit() {
        for name in [
            "10.1007/s10514-018-9783-9/tables/1",
            "10.1007/s10514-018-978-9",
            "10.1007/d10514-018-9783-9",
            "10.1099/s0031-0182(03)00571-6",
            "10.1016/s0031-0182(03)0057x-6",
            "10.1007/s40278-016-13235-9",
            "10.1007/s11746-003-0803-0",
            "10.1016/s0140-6736(94)92117-2",
            "10.5555/19783476051974",
            "10.5555/97834760519745",
            "10.5555/978--3476051974",
            "10.5555/9773476051974",
            "10.5555/978-3-476-05197",
            "10.1016/é",
        ] {
            assert_eq!(check(name), None, "{name}");
        }
        assert_eq!(
            check("10.1007/s10514-018-9783-w"),
            BAD,
            "a sign of another family"
        );
        assert_eq!(check("10.1016/b978-0-323-90277-8.00026-2"), BAD, "the ISBN");
        assert_eq!(
            check("10.1016/b978-0-323-90277-9.00026-3"),
            BAD,
            "the number after it"
        );
    }

    /// Deterministic numbers that look random (splitmix64).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) % limit as u64) as usize
        }
    }

    /// Returns the offsets of the digits of the suffix that a test may change.
    fn digits_of(name: &str) -> Vec<usize> {
        let slash = name.find('/').unwrap();
        let start = name.find("978-").map_or(slash, |at| at + "978".len());
        let digits = name
            .bytes()
            .enumerate()
            .skip(start)
            .filter(|(_, byte)| byte.is_ascii_digit());
        digits.map(|(at, _)| at).collect()
    }

    /// Returns a name of the same family with random digits and a good check digit.
    fn good_like(name: &str, numbers: &mut Numbers) -> Vec<u8> {
        loop {
            let mut bytes = name.as_bytes().to_vec();
            for at in digits_of(name) {
                bytes[at] = b'0' + numbers.below(10) as u8;
            }
            if check(std::str::from_utf8(&bytes).unwrap()) == GOOD {
                return bytes;
            }
        }
    }

    fn is_bad(bytes: &[u8]) -> bool {
        check(std::str::from_utf8(bytes).unwrap()) == BAD
    }

    #[test]
    fn wrong_digits_and_transpositions_are_found() {
        for (name, min_wrong, min_swapped) in REGISTERED {
            let (mut numbers, digits) = (Numbers(1), digits_of(name));
            let (mut wrong, mut swapped, mut swaps) = (0, 0, 0);
            while swaps < 1000 {
                let mut bytes = good_like(name, &mut numbers);
                let at = numbers.below(digits.len() - 1);
                let (here, next) = (digits[at], digits[at + 1]);
                if bytes[here] == bytes[next] {
                    continue;
                }
                swaps += 1;
                bytes.swap(here, next);
                swapped += usize::from(is_bad(&bytes));
                bytes.swap(here, next);
                let other = (bytes[here] - b'0' + 1 + numbers.below(9) as u8) % 10;
                bytes[here] = b'0' + other;
                wrong += usize::from(is_bad(&bytes));
            }
            assert!(
                wrong >= min_wrong && swapped >= min_swapped,
                "{name}: {wrong} wrong digits and {swapped} transpositions of 1000"
            );
        }
    }

    /// Checks a list with a name on each line.
    #[test]
    #[allow(clippy::print_stderr)]
    fn registered_names_of_a_list_pass() {
        let Some(path) = std::env::var_os("DOISIFT_NAMES") else {
            eprintln!("left out: DOISIFT_NAMES gives no list of registered names");
            return;
        };
        let (mut names, mut counts) = (0, BTreeMap::new());
        for line in std::fs::read_to_string(path).unwrap().lines() {
            names += 1;
            if let Some(verdict) = check(line) {
                let shape: String = line
                    .chars()
                    .skip_while(|&c| c != '/')
                    .filter(|c| !c.is_ascii_digit())
                    .take(2)
                    .collect();
                let passed = counts.entry(shape).or_insert([0, 0]);
                passed[usize::from(verdict == CheckDigit::Bad)] += 1;
            }
        }
        let [good, bad] = counts
            .values()
            .fold([0, 0], |sum, row| [sum[0] + row[0], sum[1] + row[1]]);
        eprintln!(
            "{names} names, {good} good, {bad} bad; by the first byte of the suffix: {counts:?}"
        );
        assert!(good > 500 * bad, "{good} good, {bad} bad");
    }
}
