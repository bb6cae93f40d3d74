//! Finds the byte positions at which a candidate can start.
//!
//! A prefilter: false positives are allowed, false negatives are not.

use std::cmp::Reverse;
use std::ops::Range;

use super::arxiv;
use super::kind::TextKind;
use crate::bits::{Bits, positions};
use crate::block::Block;

/// Max bytes of tags between the digits of an anchor.
const MAX_TAGS_BYTES: usize = 200;
/// The position after the last bit of a block.
const BLOCK_END: usize = Block::SIZE;

/// A position at which a candidate can start, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `10` and a full stop, plain, after a break or a tag, or as the start of an escape (`%2E`, `&#46;`, `\u002e`).
    Directory(usize),
    /// `10/` after a resolver's host: a short DOI.
    Short(usize),
    /// An identifier of arXiv.
    Arxiv(usize),
}

impl Anchor {
    /// Returns the offset of the first digit, or of the identifier.
    pub(super) fn start(self) -> usize {
        match self {
            Anchor::Directory(at) | Anchor::Short(at) | Anchor::Arxiv(at) => at,
        }
    }
}

/// Returns all anchors of `bytes`, a text of `kind`, in order.
pub(super) fn all(bytes: &[u8], kind: TextKind) -> Vec<Anchor> {
    let pairs = memchr::memmem::find_iter(bytes, b"10");
    let whole = pairs.filter_map(|at| classify(bytes, at));
    let split_by_tags = split_by_tags(bytes, 0..bytes.len()).filter(|_| kind == TextKind::Html);
    let mut anchors: Vec<_> = whole.chain(split_by_tags.map(Anchor::Directory)).collect();
    anchors.sort_by_key(|anchor| anchor.start());
    anchors
}

/// Returns the anchors in `range` of `bytes`, in order. Among many numbers, those that start no prefix are left out.
pub(super) fn find_iter(bytes: &[u8], range: Range<usize>) -> Anchors<'_> {
    Anchors {
        bytes,
        others: Vec::new(),
        held_back: None,
        end: bytes.len().min(range.end),
        block: range.start,
        next: range.start,
        pairs: 0,
    }
}

/// Iterator of [`find_iter`].
#[derive(Debug)]
pub(super) struct Anchors<'b> {
    bytes: &'b [u8],
    /// End of the range.
    end: usize,
    /// Offsets of the current block and the next one.
    block: usize,
    next: usize,
    /// Pairs `10` of the current block that were not returned yet.
    pairs: Bits,
    /// Anchors of other kinds, the last one first.
    others: Vec<Anchor>,
    /// A pair that was found, but comes after the next one of `others`.
    held_back: Option<Anchor>,
}

impl Anchors<'_> {
    /// Adds the anchors of a page whose digits a tag separates: `1<b>0.5555/a`.
    pub(super) fn in_page(mut self) -> Self {
        let split_by_tags = split_by_tags(self.bytes, self.next..self.end);
        self.others.extend(split_by_tags.map(Anchor::Directory));
        self.sorted()
    }

    /// Adds identifiers of arXiv.
    pub(super) fn with_arxiv(mut self) -> Self {
        let starts = arxiv::starts(self.bytes, self.next..self.end);
        self.others.extend(starts.map(Anchor::Arxiv));
        self.sorted()
    }

    fn sorted(mut self) -> Self {
        self.others.sort_by_key(|anchor| Reverse(anchor.start()));
        self
    }

    fn next_pair(&mut self) -> Option<Anchor> {
        loop {
            while self.pairs != 0 {
                let at = self.block + self.pairs.trailing_zeros() as usize;
                self.pairs &= self.pairs - 1;
                if let Some(anchor) = classify(self.bytes, at) {
                    return Some(anchor);
                }
            }
            self.advance()?;
        }
    }

    /// Goes to the next block with a pair; `None` if the range has no more.
    ///
    /// Searches by blocks: to start a search again after each pair takes as long as to search 300 bytes.
    #[inline]
    fn advance(&mut self) -> Option<()> {
        let after = self.bytes.len() - self.end;
        let mut rest = &self.bytes[self.next.min(self.end)..];
        while rest.len() > after {
            let [block, next] = Block::with_next(rest);
            let pairs = block.find_pair(&next, *b"10");
            if pairs == 0 {
                rest = rest.get(Block::SIZE..).unwrap_or_default();
                continue;
            }
            // Up to three pairs are as fast to check one by one.
            let (pairs, len) = match positions(pairs).nth(3) {
                Some(_) => may_start(&block, pairs),
                None => (pairs, BLOCK_END),
            };
            if pairs != 0 {
                self.block = self.bytes.len() - rest.len();
                self.next = self.block + len;
                // Drops the pairs after the range.
                self.pairs = pairs & below(BLOCK_END.min(rest.len() - after));
                return Some(());
            }
            rest = rest.get(len..).unwrap_or_default();
        }
        self.next = self.end;
        None
    }
}

