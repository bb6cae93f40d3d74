//! The table: shards behind locks, and a ledger of sources and open documents.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::DocumentId;
use super::batch::{Batch, Row};
use super::order;
use super::shard::{Held, Place, Shard, Update};
use crate::records::Record;

/// Parts of the table: many more than threads, so that two seldom want the same.
const SHARDS: usize = 64;

/// All names of a run so far. Shared by reference between threads.
///
/// What comes out does not depend on the order in which batches come in.
pub(crate) struct Table {
    shards: Vec<Mutex<Shard>>,
    ledger: Mutex<Ledger>,
    /// How many documents were ever opened: tells whether a copy of the open ones is complete.
    opened: AtomicU64,
}

/// What concerns the run rather than a name.
#[derive(Default)]
struct Ledger {
    sources: BTreeMap<u32, Arc<str>>,
    /// Documents that may be mentioned again, sorted.
    open: Vec<DocumentId>,
}

/// A copy of the open documents that contains at least those that any entry of a locked shard may name.
struct OpenDocuments {
    opened: u64,
    documents: Vec<DocumentId>,
}

impl Default for Table {
    fn default() -> Self {
        Table {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            ledger: Mutex::default(),
            opened: AtomicU64::new(0),
        }
    }
}

impl Table {
    /// An empty table.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes all that `batch` holds and leaves it empty for reuse.
    ///
    /// Costs about 0.2 µs a mention, and more where thousands of documents are open.
    pub(crate) fn absorb(&self, batch: &mut Batch) {
        let mut open = self.enter(batch);
        batch.group(SHARDS, shard_of);
        let mut busy = [0; SHARDS];
        let mut waiting = 0;
        for number in 0..SHARDS {
            match self.shards[number].try_lock() {
                Ok(mut shard) => self.fill(&mut shard, number, batch, &mut open),
                Err(TryLockError::Poisoned(poisoned)) => {
                    self.fill(&mut poisoned.into_inner(), number, batch, &mut open);
                }
                Err(TryLockError::WouldBlock) => {
                    busy[waiting] = number;
                    waiting += 1;
                }
            }
        }
        for &number in &busy[..waiting] {
            self.fill(&mut lock(&self.shards[number]), number, batch, &mut open);
        }
        if let Some(document) = batch.closing {
            self.close(&document);
        }
        batch.clear();
    }

    /// No more mentions of this document will come (from any thread): all batches that hold some were absorbed.
    ///
    /// A document that is never closed costs memory and time, but is counted all the same.
    pub(crate) fn close(&self, document: &DocumentId) {
        let open = &mut lock(&self.ledger).open;
        if let Ok(at) = open.binary_search(document) {
            open.remove(at);
        }
    }

    /// Notes the sources and open documents of `batch`.
    fn enter(&self, batch: &Batch) -> OpenDocuments {
        let ledger = &mut *lock(&self.ledger);
        for (ordinal, source) in &batch.sources {
            ledger
                .sources
                .entry(*ordinal)
                .or_insert_with(|| Arc::clone(source));
        }
        for document in batch.unfinished() {
            if let Err(at) = ledger.open.binary_search(&document) {
                ledger.open.insert(at, document);
                self.opened.fetch_add(1, Ordering::Release);
            }
        }
        OpenDocuments {
            opened: self.opened.load(Ordering::Relaxed),
            documents: ledger.open.clone(),
        }
    }

    /// Adds a shard's part of `batch` to it.
    fn fill(&self, shard: &mut Shard, number: usize, batch: &Batch, open: &mut OpenDocuments) {
        // Whoever left a document in this shard opened it before, so the count read under the shard's lock covers it.
        if self.opened.load(Ordering::Acquire) != open.opened {
            let ledger = lock(&self.ledger);
            open.documents.clone_from(&ledger.open);
            open.opened = self.opened.load(Ordering::Relaxed);
        }
        shard.add_all(
            batch.part(number).map(|row| update(batch, row)),
            &open.documents,
        );
    }

    /// The records, sorted by key bytewise. `sink` may stop it with an error. Returns how many records there are.
    ///
    /// Sorts on the rayon pool that it is called in, if any; `sink` is called on this thread.
    pub(crate) fn into_records<E>(
        self,
        mut sink: impl FnMut(Record<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let sources = self
            .ledger
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .sources;
        let mut shards: Vec<Shard> = self
            .shards
            .into_iter()
            .map(|s| s.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        shards.iter_mut().for_each(Shard::seal);
        let order = order::by_key(&shards);
        for item in &order {
            sink(record(
                &shards[item.shard as usize].held(item.entry),
                &sources,
            ))?;
        }
        Ok(order.len() as u64)
    }
}

/// The shard of a hash: bits that a shard's index does not use.
fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

/// A panic elsewhere while the lock was held leaves counts that are too low, which that panic reports already.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn update<'a>(batch: &'a Batch, row: &Row) -> Update<'a> {
    let run = &batch.runs[row.run as usize];
    Update {
        hash: row.hash,
        key: batch.key(row),
        text: batch.text(row),
        name: batch.name(run),
        place: Place {
            document: run.id,
            offset: row.offset,
        },
        mentions: row.mentions,
        forms: row.forms,
        guessed: row.guessed,
    }
}

fn record<'a>(held: &Held<'a>, sources: &'a BTreeMap<u32, Arc<str>>) -> Record<'a> {
    Record {
        doi: text(held.key),
        mentions: held.mentions,
        documents: held.documents,
        forms: held.forms,
        first_source: sources.get(&held.place.document.source).map_or("", |s| s),
        first_document: held.name.map(text),
        first_offset: held.place.offset,
        first_text: text(held.text),
        guessed: held.guessed,
    }
}

/// What was stored from a `str` or with replacements, so never invalid.
fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}
