//! Members of 7z archives, which the crate `sevenz-rust2` reads.
//!
//! The header at the end lists the members, so an archive that is not a file is copied to one first. Members that are packed
//! together are a *block*, which is unpacked as a stream. The crate allocates what a header states, so its sizes are checked
//! here before.

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};

use sevenz_rust2::{
    Archive, ArchiveEntry, Block, BlockDecoder, Coder, EncoderMethod, Error, Password,
};

use super::checked::{ChecksumReader, MemberCheck};
use super::codec::damaged;
use super::container::{MemberSink, StreamLevel};
use super::expansion::ExpansionReader;
use super::fault::{InputError, LocatedError, Packing};
use super::file::{SourceFile, sought};
use super::gate::MemoryPermit;
use super::guard::guard;
use super::numbers::{crc32, number};
use super::read::ReadBytes;
use super::read_options::ReadOptions;
use super::zip::{CountedFile, volume};

/// Bytes of the start header. The packed streams follow it.
const START_HEADER_BYTES: u64 = 32;
/// First byte of a header that is packed.
const PACKED_HEADER: u8 = 0x17;
/// Max memory that the crate takes for each byte of a header, in bytes. A file that a header only counts takes 96.
const LIST_BYTES_PER_HEADER_BYTE: u64 = 128;
/// Memory for the list of members that is always allowed, in bytes: to every thread, and to one thread at a time.
const MIN_LIST_BYTES: [usize; 2] = [16 << 20, 128 << 20];
/// Bytes of the file that are held.
const HELD_BYTES: usize = 32 << 10;
/// Bytes that are unpacked at once. The bytes of a piece with damage are lost, so its size must be the same for all sizes of
/// reads.
const PIECE_BYTES: usize = 4 << 10;
/// Checksum of a member that has none. The others have 32 bits.
const NO_CHECKSUM: u64 = u64::MAX;

/// Passes on the members of the archive `file`, in their order. `reported` says that a loss in it was already reported.
pub(super) fn read_archive(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'_>,
    level: &StreamLevel<'_>,
    file: &SourceFile,
    reported: bool,
) {
    let Some(volume) = volume(sink, options, level, file) else {
        return;
    };
    let mut reader = SevenZipReader {
        window: options.limits.window,
        sink,
        level,
        volume: &volume,
    };
    match reader.admitted_list(options) {
        // The list is held until all members were passed on.
        Ok((archive, _admitted)) => reader.members(&archive),
        Err(_) if level.part_of.is_some() => {
            let error = InputError::Part(Packing::SevenZip);
            reader.sink.report_loss(level, 0, error);
        }
        Err((_, InputError::Damaged { .. })) if reported => {}
        Err((at, error)) => reader.sink.report_loss(level, at, error),
    }
    volume.count_until(volume.length);
}

struct SevenZipReader<'a> {
    /// Limit on the memory of the coders of a block, in bytes.
    window: u64,
    sink: &'a mut dyn MemberSink,
    level: &'a StreamLevel<'a>,
    volume: &'a CountedFile<'a>,
}

/// Place of a header: offset and size.
struct HeaderPlace {
    at: u64,
    size: u64,
}

