//! xz.

use std::io;

use liblzma::stream::{Action, Error, Status, Stream};

use super::streams::{Decode, Step};
use super::{InputError, Packing};
use crate::input::magic;

/// Bytes that decoding takes beside the dictionary.
const BESIDE: u64 = 1 << 20;

pub(super) struct Xz {
    stream: Stream,
    window: u64,
}

impl Xz {
    /// Takes streams with dictionaries of up to `window` bytes.
    pub(super) fn new(window: u64) -> io::Result<Self> {
        let stream = Stream::new_stream_decoder(window.saturating_add(BESIDE), 0)?;
        Ok(Xz { stream, window })
    }

    fn error(&self, error: Error) -> io::Error {
        match error {
            Error::MemLimit => InputError::Window {
                packing: Packing::Xz,
                limit: self.window,
            }
            .into(),
            other => other.into(),
        }
    }
}

impl Decode for Xz {
    const PACKING: Packing = Packing::Xz;

    fn starts(head: &[u8]) -> bool {
        head.starts_with(magic::XZ)
    }

    fn restart(&mut self) -> io::Result<()> {
        *self = Xz::new(self.window)?;
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let (read, written) = (self.stream.total_in(), self.stream.total_out());
        let status = self.stream.process(input, output, Action::Run);
        Step {
            read: (self.stream.total_in() - read) as usize,
            written: (self.stream.total_out() - written) as usize,
            ended: status
                .map(|status| status == Status::StreamEnd)
                .map_err(|error| self.error(error)),
        }
    }
}
