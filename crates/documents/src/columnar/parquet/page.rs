//! The pages of a column in a row group, with their headers, as they are in the file.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::footer::ColumnChunk;
use super::thrift::{STRUCT, ThriftReader, flag};
use crate::file::ReadAt;

/// Bytes of a read of a source, unless a page is larger.
pub(super) const READ_BYTES: usize = 256 << 10;
/// Bytes that are first searched for the header of a page, and the max. Headers may have statistics with long texts.
const HEADER_BYTES: usize = 1 << 10;
const MAX_HEADER_BYTES: usize = 16 << 20;
/// Bytes that the last page may have after the end of its column: old versions of parquet-mr do not count the header of the
/// dictionary.
const MAX_UNCOUNTED_BYTES: u64 = 100;

/// The header of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct PageHeader {
    pub(super) kind: PageKind,
    /// Bytes of the page, unpacked and packed.
    pub(super) unpacked: usize,
    pub(super) packed: usize,
    pub(super) crc: Option<u32>,
    /// Values and nulls.
    pub(super) values: u64,
    pub(super) encoding: i64,
    /// The encodings of repetition levels and definition levels.
    pub(super) level_encodings: [i64; 2],
    /// Bytes of repetition levels and definition levels before the values, in a page of the second version.
    pub(super) levels: [usize; 2],
    pub(super) is_packed: bool,
}

/// The kind of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PageKind {
    Data,
    Data2,
    Dictionary,
    /// It has no values.
    #[default]
    Other,
}

impl PageKind {
    /// Whether it has values of rows.
    pub(super) fn is_data(self) -> bool {
        matches!(self, PageKind::Data | PageKind::Data2)
    }
}

/// Runs of equal numbers, as an encoding of levels.
const RLE_ENCODING: i64 = 3;

impl PageHeader {
    fn parse(bytes: &[u8]) -> Option<(PageHeader, usize)> {
        let mut header = PageHeader {
            is_packed: true,
            level_encodings: [RLE_ENCODING; 2],
            ..PageHeader::default()
        };
        let mut kind = None;
        let mut thrift = ThriftReader::new(bytes);
        thrift.structure(|thrift, head| {
            match (head.id, head.kind) {
                (1, _) => kind = Some(thrift.integer()?),
                (2, _) => header.unpacked = thrift.integer()?.try_into().ok()?,
                (3, _) => header.packed = thrift.integer()?.try_into().ok()?,
                (4, _) => header.crc = Some(thrift.integer()? as u32),
                (5 | 7, STRUCT) => header.data(thrift)?,
                (8, STRUCT) => header.data2(thrift)?,
                _ => return Some(false),
            }
            Some(true)
        })?;
        header.kind = match kind? {
            0 => PageKind::Data,
            2 => PageKind::Dictionary,
            3 => PageKind::Data2,
            _ => PageKind::Other,
        };
        Some((header, bytes.len() - thrift.bytes_left()))
    }

    fn data(&mut self, thrift: &mut ThriftReader<'_>) -> Option<()> {
        thrift.structure(|thrift, head| {
            match head.id {
                1 => self.values = thrift.integer()?.try_into().ok()?,
                2 => self.encoding = thrift.integer()?,
                // The third field of a dictionary page is a flag, without bytes.
                3 if flag(head).is_none() => self.level_encodings[1] = thrift.integer()?,
                4 => self.level_encodings[0] = thrift.integer()?,
                _ => return Some(false),
            }
            Some(true)
        })
    }

    fn data2(&mut self, thrift: &mut ThriftReader<'_>) -> Option<()> {
        thrift.structure(|thrift, head| {
            match head.id {
                1 => self.values = thrift.integer()?.try_into().ok()?,
                4 => self.encoding = thrift.integer()?,
                5 => self.levels[1] = thrift.integer()?.try_into().ok()?,
                6 => self.levels[0] = thrift.integer()?.try_into().ok()?,
                7 => self.is_packed = flag(head)?,
                _ => return Some(false),
            }
            Some(true)
        })
    }

