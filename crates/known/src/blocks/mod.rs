//! A sorted map of any size in two sections of a file: blocks of consecutive names, and their directory.
//!
//! A block is a trie of its keys without the start that all of them share, and bytes that its numbers may point into. The directory
//! has the first key of each block, its length and its checksum. So a process reads and checks only the blocks that it needs.

mod batch;
mod directory;
mod firsts;
mod lanes;
mod read;
mod write;

pub(crate) use read::{BlockMap, IndexBlock};
pub(crate) use write::{BlockKeys, BlockWriter, WrittenBlocks};
