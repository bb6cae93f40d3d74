//! Finds the mentions of DOI names in bytes.
//!
//! `anchor` finds the positions at which a name may start, `candidate` decides about each: `fast_path` recognises most names at a
//! glance. For the others, `start` and `automaton` read whether a name starts there, `context` reads the bytes before it, of which
//! `glance` recognises most, `extent` bounds the candidate, `decode` undoes its escapes. `rules` decides what a name is; if it is in
//! doubt, `known` asks a set of known names. `naive` is a slow engine over the same rules, and `explain` shows the steps of a
//! decision. Knows [`Doi`](crate::Doi) and bytes; knows nothing of files, containers or records.

mod anchor;
pub mod around;
mod arxiv;
mod automaton;
mod candidate;
mod context;
mod decode;
mod escape;
mod explain;
mod extent;
mod fast_path;
mod find;
mod glance;
mod kind;
mod known;
mod mention;
#[cfg(feature = "testing")]
pub mod naive;
mod name_buffers;
mod origin;
pub(crate) mod rules;
mod start;
mod tally;

pub(crate) use escape::markup;
pub use explain::{Explanation, ExplanationStep, NonCandidate, Verdict};
pub use find::FindIter;
pub use kind::{Delimiter, TextKind, UnknownKind};
pub use known::NameSet;
pub use mention::{Decision, Form, Match, Mention, UnknownForm};
pub use rules::book::{Rule, RuleScope};
pub use rules::dirt::Change;
pub use rules::examples::{Example, ExampleReading};
pub use tally::{Rejection, Tally};

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use anchor::{Anchor, Anchors, WINDOW_BYTES_BEFORE};
use candidate::{AcceptedName, Decider};
use known::{KnownLookup, KnownVerdict};
use name_buffers::NameBuffers;
use rules::TextScope;

use crate::doi::Doi;

/// Bytes after the longest name that the decision about its end may read.
const WINDOW_BYTES_AFTER: usize = 256;
/// Upper bound of [`Scanner::max_name`], in bytes.
const MAX_NAME_BYTES: usize = 1 << 30;

/// Finds the mentions of DOI names in bytes, which need not be UTF-8.
///
/// A candidate is `10.`, a registrant code and a separator, in any spelling that an encoder gives it. Each is accepted as a
/// [`Mention`] or refused for one [reason](Rejection), and counted in the [`Tally`]. Mentions come in the order of their offsets
/// and never overlap. `tests/cases` and `docs/src/names.md` say which names count and where they end.
///
/// Scanning is linear in the input. A scanner keeps its buffers, so reuse one for many documents. Text without names is searched
/// at the speed of memory, and a rejected candidate allocates nothing.
///
/// ```
/// use doisift_core::{Form, Scanner};
///
/// let text = br#"{"DOI":"10.5555\/Abc&amp;1"} (see https://doi.org/10.5555/a%28b%29)."#;
/// let mut found = Vec::new();
/// let tally = Scanner::new().scan(text, |mention| {
///     found.push((mention.key.to_owned(), mention.form, mention.offset));
/// });
///
/// assert_eq!(found[0], ("10.5555/abc&1".to_owned(), Form::Label, 8));
/// assert_eq!(found[1], ("10.5555/a(b)".to_owned(), Form::Url, 50));
/// assert_eq!(tally.candidates, tally.mentions + tally.rejections());
/// ```
#[derive(Clone)]
pub struct Scanner {
    max_name: usize,
    kind: TextKind,
    arxiv: bool,
    decider: Decider,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// Makes a scanner with default limits.
    pub fn new() -> Self {
        Scanner {
            max_name: 64 << 10,
            kind: TextKind::Unknown,
            arxiv: false,
            decider: Decider::default(),
        }
    }

    /// Sets the length, in bytes as written, up to which a name is accepted; a longer one is refused as [`Rejection::TooLong`].
    /// The default is 64 KiB, the maximum 1 GiB. (A [`Doi`](crate::Doi) may have any length.)
    pub fn max_name(mut self, bytes: usize) -> Self {
        self.max_name = bytes.min(MAX_NAME_BYTES);
        self
    }

    /// Sets what kind of text the documents are; the default is [`TextKind::Unknown`]. [`TextKind::of`] reads it from a head.
    pub fn kind(mut self, kind: TextKind) -> Self {
        self.set_kind(kind);
        self
    }

    /// Sets what kind of text the documents are that are scanned from here on.
    pub fn set_kind(&mut self, kind: TextKind) {
        self.kind = kind;
    }

