//! Members of zip archives.
//!
//! The central directory lists the members, which are passed on in the order of the file. If it is missing or damaged, the
//! file is searched from its start for local headers.
//!
//! Headers are parsed here and not by the crate `zip`, which holds the whole directory in memory, keeps one of several
//! members of the same name, and does not open an archive with one damaged entry. Crates unpack the data.

mod data;
mod directory;
mod end;
mod headers;
mod salvage;
mod sound;
mod volume;

use std::cell::Cell;
use std::io;

use self::data::{ZipData, unpacked};
use self::directory::DirectoryReader;
use self::end::ArchiveEnd;
pub(super) use self::end::{MAX_END_BYTES, ends_archive};
use self::headers::{CENTRAL_MAGIC, DESCRIPTOR_MAGIC, END_MAGIC, LocalHeader, ZipEntry, local_of};
use self::sound::{DirectoryFlaw, SoundDirectory};
pub(super) use self::volume::CountedFile;
use super::ahead::{MemberBytes, MemberPrefetcher};
use super::checked::{ChecksumReader, MemberCheck};
use super::codec::damaged;
use super::container::{MemberSink, StreamLevel};
use super::content::StreamContent;
use super::expansion::ExpansionReader;
use super::fault::{InputError, Packing};
use super::magic;
use super::read::{ReadBytes, UnpackedAhead};
use super::read_options::ReadOptions;
use crate::file::SourceFile;
use crate::numbers::{self, LOCAL_HEADER_MAGIC};

/// Number of entries that are sorted at once.
const SORTED_ENTRIES: usize = 1 << 18;
/// Signatures that may follow a member.
const MEMBER_END_MAGICS: [[u8; 4]; 4] = [
    LOCAL_HEADER_MAGIC,
    DESCRIPTOR_MAGIC,
    CENTRAL_MAGIC,
    END_MAGIC,
];
/// Bytes that are read to recognise gzip.
const GZIP_HEAD_BYTES: usize = 10;
/// Supported methods (APPNOTE 4.4.5).
const SUPPORTED_METHODS: [u16; 4] = [0, 8, 12, 93];

/// Events before an archive is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeforeArchive {
    Nothing,
    /// A loss in the archive was reported.
    Loss,
    /// The text before the archive was passed on.
    Text,
}

/// Calls `each` with the names in the directory of the archive `file`, at most `max`. Returns false if it has no directory.
/// Damage to the directory is reported when the archive is read.
pub(super) fn each_name(file: &SourceFile, max: usize, mut each: impl FnMut(&[u8])) -> bool {
    let Ok(volume) = CountedFile::new(file, 0, None) else {
        return false;
    };
    let end = ArchiveEnd::find(&volume).unwrap_or_default();
    let Some(directory) = end.directory else {
        return false;
    };
    let mut entries = DirectoryReader::new(&volume, directory);
    for _ in 0..max {
        match entries.next_entry() {
            Ok(Some(_)) => each(entries.name()),
            Ok(None) => break,
            Err(_) => return false,
        }
    }
    true
}

/// Opens the archive `file`, of the container at `level`. Returns `None` and reports it if that fails.
pub(super) fn volume<'z>(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'z>,
    level: &StreamLevel<'_>,
    file: &'z SourceFile,
) -> Option<CountedFile<'z>> {
    // Bytes of a copy were counted when they were copied.
    let progress = level.file.map(|_| options.bytes_read);
    let volume = CountedFile::new(file, sink.expansion().source_read(), progress);
    volume
        .map_err(|error| sink.report_loss(level, 0, error.into()))
        .ok()
}

/// Passes on the members of the archive `file`, from start to end. The position of `file` does not matter.
pub(super) fn read_archive(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'_>,
    level: &StreamLevel<'_>,
    file: &SourceFile,
    before: BeforeArchive,
) {
    let Some(volume) = volume(sink, options, level, file) else {
        return;
    };
    let mut archive = ZipArchive {
        window: options.limits.window,
        sink,
        level,
        volume: &volume,
        number: 0,
        is_after_text: before == BeforeArchive::Text,
        options,
        ahead: None,
    };
    match SoundDirectory::find(&volume) {
        Ok(sound) => archive.listed(&sound),
        Err(flaw) => {
            let is_part = flaw.is_part || level.part_of.is_some();
            archive.salvage(
                DirectoryFlaw { is_part, ..flaw },
                before == BeforeArchive::Loss,
            );
        }
    }
    volume.count_until(volume.length);
}

struct ZipArchive<'a, 'o> {
    /// Limit on windows of members, in bytes.
    window: u64,
    sink: &'a mut dyn MemberSink,
    level: &'a StreamLevel<'a>,
    volume: &'a CountedFile<'a>,
    /// Number of members so far, including folders.
    number: u64,
    /// Whether the content before the archive was already passed on.
    is_after_text: bool,
    options: &'a ReadOptions<'o>,
    /// The members that other threads unpack. They are started at the first member that is packed by gzip.
    ahead: Option<MemberPrefetcher<'o>>,
}

