//! Mentions to records: one table of keys, shared by all threads.
//!
//! Knows nothing of formats or files.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::records::Record;
use crate::scan::Mention;

/// Where a document stands in a run: compares in (source order, document order).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DocumentId {
    /// Ordinal of the source in source order.
    pub(crate) source: u32,
    /// Ordinal of the document within its source, from 0.
    pub(crate) document: u64,
}

/// One document that mentions are reported for. Chunks of one document that are scanned by several threads each make
/// their own batch with an equal `Document`; the table still counts it once for each name.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) id: DocumentId,
    /// The source's name, shared by all its documents.
    pub(crate) source: Arc<str>,
    /// The document's name; a plain file has none.
    pub(crate) name: Option<Arc<str>>,
}

/// All names of a run so far. Shared by reference between threads.
#[derive(Default)]
pub(crate) struct Table {
    shards: Mutex<BTreeMap<String, u64>>,
}

/// One thread's mentions on their way into the table; reused.
#[derive(Default)]
pub(crate) struct Batch {
    rows: Vec<(Document, String)>,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes all that `batch` holds and leaves it empty for reuse.
    pub(crate) fn absorb(&self, _batch: &mut Batch) {
        let _ = &self.shards;
    }

    /// No more mentions of this document will come (from any thread).
    pub(crate) fn close(&self, _document: &DocumentId) {}

    /// The records, sorted by key bytewise. `sink` may stop it with an error.
    pub(crate) fn into_records<E>(
        self,
        _sink: impl FnMut(Record<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        Ok(0)
    }
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a mention that stands in `document`.
    pub(crate) fn push(&mut self, document: &Document, mention: &Mention<'_>) {
        self.rows.push((document.clone(), mention.key.to_owned()));
    }

    /// Whether it is time to hand over to [`Table::absorb`].
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= 4096
    }
}
