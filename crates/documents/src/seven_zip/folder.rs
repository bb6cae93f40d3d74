//! Unpacks the streams of a 7z archive.

use std::io::{self, Read};

use liblzma::stream::Filters;

use super::header::{FolderCoder, PackedFolder};
use crate::codec::{
    Bzip2Decoder, DeflateWrapper, InflateDecoder, MemberStream, RawLzmaDecoder, StreamDecoder,
    ZstdDecoder, damaged,
};
use crate::fault::{InputError, Packing};
use crate::peek::PeekReader;
use crate::read::{AsRead, ReadBytes};

/// Bytes of a read of packed data.
const READ_BYTES: usize = 32 << 10;
/// The largest chunk of LZMA2 that is stored.
const MAX_STORED_BYTES: usize = 64 << 10;
/// The properties of LZMA2 for a dictionary of 64 KiB.
const SMALL_DICTIONARY_PROPERTIES: u8 = 8;
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
        let (coder, size) = (&folder.coders[at], folder.sizes[at]);
        bytes = Box::new(FirstBytes {
            bytes: decoded(coder, bytes, size, window)?,
            left: size,
        });
    }
    Ok(bytes)
}

/// Reads the first bytes of a reader.
struct FirstBytes<R> {
    bytes: R,
    left: u64,
}

impl<R: ReadBytes> ReadBytes for FirstBytes<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let max = into.len().min(left);
        if max == 0 {
            return Ok(0);
        }
        let read = self.bytes.read(&mut into[..max])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// Decodes `packed` with a coder, to `size` bytes.
fn decoded<'r>(
    coder: &FolderCoder,
    packed: Box<dyn ReadBytes + 'r>,
    size: u64,
    window: u64,
) -> Result<Box<dyn ReadBytes + 'r>, FolderRefusal> {
    let broken = |_: liblzma::stream::Error| FolderRefusal::Damaged;
    Ok(match coder.method {
        0 => packed,
        0x03_0101 | 0x21 => stream(packed, lzma(coder, size, window)?),
        0x03_0401 => Box::new(ppmd(&coder.properties, packed, window)?),
        0x04_0108 => stream(packed, InflateDecoder::new(DeflateWrapper::Bare)),
        0x04_0202 => stream(packed, Bzip2Decoder::new()),
        0x04f7_1101 => stream(
            packed,
            ZstdDecoder::new(window).map_err(|_| FolderRefusal::Damaged)?,
        ),
        method => {
            let mut filters = Filters::new();
            add_filter(&mut filters, method, &coder.properties)?;
            let filters = filters
                .lzma2_properties(&[SMALL_DICTIONARY_PROPERTIES])
                .map_err(broken)?;
            let decoder = RawLzmaDecoder::new(filters).map_err(|_| FolderRefusal::Damaged)?;
            stream(Box::new(StoredChunks::new(packed)), decoder)
        }
    })
}

/// Makes a decoder of LZMA or LZMA2. Its dictionary is not larger than the unpacked size.
fn lzma(coder: &FolderCoder, size: u64, window: u64) -> Result<RawLzmaDecoder, FolderRefusal> {
    let max = size.max(MIN_DICTIONARY_BYTES);
    let mut filters = Filters::new();
    let added = match &coder.properties[..] {
        [properties, dictionary @ ..] if coder.method != 0x21 => {
            let stated = dictionary.try_into().map_err(|_| FolderRefusal::Damaged)?;
            let needed = u64::from(u32::from_le_bytes(stated)).min(max);
            check_window(needed, window)?;
            let needed = (needed as u32).to_le_bytes();
            filters.lzma1_properties(&[&[*properties], &needed[..]].concat())
        }
        [stated @ 0..=40] => {
            let size_of = |properties: u8| match properties {
                40 => u64::from(u32::MAX),
                other => u64::from(2 | other & 1) << (other / 2 + 11),
            };
            let properties = (0..*stated).find(|small| size_of(*small) >= max);
            let properties = properties.unwrap_or(*stated);
            check_window(size_of(properties), window)?;
            filters.lzma2_properties(&[properties])
        }
        _ => return Err(FolderRefusal::Damaged),
    };
    let filters = added.map_err(|_| FolderRefusal::Damaged)?;
    RawLzmaDecoder::new(filters).map_err(|_| FolderRefusal::Damaged)
}

fn check_window(needed: u64, limit: u64) -> Result<(), FolderRefusal> {
    if needed <= limit {
        Ok(())
    } else {
        Err(FolderRefusal::Window(limit))
    }
}

/// Adds a filter, which changes bytes of programs, or stores differences.
fn add_filter(filters: &mut Filters, method: u64, properties: &[u8]) -> Result<(), FolderRefusal> {
    let added = match method {
        0x03 => filters.delta_properties(properties),
        0x04 | 0x0303_0103 => Ok(filters.x86()),
        0x05 | 0x0303_0205 => Ok(filters.powerpc()),
        0x06 | 0x0303_0401 => Ok(filters.ia64()),
        0x07 | 0x0303_0501 => Ok(filters.arm()),
        0x08 | 0x0303_0701 => Ok(filters.arm_thumb()),
        0x09 | 0x0303_0805 => Ok(filters.sparc()),
        0x0a => filters.arm64_properties(properties),
        0x0b => filters.riscv_properties(properties),
        other => return Err(FolderRefusal::Method(other)),
    };
    added.map(drop).map_err(|_| FolderRefusal::Damaged)
}

