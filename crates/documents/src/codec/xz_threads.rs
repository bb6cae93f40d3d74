//! Reads an xz file whose blocks liblzma decodes on several threads.
//!
//! liblzma reads ahead of damage, and does not say how far. So a stream with damage is read again from its start on this thread,
//! without the bytes that were already returned. So bytes and errors are those of [`FileMembers`].

use liblzma::stream::{Action, MtStreamBuilder, Status, Stream};

use super::READ_BYTES;
use super::file_members::{FileMembers, FileReader};
use super::members::MemberStep;
use super::parallel::{OrderedReader, ProgressCounter};
use super::read::StopAtError;
use super::streams::{HEAD_BYTES, StreamDecoder};
use super::xz::{DECODER_BYTES, XzDecoder};
use crate::fault::InputError;
use crate::file::SourceFile;
use crate::halt::HaltSignal;
use crate::peek::PeekReader;
use crate::read::{ReadBuffer, ReadBytes};
use crate::read_options::ReadOptions;
use crate::unpackers::{ThreadLease, UnpackThreads};

/// Size of the smallest file for which threads are started.
pub(super) const MIN_FILE_BYTES: u64 = 2 << 20;

/// Reads the streams of a file in order.
pub(super) struct XzFile<'r> {
    raw: PeekReader<StopAtError<FileReader>>,
    /// The stream that liblzma decodes. `None` from the first damage on.
    stream: Option<Stream>,
    threads: XzThreads<'r>,
    /// Offset of the stream in the file.
    start: u64,
    /// Bytes of the stream that were already returned.
    returned: u64,
    /// Reads on this thread.
    members: FileMembers<XzDecoder>,
    progress: ProgressCounter<'r>,
    options: ReadOptions<'r>,
}

/// The threads of a file, and their memory.
struct XzThreads<'r> {
    lease: ThreadLease<'r>,
    /// Bytes of all threads. If a block needs more, liblzma decodes it on the caller's thread.
    bytes: u64,
    /// Maximum bytes on one thread.
    max: u64,
}

impl XzThreads<'_> {
    /// Makes a decoder of a stream. It starts threads when it needs them.
    fn decoder(&self) -> Option<Stream> {
        let mut builder = MtStreamBuilder::new();
        builder.threads(self.lease.threads as u32);
        builder.memlimit_threading(self.bytes);
        builder.memlimit_stop(self.max);
        builder.decoder().ok()
    }
}

impl<'r> XzFile<'r> {
    /// Reads `file`, whose first `counted` bytes were already counted. Returns `None` if it has fewer than `min` bytes, or other
    /// sources use all threads.
    ///
    /// # Errors
    /// If there is no memory for a decoder, or the system refuses another handle of the file.
    pub(super) fn open(
        file: &SourceFile,
        min: u64,
        counted: u64,
        options: &ReadOptions<'r>,
        unpackers: &'r UnpackThreads,
    ) -> Result<Option<Self>, InputError> {
        let size = file.length()?;
        let Some(lease) = unpackers.lease().filter(|_| size >= min) else {
            return Ok(None);
        };
        let threads = XzThreads {
            bytes: (unpackers.bytes() * lease.threads) as u64,
            max: options.limits.window.saturating_add(DECODER_BYTES),
            lease,
        };
        let file = file.clone();
        Ok(Some(XzFile {
            raw: PeekReader::with_capacity(FileReader::new(&file, size, 0), READ_BYTES),
            stream: threads.decoder(),
            threads,
            start: 0,
            returned: 0,
            members: FileMembers::new(&file, size, options, 0)?,
            progress: ProgressCounter::new(options, counted),
            options: *options,
        }))
    }

    /// Decodes more on threads. Returns `None` if the rest is read on this thread.
    fn decode(&mut self, into: &mut [u8]) -> Option<usize> {
        loop {
            let stream = self.stream.as_mut()?;
            let (read, written) = (stream.total_in(), stream.total_out());
            // An error of the file is met again on this thread.
            let input = self.raw.fill_buf().unwrap_or_default();
            let action = match input {
                [] => Action::Finish,
                _ => Action::Run,
            };
            let status = stream.process(input, into, action);
            let end = self.start + stream.total_in();
            let count = (stream.total_out() - written) as usize;
            self.raw.consume((stream.total_in() - read) as usize);
            self.progress.reach(end);
            self.returned += count as u64;
            match status {
                Ok(Status::Ok) => {}
                Ok(Status::StreamEnd) => self.go_to(end),
                _ => self.read_in_turn(),
            }
            if count > 0 {
                return Some(count);
            }
        }
    }

