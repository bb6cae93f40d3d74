//! xz. Its streams are members.

use std::io;
use std::ops::Range;

use liblzma::stream::{Action, Error, Status, Stream};

use super::members::MemberFormat;
use super::streams::{DecodeFault, DecodeStep, HEAD_BYTES, StreamDecoder};
use crate::fault::{InputError, Packing};
use crate::numbers;
use crate::read_options::ReadLimits;

/// Memory that decoding needs besides the dictionary, in bytes.
pub(super) const DECODER_BYTES: u64 = 1 << 20;
/// Bytes that are decoded at once. The number of bytes that are decoded after damage depends on the free space, which must
/// therefore be the same for all sizes of reads.
const PIECE_BYTES: usize = 4 << 10;

/// Decodes in pieces.
pub(super) struct XzDecoder {
    stream: Stream,
    window: u64,
    piece: Box<[u8]>,
    /// The part of the piece that was not returned yet.
    left: Range<usize>,
    /// The result of decoding the piece.
    ended: Result<bool, DecodeFault>,
}

impl XzDecoder {
    /// Accepts streams with dictionaries of up to `window` bytes.
    pub(super) fn new(window: u64) -> Result<Self, InputError> {
        let memory = window.saturating_add(DECODER_BYTES);
        Ok(XzDecoder {
            stream: Stream::new_stream_decoder(memory, 0).map_err(io::Error::from)?,
            window,
            piece: vec![0; PIECE_BYTES].into_boxed_slice(),
            left: 0..0,
            ended: Ok(false),
        })
    }

    /// Decodes the next piece. Returns the number of bytes of `input` consumed.
    fn decode(&mut self, input: &[u8]) -> usize {
        let (read, written) = (self.stream.total_in(), self.stream.total_out());
        let start = written as usize % PIECE_BYTES;
        let room = &mut self.piece[start..];
        let status = self.stream.process(input, room, Action::Run);
        self.left = start..start + (self.stream.total_out() - written) as usize;
        self.ended = status
            .map(|status| status == Status::StreamEnd)
            .map_err(|error| self.fault_of(error));
        (self.stream.total_in() - read) as usize
    }

    fn fault_of(&self, error: Error) -> DecodeFault {
        match error {
            Error::MemLimit => DecodeFault::Window {
                packing: Packing::Xz,
                limit: self.window,
            },
            other => other.into(),
        }
    }
}

impl StreamDecoder for XzDecoder {
    const PACKING: Packing = Packing::Xz;

    fn starts(head: &[u8]) -> bool {
        head.starts_with(numbers::XZ_MAGIC)
    }

    fn restart(&mut self) -> Result<(), InputError> {
        *self = XzDecoder::new(self.window)?;
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let read = if self.left.is_empty() {
            self.decode(input)
        } else {
            0
        };
        let written = output.len().min(self.left.len());
        let (start, end) = (self.left.start, self.left.start + written);
        output[..written].copy_from_slice(&self.piece[start..end]);
        self.left.start = end;
        let ended = if self.left.is_empty() {
            std::mem::replace(&mut self.ended, Ok(false))
        } else {
            Ok(false)
        };
        DecodeStep {
            read,
            written,
            ended,
        }
    }
}

impl MemberFormat for XzDecoder {
    const MAGIC: &'static [u8] = numbers::XZ_MAGIC;
    // Packed chunks of LZMA2 have at most 64 KiB.
    const MAX_STEP_PACKED_BYTES: usize = 192 << 10;
    const MAX_WHOLE_PACKED_BYTES: usize = 0;

    fn new(limits: &ReadLimits) -> Result<Self, InputError> {
        XzDecoder::new(limits.window)
    }

    /// Whether `head` has the magic number, and flags with the first two bytes of their checksum.
    fn may_start(head: &[u8]) -> bool {
        let flags = &head[numbers::XZ_MAGIC.len()..][..2];
        head[8..HEAD_BYTES] == numbers::crc32(flags).to_le_bytes()[..2]
    }
}