impl SevenZipReader<'_> {
    /// Reads the list of members within a thread's share of the memory, or with more while no other thread has more.
    /// Returns it with the admission to more memory.
    fn admitted_list<'o>(
        &self,
        options: &ReadOptions<'o>,
    ) -> Result<(Archive, Option<MemoryPermit<'o>>), LocatedError> {
        let [share, whole] = options.held_bytes();
        let [share, whole] = [share.max(MIN_LIST_BYTES[0]), whole.max(MIN_LIST_BYTES[1])];
        match self.list(share as u64) {
            Err((_, InputError::TooLarge { .. })) if share < whole => {
                let admitted = options.admit();
                Ok((self.list(whole as u64)?, Some(admitted)))
            }
            list => Ok((list?, None)),
        }
    }

    /// Reads the list of members in at most `max` bytes.
    fn list(&self, max: u64) -> Result<Archive, LocatedError> {
        let Some(place) = self.place()? else {
            return Ok(Archive::default());
        };
        let mut archive = self
            .check_header(&place, max)
            .and_then(|()| {
                let mut file = SeekableFile::new(self.volume);
                let list = guarded(|| Archive::read(&mut file, &Password::empty()));
                list.map_err(|error| self.fault(&error))
            })
            .map_err(|error| (place.at, in_header(error)))?;
        // The crate ends a block at a member whose checksum is wrong, and drops the last bytes of the member. So checksums
        // are compared here.
        for file in &mut archive.files {
            if !std::mem::take(&mut file.has_crc) {
                file.crc = NO_CHECKSUM;
            }
        }
        Ok(archive)
    }

    /// Returns the place of the header that the start header states; `None` for an empty archive.
    fn place(&self) -> Result<Option<HeaderPlace>, LocatedError> {
        let start = self.volume.bytes::<{ START_HEADER_BYTES as usize }>(0);
        let start = start.map_err(|error| (0, error))?;
        let start = start.ok_or_else(|| (0, archive_error("its start is cut off")))?;
        if u64::from(crc32(&start[12..])) != number(&start, 8, 4) {
            return Err((8, archive_error("the checksum of its start is wrong")));
        }
        let (offset, size) = (number(&start, 12, 8), number(&start, 20, 8));
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
        Ok(Some(HeaderPlace { at, size }))
    }

    /// Checks that the list in a header takes at most `max` bytes of memory, and the header's coders at most the limit.
    fn check_header(&self, place: &HeaderPlace, max: u64) -> Result<(), InputError> {
        let check = |size: u64| match size.saturating_mul(LIST_BYTES_PER_HEADER_BYTE) {
            needed if needed <= max => Ok(()),
            _ => Err(InputError::TooLarge {
                packing: Packing::SevenZip,
                limit: max,
            }),
        };
        check(place.size)?;
        let mut header = Vec::new();
        let mut section = self.volume.section(place.at..place.at + place.size);
        section.read_to_end(&mut header)?;
        if let [PACKED_HEADER, streams @ .., _] = &header[..] {
            let packed = guarded(|| archive_of_header(streams));
            let packed = packed.map_err(|error| self.fault(&error))?;
            check(packed.files.iter().map(ArchiveEntry::size).sum())?;
            let mut blocks = packed.blocks.iter();
            let checked = blocks.try_for_each(|block| self.check_window(block));
            checked.map_err(|error| self.fault(&error))?;
        }
        Ok(())
    }

    /// Checks that the coders of a block do not ask for more memory than the limit.
    fn check_window(&self, block: &Block) -> Result<(), Error> {
        let asked: u64 = block.coders.iter().map(asked_bytes).sum();
        if asked <= self.window {
            return Ok(());
        }
        let kib = |bytes: u64| usize::try_from(bytes >> 10).unwrap_or(usize::MAX);
        Err(Error::MaxMemLimited {
            max_kb: kib(self.window),
            actaul_kb: kib(asked),
        })
    }

    fn members(&mut self, archive: &Archive) {
        let mut at = 0;
        while let Some(file) = archive.files.get(at) {
            let go_on = match archive.stream_map.file_block_index[at] {
                Some(block) => self.block(archive, block, &mut at),
                None => {
                    at += 1;
                    self.empty(file, at)
                }
            };
            if !go_on {
                return;
            }
        }
    }

    /// Passes on a file without bytes, the `number`th of the archive. Folders of the file system are left out. Returns false if
    /// the source should not be read further.
    fn empty(&mut self, file: &ArchiveEntry, number: usize) -> bool {
        let mut bytes = &[][..];
        let level = self.level;
        file.is_directory
            || self
                .sink
                .member(level, number as u64, &file.name, &mut bytes)
    }

    /// Passes on the files of a block, and sets `at` to the file after them. Returns false if the source should not be read
    /// further.
    fn block(&mut self, archive: &Archive, block: usize, at: &mut usize) -> bool {
        let start = *at;
        let (mut passed, mut failed, mut go_on) = (start, false, true);
        let (mut file, password) = (SeekableFile::new(self.volume), Password::empty());
        let decoder = BlockDecoder::new(1, block, archive, &password, &mut file);
        *at += decoder.entry_count();
        let unpacked = self.check_window(&archive.blocks[block]).and_then(|()| {
            guarded(|| {
                decoder.for_each_entries(&mut |file, bytes| {
                    passed += 1;
                    (go_on, failed) = match file.has_stream {
                        true => self.member(file, passed, bytes),
                        false => (self.empty(file, passed), false),
                    };
                    Ok(go_on)
                })
            })
        });
        if let Err(error) = unpacked
            && go_on
        {
            let has_bytes = |at: &usize| archive.files[*at].has_stream;
            let mut rest = (passed..*at).filter(has_bytes);
            if passed == start {
                rest.for_each(|at| self.report_loss(archive, at, self.fault(&error)));
            } else {
                if !failed {
                    self.report_loss(archive, passed - 1, self.fault(&error));
                }
                if let Some(first) = rest.next() {
                    let lost = 1 + rest.count() as u64;
                    self.report_loss(archive, first, InputError::Solid(lost));
                }
            }
        }
        go_on
    }

    /// Passes on a file with bytes, the `number`th of the archive. Returns whether the source should be read further, and
    /// whether a loss was reported.
    fn member(&mut self, file: &ArchiveEntry, number: usize, bytes: &mut dyn Read) -> (bool, bool) {
        let crc = u32::try_from(file.crc).ok();
        let check = crc.map(|crc| MemberCheck {
            crc,
            size: file.size,
        });
        let pieces = DecodedPieces(BufReader::with_capacity(PIECE_BYTES, bytes));
        let mut checked = ChecksumReader::new(Packing::SevenZip, pieces, check);
        let mut counted = ExpansionReader::of_unpacked(&mut checked, self.sink.expansion());
        let (level, number) = (self.level, number as u64);
        if !self.sink.member(level, number, &file.name, &mut counted) {
            return (false, false);
        }
        // The next file of the block starts after the bytes that were not read.
        if let Err(error) = counted.skip(u64::MAX) {
            self.sink
                .report_member_loss(level, number, &file.name, 0, error);
        }
        (!self.sink.expansion().is_over(), checked.has_failed())
    }

    /// Reports the loss of the file at the index `at`.
    fn report_loss(&mut self, archive: &Archive, at: usize, error: InputError) {
        let (level, number) = (self.level, at as u64 + 1);
        let name = &archive.files[at].name;
        self.sink.report_member_loss(level, number, name, 0, error);
    }

    fn fault(&self, error: &Error) -> InputError {
        match error {
            Error::MaxMemLimited { .. } => InputError::Window {
                packing: Packing::SevenZip,
                limit: self.window,
            },
            Error::UnsupportedCompressionMethod(name)
                if name == EncoderMethod::AES256_SHA256.name() =>
            {
                InputError::Encrypted(Packing::SevenZip)
            }
            Error::UnsupportedCompressionMethod(name) => {
                InputError::SevenZipMethod(name.as_str().into())
            }
            other => archive_error(fault_text(other)),
        }
    }
}

