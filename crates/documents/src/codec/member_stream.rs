//! Unpacks the streams at the start of bytes whose length an archive states.

use std::io;

use super::read::{damaged, early_end};
use super::streams::{HEAD_BYTES, StreamDecoder};
use crate::fault::{InputError, Packing};
use crate::peek::PeekReader;
use crate::read::{ReadBuffer, ReadBytes};

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

/// Reads the streams at the start of `data`. Bytes after them are not read. Errors name the packing of the archive.
///
/// The bytes do not depend on the sizes of reads, even before damage.
pub(crate) struct MemberStream<P, D> {
    archive: Packing,
    data: P,
    decoder: D,
    /// The error after the bytes that were returned.
    failed: Option<InputError>,
    ended: bool,
}

impl<P: Peek, D: StreamDecoder> MemberStream<P, D> {
    pub(crate) fn new(archive: Packing, data: P, decoder: D) -> Self {
        MemberStream {
            archive,
            data,
            decoder,
            failed: None,
            ended: false,
        }
    }

    fn step(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let input = self.data.fill_buf()?;
        let at_end = input.is_empty();
        let step = self.decoder.step(input, into);
        self.data.consume(step.read);
        match step.ended {
            Ok(true) => self.end_stream()?,
            Ok(false) if step.read + step.written > 0 => {}
            Ok(false) if at_end => self.failed = Some(damaged(self.archive, early_end())),
            Ok(false) => {
                let error = io::ErrorKind::InvalidData;
                self.failed = Some(damaged(self.archive, error));
            }
            Err(fault) => self.failed = Some(fault.into_error(self.archive)),
        }
        Ok(step.written)
    }

    /// Continues after a stream.
    fn end_stream(&mut self) -> Result<(), InputError> {
        self.ended = !D::starts(self.data.peek(HEAD_BYTES));
        if self.ended {
            Ok(())
        } else {
            self.decoder.restart()
        }
    }
}

impl<P: Peek, D: StreamDecoder> ReadBytes for MemberStream<P, D> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while !self.ended && !into.is_empty() {
            if let Some(error) = self.failed.take() {
                self.ended = true;
                return Err(error);
            }
            let written = self.step(into)?;
            if written > 0 {
                return Ok(written);
            }
        }
        Ok(0)
    }
}
