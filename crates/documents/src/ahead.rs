//! Unpacks gzip members of an archive on other threads, before the reader of the archive reaches them.
//!
//! The archive must be a file, so that later members are found without reading the earlier ones. A thread decodes the same bytes
//! with the same decoder as the reader would, so the bytes and errors are the same as without threads. A member that was found in
//! advance is used only if the reader then finds a member at exactly these bytes.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::checked::{ChecksumReader, MemberCheck};
use crate::codec::{self, damaged};
use crate::fault::{InputError, Packing};
use crate::file::{FileSection, SourceFile};
use crate::peek::PeekReader;
use crate::read::{ReadAt, ReadBytes, SpareBuffers, UnpackedAhead, UnpackedBytes, UnpackedPiece};
use crate::read_options::{ReadLimits, ReadOptions};
use crate::workers::{ResultSender, WorkerThreads};

/// Bytes that a thread passes on at once.
const PIECE_BYTES: usize = 256 << 10;
/// Minimum packed size of a member that is passed to a thread, in bytes. Smaller ones are not worth it.
const MIN_PREFETCHED_BYTES: u64 = 4 << 10;
/// Limit on the unpacked bytes of a member that may wait for the reader, for each thread. A larger member is decoded up to
/// this limit, and then only as fast as it is read.
const MAX_WAITING_BYTES: usize = 2 << 20;
/// Number of later members that are examined for each member that is read.
const MAX_EXAMINED_MEMBERS: usize = 64;
/// The first bytes of gzip, with its only method.
const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberBytes {
    /// Bytes of the file that hold it.
    pub(super) range: Range<u64>,
    /// Checksum and size that the archive states for it.
    pub(super) check: Option<MemberCheck>,
}

/// The members of a file that are unpacked ahead of its reader.
pub(super) struct MemberPrefetcher<'u> {
    file: SourceFile,
    size: u64,
    /// In the order of the file. Dropped before the threads, which may wait for room.
    started: VecDeque<(MemberBytes, Receiver<UnpackedPiece>)>,
    workers: WorkerThreads<'u, MemberBytes, UnpackedPiece>,
    spare: Arc<SpareBuffers>,
    /// Pieces of a member that may wait.
    pieces: usize,
    /// The offset in the file after the last member that was looked at; `None` if no member can be found after it.
    next: Option<u64>,
}

impl<'u> MemberPrefetcher<'u> {
    /// Returns `None` if no thread is free, or the size of the file cannot be read.
    pub(super) fn start(file: &SourceFile, options: &ReadOptions<'u>) -> Option<Self> {
        let unpackers = options.unpackers?;
        let file = file.clone();
        let size = file.length().ok()?;
        let spare = Arc::<SpareBuffers>::default();
        let (shared, limits) = ((file.clone(), Arc::clone(&spare)), options.limits);
        let worker = move || {
            let (file, spare) = shared.clone();
            Some(
                move |member: MemberBytes, answers: &ResultSender<'_, UnpackedPiece>| {
                    unpack(&file, member, &limits, &spare, answers);
                },
            )
        };
        let workers = WorkerThreads::start(unpackers, usize::MAX, "unpack", worker)?;
        let waiting = (unpackers.bytes() / 2).min(MAX_WAITING_BYTES * workers.threads());
        Some(MemberPrefetcher {
            file,
            size,
            started: VecDeque::new(),
            pieces: waiting / PIECE_BYTES,
            workers,
            spare,
            next: Some(0),
        })
    }

    /// Returns the unpacked bytes of `member`, which the reader has reached, if a thread unpacks them. `after` finds the
    /// member that follows an offset of the file.
    pub(super) fn take_unpacked(
        &mut self,
        member: &MemberBytes,
        after: impl Fn(&SourceFile, u64) -> Option<MemberBytes>,
    ) -> Option<UnpackedAhead> {
        let range = &member.range;
        self.started
            .retain(|(started, _)| started.range.start >= range.start);
        if self.next.is_some_and(|next| next <= range.start) {
            self.next = Some(range.end);
            self.start_member(member.clone());
        }
        for _ in 0..MAX_EXAMINED_MEMBERS {
            if self.started.len() >= self.workers.threads() {
                break;
            }
            let found = self.next.and_then(|next| after(&self.file, next));
            self.next = found.as_ref().map(|found| found.range.end);
            let Some(found) = found else { break };
            self.start_member(found);
        }
        let is_this = |(started, _): &(MemberBytes, _)| started == member;
        let is_first = self.started.front().is_some_and(is_this);
        let (_, from) = is_first.then(|| self.started.pop_front()).flatten()?;
        // There is no answer if the thread had no memory for a decoder.
        let first = from.recv().ok()?;
        let spare = Arc::clone(&self.spare);
        let packed = range.end - range.start;
        Some(UnpackedAhead::new(first, from, spare, packed))
    }

    /// Gives a member to a thread to unpack, if it is packed.
    fn start_member(&mut self, member: MemberBytes) {
        let range = &member.range;
        let mut start = [0; GZIP_MAGIC.len()];
        let is_worth = range.end <= self.size && range.end - range.start >= MIN_PREFETCHED_BYTES;
        let is_packed = is_worth
            && matches!(self.file.read_at(&mut start, range.start), Ok(read) if read == start.len())
            && start == GZIP_MAGIC;
        if is_packed {
            let if_panicked = Err(damaged(Packing::Gzip, ErrorKind::Other));
            let from = self
                .workers
                .start_job(member.clone(), self.pieces, if_panicked);
            self.started.push_back((member, from));
        }
    }
}

