//! Unpacks the streams of a 7z archive.

use std::io::{self, BufRead, BufReader, Read};

use lzma_rust2::filter::bcj::BcjReader;
use lzma_rust2::filter::delta::DeltaReader;
use lzma_rust2::{Lzma2Reader, LzmaReader};
use ppmd_rust::Ppmd7Decoder;

use super::header::{FolderCoder, PackedFolder};
use crate::codec::{
    Bzip2Decoder, DeflateWrapper, InflateDecoder, MemberStream, StreamDecoder, ZstdDecoder, damaged,
};
use crate::fault::{InputError, Packing};
use crate::peek::PeekReader;
use crate::read::{AsRead, ReadBytes};

/// Bytes of a read of packed data.
const READ_BYTES: usize = 32 << 10;
/// Bytes that are decoded at once. The bytes of a piece with damage are lost, so its size must be the same for all sizes of
/// reads.
const PIECE_BYTES: usize = 4 << 10;
/// The smallest dictionary.
const MIN_DICTIONARY_BYTES: u64 = 4 << 10;

const AES_METHOD: u64 = 0x06f1_0701;

/// Why a folder is not unpacked.
#[derive(Clone, Debug)]
pub(super) enum FolderRefusal {
    Encrypted,
    /// The method is not supported.
    Method(u64),
    /// It needs more memory than the limit.
    Window(u64),
    Damaged,
}

impl From<FolderRefusal> for InputError {
    fn from(refusal: FolderRefusal) -> Self {
        let packing = Packing::SevenZip;
        match refusal {
            FolderRefusal::Encrypted => InputError::Encrypted(packing),
            FolderRefusal::Method(method) => InputError::SevenZipMethod(method),
            FolderRefusal::Window(limit) => InputError::Window { packing, limit },
            FolderRefusal::Damaged => damaged(packing, io::ErrorKind::InvalidData),
        }
    }
}

/// Unpacks a folder whose packed bytes are `packed`. `window` is the limit on the memory of a coder, in bytes.
pub(super) fn unpacked<'r>(
    folder: &PackedFolder,
    packed: impl ReadBytes + 'r,
    window: u64,
) -> Result<Box<dyn ReadBytes + 'r>, FolderRefusal> {
    if folder.coders.iter().any(|coder| coder.method == AES_METHOD) {
        return Err(FolderRefusal::Encrypted);
    }
    let order = folder.order().ok_or_else(|| {
        // A folder without an order has a coder with several inputs.
        let odd = folder.coders.iter().map(|coder| coder.method).max();
        odd.map_or(FolderRefusal::Damaged, FolderRefusal::Method)
    })?;
    let mut bytes: Box<dyn ReadBytes + 'r> = Box::new(packed);
    for at in order {
        bytes = decoded(&folder.coders[at], bytes, folder.sizes[at], window)?;
    }
    Ok(bytes)
}

/// Decodes `packed` with a coder, to `size` bytes.
fn decoded<'r>(
    coder: &FolderCoder,
    packed: Box<dyn ReadBytes + 'r>,
    size: u64,
    window: u64,
) -> Result<Box<dyn ReadBytes + 'r>, FolderRefusal> {
    let packed = PeekReader::with_capacity(packed, READ_BYTES);
    let properties = &coder.properties[..];
    Ok(match coder.method {
        0 => Box::new(packed),
        0x04_0108 => stream(packed, InflateDecoder::new(DeflateWrapper::Bare)),
        0x04_0202 => stream(packed, Bzip2Decoder::new()),
        0x04f7_1101 => {
            let zstd = ZstdDecoder::new(window);
            stream(packed, zstd.map_err(|_| FolderRefusal::Damaged)?)
        }
        0x03_0101 => {
            let (&[lclppb], dictionary) = split(properties)?;
            let dictionary = dictionary_bytes(u32::from_le_bytes(*dictionary), size, window)?;
            let packed = AsRead::new(packed);
            pieces(
                LzmaReader::new_with_props(packed, size, lclppb, dictionary, None),
                size,
            )?
        }
        0x21 => {
            let (&[dictionary], _) = split::<1, 0>(properties)?;
            let stated = match dictionary {
                0..40 => (2 | u32::from(dictionary) & 1) << (dictionary / 2 + 11),
                40 => u32::MAX,
                _ => return Err(FolderRefusal::Damaged),
            };
            let dictionary = dictionary_bytes(stated, size, window)?;
            let lzma2 = Lzma2Reader::new(AsRead::new(packed), dictionary, None);
            pieces(Ok::<_, io::Error>(lzma2), size)?
        }
        0x03_0401 => {
            let (&[order], memory) = split(properties)?;
            let memory = u32::from_le_bytes(*memory);
            check_window(memory.into(), window)?;
            let packed = AsRead::new(packed);
            pieces(Ppmd7Decoder::new(packed, u32::from(order), memory), size)?
        }
        method => filtered(method, properties, AsRead::new(packed), size)?,
    })
}

