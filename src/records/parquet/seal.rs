//! Checksums of each page, in its header, and of the whole file, in its metadata.
//!
//! Page CRCs are part of the format, and other readers verify them. They do not cover page headers and the metadata at the
//! end of the file. So the key-value metadata of the file has the xxh3-64 of all bytes, with zeros in place of the checksum
//! itself.

use std::io::{self, Write};
use std::ops::Range;

use ::parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use xxhash_rust::xxh3::Xxh3;

use doisift_documents::{ParquetTable, ReadAt};

/// The key of the file's checksum in the metadata.
const CHECKSUM_KEY: &str = "doisift.xxh3";
/// Zeros in place of the digits of the checksum.
const UNSET_CHECKSUM: &str = "0000000000000000";
/// The beginning of the writer's name in files of this program. Other writers may copy the metadata with the checksum, which
/// is wrong for the new file.
pub(super) const WRITER: &str = "doisift version ";
/// Bytes of a read.
const READ_BYTES: usize = 256 << 10;

/// First byte of a field in Thrift's compact protocol: an i32 whose number is one higher than that of the previous field.
const NEXT_I32: u8 = 0x15;
/// The difference in the first byte of a field if its number is one higher.
const FIELD_NUMBER_STEP: u8 = 0x10;

/// Writes pages with the CRC of their bytes in their headers. The crate (60.1) always leaves the CRC out, and its type for
/// headers is private, so the field is added to the bytes of the header.
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

/// Adds field 4, the CRC, to a page header: after fields 1 to 3, which are numbers, and before the field for the kind of page,
/// whose distance to the previous field becomes one less.
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
    sealed.push(first.checked_sub(FIELD_NUMBER_STEP)?);
    sealed.extend_from_slice(rest);
    Some(sealed)
}

/// Returns the metadata entry for the checksum, with zeros.
pub(super) fn unsealed() -> KeyValue {
    KeyValue::new(CHECKSUM_KEY.to_owned(), UNSET_CHECKSUM.to_owned())
}

/// Returns the range of the checksum's digits in `tail`, the last bytes of a file.
fn digits(tail: &[u8]) -> Option<Range<usize>> {
    // The entry in the compact protocol: two string fields, each with its length.
    let mut entry = vec![0x18, CHECKSUM_KEY.len() as u8];
    entry.extend_from_slice(CHECKSUM_KEY.as_bytes());
    entry.extend_from_slice(&[0x18, UNSET_CHECKSUM.len() as u8]);
    // The last match, since statistics before the entry may hold any text.
    let mut places = tail.windows(entry.len());
    let start = places.rposition(|place| place == entry)? + entry.len();
    (start + UNSET_CHECKSUM.len() <= tail.len()).then_some(start..start + UNSET_CHECKSUM.len())
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

    /// Starts to hold back written bytes: the metadata and little more.
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

/// Whether the checksum of a file of `length` bytes is right. Also true for a file without a checksum of this program.
pub(super) fn is_whole(file: &dyn ReadAt, length: u64, table: &ParquetTable) -> io::Result<bool> {
    let ours = table.writer().is_some_and(|by| by.starts_with(WRITER));
    let Some(stated) = table.entry(CHECKSUM_KEY).filter(|_| ours) else {
        return Ok(true);
    };
    let (metadata, start) = table.metadata();
    let Some(digits) = digits(metadata) else {
        return Ok(false);
    };
    file.expect(0..length);
    let sum = hash(file, start + digits.start as u64)?;
    Ok(*stated == format!("{sum:016x}"))
}

/// Returns the checksum of all bytes, with zeros in place of the digits at the offset `digits`.
fn hash(file: &dyn ReadAt, digits: u64) -> io::Result<u64> {
    let mut hash = Xxh3::new();
    update(&mut hash, file, 0..digits)?;
    hash.update(UNSET_CHECKSUM.as_bytes());
    update(
        &mut hash,
        file,
        digits + UNSET_CHECKSUM.len() as u64..u64::MAX,
    )?;
    Ok(hash.digest())
}

/// Adds the bytes in `range`, at most to the end of the file.
fn update(hash: &mut Xxh3, file: &dyn ReadAt, range: Range<u64>) -> io::Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    let mut at = range.start;
    while at < range.end {
        let left = usize::try_from(range.end - at).unwrap_or(usize::MAX);
        match file.read_at(&mut buffer[..left.min(READ_BYTES)], at) {
            Ok(0) => break,
            Ok(read) => {
                hash.update(&buffer[..read]);
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
