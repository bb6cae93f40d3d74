//! Reads the end record of an archive, which has the offset of the directory (APPNOTE 6.3.10, 4.3.14 to 4.3.16).

use std::sync::LazyLock;

use memchr::memmem;

use super::headers::{CENTRAL_MAGIC, END_MAGIC};
use super::volume::CountedFile;
use crate::fault::InputError;
use crate::numbers::number;
use crate::read::ReadBytes;

const ZIP64_END_MAGIC: [u8; 4] = *b"PK\x06\x06";
const ZIP64_LOCATOR_MAGIC: [u8; 4] = *b"PK\x06\x07";
/// The digital signature, which may come after the entries.
const SIGNATURE_MAGIC: [u8; 4] = *b"PK\x05\x05";
/// The zip64 end record without its extensible part.
const ZIP64_END_BYTES: u64 = 56;
const ZIP64_LOCATOR_BYTES: u64 = 20;

/// Bytes of the end record without its comment.
pub(super) const MIN_END_BYTES: usize = 22;
/// Bytes of the longest end record.
pub(crate) const MAX_END_BYTES: usize = MIN_END_BYTES + 0xffff;

/// The value of a field that is in the zip64 end record instead.
const ZIP64_FIELD: u64 = u32::MAX as u64;
const ZIP64_COUNT: u64 = u16::MAX as u64;

/// The location of the central directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectoryLocation {
    pub(super) start: u64,
    pub(super) end: u64,
    /// The end of the archive.
    pub(super) archive_end: u64,
    /// Number of bytes before the archive. Added to offsets of the archive, it gives offsets in the file.
    pub(super) shift: i64,
    /// The number of entries it should have.
    count: EntryCount,
}

#[derive(Clone, Copy, Debug)]
enum EntryCount {
    /// Only the lowest 16 bits are known, since archives older than zip64 may have more entries.
    Low(u64),
    Exact(u64),
}

/// The result of reading the end of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArchiveEnd {
    pub(super) directory: Option<DirectoryLocation>,
    /// Offset of the last end record.
    pub(super) record: Option<u64>,
    /// Whether the record says that there are several parts.
    pub(super) is_split: bool,
}

impl ArchiveEnd {
    /// Searches for the end record, backwards from the end of the file. Zeros may follow the record.
    pub(super) fn find(volume: &CountedFile<'_>) -> Result<Self, InputError> {
        let ending = ArchiveEnd::before(volume, volume.length)?;
        if ending.record.is_some() {
            return Ok(ending);
        }
        // The record itself may end in zeros.
        let filled = volume.padding_start()?;
        let end = volume.length.min(filled + MIN_END_BYTES as u64);
        match volume.length - end {
            0 => Ok(ending),
            _ => ArchiveEnd::before(volume, end),
        }
    }

    /// Searches for an end record before `end`, within the length of the longest comment.
    fn before(volume: &CountedFile<'_>, end: u64) -> Result<Self, InputError> {
        let from = end.saturating_sub(MAX_END_BYTES as u64);
        let mut tail = Vec::new();
        volume.section(from..end).read_to_end(&mut tail)?;
        let mut ending = ArchiveEnd::default();
        for at in memmem::rfind_iter(&tail, &END_MAGIC) {
            let Some(record) = tail.get(at..at + MIN_END_BYTES) else {
                continue;
            };
            let at = from + at as u64;
            if ending.record.is_none() {
                ending.record = Some(at);
                ending.is_split = is_split(record);
            }
            ending.directory = DirectoryLocation::described(volume, record, at)?;
            if ending.directory.is_some() {
                break;
            }
        }
        Ok(ending)
    }
}

/// Whether an end record is the last of several parts. 0xffff means that the zip64 record has the number.
fn is_split(record: &[u8]) -> bool {
    !matches!(number(record, 4, 2), 0 | ZIP64_COUNT)
}

