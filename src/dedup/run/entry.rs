//! One partial record, and its format in a frame.

use super::super::DocumentId;
use super::super::facts::{FirstText, Known, MentionPlace};
use crate::records::Forms;
use doisift_known::bytes::{ByteReader, put_bytes, put_number};

const GUESSED_FLAG: u8 = 1;
const TEXT_FLAG: u8 = 2;
const NAME_FLAG: u8 = 4;
const HAS_OPEN: u8 = 8;

/// A partial record: the facts about a key in one table or one run.
#[derive(Clone, Copy)]
pub(in crate::dedup) struct Entry<'a> {
    pub(in crate::dedup) key: &'a [u8],
    /// `None` if only keys are kept. Its numbers of documents and sources include the open ones.
    pub(in crate::dedup) known: Option<Known<'a>>,
    /// Documents and sources that other runs may count as well, sorted.
    pub(in crate::dedup) open: &'a [DocumentId],
}

/// A range of a buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::dedup) struct Span {
    start: usize,
    length: usize,
}

/// The facts about a name, with its strings in a separate buffer.
#[derive(Clone, Copy)]
pub(in crate::dedup) struct Fields {
    pub(in crate::dedup) mentions: u64,
    /// Number of documents that no other run counts.
    pub(in crate::dedup) closed: u64,
    /// Number of sources that no other run counts.
    pub(in crate::dedup) closed_sources: u64,
    pub(in crate::dedup) place: MentionPlace,
    pub(in crate::dedup) forms: Forms,
    pub(in crate::dedup) guessed: bool,
    text: FirstTextSpan,
    name: Option<Span>,
}

/// [`FirstText`] with its string in a separate buffer.
#[derive(Clone, Copy)]
enum FirstTextSpan {
    Cased(u64),
    Stored(Span),
}

impl Span {
    /// Appends `bytes` to `buffer`, and returns their range.
    #[inline]
    pub(in crate::dedup) fn push(buffer: &mut Vec<u8>, bytes: &[u8]) -> Span {
        let start = buffer.len();
        buffer.extend_from_slice(bytes);
        Span {
            start,
            length: bytes.len(),
        }
    }

    #[inline]
    pub(in crate::dedup) fn of(self, buffer: &[u8]) -> &[u8] {
        &buffer[self.start..][..self.length]
    }
}

impl Fields {
    /// Returns the facts about a key if only the number of its mentions is kept.
    pub(super) fn counted(mentions: u64) -> Fields {
        Fields {
            mentions,
            closed: 0,
            closed_sources: 0,
            place: MentionPlace::default(),
            forms: Forms::default(),
            guessed: false,
            text: FirstTextSpan::Cased(0),
            name: None,
        }
    }

    /// Returns the facts, with the `open` documents and sources in addition to the closed ones.
    pub(in crate::dedup) fn known<'a>(&self, buffer: &'a [u8], open: &[DocumentId]) -> Known<'a> {
        let (documents, sources) = split(open);
        Known {
            text: match self.text {
                FirstTextSpan::Cased(letters) => FirstText::Cased(letters),
                FirstTextSpan::Stored(span) => FirstText::Other(span.of(buffer)),
            },
            name: self.name.map(|name| name.of(buffer)),
            place: self.place,
            mentions: self.mentions,
            documents: self.closed.saturating_add(documents),
            sources: self.closed_sources.saturating_add(sources),
            forms: self.forms,
            guessed: self.guessed,
        }
    }

    /// Copies the strings from one buffer to another.
    pub(in crate::dedup) fn moved(mut self, from: &[u8], to: &mut Vec<u8>) -> Fields {
        if let FirstTextSpan::Stored(text) = &mut self.text {
            *text = Span::push(to, text.of(from));
        }
        self.name = self.name.map(|name| Span::push(to, name.of(from)));
        self
    }

    /// Adds the facts of another run about the same name, except its open documents and sources.
    pub(in crate::dedup) fn unite(&mut self, other: &Fields, from: &[u8], to: &mut Vec<u8>) {
        if other.place < self.place {
            let first = other.moved(from, to);
            (self.place, self.text, self.name) = (first.place, first.text, first.name);
        }
        self.mentions = self.mentions.saturating_add(other.mentions);
        self.closed = self.closed.saturating_add(other.closed);
        self.closed_sources = self.closed_sources.saturating_add(other.closed_sources);
        self.forms |= other.forms;
        self.guessed &= other.guessed;
    }
}

