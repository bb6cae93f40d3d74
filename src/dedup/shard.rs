//! One part of the table: an index of hashes, the keys, and the facts about each key.
//!
//! All methods run while the caller holds the shard's lock. Keys are always compared by their bytes.

use super::arena::{Address, Arena};
use super::batch::{Batch, BatchRow};
use super::blocks::Blocks;
use super::facts::{Facts, FirstText, Known, MentionPlace};
use super::index::Index;
use super::{DocumentId, Kept};
use crate::records::Forms;

/// Updates that are looked up together: enough to overlap the waits for memory, and few enough for the L1 cache.
const TOGETHER: usize = 64;

/// The key of a name without its `10.`.
pub(super) fn after_directory(key: &[u8]) -> &[u8] {
    key.get(3..).unwrap_or(key)
}

/// An update to the facts about a key.
pub(super) struct Update<'a> {
    pub(super) text: FirstText<'a>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) place: MentionPlace,
    pub(super) mentions: u32,
    pub(super) forms: Forms,
    pub(super) guessed: bool,
}

/// One part of the table.
pub(super) struct TableShard {
    index: Index,
    /// Keys in the order of their insertion. Unless only keys are kept, each key is preceded by its number.
    keys: Arena,
    stored: Stored,
    /// Length of the beginning that all keys share.
    shared: usize,
}

/// What is stored for each key, by its number.
enum Stored {
    Nothing,
    Counts(Blocks<u64>),
    Facts(Facts),
}

/// Bytes of the number before a key.
const NUMBER: usize = size_of::<u32>();

/// The key that an update probably belongs to.
#[derive(Clone, Copy, Default)]
struct Guess {
    at: Option<Address>,
    /// Bytes that were read only to load them into the cache.
    read: u64,
}

impl TableShard {
    /// An empty shard. It counts as full when its index would need more than `index` bytes.
    pub(super) fn new(kept: Kept, index: Option<usize>) -> Self {
        TableShard {
            index: Index::new(index),
            keys: Arena::default(),
            stored: match kept {
                Kept::All => Stored::Facts(Facts::default()),
                Kept::Count => Stored::Counts(Blocks::default()),
                Kept::Key => Stored::Nothing,
            },
            shared: kept.shared(),
        }
    }

    /// Adds `rows` of `batch`. `open` holds the documents of which more mentions may follow.
    pub(super) fn add_all(&mut self, batch: &Batch, rows: &[u32], open: &[DocumentId]) {
        let mut guesses = [Guess::default(); TOGETHER];
        for rows in rows.chunks(TOGETHER) {
            self.guess(batch, rows, &mut guesses);
            for (&row, guess) in rows.iter().zip(&guesses) {
                self.add(batch, batch.row(row), guess.at, open);
            }
        }
    }

