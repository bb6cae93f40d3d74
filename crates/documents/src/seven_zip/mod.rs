//! Members of 7z archives.
//!
//! The header at the end lists the members, so an archive that is not a file is copied to one first. Members that are
//! packed together are unpacked one after the other, as a stream. Headers are parsed here, since `sevenz-rust2` allocates as
//! many files as a header of seven bytes states. Crates unpack the data.

mod folder;
mod header;

use std::error::Error;
use std::fs::File;
use std::io;
use std::sync::Arc;

use flate2::Crc;

use self::folder::{FolderRefusal, unpacked};
use self::header::{
    ArchiveListing, FolderPart, HeaderFlaw, HeaderKind, ListedFile, PackedFolder, PackedStreams,
};
use super::codec::{damaged, early_end};
use super::container::{MemberSink, StreamLevel};
use super::expansion::{Expansion, ExpansionReader};
use super::fault::{InputError, LocatedError, Packing};
use super::gate::MemoryPermit;
use super::read::ReadBytes;
use super::read_options::ReadOptions;
use super::zip::{CountedFile, CountedPart, volume};

/// Bytes of the start header. The packed streams follow it.
const START_HEADER_BYTES: u64 = 32;
/// Maximum number of times that a header is packed.
const MAX_PACKED_HEADERS: usize = 4;
/// Memory for the list of members that is always allowed, in bytes.
const MIN_LIST_BYTES: usize = 16 << 20;

/// Passes on the members of the archive `file`, in their order. `reported` says that a loss in it was already reported.
pub(super) fn read_archive(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'_>,
    level: &StreamLevel<'_>,
    file: &File,
    reported: bool,
) {
    let Some(volume) = volume(sink, options, level, file) else {
        return;
    };
    let mut archive = SevenZipArchive {
        window: options.limits.window,
        expansion: Arc::clone(sink.expansion()),
        sink,
        level,
        volume: &volume,
        number: 0,
    };
    match archive.admitted_listing(options) {
        // The list is held until all members were passed on.
        Ok((listing, _admitted)) => archive.members(&listing),
        Err(_) if level.part_of.is_some() => {
            let error = InputError::Part(Packing::SevenZip);
            archive.sink.report_loss(level, 0, error);
        }
        Err((_, InputError::Damaged { .. })) if reported => {}
        Err((at, error)) => archive.sink.report_loss(level, at, error),
    }
    volume.count_until(volume.length);
}

struct SevenZipArchive<'a> {
    /// Limit on windows of coders, in bytes.
    window: u64,
    expansion: Arc<Expansion>,
    sink: &'a mut dyn MemberSink,
    level: &'a StreamLevel<'a>,
    volume: &'a CountedFile<'a>,
    /// Number of members so far, including folders.
    number: u64,
}

/// Place of a header: offset, size and checksum.
struct HeaderPlace {
    at: u64,
    size: u64,
    crc: u32,
}

fn archive_error(why: impl Into<Box<dyn Error + Send + Sync>>) -> InputError {
    let error = io::Error::new(io::ErrorKind::InvalidData, why);
    damaged(Packing::SevenZip, error)
}

