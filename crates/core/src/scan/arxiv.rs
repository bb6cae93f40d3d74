//! Finds identifiers of arXiv. Only a scanner that is set to find them searches, so that others get no slower.

use std::ops::Range;

use super::mention::Form;
use super::rules::arxiv::{announces, identifier, whole};
use super::window::{AcceptedName, KnownVerdict, WINDOW_BYTES_BEFORE};
use crate::doi::Doi;

/// Max bytes from the letter that is searched for to an identifier: `xiv.org\/abs\/`.
const MAX_ANNOUNCEMENT_BYTES: usize = 16;

impl Doi {
    /// Returns the name of the paper that `text` identifies at arXiv, `arXiv:2101.00001v2` or its address at arxiv.org. `None` if
    /// `text` is or contains anything else.
    ///
    /// ```
    /// let doi = doisift_core::Doi::from_arxiv("arXiv:hep-th/9901001v1").unwrap();
    /// assert_eq!(doi.key(), "10.48550/arxiv.hep-th/9901001");
    /// ```
    pub fn from_arxiv(text: &str) -> Option<Doi> {
        Doi::new(&whole(text)?).ok()
    }
}

/// Returns the offsets of identifiers in `range` of `bytes`, in order.
pub(super) fn starts(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = usize> {
    let end = range.end.min(bytes.len());
    let first = range.start.saturating_sub(MAX_ANNOUNCEMENT_BYTES).min(end);
    let letters = memchr::memchr2_iter(b'x', b'X', &bytes[first..end]);
    let starts = letters.filter_map(move |at| after(bytes, first + at));
    starts.filter(move |at| range.contains(at))
}

/// Returns where the identifier starts that is announced by the word with its letter x at `x`.
fn after(bytes: &[u8], x: usize) -> Option<usize> {
    let word = bytes.get(x.checked_sub(2)?..x + 3)?;
    if !word.eq_ignore_ascii_case(b"arxiv") {
        return None;
    }
    let near = bytes.len().min(x + MAX_ANNOUNCEMENT_BYTES);
    // The next letter x announces its own identifier.
    let next = memchr::memchr2(b'x', b'X', &bytes[x + 3..near]);
    let near = next.map_or(near, |length| x + 3 + length);
    (x + 4..=near).find(|at| is_at(bytes, *at))
}

/// Whether an identifier starts at `at`.
pub(super) fn is_at(bytes: &[u8], at: usize) -> bool {
    announces(&bytes[at.saturating_sub(WINDOW_BYTES_BEFORE)..at])
        && identifier(&bytes[at..]).is_some()
}

/// Reads the identifier at `at` as an accepted candidate, and its name.
pub(super) fn read(bytes: &[u8], at: usize) -> Option<(AcceptedName, String)> {
    let (len, name) = identifier(&bytes[at..])?;
    let accepted = AcceptedName {
        form: Form::Arxiv,
        guessed: false,
        rule: None,
        len,
        known_verdict: KnownVerdict::NotAsked,
    };
    Some((accepted, name))
}
