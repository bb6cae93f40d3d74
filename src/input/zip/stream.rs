//! Unpacks a member. The bytes do not depend on the sizes of reads, also before damage.

use std::io::{self, BufRead, Read};

use super::ZipData;
use crate::input::codec::{Decode, HEAD, early_end, fill};

/// Reads the streams at the start of a member's bytes. Bytes after them are not read.
pub(super) struct MemberStream<'d, D> {
    data: ZipData<'d>,
    decoder: D,
    /// The error after the bytes that were returned.
    failed: Option<io::Error>,
    ended: bool,
}

impl<'d, D: Decode> MemberStream<'d, D> {
    pub(super) fn new(data: ZipData<'d>, decoder: D) -> Self {
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
        match self.ended {
            true => Ok(()),
            false => self.decoder.restart(),
        }
    }
}

impl<D: Decode> Read for MemberStream<'_, D> {
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
