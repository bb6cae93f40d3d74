//! The scanner: its settings, and the loop over the anchors of a text.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::anchor::{self, Anchor, Anchors};
use super::arxiv;
use super::automaton;
use super::decider::Decider;
use super::kind::TextKind;
use super::known_ends::{KnownLookup, NameSet};
use super::mention::{Decision, Form, Mention};
use super::name_buffers::NameBuffers;
use super::rules::{self, Rule, TextScope};
use super::tally::{Rejection, Tally};
use super::window::{AcceptedName, KnownVerdict, WINDOW_BYTES_AFTER, WINDOW_BYTES_BEFORE};
use crate::doi::Doi;

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
    pub(super) max_name: usize,
    pub(super) kind: TextKind,
    pub(super) arxiv: bool,
    pub(super) decider: Decider,
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
    #[doc(hidden)]
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

    /// Calls `sink` with each mention of `document`, in order. Allocates nothing for a mention, unlike
    /// [`find_iter`](Self::find_iter).
    pub fn scan(&mut self, document: impl AsRef<[u8]>, sink: impl FnMut(Mention<'_>)) -> Tally {
        let document = document.as_ref();
        self.scan_range(document, 0..document.len(), 0, sink)
    }

    pub(super) fn anchors_in<'b>(&self, bytes: &'b [u8], range: Range<usize>) -> Anchors<'b> {
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

    pub(super) fn decide_anchors(
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
    pub(super) fn decide(
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
    pub(super) fn window_at<'b>(&self, bytes: &'b [u8], at: usize) -> (&'b [u8], usize, TextScope) {
        let start = at.saturating_sub(WINDOW_BYTES_BEFORE);
        let end = bytes.len().min(at + self.max_name + WINDOW_BYTES_AFTER);
        let (window, at) = (&bytes[start..end], at - start);
        if let Some(delimiter) = self.kind.delimiter() {
            let cell = rules::cell::cell_at(window, at, delimiter, at < WINDOW_BYTES_BEFORE);
            let content = &window[cell.start..cell.end];
            return (content, at - cell.start, cell.scope());
        }
        let scope = match self.kind {
            TextKind::Html => TextScope::Page,
            TextKind::Printed => TextScope::Printed,
            _ => TextScope::Any,
        };
        (window, at, scope)
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