/// Appends the facts about a name to `out`.
pub(super) fn put_known(out: &mut Vec<u8>, known: &Known<'_>, open: &[DocumentId]) {
    let flag = |on: bool, flag: u8| if on { flag } else { 0 };
    out.push(
        flag(known.guessed, GUESSED_FLAG)
            | flag(matches!(known.text, FirstText::Other(_)), TEXT_FLAG)
            | flag(known.name.is_some(), NAME_FLAG)
            | flag(!open.is_empty(), HAS_OPEN),
    );
    put_number(out, known.forms.bits().into());
    put_number(out, known.mentions);
    let (documents, sources) = split(open);
    put_number(out, known.documents - documents);
    put_number(out, known.sources - sources);
    put_document(out, known.place.document);
    put_number(out, known.place.offset);
    match known.text {
        FirstText::Cased(letters) => put_number(out, letters),
        FirstText::Other(text) => put_bytes(out, text),
    }
    if let Some(name) = known.name {
        put_bytes(out, name);
    }
    if !open.is_empty() {
        put_number(out, open.len() as u64);
        open.iter()
            .for_each(|&document| put_document(out, document));
    }
}

fn put_document(out: &mut Vec<u8>, document: DocumentId) {
    put_number(out, document.source.into());
    // A source is numbered `u64::MAX`, which becomes 0 here and takes one byte.
    put_number(out, document.document.wrapping_add(1));
}

/// Returns how many of `open` are documents, and how many are sources.
fn split(open: &[DocumentId]) -> (u64, u64) {
    let sources = open.iter().filter(|id| id.is_source()).count();
    ((open.len() - sources) as u64, sources as u64)
}

/// Reads the facts that [`put_known`] wrote. Replaces the content of `open` by the open documents and sources. Returns `None` if
/// the bytes are damaged.
pub(super) fn take_known(bytes: &mut ByteReader<'_>, open: &mut Vec<DocumentId>) -> Option<Fields> {
    let flags = bytes.byte()?;
    let fields = Fields {
        forms: Forms::from_bits(u16::try_from(bytes.number()?).ok()?),
        guessed: flags & GUESSED_FLAG != 0,
        mentions: bytes.number()?,
        closed: bytes.number()?,
        closed_sources: bytes.number()?,
        place: MentionPlace {
            document: take_document(bytes)?,
            offset: bytes.number()?,
        },
        text: match flags & TEXT_FLAG {
            0 => FirstTextSpan::Cased(bytes.number()?),
            _ => FirstTextSpan::Stored(take_span(bytes)?),
        },
        name: match flags & NAME_FLAG {
            0 => None,
            _ => Some(take_span(bytes)?),
        },
    };
    open.clear();
    let count = if flags & HAS_OPEN == 0 {
        0
    } else {
        bytes.number()?
    };
    for _ in 0..count {
        open.push(take_document(bytes)?);
    }
    Some(fields)
}

fn take_document(bytes: &mut ByteReader<'_>) -> Option<DocumentId> {
    Some(DocumentId {
        source: bytes.small()?,
        document: bytes.number()?.wrapping_sub(1),
    })
}

fn take_span(bytes: &mut ByteReader<'_>) -> Option<Span> {
    let length = bytes.length()?;
    let start = bytes.offset();
    bytes.take(length)?;
    Some(Span { start, length })
}
