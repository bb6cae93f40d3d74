//! The head of a frame, and packing and unpacking of its content.

use std::io;

use xxhash_rust::xxh3::xxh3_64;
use zstd::zstd_safe::{CCtx, CParameter, DCtx, ErrorCode, compress_bound, get_error_name};

use super::fault::RunDamage;

/// Bytes of a head.
pub(super) const FRAME_HEAD_BYTES: usize = 32;
/// Offset of the head's own checksum.
const HEAD_CHECKSUM_OFFSET: usize = FRAME_HEAD_BYTES - 4;
/// Compression level: the fastest, since runs are written once and read once or twice.
const ZSTD_LEVEL: i32 = 1;

/// The content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Names = 1,
    Sources = 2,
}

/// The head of a frame. Its first key and its content follow it.
#[derive(Clone, Copy, Debug)]
pub(in crate::dedup) struct FrameHead {
    /// Bytes of the first key, which is empty in frames of sources.
    pub(super) first: u32,
    /// Bytes of the content in the file.
    pub(super) packed: u32,
    /// Bytes of the unpacked content.
    pub(in crate::dedup) unpacked: u32,
    content_sum: u64,
    first_sum: u32,
}

impl FrameHead {
    /// Reads the head of a frame of `kind`. It is covered by a checksum, so its lengths are reliable.
    pub(super) fn read(
        kind: FrameKind,
        bytes: &[u8; FRAME_HEAD_BYTES],
    ) -> Result<FrameHead, RunDamage> {
        let number = |at: usize| {
            let bytes = bytes[at..].first_chunk().copied();
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        if number(0) != kind as u32
            || number(HEAD_CHECKSUM_OFFSET) != sum(&bytes[..HEAD_CHECKSUM_OFFSET])
        {
            return Err(RunDamage::Checksum);
        }
        Ok(FrameHead {
            first: number(4),
            packed: number(8),
            unpacked: number(12),
            content_sum: u64::from(number(16)) | u64::from(number(20)) << 32,
            first_sum: number(24),
        })
    }

    /// Checks the checksum of the first key.
    pub(super) fn check_first(&self, first: &[u8]) -> Result<(), RunDamage> {
        match sum(first) == self.first_sum {
            true => Ok(()),
            false => Err(RunDamage::Checksum),
        }
    }

    /// Returns the bytes of the whole frame.
    pub(super) fn length(&self) -> u64 {
        FRAME_HEAD_BYTES as u64 + u64::from(self.first) + u64::from(self.packed)
    }
}

/// Returns a checksum for short data.
fn sum(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
}

/// Packs frames; reused.
pub(in crate::dedup) struct Press {
    compressor: CCtx<'static>,
    packed: Vec<u8>,
}

impl Press {
    pub(super) fn new() -> io::Result<Self> {
        let mut compressor = CCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        let level = CParameter::CompressionLevel(ZSTD_LEVEL);
        compressor.set_parameter(level).map_err(failure)?;
        Ok(Press {
            compressor,
            packed: Vec::new(),
        })
    }

    /// Packs `content`, and builds a frame of its head, the first key and the packed content.
    pub(super) fn frame(
        &mut self,
        kind: FrameKind,
        first: &[u8],
        content: &[u8],
    ) -> io::Result<Vec<u8>> {
        self.packed.clear();
        self.packed.reserve(compress_bound(content.len()));
        self.compressor
            .compress2(&mut self.packed, content)
            .map_err(failure)?;
        let mut frame = Vec::with_capacity(FRAME_HEAD_BYTES + first.len() + self.packed.len());
        for number in [kind as usize, first.len(), self.packed.len(), content.len()] {
            let number = u32::try_from(number).map_err(|_| io::ErrorKind::InvalidData)?;
            frame.extend_from_slice(&number.to_le_bytes());
        }
        frame.extend_from_slice(&xxh3_64(&self.packed).to_le_bytes());
        frame.extend_from_slice(&sum(first).to_le_bytes());
        frame.extend_from_slice(&sum(&frame).to_le_bytes());
        frame.extend_from_slice(first);
        frame.extend_from_slice(&self.packed);
        Ok(frame)
    }
}

fn failure(code: ErrorCode) -> io::Error {
    io::Error::other(get_error_name(code))
}

/// Creates a decompressor for frames; reused. `zstd`'s own constructor panics if memory is short.
pub(super) fn decompressor() -> io::Result<DCtx<'static>> {
    DCtx::try_create().ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// Replaces `out` by the unpacked content of a frame.
pub(super) fn unpack(
    decompressor: &mut DCtx<'_>,
    head: &FrameHead,
    packed: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), RunDamage> {
    if xxh3_64(packed) != head.content_sum {
        return Err(RunDamage::Checksum);
    }
    let length = head.unpacked as usize;
    out.clear();
    out.reserve_exact(length);
    match decompressor.decompress(out, packed) {
        Ok(unpacked) if unpacked == length => Ok(()),
        _ => Err(RunDamage::Content),
    }
}