    /// Whether the levels are in the RLE encoding, as far as there are any. Some writers state another encoding for levels that are all 0 and
    /// take no bytes.
    pub(super) fn is_rle(&self, greatest: [u32; 2]) -> bool {
        let mut levels = self.level_encodings.iter().zip(greatest);
        levels.all(|(&encoding, max)| max == 0 || encoding == RLE_ENCODING)
    }
}

/// Reads the pages of a column in a row group.
pub(super) struct PageStream {
    file: Arc<dyn ReadAt>,
    /// Bytes of a read, unless a page is larger.
    step: usize,
    /// The offset of the bytes that are read next, and of the end.
    at: u64,
    end: u64,
    /// The max offset at which the last page may end.
    limit: u64,
    /// A buffer, and the range of it that was read and is still needed.
    window: Vec<u8>,
    held: Range<usize>,
    /// Bytes that were read since they were last counted.
    read: u64,
}

/// Why the next page cannot be read.
#[derive(Debug)]
pub(super) enum PageError {
    Io(io::Error),
    Header,
    Cut,
}

impl PageStream {
    /// Reads into `buffer`, about `step` bytes at a time.
    pub(super) fn new(
        file: &Arc<dyn ReadAt>,
        chunk: ColumnChunk,
        buffer: Vec<u8>,
        step: usize,
    ) -> Self {
        let end = chunk.start + chunk.length;
        PageStream {
            file: Arc::clone(file),
            step,
            at: chunk.start,
            end,
            limit: end + MAX_UNCOUNTED_BYTES,
            window: buffer,
            held: 0..0,
            read: 0,
        }
    }

    /// The offset of the next page in the file.
    pub(super) fn offset(&self) -> u64 {
        self.at - self.held.len() as u64
    }

    /// Takes the count of bytes that were read.
    pub(super) fn take_read(&mut self) -> u64 {
        std::mem::take(&mut self.read)
    }

    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.window
    }

    /// Returns the header of the next page; `None` at the end.
    pub(super) fn header(&mut self) -> Result<Option<PageHeader>, PageError> {
        let mut wanted = HEADER_BYTES;
        loop {
            self.fill(wanted)?;
            let held = &self.window[self.held.clone()];
            if held.is_empty() {
                return Ok(None);
            }
            if let Some((header, length)) = PageHeader::parse(held) {
                self.held.start += length;
                return Ok(Some(header));
            }
            if held.len() < wanted || wanted >= MAX_HEADER_BYTES {
                return Err(PageError::Header);
            }
            wanted *= 4;
        }
    }

    /// The bytes of the page after its header.
    pub(super) fn body(&mut self, length: usize) -> Result<&[u8], PageError> {
        let end = self.offset().saturating_add(length as u64);
        if end <= self.limit {
            self.end = self.end.max(end);
        }
        self.fill(length)?;
        let start = self.held.start;
        if self.held.len() < length {
            return Err(PageError::Cut);
        }
        self.held.start += length;
        Ok(&self.window[start..start + length])
    }

    /// Reads until `count` bytes are held, or all.
    fn fill(&mut self, count: usize) -> Result<(), PageError> {
        if self.held.len() >= count {
            return Ok(());
        }
        self.window.copy_within(self.held.clone(), 0);
        self.held = 0..self.held.len();
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let max = self.held.len().saturating_add(left);
        let wanted = count.max(self.step).min(max);
        if self.window.len() < wanted {
            self.window.resize(wanted, 0);
        }
        while self.held.len() < count.min(wanted) {
            match self
                .file
                .read_at(&mut self.window[self.held.end..wanted], self.at)
            {
                Ok(0) => return Ok(()),
                Ok(read) => {
                    self.held.end += read;
                    self.at += read as u64;
                    self.read += read as u64;
                }
                Err(error) => return Err(PageError::Io(error)),
            }
        }
        Ok(())
    }
}