impl Iterator for Anchors<'_> {
    type Item = Anchor;

    #[inline]
    fn next(&mut self) -> Option<Anchor> {
        let pair = self.held_back.take().or_else(|| self.next_pair());
        match self.others.last() {
            Some(other) if pair.is_none_or(|pair| pair.start() > other.start()) => {
                self.held_back = pair;
                self.others.pop()
            }
            _ => pair,
        }
    }
}

/// Returns the anchors in `range` of `bytes` whose two digits are separated by tags.
fn split_by_tags(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = usize> {
    let last = bytes.len().min(range.end.saturating_add(MAX_TAGS_BYTES));
    let first = range.start.min(last);
    let ends = memchr::memmem::find_iter(&bytes[first..last], b">0.");
    let starts = ends.filter_map(move |end| before_tags(&bytes[..first + end + 1]));
    starts.filter(move |at| range.contains(at))
}

/// Returns the offset of the `1` before the tags that `written` ends in.
fn before_tags(mut written: &[u8]) -> Option<usize> {
    while let [.., b'>'] = written {
        let near = &written[written.len().saturating_sub(MAX_TAGS_BYTES)..];
        let tag = near.len() - memchr::memrchr(b'<', near)?;
        written = &written[..written.len() - tag];
    }
    let at = written.len().checked_sub(1)?;
    (written[at] == b'1').then_some(at)
}

/// Returns the anchor at the two digits at `at` of `bytes`, if there is one.
#[inline]
pub(super) fn classify(bytes: &[u8], at: usize) -> Option<Anchor> {
    match bytes.get(at + 2)? {
        b'.' | b'%' | b'&' | b'\\' | b'<' => Some(Anchor::Directory(at)),
        b' ' | b'\t' | b'\n' | b'\r' if is_broken_off(&bytes[at + 2..]) => {
            Some(Anchor::Directory(at))
        }
        b'/' if bytes[..at].ends_with(b"g/") || bytes[..at].ends_with(b"G/") => {
            Some(Anchor::Short(at))
        }
        _ => None,
    }
}

/// Whether `rest`, after `10`, is a break before a full stop.
pub(super) fn is_broken_off(rest: &[u8]) -> bool {
    matches!(
        rest,
        [b' ' | b'\t' | b'\n', b'.', ..] | [b'\r', b'\n', b'.', ..]
    )
}

/// Returns the pairs of `block` that may start a prefix or a short DOI, and how many bytes of the block are decided. A number
/// that the end of the block cuts is left to the next block.
///
/// A bit that is added to a run of bits is carried to the first place after the run.
#[inline(never)]
fn may_start(block: &Block, pairs: Bits) -> (Bits, usize) {
    let all_stops = block.find(b'.');
    let code = block.find_range(b'0', b'9') | all_stops;
    let blanks = block.find_range(0, b' ');
    // Without the bits of 3, `_` and `&` match too. The characters of optional breaks are beyond ASCII.
    let marks = block.find_any_like(*b"/:<", *b"\\%", 3) | block.beyond_ascii();
    let stops = pairs << 2 & all_stops;
    // The first byte after the code that follows each full stop, and the first one after white space there.
    let ends = stops.wrapping_add(code) & !code;
    let blank_ends = (ends & blanks).wrapping_add(blanks) & !blanks;
    // A separator or an escape.
    let ends = positions((ends | blank_ends) & marks);
    let with_end = ends.fold(0, |found, end| {
        let start = start_of(code, start_of(blanks, end));
        found | stops & below(end) & !below(start)
    });
    let with_blank = stops & blanks >> 1;
    let before_stop = blanks >> 2 & (all_stops >> 3 | blanks >> 3 & all_stops >> 4);
    let found = (with_end | with_blank) >> 2 | pairs & (marks >> 2 | before_stop);
    let last = start_of(code, start_of(blanks, BLOCK_END));
    let cut = (stops & !below(last)) >> 2 | pairs & !below(BLOCK_END - 4);
    match cut.trailing_zeros() as usize {
        // The next block would decide no better.
        0 => (found | cut, BLOCK_END),
        len => (found & below(len), len),
    }
}

/// Returns the start of the run of `bits` that ends before the bit `end`.
fn start_of(bits: Bits, end: usize) -> usize {
    BLOCK_END - (!bits & below(end)).leading_zeros() as usize
}

/// Returns the bits before the bit `end`.
fn below(end: usize) -> Bits {
    match end {
        BLOCK_END => Bits::MAX,
        _ => ((1 as Bits) << end) - 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scan::automaton::prefix;

    const TEXT: &[u8] = b"10.1 x10%2E1 &10&#46;1 10\\u002e1 doi.org/10/abc 100.1 a/10/b 110.5";

    fn found(bytes: &[u8], range: Range<usize>) -> Vec<usize> {
        find_iter(bytes, range).map(Anchor::start).collect()
    }

    #[test]
    fn every_spelling_is_found() {
        let found = all(TEXT, TextKind::Unknown);
        assert_eq!(found.len(), 6);
        assert_eq!(found[4], Anchor::Short(41));
        let sparse: Vec<_> = TEXT.split(|byte| *byte == b' ').collect();
        let sparse = sparse.join(&b" ".repeat(40)[..]);
        let found: Vec<_> = find_iter(&sparse, 0..sparse.len()).collect();
        assert_eq!(found, all(&sparse, TextKind::Unknown));
    }

    #[test]
    fn a_pair_belongs_to_the_range_that_it_starts_in() {
        let text = [&b"x".repeat(60)[..], b"10.1/", &b"x".repeat(60), b"10.1/"].concat();
        for cut in 0..=text.len() {
            let mut both = found(&text, 0..cut);
            both.extend(found(&text, cut..text.len()));
            assert_eq!(both, [60, 125], "cut at {cut}");
        }
    }

    #[test]
    fn numbers_that_start_no_prefix_are_left_out_where_there_are_many() {
        let numbers = b"0.10.3 10.25 110.5 10.1234 2010.75, 10.10.2010 10.5; ".repeat(3);
        assert!(found(&numbers, 0..numbers.len()).len() < 8);
    }

    proptest! {
        #[test]
        fn no_prefix_is_passed_over(
            text in "(10[./%&]|10[ \r\n]{1,2}[.][0-9]{4}/|10\\.10[.]|10[.][0-9]{1,9}[./:_ ]|[0-9]|[ \r\n]{1,3}|[.:/%g]|2[Ee]|2F|a|&#46;|\\\\|x{20}){0,60}",
            start in 0..64usize,
        ) {
            let text = text.as_bytes();
            let start = start.min(text.len());
            let found = found(text, start..text.len());
            for anchor in all(text, TextKind::Unknown) {
                let wanted = match anchor {
                    Anchor::Directory(at) => prefix(&text[at..]).is_some().then_some(at),
                    Anchor::Short(at) | Anchor::Arxiv(at) => Some(at),
                };
                if let Some(at) = wanted.filter(|at| *at >= start) {
                    prop_assert!(found.contains(&at), "{at}");
                }
            }
            prop_assert!(found.is_sorted());
        }
    }
}
