//! Reads streams of bzip2 by their blocks, so that several threads can decode one stream.
//!
//! A block is decoded as a stream of its own, with a header before it and an end after it. So the decoder itself
//! verifies the block and its end, before a byte of it is returned. If that fails, the stream is read again from its start
//! as a member, and bytes that were already returned are skipped. So bytes and errors are those of [`FileMembers`].

use std::ops::Range;

use super::bzip2::Bzip2Decoder;
use super::bzip2_blocks::{self, Bzip2BlockFacts, StreamPart, StreamPosition};
use super::file_members::FileMembers;
use super::held::HeldBytes;
use super::members::{MemberFormat, MemberStep, WholeMember};
use super::parallel::{DecodedSection, MAX_TRIAL_BYTES, OrderedReader, SectionDecoder};
use super::streams::StreamDecoder;
use crate::fault::InputError;
use crate::file::SourceFile;
use crate::read_options::{ReadLimits, ReadOptions};

/// Minimum cost of a false start, in bytes. A short block costs this much too, since a decoder is prepared for it, which clears
/// 3.6 MB of memory.
const MIN_TRIAL_BYTES: usize = 64 << 10;

/// A place in a file of streams.
enum FilePosition {
    /// At the start of a member, or of other bytes.
    Between(u64),
    In(StreamPosition),
}

impl FilePosition {
    fn bit(&self) -> u64 {
        match self {
            FilePosition::Between(byte) => 8 * byte,
            FilePosition::In(at) => at.bit,
        }
    }
}

/// The blocks that a section has passed over.
pub(super) struct SkippedBlocks {
    /// The facts after the blocks of the stream in which the section starts.
    first: Bzip2BlockFacts,
    /// Whether the end of that stream was passed.
    ended: bool,
    place: FilePosition,
}

/// A block that is being decoded.
struct OpenBlock {
    alone: Vec<u8>,
    read: usize,
}

impl OpenBlock {
    fn new(format: &mut Bzip2Decoder, alone: Vec<u8>) -> Result<Self, InputError> {
        format.restart()?;
        Ok(OpenBlock { alone, read: 0 })
    }

    /// Decodes more of it into `into`. Returns the number of bytes, and whether it has ended; `None` if it is damaged or
    /// `into` is full.
    fn step(&mut self, format: &mut Bzip2Decoder, into: &mut [u8]) -> Option<(usize, bool)> {
        loop {
            let step = format.step(&self.alone[self.read..], into);
            self.read += step.read;
            match step.ended {
                Ok(true) if self.read == self.alone.len() => return Some((step.written, true)),
                Ok(false) if step.written > 0 => return Some((step.written, false)),
                Ok(false) if step.read > 0 => {}
                _ => return None,
            }
        }
    }

    /// Decodes all of it into `out`. Returns the number of bytes; `None` if it is damaged or does not fit.
    fn whole(&mut self, format: &mut Bzip2Decoder, out: &mut [u8]) -> Option<usize> {
        let mut filled = 0;
        loop {
            let (written, ended) = self.step(format, &mut out[filled..])?;
            filled += written;
            if ended {
                return Some(filled);
            }
        }
    }
}

/// Decodes sections of a file of streams, by their blocks.
pub(super) struct BlockSections {
    format: Bzip2Decoder,
    held: HeldBytes,
}

impl SectionDecoder for BlockSections {
    /// The place of the reader in a stream.
    type Hint = Option<StreamPosition>;
    type Passed = Option<SkippedBlocks>;

    fn new(file: SourceFile, _: &ReadLimits) -> Option<Self> {
        Some(BlockSections {
            format: Bzip2Decoder::new(),
            held: HeldBytes::new(file),
        })
    }

