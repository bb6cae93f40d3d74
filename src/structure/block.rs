//! Finds marks among 64 bytes at once. A search per mark takes longer than the marks are apart.

use wide::u8x16;

use crate::bits::Bits;

/// Up to 64 bytes.
pub(super) struct Block([u8x16; 4]);

impl Block {
    pub(super) const SIZE: usize = 64;

    /// The bytes from `at` on. After the end of `bytes` come zeros.
    #[inline(always)]
    pub(super) fn new(bytes: &[u8], at: usize) -> Block {
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.first_chunk() {
            Some(whole) => Block::of(whole),
            None => Block::last(rest),
        }
    }

    #[cold]
    fn last(rest: &[u8]) -> Block {
        let mut padded = [0; Self::SIZE];
        padded[..rest.len()].copy_from_slice(rest);
        Block::of(&padded)
    }

    #[inline(always)]
    fn of(bytes: &[u8; Self::SIZE]) -> Block {
        let (parts, _) = bytes.as_chunks();
        Block(std::array::from_fn(|part| u8x16::new(parts[part])))
    }

    /// Where `byte` is.
    pub(super) fn find(&self, byte: u8) -> Bits {
        self.bits(|part| part.cmp_eq(u8x16::splat(byte)))
    }

    /// Where one of `bytes` is.
    pub(super) fn find_any(&self, [one, other]: [u8; 2]) -> Bits {
        self.bits(|part| part.cmp_eq(u8x16::splat(one)) | part.cmp_eq(u8x16::splat(other)))
    }

    /// Where `byte` or the byte that differs from it in the bit `0x20` is.
    pub(super) fn find_either(&self, byte: u8) -> Bits {
        let bit = u8x16::splat(0x20);
        let byte = u8x16::splat(byte | 0x20);
        self.bits(|part| (part | bit).cmp_eq(byte))
    }

    #[inline(always)]
    fn bits(&self, test: impl Fn(u8x16) -> u8x16) -> Bits {
        let parts = self.0.iter().rev();
        parts.fold(0, |bits, part| {
            bits << 16 | Bits::from(test(*part).move_mask() as u16)
        })
    }
}

/// The length of the name at the start of `bytes`, if it ends within 16 bytes. A name in XML ends before a blank or another
/// control, `/`, `<`, `=`, `>` or a quote.
#[inline(always)]
pub(super) fn short_name(bytes: &[u8]) -> Option<usize> {
    let part = u8x16::new(*bytes.first_chunk()?);
    let (blank, slash) = (u8x16::splat(b' '), u8x16::splat(b'/'));
    let from_less = part - u8x16::splat(b'<');
    let is_sign = from_less.min(u8x16::splat(2)).cmp_eq(from_less);
    let quote = |quote| part.cmp_eq(u8x16::splat(quote));
    let is_quote = quote(b'"') | quote(b'\'');
    let ends = part.min(blank).cmp_eq(part) | part.cmp_eq(slash) | is_sign | is_quote;
    let ends = ends.move_mask();
    (ends != 0).then_some(ends.trailing_zeros() as usize)
}

/// Each bit of the result says whether an odd number of `bits` is set up to there.
pub(super) fn parity(mut bits: Bits) -> Bits {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::positions;

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
            assert!(positions(block.find_either(b'[')).eq(all(b"[{")));
        }
    }

    #[test]
    fn short_names_end_at_signs() {
        let length = |text: &str| short_name(format!("{text:16}").as_bytes());
        assert_eq!(length("name>"), Some(4));
        assert_eq!(length("a:b:name=''"), Some(8));
        assert_eq!(length("a/:"), Some(1));
        assert_eq!(length("\u{e9}-._\n:"), Some(5));
        assert_eq!(length("<"), Some(0));
        assert_eq!(length("a\""), Some(1));
        assert_eq!(length("ab'"), Some(2));
        assert_eq!(length("0123456789;!#?@x"), None);
        assert_eq!(short_name(b"name>"), None);
    }

    #[test]
    fn parity_changes_at_each_bit() {
        assert_eq!(parity(0b1001_0010), !0 << 7 | 0b0000_1110);
        assert_eq!(parity(1 << 63), 1 << 63);
    }
}