    /// Continues after a stream, at offset `at`.
    fn go_to(&mut self, at: u64) {
        (self.start, self.returned) = (at, 0);
        let is_stream = XzDecoder::starts(self.raw.peek(HEAD_BYTES));
        self.stream = is_stream.then(|| self.threads.decoder()).flatten();
        if self.stream.is_none() {
            self.read_in_turn();
        }
    }

    /// Reads from the start of the stream on this thread.
    fn read_in_turn(&mut self) {
        self.stream = None;
        self.members.read_again(self.start, self.returned);
    }
}

impl ReadBytes for XzFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if let Some(count) = self.decode(into) {
            return Ok(count);
        }
        while !self.options.halt.is_halted() {
            let step = self.members.step(into);
            self.progress.reach(self.members.position());
            match step? {
                MemberStep::Bytes(0) | MemberStep::Boundary => {}
                MemberStep::Bytes(count) => return Ok(count),
                MemberStep::End => break,
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicU64, Ordering};

    use liblzma::stream::Check;

    use super::super::members::MemberReader;
    use super::super::members::tests::{Outcome, noise, outcome};
    use super::*;

    /// Bytes of a block.
    const BLOCK_BYTES: u64 = 4 << 10;

    /// Packs `bytes` as a stream of small blocks, whose headers state their sizes.
    fn blocks(bytes: &[u8]) -> Vec<u8> {
        let mut builder = MtStreamBuilder::new();
        builder
            .preset(0)
            .check(Check::Crc32)
            .block_size(BLOCK_BYTES);
        let mut stream = builder.encoder().unwrap();
        let mut out = Vec::with_capacity(2 * bytes.len() + 1000);
        let mut status = Status::Ok;
        while status != Status::StreamEnd {
            let rest = &bytes[stream.total_in() as usize..];
            status = stream.process_vec(rest, &mut out, Action::Finish).unwrap();
        }
        out
    }

    /// Calls `read` with a reader on three threads, and returns its result and the number of bytes that were counted.
    fn threaded<T>(packed: &[u8], read: impl FnOnce(&mut XzFile<'_>) -> T) -> (T, u64) {
        let (bytes, unpackers) = (AtomicU64::new(0), UnpackThreads::new(3, 32 << 20));
        let options = ReadOptions::for_tests(&bytes);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(packed).unwrap();
        let reader = XzFile::open(&file.into(), 0, 0, &options, &unpackers).unwrap();
        let result = read(&mut reader.unwrap());
        (result, bytes.load(Ordering::Relaxed))
    }

    fn in_turn(packed: &[u8]) -> Outcome {
        let bytes = AtomicU64::new(0);
        let options = ReadOptions::for_tests(&bytes);
        let mut reader = MemberReader::<_, XzDecoder>::new(packed, &options.limits).unwrap();
        outcome(&mut reader, 7777)
    }

    #[test]
    fn blocks_are_decoded_ahead() {
        let packed = blocks(&noise(1, 200_000));
        let (ahead, _) = threaded(&packed, |reader| {
            assert_eq!(reader.read(&mut [0; 10]).unwrap(), 10);
            reader.stream.as_ref().map(Stream::total_in)
        });
        assert!(ahead.unwrap() > 2 * BLOCK_BYTES, "{ahead:?}");
    }

    #[test]
    fn damaged_and_cut_files_are_those_in_turn() {
        let first = blocks(&noise(3, 9000));
        let second = blocks(&b"10.5555/a, 10.5555/b ".repeat(1000));
        let packed = [&first[..], &[0; 8], &second, b"stray"].concat();
        let index = packed.len() - 120..packed.len();
        for at in (0..packed.len()).step_by(397).chain(index) {
            let (before, after) = packed.split_at(at);
            let mut hit = packed.clone();
            hit[at] ^= 0x10;
            let ways = [
                (hit, "flipped"),
                (before.to_vec(), "cut"),
                ([before, &after[1..]].concat(), "without a byte"),
                ([before, &first, after].concat(), "with a stream"),
            ];
            for (hit, what) in ways {
                let (found, counted) = threaded(&hit, |reader| outcome(reader, 3000));
                assert_eq!(counted, hit.len() as u64, "{what} at {at}");
                let wanted = in_turn(&hit);
                assert_eq!(found.1, wanted.1, "{what} at {at}");
                assert!(found.0 == wanted.0, "{what} at {at}");
            }
        }
    }
}
