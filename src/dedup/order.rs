//! The order records come out in: bytewise by key.

use std::cmp::Ordering;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSliceMut;

use super::shard::{Shard, behind_directory};

/// Bytes of a key that an item carries.
const PREFIX: usize = 8;
/// Depth from which whole keys are compared: past it, keys differ little and recursion would go deep.
const DEEP: usize = 64;
/// Items below which whole keys are compared.
const FEW: usize = 16;
/// Items from which other threads are worth waking.
const MANY: usize = 1 << 14;

/// An entry, and a part of its key that sorts it.
#[derive(Clone, Copy)]
pub(super) struct Item {
    prefix: u64,
    pub(super) shard: u32,
    pub(super) entry: u32,
}

/// All entries of `shards`, sorted by key. Uses the rayon pool that the caller runs in, if any.
///
/// Takes 16 bytes an entry, and reads each key about once for every 8 bytes that it shares with a neighbour.
pub(super) fn by_key(shards: &[Shard]) -> Vec<Item> {
    let mut items = Vec::with_capacity(shards.iter().map(Shard::len).sum());
    for (number, shard) in shards.iter().enumerate() {
        let shard_items = (0..shard.len() as u32).map(|entry| Item {
            prefix: 0,
            shard: number as u32,
            entry,
        });
        items.extend(shard_items);
    }
    let parallel = rayon::current_thread_index().is_some();
    Sorter { shards, parallel }.sort(&mut items, 0);
    items
}

struct Sorter<'a> {
    shards: &'a [Shard],
    parallel: bool,
}

impl Sorter<'_> {
    fn key(&self, item: &Item) -> &[u8] {
        behind_directory(self.shards[item.shard as usize].key(item.entry))
    }

    /// Sorts items whose keys agree in their first `depth` bytes.
    fn sort(&self, items: &mut [Item], depth: usize) {
        if items.len() < FEW || depth >= DEEP {
            items.sort_unstable_by(|a, b| self.compare(a, b));
        } else if self.parallel && items.len() >= MANY {
            items
                .par_chunks_mut(MANY)
                .for_each(|part| self.load(part, depth));
            items.par_sort_unstable_by_key(|item| item.prefix);
            items
                .par_chunk_by_mut(same_prefix)
                .for_each(|group| self.sort_group(group, depth));
        } else {
            self.load(items, depth);
            items.sort_unstable_by_key(|item| item.prefix);
            items
                .chunk_by_mut(same_prefix)
                .for_each(|group| self.sort_group(group, depth));
        }
    }

    fn sort_group(&self, group: &mut [Item], depth: usize) {
        if group.len() > 1 {
            self.sort(group, depth + PREFIX);
        }
    }

    fn compare(&self, a: &Item, b: &Item) -> Ordering {
        self.key(a).cmp(self.key(b))
    }

    fn load(&self, items: &mut [Item], depth: usize) {
        for item in items {
            item.prefix = prefix(self.key(item).get(depth..).unwrap_or_default());
        }
    }
}

fn same_prefix(a: &Item, b: &Item) -> bool {
    a.prefix == b.prefix
}

/// The first eight bytes as a number that sorts like them; missing ones are 0.
fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; PREFIX];
    let length = key.len().min(PREFIX);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}
