//! gzip (RFC 1952): streams of one or more members, such as bgzf.
//!
//! libdeflate decodes small members, and files of a single member, at once, and zlib-rs all others as streams.

use super::inflate::{DeflateWrapper, InflateDecoder};
use super::libdeflate::LibdeflateDecompressor;
use super::members::{MemberFormat, WholeMember};
use super::streams::{DecodeStep, StreamDecoder};
use crate::fault::{InputError, Packing};
use crate::read_options::ReadLimits;

/// Reserved bits of the flags, which are 0 in every member.
const RESERVED_FLAGS: u8 = 0xe0;
/// The flag of a header with a checksum, which libdeflate does not verify.
const HEADER_CHECKSUM_FLAG: u8 = 0x02;

/// Decodes members of gzip.
pub(super) struct GzipDecoder {
    /// `None` if there was no memory for it.
    fast: Option<LibdeflateDecompressor>,
    stream: Option<InflateDecoder>,
}

impl MemberFormat for GzipDecoder {
    const MAGIC: &'static [u8] = &[0x1f, 0x8b, 0x08];
    const MAX_STEP_PACKED_BYTES: usize = 128 << 10;
    const MAX_WHOLE_PACKED_BYTES: usize = 512 << 10;

    fn new(_: &ReadLimits) -> Result<Self, InputError> {
        Ok(GzipDecoder {
            fast: LibdeflateDecompressor::new(),
            stream: None,
        })
    }

    fn may_start(head: &[u8]) -> bool {
        head[3] & RESERVED_FLAGS == 0
    }

    fn whole(&mut self, bytes: &[u8], out: &mut [u8]) -> WholeMember {
        match &mut self.fast {
            Some(fast)
                if bytes
                    .get(3)
                    .is_some_and(|flags| flags & HEADER_CHECKSUM_FLAG == 0) =>
            {
                fast.gzip(bytes, out)
            }
            _ => WholeMember::No,
        }
    }

    /// Returns the last field of a member (RFC 1952), which is the size modulo 4 GiB.
    fn stated_size(packed: &[u8]) -> Option<usize> {
        packed
            .last_chunk()
            .map(|size| u32::from_le_bytes(*size) as usize)
    }
}

impl StreamDecoder for GzipDecoder {
    const PACKING: Packing = Packing::Gzip;

    fn starts(head: &[u8]) -> bool {
        head.starts_with(&[0x1f, 0x8b])
    }

    fn restart(&mut self) -> Result<(), InputError> {
        self.stream = Some(InflateDecoder::new(DeflateWrapper::Gzip));
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let stream = || InflateDecoder::new(DeflateWrapper::Gzip);
        self.stream.get_or_insert_with(stream).step(input, output)
    }
}
