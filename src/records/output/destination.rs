//! What an output leads to, known before it is opened.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::{FileId, Place, file_id, folder, or_stdout, stdout_metadata};

/// The file or stream that an output writes or replaces.
pub(crate) struct Destination {
    /// As typed, or "standard output".
    path: PathBuf,
    stdout: bool,
    /// Device and inode of a file, FIFO or socket that is there. A device has none: many may use it at a time.
    id: Option<FileId>,
    /// The path without links of a regular file, there or not. None if it is not known.
    resolved: Option<PathBuf>,
    /// It is replaced when the output is whole, and not written straight.
    replaced: bool,
    /// It holds no byte.
    empty: bool,
    /// How many names the file has.
    names: u64,
}

impl Destination {
    /// What an output at `path`, or standard output, leads to.
    ///
    /// # Errors
    /// If it is a folder, or cannot be looked at.
    pub(crate) fn of(path: Option<&Path>) -> io::Result<Destination> {
        let destination = path.map_or_else(|| Ok(Destination::stdout(None)), Destination::named);
        destination.map_err(|error| super::at(or_stdout(path), error))
    }

    fn named(path: &Path) -> io::Result<Destination> {
        Ok(match Place::of(path)? {
            Place::Descriptor(1) => Destination::stdout(Some(path).filter(|path| !is_dash(path))),
            Place::Descriptor(_) | Place::Special(_) => Destination {
                resolved: fs::canonicalize(path).ok(),
                ..Destination::straight(path, fs::metadata(path).ok())
            },
            Place::Regular(resolved) => Destination {
                resolved: canonical(&resolved),
                replaced: true,
                ..Destination::straight(path, fs::metadata(&resolved).ok())
            },
        })
    }

    fn stdout(path: Option<&Path>) -> Destination {
        Destination {
            stdout: true,
            resolved: fs::canonicalize("/dev/stdout").ok(),
            ..Destination::straight(or_stdout(path), stdout_metadata())
        }
    }

    /// One that is written as it is, if it is there.
    fn straight(path: &Path, there: Option<Metadata>) -> Destination {
        let there = there.filter(has_one_writer);
        Destination {
            path: path.to_owned(),
            stdout: false,
            id: there.as_ref().map(file_id),
            resolved: None,
            replaced: false,
            empty: there.as_ref().is_none_or(|there| there.len() == 0),
            names: there.as_ref().map_or(0, names),
        }
    }

    /// As typed, or "standard output".
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is a file, FIFO or socket already.
    pub(crate) fn is_there(&self) -> bool {
        self.names > 0
    }

    /// Device and inode, if there is something to compare them with.
    pub(crate) fn id(&self) -> Option<FileId> {
        self.id
    }

    /// Whether the file takes its content when the output is whole, so that it can be read until then.
    pub(crate) fn is_replaced(&self) -> bool {
        self.replaced
    }

    /// Whether nothing is lost if it is not read: there is no file, or it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.empty
    }

    /// Whether both are one file or one stream.
    pub(crate) fn is_same(&self, other: &Destination) -> bool {
        let new = self.replaced && other.replaced;
        (self.stdout && other.stdout)
            || (self.id.is_some() && self.id == other.id)
            || (new && self.resolved.is_some() && self.resolved == other.resolved)
    }

    /// Whether an input with this metadata is this file. Devices and pipes never are.
    pub(crate) fn is_file(&self, metadata: &Metadata) -> bool {
        metadata.is_file() && self.id == Some(file_id(metadata))
    }

    /// Whether a file of this path may be this one. A cheap test that is wrong only by saying yes too often.
    pub(crate) fn may_be(&self, path: &Path) -> bool {
        match (&self.resolved, self.names) {
            (Some(resolved), 0 | 1) => resolved.file_name() == path.file_name(),
            _ => true,
        }
    }
}

/// Whether `path` is the dash that names standard input or output.
fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether two outputs cannot share it: their bytes would be mixed, or those of one lost. A device can be shared.
fn has_one_writer(there: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = there.file_type();
    kind.is_file() || kind.is_fifo() || kind.is_socket()
}

fn names(there: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(there)
}

/// The path of a file, there or not, with no link or dot in that of its folder.
fn canonical(path: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder(path)).ok()?;
    Some(folder.join(path.file_name()?))
}