/// Undoes a filter, which changes bytes of programs, or stores differences.
fn filtered<'r>(
    method: u64,
    properties: &[u8],
    bytes: impl Read + 'r,
    size: u64,
) -> Result<Box<dyn ReadBytes + 'r>, FolderRefusal> {
    let bcj = match method {
        0x03 => {
            let (&[distance], _) = split::<1, 0>(properties)?;
            let delta = DeltaReader::new(bytes, usize::from(distance) + 1);
            return pieces(Ok::<_, io::Error>(delta), size);
        }
        0x04 | 0x0303_0103 => BcjReader::new_x86,
        0x05 | 0x0303_0205 => BcjReader::new_ppc,
        0x06 | 0x0303_0401 => BcjReader::new_ia64,
        0x07 | 0x0303_0501 => BcjReader::new_arm,
        0x08 | 0x0303_0701 => BcjReader::new_arm_thumb,
        0x09 | 0x0303_0805 => BcjReader::new_sparc,
        0x0a => BcjReader::new_arm64,
        0x0b => BcjReader::new_riscv,
        other => return Err(FolderRefusal::Method(other)),
    };
    let start = properties
        .first_chunk()
        .map_or(0, |at| u32::from_le_bytes(*at));
    pieces(Ok::<_, io::Error>(bcj(bytes, start as usize)), size)
}

/// Splits properties after the first `N` bytes. Some writers add bytes after them.
fn split<const N: usize, const M: usize>(
    properties: &[u8],
) -> Result<(&[u8; N], &[u8; M]), FolderRefusal> {
    let split = properties.split_first_chunk::<N>();
    let split = split.and_then(|(first, rest)| Some((first, rest.first_chunk::<M>()?)));
    split.ok_or(FolderRefusal::Damaged)
}

/// Returns the size of the dictionary: the stated one, but not more than `size`, the number of unpacked bytes.
fn dictionary_bytes(stated: u32, size: u64, window: u64) -> Result<u32, FolderRefusal> {
    let needed = u64::from(stated).min(size.max(MIN_DICTIONARY_BYTES));
    check_window(needed, window)?;
    Ok(needed as u32)
}

fn check_window(needed: u64, limit: u64) -> Result<(), FolderRefusal> {
    if needed <= limit {
        Ok(())
    } else {
        Err(FolderRefusal::Window(limit))
    }
}

/// Decodes the streams at the start of `packed` with `decoder`.
fn stream<'r>(
    packed: PeekReader<impl ReadBytes + 'r>,
    decoder: impl StreamDecoder + 'r,
) -> Box<dyn ReadBytes + 'r> {
    Box::new(MemberStream::new(Packing::SevenZip, packed, decoder))
}

/// Reads the first `size` bytes of a decoder in pieces.
fn pieces<'r, R: Read + 'r, E>(
    decoder: Result<R, E>,
    size: u64,
) -> Result<Box<dyn ReadBytes + 'r>, FolderRefusal> {
    let decoder = decoder.map_err(|_| FolderRefusal::Damaged)?;
    let pieces = BufReader::with_capacity(PIECE_BYTES, decoder.take(size));
    Ok(Box::new(DecodedPieces(pieces)))
}

/// Bytes of a decoder that are always read in pieces of the same size.
struct DecodedPieces<R>(BufReader<R>);

impl<R: Read> ReadBytes for DecodedPieces<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let held = self.0.fill_buf();
        let count = ReadBytes::read(
            &mut held.map_err(|error| damaged(Packing::SevenZip, error))?,
            into,
        )?;
        self.0.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn ppmd_is_read_with_bytes_after_its_properties() {
        let text = b"10.5555/a and 10.5555/b";
        let mut encoder = ppmd_rust::Ppmd7Encoder::new(Vec::new(), 6, 1 << 20).unwrap();
        encoder.write_all(text).unwrap();
        let packed = encoder.finish(false).unwrap();
        let ppmd = |properties: &[u8]| {
            let coder = FolderCoder {
                method: 0x03_0401,
                inputs: 1,
                outputs: 1,
                properties: properties.to_owned(),
            };
            let packed: Box<dyn ReadBytes> = Box::new(&packed[..]);
            let mut out = Vec::new();
            decoded(&coder, packed, text.len() as u64, 1 << 20)?
                .read_to_end(&mut out)
                .map_err(|_| FolderRefusal::Damaged)?;
            Ok::<_, FolderRefusal>(out)
        };
        for properties in [&[6, 0, 0, 16, 0][..], &[6, 0, 0, 16, 0, 0, 0]] {
            assert_eq!(ppmd(properties).unwrap(), text, "{properties:?}");
        }
        assert!(ppmd(&[6, 0, 0, 16]).is_err());
    }
}
