//! Zip archives after other content: a script or a program that unpacks them, or any text. Other formats that a file shows
//! at its end are recognised here too.
//!
//! The first bytes of such a file do not show the archive. In a regular file its end is checked, where the directory is: the
//! last KiB of a file that seems to be text, and the longest possible end record in a script or a program. A stream has no
//! end to check: there, a local header is accepted within the first 64 KiB of a script and the first MiB of a program. In
//! both, a local header within the first 512 bytes is accepted after any content.
//!
//! A separate read at the end of each text file would cost 0.9 µs: 5 % of the time for files of 60 kB. So the end of a file
//! that starts as clean text, and is not held whole, is checked after the text was read. The members then follow the text, which
//! includes their bytes.

use super::claim::NameClaims;
use super::content::StreamContent;
use super::fault::{InputError, Packing};
use super::file::{FileSection, SourceFile};
use super::magic;
use super::peek::PeekReader;
use super::read::{ReadBuffer, ReadBytes};
use super::{numbers, zip};

/// Bytes at the end of a file that are checked.
const TAIL_BYTES: usize = 1 << 10;
/// Bytes of a stream that are checked at once, and the bytes of a script that are checked.
pub(super) const HELD_BYTES: usize = 64 << 10;
/// Bytes of a program in a stream that are checked.
const MAX_PROGRAM_BYTES: usize = 1 << 20;

/// Returns the content of a regular file of `length` bytes. `start` is at least [`magic::HEAD_BYTES`] bytes of it, or all, and
/// `claims` are those of its name.
pub(super) fn recognise(
    file: &SourceFile,
    length: u64,
    start: &[u8],
    claims: NameClaims,
) -> StreamContent {
    let head = &start[..start.len().min(magic::HEAD_BYTES)];
    let content = magic::recognise(head);
    let ends = FileEnds {
        file,
        length,
        start,
    };
    let archive = |is_found: bool| is_found.then_some(Packing::Zip);
    let may_be_other = claims.has_end() || !is_clean(head);
    let packing = match content {
        // A damaged archive may lack its end.
        StreamContent::Text if is_script(head) => {
            archive(ends.ends_archive(zip::MAX_END_BYTES) || ends.starts_archive(HELD_BYTES))
        }
        StreamContent::Text if head.starts_with(b"MZ") => {
            archive(ends.ends_archive(zip::MAX_END_BYTES))
        }
        StreamContent::Text if ends.is_held() || may_be_other => ends.packing(may_be_other),
        StreamContent::Binary(kind) if is_program(kind) => {
            archive(ends.ends_archive(zip::MAX_END_BYTES))
        }
        _ => None,
    };
    match content {
        StreamContent::Text if packing.is_none() => magic::recognise_late(start, claims.is_mail()),
        content => packing.map_or(content, StreamContent::Packed),
    }
}

/// The bytes near the start and the end of a file. Errors are ignored, since reading the whole file reports them.
struct FileEnds<'f> {
    file: &'f SourceFile,
    length: u64,
    /// The first bytes of the file, or all.
    start: &'f [u8],
}

impl FileEnds<'_> {
    /// Whether the last `count` bytes end an archive.
    fn ends_archive(&self, count: usize) -> bool {
        zip::ends_archive(self.tail(count, &mut Vec::new()))
    }

    /// Returns the format that the last bytes show.
    fn packing(&self, may_be_pdf: bool) -> Option<Packing> {
        let mut read = Vec::new();
        let tail = self.tail(TAIL_BYTES, &mut read);
        if zip::ends_archive(tail) {
            Some(Packing::Zip)
        } else {
            magic::packing_at_end(tail, may_be_pdf)
        }
    }

    /// Returns the last `count` bytes, or all. They are read into `into` if they are not held.
    fn tail<'b>(&'b self, count: usize, into: &'b mut Vec<u8>) -> &'b [u8] {
        if self.is_held() {
            return &self.start[self.start.len().saturating_sub(count)..];
        }
        into.resize(count, 0);
        let from = self.length.saturating_sub(count as u64);
        read(self.file, from, self.length, into)
    }

    /// Whether an archive starts in the first `count` bytes.
    fn starts_archive(&self, count: usize) -> bool {
        let found = if self.is_held() {
            numbers::find_zip(self.start)
        } else {
            let end = self.length.min(count as u64);
            numbers::find_zip(read(self.file, 0, end, &mut vec![0; count]))
        };
        found.is_some()
    }

    fn is_held(&self) -> bool {
        self.start.len() as u64 >= self.length
    }
}

