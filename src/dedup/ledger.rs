//! The sources of a table, and its open documents: those of which more mentions may follow.
//!
//! A document that was open when the table was spilled is listed in that run of names. It must be listed in the next run too,
//! even if it ends before, so that merging counts it once. So it stays open here until the next spill.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::DocumentId;
use super::batch::Batch;

/// Bytes of a source's entry without its name, about.
const ENTRY: usize = 64;

/// Sources and open documents.
#[derive(Default)]
pub(super) struct Ledger {
    /// Names of the sources mentioned since the table was last spilled.
    pub(super) sources: BTreeMap<u32, Arc<str>>,
    /// Documents that may occur in more than one batch or run of names, sorted.
    pub(super) open: Vec<DocumentId>,
    /// Documents that were open when the table was last spilled, sorted.
    spilled: Vec<DocumentId>,
    /// Documents of `spilled` that ended since.
    ended: Vec<DocumentId>,
}

impl Ledger {
    /// Adds the sources of a batch. Returns the bytes of memory that these take.
    pub(super) fn enter_sources(&mut self, batch: &Batch) -> usize {
        let mut taken = 0;
        for (ordinal, source) in &batch.sources {
            self.sources.entry(*ordinal).or_insert_with(|| {
                taken += source.len() + ENTRY;
                Arc::clone(source)
            });
        }
        taken
    }

    /// Adds an open document. Returns whether it is new.
    pub(super) fn open(&mut self, document: DocumentId) -> bool {
        let at = self.open.binary_search(&document);
        if let Err(at) = at {
            self.open.insert(at, document);
        }
        at.is_err()
    }

    /// Removes a document of which no more mentions follow, now or at the next spill.
    pub(super) fn close(&mut self, document: &DocumentId) {
        if self.spilled.binary_search(document).is_ok() {
            self.ended.push(*document);
        } else if let Ok(at) = self.open.binary_search(document) {
            self.open.remove(at);
        }
    }

    /// Starts anew after all names were spilled with the open documents. Removes the sources and the ended documents, and
    /// returns the bytes that the sources took by [`enter_sources`](Self::enter_sources).
    pub(super) fn turn_over(&mut self) -> usize {
        let freed = self.sources.values().map(|name| name.len() + ENTRY).sum();
        self.sources.clear();
        self.ended.sort_unstable();
        let ended = std::mem::take(&mut self.ended);
        self.open
            .retain(|document| ended.binary_search(document).is_err());
        self.spilled.clone_from(&self.open);
        freed
    }
}