    /// Looks up the first key for the hash of each of `rows`.
    ///
    /// Index slot, key and fact are rarely in the cache. This reads all index slots, then all keys, then all facts, so that
    /// the processor waits for many of them at the same time.
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
        if let Stored::Facts(facts) = &self.stored {
            for guess in guesses.iter_mut().take(rows.len()) {
                let number = guess.at.map_or(u32::MAX, |at| number(self.keys.get(at)));
                guess.read += u64::from(facts.touch(number));
            }
        }
        std::hint::black_box(guesses.iter().fold(0, |all, guess| all ^ guess.read));
    }

    fn add(&mut self, batch: &Batch, row: &BatchRow, guess: Option<Address>, open: &[DocumentId]) {
        let key = batch.key(row);
        let at = match guess {
            Some(at) if self.key(at) == key => Some(at),
            // No guess, a different key with this hash, or a key that was inserted just now.
            _ => self.index.find(row.hash).find(|&at| self.key(at) == key),
        };
        match (at, &mut self.stored) {
            (None, _) => self.insert(batch, row, key),
            (Some(_), Stored::Nothing) => {}
            (Some(at), Stored::Counts(counts)) => {
                counts[number(self.keys.get(at))] += row.mentions();
            }
            (Some(at), Stored::Facts(facts)) => {
                facts.unite(number(self.keys.get(at)), &batch.update(row), open);
            }
        }
    }

    fn insert(&mut self, batch: &Batch, row: &BatchRow, key: &[u8]) {
        let number = self.index.len() as u32;
        match &mut self.stored {
            Stored::Nothing => {}
            Stored::Counts(counts) => counts.push(row.mentions()),
            Stored::Facts(facts) => facts.insert(&batch.update(row)),
        }
        let at = match self.stored {
            Stored::Nothing => self.keys.push(key),
            _ => self.keys.push_joined([&number.to_le_bytes(), key]),
        };
        self.index.insert(row.hash, at);
    }

    /// Frees the memory that only updates need. After this, the shard is only read.
    pub(super) fn seal(&mut self) {
        self.index.seal();
        if let Stored::Facts(facts) = &mut self.stored {
            facts.seal();
        }
    }

    /// Bytes of memory it holds.
    pub(super) fn held(&self) -> usize {
        let stored = match &self.stored {
            Stored::Nothing => 0,
            Stored::Counts(counts) => counts.held(),
            Stored::Facts(facts) => facts.held(),
        };
        self.index.held() + self.keys.held() + stored
    }

    /// Whether another key could make its index grow past its limit.
    pub(super) fn is_full(&self) -> bool {
        self.index.is_full()
    }

    /// Removes all keys and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.index.clear();
        self.keys.clear();
        match &mut self.stored {
            Stored::Nothing => {}
            Stored::Counts(counts) => counts.clear(),
            Stored::Facts(facts) => facts.clear(),
        }
    }

    /// Frees unused memory, at most about `bytes` of each kind.
    pub(super) fn release(&mut self, bytes: usize) {
        self.keys.release(bytes);
        match &mut self.stored {
            Stored::Nothing => {}
            Stored::Counts(counts) => counts.release(bytes),
            Stored::Facts(facts) => facts.release(bytes),
        }
    }

    /// Number of keys.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// All keys without the beginning that they share, with their addresses, in the order of their insertion.
    pub(super) fn keys(&self) -> impl Iterator<Item = (Address, &[u8])> {
        let front = match self.stored {
            Stored::Nothing => self.shared,
            _ => NUMBER + self.shared,
        };
        let keys = self.keys.strings();
        keys.map(move |(at, key)| (at, key.get(front..).unwrap_or_default()))
    }

    /// The key at `at`.
    #[inline]
    pub(super) fn key(&self, at: Address) -> &[u8] {
        let key = self.keys.get(at);
        match self.stored {
            Stored::Nothing => key,
            _ => &key[NUMBER..],
        }
    }

    /// The key at `at` without the beginning that all keys share. Comparing and sorting need no more.
    #[inline]
    pub(super) fn rest_of_key(&self, at: Address) -> &[u8] {
        let key = self.key(at);
        key.get(self.shared..).unwrap_or(key)
    }

    /// Loads the key at `at` into the cache. The result only keeps the compiler from removing the read.
    #[inline]
    pub(super) fn touch(&self, at: Address) -> u8 {
        self.keys.touch(at)
    }

    /// The facts about the key at `at`; none if only keys are kept.
    pub(super) fn known(&self, at: Address) -> Option<Known<'_>> {
        let number = || number(self.keys.get(at));
        match &self.stored {
            Stored::Nothing => None,
            Stored::Counts(counts) => Some(Known::counted(counts[number()])),
            Stored::Facts(facts) => Some(facts.known(number())),
        }
    }

    /// Replaces `shared` by those documents in `open` that mention the key at `at`, sorted.
    pub(super) fn open_documents(
        &self,
        at: Address,
        open: &[DocumentId],
        shared: &mut Vec<DocumentId>,
    ) {
        if let Stored::Facts(facts) = &self.stored {
            facts.open_documents(number(self.keys.get(at)), open, shared);
        }
    }
}

/// The number before a key.
fn number(key: &[u8]) -> u32 {
    key.first_chunk()
        .map_or(0, |&bytes| u32::from_le_bytes(bytes))
}
