//! One part of the table: an index of hashes, the keys, and the facts about each key.
//!
//! All methods run while the caller holds the shard's lock. Keys are always compared by their bytes.

use super::arena::{Address, Arena};
use super::batch::{Batch, BatchRow};
use super::blocks::Blocks;
use super::facts::{Facts, Known};
use super::index::{KeyIndex, Vacant};
use super::{DocumentId, StoredFields};

/// Updates that are looked up together: enough to overlap the waits for memory, and few enough for the L1 cache.
const LOOKUP_UPDATES: usize = 64;

/// Max keys of a shard that stay in the cache of a core with their facts. Loading them ahead costs more than it saves.
const MAX_CACHED_KEYS: usize = 256;

/// One part of the table.
pub(super) struct TableShard {
    index: KeyIndex,
    /// Keys in the order of their insertion. Unless only keys are kept, each key is preceded by its number.
    keys: Arena,
    stored: KeyData,
    /// Length of the beginning that all keys share.
    shared: usize,
}

/// The data stored for each key, by its number.
enum KeyData {
    Nothing,
    Counts(Blocks<u64>),
    Facts(Facts),
}

/// Bytes of the number before a key.
const KEY_NUMBER_BYTES: usize = size_of::<u32>();

impl TableShard {
    /// Creates an empty shard. It counts as full when its index would need more than `index` bytes.
    pub(super) fn new(stored_fields: StoredFields, index: Option<usize>) -> Self {
        TableShard {
            index: KeyIndex::new(index),
            keys: Arena::default(),
            stored: match stored_fields {
                StoredFields::All => KeyData::Facts(Facts::default()),
                StoredFields::Count => KeyData::Counts(Blocks::default()),
                StoredFields::Key => KeyData::Nothing,
            },
            shared: stored_fields.shared(),
        }
    }

    /// Adds `rows` of `batch`. `open` holds the documents that may have more mentions.
    pub(super) fn add_all(&mut self, batch: &Batch, rows: &[u32], open: &[DocumentId]) {
        for rows in rows.chunks(LOOKUP_UPDATES) {
            if self.len() > MAX_CACHED_KEYS {
                self.load(batch, rows);
            }
            for &row in rows {
                self.add(batch, batch.row(row), open);
            }
        }
    }

    /// Loads the memory that adding `rows` reads into the cache.
    ///
    /// Index slot, key and fact are rarely in the cache. This reads all index slots, then all keys, then all facts, so that the
    /// processor waits for many of them at the same time.
    fn load(&self, batch: &Batch, rows: &[u32]) {
        let hash = |row: &u32| batch.row(*row).hash;
        let mut read = rows
            .iter()
            .fold(0, |all, row| all ^ self.index.peek(hash(row)));
        let mut found = [Address::default(); LOOKUP_UPDATES];
        let mut count = 0;
        for row in rows {
            // The first key for a hash is nearly always the one with that hash.
            if let Ok(at) = self.index.find(hash(row), |_| true) {
                found[count] = at;
                count += 1;
            }
        }
        let found = &found[..count];
        for &at in found {
            read ^= u64::from(self.keys.touch(at));
        }
        if let KeyData::Facts(facts) = &self.stored {
            for &at in found {
                read ^= u64::from(facts.touch(number(self.keys.get(at))));
            }
        }
        std::hint::black_box(read);
    }

    #[inline]
    fn add(&mut self, batch: &Batch, row: &BatchRow, open: &[DocumentId]) {
        let key = batch.key(row);
        let found = self.index.find(row.hash, |at| self.key(at) == key);
        match (found, &mut self.stored) {
            (Err(vacant), _) => self.insert(batch, row, vacant),
            (Ok(_), KeyData::Nothing) => {}
            (Ok(at), KeyData::Counts(counts)) => {
                counts[number(self.keys.get(at))] += row.mentions();
            }
            (Ok(at), KeyData::Facts(facts)) => {
                facts.unite(number(self.keys.get(at)), &batch.update(row), open);
            }
        }
    }

