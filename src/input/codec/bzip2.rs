//! bzip2.

use std::io;

use bzip2::{Decompress, Status};

use super::members::Format;
use super::streams::{Decode, Step};
use super::{Limits, Packing};
use crate::input::magic;

pub(in crate::input) struct Bzip2(Decompress);

impl Bzip2 {
    pub(in crate::input) fn new() -> Self {
        Bzip2(Decompress::new(false))
    }

    fn run(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let (read, written) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(input, output);
        Step {
            read: (self.0.total_in() - read) as usize,
            written: (self.0.total_out() - written) as usize,
            ended: status
                .map(|status| status == Status::StreamEnd)
                .map_err(io::Error::from),
        }
    }

    /// Writes what is decoded. A call that fails at a damaged place keeps to itself what stands before it, and changes
    /// nothing: calls with less room get there.
    fn give(&mut self, output: &mut [u8]) -> Step {
        let mut given = self.run(&[], output);
        if given.ended.is_ok() || given.written > 0 {
            return given;
        }
        let mut room = output.len() / 2;
        while room > 0 {
            let free = output.len().min(given.written + room);
            let more = self.run(&[], &mut output[given.written..free]);
            given.written += more.written;
            if more.written == 0 {
                room /= 2;
            }
        }
        given
    }
}

impl Decode for Bzip2 {
    const PACKING: Packing = Packing::Bzip2;

    fn starts(head: &[u8]) -> bool {
        magic::is_bzip2(head)
    }

    fn restart(&mut self) -> io::Result<()> {
        *self = Bzip2::new();
        Ok(())
    }

    /// One call writes what is decoded and reads nothing, the next one decodes a block and has no room to write.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let given = self.give(output);
        match given {
            Step {
                written: 0,
                ended: Ok(false),
                ..
            } => self.run(input, &mut []),
            _ => given,
        }
    }
}

impl Format for Bzip2 {
    const MAGIC: &'static [u8] = b"BZh";
    // A block of 900,000 bytes, which packing may make a little longer.
    const FIRST: usize = 1 << 20;
    const WHOLE: usize = 0;

    fn new(_: &Limits) -> io::Result<Self> {
        Ok(Bzip2::new())
    }

    /// These ten bytes do not come about by chance, and each block behind them has a checksum.
    fn may_start(head: &[u8]) -> bool {
        Self::starts(head)
    }
}
