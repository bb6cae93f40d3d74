//! A quick check for texts that no rule for dirty data changes. Most cells of most columns are clean.
//!
//! May refuse a clean text, but never accepts a dirty one. A refused text goes through all rules, which takes twenty times as
//! long.

use std::sync::LazyLock;

use crate::scan::Rule;

/// Texts that may precede a name.
const LEADS: [&str; 5] = [
    "https://doi.org/",
    "http://dx.doi.org/",
    "https://dx.doi.org/",
    "http://doi.org/",
    "doi:",
];

/// Whether `text` is a name, or its URL or URI, that is certainly clean: a prefix without subdivision, a suffix of letters and
/// then numbers with single marks between them, few letters among the numbers, and no word that a rule lists. Two digits may be
/// in parentheses, as the year in a PII.
pub(super) fn is_clean_name(text: &str) -> bool {
    let lead = LEADS.iter().find_map(|lead| text.strip_prefix(lead));
    let name = lead.unwrap_or(text).as_bytes();
    let Some(rest) = name.strip_prefix(b"10.") else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let suffix = match rest.get(digits) {
        Some(b'/') if matches!(digits, 4 | 5) => &rest[digits + 1..],
        _ => return false,
    };
    suffix.len() >= 5 && is_clean_suffix(suffix) && !may_hold_word(suffix)
}

fn is_clean_suffix(suffix: &[u8]) -> bool {
    let Some(digit) = suffix.iter().position(u8::is_ascii_digit) else {
        return false;
    };
    let (words, numbers) = suffix.split_at(digit);
    match numbers.iter().position(|byte| *byte == b'(') {
        None => are_words(words) && are_numbers(numbers, words),
        Some(at) => {
            let (before, year) = numbers.split_at(at);
            let [b'(', b'0'..=b'9', b'0'..=b'9', b')', after @ ..] = year else {
                return false;
            };
            let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
            are_words(words)
                && is_digit(before.last())
                && is_digit(after.first())
                && [before, after].iter().all(|part| are_numbers(part, words))
        }
    }
}

/// Whether `words` are letters with single marks between and after them. A capital after a small letter is refused, since it may
/// start text that was glued to the name.
fn are_words(words: &[u8]) -> bool {
    let mut before = b'.';
    words.iter().all(|byte| {
        let is_right = match byte {
            b'.' | b'-' => before.is_ascii_alphabetic(),
            b'A'..=b'Z' => !before.is_ascii_lowercase(),
            _ => byte.is_ascii_lowercase(),
        };
        before = *byte;
        is_right
    })
}

/// Whether `numbers` are digits with single marks between them, and few letters. A repeated letter is refused, since it may
/// belong to a doubled end; a `v`, which may precede a version; and a word, which may be text that was glued to the name.
fn are_numbers(numbers: &[u8], words: &[u8]) -> bool {
    let (mut after_mark, mut seen) = (false, letters(words) | letter(b'v'));
    for byte in numbers {
        let is_mark = matches!(byte, b'.' | b'-' | b'_');
        if is_mark && after_mark || !is_mark && !byte.is_ascii_alphanumeric() {
            return false;
        }
        if byte.is_ascii_alphabetic() {
            if seen & letter(*byte) != 0 {
                return false;
            }
            seen |= letter(*byte);
        }
        after_mark = is_mark;
    }
    !after_mark && !holds_word(numbers)
}

/// Whether `numbers` have three letters in a row, two that are not both lower case, or two that are a word of [`Rule::Remark`].
fn holds_word(numbers: &[u8]) -> bool {
    let mut runs = numbers.split(|byte| !byte.is_ascii_alphabetic());
    runs.any(|run| match run {
        [] | [_] => false,
        [b'a'..=b'z', b'a'..=b'z'] => Rule::Remark
            .items()
            .iter()
            .any(|word| word.as_bytes() == run),
        _ => true,
    })
}

/// Returns the set of letters in `text`, ignoring case.
fn letters(text: &[u8]) -> u32 {
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic());
    letters.fold(0, |set, byte| set | letter(*byte))
}