impl SevenZipArchive<'_> {
    /// Reads the list of members within a thread's share of the memory, or with more while no other thread has more.
    /// Returns it with the admission to more memory.
    fn admitted_listing<'o>(
        &self,
        options: &ReadOptions<'o>,
    ) -> Result<(ArchiveListing, Option<MemoryPermit<'o>>), LocatedError> {
        let [share, whole] = options.held_bytes().map(|room| MIN_LIST_BYTES.max(room));
        match self.listing(share) {
            Err((_, InputError::TooLarge { .. })) if share < whole => {
                let admitted = options.admit();
                Ok((self.listing(whole)?, Some(admitted)))
            }
            found => Ok((found?, None)),
        }
    }

    /// Reads the list of members in at most `max` bytes.
    fn listing(&self, max: usize) -> Result<ArchiveListing, LocatedError> {
        let Some(place) = self.place()? else {
            return Ok(ArchiveListing::default());
        };
        let too_large = || InputError::TooLarge {
            packing: Packing::SevenZip,
            limit: max as u64,
        };
        let listing = || {
            if place.size > max as u64 {
                return Err(too_large());
            }
            let mut bytes = Vec::new();
            let mut section = self.volume.section(place.at..place.at + place.size);
            section.read_to_end(&mut bytes)?;
            check(&bytes, Some(place.crc))?;
            for _ in 0..=MAX_PACKED_HEADERS {
                bytes = match header::parse(&bytes, max) {
                    Ok(HeaderKind::Plain(listing)) => return Ok(listing),
                    Ok(HeaderKind::Packed(streams)) => self.packed_header(&streams, max)?,
                    Err(HeaderFlaw::Damaged) => return Err(archive_error("its header is wrong")),
                    Err(HeaderFlaw::Large) => return Err(too_large()),
                };
            }
            Err(archive_error("its header is packed too often"))
        };
        listing().map_err(|error| (place.at, error))
    }

    /// Returns the place of the header that the start header states; `None` for an empty archive.
    fn place(&self) -> Result<Option<HeaderPlace>, LocatedError> {
        let start = self.volume.bytes::<{ START_HEADER_BYTES as usize }>(0);
        let start = start.map_err(|error| (0, error))?;
        let start = start.ok_or_else(|| (0, archive_error("its start is cut off")))?;
        let number = |at: usize, count: usize| {
            let digits = start[at..at + count].iter().rev();
            digits.fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
        };
        if u64::from(checksum(&start[12..])) != number(8, 4) {
            return Err((8, archive_error("the checksum of its start is wrong")));
        }
        let (offset, size, crc) = (number(12, 8), number(20, 8), number(28, 4) as u32);
        if size == 0 {
            return match self.volume.length {
                ..=START_HEADER_BYTES => Ok(None),
                _ => Err((0, archive_error("its header was never written"))),
            };
        }
        let at = START_HEADER_BYTES.saturating_add(offset);
        if at.saturating_add(size) > self.volume.length {
            let error = archive_error("it ends before its header");
            return Err((self.volume.length, error));
        }
        Ok(Some(HeaderPlace { at, size, crc }))
    }

    /// Unpacks a header into at most `max` bytes.
    fn packed_header(&self, streams: &PackedStreams, max: usize) -> Result<Vec<u8>, InputError> {
        let first = streams.folders.first().zip(streams.parts.first());
        let (folder, part) = first.ok_or_else(|| archive_error("its header is wrong"))?;
        if part.size > max as u64 {
            return Err(InputError::TooLarge {
                packing: Packing::SevenZip,
                limit: max as u64,
            });
        }
        let bytes = PackedPlace::of(streams).open(self.volume, streams, folder, self.window)?;
        let mut header = Vec::new();
        let mut bytes = ExpansionReader::of_unpacked(bytes, &self.expansion);
        let read = bytes.read_up_to(part.size as usize, &mut header);
        read.map_err(|error| match error {
            InputError::Damaged { error, .. } => {
                archive_error(format!("its header does not unpack: {error}"))
            }
            other => other,
        })?;
        check(&header, part.crc)?;
        Ok(header)
    }

    fn members(&mut self, listing: &ArchiveListing) {
        let ArchiveListing { streams, files } = listing;
        let mut parts = streams.parts.iter().copied();
        let mut files = files.iter();
        let mut place = PackedPlace::of(streams);
        for folder in &streams.folders {
            let bytes = place.open(self.volume, streams, folder, self.window);
            let mut parts = parts.by_ref().take(folder.files);
            let go_on = match bytes {
                Ok(bytes) => self.folder(bytes, &mut parts, &mut files),
                Err(refusal) => self.refused(&refusal, &mut parts, &mut files),
            };
            if !go_on {
                return;
            }
        }
        // Only files without bytes may follow.
        while let Some(file) = self.next_file(&mut files) {
            self.report_member_loss(
                &file.name,
                0,
                archive_error("it has no data of this member"),
            );
        }
    }

    /// Returns the next file that has bytes, after empty ones are passed on.
    fn next_file(&mut self, files: &mut dyn Iterator<Item = ListedFile>) -> Option<ListedFile> {
        for file in files {
            self.number += 1;
            if file.has_stream {
                return Some(file);
            }
            let is_over = file.is_file && {
                let (level, number) = (self.level, self.number);
                !self.sink.member(level, number, &file.name, &mut &[][..])
            };
            if is_over {
                return None;
            }
        }
        None
    }

    /// Reports the files of a folder that cannot be unpacked.
    fn refused(
        &mut self,
        refusal: &FolderRefusal,
        parts: &mut dyn Iterator<Item = FolderPart>,
        files: &mut dyn Iterator<Item = ListedFile>,
    ) -> bool {
        for _ in parts {
            let Some(file) = self.next_file(files) else {
                return false;
            };
            self.report_member_loss(&file.name, 0, refusal.clone().into());
        }
        true
    }

    /// Passes on the files of a folder. Returns false if the source should not be read further.
    fn folder(
        &mut self,
        bytes: Box<dyn ReadBytes + '_>,
        parts: &mut dyn Iterator<Item = FolderPart>,
        files: &mut dyn Iterator<Item = ListedFile>,
    ) -> bool {
        let mut bytes = FolderBytes {
            bytes: ExpansionReader::of_unpacked(bytes, &self.expansion),
            expansion: Arc::clone(&self.expansion),
            unread: 0,
            ended: false,
        };
        while let Some(part) = parts.next() {
            let Some(file) = self.next_file(files) else {
                return false;
            };
            if let Err(error) = bytes.skip() {
                // The error explains why the member before was not read to its end. It is reported for this member.
                self.report_member_loss(&file.name, 0, error);
            } else if bytes.ended {
                let lost = 1 + parts.count() as u64;
                self.report_member_loss(&file.name, 0, InputError::Solid(lost));
                return self.skip_files(lost - 1, files);
            } else {
                let (level, number) = (self.level, self.number);
                let mut member = SevenZipMember::new(&mut bytes, part);
                if !self.sink.member(level, number, &file.name, &mut member) {
                    return false;
                }
            }
        }
        true
    }

    fn skip_files(&mut self, count: u64, files: &mut dyn Iterator<Item = ListedFile>) -> bool {
        (0..count).all(|_| self.next_file(files).is_some())
    }

    fn report_member_loss(&mut self, name: &str, offset: u64, error: InputError) {
        self.sink
            .report_member_loss(self.level, self.number, name, offset, error);
    }
}