impl ZipArchive<'_, '_> {
    /// Passes on the members of the directory in the order of the file. If there are very many, only members that are close
    /// in the directory are sorted.
    fn listed(&mut self, sound: &SoundDirectory) {
        if !self.before(sound.first) {
            return;
        }
        let directory = sound.directory;
        let mut entries = DirectoryReader::new(self.volume, directory);
        loop {
            let mut batch = self.batch(&mut entries);
            if batch.is_empty() {
                break;
            }
            batch.sort_by_key(|entry| entry.offset);
            for entry in &batch {
                let next = batch.partition_point(|other| other.offset <= entry.offset);
                let later = &batch[next..];
                let end = later.first().map_or(directory.start, |next| next.offset);
                if !self.entry(entry, end, later) {
                    return;
                }
            }
        }
        // Zeros are padding, with which bsdtar fills its last block.
        let is_padding = |filled| filled <= directory.archive_end;
        if !self.volume.padding_start().is_ok_and(is_padding) {
            let error = InputError::Trailing(Packing::Zip);
            self.sink
                .report_loss(self.level, directory.archive_end, error);
        }
    }

    /// Passes on the bytes before an archive that starts at `end`, such as the program that unpacks it. Returns false if
    /// the source should not be read further.
    fn before(&mut self, end: u64) -> bool {
        let mut head = Vec::new();
        let range = 0..end.min(numbers::HEAD_BYTES as u64);
        if self.volume.section(range).read_to_end(&mut head).is_err() || is_marker(&head) {
            return true;
        }
        if self.is_after_text || head.is_empty() || magic::starts_zip(&head) {
            true
        } else {
            self.sink.before(self.level, &mut self.volume.part(0..end))
        }
    }

    /// Returns the next entries. They were checked before, so an error is one of the system.
    fn batch(&mut self, entries: &mut DirectoryReader<'_>) -> Vec<ZipEntry> {
        let mut batch = Vec::new();
        while batch.len() < SORTED_ENTRIES {
            match entries.next_entry() {
                Ok(Some(entry)) => batch.push(entry),
                Ok(None) => break,
                Err(error) => {
                    self.lose_next(entries.at, error);
                    entries.end_reading();
                    break;
                }
            }
        }
        batch
    }

    /// Passes on a member as the directory describes it, without bytes after `end`, where the next one starts. Returns
    /// false if the source should not be read further. The `later` members follow.
    fn entry(&mut self, entry: &ZipEntry, end: u64, later: &[ZipEntry]) -> bool {
        self.number += 1;
        let local = match local_of(self.volume, entry) {
            Ok(Some(local)) => local,
            result => {
                let wrong = || damaged(Packing::Zip, io::ErrorKind::InvalidData);
                let error = result.err().unwrap_or_else(wrong);
                self.report_member_loss("", entry.offset, error);
                return true;
            }
        };
        if entry.link {
            return true;
        }
        let agrees = entry.agrees(&local);
        let entry = &self.agreed(entry, &local);
        let end = local.data.saturating_add(entry.packed).min(end);
        let at = Cell::new(local.data);
        let stored = stored(entry, local.data);
        let stored = stored.filter(|stored| agrees && stored.range.end == end);
        let ahead = stored.and_then(|stored| self.unpacked(&stored, later));
        let is_ahead = ahead.is_some();
        let data = ZipData::new(self.volume, &at, end).unpacked_by(ahead);
        let outcome = self.member(entry, &local.name, data, Some(entry.check()));
        if is_ahead && outcome.go_on {
            self.volume.count_until(end);
        }
        // Damage was reported already.
        if outcome.go_on && !outcome.damaged && !agrees {
            let error = InputError::Disagree(self.number);
            self.report_member_loss(&local.name, 0, error);
        }
        outcome.go_on
    }

    /// Returns the unpacked bytes of a stored member, if it is packed by gzip and another thread unpacks it.
    fn unpacked(&mut self, member: &MemberBytes, later: &[ZipEntry]) -> Option<UnpackedAhead> {
        if self.ahead.is_none() && self.is_gzip(member) {
            self.ahead = MemberPrefetcher::start(self.volume.file(), self.options);
        }
        let volume = self.volume;
        let after = |_: &SourceFile, end| {
            let next = later.partition_point(|entry| entry.offset < end);
            let next = later[next..].iter().find(|entry| is_stored(entry))?;
            let local = local_of(volume, next).ok().flatten()?;
            stored(next, local.data)
        };
        self.ahead.as_mut()?.take_unpacked(member, after)
    }

