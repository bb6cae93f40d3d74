//! Checksums of each page, in its header, and of the whole file, in its metadata.
//!
//! Page CRCs are part of the format, and other readers verify them. They do not cover page headers and the metadata at the
//! end of the file. So the key-value metadata of the file has the xxh3-64 of all bytes, with zeros in place of the checksum
//! itself.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use ::parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{FileMetaData, KeyValue};
use ::parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use xxhash_rust::xxh3::Xxh3;

/// The key of the file's checksum in the metadata.
const KEY: &str = "doisift.xxh3";
/// Zeros in place of the checksum, which has as many digits.
const ZEROS: &str = "0000000000000000";
/// The beginning of the writer's name in files of this program. Other writers may copy the metadata with the checksum, which
/// is wrong for the new file.
pub(super) const WRITER: &str = "doisift version ";
/// Bytes at the end of a file: the length of the metadata, and the magic number.
const ENDING: usize = 8;
/// Bytes of a read.
const BUFFER: usize = 256 << 10;

/// First byte of a field in Thrift's compact protocol: an i32 whose number is one higher than that of the field before.
const NEXT_I32: u8 = 0x15;
/// The difference in the first byte of a field if its number is one higher.
const DISTANCE: u8 = 0x10;

/// Writes pages with the CRC of their bytes in their headers. The crate does not write these.
pub(super) struct SealedPages<'p>(pub(super) &'p mut Vec<u8>);

impl PageWriter for SealedPages<'_> {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec> {
        let crc = crc32fast::hash(page.data());
        let size = page.data().len();
        let mut written = TrackedWrite::new(Vec::with_capacity(size + 64));
        let mut spec = SerializedPageWriter::new(&mut written).write_page(page)?;
        let written = written.into_inner()?;
        let (header, data) = written.split_at(written.len() - size);
        let sealed = with_crc(header, crc)
            .ok_or_else(|| ParquetError::General("a page header of another layout".into()))?;
        let grown = sealed.len() - header.len();
        spec.offset = self.0.len() as u64;
        spec.bytes_written += grown as u64;
        spec.compressed_size += grown;
        spec.uncompressed_size += grown;
        self.0.extend_from_slice(&sealed);
        self.0.extend_from_slice(data);
        Ok(spec)
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Adds field 4, the CRC, to a page header: after fields 1 to 3, which are numbers, and before the field for the kind of
/// page, whose distance to the field before is now one less.
fn with_crc(header: &[u8], crc: u32) -> Option<Vec<u8>> {
    let mut at = 0;
    for _ in 0..3 {
        let number = header.get(at..)?.strip_prefix(&[NEXT_I32])?;
        at += 2 + number.iter().position(|byte| byte & 0x80 == 0)?;
    }
    let (numbers, kind) = header.split_at(at);
    let (&first, rest) = kind.split_first()?;
    let mut sealed = numbers.to_vec();
    sealed.push(NEXT_I32);
    let crc = crc as i32;
    let mut zigzag = ((crc << 1) ^ (crc >> 31)) as u32;
    while zigzag >= 0x80 {
        sealed.push(zigzag as u8 | 0x80);
        zigzag >>= 7;
    }
    sealed.push(zigzag as u8);
    sealed.push(first.checked_sub(DISTANCE)?);
    sealed.extend_from_slice(rest);
    Some(sealed)
}

/// The entry of the metadata for the checksum, with zeros.
pub(super) fn unsealed() -> KeyValue {
    KeyValue::new(KEY.to_owned(), ZEROS.to_owned())
}

/// The range of the checksum's digits in `tail`, the last bytes of a file.
fn digits(tail: &[u8]) -> Option<Range<usize>> {
    // The entry in the compact protocol: two string fields, each with its length.
    let mut entry = vec![0x18, KEY.len() as u8];
    entry.extend_from_slice(KEY.as_bytes());
    entry.extend_from_slice(&[0x18, ZEROS.len() as u8]);
    // The last match, since statistics before the entry may hold any text.
    let mut places = tail.windows(entry.len());
    let start = places.rposition(|place| place == entry)? + entry.len();
    (start + ZEROS.len() <= tail.len()).then_some(start..start + ZEROS.len())
}

/// Writes a file, and computes its checksum. The end of the file is held back until [`seal`](Self::seal).
pub(super) struct SealedFile<W> {
    out: W,
    hash: Xxh3,
    tail: Option<Vec<u8>>,
}

impl<W: Write> SealedFile<W> {
    pub(super) fn new(out: W) -> Self {
        SealedFile {
            out,
            hash: Xxh3::new(),
            tail: None,
        }
    }

    /// Starts to hold back written bytes. These are the metadata and little more.
    pub(super) fn hold_back(&mut self) {
        self.tail.get_or_insert_default();
    }

    /// Writes the held bytes with the checksum in them.
    pub(super) fn seal(mut self) -> io::Result<W> {
        let mut tail = self.tail.take().unwrap_or_default();
        let digits = digits(&tail).ok_or(io::ErrorKind::InvalidData)?;
        self.hash.update(&tail);
        let sum = format!("{:016x}", self.hash.digest());
        tail[digits].copy_from_slice(sum.as_bytes());
        self.out.write_all(&tail)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for SealedFile<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(tail) = &mut self.tail {
            tail.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    /// Does nothing: the owner flushes the inner writer, and a flush at other times could make compression worse.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the checksum of the file is right. True also if the file has no checksum of this program.
pub(super) fn is_whole(raw: &mut (impl Read + Seek), about: &FileMetaData) -> io::Result<bool> {
    let ours = about.created_by().is_some_and(|by| by.starts_with(WRITER));
    let mut entries = about.key_value_metadata().into_iter().flatten();
    let Some(entry) = entries.find(|entry| ours && entry.key == KEY) else {
        return Ok(true);
    };
    let length = raw.seek(SeekFrom::End(0))?;
    let tail = metadata(raw, length)?;
    let Some(digits) = digits(&tail) else {
        return Ok(false);
    };
    let start = length - tail.len() as u64;
    let sum = hash(raw, start + digits.start as u64..start + digits.end as u64)?;
    Ok(entry.value.as_deref() == Some(&format!("{sum:016x}")))
}

/// The metadata at the end of a file of `length` bytes, and the bytes after it.
fn metadata(raw: &mut (impl Read + Seek), length: u64) -> io::Result<Vec<u8>> {
    let mut ending = [0; ENDING];
    raw.seek(SeekFrom::End(-(ENDING as i64)))?;
    raw.read_exact(&mut ending)?;
    let metadata = ending.first_chunk().copied().map(u32::from_le_bytes);
    let size = u64::from(metadata.unwrap_or_default()) + ENDING as u64;
    let mut tail = Vec::new();
    raw.seek(SeekFrom::Start(length.saturating_sub(size)))?;
    raw.read_to_end(&mut tail)?;
    Ok(tail)
}

/// The checksum of all bytes, with zeros in place of those at `digits`.
fn hash(raw: &mut (impl Read + Seek), digits: Range<u64>) -> io::Result<u64> {
    raw.rewind()?;
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; BUFFER];
    let mut before = raw.by_ref().take(digits.start);
    update(&mut before, &mut buffer, &mut hash)?;
    hash.update(ZEROS.as_bytes());
    raw.seek(SeekFrom::Start(digits.end))?;
    update(raw, &mut buffer, &mut hash)?;
    Ok(hash.digest())
}

fn update(raw: &mut impl Read, buffer: &mut [u8], hash: &mut Xxh3) -> io::Result<()> {
    loop {
        match raw.read(buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => hash.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
