//! Scans a document that comes in pieces.

use super::mention::Mention;
use super::scanner::Scanner;
use super::tally::Tally;

impl Scanner {
    /// Returns a stream that takes a document in pieces of any size and finds the same mentions as in the whole.
    ///
    /// ```
    /// let mut scanner = doisift_core::Scanner::new();
    /// let mut names = Vec::new();
    /// let mut stream = scanner.stream();
    /// for piece in ["see 10.55", "55/ab", "c."] {
    ///     stream.push(piece.as_bytes(), |mention| names.push(mention.key.to_owned()));
    /// }
    /// stream.finish(|mention| names.push(mention.key.to_owned()));
    /// assert_eq!(names, ["10.5555/abc"]);
    /// ```
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

/// One document that comes in pieces of any size; see [`Scanner::stream`].
///
/// Holds back the bytes that a later decision may still read: up to about twice [`Scanner::max_name`], and
/// the piece itself.
#[derive(Debug)]
pub struct Stream<'s> {
    scanner: &'s mut Scanner,
    /// Bytes that a later decision may still read.
    held: Vec<u8>,
    /// Offset of `held` in the document.
    offset: u64,
    /// Held bytes whose anchors are already decided.
    decided: usize,
    tally: Tally,
}

impl Stream<'_> {
    /// Takes the next piece and calls `sink` with each mention that can be decided so far.
    pub fn push(&mut self, piece: &[u8], sink: impl FnMut(Mention<'_>)) {
        self.held.extend_from_slice(piece);
        let (before, after) = self.scanner.window();
        if self.held.len() >= self.decided + 2 * (before + after) {
            self.decide(self.held.len() - after, sink);
            let spent = self.decided.saturating_sub(before);
            self.held.drain(..spent);
            self.offset += spent as u64;
            self.decided -= spent;
        }
    }

    /// Ends the document: calls `sink` with the remaining mentions and returns the counts of the whole.
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
