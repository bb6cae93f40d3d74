//! The sources of a table, and its open documents: those that may have more mentions. An open source is listed as a
//! document with a number of its own.
//!
//! A document that was open when the table was spilled is listed in that run of names. It must be listed in the next run too,
//! even if it ends before, so that merging counts it once. So it stays open here until the next spill.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::DocumentId;
use super::batch::Batch;
use super::unit::HeldUnit;

/// Approximate bytes of a source's entry without its name.
const SOURCE_ENTRY_BYTES: usize = 64;

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
    /// The units among the open documents.
    units: Vec<HeldUnit>,
}

impl Ledger {
    /// Adds the sources of a batch. Returns the bytes of memory that the new ones take.
    pub(super) fn enter_sources(&mut self, batch: &Batch) -> usize {
        let mut taken = 0;
        for (ordinal, source) in &batch.sources {
            self.sources.entry(*ordinal).or_insert_with(|| {
                taken += source.len() + SOURCE_ENTRY_BYTES;
                Arc::clone(source)
            });
        }
        taken
    }

    /// Opens the documents and units that later batches, or batches of other threads, may mention again, and closes units that
    /// ended. Returns how many were opened.
    pub(super) fn enter_open(&mut self, batch: &Batch) -> u64 {
        self.close_ended();
        let mut opened = 0;
        for document in batch.unfinished() {
            opened += u64::from(self.open(document));
        }
        for unit in batch.shared_units() {
            if self.open(unit.id()) {
                self.units.push(unit.held_bytes());
                opened += 1;
            }
        }
        opened
    }

    fn close_ended(&mut self) {
        let ended = self.units.extract_if(.., |unit| unit.has_ended());
        let ended: Vec<DocumentId> = ended.map(|unit| unit.id).collect();
        ended.iter().for_each(|id| self.close(id));
    }

    /// Adds an open document. Returns whether it is new.
    fn open(&mut self, document: DocumentId) -> bool {
        let at = self.open.binary_search(&document);
        if let Err(at) = at {
            self.open.insert(at, document);
        }
        at.is_err()
    }

    /// Removes a document without further mentions, now or at the next spill.
    pub(super) fn close(&mut self, document: &DocumentId) {
        if self.spilled.binary_search(document).is_ok() {
            self.ended.push(*document);
        } else if let Ok(at) = self.open.binary_search(document) {
            self.open.remove(at);
        }
    }

    /// Called after all names were spilled with the open documents. Removes the sources and the ended documents, and returns the
    /// bytes that [`enter_sources`](Self::enter_sources) counted for the sources.
    pub(super) fn reset_after_spill(&mut self) -> usize {
        let freed = self
            .sources
            .values()
            .map(|name| name.len() + SOURCE_ENTRY_BYTES)
            .sum();
        self.sources.clear();
        self.ended.sort_unstable();
        let ended = std::mem::take(&mut self.ended);
        self.open
            .retain(|document| ended.binary_search(document).is_err());
        self.spilled.clone_from(&self.open);
        freed
    }
}
