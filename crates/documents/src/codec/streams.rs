//! Reads packed streams one after the other, such as those of zlib and of members of zip.
//!
//! Damage ends them, since the start of the next stream is not known.
//!
//! Each packing has its own decoder. This module handles the ends of streams, bytes after them and damage for all
//! packings.

use std::io;

use super::read::{damaged, early_end, is_padding};
use crate::fault::{InputError, Packing};
use crate::peek::PeekReader;
use crate::read::{ReadBuffer, ReadBytes};

/// Decodes one stream at a time.
pub(crate) trait StreamDecoder {
    const PACKING: Packing;

    /// Whether another stream starts with `head`, of up to [`HEAD_BYTES`] bytes.
    fn starts(head: &[u8]) -> bool;

    /// Prepares for another stream.
    fn restart(&mut self) -> Result<(), InputError>;

    /// Decodes some of `input` into `output`. If it consumes and writes nothing and the stream has not ended, more input is
    /// needed.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep;
}

/// Number of bytes that are enough to recognise a stream.
pub(crate) const HEAD_BYTES: usize = 10;

/// The result of a decoding step.
pub(crate) struct DecodeStep {
    pub(crate) read: usize,
    pub(crate) written: usize,
    /// Whether the stream has ended.
    pub(crate) ended: Result<bool, DecodeFault>,
}

/// Why a decoder cannot continue.
#[derive(Debug)]
pub(crate) enum DecodeFault {
    /// The data is damaged, as the codec says.
    Damaged(io::Error),
    /// The data needs a larger window than this limit in bytes.
    Window { packing: Packing, limit: u64 },
}

impl DecodeFault {
    /// Returns the error for data in `packing`.
    pub(crate) fn into_error(self, packing: Packing) -> InputError {
        match self {
            DecodeFault::Damaged(error) => damaged(packing, error),
            DecodeFault::Window { packing, limit } => InputError::Window { packing, limit },
        }
    }
}

impl<E: Into<io::Error>> From<E> for DecodeFault {
    fn from(error: E) -> Self {
        DecodeFault::Damaged(error.into())
    }
}

/// Packed bytes that can be looked at before they are read.
pub(crate) trait Peek: ReadBuffer {
    /// Returns the next `count` bytes, or all that are left.
    fn peek(&mut self, count: usize) -> &[u8];
}

impl<R: ReadBytes> Peek for PeekReader<R> {
    fn peek(&mut self, count: usize) -> &[u8] {
        PeekReader::peek(self, count)
    }
}

/// Reads the streams at the start of `data`. Errors name the packing of the file or archive.
///
/// Bytes decoded before damage are returned before the error, for all sizes of reads.
pub(crate) struct StreamsReader<P, D> {
    packing: Packing,
    data: P,
    decoder: D,
    /// Whether the data is a file, in which only padding may follow the streams.
    is_file: bool,
    /// The error that ended `data`, if one did.
    cut: Option<InputError>,
    /// The error after the bytes that were just returned.
    failed: Option<InputError>,
    ended: bool,
}

impl<P: Peek, D: StreamDecoder> StreamsReader<P, D> {
    /// Reads the data of an archive's member. Bytes after its streams are not read.
    pub(crate) fn of_member(archive: Packing, data: P, decoder: D) -> Self {
        StreamsReader {
            packing: archive,
            data,
            decoder,
            is_file: false,
            cut: None,
            failed: None,
            ended: false,
        }
    }

    /// Reads a file. Zeros after its streams are padding; other bytes are an error.
    pub(super) fn of_file(data: P, decoder: D) -> Self {
        StreamsReader {
            is_file: true,
            ..StreamsReader::of_member(D::PACKING, data, decoder)
        }
    }

    fn step(&mut self, into: &mut [u8]) -> usize {
        if self.cut.is_none() {
            self.cut = self.data.fill_buf().err();
        }
        let input = match self.cut {
            Some(_) => &[],
            None => self.data.fill_buf().unwrap_or_default(),
        };
        let at_end = input.is_empty();
        let step = self.decoder.step(input, into);
        self.data.consume(step.read);
        match step.ended {
            Ok(true) => self.end_stream(),
            Ok(false) if step.read + step.written > 0 => {}
            Ok(false) => self.failed = Some(self.stuck(at_end)),
            Err(fault) => self.failed = Some(fault.into_error(self.packing)),
        }
        step.written
    }

    /// Returns the error for a stream that lacks input: the data ended early, or returned an error.
    fn stuck(&mut self, at_end: bool) -> InputError {
        let reason = match at_end {
            true => early_end(),
            false => io::ErrorKind::InvalidData.into(),
        };
        let cut = self.cut.take();
        cut.unwrap_or_else(|| damaged(self.packing, reason))
    }

    /// Continues after a stream.
    fn end_stream(&mut self) {
        let next = if D::starts(self.data.peek(HEAD_BYTES)) {
            self.decoder.restart()
        } else {
            self.ended = true;
            self.check_rest()
        };
        self.failed = next.err();
    }

    /// Checks the bytes after the last stream.
    fn check_rest(&mut self) -> Result<(), InputError> {
        self.cut.take().map_or(Ok(()), Err)?;
        match !self.is_file || is_padding(&mut self.data)? {
            true => Ok(()),
            false => Err(InputError::Trailing(self.packing)),
        }
    }
}

impl<P: Peek, D: StreamDecoder> ReadBytes for StreamsReader<P, D> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while !into.is_empty() {
            if let Some(error) = self.failed.take() {
                self.ended = true;
                return Err(error);
            }
            if self.ended {
                break;
            }
            let written = self.step(into);
            if written > 0 {
                return Ok(written);
            }
        }
        Ok(0)
    }
}
