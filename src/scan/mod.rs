//! Bytes in, mentions out.
//!
//! Knows [`Doi`](crate::Doi) and bytes; knows nothing of files, containers or records.

mod anchor;
mod automaton;
mod candidate;
mod context;
mod decode;
mod enclosure;
mod extent;
mod mention;
mod reach;
mod tally;
mod trim;

pub use mention::{Form, Mention};
pub use tally::{Rejection, Tally};

use std::ops::Range;

use anchor::Anchor;
use candidate::{Accepted, Judge};

use crate::doi::key_into;

/// How many bytes before an anchor can bear on what is decided about it.
pub(crate) const BEFORE: usize = 1024;
/// How many bytes behind the longest name can bear on where it ends.
const MARGIN: usize = 256;

/// Finds the mentions of DOI names in bytes.
pub struct Scanner {
    max_name: usize,
    judge: Judge,
    key: String,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// A scanner with default limits.
    pub fn new() -> Self {
        Scanner {
            max_name: 64 << 10,
            judge: Judge::default(),
            key: String::new(),
        }
    }

    /// Sets the longest name, in bytes as written, that is accepted; the default is 64 KiB.
    pub fn max_name(mut self, bytes: usize) -> Self {
        self.max_name = bytes;
        self
    }

    /// Bytes before and behind an anchor that [`scan_range`](Self::scan_range) must see to decide about it.
    pub fn window(&self) -> (usize, usize) {
        (BEFORE, self.max_name + MARGIN)
    }

    /// Calls `sink` with each mention of `document`, in order.
    pub fn scan(&mut self, document: &[u8], sink: impl FnMut(Mention<'_>)) -> Tally {
        self.scan_range(document, 0..document.len(), 0, sink)
    }

    /// Scans a part of a document: decides about the anchors that stand in `range` of `bytes`.
    ///
    /// `bytes[0]` stands at `offset` of the document. So that the answer is the same as from the whole document, `bytes`
    /// must reach [`window`](Self::window) before and behind `range`, or to the document's start and end.
    pub fn scan_range(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        offset: u64,
        mut sink: impl FnMut(Mention<'_>),
    ) -> Tally {
        let mut tally = Tally::default();
        for anchor in anchor::find_iter(bytes, range) {
            let decision = match anchor {
                Anchor::Directory(at) => self
                    .judge_at(bytes, at)
                    .map(|judged| judged.map(|accepted| (at, accepted))),
                Anchor::Short(at) => is_short_doi(bytes, at).then_some(Err(Rejection::ShortDoi)),
            };
            tally.candidates += u64::from(decision.is_some());
            match decision {
                None => {}
                Some(Err(reason)) => tally.reject(reason),
                Some(Ok((at, accepted))) => {
                    tally.mentions += 1;
                    self.emit(
                        &bytes[at..at + accepted.len],
                        offset + at as u64,
                        &accepted,
                        &mut sink,
                    );
                }
            }
        }
        tally
    }

    fn judge_at(&mut self, bytes: &[u8], at: usize) -> Option<Result<Accepted, Rejection>> {
        let start = at.saturating_sub(BEFORE);
        let end = bytes.len().min(at + self.max_name + MARGIN);
        self.judge
            .judge(&bytes[start..end], at - start, self.max_name)
    }

    fn emit(
        &mut self,
        text: &[u8],
        offset: u64,
        accepted: &Accepted,
        sink: &mut impl FnMut(Mention<'_>),
    ) {
        let name = &self.judge.name;
        self.key.clear();
        key_into(name, &mut self.key);
        sink(Mention {
            name,
            key: &self.key,
            form: accepted.form,
            offset,
            text,
            guessed: accepted.guessed,
        });
    }

    /// A document that comes in pieces.
    pub fn stream(&mut self) -> Stream<'_> {
        Stream {
            scanner: self,
            held: Vec::new(),
            offset: 0,
            decided: 0,
            tally: Tally::default(),
        }
    }
}

/// `https://doi.org/10/abc`: an alias for a name, without its registrant code.
fn is_short_doi(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(BEFORE)..at];
    let names_something = bytes.get(at + 3).is_some_and(u8::is_ascii_alphanumeric);
    names_something && automaton::scheme(before).is_some_and(|opener| opener.form == Form::Url)
}

/// One document that comes in pieces of any size; see [`Scanner::stream`].
pub struct Stream<'s> {
    scanner: &'s mut Scanner,
    /// What of the document can still bear on a decision.
    held: Vec<u8>,
    /// Where `held` starts in the document.
    offset: u64,
    /// How many of the held bytes are anchors decided about.
    decided: usize,
    tally: Tally,
}

impl Stream<'_> {
    /// Takes the next piece and calls `sink` with each mention that can be decided by now.
    pub fn push(&mut self, piece: &[u8], sink: impl FnMut(Mention<'_>)) {
        self.held.extend_from_slice(piece);
        let (before, behind) = self.scanner.window();
        if self.held.len() >= self.decided + 2 * (before + behind) {
            self.decide(self.held.len() - behind, sink);
            let spent = self.decided.saturating_sub(before);
            self.held.drain(..spent);
            self.offset += spent as u64;
            self.decided -= spent;
        }
    }

    /// The document ends here.
    pub fn finish(mut self, sink: impl FnMut(Mention<'_>)) -> Tally {
        self.decide(self.held.len(), sink);
        self.tally
    }

    fn decide(&mut self, end: usize, sink: impl FnMut(Mention<'_>)) {
        self.tally += self
            .scanner
            .scan_range(&self.held, self.decided..end, self.offset, sink);
        self.decided = end;
    }
}
