//! One part of the table: an index of hashes, keys, and what is known of each.
//!
//! Everything here happens under the shard's lock. Equality of keys is always decided by their bytes.

use super::arena::{Arena, At};
use super::batch::{Batch, Row};
use super::blocks::Blocks;
use super::facts::{Facts, Known, Place, Text};
use super::index::Index;
use super::{DocumentId, Kept};
use crate::records::Forms;

/// Updates that are looked up together: enough to wait for many at once, few enough to stay in the first cache.
const TOGETHER: usize = 64;

/// Every key starts with `10.`, so comparing and sorting begin behind it.
pub(super) fn behind_directory(key: &[u8]) -> &[u8] {
    key.get(3..).unwrap_or(key)
}

/// What is to be added to a key's fact.
pub(super) struct Update<'a> {
    pub(super) text: Text<'a>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) place: Place,
    pub(super) mentions: u32,
    pub(super) forms: Forms,
    pub(super) guessed: bool,
}

/// One part of the table. Keys and facts are numbered alike, in the order they came.
pub(super) struct Shard {
    index: Index,
    keys: Blocks<At>,
    arena: Arena,
    /// None where keys alone are kept.
    facts: Option<Facts>,
}

/// The entry that an update seems to belong to.
#[derive(Clone, Copy, Default)]
struct Guess {
    entry: Option<(u32, At)>,
    /// What was read only to have it in the cache.
    read: u64,
}

impl Shard {
    pub(super) fn new(kept: Kept) -> Self {
        Shard {
            index: Index::default(),
            keys: Blocks::default(),
            arena: Arena::default(),
            facts: (kept == Kept::All).then(Facts::default),
        }
    }

    /// Adds `rows` of `batch`. `open` holds the documents that may be mentioned again.
    pub(super) fn add_all(&mut self, batch: &Batch, rows: &[u32], open: &[DocumentId]) {
        let mut guesses = [Guess::default(); TOGETHER];
        for rows in rows.chunks(TOGETHER) {
            self.guess(batch, rows, &mut guesses);
            for (&row, guess) in rows.iter().zip(&guesses) {
                self.add(batch, batch.row(row), guess.entry, open);
            }
        }
    }

    /// Looks up where each of `rows` seems to belong.
    ///
    /// Index, address, key and fact lie in places that are seldom in cache. Each is visited for all rows before the next, so
    /// that the processor waits for many of them at a time.
    fn guess(&self, batch: &Batch, rows: &[u32], guesses: &mut [Guess; TOGETHER]) {
        for (guess, &row) in guesses.iter_mut().zip(rows) {
            guess.read = self.index.peek(batch.row(row).hash as u32);
        }
        for (guess, &row) in guesses.iter_mut().zip(rows) {
            let entry = self.index.find(batch.row(row).hash as u32).next();
            guess.entry = entry.map(|entry| (entry, self.keys[entry]));
        }
        for guess in guesses.iter_mut().take(rows.len()) {
            let Some((entry, at)) = guess.entry else {
                continue;
            };
            guess.read += u64::from(self.arena.touch(at));
            if let Some(facts) = &self.facts {
                guess.read += u64::from(facts.touch(entry));
            }
        }
        std::hint::black_box(guesses.iter().fold(0, |all, guess| all ^ guess.read));
    }

    fn add(&mut self, batch: &Batch, row: &Row, guess: Option<(u32, At)>, open: &[DocumentId]) {
        let key = batch.key(row);
        let entry = match guess {
            Some((entry, at)) if self.arena.get(at) == key => Some(entry),
            // Another key of this hash, or one that came just now.
            _ => self.find(row.hash as u32, key),
        };
        match entry {
            None => self.insert(batch, row, key),
            Some(entry) => {
                if let Some(facts) = &mut self.facts {
                    facts.unite(entry, &batch.update(row), open);
                }
            }
        }
    }

    fn find(&self, hash: u32, key: &[u8]) -> Option<u32> {
        self.index.find(hash).find(|&entry| self.key(entry) == key)
    }

    fn insert(&mut self, batch: &Batch, row: &Row, key: &[u8]) {
        self.index.insert(row.hash as u32, self.keys.len() as u32);
        self.keys.push(self.arena.push(key));
        if let Some(facts) = &mut self.facts {
            facts.insert(&batch.update(row));
        }
    }

    /// Gives the index back: from now on entries are only read.
    pub(super) fn seal(&mut self) {
        self.index = Index::default();
        if let Some(facts) = &mut self.facts {
            facts.seal();
        }
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// An entry's key.
    pub(super) fn key(&self, entry: u32) -> &[u8] {
        self.arena.get(self.keys[entry])
    }

    /// What is known of an entry, unless keys alone are kept.
    pub(super) fn known(&self, entry: u32) -> Option<Known<'_>> {
        self.facts.as_ref().map(|facts| facts.known(entry))
    }
}