    /// Decodes the blocks that start in `range` of the file into `out`, from the first valid one up to one that is damaged or
    /// does not fit.
    fn decode(
        &mut self,
        range: Range<u64>,
        near: Self::Hint,
        mut out: Vec<u8>,
    ) -> DecodedSection<Self::Passed> {
        let (mut from, mut cost) = (8 * range.start, 0);
        while cost <= MAX_TRIAL_BYTES
            && let Some(first) =
                bzip2_blocks::find_block(&mut self.held, &range, from, near.as_ref())
        {
            let start = first.bit;
            let mut blocks = SectionBlocks::new(first, &mut out);
            blocks.decode(self, 8 * range.end);
            if blocks.filled > 0 {
                let filled = blocks.filled;
                return DecodedSection {
                    bits: start..blocks.passed.place.bit(),
                    passed: Some(blocks.passed),
                    out,
                    filled,
                };
            }
            cost += MIN_TRIAL_BYTES + blocks.cost;
            from = start + 1;
        }
        DecodedSection {
            bits: 8 * range.end..8 * range.end,
            out,
            filled: 0,
            passed: None,
        }
    }
}

/// The blocks of a section.
struct SectionBlocks<'o> {
    passed: SkippedBlocks,
    out: &'o mut [u8],
    filled: usize,
    /// Bytes of the block that could not be decoded.
    cost: usize,
}

impl<'o> SectionBlocks<'o> {
    fn new(first: StreamPosition, out: &'o mut [u8]) -> Self {
        SectionBlocks {
            passed: SkippedBlocks {
                first: first.known.clone(),
                ended: false,
                place: FilePosition::In(first),
            },
            out,
            filled: 0,
            cost: 0,
        }
    }

    /// Decodes blocks that start before bit `end`.
    fn decode(&mut self, sections: &mut BlockSections, end: u64) {
        while self.passed.place.bit() < end {
            let next = match &self.passed.place {
                FilePosition::Between(byte) => self.stream(sections, *byte),
                FilePosition::In(at) => {
                    let at = at.clone();
                    self.part(sections, at)
                }
            };
            let Some(next) = next else { return };
            self.passed.place = next;
        }
    }

    /// Decodes the stream at `byte` if it is short, or enters it. Returns the next place.
    fn stream(&mut self, sections: &mut BlockSections, byte: u64) -> Option<FilePosition> {
        let BlockSections { format, held } = sections;
        match short(format, held, byte, &mut self.out[self.filled..]) {
            Some((end, written)) => {
                self.filled += written;
                Some(FilePosition::Between(end))
            }
            None => bzip2_blocks::enter(held, byte).map(FilePosition::In),
        }
    }

    /// Decodes the part of a stream at `at`. Returns the place after it.
    fn part(&mut self, sections: &mut BlockSections, at: StreamPosition) -> Option<FilePosition> {
        let BlockSections { format, held, .. } = sections;
        let (place, known) = match bzip2_blocks::next_part(held, &at)? {
            StreamPart::Block { alone, end, known } => {
                self.cost = alone.len();
                let mut block = OpenBlock::new(format, alone).ok()?;
                let count = block.whole(format, &mut self.out[self.filled..])?;
                self.filled += count;
                let given = at.given + count as u64;
                let at = StreamPosition {
                    bit: end,
                    is_first: false,
                    given,
                    known: known.clone(),
                    ..at
                };
                (FilePosition::In(at), known)
            }
            StreamPart::End { known, .. } if self.passed.ended && !known.agrees() => {
                return None;
            }
            StreamPart::End { byte, known } => (FilePosition::Between(byte), known),
        };
        if !self.passed.ended {
            self.passed.first = known;
            self.passed.ended = matches!(place, FilePosition::Between(_));
        }
        Some(place)
    }
}

