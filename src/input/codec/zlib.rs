//! zlib: one stream, as RFC 1950 has it.

use std::io;

use flate2::{Decompress, FlushDecompress, Status};

use super::streams::{Decode, Step};
use crate::input::fault::Packing;

pub(super) struct Zlib(Decompress);

impl Zlib {
    pub(super) fn new() -> Self {
        Zlib(Decompress::new(true))
    }
}

/// Whether `head` starts a zlib stream: its header says so, and all of `head` inflates. The header alone starts many a text,
/// such as `x^2`. A stream as short as `head` must be whole, as `at_end` tells.
pub(in crate::input) fn is_zlib(head: &[u8], at_end: bool) -> bool {
    let [method, flags, ..] = *head else {
        return false;
    };
    let is_deflate = method & 0x0f == 8 && method >> 4 <= 7;
    let wants_dictionary = flags & 0x20 != 0;
    if !is_deflate || wants_dictionary || u16::from_be_bytes([method, flags]) % 31 != 0 {
        return false;
    }
    inflates(Zlib::new(), head).is_some_and(|ended| ended || !at_end)
}

/// Whether all of `head` inflates without a header, and would go on.
pub(in crate::input) fn is_deflate(head: &[u8]) -> bool {
    inflates(Zlib(Decompress::new(false)), head) == Some(false)
}

/// Whether a stream ends in `head`; none if it is no stream.
fn inflates(mut zlib: Zlib, mut head: &[u8]) -> Option<bool> {
    let mut output = [0; 4 << 10];
    loop {
        let step = zlib.step(head, &mut output);
        head = &head[step.read..];
        match step.ended {
            Ok(true) => return Some(true),
            Ok(false) if step.read + step.written > 0 => {}
            Ok(false) => return head.is_empty().then_some(false),
            Err(_) => return None,
        }
    }
}

impl Decode for Zlib {
    const PACKING: Packing = Packing::Zlib;

    fn starts(_: &[u8]) -> bool {
        false
    }

    fn restart(&mut self) -> io::Result<()> {
        self.0.reset(true);
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let (read, written) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(input, output, FlushDecompress::None);
        Step {
            read: (self.0.total_in() - read) as usize,
            written: (self.0.total_out() - written) as usize,
            ended: status
                .map(|status| status == Status::StreamEnd)
                .map_err(io::Error::from),
        }
    }
}