/// Whether a file of `length` bytes ends as a zip archive does.
pub fn ends_archive(file: &SourceFile, length: u64) -> bool {
    let ends = FileEnds {
        file,
        length,
        start: &[],
    };
    ends.ends_archive(TAIL_BYTES)
}

/// Reads the text of a file, and keeps its end to check whether it is an archive.
pub(super) struct TailReader<R> {
    bytes: R,
    at: u64,
    length: u64,
    /// The last bytes that were read, at most [`TAIL_BYTES`].
    tail: Vec<u8>,
}

impl<R: ReadBytes> TailReader<R> {
    /// Reads `bytes`, all `length` bytes of a file.
    pub(super) fn new(bytes: R, length: u64) -> Self {
        TailReader {
            bytes,
            at: 0,
            length,
            tail: Vec::with_capacity(2 * TAIL_BYTES),
        }
    }

    /// Whether an archive follows the text, which was read to its end.
    pub(super) fn ends_archive(&self) -> bool {
        self.at == self.length && zip::ends_archive(&self.tail)
    }
}

impl<R: ReadBytes> ReadBytes for TailReader<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let read = self.bytes.read(into)?;
        self.at += read as u64;
        let last = &into[read.saturating_sub(TAIL_BYTES)..read];
        let kept = self.tail.len().min(TAIL_BYTES - last.len());
        self.tail.drain(..self.tail.len() - kept);
        self.tail.extend_from_slice(last);
        Ok(read)
    }
}

fn read<'b>(file: &SourceFile, from: u64, end: u64, into: &'b mut [u8]) -> &'b [u8] {
    let into = &mut into[..(end - from) as usize];
    match FileSection::new(file, from, end).read_full(into) {
        Ok(true) => into,
        _ => &[],
    }
}

/// Returns the content of a stream that starts with a script.
pub(super) fn recognise_script<R: ReadBytes>(raw: PeekReader<R>) -> (StreamContent, PeekReader<R>) {
    let mut raw = raw.grow(HELD_BYTES);
    let content = match numbers::find_zip(raw.peek(HELD_BYTES)) {
        Some(_) => StreamContent::Packed(Packing::Zip),
        None => StreamContent::Text,
    };
    (content, raw)
}

/// Skips a program in a stream. Returns whether a zip archive may follow.
pub(super) fn pass_program<R: ReadBytes>(raw: &mut PeekReader<R>) -> bool {
    let mut passed = 0;
    while passed < MAX_PROGRAM_BYTES {
        let held = raw.peek(HELD_BYTES);
        if let Some(at) = numbers::find_zip(held) {
            raw.consume(at);
            return true;
        }
        if held.len() < HELD_BYTES {
            return false;
        }
        // The last bytes may start a local header.
        let count = HELD_BYTES - numbers::ZIP_START_BYTES;
        raw.consume(count);
        passed += count;
    }
    false
}

/// Whether a copy of a stream, which starts with a local header, ends as a zip archive does.
pub(super) fn is_archive(copy: &SourceFile) -> bool {
    let ends = FileEnds {
        file: copy,
        length: copy.length().unwrap_or(0),
        start: &[],
    };
    ends.ends_archive(zip::MAX_END_BYTES)
}

/// Whether `head` has only bytes that occur in texts.
fn is_clean(head: &[u8]) -> bool {
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 14..=26 | 28..=31);
    // Without an early exit the loop is vectorised, and most heads are clean.
    !head
        .iter()
        .fold(false, |found, byte| found | is_control(byte))
}

pub(super) fn is_script(head: &[u8]) -> bool {
    head.starts_with(b"#!")
}

/// Whether `kind` is a kind of program.
pub(super) fn is_program(kind: &str) -> bool {
    matches!(kind, "pe" | "elf" | "mach-o")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_a_stream_is_searched_at_every_offset() {
        let local = b"PK\x03\x04\x14\0\0\0\x08\0 and more";
        for at in [
            0,
            1,
            HELD_BYTES - 12,
            HELD_BYTES - 5,
            HELD_BYTES,
            3 * HELD_BYTES - 7,
        ] {
            let mut bytes = vec![4; at];
            bytes.extend(local);
            let mut raw = PeekReader::with_capacity(&bytes[..], HELD_BYTES);
            assert!(pass_program(&mut raw), "{at}");
            assert_eq!(raw.peek(local.len()), local, "{at}");
        }
        let mut raw = PeekReader::with_capacity(&local[..9], HELD_BYTES);
        assert!(!pass_program(&mut raw));
    }
}
