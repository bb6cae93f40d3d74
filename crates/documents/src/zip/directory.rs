//! Reads the entries of the directory of an archive (APPNOTE 6.3.10, 4.3.12).

use std::io;

use super::end::DirectoryLocation;
use super::headers::{CENTRAL_MAGIC, ZipEntry, entry, widen};
use super::volume::CountedFile;
use crate::codec::{damaged, early_end};
use crate::fault::{InputError, Packing};
use crate::file::FileSection;
use crate::numbers::number;
use crate::peek::PeekReader;
use crate::read::ReadBytes;

/// Bytes of an entry without its name, extra fields and comment.
const CENTRAL_BYTES: usize = 46;
/// Bytes of a read of the directory.
const READ_BYTES: usize = 64 << 10;

/// Reads the entries of a directory in order.
pub(super) struct DirectoryReader<'z> {
    bytes: PeekReader<FileSection<'z>>,
    /// Offset of the next entry.
    pub(super) at: u64,
    end: u64,
    shift: i64,
    /// The name and the extra fields of the last entry, and the length of the name.
    fields: Vec<u8>,
    name: usize,
}

impl<'z> DirectoryReader<'z> {
    pub(super) fn new(volume: &CountedFile<'z>, directory: DirectoryLocation) -> Self {
        DirectoryReader {
            bytes: PeekReader::with_capacity(
                volume.section(directory.start..directory.end),
                READ_BYTES,
            ),
            at: directory.start,
            end: directory.end,
            shift: directory.shift,
            fields: Vec::new(),
            name: 0,
        }
    }

    /// Returns the name of the last entry, as it is stored.
    pub(super) fn name(&self) -> &[u8] {
        self.fields.get(..self.name).unwrap_or_default()
    }

    /// Reads the next entry; `None` after the last.
    ///
    /// # Errors
    /// If it cannot be read, or is not an entry.
    pub(super) fn next_entry(&mut self) -> Result<Option<ZipEntry>, InputError> {
        if self.at == self.end {
            return Ok(None);
        }
        let mut head = [0; CENTRAL_BYTES];
        let is_whole = self.bytes.read_full(&mut head)?;
        if !is_whole {
            return Err(damaged(Packing::Zip, early_end()));
        }
        if !head.starts_with(&CENTRAL_MAGIC) {
            return Err(damaged(Packing::Zip, io::ErrorKind::InvalidData));
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| number(&head, at, 2));
        self.fields.resize((name + extra) as usize, 0);
        self.name = name as usize;
        let is_whole = self.bytes.read_full(&mut self.fields)?;
        if !is_whole || self.bytes.skip(comment)? < comment {
            return Err(damaged(Packing::Zip, early_end()));
        }
        self.at += CENTRAL_BYTES as u64 + name + extra + comment;
        // If the writer's system is Unix, the upper half of the attributes is the file's mode.
        let link = head[5] == 3 && number(&head, 40, 2) >> 12 == 0o12;
        let (name, extra) = self.fields.split_at(name as usize);
        let mut entry = entry(&head[8..], name);
        (entry.offset, entry.link) = (number(&head, 42, 4), link);
        widen(&mut entry, extra);
        let offset = entry.offset.checked_add_signed(self.shift);
        entry.offset = offset.ok_or_else(|| damaged(Packing::Zip, io::ErrorKind::InvalidData))?;
        Ok(Some(entry))
    }

    /// Ends the iteration.
    pub(super) fn end_reading(&mut self) {
        self.end = self.at;
    }
}
