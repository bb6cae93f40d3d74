//! The pages of a column, as they come from a file that may be damaged.
//!
//! The crate's decoders trust their pages in some things, and panic where these are wrong. What they trust is checked here,
//! before they see a page.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::parquet::basic::{Encoding, Type};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;
use bytes::Bytes;

/// Bytes that the header of a page has, about.
const HEADER: usize = 512;
/// Values and nulls of a page, at most: writers make pages of about a MiB.
const VALUES: u32 = 1 << 26;
/// What stands behind the texts of a page: the length of one that is longer than any page, also if the first of these bytes
/// are taken for the last ones of another length.
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
        Ok(Pages {
            pages,
            column: chunk.column_type(),
            has_dictionary: false,
        })
    }

    fn check(&self, start: u64, length: u64) -> Result<()> {
        match start.checked_add(length).filter(|&end| end <= self.length) {
            Some(_) => Ok(()),
            None => Err(damaged("a place behind the end of the file")),
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

/// A panic elsewhere while the lock was held leaves a place to read from, which is set before each read.
fn lock<R>(raw: &Mutex<R>) -> MutexGuard<'_, R> {
    raw.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pages of a column, checked.
pub(super) struct Pages<R: Read + Seek + Send> {
    pages: SerializedPageReader<Source<R>>,
    column: Type,
    has_dictionary: bool,
}

impl<R: Read + Seek + Send> Pages<R> {
    fn checked(&mut self, mut page: Page) -> Result<Page> {
        if page.num_values() > VALUES {
            return Err(damaged("a page with more values than it can hold"));
        }
        self.check_encoding(&page)?;
        check_levels(&page)?;
        if let Page::DictionaryPage {
            buf, num_values, ..
        } = &page
        {
            // A text has a length of four bytes, a number eight.
            if *num_values as usize > buf.len() / 4 {
                return Err(damaged("a dictionary with more values than it can hold"));
            }
            self.has_dictionary = true;
        }
        if self.column == Type::BYTE_ARRAY && page.encoding() == Encoding::PLAIN {
            end_texts(&mut page);
        }
        Ok(page)
    }

    /// Only of these is it known that they can be wrong in nothing but what gives an error.
    fn check_encoding(&self, page: &Page) -> Result<()> {
        let known = match page.encoding() {
            Encoding::PLAIN => true,
            #[allow(deprecated, reason = "older files have it")]
            Encoding::PLAIN_DICTIONARY => self.has_dictionary || page.is_dictionary_page(),
            Encoding::RLE_DICTIONARY => self.has_dictionary,
            Encoding::RLE => self.column == Type::BOOLEAN,
            _ => false,
        };
        match known {
            true => Ok(()),
            false => Err(ParquetError::NYI(format!(
                "a page encoded as {}",
                page.encoding()
            ))),
        }
    }
}

/// Levels must stand in the page, and be encoded as they have been for ten years.
fn check_levels(page: &Page) -> Result<()> {
    let right = match page {
        Page::DataPage {
            def_level_encoding,
            rep_level_encoding,
            ..
        } => *def_level_encoding == Encoding::RLE && *rep_level_encoding == Encoding::RLE,
        Page::DataPageV2 {
            buf,
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => {
            let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
            levels <= buf.len() as u64
        }
        Page::DictionaryPage { .. } => true,
    };
    match right {
        true => Ok(()),
        false => Err(damaged("a page without its levels")),
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
        let page = self.pages.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}
