//! Finds marks among 64 bytes at once. Faster than a search for each mark if marks are close together.
//!
//! ```
//! use doisift_core::internal::{Block, positions};
//!
//! let block = Block::new(b"<a href=\"/b\">", 0);
//! assert!(positions(block.find(b'"')).eq([8, 11]));
//! assert!(positions(block.find_any(*b"<>")).eq([0, 12]));
//! ```

use wide::u8x16;

pub use crate::bits::{Bits, positions};

/// Up to 64 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Block([u8x16; 4]);

impl Block {
    /// Number of bytes in a block.
    pub const SIZE: usize = 64;

    /// Loads the bytes from `at` on. Fills up with zeros after the end of `bytes`.
    #[inline(always)]
    pub fn new(bytes: &[u8], at: usize) -> Block {
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.first_chunk() {
            Some(whole) => Block::of(whole),
            None => Block::last(rest),
        }
    }

    /// Loads the bytes from the first on, and from the second on. Fills up with zeros after the end of `bytes`.
    #[inline(always)]
    pub fn with_next(bytes: &[u8]) -> [Block; 2] {
        let near = bytes.first_chunk::<{ Self::SIZE + 1 }>();
        let parts = near.and_then(|near| near.first_chunk().zip(near.last_chunk()));
        match parts {
            Some((first, next)) => [first, next].map(Block::of),
            None => [bytes, bytes.get(1..).unwrap_or_default()].map(Block::last),
        }
    }

    #[cold]
    fn last(rest: &[u8]) -> Block {
        let mut padded = [0; Self::SIZE];
        let len = rest.len().min(Self::SIZE);
        padded[..len].copy_from_slice(&rest[..len]);
        Block::of(&padded)
    }

    #[inline(always)]
    fn of(bytes: &[u8; Self::SIZE]) -> Block {
        let part = |at: usize| bytes[at..].first_chunk().copied().unwrap_or_default();
        Block(std::array::from_fn(|at| u8x16::new(part(at * 16))))
    }

    /// Returns the positions of `byte`.
    pub fn find(&self, byte: u8) -> Bits {
        self.bits(|part| part.cmp_eq(u8x16::splat(byte)))
    }

    /// Returns the positions of any of `bytes`.
    #[inline(always)]
    pub fn find_any<const N: usize>(&self, bytes: [u8; N]) -> Bits {
        self.bits(|part| {
            let is = |byte| part.cmp_eq(u8x16::splat(byte));
            let found = bytes.into_iter().map(is);
            found.fold(u8x16::ZERO, |all, found| all | found)
        })
    }

    /// Returns the positions of bytes from `first` to `last`, inclusive.
    pub fn find_range(&self, first: u8, last: u8) -> Bits {
        let max = u8x16::splat(last - first);
        self.bits(|part| {
            let from_first = part - u8x16::splat(first);
            from_first.min(max).cmp_eq(from_first)
        })
    }

    /// Returns the positions of any of `bytes`, and of bytes that differ from one of `others` only in bits of `ignored`.
    #[inline(always)]
    pub fn find_any_like<const N: usize, const M: usize>(
        &self,
        bytes: [u8; N],
        others: [u8; M],
        ignored: u8,
    ) -> Bits {
        self.bits(|part| {
            let is = |byte| part.cmp_eq(u8x16::splat(byte));
            let masked = part | u8x16::splat(ignored);
            let is_like = |byte| masked.cmp_eq(u8x16::splat(byte | ignored));
            let found = bytes.map(is).into_iter().chain(others.map(is_like));
            found.fold(u8x16::ZERO, |all, found| all | found)
        })
    }

    /// Returns the positions of bytes that are not ASCII.
    pub fn beyond_ascii(&self) -> Bits {
        let any = self.0.iter().fold(u8x16::ZERO, |all, part| all | *part);
        match any.move_mask() {
            0 => 0,
            _ => self.bits(|part| part),
        }
    }

    /// Returns the positions at which `pair` starts. `next` must hold the bytes from the second on.
    #[inline(always)]
    pub fn find_pair(&self, next: &Block, pair: [u8; 2]) -> Bits {
        let [first, second] = pair.map(u8x16::splat);
        let both = |part: usize| self.0[part].cmp_eq(first) & next.0[part].cmp_eq(second);
        let parts = std::array::from_fn(both);
        let any = parts.iter().fold(u8x16::ZERO, |all, part| all | *part);
        match any.move_mask() {
            0 => 0,
            _ => Block(parts).bits(|part| part),
        }
    }

    /// Returns the positions of `byte`, and of bytes that differ from it only in bits of `ignored`.
    pub fn find_like(&self, byte: u8, ignored: u8) -> Bits {
        let byte = u8x16::splat(byte | ignored);
        let ignored = u8x16::splat(ignored);
        self.bits(|part| (part | ignored).cmp_eq(byte))
    }

    #[inline(always)]
    fn bits(&self, test: impl Fn(u8x16) -> u8x16) -> Bits {
        let parts = self.0.iter().rev();
        parts.fold(0, |bits, part| {
            bits << 16 | Bits::from(test(*part).move_mask() as u16)
        })
    }
}

/// Returns a set of the positions up to which, inclusive, an odd number of `bits` is set.
pub fn parity(mut bits: Bits) -> Bits {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_at_their_bytes() {
        let text: Vec<u8> = (0..200).map(|at| b"<{[a"[at % 7 % 4]).collect();
        for at in 0..210 {
            let block = Block::new(&text, at);
            let rest = text.get(at..).unwrap_or_default();
            let near = &rest[..rest.len().min(Block::SIZE)];
            let all = |bytes: &'static [u8]| {
                near.iter()
                    .enumerate()
                    .filter(move |(_, byte)| bytes.contains(byte))
                    .map(|(at, _)| at)
            };
            assert!(positions(block.find(b'<')).eq(all(b"<")));
            assert!(positions(block.find_like(b'[', 0x20)).eq(all(b"[{")));
            assert!(positions(block.find_any(*b"<a")).eq(all(b"<a")));
            assert!(positions(block.find_range(b'a', b'{')).eq(all(b"a{")));
            let [block, next] = Block::with_next(rest);
            let pairs = all(b"<").filter(|pair| rest[*pair..].starts_with(b"<{"));
            assert!(positions(block.find_pair(&next, *b"<{")).eq(pairs));
        }
    }

    #[test]
    fn parity_changes_at_each_bit() {
        assert_eq!(parity(0b1001_0010), !0 << 7 | 0b0000_1110);
        assert_eq!(parity(1 << 63), 1 << 63);
    }
}