/// Place of the packed streams of the next folder.
struct PackedPlace {
    /// Number of the first one.
    first: usize,
    /// Its offset; `None` if it exceeds 64 bits.
    at: Option<u64>,
}

impl PackedPlace {
    fn of(streams: &PackedStreams) -> Self {
        PackedPlace {
            first: 0,
            at: START_HEADER_BYTES.checked_add(streams.start),
        }
    }

    /// Opens the bytes of the next folder.
    fn open<'v>(
        &mut self,
        volume: &'v CountedFile<'_>,
        streams: &PackedStreams,
        folder: &PackedFolder,
        window: u64,
    ) -> Result<Box<dyn ReadBytes + 'v>, FolderRefusal> {
        let end = self.first.saturating_add(folder.packed_count());
        let sizes = streams.packed.get(self.first..end);
        let start = self.at;
        self.first = end;
        let sizes = sizes.ok_or(FolderRefusal::Damaged)?;
        let add = |sum: Option<u64>, size: &u64| sum?.checked_add(*size);
        self.at = sizes.iter().fold(start, add);
        let (Some(start), Some(size)) = (start, sizes.first()) else {
            return Err(FolderRefusal::Damaged);
        };
        let packed: CountedPart<'v> = volume.part(start..start.saturating_add(*size));
        unpacked(folder, packed, window)
    }
}

/// The bytes of a folder, file by file.
struct FolderBytes<'r> {
    bytes: ExpansionReader<Box<dyn ReadBytes + 'r>>,
    expansion: Arc<Expansion>,
    /// Bytes of the last file that were not read.
    unread: u64,
    /// Whether no further file can be read.
    ended: bool,
}

impl FolderBytes<'_> {
    /// Skips the unread bytes of the last file.
    fn skip(&mut self) -> Result<(), InputError> {
        let mut step = [0; 4 << 10];
        while self.unread > 0 && !self.ended {
            self.read_some(&mut step)?;
        }
        Ok(())
    }

    /// Reads some bytes of the last file, which has some left. After an error there are no more.
    fn read_some(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let max = into
            .len()
            .min(usize::try_from(self.unread).unwrap_or(usize::MAX));
        let read = match self.bytes.read(&mut into[..max]) {
            Ok(0) if !self.expansion.is_over() => Err(damaged(Packing::SevenZip, early_end())),
            read => read,
        };
        match read {
            Ok(read @ 1..) => {
                self.unread -= read as u64;
                Ok(read)
            }
            read => {
                self.ended = true;
                read
            }
        }
    }
}

/// The bytes of a file. Its checksum is compared at the end.
struct SevenZipMember<'f, 'r> {
    folder: &'f mut FolderBytes<'r>,
    crc: Crc,
    /// `None` after it was compared.
    check: Option<u32>,
}

impl<'f, 'r> SevenZipMember<'f, 'r> {
    fn new(folder: &'f mut FolderBytes<'r>, part: FolderPart) -> Self {
        folder.unread = part.size;
        SevenZipMember {
            folder,
            crc: Crc::new(),
            check: part.crc,
        }
    }
}

impl ReadBytes for SevenZipMember<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if into.is_empty() || self.folder.ended {
            return Ok(0);
        }
        if self.folder.unread > 0 {
            let read = self.folder.read_some(into)?;
            self.crc.update(&into[..read]);
            return Ok(read);
        }
        match self.check.take() {
            Some(crc) if crc != self.crc.sum() => {
                let wrong = io::Error::new(io::ErrorKind::InvalidData, "its checksum is wrong");
                Err(damaged(Packing::SevenZip, wrong))
            }
            _ => Ok(0),
        }
    }
}

/// Compares the checksum of a header.
fn check(header: &[u8], crc: Option<u32>) -> Result<(), InputError> {
    match crc {
        Some(crc) if crc != checksum(header) => {
            Err(archive_error("the checksum of its header is wrong"))
        }
        _ => Ok(()),
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