/// Decodes the stream at `byte` at once, if it is short. Returns the byte after it and the number of decoded bytes.
fn short(
    format: &mut Bzip2Decoder,
    held: &mut HeldBytes,
    byte: u64,
    out: &mut [u8],
) -> Option<(u64, usize)> {
    let bytes = held
        .bytes_from(byte, Bzip2Decoder::MAX_WHOLE_PACKED_BYTES)
        .0;
    match format.whole(
        &bytes[..bytes.len().min(Bzip2Decoder::MAX_WHOLE_PACKED_BYTES)],
        out,
    ) {
        WholeMember::Done { read, written } => Some((byte + read as u64, written)),
        WholeMember::Full | WholeMember::No => None,
    }
}

/// Reads the streams of a file in order, by their blocks where that is possible.
pub(super) struct BlockReader {
    format: Bzip2Decoder,
    held: HeldBytes,
    members: FileMembers<Bzip2Decoder>,
    place: ReaderPosition,
    /// Whether streams are read by blocks.
    by_blocks: bool,
    /// Maximum unpacked size of a section.
    max: usize,
    /// Buffer for a decoded block, and the part of it that was not returned yet.
    out: Vec<u8>,
    left: Range<usize>,
    /// Whether a block or stream has ended, and that was not reported yet.
    ended: bool,
}

/// The place of a reader of blocks.
enum ReaderPosition {
    /// At the place of `members`.
    Members,
    /// Before a block or the end of a stream.
    Between(StreamPosition),
    /// In a valid block, before that place.
    Within(OpenBlock, StreamPosition),
}

impl BlockReader {
    /// Goes to a member, or to other bytes, at `byte`.
    fn go_to(&mut self, byte: u64) {
        self.members.continue_at(byte);
        self.enter();
    }

    /// Enters the stream where the members are, if there is one.
    fn enter(&mut self) {
        let start = self.members.position();
        let stream = if self.by_blocks {
            bzip2_blocks::enter(&mut self.held, start)
        } else {
            None
        };
        self.place = match stream {
            Some(at) => ReaderPosition::Between(at),
            None => ReaderPosition::Members,
        };
    }

    /// Makes a step through members.
    fn member(&mut self, into: &mut [u8]) -> Result<MemberStep, InputError> {
        while let ReaderPosition::Members = self.place {
            match self.members.step(into)? {
                MemberStep::Boundary => self.enter(),
                other => return Ok(other),
            }
        }
        Ok(MemberStep::Boundary)
    }

    /// Reads the stream at `at` again from its start, as a member.
    fn read_stream_as_member(&mut self, at: &StreamPosition) {
        self.members.read_again(at.start, at.given);
        self.place = ReaderPosition::Members;
    }

    /// Reads the part of a stream at `at`, or all of it. Returns false if it is damaged.
    fn part(&mut self, at: &StreamPosition) -> bool {
        if self.out.is_empty() {
            self.out = vec![0; self.max];
        }
        if at.is_first
            && let Some((end, written)) =
                short(&mut self.format, &mut self.held, at.start, &mut self.out)
        {
            self.left = 0..written;
            self.go_to(end);
            self.ended = true;
            return true;
        }
        match bzip2_blocks::next_part(&mut self.held, at) {
            Some(StreamPart::Block { alone, end, known }) => {
                let then = StreamPosition {
                    bit: end,
                    is_first: false,
                    known,
                    ..*at
                };
                self.block(alone, then).is_some()
            }
            Some(StreamPart::End { byte, known }) if known.agrees() => {
                self.go_to(byte);
                self.ended = true;
                true
            }
            _ => false,
        }
    }

    /// Decodes a block before `then`. Returns `None` if it is damaged.
    fn block(&mut self, alone: Vec<u8>, mut then: StreamPosition) -> Option<()> {
        let mut block = OpenBlock::new(&mut self.format, alone).ok()?;
        let (mut filled, mut count, mut ended) = (0, 0, false);
        while !ended {
            // A block that does not fit is verified first, and then decoded again.
            filled = if filled == self.out.len() { 0 } else { filled };
            let step = block.step(&mut self.format, &mut self.out[filled..]);
            let (written, is_end) = step?;
            (filled, count, ended) = (filled + written, count + written as u64, is_end);
        }
        then.given += count;
        self.place = if count == filled as u64 {
            self.left = 0..filled;
            self.ended = true;
            ReaderPosition::Between(then)
        } else {
            let block = OpenBlock::new(&mut self.format, block.alone).ok()?;
            ReaderPosition::Within(block, then)
        };
        Some(())
    }

