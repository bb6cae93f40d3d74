//! What concerns a whole run rather than a name: its sources, and the documents that may be mentioned again.
//!
//! A document that was open when the table was spilled is known by its identity in that run of names, and has to be known by
//! it in the next one too, even if it ends in between. So it stays here until then.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::DocumentId;
use super::batch::Batch;

/// Bytes of a source's entry beside its name, about.
const ENTRY: usize = 64;

/// Sources and open documents.
#[derive(Default)]
pub(super) struct Ledger {
    /// Names of the sources mentioned since the table was last spilled.
    pub(super) sources: BTreeMap<u32, Arc<str>>,
    /// Documents that more than one batch or run of names may count, sorted.
    pub(super) open: Vec<DocumentId>,
    /// Those of them that were open when the table was last spilled, sorted.
    spilled: Vec<DocumentId>,
    /// Those of these that ended since.
    ended: Vec<DocumentId>,
}

impl Ledger {
    /// Notes a batch's sources. Returns how many bytes of memory that takes.
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

    /// Notes a document that may be mentioned again. Returns whether it is new.
    pub(super) fn open(&mut self, document: DocumentId) -> bool {
        let at = self.open.binary_search(&document);
        if let Err(at) = at {
            self.open.insert(at, document);
        }
        at.is_err()
    }

    /// Notes that a document will not be mentioned again.
    pub(super) fn close(&mut self, document: &DocumentId) {
        if self.spilled.binary_search(document).is_ok() {
            self.ended.push(*document);
        } else if let Ok(at) = self.open.binary_search(document) {
            self.open.remove(at);
        }
    }

    /// All names were spilled, with the documents that are open. Gives the sources out; what they took, by
    /// [`enter_sources`](Self::enter_sources), is free again.
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
