//! Recognises the format of a file of records by its first bytes, and opens a reader for it.

use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;

use doisift_documents::{ReadAt, SourceFile};

use super::columns::{FileColumns, FoundColumn};
use super::fault::{ReadError, RecordFault};
use super::field::{Field, RowKind, kind_of};
use super::row::OwnedRow;
use super::rows::{BUFFER_BYTES, RowReader};
use super::{csv, jsonl};

/// Number of first bytes that determine packing and format.
const HEAD_BYTES: usize = 32;

/// The magic number at the start and the end of a Parquet file.
const PARQUET: &[u8] = b"PAR1";
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// Whether a file starts as Parquet does, which [`parquet_reader`] reads. [`reader`] reads other formats.
pub(crate) fn is_parquet(raw: &impl ReadAt) -> io::Result<bool> {
    let mut head = [0; PARQUET.len()];
    let read = raw.read_at(&mut head, 0)?;
    Ok(head[..read] == *PARQUET)
}

/// Opens a Parquet file of `length` bytes.
///
/// # Errors
/// If it is not a complete Parquet file, or lacks a column of rows of type `O`.
#[cfg(feature = "columnar")]
pub(crate) fn parquet_reader<O: OwnedRow + 'static>(
    raw: Arc<dyn ReadAt>,
    length: u64,
) -> Result<Box<dyn RowReader<O>>, ReadError> {
    let reader = super::parquet::ParquetReader::new::<O>(raw, length)?;
    Ok(Box::new(reader))
}

#[cfg(not(feature = "columnar"))]
pub(crate) fn parquet_reader<O: OwnedRow>(
    _: Arc<dyn ReadAt>,
    _: u64,
) -> Result<Box<dyn RowReader<O>>, ReadError> {
    Err(ReadError::new(RecordFault::LeftOut))
}

/// Opens the stream `raw`: CSV, TSV or JSON Lines, plain or packed with gzip or zstd. An empty stream has no records.
///
/// # Errors
/// If it cannot be read, or its start shows that it is not a file of records.
pub(crate) fn reader<'r, O: OwnedRow>(
    raw: impl Read + Send + 'r,
) -> Result<Box<dyn RowReader<O> + 'r>, ReadError> {
    match lines(unpacker(raw)?)? {
        (raw, LineFormat::Json) => Ok(Box::new(jsonl::JsonlReader::new(raw))),
        (raw, LineFormat::Delimited(by)) => Ok(Box::new(csv::CsvReader::new::<O>(raw, by)?)),
        (raw, LineFormat::Unknown) => Err(ReadError::new(no_rows(raw, O::KIND))),
    }
}

/// Returns the fault of a text that does not start with a field: the first column that it lacks, if it is a table.
fn no_rows(raw: impl Read, rows: RowKind) -> RecordFault {
    let names = csv::header(raw, b',').unwrap_or_default();
    let field = rows.missing(|field| names.iter().any(|name| name == field.name()));
    match field.filter(|_| names.len() > 1) {
        Some(field) => RecordFault::Missing {
            wanted: rows,
            field: field.name(),
        },
        None => RecordFault::NoRows(rows),
    }
}

impl FileColumns {
    /// Reads the columns of a file. Returns `None` if it has no columns, or they are not those of any kind of rows.
    ///
    /// # Errors
    /// If it cannot be read, or its start shows that it is not a file of rows.
    pub(crate) fn of_file(file: SourceFile) -> Result<Option<Self>, ReadError> {
        let columns = file_columns(file)?;
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        Ok(kind_of(&names).map(|rows| FileColumns::new(rows, columns)))
    }
}

/// Returns the columns of a file, in order: of its header, its metadata, or its first object. Empty if the file is empty
/// or in no known format.
///
/// # Errors
/// If it cannot be read, or contains bare names.
fn file_columns(file: SourceFile) -> Result<Vec<FoundColumn>, ReadError> {
    if is_parquet(&file)? {
        let length = file.length()?;
        return parquet_columns(Arc::new(file), length);
    }
    match lines(unpacker(file.reader())?)? {
        (raw, LineFormat::Json) => jsonl::columns(raw),
        (raw, LineFormat::Delimited(by)) => {
            let names = csv::header(raw, by)?.into_iter();
            Ok(names.map(|name| FoundColumn { name, kind: None }).collect())
        }
        (_, LineFormat::Unknown) => Ok(Vec::new()),
    }
}

#[cfg(feature = "columnar")]
fn parquet_columns(raw: Arc<dyn ReadAt>, length: u64) -> Result<Vec<FoundColumn>, ReadError> {
    super::parquet::columns(raw, length)
}

#[cfg(not(feature = "columnar"))]
fn parquet_columns(_: Arc<dyn ReadAt>, _: u64) -> Result<Vec<FoundColumn>, ReadError> {
    Err(ReadError::new(RecordFault::LeftOut))
}

/// Undoes the packing of a stream, gzip or zstd, if it has one.
pub(crate) fn unpacker<'r>(
    mut raw: impl Read + Send + 'r,
) -> io::Result<Box<dyn Read + Send + 'r>> {
    let head = peek(&mut raw)?;
    let raw = Cursor::new(head.clone()).chain(raw);
    Ok(match head[..] {
        [0x1f, 0x8b, ..] => {
            let raw = BufReader::with_capacity(BUFFER_BYTES, raw);
            Box::new(flate2::bufread::MultiGzDecoder::new(raw))
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::Decoder::new(raw)?),
        _ => Box::new(raw),
    })
}

/// Format of lines, by the first line.
enum LineFormat {
    /// JSON Lines, or an empty stream.
    Json,
    /// CSV or TSV with this byte between fields.
    Delimited(u8),
    Unknown,
}

/// Returns an unpacked stream at its first line, and the format of its lines.
fn lines<'r>(
    mut raw: Box<dyn Read + Send + 'r>,
) -> Result<(Box<dyn Read + Send + 'r>, LineFormat), ReadError> {
    let mut head = peek(&mut raw)?;
    if head.starts_with(UTF8_BOM) {
        head.drain(..UTF8_BOM.len());
    }
    let format = match head.trim_ascii_start() {
        [] | [b'{', ..] => LineFormat::Json,
        start if start.starts_with(PARQUET) => return Err(ReadError::new(RecordFault::Stream)),
        start if start.starts_with(b"10.") => return Err(ReadError::new(RecordFault::Names)),
        start => delimiter(start).map_or(LineFormat::Unknown, LineFormat::Delimited),
    };
    Ok((Box::new(Cursor::new(head).chain(raw)), format))
}

/// Returns the byte after the first name in a header of CSV or TSV, or `None` if it is not the name of a field.
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

/// Reads the first bytes; fewer only if the input is shorter.
fn peek(raw: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    raw.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}
