//! The pages of a column in a row group, read by the crate `parquet` after their sizes were checked.
//!
//! The crate takes memory for a page by the size in its header, and some of its codecs unpack without a bound. So the header is
//! looked at first, and pages of these codecs are unpacked here.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use brotli_decompressor::Decompressor;
use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use parquet::basic::{Compression, Encoding, Type as PhysicalType};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};

use super::delta;
use super::levels::ColumnLevels;
use super::thrift::PageSizes;
use crate::read::ReadAt;

/// Bytes of a header that are read at once.
const HEADER_BYTES: usize = 512;
/// Bytes of memory for a value of a list: its levels, and its text without bytes of its own.
const LISTED_VALUE_BYTES: usize = 24;
/// Max bytes that a byte of LZ4 unpacks to. The crate tries several forms of the old codec LZ4, one of them without a bound.
const MAX_LZ4_RATIO: usize = 255;
/// Bytes of the buffer of brotli.
const BROTLI_BYTES: usize = 4096;

/// The memory for pages of a row group.
#[derive(Debug)]
pub(super) struct PageMemory {
    limit: usize,
    held: AtomicUsize,
    /// Bytes of the file that were read, and bytes that were unpacked.
    read: AtomicUsize,
    unpacked: AtomicUsize,
    is_exceeded: AtomicBool,
}

impl PageMemory {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(PageMemory {
            limit,
            held: AtomicUsize::new(0),
            read: AtomicUsize::new(0),
            unpacked: AtomicUsize::new(0),
            is_exceeded: AtomicBool::new(false),
        })
    }

    /// Whether a page did not fit since this was last called.
    pub(super) fn take_exceeded(&self) -> bool {
        self.is_exceeded.swap(false, Ordering::Relaxed)
    }

    /// Bytes of the file that were read since this was last called, and bytes that were unpacked.
    pub(super) fn take_counts(&self) -> [u64; 2] {
        [&self.read, &self.unpacked].map(|count| count.swap(0, Ordering::Relaxed) as u64)
    }

    /// Takes memory.
    fn take(&self, bytes: usize) -> Result<()> {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed);
        if held.saturating_add(bytes) <= self.limit {
            return Ok(());
        }
        self.is_exceeded.store(true, Ordering::Relaxed);
        Err(general("it needs more memory"))
    }
}

fn general(fault: &str) -> ParquetError {
    ParquetError::General(fault.to_owned())
}

/// The bytes of a column in a row group.
pub(super) struct ChunkFile {
    file: Arc<dyn ReadAt>,
    length: u64,
    memory: Arc<PageMemory>,
    /// Max bytes that a byte may unpack to although the header states less.
    ratio: usize,
    /// Whether the next read is that of a header.
    at_header: AtomicBool,
    /// The size that the last header stated.
    unpacked: AtomicUsize,
    /// Memory for the dictionary, for the pages since the last batch, and for the last page.
    dictionary: AtomicUsize,
    pages: AtomicUsize,
    last_page: AtomicUsize,
}

impl ChunkFile {
    pub(super) fn new(
        file: &Arc<dyn ReadAt>,
        length: u64,
        codec: Compression,
        memory: &Arc<PageMemory>,
    ) -> Arc<Self> {
        Arc::new(ChunkFile {
            ratio: match codec {
                Compression::LZ4 => MAX_LZ4_RATIO,
                _ => 1,
            },
            file: Arc::clone(file),
            length,
            memory: Arc::clone(memory),
            at_header: AtomicBool::new(false),
            unpacked: AtomicUsize::new(0),
            dictionary: AtomicUsize::new(0),
            pages: AtomicUsize::new(0),
            last_page: AtomicUsize::new(0),
        })
    }

    /// Gives back the memory for pages of earlier batches. The reader still holds the last one.
    pub(super) fn end_batch(&self) {
        let last = self.last_page.load(Ordering::Relaxed);
        let pages = self.pages.swap(last, Ordering::Relaxed);
        self.memory.held.fetch_sub(pages - last, Ordering::Relaxed);
    }

