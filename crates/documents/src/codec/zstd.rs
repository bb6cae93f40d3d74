//! Zstandard.

use std::io;

use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;
use zstd::zstd_safe::{
    DCtx, DParameter, ErrorCode, InBuffer, OutBuffer, ResetDirective, get_error_name,
};

use super::members::MemberFormat;
use super::streams::{DecodeFault, DecodeStep, StreamDecoder};
use crate::fault::{InputError, Packing};
use crate::numbers;
use crate::read_options::ReadLimits;

pub(crate) struct ZstdDecoder {
    context: DCtx<'static>,
    window: u64,
}

impl ZstdDecoder {
    /// Accepts frames with windows of up to `window` bytes, rounded down to a power of two.
    pub(crate) fn new(window: u64) -> Result<Self, InputError> {
        let mut context = DCtx::try_create().ok_or(io::Error::from(io::ErrorKind::OutOfMemory))?;
        // The limits of the format and the library.
        let max = if cfg!(target_pointer_width = "64") {
            31
        } else {
            30
        };
        let log = window.max(1).ilog2().clamp(10, max);
        context
            .set_parameter(DParameter::WindowLogMax(log))
            .map_err(|code| io::Error::other(get_error_name(code)))?;
        Ok(ZstdDecoder { context, window })
    }

    fn fault_of(&self, code: ErrorCode) -> DecodeFault {
        let too_large = ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge as usize;
        if code == too_large.wrapping_neg() {
            let (packing, limit) = (Packing::Zstd, self.window);
            return DecodeFault::Window { packing, limit };
        }
        DecodeFault::Damaged(io::Error::other(get_error_name(code)))
    }

    fn decode_step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let mut input = InBuffer::around(input);
        let mut output = OutBuffer::around(output);
        let left = self.context.decompress_stream(&mut output, &mut input);
        DecodeStep {
            read: input.pos(),
            written: output.pos(),
            ended: left
                .map(|left| left == 0)
                .map_err(|code| self.fault_of(code)),
        }
    }
}

impl StreamDecoder for ZstdDecoder {
    const PACKING: Packing = Packing::Zstd;

    fn starts(head: &[u8]) -> bool {
        head.starts_with(numbers::ZSTD_MAGIC) || numbers::is_skippable(head)
    }

    fn restart(&mut self) -> Result<(), InputError> {
        // The last frame may be incomplete.
        let reset = self.context.reset(ResetDirective::SessionOnly);
        reset
            .map(drop)
            .map_err(|code| self.fault_of(code).into_error(Packing::Zstd))
    }

    /// The output of a call that fails is lost. So one call writes decoded bytes and reads nothing, which cannot fail, and the
    /// next one decodes a block and has no room to write.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let flushed = self.decode_step(&[], output);
        match flushed.written {
            0 => self.decode_step(input, &mut []),
            _ => flushed,
        }
    }
}

impl MemberFormat for ZstdDecoder {
    const MAGIC: &'static [u8] = numbers::ZSTD_MAGIC;
    // A block unpacks to at most 128 KiB, and is not longer when packed.
    const MAX_STEP_PACKED_BYTES: usize = 192 << 10;
    const MAX_WHOLE_PACKED_BYTES: usize = 0;

    fn new(limits: &ReadLimits) -> Result<Self, InputError> {
        ZstdDecoder::new(limits.window)
    }

    fn may_start(head: &[u8]) -> bool {
        const RESERVED_FLAG: u8 = 0x08;
        head[4] & RESERVED_FLAG == 0
    }
}
