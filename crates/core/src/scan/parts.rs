//! Scans parts of a document, for callers that divide it: between threads, into cells, or into fields that hold a name.

use std::ops::Range;

use super::anchor::{self, Anchor};
use super::arxiv;
use super::mention::{Decision, Mention};
use super::scanner::Scanner;
use super::tally::Tally;
use super::window::{WINDOW_BYTES_AFTER, WINDOW_BYTES_BEFORE};

#[doc(hidden)]
impl Scanner {
    /// Returns how many bytes before and after an anchor the decision about it may read.
    pub fn window(&self) -> (usize, usize) {
        // Whether an identifier of arXiv is part of a name depends on the names that start up to this number of bytes before it.
        let before = if self.arxiv {
            2 * WINDOW_BYTES_BEFORE
        } else {
            WINDOW_BYTES_BEFORE
        };
        (before, self.max_name + WINDOW_BYTES_AFTER)
    }

    /// Scans a part of a document: decides about the anchors in `range` of `bytes`.
    ///
    /// `bytes[0]` is at `offset` of the document. The mentions are those of the whole document if `bytes` reaches
    /// [`window`](Self::window) before and after `range`, or to the document's start and end. A part of `range` outside of
    /// `bytes` is ignored.
    pub fn scan_range(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        offset: u64,
        mut sink: impl FnMut(Mention<'_>),
    ) -> Tally {
        self.decide_range(bytes, range, offset, |decision| {
            if let Decision::Mention(mention) = decision {
                sink(mention);
            }
        })
    }

    /// Scans as [`scan_range`](Self::scan_range) does, and reports the anchors at which no mention starts too.
    ///
    /// For fields that are known to hold a name: the rules for text may refuse this name, or pass over its anchor.
    pub fn decide_range(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        offset: u64,
        sink: impl FnMut(Decision<'_>),
    ) -> Tally {
        self.decide_anchors(bytes, self.anchors_in(bytes, range), offset, sink)
    }

    /// Returns the offsets in `bytes` at which a candidate may start, in order. A part of `bytes` without one holds no mention.
    ///
    /// Short texts in one buffer, such as the cells of a table, can be searched in one pass: only those with an anchor need
    /// [`scan_at`](Self::scan_at).
    pub fn anchors(bytes: &[u8]) -> impl Iterator<Item = usize> {
        anchor::find_iter(bytes, 0..bytes.len()).map(Anchor::start)
    }

    /// Returns the offsets as [`anchors`](Self::anchors) does, with identifiers of arXiv if the scanner finds these.
    pub fn starts<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = usize> + use<'b> {
        let anchors = anchor::find_iter(bytes, 0..bytes.len());
        let anchors = match self.arxiv {
            true => anchors.with_arxiv(),
            false => anchors,
        };
        anchors.map(Anchor::start)
    }

    /// Scans as [`scan`](Self::scan) does, but looks only at `starts`, which must ascend and include all [`starts`](Self::starts)
    /// of `text`.
    pub fn scan_at(
        &mut self,
        text: &[u8],
        starts: impl Iterator<Item = usize>,
        mut sink: impl FnMut(Mention<'_>),
    ) -> Tally {
        let finds_arxiv = self.arxiv;
        let arxiv = |at| (finds_arxiv && arxiv::is_at(text, at)).then_some(Anchor::Arxiv(at));
        let pair = |at| {
            text[at..]
                .starts_with(b"10")
                .then(|| anchor::classify(text, at))
        };
        let anchors = starts.filter_map(|at| match finds_arxiv {
            true => pair(at).flatten().or_else(|| arxiv(at)),
            false => anchor::classify(text, at),
        });
        self.decide_anchors(text, anchors, 0, |decision| {
            if let Decision::Mention(mention) = decision {
                sink(mention);
            }
        })
    }
}
