//! The blocks of bzip2 streams. They start at any bit, with a magic number and a checksum.

use std::ops::Range;

use super::held::HeldBytes;

/// Magic number at the start of a block.
const BLOCK_MAGIC: u64 = 0x3141_5926_5359;
/// Magic number at the end of a stream.
const END_MAGIC: u64 = 0x1772_4538_5090;
/// Bits of these numbers.
const MAGIC_BITS: usize = 48;
/// Bits of the checksum after them.
const CHECKSUM_BITS: usize = 32;
/// Bits of the bytes that can hold a magic number at any bit.
const WINDOW_BITS: usize = 56;
/// Bytes of a stream's header.
const HEADER_BYTES: usize = 4;
/// Packed bytes that are searched for the end of a block at first, and at most. A symbol of a block has at most 20 bits.
const SEARCHED_BYTES: Range<usize> = 512 << 10..4 << 20;

/// A place between the blocks of a stream, or before its end.
#[derive(Clone, Debug)]
pub(super) struct StreamPosition {
    /// Byte at which the stream starts.
    pub(super) start: u64,
    /// Bit of the file.
    pub(super) bit: u64,
    /// Whether it is before the first block.
    pub(super) is_first: bool,
    /// Unpacked bytes of the stream before the place.
    pub(super) given: u64,
    pub(super) known: Bzip2BlockFacts,
}

/// A part of a stream.
pub(super) enum StreamPart {
    /// A block, packed as a stream of its own, and the bit at which it ends.
    Block {
        alone: Vec<u8>,
        end: u64,
        known: Bzip2BlockFacts,
    },
    /// The end, before this byte.
    End { byte: u64, known: Bzip2BlockFacts },
}

/// Facts about a stream before one of its blocks.
#[derive(Clone, Debug)]
pub(crate) struct Bzip2BlockFacts {
    /// The digit that states the size of its blocks.
    level: u8,
    /// The checksum of the blocks before, and their number.
    sum: u32,
    count: u32,
    /// The checksum at the end of the stream.
    stated: Option<u32>,
}

impl Bzip2BlockFacts {
    fn new(level: u8) -> Self {
        Bzip2BlockFacts {
            level,
            sum: 0,
            count: 0,
            stated: None,
        }
    }

    /// Joins the facts about the parts of a stream before and after a place. `after` was gathered without the part before it.
    /// Returns `None` if the parts do not belong together.
    pub(super) fn join(&self, after: &Self) -> Option<Self> {
        (self.level == after.level).then(|| Bzip2BlockFacts {
            sum: self.sum.rotate_left(after.count % 32) ^ after.sum,
            count: self.count.wrapping_add(after.count),
            ..*after
        })
    }

    /// Whether the end of a stream agrees with the facts about all its blocks.
    pub(super) fn agrees(&self) -> bool {
        self.stated == Some(self.sum)
    }

    fn with(&self, block: u32) -> Self {
        Bzip2BlockFacts {
            sum: self.sum.rotate_left(1) ^ block,
            count: self.count.wrapping_add(1),
            ..*self
        }
    }
}

/// Returns the first place of the stream that starts at byte `start`; `None` if no stream is there.
pub(super) fn enter(held: &mut HeldBytes, start: u64) -> Option<StreamPosition> {
    let level = level(held.bytes_from(start, HEADER_BYTES).0)?;
    Some(StreamPosition {
        start,
        bit: 8 * (start + HEADER_BYTES as u64),
        is_first: true,
        given: 0,
        known: Bzip2BlockFacts::new(level),
    })
}

