//! Deflate (RFC 1951) in each of its wrappers, decoded by zlib-rs.

use std::io;

use flate2::{Decompress, FlushDecompress, Status};

use super::streams::{DecodeStep, StreamDecoder};
use crate::fault::{InputError, Packing};

/// Window bits, the maximum of deflate.
const WINDOW_BITS: u8 = 15;

/// The bytes around deflated data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeflateWrapper {
    /// Nothing, as in zip.
    Bare,
    /// A header and a checksum (RFC 1950).
    Zlib,
    /// The header and the checksum of a gzip member (RFC 1952).
    Gzip,
}

/// Decodes one stream of deflated data.
pub(crate) struct InflateDecoder {
    stream: Decompress,
    wrapper: DeflateWrapper,
}

impl InflateDecoder {
    pub(crate) fn new(wrapper: DeflateWrapper) -> Self {
        let stream = match wrapper {
            DeflateWrapper::Bare => Decompress::new(false),
            DeflateWrapper::Zlib => Decompress::new(true),
            DeflateWrapper::Gzip => Decompress::new_gzip(WINDOW_BITS),
        };
        InflateDecoder { stream, wrapper }
    }
}

impl StreamDecoder for InflateDecoder {
    const PACKING: Packing = Packing::Zlib;

    fn starts(_: &[u8]) -> bool {
        false
    }

    fn restart(&mut self) -> Result<(), InputError> {
        match self.wrapper {
            // It cannot be reset for another gzip header.
            DeflateWrapper::Gzip => *self = InflateDecoder::new(self.wrapper),
            wrapper => self.stream.reset(wrapper == DeflateWrapper::Zlib),
        }
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let (read, written) = (self.stream.total_in(), self.stream.total_out());
        let status = self.stream.decompress(input, output, FlushDecompress::None);
        DecodeStep {
            read: (self.stream.total_in() - read) as usize,
            written: (self.stream.total_out() - written) as usize,
            ended: status
                .map(|status| status == Status::StreamEnd)
                // The error text of zlib-rs is not used, because it depends on the sizes of the reads.
                .map_err(|_| {
                    io::Error::new(io::ErrorKind::InvalidData, "it is not deflated data").into()
                }),
        }
    }
}

/// Whether `head` is the start of a zlib stream: it has a valid header, and all of it inflates. The header alone is not
/// enough, since texts such as `x^2` start with one. `at_end` says that nothing follows `head`; then the stream must end.
pub(crate) fn is_zlib(head: &[u8], at_end: bool) -> bool {
    let [method, flags, ..] = *head else {
        return false;
    };
    let is_deflate = method & 0x0f == 8 && method >> 4 <= 7;
    let wants_dictionary = flags & 0x20 != 0;
    if !is_deflate || wants_dictionary || u16::from_be_bytes([method, flags]) % 31 != 0 {
        return false;
    }
    inflates(DeflateWrapper::Zlib, head).is_some_and(|ended| ended || !at_end)
}

/// Whether all of `head` inflates without a header, and the stream does not end in it.
pub(crate) fn is_deflate(head: &[u8]) -> bool {
    inflates(DeflateWrapper::Bare, head) == Some(false)
}

/// Whether the stream in `head` ends there; `None` if it is not a stream.
fn inflates(wrapper: DeflateWrapper, mut head: &[u8]) -> Option<bool> {
    let (mut stream, mut output) = (InflateDecoder::new(wrapper), [0; 4 << 10]);
    loop {
        let step = stream.step(head, &mut output);
        head = &head[step.read..];
        match step.ended {
            Ok(true) => return Some(true),
            Ok(false) if step.read + step.written > 0 => {}
            Ok(false) => return head.is_empty().then_some(false),
            Err(_) => return None,
        }
    }
}
