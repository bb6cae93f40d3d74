//! The data of a member: packed and unpacked.

use std::cell::Cell;

use super::volume::{CountedFile, CountedPart};
use crate::codec::{
    Bzip2Decoder, DeflateWrapper, InflateDecoder, Peek, StreamsReader, ZstdDecoder,
};
use crate::fault::{InputError, Packing};
use crate::peek::PeekReader;
use crate::read::{ReadBuffer, ReadBytes, UnpackedAhead};

/// Bytes of a read of packed data.
const READ_BYTES: u64 = 32 << 10;

/// Unpacks the bytes of a member. Only the limit on expansion bounds their number.
pub(super) fn unpacked<'d>(
    method: u16,
    data: ZipData<'d>,
    window: u64,
) -> Result<Box<dyn ReadBytes + 'd>, InputError> {
    Ok(match method {
        0 => Box::new(data),
        8 => Box::new(StreamsReader::of_member(
            Packing::Zip,
            data,
            InflateDecoder::new(DeflateWrapper::Bare),
        )),
        12 => Box::new(StreamsReader::of_member(
            Packing::Zip,
            data,
            Bzip2Decoder::new(),
        )),
        93 => Box::new(StreamsReader::of_member(
            Packing::Zip,
            data,
            ZstdDecoder::new(window)?,
        )),
        method => return Err(InputError::Method(method)),
    })
}

/// The packed bytes of a member.
pub(super) struct ZipData<'d> {
    raw: PeekReader<CountedPart<'d>>,
    /// Offset of the next byte in the file.
    at: &'d Cell<u64>,
    /// The content of the bytes, if they are packed by gzip and another thread unpacks them.
    ahead: Option<UnpackedAhead>,
}

impl<'d> ZipData<'d> {
    /// Reads the bytes from `at` to `end`.
    pub(super) fn new(volume: &'d CountedFile<'_>, at: &'d Cell<u64>, end: u64) -> Self {
        let room = end.saturating_sub(at.get()).min(READ_BYTES) as usize;
        ZipData {
            raw: PeekReader::with_capacity(volume.part(at.get()..end), room),
            at,
            ahead: None,
        }
    }

    /// Adds the content of the bytes, if another thread unpacks them.
    pub(super) fn unpacked_by(self, ahead: Option<UnpackedAhead>) -> Self {
        ZipData { ahead, ..self }
    }
}

impl Peek for ZipData<'_> {
    fn peek(&mut self, count: usize) -> &[u8] {
        self.raw.peek(count)
    }
}

impl ReadBuffer for ZipData<'_> {
    fn fill_buf(&mut self) -> Result<&[u8], InputError> {
        self.raw.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.raw.consume(count);
        self.at.set(self.at.get() + count as u64);
    }
}

impl ReadBytes for ZipData<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let read = self.raw.read(into)?;
        self.at.set(self.at.get() + read as u64);
        Ok(read)
    }

    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        self.ahead.take()
    }
}