impl DirectoryLocation {
    /// Returns the directory that the end record at `at` describes, if it is possible.
    fn described(
        volume: &CountedFile<'_>,
        record: &[u8],
        at: u64,
    ) -> Result<Option<Self>, InputError> {
        let archive_end = at + MIN_END_BYTES as u64 + number(record, 20, 2);
        let zip64 = end_64(volume, at)?;
        let (mut size, mut start) = (number(record, 12, 4), number(record, 16, 4));
        let mut count = EntryCount::Low(number(record, 10, 2));
        if let Some((_, wide)) = zip64 {
            if number(record, 10, 2) == ZIP64_COUNT {
                count = EntryCount::Exact(number(&wide, 32, 8));
            }
            if size == ZIP64_FIELD {
                size = number(&wide, 40, 8);
            }
            if start == ZIP64_FIELD {
                start = number(&wide, 48, 8);
            }
        }
        let end = zip64.map_or(at, |(at, _)| at);
        let directory = placed(volume, start, size, end)?;
        let directory = directory.filter(|_| archive_end <= volume.length);
        Ok(directory.map(|(start, end, shift)| DirectoryLocation {
            start,
            end,
            archive_end,
            shift,
            count,
        }))
    }

    /// Whether it should have this many entries.
    pub(super) fn has(&self, entries: u64) -> bool {
        match self.count {
            EntryCount::Low(low) => entries & ZIP64_COUNT == low,
            EntryCount::Exact(count) => entries == count,
        }
    }
}

/// Returns start, end and shift of a directory that ends before the record at `end`. The start is computed from the size,
/// since bytes before the archive shift all offsets.
fn placed(
    volume: &CountedFile<'_>,
    start: u64,
    size: u64,
    end: u64,
) -> Result<Option<(u64, u64, i64)>, InputError> {
    let Some(actual) = end.checked_sub(size) else {
        return Ok(None);
    };
    if actual == start {
        return Ok(Some((start, end, 0)));
    }
    if let Some(signature) = start.checked_add(size)
        && signature < end
        && volume.bytes(signature)? == Some(SIGNATURE_MAGIC)
    {
        return Ok(Some((start, signature, 0)));
    }
    let is_there = size > 0 && volume.bytes(actual)? == Some(CENTRAL_MAGIC);
    Ok(is_there.then(|| (actual, end, actual.wrapping_sub(start).cast_signed())))
}

/// Returns the zip64 end record for the end record at `end`, and its offset.
fn end_64(
    volume: &CountedFile<'_>,
    end: u64,
) -> Result<Option<(u64, [u8; ZIP64_END_BYTES as usize])>, InputError> {
    let Some(at) = end.checked_sub(ZIP64_LOCATOR_BYTES) else {
        return Ok(None);
    };
    let locator = volume.bytes::<{ ZIP64_LOCATOR_BYTES as usize }>(at)?;
    let Some(locator) = locator.filter(|locator| locator.starts_with(&ZIP64_LOCATOR_MAGIC)) else {
        return Ok(None);
    };
    // If bytes before the archive shift the offset, the record is directly before its locator.
    for at in [
        Some(number(&locator, 8, 8)),
        at.checked_sub(ZIP64_END_BYTES),
    ] {
        if let Some(at) = at
            && at < end
            && let Some(record) = volume.bytes(at)?
            && record.starts_with(&ZIP64_END_MAGIC)
        {
            return Ok(Some((at, record)));
        }
    }
    Ok(None)
}

/// The start of each record. Preparing the search for each file would take longer than the search.
static MARK_FINDER: LazyLock<memmem::Finder<'_>> = LazyLock::new(|| memmem::Finder::new("PK"));

/// Whether the last bytes of a file have the end record of an archive with members, or an entry of its directory.
pub(crate) fn ends_archive(tail: &[u8]) -> bool {
    // Searches forwards, because the search backwards is not vectorised.
    MARK_FINDER.find_iter(tail).any(|at| {
        let record = &tail[at..];
        match record.get(2..4) {
            Some([5, 6]) if record.len() >= MIN_END_BYTES => {
                let comment = number(record, 20, 2);
                number(record, 10, 2) > 0
                    && number(record, 12, 4) > 0
                    && MIN_END_BYTES as u64 + comment <= record.len() as u64
            }
            // Fields: version and system of the writer, version needed, flags, and method.
            Some([1, 2]) => matches!(record[4..], [_, 0..=30, 10..=63, 0, _, _, 0..=99, 0, ..]),
            _ => false,
        }
    })
}
