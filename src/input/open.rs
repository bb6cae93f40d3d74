//! Opens a source.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::attached;
use super::claim::Claims;
use super::codec::{Fused, Unpackers};
use super::expansion::Expansion;
use super::fault::InputError;
use super::magic::{self, Content};
use super::sources::{Kind, Source};
use super::walk::{Documents, Level, Walk};

/// Bytes that are read of a file to see whether it is text; a smaller one is read no second time.
const START: usize = 4 << 10;

/// Limits that keep a crafted source from taking more than it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(crate) struct Limits {
    /// Containers, and packings of packings, within one another.
    pub(crate) depth: usize,
    /// Members of one source, those of its members too.
    pub(crate) members: u64,
    /// Unpacked bytes for each packed one, once many were unpacked.
    pub(crate) expansion: u64,
    /// Bytes of history that a packing may want at hand.
    pub(crate) window: u64,
}

/// How sources are opened, and what reading them leaves behind outside them.
#[derive(Clone, Copy)]
pub(crate) struct Opening<'r> {
    /// Bytes read so far, before unpacking.
    pub(crate) bytes: &'r AtomicU64,
    /// Bytes of sources that need not be read.
    pub(crate) passed: &'r AtomicU64,
    /// Device and inode of files that this run made and that are no sources.
    pub(crate) own: &'r [(u64, u64)],
    /// Device and inode of files that an output would overwrite.
    pub(crate) outputs: &'r [(u64, u64)],
    pub(crate) limits: Limits,
    /// Folder for what must be copied to be read.
    pub(crate) tmp: &'r Path,
    /// Threads that may unpack sources; without any, that is done by those who read.
    pub(crate) unpackers: Option<&'r Unpackers>,
}

impl<'r> Opening<'r> {
    #[cfg(test)]
    pub(crate) fn for_tests(bytes: &'r AtomicU64) -> Self {
        Opening {
            bytes,
            passed: bytes,
            own: &[],
            outputs: &[],
            limits: Limits {
                depth: 3,
                members: 1000,
                expansion: 1000,
                window: 128 << 20,
            },
            tmp: Path::new("/tmp"),
            unpackers: None,
        }
    }

    /// Whether `metadata` is that of a file which this run made.
    ///
    /// # Errors
    /// If it is that of a file which an output would overwrite.
    pub(crate) fn is_own(&self, metadata: &Metadata) -> Result<bool, InputError> {
        if !metadata.is_file() || self.own.is_empty() && self.outputs.is_empty() {
            return Ok(false);
        }
        let Some(id) = file_id(metadata) else {
            return Ok(false);
        };
        match self.outputs.contains(&id) {
            true => Err(InputError::Output),
            false => Ok(self.own.contains(&id)),
        }
    }

    /// Opens a source and hands out its documents. False for a file that this run made, which is not read.
    ///
    /// # Errors
    /// If it cannot be opened, or an output would overwrite it. What is wrong further on goes to `documents`.
    pub(crate) fn read(
        &self,
        source: &Source,
        documents: &mut dyn Documents,
    ) -> Result<bool, InputError> {
        let file = match source.kind {
            Kind::File | Kind::Stream => File::open(&source.path)?,
            Kind::Stdin => stdin()?,
        };
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        if self.is_own(&metadata)? {
            return Ok(false);
        }
        let size = if metadata.is_file() {
            metadata.len()
        } else {
            0
        };
        let expansion = Expansion::new(self.limits.expansion, size);
        let mut counted = Fused::new(Counted {
            file: &file,
            size,
            read: 0,
            bytes: self.bytes,
            expansion: &expansion,
        });
        let level = match source.kind {
            Kind::File => Level::file(&file, size, &source.path),
            Kind::Stream | Kind::Stdin => Level::source(None),
        };
        let level = level.named(Claims::of(&source.path));
        let mut walk = Walk::new(self, &expansion, documents);
        walk.stream(&level, &mut counted);
        let cut = walk.cut;
        if cut > 0 {
            documents.cut(cut);
        }
        Ok(true)
    }
}

/// The start of a regular file of `length` bytes, if it is plain text as it is, read without moving its position.
pub(crate) fn text_start(file: &File, length: u64, path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut start = [0; START];
    let most = length.min(START as u64);
    let mut section = Section::new(file, 0, most);
    let mut held = 0;
    while held < most as usize {
        match section.read(&mut start[held..]) {
            Ok(read) => held += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The file became shorter: whoever reads it all reports that.
            Err(error) if error.raw_os_error().is_none() => break,
            Err(error) => return Err(error),
        }
    }
    let start = &start[..held];
    let is_text = attached::recognise(file, length, start) == Content::Text;
    let head = &start[..held.min(magic::LENGTH)];
    let is_part = attached::is_part_name(path) && magic::is_noise(head);
    Ok((is_text && !is_part).then(|| head.to_vec()))
}

/// The encoding of a text that starts with `head` and lacks its byte order mark.
pub(crate) fn unmarked_encoding(head: &[u8]) -> Option<&'static str> {
    magic::unmarked(head)
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

/// Takes it that a file of `size` bytes, as it was opened, ends at `at`.
///
/// # Errors
/// If it was cut off meanwhile. Files of the kernel may end before the size that they state, which is no error.
pub(super) fn check_end(file: &File, at: u64, size: u64) -> io::Result<()> {
    match at < size && file.metadata()?.len() < size {
        true => Err(InputError::Shrunk.into()),
        false => Ok(()),
    }
}

/// Counts what is read. Reports a file that became shorter meanwhile.
struct Counted<'r> {
    file: &'r File,
    /// What it had when it was opened, if it is a regular file.
    size: u64,
    read: u64,
    bytes: &'r AtomicU64,
    expansion: &'r Expansion,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(into)?;
        self.read += read as u64;
        if read == 0 && !into.is_empty() {
            check_end(self.file, self.read, self.size)?;
        }
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        self.expansion.add_read(read as u64);
        Ok(read)
    }
}

/// What standard input is.
pub(crate) fn stdin_metadata() -> io::Result<Metadata> {
    stdin()?.metadata()
}

/// Whether `path`, `-` for standard input, is a pipe or socket, so that another program writes what is read from it.
#[cfg(unix)]
pub(crate) fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let metadata = match path.as_os_str() == "-" {
        true => stdin_metadata(),
        false => std::fs::metadata(path),
    };
    let kind = metadata.map(|at| at.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}

#[cfg(not(unix))]
pub(crate) fn is_pipe(path: &Path) -> bool {
    path.as_os_str() == "-" && stdin_metadata().is_ok_and(|at| !at.is_file())
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
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
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
