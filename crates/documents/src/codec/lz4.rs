//! LZ4: frames, and the legacy format.
//!
//! The crate `lz4_flex` blocks until its reader has the bytes it needs, but a decoder here gets pieces of any size. So bytes are
//! collected to units that the crate can read completely: the header of a frame, a block, the end. The crate decides whether
//! a unit is valid.

use std::io::{self, Read};

use lz4_flex::frame::FrameDecoder;

use super::members::{AfterDamage, MemberFormat};
use super::streams::{DecodeFault, DecodeStep, StreamDecoder};
use crate::fault::{InputError, Packing};
use crate::numbers;
use crate::read_options::ReadLimits;

/// Flags of a frame, as the LZ4 Frame Format has them.
const INDEPENDENT_FLAG: u8 = 0x20;
const BLOCK_CHECKSUM_FLAG: u8 = 0x10;
const CONTENT_SIZE_FLAG: u8 = 0x08;
const CONTENT_CHECKSUM_FLAG: u8 = 0x04;
const DICTIONARY_FLAG: u8 = 0x01;
/// Size of the largest block of a frame, and of the legacy format, in bytes.
const MAX_BLOCK_BYTES: usize = 4 << 20;
const MAX_LEGACY_BLOCK_BYTES: usize = 8 << 20;
/// The bit in the length of a block that is stored without compression.
const STORED_FLAG: u32 = 1 << 31;

/// Decodes frames, including skippable ones. If a block with a checksum that does not depend on others is damaged, only this
/// block is lost.
pub(super) struct Lz4Decoder {
    frame: FrameDecoder<FrameUnit>,
    part: FramePart,
    flags: u8,
    is_legacy: bool,
    /// Whether the unit is complete and passed to the crate.
    is_whole: bool,
    /// Whether a block was skipped, so that the length and checksum of the whole content cannot be right.
    is_hurt: bool,
    /// Bytes of the unit that was damaged last.
    undecoded: usize,
    after: AfterDamage,
}

/// The part of a frame that a unit belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FramePart {
    Header,
    /// Blocks, and the end mark, which is like a block without bytes.
    Blocks,
    /// A skippable frame with this many bytes left.
    Skipped(u64),
}

/// The bytes of a unit, and the number of them that the crate has read.
#[derive(Default)]
struct FrameUnit {
    bytes: Vec<u8>,
    at: usize,
}

impl FrameUnit {
    /// Returns the number at `at`, if the unit has these bytes.
    fn number(&self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.at = 0;
    }
}

impl Read for FrameUnit {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = (&self.bytes[self.at..]).read(into)?;
        self.at += read;
        Ok(read)
    }
}

