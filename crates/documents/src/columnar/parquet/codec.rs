//! Unpacks pages.

use std::cell::RefCell;
use std::io::Read;
use std::rc::Rc;

use zstd::zstd_safe::DCtx;

use crate::codec::{LibdeflateDecompressor, WholeMember};

/// Unpacks pages of one column.
pub(super) struct PageCodec {
    kind: CodecKind,
    decoders: SharedDecoders,
}

/// Decoders that all columns of a row group use in turn: for thousands of columns, one each would take more than their pages.
pub(super) type SharedDecoders = Rc<RefCell<PageDecoders>>;

#[derive(Default)]
pub(super) struct PageDecoders {
    gzip: Option<LibdeflateDecompressor>,
    zstd: Option<DCtx<'static>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CodecKind {
    Plain,
    Snappy,
    Gzip,
    Brotli,
    /// LZ4 with the frames of Hadoop, or of LZ4 itself, or without.
    Lz4,
    Zstd,
    Lz4Raw,
}

/// Brotli's buffer.
const BROTLI_BUFFER_BYTES: usize = 64 << 10;

impl PageCodec {
    /// Returns the codec with this number in the format; `None` if it is not supported.
    pub(super) fn new(number: i64, decoders: &SharedDecoders) -> Option<PageCodec> {
        let kind = match number {
            0 => CodecKind::Plain,
            1 => CodecKind::Snappy,
            2 => CodecKind::Gzip,
            4 => CodecKind::Brotli,
            5 => CodecKind::Lz4,
            6 => CodecKind::Zstd,
            7 => CodecKind::Lz4Raw,
            _ => return None,
        };
        Some(PageCodec {
            kind,
            decoders: Rc::clone(decoders),
        })
    }

    /// Unpacks `packed` to fill `into`. Returns `None` if it is damaged, or has another size.
    pub(super) fn unpack(&mut self, packed: &[u8], into: &mut [u8]) -> Option<()> {
        let written = match self.kind {
            CodecKind::Plain => {
                into.copy_from_slice((packed.len() == into.len()).then_some(packed)?);
                packed.len()
            }
            CodecKind::Snappy => snap::raw::Decoder::new().decompress(packed, into).ok()?,
            CodecKind::Gzip => self.decoders.borrow_mut().gzip(packed, into)?,
            CodecKind::Brotli => {
                let mut reader =
                    brotli_decompressor::Decompressor::new(packed, BROTLI_BUFFER_BYTES);
                reader.read_exact(into).ok()?;
                into.len()
            }
            CodecKind::Lz4 => lz4(packed, into)?,
            CodecKind::Zstd => self.decoders.borrow_mut().zstd(packed, into)?,
            CodecKind::Lz4Raw => lz4_flex::block::decompress_into(packed, into).ok()?,
        };
        (written == into.len()).then_some(())
    }
}

impl PageDecoders {
    fn gzip(&mut self, mut packed: &[u8], into: &mut [u8]) -> Option<usize> {
        if self.gzip.is_none() {
            self.gzip = LibdeflateDecompressor::new();
        }
        let decoder = self.gzip.as_mut()?;
        let mut filled = 0;
        // Some writers make several members of a page.
        while !packed.is_empty() {
            let WholeMember::Done { read, written } = decoder.gzip(packed, &mut into[filled..])
            else {
                return None;
            };
            filled += written;
            packed = &packed[read..];
        }
        Some(filled)
    }

    fn zstd(&mut self, packed: &[u8], into: &mut [u8]) -> Option<usize> {
        if self.zstd.is_none() {
            self.zstd = DCtx::try_create();
        }
        self.zstd.as_mut()?.decompress(into, packed).ok()
    }
}

/// Unpacks what writers have called LZ4: blocks with the frames of Hadoop, a frame of LZ4, or a block alone.
fn lz4(packed: &[u8], into: &mut [u8]) -> Option<usize> {
    let framed = |into: &mut [u8]| {
        let mut reader = lz4_flex::frame::FrameDecoder::new(packed);
        reader.read_exact(into).ok()?;
        Some(into.len())
    };
    hadoop(packed, into)
        .or_else(|| framed(into))
        .or_else(|| lz4_flex::block::decompress_into(packed, into).ok())
}

/// Unpacks blocks, each after its sizes.
fn hadoop(mut packed: &[u8], into: &mut [u8]) -> Option<usize> {
    let mut filled = 0;
    while !packed.is_empty() {
        let (sizes, rest) = packed.split_first_chunk::<8>()?;
        let size = |at: usize| {
            u32::from_be_bytes([sizes[at], sizes[at + 1], sizes[at + 2], sizes[at + 3]])
        };
        let block = into.get_mut(filled..)?.get_mut(..size(0) as usize)?;
        let (bytes, rest) = rest.split_at_checked(size(4) as usize)?;
        filled += lz4_flex::block::decompress_into(bytes, block)
            .ok()
            .filter(|&written| written == block.len())?;
        packed = rest;
    }
    Some(filled)
}