fn letter(byte: u8) -> u32 {
    1 << (byte & 31)
}

/// Whether `suffix` has the first three letters in a row of a word that a rule lists.
fn may_hold_word(suffix: &[u8]) -> bool {
    static WORD_STARTS: LazyLock<Box<[bool]>> = LazyLock::new(|| {
        let mut threes = vec![false; 1 << 15].into_boxed_slice();
        let rules = [Rule::Remark, Rule::GluedWord, Rule::TitlePage];
        for word in rules.into_iter().flat_map(Rule::items) {
            let letter_triple = word.as_bytes().windows(3).find_map(letter_triple);
            if let Some(letter_triple) = letter_triple {
                threes[letter_triple] = true;
            }
        }
        threes
    });
    let threes = &*WORD_STARTS;
    suffix
        .windows(3)
        .filter_map(letter_triple)
        .any(|at| threes[at])
}

/// Returns the number of a triple of letters, ignoring case, or `None` for other bytes. The digit 0 counts as the letter o, as in
/// the rules.
fn letter_triple(bytes: &[u8]) -> Option<usize> {
    bytes.iter().try_fold(0, |sum, byte| {
        let letter = match byte {
            b'0' => b'o',
            byte => byte.to_ascii_lowercase(),
        };
        let is_letter = letter.is_ascii_lowercase();
        is_letter.then(|| sum << 5 | usize::from(letter - b'a'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{clean, clean_by_rules};
    use super::*;

    /// Suffixes made of the words that rules list. Nearly all are plain.
    fn suffix() -> impl Strategy<Value = String> {
        let words: Vec<String> = Rule::ALL
            .into_iter()
            .flat_map(Rule::items)
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
            .filter(|word| word.chars().all(|c| c.is_ascii_alphanumeric()))
            .collect();
        let hosts = ["com", "org", "net", "v", "d0i", "x", "V", "s", "a"];
        let hosts: Vec<_> = hosts.map(str::to_owned).into();
        let piece = prop_oneof![
            3 => "[0-9]{1,7}",
            2 => "[a-zA-Z]{1,4}",
            2 => proptest::sample::select(words),
            1 => proptest::sample::select(hosts),
            3 => proptest::sample::select(vec![".", "-", "_"]).prop_map(str::to_owned),
        ];
        let numbers = prop_oneof![3 => "[0-9]{1,7}", 3 => "[._-][0-9]{1,4}", 3 => "[a-z]{1,3}", 1 => "\\([0-9]{2}\\)"];
        let numbers = proptest::collection::vec(numbers, 1..6);
        (proptest::collection::vec(piece, 0..6), numbers)
            .prop_map(|(words, numbers)| words.concat() + &numbers.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

        #[test]
        fn no_rule_changes_what_is_plain(suffix in suffix(), lead in 0..LEADS.len(), prefix in prop_oneof![Just("10.5555"), Just("10.1093"), Just("10.1016"), Just("10.2010")]) {
            for text in [format!("{prefix}/{suffix}"), format!("{}{prefix}/{suffix}", LEADS[lead])] {
                if is_clean_name(&text) {
                    prop_assert_eq!(clean(&text), clean_by_rules(&text), "{}", text);
                }
            }
        }
    }

    #[test]
    fn usual_names_are_plain() {
        for name in [
            "10.1016/j.cell.2019.05.001",
            "https://doi.org/10.1371/journal.pone.0000217",
            "doi:10.1038/s41586-020-2649-2",
            "10.1021/jp.6b00001",
            "10.1111/j.1365-2486.2007.01420.x",
            "10.1007/978-3-642-12345-6_7",
            "10.1016/s0140-6736(98)05012-0",
            "10.1111/j.1651-2227.1992.tb12195.x",
        ] {
            assert!(is_clean_name(name), "{name}");
        }
        for name in [
            "10.1038/nature07634.pmid:1",
            "10.5555/a1/full",
            "10.5555/d0i10.5",
            "10.5555/a007732a007732",
            "10.1101/436749v2",
        ] {
            assert!(!is_clean_name(name), "{name}");
        }
    }
}
