//! bzip2.

use std::io;

use bzip2::{Decompress, Status};
use memchr::memmem;

use super::streams::{Decode, HEAD, Resync, Step};
use super::{Packing, READ};
use crate::input::magic;

/// A block's first bytes, behind the four of the stream.
const BLOCK: &[u8] = &[0x31, 0x41, 0x59, 0x26, 0x53, 0x59];

pub(super) struct Bzip2(Decompress);

impl Bzip2 {
    pub(super) fn new() -> Self {
        Bzip2(Decompress::new(false))
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

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
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

    /// The ten bytes that a stream starts with do not come about by chance, and each block behind them has a checksum.
    fn resync(&mut self, input: &[u8]) -> Resync {
        let mut starts = memmem::find_iter(input, BLOCK).filter_map(|block| block.checked_sub(4));
        match starts.find(|at| Self::starts(&input[*at..])) {
            Some(at) => Resync::Found(at),
            None if input.len() < READ => Resync::Lost,
            None => Resync::On(input.len() - (HEAD - 1)),
        }
    }
}