    /// Gives back all memory.
    pub(super) fn end(&self) {
        let pages = self.pages.swap(0, Ordering::Relaxed);
        let dictionary = self.dictionary.swap(0, Ordering::Relaxed);
        self.memory
            .held
            .fetch_sub(pages + dictionary, Ordering::Relaxed);
    }

    /// Takes memory for a page before it is unpacked.
    fn take_page(&self, sizes: PageSizes) -> Result<()> {
        let unpacked = sizes.unpacked.max(sizes.packed.saturating_mul(self.ratio));
        let bytes = unpacked.saturating_add(sizes.packed);
        self.unpacked.store(sizes.unpacked, Ordering::Relaxed);
        self.memory
            .unpacked
            .fetch_add(sizes.unpacked, Ordering::Relaxed);
        match sizes.is_dictionary {
            true => drop(self.dictionary.fetch_add(bytes, Ordering::Relaxed)),
            false => {
                self.pages.fetch_add(bytes, Ordering::Relaxed);
                self.last_page.store(bytes, Ordering::Relaxed);
            }
        }
        self.memory.take(bytes)
    }

    /// Takes more memory for the last page.
    fn take_more(&self, bytes: usize) -> Result<()> {
        self.pages.fetch_add(bytes, Ordering::Relaxed);
        self.last_page.fetch_add(bytes, Ordering::Relaxed);
        self.memory.take(bytes)
    }
}

impl Length for ChunkFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for ChunkFile {
    type T = BufReader<FileFrom>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let from = FileFrom {
            file: Arc::clone(&self.file),
            at: start,
        };
        let mut reader = BufReader::with_capacity(HEADER_BYTES, from);
        if self.at_header.swap(false, Ordering::Relaxed) {
            let sizes = PageSizes::parse(reader.fill_buf()?);
            self.take_page(sizes.ok_or_else(|| general("a damaged header of a page"))?)?;
        }
        Ok(reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let mut bytes = vec![0; length];
        let mut from = FileFrom {
            file: Arc::clone(&self.file),
            at: start,
        };
        from.read_exact(&mut bytes)?;
        self.memory.read.fetch_add(length, Ordering::Relaxed);
        Ok(bytes.into())
    }
}

/// A file from an offset on.
pub(super) struct FileFrom {
    file: Arc<dyn ReadAt>,
    at: u64,
}

impl Read for FileFrom {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Reads pages, and checks what their values need.
pub(super) struct CheckedPages {
    chunk: Arc<ChunkFile>,
    pages: SerializedPageReader<ChunkFile>,
    /// How pages are unpacked here.
    codec: Compression,
    /// Whether the header of the next page was read.
    has_header: bool,
    levels: ColumnLevels,
    /// Values and nulls that the metadata says there are, and those of the pages so far.
    stated: u64,
    values: u64,
    /// Min bytes of a value in a dictionary, and bytes of a value of a fixed length.
    min_value_bytes: usize,
    value_bytes: usize,
}

impl CheckedPages {
    pub(super) fn new(
        chunk: &Arc<ChunkFile>,
        metadata: &ColumnChunkMetaData,
        rows: usize,
    ) -> Result<Self> {
        let column = metadata.column_descr();
        let codec = metadata.compression();
        let unpacked = Compression::UNCOMPRESSED;
        let raw;
        let metadata = match codec {
            Compression::GZIP(_) | Compression::BROTLI(_) => {
                raw = metadata
                    .clone()
                    .into_builder()
                    .set_compression(unpacked)
                    .build()?;
                &raw
            }
            _ => metadata,
        };
        let length = usize::try_from(column.type_length()).unwrap_or(0);
        let [min_value_bytes, value_bytes] = match column.physical_type() {
            PhysicalType::BYTE_ARRAY => [size_of::<u32>(), 0],
            PhysicalType::FIXED_LEN_BYTE_ARRAY => [length, length],
            _ => [size_of::<u32>(), size_of::<u64>()],
        };
        Ok(CheckedPages {
            pages: SerializedPageReader::new(Arc::clone(chunk), metadata, rows, None)?,
            chunk: Arc::clone(chunk),
            codec,
            has_header: false,
            stated: metadata.num_values().try_into().unwrap_or(0),
            values: 0,
            levels: ColumnLevels {
                max: [column.max_rep_level(), column.max_def_level()],
            },
            min_value_bytes,
            value_bytes,
        })
    }

