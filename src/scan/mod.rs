//! Bytes in, mentions out.
//!
//! Knows [`Doi`](crate::Doi) and bytes; knows nothing of files, containers or records.

mod mention;
mod tally;

pub use mention::{Form, Mention};
pub use tally::{Rejection, Tally};

use std::ops::Range;

/// How many bytes before an anchor can bear on what is decided about it.
pub(crate) const BEFORE: usize = 1024;
/// How many bytes behind the longest name can bear on where it ends.
const MARGIN: usize = 256;

/// Finds the mentions of DOI names in bytes.
pub struct Scanner {
    max_name: usize,
    scratch: String,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// A scanner with default limits.
    pub fn new() -> Self {
        Scanner { max_name: 64 << 10, scratch: String::new() }
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
        for at in memchr::memmem::find_iter(bytes, b"10.") {
            if !range.contains(&at) {
                continue;
            }
            let rest = &bytes[at..];
            let digits = rest[3..].iter().take_while(|b| b.is_ascii_digit()).count();
            if !(4..=9).contains(&digits) || rest.get(3 + digits) != Some(&b'/') {
                continue;
            }
            let plain = |b: &&u8| b.is_ascii_alphanumeric() || b"-._;()/:".contains(b);
            let end = 4 + digits + rest[4 + digits..].iter().take_while(plain).count();
            tally.candidates += 1;
            if end == 4 + digits {
                tally.reject(Rejection::EmptySuffix);
                continue;
            }
            tally.mentions += 1;
            let text = &rest[..end];
            let name = str::from_utf8(text).unwrap_or_default();
            self.scratch.clear();
            self.scratch.push_str(name);
            self.scratch.make_ascii_lowercase();
            sink(Mention { name, key: &self.scratch, form: Form::Bare, offset: offset + at as u64, text, guessed: false });
        }
        tally
    }

    /// A document that comes in pieces.
    pub fn stream(&mut self) -> Stream<'_> {
        Stream { scanner: self, held: Vec::new(), offset: 0, tally: Tally::default() }
    }
}

/// One document that comes in pieces of any size; see [`Scanner::stream`].
pub struct Stream<'s> {
    scanner: &'s mut Scanner,
    held: Vec<u8>,
    offset: u64,
    tally: Tally,
}

impl Stream<'_> {
    /// Takes the next piece and calls `sink` with each mention that can be decided by now.
    pub fn push(&mut self, piece: &[u8], _sink: impl FnMut(Mention<'_>)) {
        self.held.extend_from_slice(piece);
    }

    /// The document ends here.
    pub fn finish(self, sink: impl FnMut(Mention<'_>)) -> Tally {
        self.tally + self.scanner.scan_range(&self.held, 0..self.held.len(), self.offset, sink)
    }
}
