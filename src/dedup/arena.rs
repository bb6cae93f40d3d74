//! Byte strings packed into blocks: no allocation, pointer or capacity per string.
//!
//! Knows nothing of what the strings mean. Strings are never freed one by one; the owner copies the living ones into a new
//! arena.

/// Bytes of a block, unless one string is longer.
const BLOCK: usize = 1 << OFFSET_BITS;
const OFFSET_BITS: u32 = 16;

/// Address of a string in its arena: 40 bits, enough for a terabyte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed)]
pub(super) struct At {
    low: u32,
    high: u8,
}

impl At {
    fn new(block: usize, offset: usize) -> At {
        let at = (block as u64) << OFFSET_BITS | offset as u64;
        At {
            low: at as u32,
            high: (at >> 32) as u8,
        }
    }

    fn split(self) -> (usize, usize) {
        let at = u64::from(self.high) << 32 | u64::from(self.low);
        ((at >> OFFSET_BITS) as usize, at as usize & (BLOCK - 1))
    }
}

/// Strings in blocks of 64 KiB; each is prefixed with its length.
#[derive(Default)]
pub(super) struct Arena {
    blocks: Vec<Vec<u8>>,
    bytes: usize,
}

impl Arena {
    /// Bytes in use, living or not.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Stores `string`.
    pub(super) fn push(&mut self, string: &[u8]) -> At {
        self.store(&[string])
    }

    /// Stores `first` and directly behind it `second`, to be read back with [`pair_if`](Self::pair_if).
    pub(super) fn push_pair(&mut self, first: &[u8], second: &[u8]) -> At {
        self.store(&[first, second])
    }

    /// The string at `at`.
    pub(super) fn get(&self, at: At) -> &[u8] {
        take(self.tail(at)).0
    }

    /// The string at `at` and, if it is the first of a `pair`, the second.
    pub(super) fn pair_if(&self, at: At, pair: bool) -> (&[u8], Option<&[u8]>) {
        let (first, rest) = take(self.tail(at));
        (first, pair.then(|| take(rest).0))
    }

    fn tail(&self, at: At) -> &[u8] {
        let (block, offset) = at.split();
        &self.blocks[block][offset..]
    }

    fn store(&mut self, strings: &[&[u8]]) -> At {
        let needed = strings.iter().map(|s| stored(s.len())).sum();
        let block = self.room(needed);
        let number = self.blocks.len() - 1;
        self.bytes += needed;
        let block = &mut self.blocks[block];
        let offset = block.len();
        for string in strings {
            put_length(block, string.len());
            block.extend_from_slice(string);
        }
        At::new(number, offset)
    }

    /// Number of the last block, which has room for `needed` bytes.
    fn room(&mut self, needed: usize) -> usize {
        // An address points into the first 64 KiB of a block only, so a longer block takes one string and no more.
        if self
            .blocks
            .last()
            .is_none_or(|b| BLOCK.saturating_sub(b.len()) < needed)
        {
            self.blocks.push(Vec::with_capacity(needed.max(BLOCK)));
        }
        self.blocks.len() - 1
    }
}

/// Bytes that a string of `length` takes with its prefix.
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

/// The string that `bytes` starts with, and what follows it.
#[inline]
fn take(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (mut length, mut at) = (0, 0);
    loop {
        let byte = usize::from(bytes[at]);
        length |= (byte & 0x7f) << (7 * at);
        at += 1;
        if byte < 0x80 {
            return bytes[at..].split_at(length);
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
            BLOCK - 3,
            BLOCK,
            BLOCK + 1,
            5,
            3 * BLOCK,
            1,
        ];
        let strings: Vec<Vec<u8>> = lengths
            .iter()
            .enumerate()
            .map(|(i, &n)| vec![i as u8; n])
            .collect();
        let at: Vec<At> = strings.iter().map(|s| arena.push(s)).collect();
        for (string, at) in strings.iter().zip(at) {
            assert_eq!(arena.get(at), string);
        }
        assert_eq!(
            arena.bytes(),
            lengths.iter().map(|&n| stored(n)).sum::<usize>()
        );
    }

    #[test]
    fn a_pair_comes_back_as_both_strings() {
        let mut arena = Arena::default();
        let long = vec![b'x'; 2 * BLOCK];
        let at = [
            arena.push_pair(b"key", b"Key"),
            arena.push_pair(&long, b""),
            arena.push_pair(b"", &long),
        ];
        assert_eq!(arena.pair_if(at[0], true), (&b"key"[..], Some(&b"Key"[..])));
        assert_eq!(arena.pair_if(at[1], true), (&long[..], Some(&b""[..])));
        assert_eq!(arena.pair_if(at[2], true), (&b""[..], Some(&long[..])));
        assert_eq!(arena.pair_if(at[0], false), (&b"key"[..], None));
        assert_eq!(arena.get(at[0]), b"key");
    }

    #[test]
    fn addresses_reach_past_four_gigabytes() {
        assert_eq!(At::new(0xab_cdef, 0x1234).split(), (0xab_cdef, 0x1234));
        assert_eq!(size_of::<At>(), 5);
    }
}
