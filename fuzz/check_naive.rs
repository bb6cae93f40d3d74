//! The scanner finds the same as its naive twin.

use doisift::Scanner;
use doisift::naive::{self, OwnedMention};

/// A limit on names that is so small that inputs of a few hundred bytes exceed it.
const MAX_NAME: usize = 100;

/// Mentions and counts are the same as those of the twin.
pub fn scan_naive(text: &[u8]) {
    let mut said: Vec<OwnedMention> = Vec::new();
    let tally = Scanner::new()
        .max_name(MAX_NAME)
        .scan(text, |mention| said.push(mention.into()));
    let (expected, counts) = naive::scan(text, MAX_NAME);
    assert_eq!(said, expected);
    assert_eq!(tally, counts);
}
