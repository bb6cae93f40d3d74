//! Stores byte strings in large blocks, without an allocation, pointer or capacity for each string.
//!
//! Single strings are never freed. The owner copies the strings that it still needs into a new arena, or clears the arena
//! and fills the same blocks again.

/// Bytes of a block, unless a single string is longer. It is less than 64 KiB because an allocator with pages of 512 KiB,
/// which hold some bytes of its own, would fit only seven blocks of 64 KiB into a page.
const BLOCK_BYTES: usize = 56 << 10;
/// The lowest bits of an address, which are the offset of a string in its block.
const OFFSET_BITS: u32 = 16;
/// A length that most strings do not exceed. Such a string may reach into a second cache line.
const LIKELY_BYTES: usize = 32;

/// Address of a string in its arena: 40 bits, enough for 2^24 blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed)]
pub(super) struct Address {
    low: u32,
    high: u8,
}

impl Address {
    fn new(block: usize, offset: usize) -> Address {
        Address::from_bits((block as u64) << OFFSET_BITS | offset as u64)
    }

    /// Makes an address of the 40 lowest of `bits`, which may be any number.
    pub(super) fn from_bits(bits: u64) -> Address {
        Address {
            low: bits as u32,
            high: (bits >> 32) as u8,
        }
    }

    /// Returns the 40 bits that [`from_bits`](Self::from_bits) took.
    pub(super) fn bits(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }

    fn split(self) -> (usize, usize) {
        let at = self.bits();
        (
            (at >> OFFSET_BITS) as usize,
            at as usize & ((1 << OFFSET_BITS) - 1),
        )
    }
}

/// Strings in blocks of 56 KiB; each is prefixed with its length.
#[derive(Default)]
pub(super) struct Arena {
    blocks: Vec<Vec<u8>>,
    /// Number of blocks in use. The blocks after these are spare.
    used: usize,
    bytes: usize,
    /// Capacity of all blocks.
    capacity: usize,
}

impl Arena {
    /// Returns the bytes of memory that the arena holds.
    pub(super) fn held_bytes(&self) -> usize {
        self.capacity + self.blocks.capacity() * size_of::<Vec<u8>>()
    }

    /// Removes all strings and keeps the blocks.
    pub(super) fn clear(&mut self) {
        self.blocks.retain(|block| block.capacity() == BLOCK_BYTES);
        self.blocks.iter_mut().for_each(Vec::clear);
        self.capacity = self.blocks.len() * BLOCK_BYTES;
        (self.used, self.bytes) = (0, 0);
    }

    /// Frees spare blocks, at most about `bytes` of them.
    pub(super) fn release(&mut self, bytes: usize) {
        let before = self.blocks.len();
        self.blocks.truncate(
            self.used
                .max(before - before.min(bytes.div_ceil(BLOCK_BYTES))),
        );
        self.capacity -= (before - self.blocks.len()) * BLOCK_BYTES;
    }

    /// Returns the bytes of all stored strings with their lengths, including unused ones.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Stores a string and returns its address.
    pub(super) fn push(&mut self, string: &[u8]) -> Address {
        let (address, block) = self.start(string.len());
        block.extend_from_slice(string);
        address
    }

    /// Stores the concatenation of two strings and returns its address.
    pub(super) fn push_joined(&mut self, parts: [&[u8]; 2]) -> Address {
        let (address, block) = self.start(parts[0].len() + parts[1].len());
        block.extend_from_slice(parts[0]);
        block.extend_from_slice(parts[1]);
        address
    }

    /// Starts a string of `length` bytes, which the caller appends.
    #[inline]
    fn start(&mut self, length: usize) -> (Address, &mut Vec<u8>) {
        let needed = stored(length);
        let number = self.block_with_room(needed);
        self.bytes += needed;
        let block = &mut self.blocks[number];
        let address = Address::new(number, block.len());
        put_length(block, length);
        (address, block)
    }

    /// Returns the string at `at`.
    #[inline]
    pub(super) fn get(&self, at: Address) -> &[u8] {
        let (block, offset) = at.split();
        take(&self.blocks[block][offset..])
    }

    /// Returns all strings with their addresses, in the order in which they were stored.
    pub(super) fn strings(&self) -> impl Iterator<Item = (Address, &[u8])> {
        let used = self.blocks[..self.used].iter().enumerate();
        used.flat_map(|(number, block)| {
            let mut next = 0;
            std::iter::from_fn(move || {
                let offset = next;
                let string = take(block.get(offset..).filter(|rest| !rest.is_empty())?);
                next += stored(string.len());
                Some((Address::new(number, offset), string))
            })
        })
    }

