//! Writes sorted pairs as blocks.

use std::io::{self, Write};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::batch::{BuiltBlock, KeyBatch};
use super::directory::{self, BlockEntry};
use super::lanes::{BlockFailure, BlockThreads};
use crate::BuildError;
use crate::bytes::common_start;

/// When a block ends: after `max` keys, or before another registrant's first key if it has `min`.
#[derive(Clone, Copy)]
pub(crate) struct BlockKeys {
    pub(crate) min: usize,
    pub(crate) max: usize,
}

/// Maximum size of a block's keys and data, so that long names need no more memory than others.
const MAX_BLOCK_BYTES: usize = 8 << 20;

/// Writes blocks to `out`, and collects their directory.
pub(crate) struct BlockWriter<'w, W> {
    out: &'w mut W,
    cut: BlockKeys,
    lanes: BlockThreads,
    batch: KeyBatch,
    last: Vec<u8>,
    /// Lengths of the keys that are starts of `last`, including `last`.
    open: Vec<usize>,
    entries: Vec<BlockEntry>,
    length: u64,
    hash: Box<Xxh3>,
}

/// The sections that were written.
pub(crate) struct WrittenBlocks {
    pub(crate) keys: u64,
    pub(crate) length: u64,
    pub(crate) checksum: u64,
    pub(crate) directory: Vec<u8>,
}

impl<'w, W: Write> BlockWriter<'w, W> {
    pub(crate) fn new(out: &'w mut W, cut: BlockKeys, threads: usize) -> Self {
        BlockWriter {
            out,
            cut,
            lanes: BlockThreads::new(threads),
            batch: KeyBatch::default(),
            last: Vec::new(),
            open: Vec::new(),
            entries: Vec::new(),
            length: 0,
            hash: Box::new(Xxh3::new()),
        }
    }

    /// Adds a key, which must be greater than the one before.
    pub(crate) fn push(&mut self, key: &[u8], value: u64) -> Result<(), BuildError> {
        let common = common_start(&self.last, key);
        while self.open.last().is_some_and(|&length| length > common) {
            self.open.pop();
        }
        if self.is_full(key) {
            self.end_block()?;
        }
        if self.batch.is_empty() {
            self.batch.starts.clone_from(&self.open);
        }
        self.batch.push(key, value);
        self.open.push(key.len());
        self.last.truncate(common);
        self.last.extend_from_slice(&key[common..]);
        Ok(())
    }

    /// Adds a key with data. Its number is the offset of the data.
    pub(crate) fn push_data(&mut self, key: &[u8], data: &[u8]) -> Result<(), BuildError> {
        if self.is_full(key) {
            self.end_block()?;
        }
        let offset = self.batch.data.len() as u64;
        self.push(key, offset)?;
        self.batch.data.extend_from_slice(data);
        Ok(())
    }

    fn is_full(&self, key: &[u8]) -> bool {
        let keys = self.batch.len();
        let is_other = || registrant(&self.last) != registrant(key);
        keys >= self.cut.max
            || self.batch.size() >= MAX_BLOCK_BYTES
            || keys >= self.cut.min && is_other()
    }

    fn end_block(&mut self) -> Result<(), BuildError> {
        let batch = std::mem::take(&mut self.batch);
        if let Some(built) = self.lanes.push(batch).map_err(block_error)? {
            self.write(built)?;
        }
        Ok(())
    }

    fn write(&mut self, built: BuiltBlock) -> Result<(), BuildError> {
        let mut bytes = built.trie;
        let trie = bytes.len() as u64;
        bytes.extend_from_slice(&built.data);
        self.hash.update(&bytes);
        self.out.write_all(&bytes).map_err(BuildError::Output)?;
        self.entries.push(BlockEntry {
            first: built.first.into(),
            shared: built.shared,
            starts: built.starts.into(),
            keys: built.keys as u64,
            offset: self.length,
            trie,
            data: built.data.len() as u64,
            checksum: xxh3_64(&bytes),
        });
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Writes the blocks that are not written yet.
    pub(crate) fn finish(mut self) -> Result<WrittenBlocks, BuildError> {
        if !self.batch.is_empty() {
            self.end_block()?;
        }
        while let Some(built) = self.lanes.pop().map_err(block_error)? {
            self.write(built)?;
        }
        Ok(WrittenBlocks {
            keys: self.entries.iter().map(|entry| entry.keys).sum(),
            length: self.length,
            checksum: self.hash.digest(),
            directory: directory::write(&self.entries),
        })
    }
}

fn block_error(_: BlockFailure) -> BuildError {
    BuildError::Output(io::Error::other("a thread that builds blocks failed"))
}

/// Returns a key's prefix.
fn registrant(key: &[u8]) -> &[u8] {
    let slash = key.iter().position(|&byte| byte == b'/');
    &key[..slash.unwrap_or(key.len())]
}