impl Lz4Decoder {
    fn start() -> Self {
        Lz4Decoder {
            frame: FrameDecoder::new(FrameUnit::default()),
            part: FramePart::Header,
            flags: 0,
            is_legacy: false,
            is_whole: false,
            is_hurt: false,
            undecoded: 0,
            after: AfterDamage::Lost,
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the size of the complete unit, or of the first bytes that determine it.
    fn wanted(&self) -> usize {
        let unit = self.frame.get_ref();
        match (self.part, unit.number(0)) {
            (FramePart::Skipped(_), _) => 0,
            (_, None) => 4,
            (FramePart::Header, _) => header_length(&unit.bytes),
            (FramePart::Blocks, Some(length)) => self.block_length(length),
        }
    }

    /// Returns the number of bytes of a block and its fields.
    fn block_length(&self, length: u32) -> usize {
        let max = if self.is_legacy {
            MAX_LEGACY_BLOCK_BYTES
        } else {
            MAX_BLOCK_BYTES
        };
        let sum = |flag| 4 * usize::from(self.has(flag));
        match (length & !STORED_FLAG) as usize {
            _ if length == 0 => 4 + sum(CONTENT_CHECKSUM_FLAG),
            // The crate reports the fault from the length alone.
            length if length > max => 4,
            length => 4 + length + sum(BLOCK_CHECKSUM_FLAG),
        }
    }

    /// Adds some of `input` to the unit. Returns the number of bytes.
    fn gather(&mut self, input: &[u8]) -> usize {
        if let FramePart::Skipped(left) = &mut self.part {
            let read = input
                .len()
                .min(usize::try_from(*left).unwrap_or(usize::MAX));
            *left -= read as u64;
            return read;
        }
        let mut read = 0;
        loop {
            let wanted = self.wanted();
            let unit = self.frame.get_mut();
            let missing = wanted - unit.bytes.len().min(wanted);
            let more = missing.min(input.len() - read);
            unit.bytes.extend_from_slice(&input[read..read + more]);
            read += more;
            if more < missing {
                return read;
            }
            if missing == 0 {
                self.begin();
                return read;
            }
        }
    }

    /// Passes a complete unit to the crate.
    fn begin(&mut self) {
        let unit = self.frame.get_mut();
        match self.part {
            FramePart::Header if numbers::is_skippable(&unit.bytes) => {
                self.part = FramePart::Skipped(unit.number(4).unwrap_or_default().into());
                unit.clear();
            }
            FramePart::Header => {
                self.is_legacy = unit.bytes.starts_with(numbers::LZ4_LEGACY_MAGIC);
                self.flags = if self.is_legacy { 0 } else { unit.bytes[4] };
                self.is_whole = true;
            }
            _ if self.is_legacy && unit.bytes.starts_with(numbers::LZ4_LEGACY_MAGIC) => {
                // Concatenated files of the legacy format: more blocks follow.
                unit.clear();
            }
            _ if self.is_legacy && Lz4Decoder::starts(&unit.bytes) => self.leave_legacy(),
            _ => self.is_whole = true,
        }
    }

    /// Starts the frame that follows blocks of the legacy format, which have no end mark. Its first four bytes were taken for
    /// the length of a block.
    fn leave_legacy(&mut self) {
        let start = std::mem::take(self.frame.get_mut());
        *self = Lz4Decoder {
            frame: FrameDecoder::new(start),
            ..Lz4Decoder::start()
        };
    }

    /// Lets the crate decode more of the unit. Nothing is written when the unit is finished.
    fn decode(&mut self, output: &mut [u8]) -> DecodeStep {
        let ended = match self.frame.read(output) {
            Ok(0) => Ok(self.done()),
            Ok(written) => return step(0, written, Ok(false)),
            Err(error) => self.skip_damaged_unit(error),
        };
        self.is_whole = false;
        self.part = FramePart::Blocks;
        self.frame.get_mut().clear();
        step(0, 0, ended)
    }

    /// Whether the finished unit was the end.
    fn done(&mut self) -> bool {
        (self.after, self.undecoded) = (AfterDamage::Lost, 0);
        self.part == FramePart::Blocks && self.frame.get_ref().number(0) == Some(0)
    }

    /// Handles a damaged unit. Returns whether the stream has ended, or the error.
    fn skip_damaged_unit(&mut self, error: io::Error) -> Result<bool, DecodeFault> {
        let unit = self.frame.get_ref();
        let is_end = unit.number(0) == Some(0);
        if self.part == FramePart::Blocks && is_end && self.is_hurt {
            return Ok(true);
        }
        let stands_alone = self.has(INDEPENDENT_FLAG) && self.has(BLOCK_CHECKSUM_FLAG);
        // If the length is too large, the unit has only the length.
        let is_block = self.part == FramePart::Blocks && !is_end && unit.bytes.len() > 4;
        self.after = match self.after {
            // If the first block after damage is bad too, the damage has hidden where it starts.
            AfterDamage::GoesOn => AfterDamage::Reported,
            _ if is_block && stands_alone => AfterDamage::GoesOn,
            _ => AfterDamage::Lost,
        };
        self.is_hurt = true;
        self.undecoded = unit.bytes.len();
        Err(DecodeFault::Damaged(error))
    }
}

fn step(read: usize, written: usize, ended: Result<bool, DecodeFault>) -> DecodeStep {
    DecodeStep {
        read,
        written,
        ended,
    }
}

/// Returns the size of the header at the start of `bytes`, which are at least four.
fn header_length(bytes: &[u8]) -> usize {
    if numbers::is_skippable(bytes) {
        return 8;
    }
    if bytes.starts_with(numbers::LZ4_LEGACY_MAGIC) {
        return 4;
    }
    let flags = bytes.get(4).copied().unwrap_or_default();
    let has = |flag| usize::from(flags & flag != 0);
    7 + 8 * has(CONTENT_SIZE_FLAG) + 4 * has(DICTIONARY_FLAG)
}

impl StreamDecoder for Lz4Decoder {
    const PACKING: Packing = Packing::Lz4;

    fn starts(head: &[u8]) -> bool {
        numbers::is_lz4(head) || numbers::is_skippable(head)
    }

    fn restart(&mut self) -> Result<(), InputError> {
        *self = Lz4Decoder::start();
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        if output.is_empty() {
            return step(0, 0, Ok(false));
        }
        if self.is_whole {
            let decoded = self.decode(output);
            if decoded.written > 0 || !matches!(decoded.ended, Ok(false)) {
                return decoded;
            }
        }
        // Data of the legacy format has no end mark.
        let is_between = self.part == FramePart::Blocks && self.frame.get_ref().bytes.is_empty();
        if self.is_legacy && is_between && input.is_empty() {
            return step(0, 0, Ok(true));
        }
        let read = self.gather(input);
        step(read, 0, Ok(self.part == FramePart::Skipped(0)))
    }
}

impl MemberFormat for Lz4Decoder {
    const MAGIC: &'static [u8] = numbers::LZ4_MAGIC;
    // A header and a block of 4 MiB, stored.
    const MAX_STEP_PACKED_BYTES: usize = MAX_BLOCK_BYTES + 64;
    const MAX_WHOLE_PACKED_BYTES: usize = 0;

    fn new(_: &ReadLimits) -> Result<Self, InputError> {
        Ok(Lz4Decoder::start())
    }

    /// Checks the start of a header. The header has a checksum, and most blocks too.
    fn may_start(head: &[u8]) -> bool {
        matches!(head[4..6], [0x40..=0x7d, 0x40 | 0x50 | 0x60 | 0x70]) && head[4] & 2 == 0
    }

    /// If a length is damaged, a unit may include following frames.
    fn undecoded(&self) -> u64 {
        self.undecoded.max(self.frame.get_ref().bytes.len()) as u64
    }

    fn after(&self) -> AfterDamage {
        self.after
    }
}
