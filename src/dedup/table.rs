//! The table: shards with a lock each, a ledger of sources and open documents, and the runs that were spilled.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::batch::Batch;
use super::in_order::in_order;
use super::ledger::Ledger;
use super::order::{self, Item};
use super::page::EntryPage;
use super::part::TablePart;
use super::rows::SourceNames;
use super::run::SpillError;
use super::shard::TableShard;
use super::spill::{Budget, Contents, Spill, SpillState, Spilled};
use super::{DocumentId, StoredFields};
use crate::lock::lock;

/// Max number of shards: many more than threads, so that two threads rarely need the same shard.
const MAX_SHARDS: usize = 64;
/// Min part of the budget per shard, in bytes. A small budget has fewer shards, since each takes several blocks.
const MIN_SHARD_BYTES: usize = 1 << 20;
/// The indexes take at most 1/INDEX_BUDGET_PARTS of the budget.
const INDEX_BUDGET_PARTS: usize = 4;
/// About 1/SLACK_BUDGET_PARTS of the budget is freed after a spill, so that memory can move from one use to another.
const SLACK_BUDGET_PARTS: usize = 16;
/// Records that are formatted as one part.
const PART_RECORDS: usize = 2048;
/// Parts per thread that are formatted at the same time.
const PARTS_AHEAD_PER_THREAD: usize = 4;

/// All names of a scan so far. Shared by reference between threads.
///
/// The records do not depend on the order in which batches are absorbed, nor on the budget.
pub(crate) struct NameTable {
    stored_fields: StoredFields,
    /// Seed of the hashes. It is random, so that nobody can write a text whose names all have one hash.
    seed: u64,
    /// The shards, whose number is a power of two.
    shards: Vec<Mutex<TableShard>>,
    ledger: Mutex<Ledger>,
    /// Number of documents ever opened. It shows whether a copy of the open documents is up to date.
    opened: AtomicU64,
    /// `None` without a budget.
    spill: Option<Spill>,
}

/// The counts of a table that was drained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drained {
    /// Number of records.
    pub(crate) records: u64,
    /// Runs that were written to disk.
    pub(crate) spilled: Spilled,
}

/// A copy of the open documents, with the number of documents opened until then.
struct OpenDocuments {
    opened: u64,
    documents: Vec<DocumentId>,
}

/// The growth of shards.
#[derive(Default)]
struct ShardGrowth {
    bytes: usize,
    keys: usize,
    full: bool,
}