fn ppmd<'r>(
    properties: &[u8],
    packed: Box<dyn ReadBytes + 'r>,
    window: u64,
) -> Result<PpmdReader<'r>, FolderRefusal> {
    // Some writers add bytes.
    let Some(([order, memory @ ..], _)) = properties.split_first_chunk::<5>() else {
        return Err(FolderRefusal::Damaged);
    };
    let memory = u32::from_le_bytes(*memory);
    check_window(memory.into(), window)?;
    let packed = AsRead::new(PeekReader::with_capacity(packed, READ_BYTES));
    let decoder = ppmd_rust::Ppmd7Decoder::new(packed, u32::from(*order), memory);
    Ok(PpmdReader(decoder.map_err(|_| FolderRefusal::Damaged)?))
}

/// PPMd, version H.
struct PpmdReader<'r>(ppmd_rust::Ppmd7Decoder<AsRead<PeekReader<Box<dyn ReadBytes + 'r>>>>);

impl PpmdReader<'_> {
    /// Returns the error of the packed bytes, or else of the decoder.
    fn fault(&mut self, error: io::Error) -> InputError {
        let packed = self.0.get_mut();
        packed
            .take_fault()
            .unwrap_or_else(|| damaged(Packing::SevenZip, error))
    }
}

impl ReadBytes for PpmdReader<'_> {
    /// Decodes byte by byte, since a call that fails does not return the bytes before the damage.
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        for at in 0..into.len() {
            match self.0.read(&mut into[at..=at]) {
                Ok(1) => {}
                // The next read fails again.
                Ok(_) | Err(_) if at > 0 => return Ok(at),
                Ok(_) => return Ok(0),
                Err(error) => return Err(self.fault(error)),
            }
        }
        Ok(into.len())
    }
}

/// Decodes the streams at the start of `packed` with `decoder`.
fn stream<'r>(
    packed: Box<dyn ReadBytes + 'r>,
    decoder: impl StreamDecoder + 'r,
) -> Box<dyn ReadBytes + 'r> {
    let packed = PeekReader::with_capacity(packed, READ_BYTES);
    Box::new(MemberStream::new(Packing::SevenZip, packed, decoder))
}

/// Bytes as stored chunks of LZMA2, which liblzma needs before a filter. With LZMA itself, liblzma would not see the end,
/// and would hold the last bytes back.
struct StoredChunks<R> {
    inner: R,
    chunk: Vec<u8>,
    at: usize,
    is_first: bool,
    ended: bool,
    failed: Option<InputError>,
}

impl<R: ReadBytes> StoredChunks<R> {
    fn new(inner: R) -> Self {
        StoredChunks {
            inner,
            chunk: Vec::new(),
            at: 0,
            is_first: true,
            ended: false,
            failed: None,
        }
    }

    fn next(&mut self) {
        /// Stored bytes, with and without a reset of the dictionary.
        const STORED_CONTROLS: [u8; 2] = [2, 1];
        self.chunk.clear();
        self.chunk.extend([0; 3]);
        let read = self.inner.read_up_to(MAX_STORED_BYTES, &mut self.chunk);
        self.failed = read.err();
        self.at = 0;
        let length = self.chunk.len() - 3;
        match length.checked_sub(1) {
            Some(last) => {
                self.chunk[0] = STORED_CONTROLS[usize::from(self.is_first)];
                self.chunk[1..3].copy_from_slice(&(last as u16).to_be_bytes());
                self.is_first = false;
            }
            None if self.failed.is_some() => self.chunk.clear(),
            None => {
                self.chunk.truncate(1);
                self.ended = true;
            }
        }
    }
}

impl<R: ReadBytes> ReadBytes for StoredChunks<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while self.at == self.chunk.len() {
            match self.failed.take() {
                Some(error) => {
                    self.ended = true;
                    return Err(error);
                }
                None if self.ended => return Ok(0),
                None => self.next(),
            }
        }
        let count = into.len().min(self.chunk.len() - self.at);
        into[..count].copy_from_slice(&self.chunk[self.at..self.at + count]);
        self.at += count;
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
        for properties in [&[6, 0, 0, 16, 0][..], &[6, 0, 0, 16, 0, 0, 0]] {
            let mut read = vec![0; text.len()];
            let mut bytes = ppmd(properties, Box::new(&packed[..]), 1 << 20).unwrap();
            assert!(bytes.read_full(&mut read).unwrap());
            assert_eq!(read, text, "{properties:?}");
        }
        assert!(ppmd(&[6, 0, 0, 16], Box::new(&packed[..]), 1 << 20).is_err());
    }
}