    /// Sets known names. They are asked where the rules are in doubt: where the end is [guessed](Mention::guessed), something was
    /// cut, or the name ends in a text that is often added to names. By default nothing is asked.
    ///
    /// Of the ends that the bytes allow, the longest known one wins: after a break, after a mark, or with typeset dashes read as
    /// hyphens too. A shorter name than that of the rules wins only before a break, or before what [`clean`](crate::clean())
    /// would cut. If no end gives a known name, the rules decide.
    ///
    /// ```
    /// use std::{collections::BTreeSet, sync::Arc};
    ///
    /// let known = BTreeSet::from(["10.5555/abc1".to_owned()]);
    /// let mut scanner = doisift_core::Scanner::new().known(Arc::new(known));
    /// let found: Vec<_> = scanner.find_iter("10.5555/abc1.pdf, 10.5555/abc2.pdf").map(|m| m.doi.to_string()).collect();
    /// assert_eq!(found, ["10.5555/abc1", "10.5555/abc2.pdf"]);
    /// ```
    pub fn known(mut self, names: Arc<dyn NameSet>) -> Self {
        self.decider.lookup = Some(KnownLookup::new(names));
        self
    }

    /// Sets whether identifiers of arXiv are found too, such as `arXiv:2101.00001v2` and `https://arxiv.org/abs/hep-th/9901001`.
    /// Each is a mention of its paper's name, `10.48550/arxiv.2101.00001`, in the form [`Form::Arxiv`]. The default is `false`.
    /// An identifier that is part of a DOI name is not a mention of its own.
    ///
    /// ```
    /// let mut scanner = doisift_core::Scanner::new().arxiv(true);
    /// let found: Vec<_> = scanner.find_iter("See arXiv:2101.00001v2.").collect();
    /// assert_eq!(&*found[0].doi.key(), "10.48550/arxiv.2101.00001");
    /// assert_eq!(found[0].as_str(), Some("2101.00001v2"));
    /// ```
    pub fn arxiv(mut self, arxiv: bool) -> Self {
        self.arxiv = arxiv;
        self
    }

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

    /// Calls `sink` with each mention of `document`, in order. Allocates nothing for a mention, unlike
    /// [`find_iter`](Self::find_iter).
    pub fn scan(&mut self, document: impl AsRef<[u8]>, sink: impl FnMut(Mention<'_>)) -> Tally {
        let document = document.as_ref();
        self.scan_range(document, 0..document.len(), 0, sink)
    }

    /// Returns the mentions of `text`, in order, as values that own their names.
    ///
    /// ```
    /// let mut scanner = doisift_core::Scanner::new();
    /// let text = "See 10.5555/Abc. Or https://doi.org/10.5555/a%28b%29.";
    /// let found: Vec<_> = scanner.find_iter(text).map(|m| (m.doi.to_string(), &text[m.range()])).collect();
    /// assert_eq!(found[0], ("10.5555/Abc".to_owned(), "10.5555/Abc"));
    /// assert_eq!(found[1], ("10.5555/a(b)".to_owned(), "10.5555/a%28b%29"));
    /// ```
    pub fn find_iter<'s, 't, T: AsRef<[u8]> + ?Sized>(
        &'s mut self,
        text: &'t T,
    ) -> FindIter<'s, 't> {
        FindIter::new(self, text.as_ref())
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

    fn anchors_in<'b>(&self, bytes: &'b [u8], range: Range<usize>) -> Anchors<'b> {
        let anchors = self.names_in(bytes, range);
        match self.arxiv {
            true => anchors.with_arxiv(),
            false => anchors,
        }
    }

