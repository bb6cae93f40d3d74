//! Texts that are scanned: as one document, or with each line as a document, by one thread or by several.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use doisift_core::TextKind;
use doisift_documents::{Chunk, WarcRecord};

use crate::dedup::{CountedUnit, Document, DocumentId};
use crate::lock::lock;
use crate::pipeline::checkpoint::Mark;
use crate::pipeline::ledger::StructureFaults;
use crate::pipeline::plan::NamedSource;
use crate::pipeline::shared_scan::SharedScan;

/// A document that several threads scan. It is closed when the last of them drops it, and the faults of its structure are
/// reported.
pub(crate) struct SharedDocument<'r> {
    pub(crate) document: Document,
    scan: &'r SharedScan<'r>,
    mentioned: AtomicBool,
    faults: Mutex<StructureFaults>,
    pub(crate) kind: TextKind,
}

/// A text that is one document, or in which each line is a document.
#[derive(Clone)]
pub(crate) struct SourceText {
    text: Document,
    kind: TextKind,
    /// Whether the kind is known without the head of the text.
    is_known: bool,
    /// The mark before the text, if there may be marks in it.
    mark: Option<Mark>,
}

/// The number of a line of a text, from 0, and the offset of its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextLine {
    pub(crate) ordinal: u64,
    pub(crate) start: u64,
}

/// The first and last line of a chunk, if other threads scan parts of them.
#[derive(Clone, Default)]
pub(crate) struct SharedLines<'r> {
    pub(crate) first: Option<Arc<SharedDocument<'r>>>,
    pub(crate) last: Option<Arc<SharedDocument<'r>>>,
}

impl<'r> SharedDocument<'r> {
    pub(crate) fn new(document: Document, kind: TextKind, scan: &'r SharedScan<'r>) -> Arc<Self> {
        Arc::new(SharedDocument {
            document,
            scan,
            mentioned: AtomicBool::new(false),
            faults: Mutex::default(),
            kind,
        })
    }
}

impl SharedDocument<'_> {
    /// Records that the document has a mention.
    pub(super) fn note_mention(&self) {
        self.mentioned.store(true, Ordering::Relaxed);
    }

    /// Adds the faults in the structure of a part of the document.
    pub(super) fn add_faults(&self, faults: StructureFaults) {
        lock(&self.faults).add(faults);
    }
}

impl Drop for SharedDocument<'_> {
    fn drop(&mut self) {
        if *self.mentioned.get_mut() {
            self.scan.table.close(&self.document.id);
        }
        let faults = self.faults.get_mut();
        let faults = std::mem::take(faults.unwrap_or_else(PoisonError::into_inner));
        self.scan.ledger.report_structure(&self.document, faults);
    }
}

impl SharedLines<'_> {
    pub(super) fn find(&self, id: &DocumentId) -> Option<&SharedDocument<'_>> {
        let lines = [&self.first, &self.last].into_iter().flatten();
        lines
            .map(|shared| &**shared)
            .find(|shared| shared.document.id == *id)
    }
}

impl SourceText {
    /// Creates a text of `source`, of unknown kind. The text, or its first line, is the document number `ordinal`.
    pub(crate) fn new(source: &NamedSource, ordinal: u64, name: Option<Arc<str>>) -> Self {
        SourceText {
            text: source.document(ordinal, name),
            kind: TextKind::Unknown,
            is_known: false,
            mark: None,
        }
    }

    /// Sets the mark before the text. `None` if there are no marks in the text.
    pub(crate) fn marked(self, mark: Option<Mark>) -> Self {
        SourceText { mark, ..self }
    }

    /// Returns the mark at an offset, if there may be marks in the text.
    pub(crate) fn mark_at(&self, offset: u64) -> Option<Mark> {
        self.mark.map(|mark| mark.within(offset))
    }

    /// Sets the kind that the head of the text shows, unless the kind is known.
    pub(crate) fn set_kind(&mut self, kind: TextKind) {
        if !self.is_known {
            self.kind = kind;
        }
    }

    /// Sets the kind if it is known before the text is read.
    pub(crate) fn known(self, kind: Option<TextKind>) -> Self {
        SourceText {
            kind: kind.unwrap_or(self.kind),
            is_known: kind.is_some(),
            ..self
        }
    }

    /// Sets the document of which the text is a part, if there is one.
    pub(crate) fn part_of(mut self, whole: Option<CountedUnit>) -> Self {
        self.text.of_whole = whole;
        self
    }

    /// Sets the record of a WARC file that holds the text, if there is one.
    pub(crate) fn captured(mut self, capture: Option<Arc<WarcRecord>>) -> Self {
        self.text.capture = capture;
        self
    }

    pub(crate) fn kind(&self) -> TextKind {
        self.kind
    }

    /// Returns the text as one document.
    pub(crate) fn whole(&self) -> &Document {
        &self.text
    }

    pub(super) fn id(&self, line: TextLine) -> DocumentId {
        let first = self.text.id;
        DocumentId {
            document: first.document + line.ordinal,
            ..first
        }
    }

    /// Returns a line as a document, named by its number from 1.
    pub(crate) fn line(&self, line: TextLine) -> Document {
        let number = line.ordinal + 1;
        let name = match &self.text.name {
            Some(outer) => format!("{outer}!/{number}"),
            None => number.to_string(),
        };
        Document {
            id: self.id(line),
            source: Arc::clone(&self.text.source),
            of_source: self.text.of_source.clone(),
            of_whole: None,
            name: Some(name.into()),
            capture: self.text.capture.clone(),
            column: None,
        }
    }
}

impl TextLine {
    /// Returns the line in which the next chunk starts. `chunk` must start within this line.
    pub(crate) fn after(self, chunk: &Chunk<'_>) -> TextLine {
        let bytes = &chunk.bytes[chunk.range.clone()];
        match memchr::memrchr(b'\n', bytes) {
            None => self,
            Some(last) => TextLine {
                ordinal: self.ordinal + memchr::memchr_iter(b'\n', bytes).count() as u64,
                start: chunk.offset + (chunk.range.start + last + 1) as u64,
            },
        }
    }

    /// Returns the number of lines of a text that ends at `end`. This must be its last line.
    pub(crate) fn count(self, end: u64) -> u64 {
        self.ordinal + u64::from(end > self.start)
    }
}
