//! The scanner says what its naive twin says.

use doisift::Scanner;
use doisift::naive::{self, OwnedMention};

/// A limit small enough that inputs of a few hundred bytes go past it.
const MAX_NAME: usize = 100;

/// Mentions and counts are the twin's.
pub fn scan_naive(text: &[u8]) {
    let mut said: Vec<OwnedMention> = Vec::new();
    let tally = Scanner::new()
        .max_name(MAX_NAME)
        .scan(text, |mention| said.push(mention.into()));
    let (expected, counts) = naive::scan(text, MAX_NAME);
    assert_eq!(said, expected);
    assert_eq!(tally, counts);
}
