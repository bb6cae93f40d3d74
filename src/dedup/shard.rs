//! One part of the table: an index of hashes, the keys, and what is known of each.
//!
//! Everything here happens under the shard's lock. Equality of keys is always decided by their bytes.

use super::arena::{Arena, At};
use super::batch::{Batch, Row};
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

/// One part of the table.
pub(super) struct Shard {
    index: Index,
    /// Keys in the order they came; where facts are kept, each stands behind their number.
    keys: Arena,
    /// None where keys alone are kept.
    facts: Option<Facts>,
}

/// Bytes of a number that stands before a key.
const NUMBER: usize = size_of::<u32>();

/// Where an update seems to belong.
#[derive(Clone, Copy, Default)]
struct Guess {
    at: Option<At>,
    /// What was read only to have it in the cache.
    read: u64,
}

impl Shard {
    /// An empty shard, whose index wants to take at most `index` bytes.
    pub(super) fn new(kept: Kept, index: Option<usize>) -> Self {
        Shard {
            index: Index::new(index),
            keys: Arena::default(),
            facts: (kept == Kept::All).then(Facts::default),
        }
    }

    /// Adds `rows` of `batch`. `open` holds the documents that may be mentioned again.
    pub(super) fn add_all(&mut self, batch: &Batch, rows: &[u32], open: &[DocumentId]) {
        let mut guesses = [Guess::default(); TOGETHER];
        for rows in rows.chunks(TOGETHER) {
            self.guess(batch, rows, &mut guesses);
            for (&row, guess) in rows.iter().zip(&guesses) {
                self.add(batch, batch.row(row), guess.at, open);
            }
        }
    }

    /// Looks up where each of `rows` seems to belong.
    ///
    /// Index, key and fact lie in places that are seldom in cache. Each is visited for all rows before the next, so that the
    /// processor waits for many of them at a time.
    fn guess(&self, batch: &Batch, rows: &[u32], guesses: &mut [Guess; TOGETHER]) {
        for (guess, &row) in guesses.iter_mut().zip(rows) {
            guess.read = self.index.peek(batch.row(row).hash);
        }
        for (guess, &row) in guesses.iter_mut().zip(rows) {
            guess.at = self.index.find(batch.row(row).hash).next();
        }
        for guess in guesses.iter_mut().take(rows.len()) {
            guess.read += u64::from(self.keys.touch(guess.at.unwrap_or_default()));
        }
        if let Some(facts) = &self.facts {
            for guess in guesses.iter_mut().take(rows.len()) {
                let number = guess.at.map_or(u32::MAX, |at| number(self.keys.get(at)));
                guess.read += u64::from(facts.touch(number));
            }
        }
        std::hint::black_box(guesses.iter().fold(0, |all, guess| all ^ guess.read));
    }

    fn add(&mut self, batch: &Batch, row: &Row, guess: Option<At>, open: &[DocumentId]) {
        let key = batch.key(row);
        let at = match guess {
            Some(at) if self.key(at) == key => Some(at),
            // Another key of this hash, or one that came just now.
            _ => self.index.find(row.hash).find(|&at| self.key(at) == key),
        };
        match (at, &mut self.facts) {
            (None, _) => self.insert(batch, row, key),
            (Some(_), None) => {}
            (Some(at), Some(facts)) => {
                facts.unite(number(self.keys.get(at)), &batch.update(row), open);
            }
        }
    }

    fn insert(&mut self, batch: &Batch, row: &Row, key: &[u8]) {
        let at = match &mut self.facts {
            None => self.keys.push(key),
            Some(facts) => {
                let number = self.index.len() as u32;
                facts.insert(&batch.update(row));
                self.keys.push_joined([&number.to_le_bytes(), key])
            }
        };
        self.index.insert(row.hash, at);
    }

    /// Gives back what only adding needs: from now on keys are only read.
    pub(super) fn seal(&mut self) {
        self.index.seal();
        if let Some(facts) = &mut self.facts {
            facts.seal();
        }
    }

    /// Bytes of memory it holds.
    pub(super) fn held(&self) -> usize {
        self.index.held() + self.keys.held() + self.facts.as_ref().map_or(0, Facts::held)
    }

    /// Whether another name would make its index larger than it should be.
    pub(super) fn is_full(&self) -> bool {
        self.index.is_full()
    }

    /// Forgets all keys, and keeps the memory for others.
    pub(super) fn clear(&mut self) {
        self.index.clear();
        self.keys.clear();
        if let Some(facts) = &mut self.facts {
            facts.clear();
        }
    }

    /// Gives back memory that is not in use, about `bytes` of each kind at most.
    pub(super) fn release(&mut self, bytes: usize) {
        self.keys.release(bytes);
        if let Some(facts) = &mut self.facts {
            facts.release(bytes);
        }
    }

    /// Number of keys.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Where the keys are.
    pub(super) fn addresses(&self) -> impl Iterator<Item = At> {
        self.keys.addresses()
    }

    /// The key at `at`.
    #[inline]
    pub(super) fn key(&self, at: At) -> &[u8] {
        let key = self.keys.get(at);
        match self.facts {
            Some(_) => &key[NUMBER..],
            None => key,
        }
    }

    /// Brings the key at `at` into the cache; what comes back is of no use but for that.
    #[inline]
    pub(super) fn touch(&self, at: At) -> u8 {
        self.keys.touch(at)
    }

    /// What is known of the key at `at`, unless keys alone are kept.
    pub(super) fn known(&self, at: At) -> Option<Known<'_>> {
        let facts = self.facts.as_ref()?;
        Some(facts.known(number(self.keys.get(at))))
    }

    /// Puts into `shared` those documents that mention the key at `at` and are among the `open` ones, sorted.
    pub(super) fn open_documents(&self, at: At, open: &[DocumentId], shared: &mut Vec<DocumentId>) {
        if let Some(facts) = &self.facts {
            facts.open_documents(number(self.keys.get(at)), open, shared);
        }
    }
}

/// The number that stands before a key.
fn number(key: &[u8]) -> u32 {
    key.first_chunk()
        .map_or(0, |&bytes| u32::from_le_bytes(bytes))
}
