//! Reads the pages of a column from a file that may be damaged.
//!
//! The decoders of the crate `parquet` panic on some damaged pages. This module checks pages before it passes them on.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use ::parquet::basic::{Encoding, Type};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{ColumnChunkMetaData, FileMetaData};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;
use bytes::Bytes;

use super::seal;
use crate::delta::{self, DeltaValues};
use crate::lock::lock;

/// Size of a page header in bytes, about.
const HEADER: usize = 512;
/// Greatest number of values and nulls of a page; writers make pages of about a MiB.
const VALUES: usize = 1 << 26;
/// Greatest length of a number of seven bits per byte, in bytes.
const VARINT: usize = 10;
/// Added after the texts of a page: the length of a text that is longer than any page.
const NO_TEXT: [u8; 4] = [0x7f; 4];

/// A file that is being read. Clones share it.
pub(super) struct ParquetFile<R> {
    raw: Arc<Mutex<R>>,
    length: u64,
}

/// Reads a file from an offset on, independently of other readers of it.
pub(super) struct FileTail<R> {
    raw: Arc<Mutex<R>>,
    at: u64,
}

impl<R: Read + Seek> ParquetFile<R> {
    pub(super) fn new(mut raw: R) -> io::Result<Self> {
        let length = raw.seek(SeekFrom::End(0))?;
        Ok(ParquetFile {
            raw: Arc::new(Mutex::new(raw)),
            length,
        })
    }

    /// The pages of a column chunk of `rows` rows.
    ///
    /// # Errors
    /// If it is not in the file, or its compression is not known.
    pub(super) fn pages(&self, chunk: &ColumnChunkMetaData, rows: usize) -> Result<Pages<R>>
    where
        R: Send,
    {
        let start = chunk.dictionary_page_offset();
        let start = u64::try_from(start.unwrap_or(chunk.data_page_offset()));
        let length = u64::try_from(chunk.compressed_size());
        let (Ok(start), Ok(length)) = (start, length) else {
            return Err(damaged("a column with a negative offset"));
        };
        self.check(start, length)?;
        let pages = SerializedPageReader::new(Arc::new(self.clone()), chunk, rows, None)?;
        let column = chunk.column_descr();
        Ok(Pages {
            pages,
            column: chunk.column_type(),
            levels: [column.max_rep_level(), column.max_def_level()],
            has_dictionary: false,
            next: None,
        })
    }

    /// Whether the file has the checksum that its metadata `about` has, or there is none.
    pub(super) fn is_whole(&self, about: &FileMetaData) -> io::Result<bool> {
        seal::is_whole(&mut *lock(&self.raw), about)
    }

    fn check(&self, start: u64, length: u64) -> Result<()> {
        match start.checked_add(length).filter(|&end| end <= self.length) {
            Some(_) => Ok(()),
            None => Err(damaged("an offset after the end of the file")),
        }
    }
}

impl<R> Clone for ParquetFile<R> {
    fn clone(&self) -> Self {
        ParquetFile {
            raw: Arc::clone(&self.raw),
            length: self.length,
        }
    }
}

impl<R> Length for ParquetFile<R> {
    fn len(&self) -> u64 {
        self.length
    }
}

