//! The blocks of the last xz stream of a file. The index at the end of the stream lists their sizes.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use super::blocks::{BlockFormat, StreamPart, StreamPosition};
use super::held::HeldBytes;
use super::xz::XzDecoder;
use crate::numbers;

/// Bytes of the header of a stream.
const HEADER_BYTES: usize = 12;
/// Bytes of the footer of a stream.
const FOOTER_BYTES: usize = 12;
/// Magic number at the end of a footer.
const FOOTER_MAGIC: &[u8] = b"YZ";
/// Maximum size of an index, in bytes.
const MAX_INDEX_BYTES: usize = 4 << 20;
/// Maximum size of a packed block, in bytes.
const MAX_BLOCK_BYTES: u64 = 16 << 20;

/// Facts about a stream before one of its blocks.
#[derive(Clone, Debug)]
pub(crate) struct XzBlockFacts {
    stream: Arc<XzStreamIndex>,
    /// The number of blocks before.
    next: usize,
}

/// A stream and its index.
#[derive(Debug)]
pub(super) struct XzStreamIndex {
    /// Byte at which the stream starts.
    start: u64,
    /// Flags of the stream: the kind of checksum of its blocks.
    flags: [u8; 2],
    blocks: Vec<XzIndexEntry>,
    /// Byte at which the blocks end.
    blocks_end: u64,
    /// Byte at which the stream ends.
    end: u64,
}

#[derive(Clone, Copy, Debug)]
struct XzIndexEntry {
    /// Offset in the file.
    at: u64,
    /// Packed bytes without padding.
    unpadded: u64,
    unpacked: u64,
}

impl XzIndexEntry {
    fn end(self) -> Option<u64> {
        self.at.checked_add(padded(self.unpadded)?)
    }
}

impl BlockFormat for XzDecoder {
    type Known = XzBlockFacts;
    /// The last stream of the file. Kept so that its index is read once, not at each stream.
    type Layout = OnceCell<Option<Arc<XzStreamIndex>>>;
    // Blocks unpack to 24 MiB if xz packs them with its defaults.
    const SECTION_LIMITS: (usize, usize) = (1 << 20, 64 << 20);

    fn enter(
        held: &mut HeldBytes,
        last: &Self::Layout,
        start: u64,
        max: usize,
    ) -> Option<StreamPosition<XzBlockFacts>> {
        let stream = last.get_or_init(|| XzStreamIndex::read(held).map(Arc::new));
        let stream = stream.as_ref().filter(|stream| stream.start == start)?;
        (stream.fits(max) && stream.has_header(held)).then(|| StreamPosition {
            start,
            bit: 8 * (start + HEADER_BYTES as u64),
            is_first: true,
            given: 0,
            known: XzBlockFacts {
                stream: Arc::clone(stream),
                next: 0,
            },
        })
    }

    fn find(
        _: &mut HeldBytes,
        range: &Range<u64>,
        from: u64,
        near: Option<&StreamPosition<XzBlockFacts>>,
    ) -> Option<StreamPosition<XzBlockFacts>> {
        let near = near?;
        let blocks = &near.known.stream.blocks;
        let next = blocks.partition_point(|block| 8 * block.at < from);
        let block = blocks.get(next).filter(|block| block.at < range.end)?;
        Some(StreamPosition {
            start: near.start,
            bit: 8 * block.at,
            is_first: next == 0,
            given: 0,
            known: XzBlockFacts {
                stream: Arc::clone(&near.known.stream),
                next,
            },
        })
    }

    /// Returns the end of a block.
    fn section_end(known: &XzBlockFacts, start: u64, length: u64) -> u64 {
        let blocks = &known.stream.blocks;
        let end = blocks.partition_point(|block| block.at < start + length);
        let end = blocks
            .get(end)
            .map_or(known.stream.blocks_end, |end| end.at);
        end.max(start + 1)
    }

    fn next(
        held: &mut HeldBytes,
        at: &StreamPosition<XzBlockFacts>,
    ) -> Option<StreamPart<XzBlockFacts>> {
        let stream = &at.known.stream;
        let known = XzBlockFacts {
            stream: Arc::clone(stream),
            next: at.known.next + 1,
        };
        let Some(block) = stream.blocks.get(at.known.next) else {
            let byte = stream.end;
            return Some(StreamPart::End { byte, known });
        };
        let count = (block.end()? - block.at) as usize;
        let bytes = held.bytes_from(block.at, count).0.get(..count)?;
        Some(StreamPart::Block {
            alone: block_as_stream(bytes, block, stream.flags),
            end: 8 * block.end()?,
            known,
        })
    }

    fn join(before: &XzBlockFacts, after: &XzBlockFacts) -> Option<XzBlockFacts> {
        Arc::ptr_eq(&before.stream, &after.stream).then(|| after.clone())
    }

    /// Always true: the index was verified, and each block was verified against the sizes in it.
    fn agrees(_: &XzBlockFacts) -> bool {
        true
    }
}