impl NameTable {
    /// Creates an empty table that keeps `kept` for each name, in memory.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn new(stored_fields: StoredFields) -> Self {
        NameTable::with(stored_fields, MAX_SHARDS, None)
    }

    /// Creates an empty table that keeps `kept` for each name, within a budget.
    ///
    /// A part of the budget is for memory that is not counted, see [`Budget`]. An empty table and its batches take nearly
    /// 2 MiB; with less, almost every batch becomes a run.
    pub(crate) fn within(stored_fields: StoredFields, budget: Budget) -> Self {
        let shards = (budget.bytes / MIN_SHARD_BYTES)
            .clamp(1, MAX_SHARDS)
            .next_power_of_two();
        NameTable::with(
            stored_fields,
            shards,
            Some(Spill::new(stored_fields, budget)),
        )
    }

    fn with(stored_fields: StoredFields, shards: usize, spill: Option<Spill>) -> Self {
        let index = spill
            .as_ref()
            .map(|spill| spill.budget.bytes / INDEX_BUDGET_PARTS / shards);
        let shards = (0..shards).map(|_| Mutex::new(TableShard::new(stored_fields, index)));
        NameTable {
            stored_fields,
            seed: RandomState::new().build_hasher().finish(),
            shards: shards.collect(),
            ledger: Mutex::default(),
            opened: AtomicU64::new(0),
            spill,
        }
    }

    /// Creates an empty batch for this table.
    pub(crate) fn batch(&self) -> Batch {
        Batch::new(self.stored_fields, self.seed)
    }

    /// Adds all rows of `batch` and empties it for reuse. May write the table to disk; other threads that call this wait
    /// meanwhile. No thread of a rayon pool may call this.
    ///
    /// Costs at most about 0.2 µs per mention, and more if thousands of documents are open.
    ///
    /// # Errors
    /// If the table is past its budget and could not be written. Then the scan fails, and later batches are dropped.
    pub(crate) fn absorb(&self, batch: &mut Batch) -> Result<(), SpillError> {
        let Some(spill) = &self.spill else {
            self.add_batch(batch);
            return Ok(());
        };
        let held = batch.held_bytes();
        spill.hold(held, std::mem::replace(&mut batch.reported, held));
        let state = spill.lock_state();
        if spill.has_failed() {
            batch.clear();
            return Ok(());
        }
        let ShardGrowth { bytes, keys, full } = self.add_batch(batch);
        spill.grow(bytes, keys, full);
        drop(state);
        if spill.is_over() {
            self.shrink_to_budget(spill)
        } else {
            Ok(())
        }
    }

    fn add_batch(&self, batch: &mut Batch) -> ShardGrowth {
        let mut growth = ShardGrowth::default();
        let mut open = self.register(batch);
        let count = self.shards.len();
        batch.group(count, |hash| shard_of(hash, count));
        let mut busy = [0; MAX_SHARDS];
        let mut waiting = 0;
        for number in 0..count {
            match self.shards[number].try_lock() {
                Ok(mut shard) => self.fill(&mut shard, number, batch, &mut open, &mut growth),
                Err(TryLockError::Poisoned(poisoned)) => {
                    let mut shard = poisoned.into_inner();
                    self.fill(&mut shard, number, batch, &mut open, &mut growth);
                }
                Err(TryLockError::WouldBlock) => {
                    busy[waiting] = number;
                    waiting += 1;
                }
            }
        }
        for &number in &busy[..waiting] {
            let mut shard = lock(&self.shards[number]);
            self.fill(&mut shard, number, batch, &mut open, &mut growth);
        }
        if let Some(document) = batch.closing {
            self.close(&document);
        }
        batch.clear();
        growth
    }

    /// Marks the end of a document for all threads. All batches with its mentions must have been absorbed.
    ///
    /// A document that is never closed is counted correctly, but costs memory and time.
    pub(crate) fn close(&self, document: &DocumentId) {
        lock(&self.ledger).close(document);
    }

    /// Adds the sources and open documents of `batch` to the ledger.
    fn register(&self, batch: &Batch) -> OpenDocuments {
        let ledger = &mut *lock(&self.ledger);
        let taken = ledger.enter_sources(batch);
        if let Some(spill) = self.spill.as_ref().filter(|_| taken > 0) {
            spill.hold(taken, 0);
        }
        self.opened
            .fetch_add(ledger.enter_open(batch), Ordering::Release);
        OpenDocuments {
            opened: self.opened.load(Ordering::Relaxed),
            documents: ledger.open.clone(),
        }
    }

    /// Adds the rows of `batch` that belong to this shard.
    fn fill(
        &self,
        shard: &mut TableShard,
        number: usize,
        batch: &Batch,
        open: &mut OpenDocuments,
        growth: &mut ShardGrowth,
    ) {
        // A thread opens a document before it adds the document to a shard. So the count that is read here, under the
        // shard's lock, includes all documents of the shard.
        if self.opened.load(Ordering::Acquire) != open.opened {
            let ledger = lock(&self.ledger);
            open.documents.clone_from(&ledger.open);
            open.opened = self.opened.load(Ordering::Relaxed);
        }
        let (bytes, keys) = (shard.held_bytes(), shard.len());
        shard.add_all(batch, batch.rows_of(number), &open.documents);
        // Wrapping, because replacing texts may free memory.
        growth.bytes = growth
            .bytes
            .wrapping_add(shard.held_bytes().wrapping_sub(bytes));
        growth.keys += shard.len() - keys;
        growth.full |= shard.is_full();
    }

    /// Brings the table below its budget: frees unused memory, and writes the table to disk if that is not enough.
    fn shrink_to_budget(&self, spill: &Spill) -> Result<(), SpillError> {
        let mut state = spill.close();
        let mut shards: Vec<_> = self.shards.iter().map(lock).collect();
        if !spill.is_over() || spill.has_failed() {
            return Ok(());
        }
        shards
            .iter_mut()
            .for_each(|shard| shard.release(usize::MAX));
        spill.measure(shards.iter().map(|shard| &**shard));
        if !spill.is_over() {
            return Ok(());
        }
        self.write_and_empty(spill, &mut state, &mut shards)
    }

    /// Writes the table to disk unless it is empty, and makes all runs outlast the process if [`Budget::lasting`] is set.
    /// Waits for the threads that are filling the table. Batches that were not absorbed are not written.
    ///
    /// # Errors
    /// If the table or its runs cannot be written. If the table cannot, later batches are dropped too.
    pub(crate) fn checkpoint(&self) -> Result<(), SpillError> {
        let Some(spill) = &self.spill else {
            return Ok(());
        };
        let mut state = spill.close();
        let mut shards: Vec<_> = self.shards.iter().map(lock).collect();
        if spill.has_failed() {
            return Ok(());
        }
        if shards.iter().any(|shard| shard.len() > 0) {
            self.write_and_empty(spill, &mut state, &mut shards)?;
        }
        state.keep(&spill.budget)
    }

    /// Writes the table to disk and empties it.
    fn write_and_empty(
        &self,
        spill: &Spill,
        state: &mut SpillState,
        shards: &mut [MutexGuard<'_, TableShard>],
    ) -> Result<(), SpillError> {
        self.spill(spill, state, shards)?;
        let slack = spill.budget.bytes / SLACK_BUDGET_PARTS / shards.len();
        for shard in &mut *shards {
            shard.clear();
            shard.release(slack);
        }
        spill.measure(shards.iter().map(|shard| &**shard));
        Ok(())
    }

    fn spill(
        &self,
        spill: &Spill,
        state: &mut SpillState,
        shards: &[MutexGuard<'_, TableShard>],
    ) -> Result<(), SpillError> {
        let shards: Vec<&TableShard> = shards.iter().map(|shard| &**shard).collect();
        let (open, sources) = {
            let ledger = lock(&self.ledger);
            (ledger.open.clone(), ledger.sources.clone())
        };
        let contents = Contents {
            shards: &shards,
            open: &open,
            sources: &sources,
        };
        spill.spill(state, &contents)?;
        // Since the copy was made, documents may have ended, but none was opened.
        spill.hold(0, lock(&self.ledger).reset_after_spill());
        Ok(())
    }

    /// Returns the bytes that count towards the budget.
    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.spill.as_ref().map_or(0, Spill::held_bytes)
    }

    /// Passes the records, sorted by key bytewise, to `format` in parts of bounded size, and the results to `write` in order.
    /// Stops at the first error.
    ///
    /// On a thread of a rayon pool, all threads of the pool sort, merge and format while one of them runs `write`. Otherwise this
    /// thread does everything.
    ///
    /// # Errors
    /// The errors of `format` and `write`, and errors of runs that cannot be written or read, or are damaged.
    pub(crate) fn into_rows<B: Send, E: Send + From<SpillError>>(
        mut self,
        format: impl Fn(&TablePart<'_>) -> Result<B, E> + Sync,
        write: impl FnMut(B) -> Result<(), E> + Send,
    ) -> Result<Drained, E> {
        let parallel = rayon::current_thread_index().is_some();
        let spilled = self.spill.take().map(Spill::into_state);
        let sealed = SealedTable::new(self);
        match spilled {
            Some((budget, mut state)) if state.has_runs() => {
                sealed.spill_last(&budget, &mut state, parallel)?;
                let stored_fields = sealed.stored_fields;
                drop(sealed);
                let format = |page: &EntryPage, sources: &SourceNames| {
                    format(&TablePart::of_page(page, sources))
                };
                let records = state.unite(&budget, stored_fields, parallel, format, write)?;
                Ok(Drained {
                    records,
                    spilled: state.written(),
                })
            }
            _ => sealed.into_rows(parallel, format, write),
        }
    }
}

/// A table that takes no more mentions.
struct SealedTable {
    stored_fields: StoredFields,
    shards: Vec<TableShard>,
    ledger: Ledger,
}

impl SealedTable {
    fn new(table: NameTable) -> Self {
        let shards = table.shards.into_iter();
        let shards = shards.map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        let ledger = table.ledger.into_inner();
        SealedTable {
            stored_fields: table.stored_fields,
            shards: shards.collect(),
            ledger: ledger.unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn spill_last(
        &self,
        budget: &Budget,
        state: &mut SpillState,
        parallel: bool,
    ) -> Result<(), SpillError> {
        let shards: Vec<&TableShard> = self.shards.iter().collect();
        if shards.iter().all(|shard| shard.len() == 0) {
            return Ok(());
        }
        let contents = Contents {
            shards: &shards,
            open: &self.ledger.open,
            sources: &self.ledger.sources,
        };
        state.spill_last(budget, self.stored_fields, &contents, parallel)
    }

    fn into_rows<B: Send, E: Send>(
        mut self,
        parallel: bool,
        format: impl Fn(&TablePart<'_>) -> Result<B, E> + Sync,
        write: impl FnMut(B) -> Result<(), E> + Send,
    ) -> Result<Drained, E> {
        self.shards.iter_mut().for_each(TableShard::seal);
        let shards: Vec<&TableShard> = self.shards.iter().collect();
        let mut items = Vec::new();
        order::by_key(&shards, &mut items, parallel);
        let ahead = parallel.then(|| PARTS_AHEAD_PER_THREAD * rayon::current_num_threads());
        let format = |items: &[Item]| {
            let sources = &self.ledger.sources;
            format(&TablePart::of_items(&shards, items, sources))
        };
        in_order(items.chunks(PART_RECORDS).map(Ok), ahead, format, write)?;
        Ok(Drained {
            records: items.len() as u64,
            spilled: Spilled::default(),
        })
    }
}

/// Returns the number of the shard for a hash. It depends on bits that the shard's index does not use.
fn shard_of(hash: u64, shards: usize) -> usize {
    (hash >> 32) as usize & (shards - 1)
}