/// Calls the crate.
fn guarded<T>(read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    guard(Packing::SevenZip, read)
        .unwrap_or_else(|panic| Err(Error::Other(panic.to_string().into())))
}

fn fault_text(error: &Error) -> String {
    match error {
        Error::ChecksumVerificationFailed | Error::NextHeaderCrcMismatch => {
            "its checksum is wrong".to_owned()
        }
        Error::Other(text) | Error::Unsupported(text) => text.to_string(),
        Error::Io(error, _) => io_fault_text(error),
        other => other.to_string(),
    }
}

fn io_fault_text(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    inner.map_or_else(|| error.to_string(), fault_text)
}

fn archive_error(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> InputError {
    let error = io::Error::new(io::ErrorKind::InvalidData, why);
    damaged(Packing::SevenZip, error)
}

/// Says that damage is in the header, so that no member is read.
fn in_header(error: InputError) -> InputError {
    match error {
        InputError::Damaged { error, .. } => archive_error(format!("its header: {error}")),
        error => error,
    }
}

/// Returns the list of an archive whose only member is a packed header, which `streams` describe without their end mark. The
/// crate unpacks headers without a limit of their own, so this shows their sizes before.
fn archive_of_header(streams: &[u8]) -> Result<Archive, Error> {
    // No more about the streams; one file with an empty name.
    let end = b"\x08\0\0\x05\x01\x11\x03\0\0\0\0\0";
    let header = [b"\x01\x04", streams, end].concat();
    let size = (header.len() as u64).to_le_bytes();
    let start = [&[0; 8][..], &size, &crc32(&header).to_le_bytes()].concat();
    let start = [&crc32(&start).to_le_bytes(), &start[..]].concat();
    let file = [b"7z\xbc\xaf\x27\x1c\0\x04", &start[..], &header].concat();
    Archive::read(&mut Cursor::new(file), &Password::empty())
}

/// Returns the bytes of memory that a coder asks for: its dictionary or model. All others take a few megabytes, or for zstd at
/// most the 128 MiB that its library allows.
fn asked_bytes(coder: &Coder) -> u64 {
    match (coder.encoder_method_id(), coder.properties()) {
        (EncoderMethod::ID_LZMA | EncoderMethod::ID_PPMD, [_, size @ ..]) => size
            .first_chunk()
            .map_or(0, |size| u32::from_le_bytes(*size).into()),
        (EncoderMethod::ID_LZMA2, [size, ..]) => {
            (2 | u64::from(size & 1)) << (size.min(&40) / 2 + 11)
        }
        _ => 0,
    }
}

/// Reads the file of the archive at any offset.
struct SeekableFile<'v> {
    volume: &'v CountedFile<'v>,
    /// Offset of the next byte.
    at: u64,
    /// Bytes of the file, and the offset of the first one.
    held: Vec<u8>,
    held_at: u64,
}