    fn is_gzip(&self, member: &MemberBytes) -> bool {
        let start = self.volume.bytes::<GZIP_HEAD_BYTES>(member.range.start);
        let start = start.ok().flatten().unwrap_or_default();
        matches!(
            magic::recognise(&start),
            StreamContent::Packed(Packing::Gzip)
        )
    }

    /// Returns the entry, with fields of the local header if these are right and those of the entry are not.
    fn agreed(&self, entry: &ZipEntry, local: &LocalHeader) -> ZipEntry {
        let (mut agreed, own) = (*entry, &local.entry);
        if agreed.method != own.method && self.packs(own.method, entry, local.data) {
            agreed.method = own.method;
        }
        if own.is_open() {
            return agreed;
        }
        if agreed.is_encrypted() {
            agreed.flags = own.flags;
        }
        let ends = |packed| {
            let magic = self.volume.bytes(local.data.saturating_add(packed));
            matches!(magic, Ok(Some(magic)) if MEMBER_END_MAGICS.contains(&magic))
        };
        if agreed.packed != own.packed && !ends(agreed.packed) && ends(own.packed) {
            agreed.packed = own.packed;
        }
        agreed
    }

    /// Whether the data at `at` may be packed by `method`, judged by its start and the sizes.
    fn packs(&self, method: u16, entry: &ZipEntry, at: u64) -> bool {
        let start = self.volume.bytes::<4>(at).ok().flatten();
        let start = start.unwrap_or_default();
        let (is_bzip2, is_zstd) = (start.starts_with(b"BZh"), start == numbers::ZSTD_MAGIC);
        match method {
            0 => entry.packed == entry.unpacked,
            12 => is_bzip2,
            93 => is_zstd,
            8 => entry.packed != entry.unpacked && !is_bzip2 && !is_zstd,
            _ => !SUPPORTED_METHODS.contains(&entry.method),
        }
    }

    /// Passes on a member with its data. `check` has the checksum and the size that it should have.
    fn member(
        &mut self,
        entry: &ZipEntry,
        name: &str,
        data: ZipData<'_>,
        check: Option<MemberCheck>,
    ) -> MemberOutcome {
        if name.ends_with('/') && entry.unpacked == 0 {
            return MemberOutcome::PASSED;
        }
        let unpacked = if entry.is_encrypted() {
            Err(InputError::Encrypted(Packing::Zip))
        } else {
            unpacked(entry.method, data, self.window)
        };
        match unpacked {
            Ok(bytes) => {
                let mut checked = ChecksumReader::new(
                    Packing::Zip,
                    ExpansionReader::of_unpacked(bytes, self.sink.expansion()),
                    check,
                );
                let go_on = self
                    .sink
                    .member(self.level, self.number, name, &mut checked);
                // The search for the next member starts at the end of a member whose size is not known.
                let is_cut = go_on && entry.is_open() && checked.skip(u64::MAX).is_err();
                MemberOutcome {
                    go_on,
                    damaged: is_cut || checked.has_failed(),
                }
            }
            Err(error) => {
                self.report_member_loss(name, 0, error);
                MemberOutcome::DAMAGED
            }
        }
    }

    /// Reports a loss at `offset` of the current member.
    fn report_member_loss(&mut self, name: &str, offset: u64, error: InputError) {
        self.sink
            .report_member_loss(self.level, self.number, name, offset, error);
    }

    /// Reports a loss at `at` of the archive, for the next member.
    fn lose_next(&mut self, at: u64, error: InputError) {
        self.sink
            .report_member_loss(self.level, self.number + 1, "", at, error);
    }
}

/// Whether the bytes of a member are stored without packing, with known sizes.
fn is_stored(entry: &ZipEntry) -> bool {
    entry.method == 0 && !entry.is_encrypted() && !entry.is_open() && !entry.link
}

/// Returns the bytes of a member whose data is at `data`, if they are stored without packing.
fn stored(entry: &ZipEntry, data: u64) -> Option<MemberBytes> {
    let range = data..data.checked_add(entry.packed)?;
    is_stored(entry).then(|| MemberBytes {
        range,
        check: Some(entry.check()),
    })
}

/// Whether `head` is only the mark of an archive that could have been split.
fn is_marker(head: &[u8]) -> bool {
    matches!(head, b"PK\x07\x08" | b"PK00")
}

/// The result of reading a member.
struct MemberOutcome {
    /// Whether the source should be read further.
    go_on: bool,
    /// Whether damage was reported.
    damaged: bool,
}

impl MemberOutcome {
    const PASSED: MemberOutcome = MemberOutcome {
        go_on: true,
        damaged: false,
    };
    const DAMAGED: MemberOutcome = MemberOutcome {
        go_on: true,
        damaged: true,
    };
}

#[cfg(test)]
mod tests;