impl<R: Read + Seek + Send> ChunkReader for ParquetFile<R> {
    type T = BufReader<FileTail<R>>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let section = FileTail {
            raw: Arc::clone(&self.raw),
            at: start,
        };
        Ok(BufReader::with_capacity(HEADER, section))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.check(start, length as u64)?;
        let mut bytes = vec![0; length];
        let mut raw = lock(&self.raw);
        raw.seek(SeekFrom::Start(start))?;
        raw.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

impl<R: Read + Seek> Read for FileTail<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut raw = lock(&self.raw);
        raw.seek(SeekFrom::Start(self.at))?;
        let read = raw.read(into)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Reads and checks the pages of a column.
pub(super) struct Pages<R: Read + Seek + Send> {
    pages: SerializedPageReader<ParquetFile<R>>,
    column: Type,
    /// The greatest repetition level, and the greatest definition level.
    levels: [i16; 2],
    has_dictionary: bool,
    /// The next page, if it was read ahead.
    next: Option<Page>,
}

impl<R: Read + Seek + Send> Pages<R> {
    fn read(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    /// Reads the next page ahead. The crate's own method reads only its header, and panics if that is incomplete.
    fn peek(&mut self) -> Result<Option<&Page>> {
        if self.next.is_none() {
            self.next = self.read()?;
        }
        Ok(self.next.as_ref())
    }

    fn checked(&mut self, mut page: Page) -> Result<Page> {
        self.check_encoding(&page)?;
        if is_delta(page.encoding()) {
            page = self.without_deltas(page)?;
        }
        // A text takes at least the four bytes of its length, and a number eight bytes.
        let most = match &page {
            Page::DictionaryPage { buf, .. } => buf.len() / 4,
            _ => VALUES,
        };
        if page.num_values() as usize > most || !self.is_sound(&page) {
            return Err(damaged("a page that does not fit together"));
        }
        self.has_dictionary |= page.is_dictionary_page();
        if self.column == Type::BYTE_ARRAY && page.encoding() == Encoding::PLAIN {
            end_texts(&mut page);
        }
        Ok(page)
    }

    /// The page in the plain encoding.
    fn without_deltas(&self, mut page: Page) -> Result<Page> {
        let wrong = || damaged("a page that does not fit together");
        let (_, values) = self.parts(&page).ok_or_else(wrong)?;
        let levels = page.buffer().len() - values.len();
        let most = (page.num_values() as usize).min(VALUES);
        let kind = delta_values(page.encoding(), self.column).ok_or_else(wrong)?;
        let plain = delta::plain(kind, values, most).ok_or_else(wrong)?;
        if let Page::DataPage { buf, encoding, .. } | Page::DataPageV2 { buf, encoding, .. } =
            &mut page
        {
            *buf = [&buf[..levels], &plain].concat().into();
            *encoding = Encoding::PLAIN;
        }
        Ok(page)
    }

    /// Whether decoders can read the lengths and runs in the page. There may be fewer values than they need.
    fn is_sound(&self, page: &Page) -> bool {
        let Some((levels, values)) = self.parts(page) else {
            return false;
        };
        let mut levels = levels.into_iter().zip(self.levels);
        levels.all(|(levels, most)| are_runs(levels, 16 - most.leading_zeros()))
            && match (page.encoding(), self.column) {
                (Encoding::PLAIN, Type::BYTE_ARRAY) => are_texts(values),
                (Encoding::PLAIN, _) => true,
                (Encoding::RLE, _) => prefixed(values).is_none_or(|(runs, _)| are_runs(runs, 1)),
                _ => values
                    .split_first()
                    .is_none_or(|(&width, runs)| are_runs(runs, width.into())),
            }
    }

    /// The repetition levels, definition levels and values of a page.
    fn parts<'p>(&self, page: &'p Page) -> Option<([&'p [u8]; 2], &'p [u8])> {
        let mut levels: [&[u8]; 2] = [&[]; 2];
        let mut rest: &[u8] = page.buffer();
        match page {
            Page::DataPage { .. } => {
                for (levels, most) in levels.iter_mut().zip(self.levels) {
                    if most > 0 {
                        (*levels, rest) = prefixed(rest)?;
                    }
                }
            }
            Page::DataPageV2 {
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let lengths = [*rep_levels_byte_len, *def_levels_byte_len];
                for (levels, length) in levels.iter_mut().zip(lengths) {
                    (*levels, rest) = rest.split_at_checked(length as usize)?;
                }
            }
            Page::DictionaryPage { .. } => {}
        }
        Some((levels, rest))
    }

    /// Accepts only encodings that this module checks. Levels must be runs, as all current writers store them.
    fn check_encoding(&self, page: &Page) -> Result<()> {
        let known = match page.encoding() {
            Encoding::PLAIN => true,
            #[allow(deprecated, reason = "older files have it")]
            Encoding::PLAIN_DICTIONARY => self.has_dictionary || page.is_dictionary_page(),
            Encoding::RLE_DICTIONARY => self.has_dictionary,
            Encoding::RLE => self.column == Type::BOOLEAN && page.is_data_page(),
            encoding => is_delta(encoding) && page.is_data_page(),
        };
        let runs = match page {
            Page::DataPage {
                def_level_encoding: definitions,
                rep_level_encoding: repetitions,
                ..
            } => [definitions, repetitions] == [&Encoding::RLE; 2],
            Page::DataPageV2 { .. } | Page::DictionaryPage { .. } => true,
        };
        match known && runs {
            true => Ok(()),
            false => Err(ParquetError::NYI(format!(
                "a page encoded as {}; write it again with plain, dictionary or delta encodings",
                page.encoding()
            ))),
        }
    }
}

/// Whether this is a delta encoding.
fn is_delta(encoding: Encoding) -> bool {
    matches!(
        encoding,
        Encoding::DELTA_BINARY_PACKED
            | Encoding::DELTA_LENGTH_BYTE_ARRAY
            | Encoding::DELTA_BYTE_ARRAY
    )
}

/// The values that a delta encoding has in a column of this type; none if it is for other types.
fn delta_values(encoding: Encoding, column: Type) -> Option<DeltaValues> {
    match (encoding, column) {
        (Encoding::DELTA_BINARY_PACKED, Type::INT32) => Some(DeltaValues::Short),
        (Encoding::DELTA_BINARY_PACKED, Type::INT64) => Some(DeltaValues::Long),
        (Encoding::DELTA_LENGTH_BYTE_ARRAY, Type::BYTE_ARRAY) => Some(DeltaValues::Lengths),
        (Encoding::DELTA_BYTE_ARRAY, Type::BYTE_ARRAY) => Some(DeltaValues::Texts),
        _ => None,
    }
}

/// Splits off bytes that follow their length of four bytes.
fn prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// Whether these are texts, each after its length, and nothing else.
fn are_texts(mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let Some((_, rest)) = prefixed(bytes) else {
            return false;
        };
        bytes = rest;
    }
    true
}

/// Whether these are runs of values of `width` bits, up to the end or to zeros.
fn are_runs(mut bytes: &[u8], width: u32) -> bool {
    loop {
        let header = bytes.iter().take(VARINT).position(|byte| byte & 0x80 == 0);
        let Some(last) = header else {
            // Decoders take an incomplete header for the end.
            return bytes.len() <= VARINT;
        };
        let (header, rest) = bytes.split_at(last + 1);
        let header = header
            .iter()
            .rev()
            .fold(0_u64, |header, byte| header << 7 | u64::from(byte & 0x7f));
        let values = match header {
            0 => return true,
            // Eight values of `width` bits take `width` bytes.
            _ if header & 1 == 1 => (header >> 1).saturating_mul(width.into()),
            _ => width.div_ceil(8).into(),
        };
        match usize::try_from(values) {
            Ok(values) if values < rest.len() => bytes = &rest[values..],
            _ => return true,
        }
    }
}

/// Adds a text that is too long after the others, so that a decoder that reads too many texts returns an error.
fn end_texts(page: &mut Page) {
    let (Page::DataPage { buf, .. }
    | Page::DataPageV2 { buf, .. }
    | Page::DictionaryPage { buf, .. }) = page;
    *buf = [buf, &NO_TEXT[..]].concat().into();
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(what.into())
}

impl<R: Read + Seek + Send> Iterator for Pages<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<R: Read + Seek + Send> PageReader for Pages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        match self.next.take() {
            Some(page) => Ok(Some(page)),
            None => self.read(),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        let page = self.peek()?;
        Ok(page.map(|page| PageMetadata {
            num_rows: match page {
                Page::DataPageV2 { num_rows, .. } => Some(*num_rows as usize),
                Page::DataPage { .. } | Page::DictionaryPage { .. } => None,
            },
            num_levels: page.is_data_page().then_some(page.num_values() as usize),
            is_dict: page.is_dictionary_page(),
        }))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.get_next_page().map(|_| ())
    }
}
