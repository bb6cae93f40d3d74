//! Reads parts of files at offsets, and standard input as a file.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use doisift_system::FileStatus;

use super::fault::InputError;
use super::read::{ReadAt, ReadBytes};
use super::remote::RemoteBytes;

/// A file of this machine or an object of a service, which is read at offsets. Clones are the same file.
#[derive(Clone)]
pub struct SourceFile(Content);

#[derive(Clone)]
enum Content {
    Local(Arc<File>),
    Remote(Arc<dyn RemoteBytes>),
}

impl From<File> for SourceFile {
    fn from(file: File) -> Self {
        SourceFile(Content::Local(Arc::new(file)))
    }
}

impl From<Arc<dyn RemoteBytes>> for SourceFile {
    fn from(object: Arc<dyn RemoteBytes>) -> Self {
        SourceFile(Content::Remote(object))
    }
}

impl SourceFile {
    /// Returns the size in bytes, as it is now for a file, and as it was when it was opened for an object.
    pub fn length(&self) -> io::Result<u64> {
        match &self.0 {
            Content::Local(file) => Ok(file.metadata()?.len()),
            Content::Remote(object) => Ok(object.length()),
        }
    }

    /// Returns a reader of all bytes in order. Those of an object are fetched ahead. A file is read from its position.
    pub fn reader(&self) -> Box<dyn Read + Send> {
        match &self.0 {
            Content::Local(file) => Box::new(Arc::clone(file)),
            Content::Remote(object) => object.section(0..object.length()),
        }
    }

    /// Returns the number of its clones.
    #[cfg(test)]
    pub(super) fn handles(&self) -> usize {
        match &self.0 {
            Content::Local(file) => Arc::strong_count(file),
            Content::Remote(object) => Arc::strong_count(object),
        }
    }

    /// Returns the file, if it is one of this machine.
    pub fn local(&self) -> Option<&File> {
        match &self.0 {
            Content::Local(file) => Some(file),
            Content::Remote(_) => None,
        }
    }
}

/// A part of a file, so that several threads can share the file. The bytes of an object are fetched ahead.
pub struct FileSection<'f> {
    file: &'f SourceFile,
    at: u64,
    end: u64,
    /// The bytes of an object from `at` on.
    ahead: Option<Box<dyn Read + Send>>,
}

impl<'f> FileSection<'f> {
    /// Reads the bytes from `at` to `end`, which the file should have.
    pub fn new(file: &'f SourceFile, at: u64, end: u64) -> Self {
        FileSection {
            file,
            at,
            end,
            ahead: None,
        }
    }

    fn read_some(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &self.file.0 {
            Content::Local(file) => read_local(file, into, self.at),
            Content::Remote(object) => {
                let section = || object.section(self.at..self.end);
                self.ahead.get_or_insert_with(section).read(into)
            }
        }
    }
}

impl ReadBytes for FileSection<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let max = into.len().min(left);
        if max == 0 {
            return Ok(0);
        }
        let read = self.read_some(&mut into[..max])?;
        if read == 0 {
            return Err(InputError::Shrunk);
        }
        self.at += read as u64;
        Ok(read)
    }
}

/// Reads a file from a position of its own.
pub(super) struct FileCursor<'f> {
    file: &'f SourceFile,
    at: u64,
}

impl<'f> FileCursor<'f> {
    pub(super) fn new(file: &'f SourceFile) -> Self {
        FileCursor { file, at: 0 }
    }
}

impl Read for FileCursor<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for FileCursor<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = sought(to, self.at, self.file.length()?)?;
        Ok(self.at)
    }
}

/// Returns the position after a seek from `at` in `length` bytes.
///
/// # Errors
/// If it is before the first byte.
pub(super) fn sought(to: SeekFrom, at: u64, length: u64) -> io::Result<u64> {
    let at = match to {
        SeekFrom::Start(at) => Some(at),
        SeekFrom::End(back) => length.checked_add_signed(back),
        SeekFrom::Current(on) => at.checked_add_signed(on),
    };
    Ok(at.ok_or(io::ErrorKind::InvalidInput)?)
}

/// Checks that a file that had `size` bytes when it was opened ends at `at`.
///
/// # Errors
/// If it became shorter. Files of the kernel may end before the size that they state; that is not an error.
pub(super) fn check_end(file: &SourceFile, at: u64, size: u64) -> Result<(), InputError> {
    if at < size && file.length()? < size {
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

impl ReadAt for File {
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        read_local(self, into, at)
    }
}

impl ReadAt for SourceFile {
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        match &self.0 {
            Content::Local(file) => read_local(file, into, at),
            Content::Remote(object) => object.read_at(into, at),
        }
    }

    fn expect(&self, range: Range<u64>) {
        if let Content::Remote(object) = &self.0 {
            object.expect(range);
        }
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
fn read_local(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match doisift_system::read_at(file, into, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