/// Returns the first place at or after bit `from` where a block may start, if it is within the bytes `range`. `near` is a place
/// before it, in the same stream or another.
pub(super) fn find_block(
    held: &mut HeldBytes,
    range: &Range<u64>,
    from: u64,
    near: Option<&StreamPosition>,
) -> Option<StreamPosition> {
    let inside = (range.end - range.start) as usize;
    let (bytes, _) = held.bytes_from(range.start, inside + SEARCHED_BYTES.start);
    let from = (from - 8 * range.start) as usize;
    let at = find(bytes, from, &[BLOCK_MAGIC]).filter(|at| *at < 8 * inside)?;
    // If this is not the first block of a stream, it is of the stream where the reader is, or of one like it.
    let header = (at / 8).checked_sub(HEADER_BYTES).filter(|_| at % 8 == 0);
    let first = header.and_then(|header| Some((header, level(&bytes[header..])?)));
    let (start, level) = match (first, near) {
        (Some((header, level)), _) => (range.start + header as u64, level),
        (None, Some(near)) => (near.start, near.known.level),
        (None, None) => (0, b'9'),
    };
    Some(StreamPosition {
        start,
        bit: 8 * range.start + at as u64,
        is_first: first.is_some(),
        given: 0,
        known: Bzip2BlockFacts::new(level),
    })
}

/// Reads the next part of the stream. Returns `None` if it is damaged, or a block is too large.
pub(super) fn next_part(held: &mut HeldBytes, at: &StreamPosition) -> Option<StreamPart> {
    let (byte, shift) = (at.bit / 8, (at.bit % 8) as usize);
    let (bytes, _) = held.bytes_from(byte, SEARCHED_BYTES.start);
    let magic = bits(bytes, shift, MAGIC_BITS)?;
    let sum = bits(bytes, shift + MAGIC_BITS, CHECKSUM_BITS)? as u32;
    let after = shift + MAGIC_BITS + CHECKSUM_BITS;
    if magic == END_MAGIC {
        let mut known = at.known.clone();
        known.stated = Some(sum);
        let byte = byte + after.div_ceil(8) as u64;
        return Some(StreamPart::End { byte, known });
    }
    if magic != BLOCK_MAGIC {
        return None;
    }
    let (bytes, end) = block_end(held, byte, after)?;
    Some(StreamPart::Block {
        alone: block_as_stream(bytes, shift..end, at.known.level, sum),
        end: 8 * byte + end as u64,
        known: at.known.with(sum),
    })
}

/// Returns the level that the header at the start of `bytes` states; `None` if there is no header.
fn level(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'B', b'Z', b'h', level @ b'1'..=b'9', ..] => Some(*level),
        _ => None,
    }
}

/// Returns the bytes of the file from `byte`, and the first bit of them at or after `from` where a block may end.
fn block_end(held: &mut HeldBytes, byte: u64, mut from: usize) -> Option<(&[u8], usize)> {
    let mut count = SEARCHED_BYTES.start;
    loop {
        let (bytes, ended) = held.bytes_from(byte, count);
        let end = find(bytes, from, &[BLOCK_MAGIC, END_MAGIC]);
        if let Some(end) = end {
            return Some((held.bytes_from(byte, count).0, end));
        }
        if ended || count >= SEARCHED_BYTES.end {
            return None;
        }
        from = from.max((8 * bytes.len()).saturating_sub(WINDOW_BITS));
        count *= 2;
    }
}

/// Returns `count` bits at bit `at`, up to 57; `None` if there are fewer.
fn bits(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let end = at + count;
    let bytes = bytes.get(at / 8..end.div_ceil(8))?;
    let value = bytes
        .iter()
        .fold(0, |value: u64, byte| value << 8 | u64::from(*byte));
    Some(value >> (8 * bytes.len() - at % 8 - count) & ((1 << count) - 1))
}