    /// Loads the start of the string at `at` into the cache. The result only keeps the compiler from removing the read.
    #[inline]
    pub(super) fn touch(&self, at: Address) -> u8 {
        let (block, offset) = at.split();
        let block = self.blocks.get(block).map_or(&[][..], |block| block);
        let byte = |offset: usize| block.get(offset).map_or(0, |&byte| byte);
        byte(offset) ^ byte(offset + LIKELY_BYTES)
    }

    /// Returns the number of the last block in use. Starts a block if it has no room for `needed` bytes.
    fn block_with_room(&mut self, needed: usize) -> usize {
        // A longer block holds a single string, because an offset in a block must be less than 64 KiB.
        let last = self.blocks[..self.used].last();
        if last.is_none_or(|block| BLOCK_BYTES.saturating_sub(block.len()) < needed) {
            self.next(needed.max(BLOCK_BYTES));
        }
        self.used - 1
    }

    /// Starts to use a spare block, or a new one.
    fn next(&mut self, size: usize) {
        if size > BLOCK_BYTES || self.used == self.blocks.len() {
            self.blocks.push(Vec::with_capacity(size));
            self.capacity += size;
            let last = self.blocks.len() - 1;
            self.blocks.swap(self.used, last);
        }
        self.used += 1;
    }
}

/// Returns the bytes that a string of `length` bytes needs, with its stored length.
pub(super) fn stored(length: usize) -> usize {
    let bits = usize::BITS - (length | 1).leading_zeros();
    length + bits.div_ceil(7) as usize
}

fn put_length(block: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        block.push(length as u8 | 0x80);
        length >>= 7;
    }
    block.push(length as u8);
}

/// Returns the string at the start of `bytes`, which has its length first.
#[inline]
fn take(bytes: &[u8]) -> &[u8] {
    let (mut length, mut at) = (0, 0);
    loop {
        let byte = usize::from(bytes[at]);
        length |= (byte & 0x7f) << (7 * at);
        at += 1;
        if byte < 0x80 {
            return &bytes[at..][..length];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_every_length_come_back() {
        let mut arena = Arena::default();
        let lengths = [
            0,
            1,
            127,
            128,
            16_383,
            16_384,
            BLOCK_BYTES - 3,
            BLOCK_BYTES,
            BLOCK_BYTES + 1,
            5,
            3 * BLOCK_BYTES,
            1,
        ];
        let strings: Vec<Vec<u8>> = lengths
            .iter()
            .enumerate()
            .map(|(i, &n)| vec![i as u8; n])
            .collect();
        let at: Vec<Address> = strings.iter().map(|s| arena.push(s)).collect();
        for (string, at) in strings.iter().zip(at) {
            assert_eq!(arena.get(at), string);
        }
        let joined = arena.push_joined([b"12", b"34"]);
        assert_eq!(arena.get(joined), b"1234");
        let lengths: Vec<usize> = lengths.into_iter().chain([4]).collect();
        let stored_lengths = arena.strings().map(|(_, string)| string.len());
        assert_eq!(stored_lengths.collect::<Vec<_>>(), lengths);
        assert_eq!(
            arena.bytes(),
            lengths.iter().map(|&n| stored(n)).sum::<usize>()
        );
    }

    #[test]
    fn a_cleared_arena_fills_its_blocks_again_and_gives_back_spare_ones() {
        let mut arena = Arena::default();
        let fill = |arena: &mut Arena, count: u8| -> Vec<Address> {
            (0..count)
                .map(|byte| arena.push(&[byte; BLOCK_BYTES / 2 - 8]))
                .collect()
        };
        fill(&mut arena, 20);
        let held = arena.held_bytes();
        arena.clear();
        assert_eq!((arena.held_bytes(), arena.strings().count()), (held, 0));
        let at = fill(&mut arena, 20);
        assert_eq!(arena.held_bytes(), held);
        arena.push(&[7; 2 * BLOCK_BYTES]);
        assert!(arena.held_bytes() > held + 2 * BLOCK_BYTES);
        assert_eq!(arena.get(at[19]), [19; BLOCK_BYTES / 2 - 8]);
        arena.clear();
        fill(&mut arena, 3);
        arena.push(&[7; 2 * BLOCK_BYTES]);
        let last = arena.push(b"last");
        arena.release(usize::MAX);
        assert!(arena.held_bytes() < held);
        assert_eq!(arena.get(last), b"last");
        assert_eq!(arena.strings().count(), 5);
    }

    #[test]
    fn addresses_reach_past_four_gigabytes() {
        assert_eq!(Address::new(0xab_cdef, 0x1234).split(), (0xab_cdef, 0x1234));
        assert_eq!(size_of::<Address>(), 5);
    }
}
