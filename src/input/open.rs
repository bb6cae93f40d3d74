//! Opens a source.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use super::codec::{self, MAGIC};
use super::container::Container;
use super::fault::{InputError, Packing};
use super::find::{Kind, Source};
use super::raw::Raw;

/// Most bytes that are read at once before they are unpacked.
const READ: usize = 128 << 10;

/// What reading a source leaves behind outside it.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'r> {
    /// Bytes read so far, before unpacking.
    pub(crate) bytes: &'r AtomicU64,
    /// Device and inode of files that must not be read: the outputs of this run.
    pub(crate) own: &'r [(u64, u64)],
}

impl Seen<'_> {
    /// Whether `metadata` is that of an output of this run.
    pub(crate) fn is_own(&self, metadata: &Metadata) -> bool {
        !self.own.is_empty() && file_id(metadata).is_some_and(|id| self.own.contains(&id))
    }
}

/// Opens a source and looks at its first bytes. None for an output of this run, which is not read.
///
/// # Errors
/// If it cannot be opened or read, or is packed in a way that cannot be undone.
pub(crate) fn open<'r>(
    source: &Source,
    seen: Seen<'r>,
) -> Result<Option<Container<'r>>, InputError> {
    let file = match source.kind {
        Kind::File | Kind::Stream => File::open(&source.path)?,
        Kind::Stdin => stdin()?,
    };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    if metadata.is_file() && seen.is_own(&metadata) {
        return Ok(None);
    }
    let raw = Raw::new(Counted {
        file,
        bytes: seen.bytes,
    });
    let capacity = if metadata.is_file() {
        READ.min(metadata.len() as usize)
    } else {
        READ
    };
    let (bytes, packing) = codec::unpack(raw, capacity)?;
    log_packing(source, packing);
    Ok(Some(Container::whole(bytes)))
}

fn log_packing(source: &Source, packing: Option<Packing>) {
    if let Some(packing) = packing {
        log::debug!("{}: {packing}", super::display_name(&source.path));
    }
}

/// The packing of a regular file, told without moving its position.
pub(crate) fn sniff(file: &File) -> io::Result<Option<Packing>> {
    let mut head = [0; MAGIC];
    let mut section = Section::new(file, 0, MAGIC as u64);
    let mut held = 0;
    loop {
        match section.read(&mut head[held..]) {
            Ok(0) => break,
            Ok(read) => held += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A file shorter than any magic.
            Err(error) if error.raw_os_error().is_none() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(codec::packing(&head[..held]))
}

/// A part of a regular file, read at its offsets, so that many threads can share the file.
pub(crate) struct Section<'f> {
    file: &'f File,
    at: u64,
    end: u64,
}

impl<'f> Section<'f> {
    /// The bytes from `at` to `end`, which the file should have.
    pub(crate) fn new(file: &'f File, at: u64, end: u64) -> Self {
        Section { file, at, end }
    }
}

impl Read for Section<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let most = into.len().min(left);
        if most == 0 {
            return Ok(0);
        }
        let read = read_at(self.file, &mut into[..most], self.at)?;
        if read == 0 {
            return Err(InputError::Shrunk.into());
        }
        self.at += read as u64;
        Ok(read)
    }
}

/// Counts what is read.
struct Counted<'r> {
    file: File,
    bytes: &'r AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(into)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    // A copy of the descriptor, so that no lock or second buffer stands between.
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}

#[cfg(unix)]
fn file_id(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Metadata) -> Option<(u64, u64)> {
    None
}
