//! Opens an index and answers questions about names.

use std::fmt;
use std::fs::File;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::alphabet::Alphabet;
use crate::blocks::{BlockMap, IndexBlock};
use crate::bytes::ByteReader;
use crate::file::IndexBytes;
use crate::header::{self, IndexHeader, IndexSection};
use crate::{IndexError, IndexErrorKind, IndexSource, Notice};

/// A set of known names in a file, which is read block by block on demand.
///
/// Names are looked up by their key, [`Doi::key`](doisift_core::Doi::key): a text with ASCII capitals is never known.
/// Blocks that were read stay in memory, at most as many bytes as the file has; walks over many names
/// ([`Index::each_name`], [`Index::sorted_lookup`]) keep one at a time. Several threads can use an index at once.
pub struct Index {
    file: String,
    content: IndexBytes,
    header: IndexHeader,
    names: BlockMap,
    notices: BlockMap,
}

/// Facts about a known name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry<'a> {
    /// The agency that registered it, if the sources say so. Of several, the first in alphabetical order.
    pub agency: Option<&'a str>,
}

impl Index {
    /// Opens an index. Reads only its header and its directories: some bytes per thousand names.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not an index, or is cut or damaged there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, IndexError> {
        let file = path.as_ref().display().to_string();
        let content = IndexBytes::open(path.as_ref());
        let content =
            content.map_err(|error| IndexError::new(&file, "start", IndexErrorKind::Io(error)))?;
        Self::read(file, content)
    }

    /// Opens the index in a regular file, which errors name `name`.
    ///
    /// # Errors
    ///
    /// Same as [`Index::open`].
    pub fn from_file(name: &str, file: File) -> Result<Self, IndexError> {
        let content = IndexBytes::of_file(file);
        let content =
            content.map_err(|error| IndexError::new(name, "start", IndexErrorKind::Io(error)))?;
        Self::read(name.to_owned(), content)
    }

    /// Opens the index in `bytes`. Errors name it `file`.
    ///
    /// # Errors
    ///
    /// Same as [`Index::open`].
    pub fn from_bytes(file: &str, bytes: Vec<u8>) -> Result<Self, IndexError> {
        Self::read(file.to_owned(), IndexBytes::Memory(bytes))
    }

    fn read(file: String, content: IndexBytes) -> Result<Self, IndexError> {
        let header = IndexHeader::read(&content, &file)?;
        let [names, name_blocks, notices, notice_blocks] = header.sections;
        let blocks = |section, directory: IndexSection, keys| {
            let damaged = || IndexError::new(&file, directory.name, IndexErrorKind::Damaged);
            let bytes = read_section(&content, &file, directory)?;
            BlockMap::new(section, &bytes, keys).ok_or_else(damaged)
        };
        let names = blocks(names, name_blocks, header.names)?;
        let notices = blocks(notices, notice_blocks, header.noted)?;
        Ok(Index {
            file,
            content,
            header,
            names,
            notices,
        })
    }

    /// Returns the number of known names.
    pub fn len(&self) -> u64 {
        self.header.names
    }

    /// Whether the index has no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of names that have notices, known or not.
    pub fn noted(&self) -> u64 {
        self.header.noted
    }

    /// Returns the sources of the names, sorted by name.
    pub fn sources(&self) -> &[IndexSource] {
        &self.header.sources
    }

    /// Returns the agencies of the sources, sorted.
    pub fn agencies(&self) -> &[String] {
        &self.header.agencies
    }

    /// Returns the registered prefixes, sorted. Empty if the index has no list of them.
    pub fn prefixes(&self) -> &[String] {
        &self.header.prefixes
    }

    /// Whether a prefix, as a key, is registered, or one that it extends: `10.1000` for `10.1000.10`. `None` if the index has no
    /// list of prefixes.
    pub fn has_registered_prefix(&self, prefix: &str) -> Option<bool> {
        let listed = self.prefixes();
        let is_listed = |prefix: &str| listed.binary_search_by(|one| one.as_str().cmp(prefix));
        let mut ends = prefix.match_indices('.').map(|(end, _)| end);
        let is_registered =
            is_listed(prefix).is_ok() || ends.any(|end| is_listed(&prefix[..end]).is_ok());
        (!listed.is_empty()).then_some(is_registered)
    }

    /// Returns the sections of the file in their order, each with its length in bytes.
    #[doc(hidden)]
    pub fn sections(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let sections = self.header.sections.iter();
        sections.map(|section| (section.name, section.length))
    }

    /// Returns a checksum of the whole content. Two indexes with the same content have the same checksum.
    #[doc(hidden)]
    pub fn checksum(&self) -> u64 {
        self.header.checksum()
    }

    /// Whether the name is known. Takes about a microsecond if its block was already read.
    ///
    /// # Errors
    ///
    /// If the block of the name cannot be read or is damaged.
    pub fn contains(&self, key: &str) -> Result<bool, IndexError> {
        self.find(key).map(|known| known.is_some())
    }

    /// Returns the facts about the name; `None` if it is not known.
    ///
    /// # Errors
    ///
    /// Same as [`Index::contains`].
    pub fn find(&self, key: &str) -> Result<Option<IndexEntry<'_>>, IndexError> {
        let number = self.number(key.as_bytes())?;
        number.map(|number| self.known(number)).transpose()
    }

    /// Returns the number of a name.
    pub(crate) fn number(&self, key: &[u8]) -> Result<Option<u64>, IndexError> {
        let Some(at) = self.names.block_of(key) else {
            return Ok(None);
        };
        Ok(self.block(at)?.get(key))
    }

    /// Returns the facts that the number of a name encodes.
    pub(crate) fn known(&self, number: u64) -> Result<IndexEntry<'_>, IndexError> {
        let agency = header::agency(&self.header.agencies, number);
        let agency = agency.ok_or_else(|| self.damaged(header::NAMES_SECTION))?;
        Ok(IndexEntry { agency })
    }

    /// Returns the notices about a name, known or not, sorted by kind.
    ///
    /// # Errors
    ///
    /// Same as [`Index::contains`].
    pub fn notices(&self, key: &str) -> Result<Vec<Notice>, IndexError> {
        let Some(at) = self.notices.block_of(key.as_bytes()) else {
            return Ok(Vec::new());
        };
        let block = self.notices.loaded(&self.content, &self.file, at)?;
        match block.get(key.as_bytes()) {
            Some(offset) => self.notices_at(block, offset),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the notices at `offset` in the data of a block.
    pub(crate) fn notices_at(
        &self,
        block: &IndexBlock,
        offset: u64,
    ) -> Result<Vec<Notice>, IndexError> {
        let notices = usize::try_from(offset)
            .ok()
            .and_then(|offset| ByteReader::new(block.data.get(offset..)?, 0).list(Notice::read));
        notices.ok_or_else(|| self.damaged(header::NOTICES_SECTION))
    }

    /// Passes each name to `take`, sorted bytewise, with its agency.
    ///
    /// # Errors
    ///
    /// Same as [`Index::contains`], or the first error of `take`, which ends the walk.
    pub fn each_name<E: From<IndexError>>(
        &self,
        mut take: impl FnMut(&str, Option<&str>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each(&self.names, |_, key, number| {
            take(key, self.known(number)?.agency)
        })
    }

    /// Passes each notice to `take`, sorted by name, then by kind.
    ///
    /// # Errors
    ///
    /// Same as [`Index::each_name`].
    pub fn each_notice<E: From<IndexError>>(
        &self,
        mut take: impl FnMut(&str, Notice) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each(&self.notices, |block, key, offset| {
            let notices = self.notices_at(block, offset)?;
            notices.into_iter().try_for_each(|notice| take(key, notice))
        })
    }

    /// Passes each key of all blocks to `take`, and keeps no block.
    fn each<E: From<IndexError>>(
        &self,
        blocks: &BlockMap,
        mut take: impl FnMut(&IndexBlock, &str, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        for at in 0..blocks.len() {
            let block = self.read_block(blocks, at)?;
            let (mut result, mut left) = (Ok(()), blocks.entry(at).keys);
            block.each_from(&[], |key, number| {
                left = left.wrapping_sub(1);
                result = match std::str::from_utf8(key) {
                    Ok(key) => take(&block, key, number),
                    Err(_) => Err(self.damaged(blocks.section_name()).into()),
                };
                result.is_ok() && left > 0
            });
            result?;
            if left > 0 {
                return Err(self.damaged(blocks.section_name()).into());
            }
        }
        Ok(())
    }

    /// Reads the whole file and compares every checksum. Other methods check only the blocks that they read.
    ///
    /// # Errors
    ///
    /// If a section is damaged.
    pub fn verify(&self) -> Result<(), IndexError> {
        for section in self.header.sections {
            check_section(&self.content, &self.file, section)?;
        }
        Ok(())
    }

    /// Returns the bytes that occur in names.
    pub(crate) fn alphabet(&self) -> &Alphabet {
        &self.header.alphabet
    }

    /// Returns the blocks of names.
    pub(crate) fn blocks(&self) -> &BlockMap {
        &self.names
    }

    /// Returns the block `at` of names, and keeps it.
    pub(crate) fn block(&self, at: usize) -> Result<&IndexBlock, IndexError> {
        self.kept_block(&self.names, at)
    }

    /// Returns the block `at` of `blocks`, and keeps it.
    pub(crate) fn kept_block<'i>(
        &'i self,
        blocks: &'i BlockMap,
        at: usize,
    ) -> Result<&'i IndexBlock, IndexError> {
        blocks.loaded(&self.content, &self.file, at)
    }

    /// Returns the blocks of notices.
    pub(crate) fn notice_blocks(&self) -> &BlockMap {
        &self.notices
    }

    /// Reads the block `at` of `blocks`, without keeping it.
    pub(crate) fn read_block(
        &self,
        blocks: &BlockMap,
        at: usize,
    ) -> Result<IndexBlock, IndexError> {
        blocks.load(&self.content, &self.file, at)
    }

    pub(crate) fn damaged(&self, section: &'static str) -> IndexError {
        IndexError::new(&self.file, section, IndexErrorKind::Damaged)
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("file", &self.file)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// Reads and checks a section that fits in memory.
fn read_section(
    content: &IndexBytes,
    file: &str,
    section: IndexSection,
) -> Result<Vec<u8>, IndexError> {
    let error = |kind| IndexError::new(file, section.name, kind);
    let bytes = content.read(section.offset, section.length);
    let bytes = bytes.map_err(|cause| error(IndexErrorKind::Io(cause)))?;
    if xxh3_64(&bytes) != section.checksum {
        return Err(error(IndexErrorKind::Damaged));
    }
    Ok(bytes)
}

/// Checks a section of any size, one MiB at a time.
fn check_section(
    content: &IndexBytes,
    file: &str,
    section: IndexSection,
) -> Result<(), IndexError> {
    const STEP: u64 = 1 << 20;
    let error = |kind| IndexError::new(file, section.name, kind);
    let mut hash = Xxh3::new();
    let mut done = 0;
    while done < section.length {
        let length = STEP.min(section.length - done);
        let bytes = content.read(section.offset + done, length);
        hash.update(&bytes.map_err(|cause| error(IndexErrorKind::Io(cause)))?);
        done += length;
    }
    let is_right = hash.digest() == section.checksum;
    is_right
        .then_some(())
        .ok_or_else(|| error(IndexErrorKind::Damaged))
}
