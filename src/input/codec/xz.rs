//! xz. Its streams are members; the blocks within one are not, since only the end of the stream lists where they are.

use std::io;
use std::ops::Range;

use liblzma::stream::{Action, Error, Status, Stream};

use super::members::Format;
use super::streams::{Decode, HEAD, Step};
use crate::input::fault::{InputError, Packing};
use crate::input::magic::numbers;
use crate::input::opening::Limits;

/// Bytes that decoding takes beside the dictionary.
const BESIDE: u64 = 1 << 20;
/// Bytes that are decoded at once. A damaged stream is decoded on as far as there is room, so that room must be the same
/// however its bytes are read.
const PIECE: usize = 4 << 10;

pub(super) struct Xz(Pieces);

/// A decoder of liblzma, whose bytes are given piece by piece.
pub(super) struct Pieces {
    stream: Stream,
    packing: Packing,
    window: u64,
    piece: Box<[u8]>,
    /// What of the piece is not yet given.
    left: Range<usize>,
    /// What came of decoding it.
    ended: io::Result<bool>,
}

impl Pieces {
    /// What `packing` is decoded with: `decoder` makes it of the bytes of memory that it may take. Takes streams with
    /// dictionaries of up to `window` bytes.
    pub(super) fn new(
        packing: Packing,
        window: u64,
        decoder: impl FnOnce(u64) -> Result<Stream, Error>,
    ) -> io::Result<Self> {
        Ok(Pieces {
            stream: decoder(window.saturating_add(BESIDE))?,
            packing,
            window,
            piece: vec![0; PIECE].into_boxed_slice(),
            left: 0..0,
            ended: Ok(false),
        })
    }

    /// Decodes on in the piece. How many bytes of `input` that took.
    fn decode(&mut self, input: &[u8]) -> usize {
        let (read, written) = (self.stream.total_in(), self.stream.total_out());
        let start = written as usize % PIECE;
        let room = &mut self.piece[start..];
        let status = self.stream.process(input, room, Action::Run);
        self.left = start..start + (self.stream.total_out() - written) as usize;
        self.ended = status
            .map(|status| status == Status::StreamEnd)
            .map_err(|error| self.error(error));
        (self.stream.total_in() - read) as usize
    }

    fn error(&self, error: Error) -> io::Error {
        match error {
            Error::MemLimit => InputError::Window {
                packing: self.packing,
                limit: self.window,
            }
            .into(),
            other => other.into(),
        }
    }

    /// Decodes some of `input` into `output`.
    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let read = match self.left.is_empty() {
            true => self.decode(input),
            false => 0,
        };
        let written = output.len().min(self.left.len());
        let (start, end) = (self.left.start, self.left.start + written);
        output[..written].copy_from_slice(&self.piece[start..end]);
        self.left.start = end;
        let ended = match self.left.is_empty() {
            true => std::mem::replace(&mut self.ended, Ok(false)),
            false => Ok(false),
        };
        Step {
            read,
            written,
            ended,
        }
    }
}

impl Xz {
    /// Takes streams with dictionaries of up to `window` bytes.
    pub(super) fn new(window: u64) -> io::Result<Self> {
        let decoder = |memory| Stream::new_stream_decoder(memory, 0);
        Pieces::new(Packing::Xz, window, decoder).map(Xz)
    }
}

impl Decode for Xz {
    const PACKING: Packing = Packing::Xz;

    fn starts(head: &[u8]) -> bool {
        head.starts_with(numbers::XZ)
    }

    fn restart(&mut self) -> io::Result<()> {
        *self = Xz::new(self.0.window)?;
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        self.0.step(input, output)
    }
}

impl Format for Xz {
    const MAGIC: &'static [u8] = numbers::XZ;
    // Chunks of LZMA2 have 64 KiB at most, packed.
    const FIRST: usize = 192 << 10;
    const WHOLE: usize = 0;

    fn new(limits: &Limits) -> io::Result<Self> {
        Xz::new(limits.window)
    }

    /// The magic, and flags that carry their checksum, of which two bytes are at hand.
    fn may_start(head: &[u8]) -> bool {
        let flags = &head[numbers::XZ.len()..][..2];
        let mut crc = flate2::Crc::new();
        crc.update(flags);
        head[8..HEAD] == crc.sum().to_le_bytes()[..2]
    }
}
