//! Finds keys in blocks, which are read and checked when they are first needed.

use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::directory::{self, BlockEntry};
use super::firsts::FirstKeys;
use crate::file::IndexBytes;
use crate::header::IndexSection;
use crate::trie::{KeyPath, Trie, TriePlace};
use crate::{IndexError, IndexErrorKind};

/// A block in memory.
pub(crate) struct IndexBlock {
    trie: Trie,
    /// The start that all keys share. It is not in the trie.
    shared: Box<[u8]>,
    pub(crate) data: Vec<u8>,
}

/// A map of keys to numbers. Keeps the blocks that were read.
pub(crate) struct BlockMap {
    /// The section of the blocks.
    section: IndexSection,
    entries: Vec<BlockEntry>,
    firsts: FirstKeys,
    loaded: Vec<OnceLock<IndexBlock>>,
}

impl BlockMap {
    /// Reads the `directory`. Returns `None` if it is invalid.
    pub(crate) fn new(section: IndexSection, directory: &[u8], keys: u64) -> Option<Self> {
        let entries = directory::read(directory, keys, section.length)?;
        Some(BlockMap {
            section,
            loaded: entries.iter().map(|_| OnceLock::new()).collect(),
            firsts: FirstKeys::new(&entries),
            entries,
        })
    }

    /// Returns the section of the blocks, for errors.
    pub(crate) fn section_name(&self) -> &'static str {
        self.section.name
    }

    /// Returns the number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the directory's entry of a block.
    pub(crate) fn entry(&self, at: usize) -> &BlockEntry {
        &self.entries[at]
    }

    /// Returns the only block that may hold `key`; `None` if the key is less than all keys.
    pub(crate) fn block_of(&self, key: &[u8]) -> Option<usize> {
        self.firsts.not_after(&self.entries, key).checked_sub(1)
    }

    /// Like [`block_of`](Self::block_of), but faster for a key that probably is in the block `at`.
    pub(crate) fn block_near(&self, at: usize, key: &[u8]) -> Option<usize> {
        match self.firsts.shows(at, key) {
            true => Some(at),
            false => self.block_of(key),
        }
    }

    /// Whether keys start with `start`. The error is the block that must be read to decide.
    pub(crate) fn shows_start(&self, start: &[u8]) -> Result<bool, usize> {
        let begins = |at: usize| {
            let entry = self.entries.get(at);
            entry.is_some_and(|entry| entry.first.starts_with(start))
        };
        match self.block_of(start) {
            None => Ok(begins(0)),
            Some(at) if begins(at) || begins(at + 1) => Ok(true),
            Some(at) => Err(at),
        }
    }

    /// Returns the only block that may hold keys that start with `start`; `None` if several or none may.
    pub(crate) fn only_block_under(&self, start: &[u8]) -> Option<usize> {
        let from = self.block_of(start).unwrap_or(0);
        let is_beyond =
            |entry: &BlockEntry| *entry.first > *start && !entry.first.starts_with(start);
        let next = self.entries.get(from + 1);
        let is_only = next.is_none_or(is_beyond);
        (is_only && from < self.len()).then_some(from)
    }

    /// Returns the block `at`, and keeps it.
    pub(crate) fn loaded(
        &self,
        content: &IndexBytes,
        file: &str,
        at: usize,
    ) -> Result<&IndexBlock, IndexError> {
        if let Some(block) = self.loaded[at].get() {
            return Ok(block);
        }
        let block = self.load(content, file, at)?;
        Ok(self.loaded[at].get_or_init(|| block))
    }

    /// Reads and checks the block `at`.
    pub(crate) fn load(
        &self,
        content: &IndexBytes,
        file: &str,
        at: usize,
    ) -> Result<IndexBlock, IndexError> {
        let entry = &self.entries[at];
        let error = |kind| IndexError::new(file, self.section.name, kind);
        let offset = self.section.offset + entry.offset;
        let mut bytes = content
            .read(offset, entry.length())
            .map_err(|cause| error(IndexErrorKind::Io(cause)))?;
        let damaged = || error(IndexErrorKind::Damaged);
        if xxh3_64(&bytes) != entry.checksum {
            return Err(damaged());
        }
        let data = bytes.split_off(entry.trie as usize);
        Ok(IndexBlock {
            trie: Trie::new(bytes).ok_or_else(damaged)?,
            shared: entry.shared().into(),
            data,
        })
    }
}

impl IndexBlock {
    /// Returns the number of `key`.
    pub(crate) fn get(&self, key: &[u8]) -> Option<u64> {
        self.trie.get(key.strip_prefix(&*self.shared)?)
    }

    /// Returns the number of `key`, starting from `path`, the path of the key before it.
    pub(crate) fn get_after(&self, path: &mut KeyPath, key: &[u8]) -> Option<u64> {
        self.trie.get_after(path, key.strip_prefix(&*self.shared)?)
    }

    /// Returns the trie, whose keys lack the start that all of them share.
    pub(crate) fn trie(&self) -> &Trie {
        &self.trie
    }

    /// Returns the start that all keys share.
    pub(crate) fn shared(&self) -> &[u8] {
        &self.shared
    }

    /// Returns the place in the trie that `start` leads to. It must not be shorter than the start that all keys share.
    pub(crate) fn place(&self, start: &[u8]) -> Option<TriePlace> {
        let rest = start.strip_prefix(&*self.shared)?;
        self.trie.follow_all(self.trie.root(), rest)
    }

    /// Whether keys start with `start`.
    pub(crate) fn holds_start(&self, start: &[u8]) -> bool {
        self.shared.starts_with(start) || self.place(start).is_some()
    }

    /// Passes the pairs whose key is not less than `start` to `take`, until it returns false.
    pub(crate) fn each_from(&self, start: &[u8], mut take: impl FnMut(&[u8], u64) -> bool) {
        let mut key = self.shared.to_vec();
        let rest = match start.strip_prefix(&*self.shared) {
            Some(rest) => rest,
            None if *start <= *self.shared => &[],
            None => return,
        };
        self.trie.each_from(rest, |end, value| {
            key.truncate(self.shared.len());
            key.extend_from_slice(end);
            take(&key, value)
        });
    }
}
