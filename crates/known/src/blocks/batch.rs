//! The pairs of one block, before its trie is built.

use crate::bytes::common_start;
use crate::trie::Trie;

/// Sorted keys with a number each, and bytes that the numbers may point into.
#[derive(Default)]
pub(crate) struct KeyBatch {
    keys: Vec<u8>,
    /// The end of each key, and its number.
    ends: Vec<(usize, u64)>,
    pub(crate) data: Vec<u8>,
    /// Lengths of the known keys that are starts of the first one.
    pub(crate) starts: Vec<usize>,
}

/// A block that is ready to be written, with the fields of its directory entry.
pub(crate) struct BuiltBlock {
    pub(crate) first: Vec<u8>,
    pub(crate) shared: usize,
    pub(crate) starts: Vec<usize>,
    pub(crate) keys: usize,
    pub(crate) trie: Vec<u8>,
    pub(crate) data: Vec<u8>,
}

impl KeyBatch {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the bytes of keys and data.
    pub(crate) fn size(&self) -> usize {
        self.keys.len() + self.data.len()
    }

    pub(crate) fn push(&mut self, key: &[u8], value: u64) {
        self.keys.extend_from_slice(key);
        self.ends.push((self.keys.len(), value));
    }

    fn key(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].0);
        &self.keys[start..self.ends[at].0]
    }

    /// Returns the first key, or the empty one.
    pub(crate) fn first(&self) -> &[u8] {
        self.ends.first().map_or(&[], |&(end, _)| &self.keys[..end])
    }

    /// Builds the trie. Returns `None` if the keys are not sorted, which the writer rules out.
    pub(crate) fn build(self) -> Option<BuiltBlock> {
        let last = self.key(self.len().checked_sub(1)?);
        let shared = common_start(self.first(), last);
        let pairs = (0..self.len()).map(|at| (&self.key(at)[shared..], self.ends[at].1));
        let trie = Trie::build(pairs).ok()?;
        Some(BuiltBlock {
            first: self.first().to_vec(),
            shared,
            keys: self.len(),
            trie,
            starts: self.starts,
            data: self.data,
        })
    }
}
