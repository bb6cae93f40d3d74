//! From hashes to entry numbers: open addressing over one array, made to be read ahead.
//!
//! A slot carries half of the hash, so that neither growing nor most of the wrong guesses look at an entry. Knows nothing of
//! keys; whoever asks compares them.

/// Slots of the smallest index.
const SMALLEST_BITS: u32 = 6;

/// Half of a hash (high) and, low, an entry's number plus one; 0 is free.
type Slot = u64;

/// Finds entries by 32 bits of their key's hash.
#[derive(Default)]
pub(super) struct Index {
    slots: Vec<Slot>,
    taken: usize,
    bits: u32,
}

impl Index {
    /// The slot that a search for `hash` starts at. Reading it ahead brings its neighbours into the cache too.
    #[inline]
    pub(super) fn peek(&self, hash: u32) -> u64 {
        self.slots.get(self.home(hash)).copied().unwrap_or(0)
    }

    /// Entries that have this hash, by number.
    #[inline]
    pub(super) fn find(&self, hash: u32) -> impl Iterator<Item = u32> {
        let (start, slots) = (self.home(hash), &self.slots);
        (0..slots.len())
            .map(move |step| slots[(start + step) & (slots.len() - 1)])
            .take_while(|&slot| slot != 0)
            .filter(move |&slot| (slot >> 32) as u32 == hash)
            .map(|slot| slot as u32 - 1)
    }

    /// Adds an entry, which must be less than `u32::MAX`.
    #[inline]
    pub(super) fn insert(&mut self, hash: u32, entry: u32) {
        // Three in four: beyond, searches for what is not there grow long.
        if self.taken >= self.slots.len() / 4 * 3 {
            self.grow();
        }
        self.taken += 1;
        self.put(u64::from(hash) << 32 | (u64::from(entry) + 1));
    }

    fn grow(&mut self) {
        self.bits = (self.bits + 1).max(SMALLEST_BITS);
        let old = std::mem::replace(&mut self.slots, vec![0; 1 << self.bits]);
        // A slot's place goes by the highest bits of its hash, so that this reads and writes in order.
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            self.put(slot);
        }
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = self.home((slot >> 32) as u32);
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        (u64::from(hash) << self.bits >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_among_those_of_equal_and_neighbouring_hashes() {
        let mut index = Index::default();
        assert_eq!(index.find(7).count(), 0);
        // The last slots are contested, so that searches go round the end.
        let hashes = [7, u32::MAX, u32::MAX, 0, u32::MAX - 1, 7];
        for entry in 0..600u32 {
            index.insert(hashes[entry as usize % hashes.len()], entry);
        }
        for &hash in &hashes {
            let mut found: Vec<u32> = index.find(hash).collect();
            found.sort_unstable();
            let wanted: Vec<u32> = (0..600)
                .filter(|&entry| hashes[entry as usize % hashes.len()] == hash)
                .collect();
            assert_eq!(found, wanted, "{hash}");
        }
        assert_eq!(index.find(8).count(), 0);
    }
}