    fn hand_out(&mut self, into: &mut [u8]) -> MemberStep {
        let count = into.len().min(self.left.len());
        into[..count].copy_from_slice(&self.out[self.left.start..][..count]);
        self.left.start += count;
        MemberStep::Bytes(count)
    }
}

impl OrderedReader for BlockReader {
    type Sections = BlockSections;
    // A block has up to 900,000 bytes before runs are repeated.
    const SECTION_LIMITS: (usize, usize) = (2 << 20, 16 << 20);

    fn new(
        file: &SourceFile,
        size: u64,
        options: &ReadOptions<'_>,
        max: usize,
    ) -> Result<Self, InputError> {
        let mut reader = BlockReader {
            format: Bzip2Decoder::new(),
            held: HeldBytes::new(file.clone()),
            members: FileMembers::new(file, size, options, max)?,
            place: ReaderPosition::Members,
            by_blocks: true,
            max,
            out: Vec::new(),
            left: 0..0,
            ended: false,
        };
        reader.enter();
        Ok(reader)
    }

    fn bit(&self) -> u64 {
        match &self.place {
            ReaderPosition::Members => self.members.bit(),
            ReaderPosition::Between(at) | ReaderPosition::Within(_, at) => at.bit,
        }
    }

    fn step(&mut self, into: &mut [u8]) -> Result<MemberStep, InputError> {
        loop {
            if !self.left.is_empty() {
                return Ok(self.hand_out(into));
            }
            if std::mem::take(&mut self.ended) {
                return Ok(MemberStep::Boundary);
            }
            match &mut self.place {
                ReaderPosition::Members => return self.member(into),
                ReaderPosition::Between(at) => {
                    let at = at.clone();
                    if !self.part(&at) {
                        self.read_stream_as_member(&at);
                    }
                }
                ReaderPosition::Within(block, then) => {
                    let step = block.step(&mut self.format, into);
                    let (written, ended) = step.unwrap_or((0, true));
                    if ended {
                        self.place = ReaderPosition::Between(then.clone());
                        self.ended = true;
                    }
                    if written > 0 {
                        return Ok(MemberStep::Bytes(written));
                    }
                }
            }
        }
    }

    fn starts_within_member(&self) -> bool {
        !matches!(self.place, ReaderPosition::Members)
    }

    fn hint(&self) -> Option<StreamPosition> {
        match &self.place {
            ReaderPosition::Members => None,
            ReaderPosition::Between(at) | ReaderPosition::Within(_, at) => Some(at.clone()),
        }
    }

    fn pass(&mut self, section: &DecodedSection<Option<SkippedBlocks>>) -> bool {
        let (ReaderPosition::Between(before), Some(passed)) = (&self.place, &section.passed) else {
            return false;
        };
        let Some(known) = before.known.join(&passed.first) else {
            return false;
        };
        if passed.ended && !known.agrees() {
            return false;
        }
        match &passed.place {
            FilePosition::Between(byte) => self.go_to(*byte),
            FilePosition::In(at) if passed.ended => {
                self.place = ReaderPosition::Between(at.clone())
            }
            FilePosition::In(at) => {
                let given = before.given + at.given;
                self.place = ReaderPosition::Between(StreamPosition {
                    start: before.start,
                    bit: at.bit,
                    is_first: false,
                    given,
                    known,
                });
            }
        }
        true
    }

    fn no_more_sections(&mut self) {
        self.by_blocks = false;
        if let ReaderPosition::Between(at) = &self.place
            && at.is_first
        {
            let at = at.clone();
            self.read_stream_as_member(&at);
        }
    }
}
