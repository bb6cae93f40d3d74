//! An index from hashes to keys: open addressing over one array, so that a slot can be prefetched.
//!
//! A slot holds a part of the hash. So growing reads no key, and a search reads few wrong ones. The caller compares the keys.

use super::arena::Address;

/// Binary logarithm of the slots of the smallest index.
const SMALLEST_BITS: u32 = 6;
/// Binary logarithm of the slots of the largest index, if the caller sets no limit.
const MAX_BITS: u32 = 40;
/// Bits of an address. The other bits of a slot are those of the hash.
const ADDRESS_BITS: u32 = 40;

/// The lowest 24 bits of a hash in the high bits, and the bits of an address in the low bits.
type IndexSlot = u64;

/// A free slot. It is not zero, so that new slots are written before they are read: a page of zeros that is read first is mapped
/// twice, and the second time interrupts all other threads.
const FREE: IndexSlot = IndexSlot::MAX;

/// The slot for an address that is not in the index. It is valid until another address is inserted.
pub(super) struct Vacant {
    part: u64,
    place: usize,
}

/// Finds addresses of keys by a part of their hash.
pub(super) struct KeyIndex {
    slots: Vec<IndexSlot>,
    taken: usize,
    bits: u32,
    /// Binary logarithm of the size at which the index counts as full. It still grows if more is inserted.
    max: u32,
}

impl KeyIndex {
    /// Creates an empty index. It counts as full before it would grow to more than `bytes` of memory.
    pub(super) fn new(bytes: Option<usize>) -> Self {
        let slots = bytes.map(|bytes| (bytes / size_of::<IndexSlot>()).max(1));
        KeyIndex {
            slots: Vec::new(),
            taken: 0,
            bits: 0,
            max: slots.map_or(MAX_BITS, |slots| slots.ilog2().max(SMALLEST_BITS)),
        }
    }

    /// Whether another address could make it grow past its limit.
    pub(super) fn is_full(&self) -> bool {
        self.bits >= self.max && self.taken >= self.slots.len() / 4 * 3
    }

    /// Returns the bytes of memory that the index holds.
    pub(super) fn held_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<IndexSlot>()
    }

    /// Removes all addresses and keeps the slots.
    pub(super) fn clear(&mut self) {
        self.slots.fill(FREE);
        self.taken = 0;
    }

    /// Returns the number of addresses.
    pub(super) fn len(&self) -> usize {
        self.taken
    }

    /// Returns the slot at which a search for `hash` starts. Reading it loads it and its neighbours into the cache.
    #[inline]
    pub(super) fn peek(&self, hash: u64) -> u64 {
        self.slots
            .get(self.first_slot(part(hash)))
            .copied()
            .unwrap_or(FREE)
    }

    /// Returns the first address for which `is_wanted` is true among those of keys that may have this hash. Otherwise returns the
    /// slot at which to [`insert`](Self::insert) one.
    #[inline]
    pub(super) fn find(
        &self,
        hash: u64,
        mut is_wanted: impl FnMut(Address) -> bool,
    ) -> Result<Address, Vacant> {
        let part = part(hash);
        let mut place = self.first_slot(part);
        while let Some(&slot) = self.slots.get(place).filter(|slot| **slot != FREE) {
            if slot >> ADDRESS_BITS == part {
                let at = Address::from_bits(slot);
                if is_wanted(at) {
                    return Ok(at);
                }
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        Err(Vacant { part, place })
    }

    /// Adds an address at the slot that [`find`](Self::find) returned. Its 40 bits must not all be set, since its slot could look
    /// free.
    #[inline]
    pub(super) fn insert(&mut self, vacant: Vacant, at: Address) {
        let slot = vacant.part << ADDRESS_BITS | at.bits();
        // Grows at three quarters, because searches for missing keys get slow above that. An index at its limit is filled to
        // seven eighths, since its owner empties it soon.
        let eighths = if self.bits < self.max { 6 } else { 7 };
        if self.taken >= self.slots.len() / 8 * eighths {
            self.grow();
            self.put(slot);
        } else {
            self.slots[vacant.place] = slot;
        }
        self.taken += 1;
    }

    /// Frees the slots; [`len`](Self::len) stays as it is.
    pub(super) fn seal(&mut self) {
        self.slots = Vec::new();
        self.bits = 0;
    }

    fn grow(&mut self) {
        self.bits = (self.bits + 1).max(SMALLEST_BITS);
        let old = std::mem::replace(&mut self.slots, vec![FREE; 1 << self.bits]);
        // The highest bits of the hash part determine a slot's position, so this loop reads and writes in order.
        for slot in old.into_iter().filter(|&slot| slot != FREE) {
            self.put(slot);
        }
    }

    fn put(&mut self, slot: IndexSlot) {
        let mask = self.slots.len() - 1;
        let mut at = self.first_slot(slot >> ADDRESS_BITS);
        while self.slots[at] != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    #[inline]
    fn first_slot(&self, part: u64) -> usize {
        (part << self.bits >> (u64::BITS - ADDRESS_BITS)) as usize
    }
}

/// Returns the part of a hash that a slot holds.
fn part(hash: u64) -> u64 {
    hash & (u64::MAX >> ADDRESS_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(index: &mut KeyIndex, hash: u64, at: Address) {
        let Err(vacant) = index.find(hash, |_| false) else {
            unreachable!("no address was wanted");
        };
        index.insert(vacant, at);
    }

    /// Returns the bits of all addresses of keys that may have this hash, sorted.
    fn all(index: &KeyIndex, hash: u64) -> Vec<u64> {
        let mut found = Vec::new();
        let found_one = index.find(hash, |at| {
            found.push(at.bits());
            false
        });
        assert!(found_one.is_err());
        found.sort_unstable();
        found
    }

    #[test]
    fn addresses_are_found_among_those_of_equal_and_neighbouring_hashes() {
        let mut index = KeyIndex::new(None);
        assert!(all(&index, 7).is_empty());
        // Several hashes share the last slots, so that searches wrap around the end.
        let hashes = [7, 0xff_ffff, 0xff_ffff, 0, 0xff_fffe, 7];
        let hash = |number: u64| hashes[number as usize % hashes.len()];
        for number in 0..600 {
            insert(&mut index, hash(number), Address::from_bits(number << 30));
        }
        assert_eq!(index.len(), 600);
        for wanted in hashes {
            let inserted = (0..600).filter(|&number| hash(number) == wanted);
            let inserted: Vec<u64> = inserted.map(|number| number << 30).collect();
            assert_eq!(all(&index, wanted), inserted, "{wanted}");
            let first = index.find(wanted, |at| at.bits() == inserted[0]).ok();
            assert_eq!(first.map(Address::bits), Some(inserted[0]));
        }
        assert!(all(&index, 8).is_empty());
        let held = index.held_bytes();
        index.clear();
        assert_eq!((index.len(), all(&index, 7)), (0, vec![]));
        assert_eq!(index.held_bytes(), held);
    }

    #[test]
    fn an_index_past_its_size_is_full_and_takes_more_all_the_same() {
        let mut index = KeyIndex::new(Some(128 * 8 + 9));
        for number in 0..200u64 {
            assert_eq!(
                index.is_full(),
                (96..113).contains(&number) || number >= 192,
                "{number}"
            );
            insert(&mut index, number << 17, Address::from_bits(number));
        }
        assert!((0..200u64).all(|number| all(&index, number << 17).contains(&number)));
    }
}
