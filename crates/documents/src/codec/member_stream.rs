//! Unpacks the streams at the start of bytes whose extent an archive states.

use std::io::{self, BufRead, Read};

use super::read::{early_end, fill};
use super::streams::{Decode, HEAD};
use crate::raw::Raw;

/// Packed bytes that can be looked at before they are read.
pub(crate) trait Peek: BufRead {
    /// The next `count` bytes, or all that are left.
    fn peek(&mut self, count: usize) -> &[u8];
}

impl<R: Read> Peek for Raw<R> {
    fn peek(&mut self, count: usize) -> &[u8] {
        Raw::peek(self, count)
    }
}

/// Reads the streams at the start of `data`. Bytes after them are not read, and errors name no packing.
///
/// The bytes do not depend on the sizes of reads, also before damage.
pub(crate) struct MemberStream<P, D> {
    data: P,
    decoder: D,
    /// The error after the bytes that were returned.
    failed: Option<io::Error>,
    ended: bool,
}

impl<P: Peek, D: Decode> MemberStream<P, D> {
    pub(crate) fn new(data: P, decoder: D) -> Self {
        MemberStream {
            data,
            decoder,
            failed: None,
            ended: false,
        }
    }

    fn step(&mut self, into: &mut [u8]) -> io::Result<usize> {
        fill(&mut self.data)?;
        let input = self.data.fill_buf()?;
        let at_end = input.is_empty();
        let step = self.decoder.step(input, into);
        self.data.consume(step.read);
        match step.ended {
            Ok(true) => self.next()?,
            Ok(false) if step.read + step.written > 0 => {}
            Ok(false) if at_end => self.failed = Some(early_end()),
            Ok(false) => self.failed = Some(io::ErrorKind::InvalidData.into()),
            Err(error) => self.failed = Some(error),
        }
        Ok(step.written)
    }

    /// Continues after a stream.
    fn next(&mut self) -> io::Result<()> {
        self.ended = !D::starts(self.data.peek(HEAD));
        if self.ended {
            Ok(())
        } else {
            self.decoder.restart()
        }
    }
}

impl<P: Peek, D: Decode> Read for MemberStream<P, D> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
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