/// Unpacks a member of `file`.
fn unpack(
    file: &SourceFile,
    member: MemberBytes,
    limits: &ReadLimits,
    spare: &SpareBuffers,
    answers: &ResultSender<'_, UnpackedPiece>,
) {
    let section = FileSection::new(file, member.range.start, member.range.end);
    let raw = PeekReader::new(ChecksumReader::new(Packing::Zip, section, member.check));
    let Ok(mut unpacked) = codec::gzip_members(raw, limits) else {
        return;
    };
    loop {
        let mut buffer = spare.take_buffer();
        buffer.resize(PIECE_BYTES, 0);
        let (filled, read) = fill(&mut unpacked, &mut buffer);
        let is_last = filled == 0 && read.is_ok();
        let goes_on =
            (filled == 0 && read.is_err()) || answers.send(Ok(UnpackedBytes { buffer, filled }));
        let goes_on = goes_on && read.map_or_else(|error| answers.send(Err(error)), |()| true);
        // An answer is refused if the reader has left the member.
        if is_last || !goes_on {
            return;
        }
    }
}

/// Fills `into`, up to the end or an error. Returns the number of bytes, and the error.
fn fill(from: &mut impl ReadBytes, into: &mut [u8]) -> (usize, Result<(), InputError>) {
    let mut filled = 0;
    while filled < into.len() {
        match from.read(&mut into[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) => return (filled, Err(error)),
        }
    }
    (filled, Ok(()))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};
    use std::path::Path;
    use std::sync::atomic::AtomicU64;

    use memchr::memmem;
    use zip::CompressionMethod;
    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;
    use crate::container::StreamLevel;
    use crate::expansion::Expansion;
    use crate::source_reader::SourceReader;
    use crate::tar::taken::Taken;
    use crate::unpackers::UnpackThreads;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(text).unwrap();
        out.finish().unwrap()
    }

    /// Makes words of numbers: text that gzip cannot pack to a few bytes.
    fn text(seed: usize, length: usize) -> Vec<u8> {
        let mut state = seed as u64 | 1;
        let mut text = Vec::new();
        while text.len() < length {
            state = state.wrapping_mul(6_364_136_223_846_793_005) ^ seed as u64;
            writeln!(text, "{state:x}").unwrap();
        }
        text
    }

    fn tar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, bytes) in members {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            tar.append_data(&mut header, name, &bytes[..]).unwrap();
        }
        tar.into_inner().unwrap()
    }

    /// Makes a zip of the same members, stored without packing.
    fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (name, bytes) in members {
            zip.start_file(*name, stored).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    /// Changes the checksum of a member in the archive.
    fn with_wrong_checksum(mut archive: Vec<u8>, member: &[u8]) -> Vec<u8> {
        let right = crate::numbers::crc32(member).to_le_bytes();
        let places: Vec<_> = memmem::find_iter(&archive, &right).collect();
        assert_eq!(places.len(), 2, "local header and directory");
        for at in places {
            archive[at] ^= 1;
        }
        archive
    }

    fn file(bytes: &[u8]) -> SourceFile {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.into()
    }

    /// Returns members of all kinds: small and large, of one and several gzip members, packed twice, plain, damaged in
    /// various ways.
    fn members() -> Vec<(&'static str, Vec<u8>)> {
        let mut flipped = gzip(&text(3, 900_000));
        flipped[200_000] ^= 0x55;
        let mut wrong = gzip(&text(4, 60_000));
        let last = wrong.len() - 6;
        wrong[last] ^= 1;
        let whole = gzip(&text(5, 80_000));
        let inner = tar(&[("x.gz", gzip(&text(6, 50_000))), ("y", text(7, 500))]);
        vec![
            ("plain", text(1, 30_000)),
            ("small.gz", gzip(b"small")),
            ("large.gz", gzip(&text(2, 2_000_000))),
            ("flipped.gz", flipped),
            ("wrong.gz", wrong),
            ("cut.gz", whole[..whole.len() / 2].to_vec()),
            ("two.gz", [whole.clone(), gzip(b"more")].concat()),
            ("trailing.gz", [&whole[..], b"no gzip"].concat()),
            ("twice.gz", gzip(&whole)),
            ("inner.tar", inner.clone()),
            ("inner.tar.gz", gzip(&inner)),
            ("last.gz", gzip(&text(8, 300_000))),
        ]
    }

    /// Reads an archive with this many threads, each of which may hold this many bytes. Returns the documents and errors.
    fn taken(archive: &[u8], threads: usize, held: usize) -> Taken {
        let (bytes, unpackers) = (AtomicU64::new(0), UnpackThreads::new(threads, held));
        let (file, length) = (file(archive), archive.len() as u64);
        let options = ReadOptions {
            unpackers: Some(&unpackers),
            ..ReadOptions::for_tests(&bytes)
        };
        let (expansion, mut taken) = (Expansion::new(1000, length), Taken::default());
        let mut reader = SourceReader::new(&options, &expansion, &mut taken);
        let level = StreamLevel::file(&file, length, Path::new("a.tar"));
        reader.stream(&level, &mut FileSection::new(&file, 0, length));
        reader.finish();
        assert!(
            threads == 0 || unpackers.lease().is_some(),
            "a lease is left"
        );
        taken
    }

    #[test]
    fn threads_change_neither_the_bytes_nor_the_errors_of_members() {
        let archive = tar(&members());
        // Cut in a member, and with a damaged header between members.
        let cut = &archive[..archive.len() - 200_000];
        let mut damaged = archive.clone();
        damaged[30_720 + 1024] ^= 1;
        let zip = zip(&members());
        let cut_zip = &zip[..zip.len() - 200_000];
        let (_, last) = members().pop().unwrap();
        let wrong_zip = with_wrong_checksum(zip.clone(), &last);
        for archive in [&archive[..], cut, &damaged, &zip, cut_zip, &wrong_zip] {
            let wanted = taken(archive, 0, 0);
            assert!(wanted.lost.len() >= 3, "{:?}", wanted.lost);
            for (threads, held) in [(1, 0), (3, 1 << 20), (16, 64 << 20)] {
                let seen = taken(archive, threads, held);
                assert_eq!(seen.lost, wanted.lost, "{threads} threads");
                assert_eq!(seen.names(), wanted.names(), "{threads} threads");
                assert!(seen.documents == wanted.documents, "{threads} threads");
            }
        }
    }

    #[test]
    fn later_members_are_unpacked_up_to_the_limit_and_then_as_they_are_read() {
        let bytes = AtomicU64::new(0);
        let unpackers = UnpackThreads::new(2, 4 * PIECE_BYTES);
        let options = ReadOptions {
            unpackers: Some(&unpackers),
            ..ReadOptions::for_tests(&bytes)
        };
        let texts = [text(1, 20 * PIECE_BYTES), text(2, 20 * PIECE_BYTES)];
        let packed = texts.each_ref().map(|text| gzip(text));
        let (first, second) = (0..packed[0].len(), packed[0].len()..packed.concat().len());
        let [first, second] = [first, second].map(|at| MemberBytes {
            range: at.start as u64..at.end as u64,
            check: None,
        });
        let mut ahead = MemberPrefetcher::start(&file(&packed.concat()), &options).unwrap();
        assert_eq!(ahead.pieces, 2);
        let after = |_: &SourceFile, end| (end == first.range.end).then(|| second.clone());
        for (member, text) in [&first, &second].into_iter().zip(texts) {
            let mut unpacked = ahead.take_unpacked(member, after).unwrap();
            let mut seen = Vec::new();
            unpacked.read_to_end(&mut seen).unwrap();
            assert!(seen == text);
        }
        // A member that the reader finds elsewhere is not used.
        let elsewhere = MemberBytes {
            range: 1..9,
            check: None,
        };
        assert!(ahead.take_unpacked(&elsewhere, after).is_none());
    }
}
