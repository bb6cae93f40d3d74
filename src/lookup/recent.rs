//! Looks up the names of rows in an index, in batches on one thread.

use std::hash::{BuildHasher, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{IndexStatusWalk, KnownNames};
use crate::error::Error;
use crate::records::StoredIndexStatus;

/// Estimated bytes of a name that is kept: its key and its slot.
const NAME_BYTES: usize = 64;
/// Min and max number of names that are kept.
const MIN_NAMES: usize = 1 << 10;
const MAX_NAMES: usize = 1 << 18;
/// Bytes of a key in a word.
const KEY_WORD_BYTES: usize = size_of::<u128>();

/// Asks an index for the names of rows, and keeps the answers for recent names, since rows repeat them.
///
/// The other names of a batch are sorted, so that one walk over the index answers them.
pub(crate) struct RecentIndexStatuses<'i> {
    known: &'i KnownNames,
    walk: IndexStatusWalk<'i>,
    recent: RecentNames,
    /// The names of the batch to look up, sorted by key.
    pending: Vec<LookupKey>,
}

/// A name to look up.
struct LookupKey {
    /// The bytes of the key after `10.`, big-endian. They order most names without comparing keys.
    word: u128,
    row: usize,
    hash: u64,
}

/// Answers for recent names, each in the slot of the name's hash.
struct RecentNames {
    seed: u64,
    slots: Box<[Option<RecentName>]>,
    keys: Vec<u8>,
}

#[derive(Clone, Copy)]
struct RecentName {
    at: u32,
    length: u32,
    hash: u32,
    index_status: StoredIndexStatus,
}

impl<'i> RecentIndexStatuses<'i> {
    /// Asks `known` and keeps as many answers as fit `memory` bytes.
    pub(crate) fn new(known: &'i KnownNames, memory: usize) -> Self {
        let names = (memory / NAME_BYTES).clamp(MIN_NAMES, MAX_NAMES);
        RecentIndexStatuses {
            known,
            walk: IndexStatusWalk::kept(known),
            recent: RecentNames::new(names.next_power_of_two()),
            pending: Vec::new(),
        }
    }

    /// Appends the standing of each name of a batch to `index_statuses`.
    ///
    /// # Errors
    /// If the index cannot be read. Then answers are missing.
    pub(crate) fn ask(
        &mut self,
        keys: &[&str],
        index_statuses: &mut Vec<StoredIndexStatus>,
    ) -> Result<(), Error> {
        let first = index_statuses.len();
        self.pending.clear();
        for (row, key) in keys.iter().enumerate() {
            let hash = self.recent.hash(key);
            let index_status = self.recent.get(hash, key);
            if index_status.is_none() {
                let word = word(key);
                self.pending.push(LookupKey { word, row, hash });
            }
            index_statuses.push(index_status.unwrap_or_default());
        }
        let order = |name: &LookupKey| (name.word, keys[name.row]);
        self.pending
            .sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        for name in &self.pending {
            let key = keys[name.row];
            let index_status =
                StoredIndexStatus::new(self.walk.index_status(key)?, self.known.agencies());
            index_statuses[first + name.row] = index_status;
            self.recent.keep(name.hash, key, index_status);
        }
        Ok(())
    }
}

impl RecentNames {
    fn new(slots: usize) -> Self {
        RecentNames {
            seed: RandomState::new().build_hasher().finish(),
            slots: vec![None; slots].into(),
            keys: Vec::new(),
        }
    }

    fn hash(&self, key: &str) -> u64 {
        xxh3_64_with_seed(key.as_bytes(), self.seed)
    }

    fn get(&self, hash: u64, key: &str) -> Option<StoredIndexStatus> {
        let name = self.slots[self.slot(hash)].as_ref()?;
        let kept = || &self.keys[name.at as usize..][..name.length as usize];
        let is_same = name.hash == (hash >> 32) as u32 && kept() == key.as_bytes();
        is_same.then_some(name.index_status)
    }

    fn keep(&mut self, hash: u64, key: &str, index_status: StoredIndexStatus) {
        let most = self.slots.len() * (NAME_BYTES - size_of::<Option<RecentName>>());
        if self.keys.len() + key.len() > most {
            self.keys.clear();
            self.slots.fill(None);
        }
        if key.len() > most {
            return;
        }
        let slot = self.slot(hash);
        self.slots[slot] = Some(RecentName {
            at: self.keys.len() as u32,
            length: key.len() as u32,
            hash: (hash >> 32) as u32,
            index_status,
        });
        self.keys.extend_from_slice(key.as_bytes());
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }
}

/// Returns the first bytes of a key after `10.` as a big-endian number, which sorts as they do.
fn word(key: &str) -> u128 {
    let bytes = key.as_bytes();
    let bytes = bytes.strip_prefix(b"10.").unwrap_or(bytes);
    let mut word = [0; KEY_WORD_BYTES];
    let length = bytes.len().min(KEY_WORD_BYTES);
    word[..length].copy_from_slice(&bytes[..length]);
    u128::from_be_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(names: &[&str]) -> KnownNames {
        let options = doisift_known::BuildOptions::default();
        let mut builder = doisift_known::IndexBuilder::new(options).unwrap();
        let source = builder.source("list", Some("crossref"), None);
        for name in names {
            builder.name(source, name).unwrap();
        }
        let mut bytes = Vec::new();
        builder.finish(&mut bytes).unwrap();
        KnownNames::from_bytes("list.doix", bytes).unwrap()
    }

    #[test]
    fn batches_get_the_answers_of_single_questions() {
        let known = index(&["10.1/a", "10.1/a0123456789abcdef", "10.2/b", "10.1/long"]);
        let batch = [
            "10.2/b",
            "10.1/a0123456789abcdef",
            "10.1/a0123456789abcdeg",
            "10.1/a",
            "10.2/b",
            "10.3/c",
            "10.2/c",
        ];
        let mut asked = RecentIndexStatuses::new(&known, 0);
        for _ in 0..2 {
            let mut index_statuses = Vec::new();
            asked.ask(&batch, &mut index_statuses).unwrap();
            for (key, index_status) in batch.iter().zip(index_statuses) {
                let alone = IndexStatusWalk::new(&known).index_status(key).unwrap();
                assert_eq!(index_status.shown(known.agencies()), alone, "{key}");
            }
        }
    }

    #[test]
    fn more_names_than_are_kept_are_answered() {
        let known = index(&["10.1/7", "10.1/70001"]);
        let names: Vec<String> = (0..80_000).map(|number| format!("10.1/{number}")).collect();
        let keys: Vec<&str> = names.iter().map(String::as_str).collect();
        let (mut asked, mut index_statuses) = (RecentIndexStatuses::new(&known, 0), Vec::new());
        keys.chunks(1000)
            .for_each(|batch| asked.ask(batch, &mut index_statuses).unwrap());
        let known_names = keys.iter().zip(&index_statuses);
        let known_names = known_names
            .filter(|(_, index_status)| index_status.shown(known.agencies()).known == Some(true));
        let known_names: Vec<&str> = known_names.map(|(key, _)| *key).collect();
        assert_eq!(known_names, ["10.1/7", "10.1/70001"]);
    }
}
