//! gzip (RFC 1952): streams of one or more members, such as bgzf.
//!
//! libdeflate decodes small members at once, and zlib-rs all others as streams.

use super::inflate::{Inflate, Wrapper};
use super::libdeflate::Decompressor;
use super::members::{MemberFormat, Whole};
use super::streams::{Decode, DecodeStep};
use crate::fault::{InputError, Packing};
use crate::read_options::Limits;

/// Reserved bits of the flags, which are 0 in every member.
const RESERVED: u8 = 0xe0;
/// The flag of a header with a checksum, which libdeflate does not verify.
const HEADER_CHECKED: u8 = 0x02;

/// Decodes members of gzip.
pub(super) struct Gzip {
    /// `None` if there was no memory for it.
    fast: Option<Decompressor>,
    stream: Option<Inflate>,
}

impl MemberFormat for Gzip {
    const MAGIC: &'static [u8] = &[0x1f, 0x8b, 0x08];
    const FIRST: usize = 128 << 10;
    const WHOLE: usize = 512 << 10;

    fn new(_: &Limits) -> Result<Self, InputError> {
        Ok(Gzip {
            fast: Decompressor::new(),
            stream: None,
        })
    }

    fn may_start(head: &[u8]) -> bool {
        head[3] & RESERVED == 0
    }

    fn whole(&mut self, bytes: &[u8], out: &mut [u8]) -> Whole {
        match &mut self.fast {
            Some(fast)
                if bytes
                    .get(3)
                    .is_some_and(|flags| flags & HEADER_CHECKED == 0) =>
            {
                fast.gzip(bytes, out)
            }
            _ => Whole::No,
        }
    }
}

impl Decode for Gzip {
    const PACKING: Packing = Packing::Gzip;

    fn starts(head: &[u8]) -> bool {
        head.starts_with(&[0x1f, 0x8b])
    }

    fn restart(&mut self) -> Result<(), InputError> {
        self.stream = Some(Inflate::new(Wrapper::Gzip));
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let stream = || Inflate::new(Wrapper::Gzip);
        self.stream.get_or_insert_with(stream).step(input, output)
    }
}