impl<'v> SeekableFile<'v> {
    fn new(volume: &'v CountedFile<'v>) -> Self {
        SeekableFile {
            volume,
            at: 0,
            held: Vec::new(),
            held_at: 0,
        }
    }

    /// Returns the bytes that are held from the next one on.
    fn held(&self) -> &[u8] {
        let skipped = self.at.checked_sub(self.held_at);
        let skipped = skipped.and_then(|bytes| usize::try_from(bytes).ok());
        skipped
            .and_then(|bytes| self.held.get(bytes..))
            .unwrap_or_default()
    }
}

impl Read for SeekableFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.held().is_empty() {
            self.held.clear();
            self.held_at = self.at;
            let mut part = self
                .volume
                .part(self.at..self.at.saturating_add(HELD_BYTES as u64));
            let read = part.read_to_end(&mut self.held);
            read.map_err(|error| io::Error::other(error.to_string()))?;
        }
        let read = Read::read(&mut self.held(), into)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for SeekableFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = sought(to, self.at, self.volume.length)?;
        Ok(self.at)
    }
}

/// Bytes of a decoder that are always read in pieces of the same size.
struct DecodedPieces<R>(BufReader<R>);

impl<R: Read> ReadBytes for DecodedPieces<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let held = self.0.fill_buf();
        let mut held = held.map_err(|error| archive_error(io_fault_text(&error)))?;
        let count = ReadBytes::read(&mut held, into)?;
        self.0.consume(count);
        Ok(count)
    }
}