    /// Unpacks a page that the crate would unpack without a bound.
    fn unpack(&self, page: &mut Page) -> Result<()> {
        let (bytes, plain) = match page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
            Page::DataPageV2 {
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed: true,
                ..
            } => (
                buf,
                def_levels_byte_len.saturating_add(*rep_levels_byte_len),
            ),
            Page::DataPageV2 { .. } => return Ok(()),
        };
        let damaged = || general("a page does not have the size that its header states");
        let whole = bytes.clone();
        let (levels, packed) = whole.split_at_checked(plain as usize).ok_or_else(damaged)?;
        let decoder: Box<dyn Read> = match self.codec {
            Compression::GZIP(_) => Box::new(MultiGzDecoder::new(packed)),
            Compression::BROTLI(_) => Box::new(Decompressor::new(packed, BROTLI_BYTES)),
            _ => return Ok(()),
        };
        let size = self.chunk.unpacked.load(Ordering::Relaxed);
        let mut all = Vec::with_capacity(size + 1);
        all.extend_from_slice(levels);
        if size > levels.len() {
            let most = (size - levels.len()) as u64 + 1;
            decoder.take(most).read_to_end(&mut all)?;
        }
        if all.len() != size {
            return Err(damaged());
        }
        *bytes = all.into();
        Ok(())
    }

    /// Takes memory for the values of a page.
    fn check(&self, page: &Page) -> Result<()> {
        let values = page.num_values() as usize;
        let bytes = page.buffer().len();
        if page.is_dictionary_page() {
            return match values.saturating_mul(self.min_value_bytes) <= bytes {
                true => Ok(()),
                false => Err(general(
                    "a dictionary has fewer values than its header states",
                )),
            };
        }
        if !self.levels.fit(page) {
            return Err(general("a page has damaged levels"));
        }
        if self.levels.max[0] > 0 {
            let each = LISTED_VALUE_BYTES + self.value_bytes;
            self.chunk.take_more(values.saturating_mul(each))?;
        }
        if matches!(
            page.encoding(),
            Encoding::DELTA_BYTE_ARRAY | Encoding::DELTA_LENGTH_BYTE_ARRAY
        ) {
            self.chunk
                .take_more(values.saturating_mul(delta::LENGTHS_BYTES))?;
            let texts =
                delta::text_bytes(page, self.levels).ok_or_else(|| general("a damaged page"))?;
            self.chunk.take_more(texts)?;
        }
        Ok(())
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let next = self.peek_next_page()?;
        self.has_header = false;
        let page = next.map(|_| self.pages.get_next_page()).transpose()?;
        let Some(mut page) = page.flatten() else {
            return match self.values == self.stated {
                true => Ok(None),
                false => Err(general(
                    "it does not have as many values as its metadata says",
                )),
            };
        };
        self.unpack(&mut page)?;
        self.check(&page)?;
        if page.is_data_page() {
            self.values += u64::from(page.num_values());
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        // Bytes after the last value are of no page.
        if self.values > 0 && self.values >= self.stated {
            return Ok(None);
        }
        if !self.has_header {
            self.chunk.at_header.store(true, Ordering::Relaxed);
        }
        let metadata = self.pages.peek_next_page();
        self.chunk.at_header.store(false, Ordering::Relaxed);
        self.has_header = true;
        metadata
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.has_header = false;
        self.pages.skip_next_page()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
