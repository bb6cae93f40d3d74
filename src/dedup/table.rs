//! The table: shards behind locks, a ledger of sources and open documents, and, within a budget, what was spilled.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::batch::Batch;
use super::in_order::in_order;
use super::ledger::Ledger;
use super::order::{self, Item};
use super::page::Page;
use super::rows::{Sources, record};
use super::run::SpillError;
use super::shard::Shard;
use super::spill::{Budget, Contents, Spill, Spilled, State};
use super::{DocumentId, Kept};
use crate::lock::lock;
use crate::records::Record;

/// Parts of a table: many more than threads, so that two seldom want the same.
const SHARDS: usize = 64;
/// Bytes of a budget for each of fewer parts: each has a block of every kind.
const SHARD: usize = 1 << 20;
/// Of a budget, the part that indexes take at most.
const INDEX: usize = 4;
/// Of a budget, the part that is given back when the table was spilled, so that names of another kind find room.
const SLACK: usize = 16;
/// Records that are formatted at once.
const RUN: usize = 2048;
/// Runs of records under way for each thread.
const AHEAD: usize = 4;

/// All names of a run so far. Shared by reference between threads.
///
/// What comes out does not depend on the order in which batches come in, nor on the budget.
pub(crate) struct Table {
    kept: Kept,
    /// A power of two.
    shards: Vec<Mutex<Shard>>,
    ledger: Mutex<Ledger>,
    /// How many documents were ever opened: tells whether a copy of the open ones is complete.
    opened: AtomicU64,
    /// None without a budget.
    spill: Option<Spill>,
}

/// What came out of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drained {
    /// How many records there were.
    pub(crate) records: u64,
    /// What was written to disk on the way.
    pub(crate) spilled: Spilled,
}

/// A copy of the open documents that contains at least those that any entry of a locked shard may name.
struct OpenDocuments {
    opened: u64,
    documents: Vec<DocumentId>,
}

/// What shards grew by.
#[derive(Default)]
struct Growth {
    bytes: usize,
    keys: usize,
    full: bool,
}

impl Table {
    /// An empty table that keeps `kept` of each name, in memory.
    pub(crate) fn new(kept: Kept) -> Self {
        Table::with(kept, SHARDS, None)
    }

    /// An empty table that keeps `kept` of each name, within a budget.
    ///
    /// A part of the budget is left to what is not counted, see [`Budget`]. A budget below 2 MiB or so is hardly more than
    /// what an empty table and its batches take: then nearly every batch becomes a run.
    pub(crate) fn within(kept: Kept, budget: Budget) -> Self {
        let shards = (budget.bytes / SHARD).clamp(1, SHARDS).next_power_of_two();
        Table::with(kept, shards, Some(Spill::new(kept, budget)))
    }

    fn with(kept: Kept, shards: usize, spill: Option<Spill>) -> Self {
        let index = spill
            .as_ref()
            .map(|spill| spill.budget.bytes / INDEX / shards);
        let shards = (0..shards).map(|_| Mutex::new(Shard::new(kept, index)));
        Table {
            kept,
            shards: shards.collect(),
            ledger: Mutex::default(),
            opened: AtomicU64::new(0),
            spill,
        }
    }

    /// An empty batch for this table.
    pub(crate) fn batch(&self) -> Batch {
        Batch::new(self.kept)
    }

    /// Takes all that `batch` holds and leaves it empty for reuse. May write the table to disk; meanwhile other threads that
    /// come here wait, and none of them needs the caller's pool to go on.
    ///
    /// Costs at most about 0.2 µs a mention, and more where thousands of documents are open.
    ///
    /// # Errors
    /// If the table is past its budget and could not be written. The run is lost then; what comes later is not kept.
    pub(crate) fn absorb(&self, batch: &mut Batch) -> Result<(), SpillError> {
        let Some(spill) = &self.spill else {
            self.take_in(batch);
            return Ok(());
        };
        let held = batch.held();
        spill.hold(held, std::mem::replace(&mut batch.told, held));
        let state = spill.enter();
        if spill.has_failed() {
            batch.clear();
            return Ok(());
        }
        let Growth { bytes, keys, full } = self.take_in(batch);
        spill.grow(bytes, keys, full);
        drop(state);
        match spill.is_over() {
            true => self.relieve(spill),
            false => Ok(()),
        }
    }

