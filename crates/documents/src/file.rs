//! Reads parts of files at offsets, and standard input as a file.

use std::fs::File;
use std::io::{self, Cursor};
use std::path::Path;

use doisift_system::FileStatus;

use super::fault::InputError;
use super::read::ReadBytes;

/// A part of a regular file, read at offsets, so that several threads can share the file.
pub struct FileSection<'f> {
    file: &'f File,
    at: u64,
    end: u64,
}

impl<'f> FileSection<'f> {
    /// Reads the bytes from `at` to `end`, which the file should have.
    pub fn new(file: &'f File, at: u64, end: u64) -> Self {
        FileSection { file, at, end }
    }
}

impl ReadBytes for FileSection<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let max = into.len().min(left);
        if max == 0 {
            return Ok(0);
        }
        let read = read_at(self.file, &mut into[..max], self.at)?;
        if read == 0 {
            return Err(InputError::Shrunk);
        }
        self.at += read as u64;
        Ok(read)
    }
}

/// Checks that a file that had `size` bytes when it was opened ends at `at`.
///
/// # Errors
/// If it became shorter. Files of the kernel may end before the size that they state; that is not an error.
pub(super) fn check_end(file: &File, at: u64, size: u64) -> Result<(), InputError> {
    if at < size && file.metadata()?.len() < size {
        Err(InputError::Shrunk)
    } else {
        Ok(())
    }
}

/// Whether `path`, `-` for standard input, is a pipe or socket, so that another program writes the bytes that are read.
pub fn is_pipe(path: &Path) -> bool {
    let status = if path.as_os_str() == "-" {
        FileStatus::of_stdin()
    } else {
        FileStatus::at(path)
    };
    status.is_ok_and(|at| at.is_pipe())
}

/// A file that is read at offsets.
pub trait ReadAt: Send + Sync {
    /// Reads bytes at the offset `at`. Returns 0 only at the end, or if `into` is empty. An interrupted read is repeated.
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize>;
}

impl ReadAt for File {
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        read_at(self, into, at)
    }
}

/// Bytes in memory. The position of the cursor does not matter.
impl ReadAt for Cursor<Vec<u8>> {
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        let bytes = self.get_ref().get(start..).unwrap_or_default();
        let length = into.len().min(bytes.len());
        into[..length].copy_from_slice(&bytes[..length]);
        Ok(length)
    }
}

/// Reads bytes at the offset `at`. An interrupted read is repeated.
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match doisift_system::read_at(file, into, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
