//! Which format a file of records has, told by its first bytes, and the reader for it.

use std::io::{self, BufReader, Cursor, Read};

use super::fault::Fault;
use super::{BUFFER, OwnedRecord, ReadError, csv, jsonl};

/// Bytes of a row, at most: what is longer is no row of ours, and not to be held in memory.
pub(super) const ROW: u64 = 16 << 20;
/// First bytes that tell packing and format.
const HEAD: usize = 16;

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads the records of one format, one after another.
pub(crate) trait RowReader: Send {
    /// Reads the next record into `into`; false at the end. After an error, nothing more is to be read.
    fn next(&mut self, into: &mut OwnedRecord) -> Result<bool, ReadError>;
}

/// A reader of records from `raw`, which is CSV or JSON Lines, plain or packed with gzip or zstd. What is empty holds no
/// records.
///
/// # Errors
/// If it cannot be read, or does not start as a file of records does.
pub(crate) fn reader<'r>(
    mut raw: impl Read + Send + 'r,
) -> Result<Box<dyn RowReader + 'r>, ReadError> {
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

fn unpacked<'r>(mut raw: Box<dyn Read + Send + 'r>) -> Result<Box<dyn RowReader + 'r>, ReadError> {
    let mut head = peek(&mut raw)?;
    if head.starts_with(UTF8_BOM) {
        head.drain(..UTF8_BOM.len());
    }
    let raw = Cursor::new(head.clone()).chain(raw);
    match head.trim_ascii_start() {
        [] | [b'{', ..] => Ok(Box::new(jsonl::JsonlReader::new(raw))),
        start if start.starts_with(b"doi,") || start.starts_with(b"\"doi\"") => {
            Ok(Box::new(csv::CsvReader::new(raw)?))
        }
        start if start.starts_with(b"10.") => Err(ReadError::new(Fault::Names)),
        _ => Err(ReadError::new(Fault::NoRecords)),
    }
}

/// The first bytes, fewer only where there are no more.
fn peek(raw: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    raw.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}