    fn take_in(&self, batch: &mut Batch) -> Growth {
        let mut growth = Growth::default();
        let mut open = self.enter(batch);
        let count = self.shards.len();
        batch.group(count, |hash| shard_of(hash, count));
        let mut busy = [0; SHARDS];
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

    /// No more mentions of this document will come (from any thread): all batches that hold some were absorbed.
    ///
    /// A document that is never closed costs memory and time, but is counted all the same.
    pub(crate) fn close(&self, document: &DocumentId) {
        lock(&self.ledger).close(document);
    }

    /// Notes the sources and open documents of `batch`.
    fn enter(&self, batch: &Batch) -> OpenDocuments {
        let ledger = &mut *lock(&self.ledger);
        let taken = ledger.enter_sources(batch);
        if let Some(spill) = self.spill.as_ref().filter(|_| taken > 0) {
            spill.hold(taken, 0);
        }
        for document in batch.unfinished() {
            if ledger.open(document) {
                self.opened.fetch_add(1, Ordering::Release);
            }
        }
        OpenDocuments {
            opened: self.opened.load(Ordering::Relaxed),
            documents: ledger.open.clone(),
        }
    }

    /// Adds a shard's part of `batch` to it.
    fn fill(
        &self,
        shard: &mut Shard,
        number: usize,
        batch: &Batch,
        open: &mut OpenDocuments,
        growth: &mut Growth,
    ) {
        // Whoever left a document in this shard opened it before, so the count read under the shard's lock covers it.
        if self.opened.load(Ordering::Acquire) != open.opened {
            let ledger = lock(&self.ledger);
            open.documents.clone_from(&ledger.open);
            open.opened = self.opened.load(Ordering::Relaxed);
        }
        let (bytes, keys) = (shard.held(), shard.len());
        shard.add_all(batch, batch.part(number), &open.documents);
        // Replacing texts may also free some.
        growth.bytes = growth.bytes.wrapping_add(shard.held().wrapping_sub(bytes));
        growth.keys += shard.len() - keys;
        growth.full |= shard.is_full();
    }

    /// Brings the table below its budget: gives back what is not in use, or else writes all to disk.
    fn relieve(&self, spill: &Spill) -> Result<(), SpillError> {
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
        self.turn_over(spill, &mut state, &mut shards)
    }

    /// Writes what it holds to disk, if there is anything, and has all runs outlast the process, if they are
    /// [to](Budget::lasting). Waits for the threads that fill it; what their batches hold is not part of it.
    ///
    /// # Errors
    /// If the table or its runs cannot be written; where the table could not, the run is lost.
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
            self.turn_over(spill, &mut state, &mut shards)?;
        }
        state.keep(&spill.budget)
    }

    /// Writes all to disk and empties the table.
    fn turn_over(
        &self,
        spill: &Spill,
        state: &mut State,
        shards: &mut [MutexGuard<'_, Shard>],
    ) -> Result<(), SpillError> {
        self.spill(spill, state, shards)?;
        let slack = spill.budget.bytes / SLACK / shards.len();
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
        state: &mut State,
        shards: &[MutexGuard<'_, Shard>],
    ) -> Result<(), SpillError> {
        let shards: Vec<&Shard> = shards.iter().map(|shard| &**shard).collect();
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
        // Documents may have ended meanwhile, but none was opened.
        spill.hold(0, lock(&self.ledger).turn_over());
        Ok(())
    }

    /// Bytes that count towards the budget.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.spill.as_ref().map_or(0, Spill::held)
    }

    /// The records, sorted by key bytewise: `format` makes something of each run of them, and `write` takes that in order.
    /// Either may stop it with an error.
    ///
    /// Where keys alone are kept, all other fields are empty. On a rayon pool, sorts, merges and formats on its threads while
    /// `write` runs on one; a bounded number of runs is under way. Without one, all is done in turn.
    ///
    /// # Errors
    /// Those of `format` and `write`, and those of runs on disk that cannot be written, or read as they were written.
    pub(crate) fn into_rows<B: Send, E: Send + From<SpillError>>(
        mut self,
        format: impl Fn(&mut dyn Iterator<Item = Record<'_>>) -> Result<B, E> + Sync,
        write: impl FnMut(B) -> Result<(), E> + Send,
    ) -> Result<Drained, E> {
        let parallel = rayon::current_thread_index().is_some();
        let spilled = self.spill.take().map(Spill::into_state);
        let sealed = Sealed::new(self);
        match spilled {
            Some((budget, mut state)) if state.has_runs() => {
                sealed.spill_last(&budget, &mut state, parallel)?;
                let kept = sealed.kept;
                drop(sealed);
                let format = |page: &Page, sources: &Sources| {
                    let entries = page.entries();
                    format(&mut entries.map(|entry| record(entry.key, entry.known, sources)))
                };
                let records = state.unite(&budget, kept, parallel, format, write)?;
                Ok(Drained {
                    records,
                    spilled: state.written(),
                })
            }
            _ => sealed.into_rows(parallel, format, write),
        }
    }
}

/// What is left of a table that takes no more mentions.
struct Sealed {
    kept: Kept,
    shards: Vec<Shard>,
    ledger: Ledger,
}

impl Sealed {
    fn new(table: Table) -> Self {
        let shards = table.shards.into_iter();
        let shards = shards.map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        let ledger = table.ledger.into_inner();
        Sealed {
            kept: table.kept,
            shards: shards.collect(),
            ledger: ledger.unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn spill_last(
        &self,
        budget: &Budget,
        state: &mut State,
        parallel: bool,
    ) -> Result<(), SpillError> {
        let shards: Vec<&Shard> = self.shards.iter().collect();
        if shards.iter().all(|shard| shard.len() == 0) {
            return Ok(());
        }
        let contents = Contents {
            shards: &shards,
            open: &self.ledger.open,
            sources: &self.ledger.sources,
        };
        state.spill_last(budget, self.kept, &contents, parallel)
    }

    fn into_rows<B: Send, E: Send>(
        mut self,
        parallel: bool,
        format: impl Fn(&mut dyn Iterator<Item = Record<'_>>) -> Result<B, E> + Sync,
        write: impl FnMut(B) -> Result<(), E> + Send,
    ) -> Result<Drained, E> {
        self.shards.iter_mut().for_each(Shard::seal);
        let shards: Vec<&Shard> = self.shards.iter().collect();
        let mut items = Vec::new();
        order::by_key(&shards, &mut items, parallel);
        let ahead = parallel.then(|| AHEAD * rayon::current_num_threads());
        let format = |items: &[Item]| format(&mut records(&shards, items, &self.ledger.sources));
        in_order(items.chunks(RUN).map(Ok), ahead, format, write)?;
        Ok(Drained {
            records: items.len() as u64,
            spilled: Spilled::default(),
        })
    }
}

/// The records of some items.
fn records<'a>(
    shards: &'a [&'a Shard],
    items: &'a [Item],
    sources: &'a Sources,
) -> impl Iterator<Item = Record<'a>> {
    items.chunks(order::TOGETHER).flat_map(move |some| {
        order::touch(shards, some);
        let known = some.iter().map(|item| {
            let (shard, at) = item.place();
            (shards[shard].key(at), shards[shard].known(at))
        });
        let known: Vec<_> = known.collect();
        known
            .into_iter()
            .map(move |(key, known)| record(key, known, sources))
    })
}

/// The shard of a hash, of so many: bits that a shard's index does not use.
fn shard_of(hash: u64, shards: usize) -> usize {
    (hash >> 32) as usize & (shards - 1)
}