/// Returns the first bit of `bytes`, at or after `from`, with one of the `magic` numbers. All of its window must be there.
fn find(bytes: &[u8], from: usize, magic: &[u64]) -> Option<usize> {
    const MAGIC_MASK: u64 = (1 << MAGIC_BITS) - 1;
    /// Bytes that may be the second one of those that a number covers.
    const SECOND_BYTES: [bool; 256] = {
        let (mut second, mut shift) = ([false; 256], 0);
        while shift < 8 {
            second[(BLOCK_MAGIC >> (32 + shift) & 0xff) as usize] = true;
            second[(END_MAGIC >> (32 + shift) & 0xff) as usize] = true;
            shift += 1;
        }
        second
    };
    let first = from / 8;
    let seconds = bytes.get(first + 1..)?.iter().enumerate();
    seconds
        .filter(|(_, byte)| SECOND_BYTES[usize::from(**byte)])
        .filter_map(|(at, _)| Some((first + at, bits(bytes, 8 * (first + at), WINDOW_BITS)?)))
        .flat_map(|(at, window)| (0..8).map(move |shift| (8 * at + shift, window >> (8 - shift))))
        .find(|(at, value)| *at >= from && magic.contains(&(value & MAGIC_MASK)))
        .map(|(at, _)| at)
}

/// Returns the block in the bits `block` of `bytes`, with the checksum `sum`, as a stream of its own.
fn block_as_stream(bytes: &[u8], block: Range<usize>, level: u8, sum: u32) -> Vec<u8> {
    let (first, shift) = (block.start / 8, block.start % 8);
    let (whole, rest) = (block.len() / 8, block.len() % 8);
    let mut out = Vec::with_capacity(HEADER_BYTES + whole + 16);
    out.extend([b'B', b'Z', b'h', level]);
    let pairs = bytes[first..].windows(2).take(whole);
    out.extend(pairs.map(|pair| (u16::from_be_bytes([pair[0], pair[1]]) << shift >> 8) as u8));
    let rest_bits = bits(bytes, block.end - rest, rest).unwrap_or(0);
    let end = u128::from(rest_bits) << MAGIC_BITS | u128::from(END_MAGIC);
    let end = end << CHECKSUM_BITS | u128::from(sum);
    let count = rest + MAGIC_BITS + CHECKSUM_BITS;
    out.extend(
        (end << (128 - count))
            .to_be_bytes()
            .iter()
            .take(count.div_ceil(8)),
    );
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns `bytes` with a number at a bit.
    fn with_number(bytes: &[u8], bit: usize, magic: u64) -> Vec<u8> {
        let mut out = bytes.to_vec();
        for at in 0..MAGIC_BITS {
            let (byte, mask) = ((bit + at) / 8, 0x80 >> ((bit + at) % 8));
            out[byte] &= !mask;
            if magic >> (MAGIC_BITS - 1 - at) & 1 == 1 {
                out[byte] |= mask;
            }
        }
        out
    }

    proptest! {
        #[test]
        fn a_magic_number_is_found_at_every_bit(
            bytes in proptest::collection::vec(any::<u8>(), 60),
            bit in 0..400_usize,
            from in 0..420_usize,
            is_end in any::<bool>(),
        ) {
            let magic = if is_end { END_MAGIC } else { BLOCK_MAGIC };
            let found = find(&with_number(&bytes, bit, magic), from, &[magic]);
            prop_assert_eq!(found, (from <= bit).then_some(bit));
        }
    }

    #[test]
    fn a_block_alone_is_a_stream() {
        use std::io::{Read, Write};
        for length in 1..100 {
            let text = vec![b'x'; 7 * length];
            let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
            for part in [&text[..1], &text] {
                out.write_all(part).unwrap();
                out.flush().unwrap();
            }
            let mut packed = out.finish().unwrap();
            packed.extend([0; 8]);
            let start = find(&packed, 33, &[BLOCK_MAGIC]).unwrap();
            let end = find(&packed, start + 1, &[END_MAGIC]).unwrap();
            let sum = bits(&packed, start + MAGIC_BITS, CHECKSUM_BITS).unwrap();
            let alone = block_as_stream(&packed, start..end, b'1', sum as u32);
            let mut block = Vec::new();
            let mut decoder = ::bzip2::read::BzDecoder::new(&alone[..]);
            decoder.read_to_end(&mut block).unwrap();
            assert_eq!(block, text);
        }
    }
}
