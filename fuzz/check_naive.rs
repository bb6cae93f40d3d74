//! Checks that the scanner finds the same as its naive twin.

use doisift::Scanner;
use doisift::naive::{self, OwnedMention};

/// A limit on names that inputs of a few hundred bytes exceed.
const MAX_NAME: usize = 100;

/// Asserts that mentions and counts are the same as those of the twin.
pub fn scan_naive(text: &[u8]) {
    let mut said: Vec<OwnedMention> = Vec::new();
    let tally = Scanner::new()
        .max_name(MAX_NAME)
        .scan(text, |mention| said.push(mention.into()));
    let (expected, counts) = naive::scan(text, MAX_NAME);
    assert_eq!(said, expected);
    assert_eq!(tally, counts);
}
