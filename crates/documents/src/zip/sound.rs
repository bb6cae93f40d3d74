//! Checks the central directory before members are read by it.

use std::io;

use super::directory::DirectoryReader;
use super::end::{ArchiveEnd, DirectoryLocation, MIN_END_BYTES};
use super::headers::{CENTRAL_MAGIC, END_MAGIC, ZipEntry};
use super::volume::CountedFile;
use crate::codec::damaged;
use crate::fault::{InputError, Packing};
use crate::numbers::LOCAL_HEADER_MAGIC;

/// Why the directory is not used.
pub(super) struct DirectoryFlaw {
    pub(super) at: u64,
    pub(super) error: InputError,
    /// Number of the damaged entry, from 1; 0 if it is not known.
    pub(super) entry: u64,
    /// Whether no local header is at the entry's offset, so that the entry or the header is damaged.
    pub(super) leads_astray: bool,
    /// Whether the file is one part of a split archive.
    pub(super) is_part: bool,
}

impl DirectoryFlaw {
    fn new(at: u64, error: InputError) -> Self {
        DirectoryFlaw {
            at,
            error,
            entry: 0,
            leads_astray: false,
            is_part: false,
        }
    }

    fn saying(at: u64, why: &'static str) -> Self {
        let error = io::Error::new(io::ErrorKind::InvalidData, why);
        DirectoryFlaw::new(at, damaged(Packing::Zip, error))
    }
}

/// A directory whose entries all have local headers.
pub(super) struct SoundDirectory {
    pub(super) directory: DirectoryLocation,
    /// Offset of the first member.
    pub(super) first: u64,
}

impl SoundDirectory {
    pub(super) fn find(volume: &CountedFile<'_>) -> Result<Self, DirectoryFlaw> {
        let ending =
            ArchiveEnd::find(volume).map_err(|error| DirectoryFlaw::new(volume.length, error))?;
        let sound = match (ending.directory, ending.record) {
            (Some(directory), _) => SoundDirectory::check(volume, directory),
            (None, Some(at)) => Err(DirectoryFlaw::saying(
                at,
                "the directory is not where the end record says",
            )),
            (None, None) => Err(DirectoryFlaw::new(
                volume.length,
                damaged(Packing::Zip, io::ErrorKind::UnexpectedEof),
            )),
        };
        let is_first = || ending.record.is_none() && starts_part(volume);
        sound.map_err(|flaw| DirectoryFlaw {
            is_part: ending.is_split || is_first(),
            ..flaw
        })
    }

    fn check(
        volume: &CountedFile<'_>,
        directory: DirectoryLocation,
    ) -> Result<Self, DirectoryFlaw> {
        let mut entries = DirectoryReader::new(volume, directory);
        let mut first = directory.start;
        let mut count = 0;
        loop {
            let at = entries.at;
            let (error, leads_astray) = match entries.next_entry() {
                Ok(None) => break,
                Ok(Some(entry)) if leads(volume, &entry, directory) => {
                    first = first.min(entry.offset);
                    count += 1;
                    continue;
                }
                Ok(Some(_)) => (damaged(Packing::Zip, io::ErrorKind::InvalidData), true),
                Err(error) => (error, false),
            };
            return Err(DirectoryFlaw {
                entry: count + 1,
                leads_astray,
                ..DirectoryFlaw::new(at, error)
            });
        }
        let why = if !directory.has(count) {
            "the end record counts other members than are listed"
        } else if count == 0 && lists_too_little(volume, directory) {
            "the directory lists no members, but there are some"
        } else if directory.shift > 0 && follows_archive(volume, first) {
            "another archive comes before it"
        } else {
            return Ok(SoundDirectory { directory, first });
        };
        Err(DirectoryFlaw::saying(directory.end, why))
    }
}

/// Whether the file starts as the first of several parts does.
fn starts_part(volume: &CountedFile<'_>) -> bool {
    let start = volume.bytes::<8>(0);
    start.is_ok_and(|start| start.is_some_and(|start| start == *b"PK\x07\x08PK\x03\x04"))
}

/// Whether there are members before an empty directory.
fn lists_too_little(volume: &CountedFile<'_>, directory: DirectoryLocation) -> bool {
    let found = volume.find(0, &[LOCAL_HEADER_MAGIC, CENTRAL_MAGIC]);
    found.map_or(true, |found| found < directory.start)
}

/// Whether the bytes before the first member are another archive.
fn follows_archive(volume: &CountedFile<'_>, first: u64) -> bool {
    let starts = volume
        .bytes(0)
        .is_ok_and(|magic| magic == Some(LOCAL_HEADER_MAGIC));
    let end = first.checked_sub(MIN_END_BYTES as u64);
    starts || end.is_some_and(|at| volume.bytes(at).is_ok_and(|magic| magic == Some(END_MAGIC)))
}

fn leads(volume: &CountedFile<'_>, entry: &ZipEntry, directory: DirectoryLocation) -> bool {
    entry.offset < directory.start
        && volume
            .bytes(entry.offset)
            .is_ok_and(|magic| magic == Some(LOCAL_HEADER_MAGIC))
}