impl XzStreamIndex {
    /// Reads the last stream of the file from its index and footer. Does not check that it has a header.
    fn read(held: &mut HeldBytes) -> Option<Self> {
        let end = held.size();
        let footer = end.checked_sub(FOOTER_BYTES as u64)?;
        let (length, flags) = parse_footer(held.bytes_from(footer, FOOTER_BYTES).0)?;
        let blocks_end = footer.checked_sub(length as u64)?;
        let bytes = held.bytes_from(blocks_end, length).0.get(..length)?;
        let mut blocks = parse_index(bytes)?;
        let first = blocks_end.checked_sub(blocks.last()?.end()?)?;
        blocks.iter_mut().for_each(|block| block.at += first);
        Some(XzStreamIndex {
            start: first.checked_sub(HEADER_BYTES as u64)?,
            flags,
            blocks,
            blocks_end,
            end,
        })
    }

    /// Whether there are several blocks, and each can be decoded into `max` bytes.
    fn fits(&self, max: usize) -> bool {
        let fits = |block: &XzIndexEntry| {
            block.unpacked <= max as u64 && block.unpadded <= MAX_BLOCK_BYTES
        };
        self.blocks.len() > 1 && self.blocks.iter().all(fits)
    }

    fn has_header(&self, held: &mut HeldBytes) -> bool {
        let header = held.bytes_from(self.start, HEADER_BYTES).0;
        header.starts_with(&header_of(self.flags))
    }
}

/// Returns the length of the index before a footer, and the flags of the stream.
fn parse_footer(bytes: &[u8]) -> Option<(usize, [u8; 2])> {
    let (sum, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (flags, magic) = rest.split_first_chunk::<2>()?;
    let length = 4 * (u32::from_le_bytes(*length) as usize + 1);
    let is_valid = checksum(&bytes[4..10]) == *sum && magic == FOOTER_MAGIC;
    (is_valid && length <= MAX_INDEX_BYTES).then_some((length, *flags))
}

/// Returns the blocks that an index lists, with offsets from the first block.
fn parse_index(bytes: &[u8]) -> Option<Vec<XzIndexEntry>> {
    let (mut rest, sum) = bytes.split_last_chunk::<4>()?;
    if checksum(rest) != *sum || !rest.starts_with(&[0]) {
        return None;
    }
    rest = &rest[1..];
    // Each block takes at least two bytes.
    let count = number(&mut rest)?.min(bytes.len() as u64);
    let (mut at, mut blocks) = (0, Vec::new());
    for _ in 0..count {
        let (unpadded, unpacked) = (number(&mut rest)?, number(&mut rest)?);
        let block = XzIndexEntry {
            at,
            unpadded,
            unpacked,
        };
        at = block.end()?;
        blocks.push(block);
    }
    let is_padding = rest.len() < 4 && rest.iter().all(|byte| *byte == 0);
    is_padding.then_some(blocks)
}

/// Takes a number of variable length from the start of `bytes`.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            // The last byte is 0 only in the number 0.
            return (*first > 0 || shift == 0).then_some(value);
        }
    }
    None
}

fn push_number(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns `size` with its padding.
fn padded(size: u64) -> Option<u64> {
    size.checked_next_multiple_of(4)
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

fn header_of(flags: [u8; 2]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..6].copy_from_slice(numbers::XZ_MAGIC);
    header[6..8].copy_from_slice(&flags);
    header[8..].copy_from_slice(&checksum(&flags));
    header
}

/// Returns `block` as a stream of its own. `bytes` are the block and its padding.
fn block_as_stream(bytes: &[u8], block: &XzIndexEntry, flags: [u8; 2]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 64);
    out.extend(header_of(flags));
    out.extend(bytes);
    let mut index = vec![0, 1];
    push_number(&mut index, block.unpadded);
    push_number(&mut index, block.unpacked);
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend(checksum(&index));
    let mut footer = ((index.len() / 4 - 1) as u32).to_le_bytes().to_vec();
    footer.extend(flags);
    out.extend(&index);
    out.extend(checksum(&footer));
    out.extend(footer);
    out.extend(FOOTER_MAGIC);
    out
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::super::members::tests::noise;
    use super::super::parallel::tests::xz_blocks;
    use super::*;

    const MAX: usize = 1 << 20;

    fn enter(file: &Arc<File>, last: &<XzDecoder as BlockFormat>::Layout, start: usize) -> bool {
        // Bytes held from an earlier call would hide a read.
        let mut held = HeldBytes::new(Arc::clone(file));
        XzDecoder::enter(&mut held, last, start as u64, MAX).is_some()
    }

    #[test]
    fn the_index_is_read_once_however_many_streams_are_before_it() {
        let small = xz_blocks(b"");
        let start = 100 * small.len();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&small.repeat(100)).unwrap();
        file.write_all(&xz_blocks(&noise(1, 9000))).unwrap();
        let (file, last) = (Arc::new(file), OnceCell::new());
        assert!(!enter(&file, &last, 0));
        // Without the index, only the parts read before are known.
        file.set_len((start + HEADER_BYTES) as u64).unwrap();
        assert!(!enter(&file, &OnceCell::new(), start));
        for before in (0..start).step_by(small.len()) {
            assert!(!enter(&file, &last, before));
        }
        assert!(enter(&file, &last, start));
    }

    #[test]
    fn a_stream_is_entered_only_at_its_header() {
        let packed = xz_blocks(&noise(1, 9000));
        for (at, is_entered) in [(HEADER_BYTES, true), (0, false), (HEADER_BYTES - 1, false)] {
            let mut packed = packed.clone();
            packed[at] ^= 1;
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&packed).unwrap();
            assert_eq!(
                enter(&Arc::new(file), &OnceCell::new(), 0),
                is_entered,
                "{at}"
            );
        }
    }
}