    fn insert(&mut self, batch: &Batch, row: &BatchRow, vacant: Vacant) {
        let (key, number) = (batch.key(row), self.index.len() as u32);
        match &mut self.stored {
            KeyData::Nothing => {}
            KeyData::Counts(counts) => counts.push(row.mentions()),
            KeyData::Facts(facts) => facts.insert(&batch.update(row)),
        }
        let at = match self.stored {
            KeyData::Nothing => self.keys.push(key),
            _ => self.keys.push_joined([&number.to_le_bytes(), key]),
        };
        self.index.insert(vacant, at);
    }

    /// Frees the memory that only updates need. After this, the shard is only read.
    pub(super) fn seal(&mut self) {
        self.index.seal();
        if let KeyData::Facts(facts) = &mut self.stored {
            facts.seal();
        }
    }

    /// Returns the bytes of memory that the shard holds.
    pub(super) fn held_bytes(&self) -> usize {
        let stored = match &self.stored {
            KeyData::Nothing => 0,
            KeyData::Counts(counts) => counts.held_bytes(),
            KeyData::Facts(facts) => facts.held_bytes(),
        };
        self.index.held_bytes() + self.keys.held_bytes() + stored
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
            KeyData::Nothing => {}
            KeyData::Counts(counts) => counts.clear(),
            KeyData::Facts(facts) => facts.clear(),
        }
    }

    /// Frees unused memory, at most about `bytes` of each kind.
    pub(super) fn release(&mut self, bytes: usize) {
        self.keys.release(bytes);
        match &mut self.stored {
            KeyData::Nothing => {}
            KeyData::Counts(counts) => counts.release(bytes),
            KeyData::Facts(facts) => facts.release(bytes),
        }
    }

    /// Returns the number of keys.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns all keys without their common beginning, with their addresses, in the order of insertion.
    pub(super) fn keys(&self) -> impl Iterator<Item = (Address, &[u8])> {
        let stored = self.keys.strings();
        stored.map(|(at, stored)| (at, self.rest(stored)))
    }

    /// Returns the key at `at`.
    #[inline]
    pub(super) fn key(&self, at: Address) -> &[u8] {
        let key = self.keys.get(at);
        match self.stored {
            KeyData::Nothing => key,
            _ => &key[KEY_NUMBER_BYTES..],
        }
    }

    /// Returns the key at `at` without the common beginning of all keys. This is enough for comparing and sorting.
    #[inline]
    pub(super) fn rest_of_key(&self, at: Address) -> &[u8] {
        self.rest(self.keys.get(at))
    }

    /// Returns the rest of a stored key after its number and the common beginning of all keys.
    #[inline]
    fn rest<'k>(&self, stored: &'k [u8]) -> &'k [u8] {
        let front = match self.stored {
            KeyData::Nothing => self.shared,
            _ => KEY_NUMBER_BYTES + self.shared,
        };
        stored.get(front..).unwrap_or_default()
    }

    /// Loads the key at `at` into the cache. The result only keeps the compiler from removing the read.
    #[inline]
    pub(super) fn touch(&self, at: Address) -> u8 {
        self.keys.touch(at)
    }

    /// Returns the facts about the key at `at`. `None` if only keys are kept.
    pub(super) fn known(&self, at: Address) -> Option<Known<'_>> {
        let number = || number(self.keys.get(at));
        match &self.stored {
            KeyData::Nothing => None,
            KeyData::Counts(counts) => Some(Known::counted(counts[number()])),
            KeyData::Facts(facts) => Some(facts.known(number())),
        }
    }

    /// Replaces the content of `shared` by the documents and sources in `open` that mention the key at `at`, sorted. Does nothing
    /// if facts are not kept.
    pub(super) fn open_documents(
        &self,
        at: Address,
        open: &[DocumentId],
        shared: &mut Vec<DocumentId>,
    ) {
        if let KeyData::Facts(facts) = &self.stored {
            facts.open_documents(number(self.keys.get(at)), open, shared);
        }
    }
}

/// Returns the number before a key.
fn number(key: &[u8]) -> u32 {
    key.first_chunk()
        .map_or(0, |&bytes| u32::from_le_bytes(bytes))
}
