//! Sorts keys bytewise, which is the order of records.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::arena::Address;
use super::shard::TableShard;

/// Bytes of a key that an item holds.
const PREFIX_BYTES: usize = 8;
/// Depth, in bytes, from which whole keys are compared. It bounds the recursion for keys with long common beginnings.
const MAX_PREFIX_DEPTH_BYTES: usize = 64;
/// Number of items up to which whole keys are compared.
const MAX_WHOLE_ITEMS: usize = 16;
/// Number of items whose keys are loaded into the cache together.
pub(super) const LOADED_ITEMS: usize = 64;
/// Minimum number of items for which sorting on several threads is faster.
const MIN_PARALLEL_ITEMS: usize = 1 << 14;

/// The location of a key, and eight of its bytes, by which it is sorted first.
#[derive(Clone, Copy, Default)]
pub(super) struct Item {
    prefix: u64,
    shard: u16,
    at: Address,
}

impl Item {
    /// Returns the number of the key's shard, and its address there.
    pub(super) fn place(&self) -> (usize, Address) {
        (self.shard.into(), self.at)
    }
}

/// Replaces `items` by all keys of `shards`, at most 65,536 shards, in order. With `parallel`, uses the rayon pool
/// that the caller runs in.
///
/// Takes 16 bytes per key, and reads each key about once for every 8 bytes that it shares with a neighbour.
pub(super) fn by_key(shards: &[&TableShard], items: &mut Vec<Item>, parallel: bool) {
    let count = shards.iter().map(|shard| shard.len()).sum();
    items.clear();
    if items.capacity() < count {
        // The old memory is freed first, so that both are never held at once.
        *items = Vec::new();
        items.reserve_exact(count);
    }
    items.resize(count, Item::default());
    let mut rest = items.as_mut_slice();
    let parts = shards.iter().enumerate().map(|(number, shard)| {
        let part;
        (part, rest) = std::mem::take(&mut rest).split_at_mut(shard.len());
        (number as u16, *shard, part)
    });
    let parts: Vec<_> = parts.collect();
    if parallel {
        parts
            .into_par_iter()
            .for_each(|(number, shard, part)| list(number, shard, part));
    } else {
        parts
            .into_iter()
            .for_each(|(number, shard, part)| list(number, shard, part));
    }
    KeySorter { shards, parallel }.sort_loaded(items, 0);
}

/// Lists a shard's keys in stored order, each with its first bytes.
fn list(number: u16, shard: &TableShard, items: &mut [Item]) {
    for (item, (at, key)) in items.iter_mut().zip(shard.keys()) {
        *item = Item {
            prefix: prefix(key),
            shard: number,
            at,
        };
    }
}

struct KeySorter<'a> {
    shards: &'a [&'a TableShard],
    parallel: bool,
}

impl KeySorter<'_> {
    fn key(&self, item: &Item) -> &[u8] {
        let (shard, at) = item.place();
        self.shards[shard].rest_of_key(at)
    }

    /// Sorts items whose keys are equal in their first `depth` bytes.
    fn sort(&self, items: &mut [Item], depth: usize) {
        if items.len() <= MAX_WHOLE_ITEMS {
            self.sort_few(items, depth);
        } else if depth >= MAX_PREFIX_DEPTH_BYTES {
            items.sort_unstable_by(|a, b| self.key(a).cmp(self.key(b)));
        } else {
            if self.parallel && items.len() >= MIN_PARALLEL_ITEMS {
                items
                    .par_chunks_mut(MIN_PARALLEL_ITEMS / 4)
                    .for_each(|part| self.load(part, depth));
            } else {
                self.load(items, depth);
            }
            self.sort_loaded(items, depth);
        }
    }

    /// Sorts items whose prefix was loaded from the bytes at `depth`.
    fn sort_loaded(&self, items: &mut [Item], depth: usize) {
        if self.parallel && items.len() >= MIN_PARALLEL_ITEMS {
            items.par_sort_unstable_by_key(|item| item.prefix);
            items
                .par_chunk_by_mut(same_prefix)
                .for_each(|group| self.sort_group(group, depth));
        } else {
            items.sort_unstable_by_key(|item| item.prefix);
            items
                .chunk_by_mut(same_prefix)
                .for_each(|group| self.sort_group(group, depth));
        }
    }

    fn sort_group(&self, group: &mut [Item], depth: usize) {
        if group.len() > 1 {
            self.sort(group, depth + PREFIX_BYTES);
        }
    }

    /// Sorts at most `MAX_WHOLE_ITEMS` items; reads each key once.
    fn sort_few(&self, items: &mut [Item], depth: usize) {
        let mut keyed = [(&b""[..], Item::default()); MAX_WHOLE_ITEMS];
        let keyed = &mut keyed[..items.len()];
        for (keyed, item) in keyed.iter_mut().zip(&*items) {
            *keyed = (self.key(item).get(depth..).unwrap_or_default(), *item);
        }
        keyed.sort_unstable_by_key(|&(key, _)| key);
        for (item, &mut (_, sorted)) in items.iter_mut().zip(keyed) {
            *item = sorted;
        }
    }

    fn load(&self, items: &mut [Item], depth: usize) {
        for some in items.chunks_mut(LOADED_ITEMS) {
            touch(self.shards, some);
            for item in some {
                item.prefix = prefix(self.key(item).get(depth..).unwrap_or_default());
            }
        }
    }
}

/// Loads the keys of some items into the cache. The processor waits for all of them at the same time.
pub(super) fn touch(shards: &[&TableShard], items: &[Item]) {
    let read = items.iter().fold(0, |all, item| {
        let (shard, at) = item.place();
        all ^ shards[shard].touch(at)
    });
    std::hint::black_box(read);
}

/// Calls `with` for each item in order, with its shard and the address of its key there.
pub(super) fn each<E>(
    shards: &[&TableShard],
    items: &[Item],
    mut with: impl FnMut(&TableShard, Address) -> Result<(), E>,
) -> Result<(), E> {
    for some in items.chunks(LOADED_ITEMS) {
        touch(shards, some);
        for item in some {
            let (shard, at) = item.place();
            with(shards[shard], at)?;
        }
    }
    Ok(())
}

fn same_prefix(a: &Item, b: &Item) -> bool {
    a.prefix == b.prefix
}

/// Returns the first eight bytes as a big-endian number, which sorts as they do. Missing bytes are 0.
pub(super) fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; PREFIX_BYTES];
    match key.first_chunk() {
        Some(chunk) => bytes = *chunk,
        None => bytes[..key.len()].copy_from_slice(key),
    }
    u64::from_be_bytes(bytes)
}
