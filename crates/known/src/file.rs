//! Reads parts of a file at offsets, from any number of threads.

use std::fs::File;
use std::io;

/// Fills `buffer` from the bytes at `offset`.
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The bytes of an index: a file, or memory.
#[derive(Debug)]
pub(crate) enum IndexBytes {
    File(File, u64),
    Memory(Vec<u8>),
}

impl IndexBytes {
    pub(crate) fn open(path: &std::path::Path) -> io::Result<Self> {
        // A stream has no length and cannot be read at an offset, and a pipe would wait for its writer.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        IndexBytes::of_file(File::open(path)?)
    }

    pub(crate) fn of_file(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(IndexBytes::File(file, length))
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            IndexBytes::File(_, length) => *length,
            IndexBytes::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Reads `length` bytes at `offset`. Allocates at most as many bytes as the file has.
    pub(crate) fn read(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let end = offset.checked_add(length).filter(|&end| end <= self.len());
        let size = usize::try_from(length).ok().filter(|_| end.is_some());
        let size = size.ok_or(io::ErrorKind::UnexpectedEof)?;
        match self {
            IndexBytes::File(file, _) => {
                let mut bytes = vec![0; size];
                read_exact_at(file, &mut bytes, offset)?;
                Ok(bytes)
            }
            IndexBytes::Memory(bytes) => {
                let start = offset as usize;
                Ok(bytes[start..start + size].to_vec())
            }
        }
    }
}
