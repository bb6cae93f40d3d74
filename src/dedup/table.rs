//! The table: shards behind locks, and a ledger of sources and open documents.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use super::batch::Batch;
use super::facts::{Known, Text};
use super::order::{self, Item};
use super::shard::Shard;
use super::{DocumentId, Kept};
use crate::records::Record;

/// Parts of the table: many more than threads, so that two seldom want the same.
const SHARDS: usize = 64;
/// Records that are formatted at once.
const RUN: usize = 2048;
/// Runs under way for each thread.
const AHEAD: usize = 4;

/// All names of a run so far. Shared by reference between threads.
///
/// What comes out does not depend on the order in which batches come in.
pub(crate) struct Table {
    kept: Kept,
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

/// What is left of a table that takes no more mentions.
struct Sealed {
    shards: Vec<Shard>,
    sources: BTreeMap<u32, Arc<str>>,
}

impl Table {
    /// An empty table that keeps `kept` of each name.
    pub(crate) fn new(kept: Kept) -> Self {
        Table {
            kept,
            shards: (0..SHARDS).map(|_| Mutex::new(Shard::new(kept))).collect(),
            ledger: Mutex::default(),
            opened: AtomicU64::new(0),
        }
    }

    /// An empty batch for this table.
    pub(crate) fn batch(&self) -> Batch {
        Batch::new(self.kept)
    }

    /// Takes all that `batch` holds and leaves it empty for reuse.
    ///
    /// Costs at most about 0.2 µs a mention, and more where thousands of documents are open.
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
        shard.add_all(batch, batch.part(number), &open.documents);
    }

    /// The records, sorted by key bytewise: `format` makes something of each run of them, and `write` takes that in order.
    /// Either may stop it with an error. Returns how many records there are.
    ///
    /// Where keys alone are kept, all other fields are empty. On a rayon pool, sorts and formats on its threads while
    /// `write` runs on one; a bounded number of runs is under way. Without one, all is done in turn.
    pub(crate) fn into_rows<B: Send, E: Send>(
        self,
        format: impl Fn(&mut dyn Iterator<Item = Record<'_>>) -> Result<B, E> + Sync,
        mut write: impl FnMut(B) -> Result<(), E> + Send,
    ) -> Result<u64, E> {
        let sealed = self.seal();
        let order = order::by_key(&sealed.shards);
        let format = |run: &[Item]| format(&mut sealed.records(run));
        if rayon::current_thread_index().is_some() {
            write_behind(&order, format, write)?;
        } else {
            order.chunks(RUN).try_for_each(|run| write(format(run)?))?;
        }
        Ok(order.len() as u64)
    }

    fn seal(self) -> Sealed {
        let ledger = self
            .ledger
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let shards = self.shards.into_iter().map(|shard| {
            let mut shard = shard.into_inner().unwrap_or_else(PoisonError::into_inner);
            shard.seal();
            shard
        });
        Sealed {
            shards: shards.collect(),
            sources: ledger.sources,
        }
    }
}

impl Sealed {
    fn records(&self, run: &[Item]) -> impl Iterator<Item = Record<'_>> {
        run.chunks(order::TOGETHER).flat_map(|some| {
            order::touch(&self.shards, some);
            let known = some.iter().map(|item| {
                let (shard, at) = item.place();
                (self.shards[shard].key(at), self.shards[shard].known(at))
            });
            let known: Vec<_> = known.collect();
            known
                .into_iter()
                .map(|(key, known)| record(key, known, &self.sources))
        })
    }
}

/// Formats runs on all threads of the pool, and meanwhile writes those before them.
fn write_behind<B: Send, E: Send>(
    order: &[Item],
    format: impl Fn(&[Item]) -> Result<B, E> + Sync,
    mut write: impl FnMut(B) -> Result<(), E> + Send,
) -> Result<(), E> {
    let mut ready: Vec<Result<B, E>> = Vec::new();
    for runs in order.chunks(RUN * AHEAD * rayon::current_num_threads()) {
        let (written, next) = rayon::join(
            || ready.into_iter().try_for_each(|run| write(run?)),
            || runs.par_chunks(RUN).map(&format).collect(),
        );
        written?;
        ready = next;
    }
    ready.into_iter().try_for_each(|run| write(run?))
}

/// The shard of a hash: bits that a shard's index does not use.
fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

/// A panic elsewhere while the lock was held leaves counts that are too low, which that panic reports already.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn record<'a>(
    key: &'a [u8],
    known: Option<Known<'a>>,
    sources: &'a BTreeMap<u32, Arc<str>>,
) -> Record<'a> {
    let doi = text(key);
    let Some(known) = known else {
        return Record {
            doi,
            ..Record::default()
        };
    };
    Record {
        doi,
        mentions: known.mentions,
        documents: known.documents,
        forms: known.forms,
        first_source: sources
            .get(&known.place.document.source)
            .map_or("", |source| source),
        first_document: known.name.map(text),
        first_offset: known.place.offset,
        first_text: match known.text {
            Text::Cased(0) => doi.into(),
            Text::Cased(letters) => cased(doi, letters).into(),
            Text::Other(bytes) => text(bytes).into(),
        },
        guessed: known.guessed,
    }
}

/// The key with letters in upper case; bit 0 of `letters` is the byte behind `10.`.
fn cased(key: &str, letters: u64) -> String {
    let upper = |(at, letter): (usize, char)| match at.checked_sub(3) {
        Some(at @ 0..64) if letters >> at & 1 == 1 => letter.to_ascii_uppercase(),
        _ => letter,
    };
    key.char_indices().map(upper).collect()
}

/// What was stored from a `str` or with replacements, so never invalid.
fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}
