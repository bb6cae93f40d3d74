//! The pages of a column, as they come from a file that may be damaged.
//!
//! The crate's decoders trust their pages in some things, and panic where these are wrong. What they trust is checked here,
//! before they see a page.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use ::parquet::basic::{Encoding, Type};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{ColumnChunkMetaData, FileMetaData};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;
use bytes::Bytes;

use super::{delta, seal};
use crate::lock::lock;

/// Bytes that the header of a page has, about.
const HEADER: usize = 512;
/// Values and nulls of a page, at most: writers make pages of about a MiB.
const VALUES: usize = 1 << 26;
/// Bytes of a number of seven bits a byte, at most.
const VARINT: usize = 10;
/// Follows the texts of a page: the length of one that is longer than any page.
const NO_TEXT: [u8; 4] = [0x7f; 4];

/// What a file is read from. Clones share it.
pub(super) struct Source<R> {
    raw: Arc<Mutex<R>>,
    length: u64,
}

/// Reads on from a place in a source, whatever others read from it.
pub(super) struct Section<R> {
    raw: Arc<Mutex<R>>,
    at: u64,
}

impl<R: Read + Seek> Source<R> {
    pub(super) fn new(mut raw: R) -> io::Result<Self> {
        let length = raw.seek(SeekFrom::End(0))?;
        Ok(Source {
            raw: Arc::new(Mutex::new(raw)),
            length,
        })
    }

    /// The pages of a column chunk of `rows` rows.
    ///
    /// # Errors
    /// If it is not in the file, or packed in a way that is not known.
    pub(super) fn pages(&self, chunk: &ColumnChunkMetaData, rows: usize) -> Result<Pages<R>>
    where
        R: Send,
    {
        let start = chunk.dictionary_page_offset();
        let start = u64::try_from(start.unwrap_or(chunk.data_page_offset()));
        let length = u64::try_from(chunk.compressed_size());
        let (Ok(start), Ok(length)) = (start, length) else {
            return Err(damaged("a column with a negative place"));
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

    /// Whether the file has the checksum that `about`, its metadata, gives, if it gives one.
    pub(super) fn is_whole(&self, about: &FileMetaData) -> io::Result<bool> {
        seal::is_whole(&mut *lock(&self.raw), about)
    }

    fn check(&self, start: u64, length: u64) -> Result<()> {
        match start.checked_add(length).filter(|&end| end <= self.length) {
            Some(_) => Ok(()),
            None => Err(damaged("a place after the end of the file")),
        }
    }
}

impl<R> Clone for Source<R> {
    fn clone(&self) -> Self {
        Source {
            raw: Arc::clone(&self.raw),
            length: self.length,
        }
    }
}

impl<R> Length for Source<R> {
    fn len(&self) -> u64 {
        self.length
    }
}

impl<R: Read + Seek + Send> ChunkReader for Source<R> {
    type T = BufReader<Section<R>>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let section = Section {
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

impl<R: Read + Seek> Read for Section<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut raw = lock(&self.raw);
        raw.seek(SeekFrom::Start(self.at))?;
        let read = raw.read(into)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// The pages of a column, checked.
pub(super) struct Pages<R: Read + Seek + Send> {
    pages: SerializedPageReader<Source<R>>,
    column: Type,
    /// The greatest level of repetition, and of definition.
    levels: [i16; 2],
    has_dictionary: bool,
    /// The next page, if it was looked at.
    next: Option<Page>,
}

impl<R: Read + Seek + Send> Pages<R> {
    fn read(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    /// The next page, which stays the next. The crate looks at its header alone, and panics at one that lacks a part.
    fn peek(&mut self) -> Result<Option<&Page>> {
        if self.next.is_none() {
            self.next = self.read()?;
        }
        Ok(self.next.as_ref())
    }

    fn checked(&mut self, mut page: Page) -> Result<Page> {
        self.check_encoding(&page)?;
        if delta::is_delta(page.encoding()) {
            page = self.without_deltas(page)?;
        }
        // A text has a length of four bytes, a number eight.
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
        let plain = delta::plain(page.encoding(), self.column, values, most).ok_or_else(wrong)?;
        if let Page::DataPage { buf, encoding, .. } | Page::DataPageV2 { buf, encoding, .. } =
            &mut page
        {
            *buf = [&buf[..levels], &plain].concat().into();
            *encoding = Encoding::PLAIN;
        }
        Ok(page)
    }

    /// Whether lengths and runs in the page are what decoders can follow, though perhaps not to as many values as they want.
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

    /// The levels of a page, of repetition and of definition, and its values.
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

    /// Only of these is it known what can be wrong with them. Levels have been runs for ten years.
    fn check_encoding(&self, page: &Page) -> Result<()> {
        let known = match page.encoding() {
            Encoding::PLAIN => true,
            #[allow(deprecated, reason = "older files have it")]
            Encoding::PLAIN_DICTIONARY => self.has_dictionary || page.is_dictionary_page(),
            Encoding::RLE_DICTIONARY => self.has_dictionary,
            Encoding::RLE => self.column == Type::BOOLEAN && page.is_data_page(),
            encoding => delta::is_delta(encoding) && page.is_data_page(),
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

/// The bytes after a length of four bytes that have that length, and the rest.
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

/// Whether these are runs of values that have so many bits, up to where they end or zeros begin.
fn are_runs(mut bytes: &[u8], width: u32) -> bool {
    loop {
        let header = bytes.iter().take(VARINT).position(|byte| byte & 0x80 == 0);
        let Some(last) = header else {
            // Where the header itself is cut off, decoders take it for the end.
            return bytes.len() <= VARINT;
        };
        let (header, rest) = bytes.split_at(last + 1);
        let header = header
            .iter()
            .rev()
            .fold(0_u64, |header, byte| header << 7 | u64::from(byte & 0x7f));
        let values = match header {
            0 => return true,
            // Eight values of so many bits are so many bytes.
            _ if header & 1 == 1 => (header >> 1).saturating_mul(width.into()),
            _ => width.div_ceil(8).into(),
        };
        match usize::try_from(values) {
            Ok(values) if values < rest.len() => bytes = &rest[values..],
            _ => return true,
        }
    }
}

/// Lets what reads more texts than there are come upon one that is too long, which gives an error.
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
