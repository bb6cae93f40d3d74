//! Where a look is worth it: finds the byte positions at which a candidate can start.
//!
//! A prefilter: it may say yes too often, never no.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::packed::{Config, MatchKind, Searcher};

/// What stands at an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `10` and a full stop, plain or as the start of an escape.
    Directory(usize),
    /// `10/` behind a resolver's host: a short DOI.
    Short(usize),
}

impl Anchor {
    pub(super) fn at(self) -> usize {
        match self {
            Anchor::Directory(at) | Anchor::Short(at) => at,
        }
    }
}

/// `10` before a full stop as text or any encoder writes it (`%2E`, `&#46;`, `\u002e`), and the tail of `doi.org/10/`.
const NEEDLES: [&str; 5] = ["10.", "10%", "10&", "10\\", "g/10/"];

/// The anchors that stand in `range` of `bytes`, in order.
pub(super) fn find_iter(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Anchor> {
    static SEARCHER: OnceLock<Option<Searcher>> = OnceLock::new();
    let searcher = SEARCHER.get_or_init(|| {
        Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .builder()
            .extend(NEEDLES)
            .build()
    });
    // The needle of a short DOI starts two bytes before its anchor.
    let mut at = range.start.saturating_sub(2);
    let all = std::iter::from_fn(move || {
        let (start, needle) = match searcher {
            Some(searcher) => {
                let found = searcher.find_in(
                    bytes,
                    aho_corasick::Span {
                        start: at,
                        end: bytes.len(),
                    },
                )?;
                (found.start(), found.pattern().as_usize())
            }
            None => find_plain(bytes, at)?,
        };
        at = start + 1;
        Some(if needle == 4 {
            Anchor::Short(start + 2)
        } else {
            Anchor::Directory(start)
        })
    });
    let end = range.end;
    all.skip_while(move |anchor| anchor.at() < range.start)
        .take_while(move |anchor| anchor.at() < end)
}

/// For processors on which the packed searcher cannot run.
fn find_plain(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let first = |needle: &&str| memchr::memmem::find(&bytes[from..], needle.as_bytes());
    let hits = NEEDLES
        .iter()
        .enumerate()
        .filter_map(|(i, needle)| Some((from + first(&needle)?, i)));
    hits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_found() {
        let text = b"10.1 x10%2E1 &10&#46;1 10\\u002e1 doi.org/10/abc 100.1";
        let found: Vec<_> = find_iter(text, 0..text.len()).collect();
        assert_eq!(found.len(), 5);
        assert_eq!(
            found[4],
            Anchor::Short(text.iter().position(|&b| b == b'g').unwrap() + 2)
        );
    }

    #[test]
    fn plain_search_agrees() {
        let text = b"g/10/10.10%10&10\\10g/10/ 10.";
        let mut at = 0;
        for found in find_iter(text, 0..text.len()) {
            let (start, needle) = find_plain(text, at).unwrap();
            at = start + 1;
            assert_eq!(
                found,
                if needle == 4 {
                    Anchor::Short(start + 2)
                } else {
                    Anchor::Directory(start)
                }
            );
        }
        assert_eq!(find_plain(text, at), None);
    }
}