    fn names_in<'b>(&self, bytes: &'b [u8], range: Range<usize>) -> Anchors<'b> {
        let anchors = anchor::find_iter(bytes, range);
        match self.kind {
            TextKind::Html => anchors.in_page(),
            _ => anchors,
        }
    }

    fn decide_anchors(
        &mut self,
        bytes: &[u8],
        anchors: impl Iterator<Item = Anchor>,
        offset: u64,
        mut sink: impl FnMut(Decision<'_>),
    ) -> Tally {
        let mut tally = Tally::default();
        for anchor in anchors {
            let Some(decision) = self.decide(bytes, anchor) else {
                sink(Decision::Refused(offset + anchor.start() as u64));
                continue;
            };
            tally.candidates += 1;
            match decision {
                Err(reason) => {
                    tally.reject(reason);
                    sink(Decision::Refused(offset + anchor.start() as u64));
                }
                Ok((at, accepted)) => {
                    tally.mentions += 1;
                    tally.ends_changed += u64::from(accepted.known_verdict == KnownVerdict::Other);
                    let text = &bytes[at..at + accepted.len];
                    self.emit(text, offset + at as u64, &accepted, &mut sink);
                }
            }
        }
        tally
    }

    /// Decides about `anchor`: returns the name's offset, or why it is refused; `None` if the anchor is not a candidate.
    #[inline]
    fn decide(
        &mut self,
        bytes: &[u8],
        anchor: Anchor,
    ) -> Option<Result<(usize, AcceptedName), Rejection>> {
        match anchor {
            Anchor::Directory(at) => self
                .decide_at(bytes, at)
                .map(|decided| decided.map(|accepted| (at, accepted))),
            Anchor::Arxiv(at) => self.arxiv_at(bytes, at).map(|accepted| Ok((at, accepted))),
            Anchor::Short(at) => is_short_doi(bytes, at).then_some(Err(Rejection::ShortDoi)),
        }
    }

    /// Reads the identifier of arXiv at `at`; `None` if it is part of a name.
    fn arxiv_at(&mut self, bytes: &[u8], at: usize) -> Option<AcceptedName> {
        let before = self.names_in(bytes, at.saturating_sub(WINDOW_BYTES_BEFORE)..at);
        for anchor in before {
            match self.decide(bytes, anchor) {
                Some(Ok((start, name))) if start + name.len > at => return None,
                _ => {}
            }
        }
        let (accepted, name) = arxiv::read(bytes, at)?;
        self.decider.buffers.set_as_written(name.as_bytes())?;
        Some(accepted)
    }

    #[inline]
    fn decide_at(&mut self, bytes: &[u8], at: usize) -> Option<Result<AcceptedName, Rejection>> {
        let (window, at, scope) = self.window_at(bytes, at);
        self.decider.decide(window, at, scope, self.max_name)
    }

    /// Returns the bytes that the decision about the anchor at `at` reads, the anchor's offset in them, and their scope.
    #[inline]
    fn window_at<'b>(&self, bytes: &'b [u8], at: usize) -> (&'b [u8], usize, TextScope) {
        let start = at.saturating_sub(WINDOW_BYTES_BEFORE);
        let end = bytes.len().min(at + self.max_name + WINDOW_BYTES_AFTER);
        let (window, at) = (&bytes[start..end], at - start);
        match self.kind {
            TextKind::Unknown => (window, at, TextScope::Any),
            TextKind::Html => (window, at, TextScope::Page),
            TextKind::Printed => (window, at, TextScope::Printed),
            TextKind::Table(delimiter) => {
                let cell =
                    rules::cell::cell_at(window, at, delimiter.byte(), at < WINDOW_BYTES_BEFORE);
                let content = &window[cell.start..cell.end];
                (content, at - cell.start, cell.scope())
            }
        }
    }

    /// Returns the first name in `text`, its range, and the rule that ended it, if the text did not.
    pub(crate) fn first(&mut self, text: &[u8]) -> Option<(Doi, Range<usize>, Option<Rule>)> {
        let mut anchors = self.anchors_in(text, 0..text.len());
        let (at, accepted) = anchors.find_map(|anchor| self.decide(text, anchor)?.ok())?;
        let doi = Doi::from_checked(&self.decider.buffers.name);
        Some((doi, at..at + accepted.len, accepted.rule))
    }

    fn emit(
        &self,
        text: &[u8],
        offset: u64,
        accepted: &AcceptedName,
        sink: &mut impl FnMut(Decision<'_>),
    ) {
        let NameBuffers { name, key } = &self.decider.buffers;
        sink(Decision::Mention(Mention {
            name,
            key,
            form: accepted.form,
            offset,
            text,
            guessed: accepted.guessed,
        }));
    }

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

/// Shows the settings `max_name` and `kind`.
impl fmt::Debug for Scanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner")
            .field("max_name", &self.max_name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// Whether `at` is in a short DOI, `https://doi.org/10/abc`: an alias for a name, without its registrant code.
fn is_short_doi(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(WINDOW_BYTES_BEFORE)..at];
    let names_something = bytes.get(at + 3).is_some_and(u8::is_ascii_alphanumeric);
    names_something && automaton::scheme(before).is_some_and(|opener| opener.form == Form::Url)
}

/// One document that comes in pieces of any size; see [`Scanner::stream`].
///
/// Holds back the bytes that a later decision may still read: up to about twice the scanner's [`window`](Scanner::window), and
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
