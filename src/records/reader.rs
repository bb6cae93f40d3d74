//! Recognises the format of a file of records by its first bytes, and opens a reader for it.

use std::io::{self, BufReader, Cursor, Read, Seek};

use doisift_documents::ReadAt;

use super::fault::{ReadError, RecordFault};
use super::field::Field;
use super::row::OwnedRow;
use super::rows::{BUFFER, RowReader};
use super::{csv, jsonl};

/// Number of first bytes that determine packing and format.
const HEAD: usize = 32;

/// The magic number at the start and the end of a Parquet file.
const PARQUET: &[u8] = b"PAR1";
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// A reader of records from the file `raw`: Parquet, or a format that [`reader`] reads.
///
/// # Errors
/// If it cannot be read, or its start shows that it is no file of records.
pub(crate) fn file_reader<O: OwnedRow + 'static>(
    mut raw: impl Read + Seek + ReadAt + 'static,
) -> Result<Box<dyn RowReader<O>>, ReadError> {
    let head = peek(&mut raw)?;
    if head.starts_with(PARQUET) {
        parquet(raw)
    } else {
        reader(Cursor::new(head).chain(raw))
    }
}

#[cfg(feature = "parquet")]
fn parquet<O: OwnedRow + 'static>(
    raw: impl ReadAt + Seek + 'static,
) -> Result<Box<dyn RowReader<O>>, ReadError> {
    Ok(Box::new(super::parquet::ParquetReader::new::<O>(raw)?))
}

#[cfg(not(feature = "parquet"))]
fn parquet<O: OwnedRow>(_: impl Read) -> Result<Box<dyn RowReader<O>>, ReadError> {
    Err(ReadError::new(RecordFault::LeftOut))
}

/// A reader of records from the stream `raw`, which is CSV, TSV or JSON Lines, plain or packed with gzip or zstd. An empty stream
/// has no records.
///
/// # Errors
/// If it cannot be read, or its start shows that it is no file of records.
pub(crate) fn reader<'r, O: OwnedRow>(
    mut raw: impl Read + Send + 'r,
) -> Result<Box<dyn RowReader<O> + 'r>, ReadError> {
    let head = peek(&mut raw)?;
    let raw = Cursor::new(head.clone()).chain(raw);
    match head[..] {
        [0x1f, 0x8b, ..] => {
            let raw = BufReader::with_capacity(BUFFER, raw);
            unpacked(Box::new(flate2::bufread::MultiGzDecoder::new(raw)))
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => unpacked(Box::new(zstd::Decoder::new(raw)?)),
        _ => unpacked(Box::new(raw)),
    }
}

fn unpacked<'r, O: OwnedRow>(
    mut raw: Box<dyn Read + Send + 'r>,
) -> Result<Box<dyn RowReader<O> + 'r>, ReadError> {
    let mut head = peek(&mut raw)?;
    if head.starts_with(UTF8_BOM) {
        head.drain(..UTF8_BOM.len());
    }
    let raw = Cursor::new(head.clone()).chain(raw);
    match head.trim_ascii_start() {
        [] | [b'{', ..] => Ok(Box::new(jsonl::JsonlReader::new(raw))),
        start if start.starts_with(PARQUET) => Err(ReadError::new(RecordFault::Stream)),
        start if start.starts_with(b"10.") => Err(ReadError::new(RecordFault::Names)),
        start => match delimiter(start) {
            Some(delimiter) => Ok(Box::new(csv::CsvReader::new::<O>(raw, delimiter)?)),
            None => Err(ReadError::new(RecordFault::NoRows(O::KIND))),
        },
    }
}

/// The byte after the first name in a header of CSV or TSV; none if it is not the name of a field.
fn delimiter(header: &[u8]) -> Option<u8> {
    let quote = |bytes: &[u8]| usize::from(bytes.first() == Some(&b'"'));
    let header = &header[quote(header)..];
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
    let (name, rest) = header.split_at(header.iter().take_while(|byte| is_name(byte)).count());
    Field::named(str::from_utf8(name).ok()?)?;
    match rest[quote(rest)..].first() {
        Some(b'\t') => Some(b'\t'),
        None | Some(b',' | b'\n' | b'\r') => Some(b','),
        Some(_) => None,
    }
}

/// The first bytes; fewer only if the input is shorter.
fn peek(raw: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    raw.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}
