//! Reads the file of a zip archive at offsets, so that other readers of the file do not interfere.

use std::cell::Cell;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memmem;

use crate::fault::InputError;
use crate::file::{FileSection, SourceFile};
use crate::read::ReadBytes;

/// Bytes of a search step.
const SEARCH_BYTES: usize = 8 << 10;

/// A file, and the part of it that was counted as read.
pub(crate) struct CountedFile<'z> {
    file: &'z SourceFile,
    pub(crate) length: u64,
    progress: Option<&'z AtomicU64>,
    counted: Cell<u64>,
}

impl<'z> CountedFile<'z> {
    /// Adds bytes to `progress` when they are first passed, except the first `counted` ones, which were already counted.
    pub(crate) fn new(
        file: &'z SourceFile,
        counted: u64,
        progress: Option<&'z AtomicU64>,
    ) -> io::Result<Self> {
        let length = file.length()?;
        Ok(CountedFile {
            file,
            length,
            progress,
            counted: Cell::new(counted),
        })
    }

    pub(crate) fn file(&self) -> &'z SourceFile {
        self.file
    }

    /// Reads the bytes of `range` up to the end of the file, without counting them.
    pub(crate) fn section(&self, range: Range<u64>) -> FileSection<'z> {
        let end = range.end.min(self.length);
        FileSection::new(self.file, range.start.min(end), end)
    }

    /// Reads the bytes of `range` up to the end of the file.
    pub(crate) fn part(&self, range: Range<u64>) -> CountedPart<'_> {
        CountedPart {
            volume: self,
            at: range.start.min(self.length),
            section: self.section(range),
        }
    }

    /// Returns the `N` bytes at `at`; `None` if the file ends before.
    pub(crate) fn bytes<const N: usize>(&self, at: u64) -> Result<Option<[u8; N]>, InputError> {
        let mut bytes = [0; N];
        let there = at
            .checked_add(N as u64)
            .is_some_and(|end| end <= self.length);
        if there {
            self.section(at..self.length).read_full(&mut bytes)?;
        }
        Ok(there.then_some(bytes))
    }

    /// Returns the offset of the next of `signatures` at or after `from`, or the length of the file. All must start with
    /// `PK`.
    pub(crate) fn find(&self, mut from: u64, signatures: &[[u8; 4]]) -> Result<u64, InputError> {
        let mut window = Vec::with_capacity(SEARCH_BYTES);
        loop {
            window.clear();
            let range = from..from.saturating_add(SEARCH_BYTES as u64);
            self.section(range).read_to_end(&mut window)?;
            let found = memmem::find_iter(&window, b"PK")
                .find(|at| signatures.iter().any(|s| window[*at..].starts_with(s)));
            match found {
                Some(at) => return Ok(from + at as u64),
                None if window.len() < SEARCH_BYTES => return Ok(self.length),
                // A signature may start in the last bytes.
                None => from += (SEARCH_BYTES - 3) as u64,
            }
        }
    }

    /// Returns the offset of the zeros at the end of the file.
    pub(crate) fn padding_start(&self) -> Result<u64, InputError> {
        let mut end = self.length;
        let mut window = Vec::with_capacity(SEARCH_BYTES);
        while end > 0 {
            let from = end.saturating_sub(SEARCH_BYTES as u64);
            window.clear();
            self.section(from..end).read_to_end(&mut window)?;
            if let Some(last) = window.iter().rposition(|byte| *byte != 0) {
                return Ok(from + last as u64 + 1);
            }
            end = from;
        }
        Ok(0)
    }

    /// Counts the bytes before `end`.
    pub(crate) fn count_until(&self, end: u64) {
        let new = end.saturating_sub(self.counted.get());
        self.counted.set(self.counted.get() + new);
        if let Some(progress) = self.progress {
            progress.fetch_add(new, Ordering::Relaxed);
        }
    }
}

/// A part of the file.
pub(crate) struct CountedPart<'z> {
    volume: &'z CountedFile<'z>,
    section: FileSection<'z>,
    at: u64,
}

impl ReadBytes for CountedPart<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let read = self.section.read(into)?;
        self.at += read as u64;
        self.volume.count_until(self.at);
        Ok(read)
    }
}
