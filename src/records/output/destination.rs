//! The file or stream that an output leads to, examined before it is opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use doisift_system::FileStatus;

use crate::objects::Services;
use crate::records::parts::{MANIFEST, PartPlace};

use super::{FileId, OutputPlace, folder, or_stdout};

/// The file or stream that an output writes or replaces.
pub(crate) struct Destination {
    /// The path as typed, or "standard output".
    path: PathBuf,
    stdout: bool,
    /// Id of an existing file, FIFO or socket. `None` for a device, which several programs may use at a time.
    id: Option<FileId>,
    /// The canonical path of a regular file, which may not exist yet, or the name of an object. `None` if unknown.
    resolved: Option<PathBuf>,
    /// Whether the file is replaced when the output is complete, not written directly.
    replaced: bool,
    /// Whether the file is empty.
    empty: bool,
    /// Number of names (hard links) of the file; 0 if it does not exist.
    names: u64,
    /// Whether it is an object of a store, or a folder of them.
    is_object: bool,
}

impl Destination {
    /// Examines the destination of an output at `path`, or of standard output.
    ///
    /// # Errors
    /// If it is a folder, or its metadata cannot be read.
    pub(crate) fn of(path: Option<&Path>, services: &Services) -> io::Result<Destination> {
        let destination = match path {
            Some(path) => Destination::named(path, services),
            None => Ok(Destination::stdout(None)),
        };
        destination.map_err(|error| super::at(or_stdout(path), error))
    }

    /// Returns the destination of a folder of parts: its manifest.
    ///
    /// # Errors
    /// If its address is not valid.
    pub(crate) fn of_folder(path: &Path, services: &Services) -> io::Result<Destination> {
        let place = PartPlace::of(path, services).map_err(|error| super::at(path, error))?;
        Ok(match place.object_name() {
            Some(name) => Destination::object(path, Path::new(name).join(MANIFEST)),
            None => {
                let resolved = fs::canonicalize(path).ok();
                let resolved = resolved.or_else(|| canonical(path.components().as_path()));
                Destination {
                    resolved: resolved.map(|folder| folder.join(MANIFEST)),
                    replaced: true,
                    ..Destination::direct(path, None)
                }
            }
        })
    }

    /// Whether the path of a part is in the folder.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let folder = self
            .resolved
            .as_deref()
            .filter(|resolved| resolved.ends_with(MANIFEST));
        let folder = folder.and_then(Path::parent);
        if self.is_object {
            return folder.is_some() && path.parent() == folder;
        }
        folder.is_some() && fs::canonicalize(super::folder(path)).ok().as_deref() == folder
    }

    fn named(path: &Path, services: &Services) -> io::Result<Destination> {
        Ok(match OutputPlace::of(path, services)? {
            OutputPlace::Object(object) => Destination::object(path, object.name.into()),
            OutputPlace::Descriptor { is_stdout: true } => {
                Destination::stdout(Some(path).filter(|path| !is_dash(path)))
            }
            OutputPlace::Descriptor { is_stdout: false } | OutputPlace::Special(_) => Destination {
                resolved: fs::canonicalize(path).ok(),
                ..Destination::direct(path, FileStatus::at(path).ok())
            },
            OutputPlace::Regular(resolved) => Destination {
                resolved: canonical(&resolved),
                replaced: true,
                ..Destination::direct(path, FileStatus::at(&resolved).ok())
            },
        })
    }

    fn stdout(path: Option<&Path>) -> Destination {
        Destination {
            stdout: true,
            resolved: fs::canonicalize("/dev/stdout").ok(),
            ..Destination::direct(or_stdout(path), FileStatus::of_stdout().ok())
        }
    }

    /// Returns the destination of an object. Whether there is one is not asked.
    fn object(path: &Path, name: PathBuf) -> Destination {
        Destination {
            resolved: Some(name),
            replaced: true,
            empty: false,
            is_object: true,
            ..Destination::direct(path, None)
        }
    }

    /// Returns a destination that is written directly. `there` is the status of the file if it exists.
    fn direct(path: &Path, there: Option<FileStatus>) -> Destination {
        let there = there.filter(has_one_writer);
        Destination {
            path: path.to_owned(),
            stdout: false,
            id: there.and_then(|there| there.id()),
            resolved: None,
            replaced: false,
            empty: there.is_none_or(|there| there.length() == 0),
            names: there.map_or(0, |there| there.names()),
            is_object: false,
        }
    }

    /// Returns the path as typed, or "standard output".
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is already a file, FIFO or socket.
    pub(crate) fn is_there(&self) -> bool {
        self.names > 0
    }

    /// Whether an input of this name is this object.
    pub(crate) fn is_object_named(&self, name: &Path) -> bool {
        self.is_object && self.resolved.as_deref() == Some(name)
    }

    /// Returns the id of an existing file, FIFO or socket.
    pub(crate) fn id(&self) -> Option<FileId> {
        self.id
    }

    /// Whether the file is replaced when the output is complete, so that it can be read until then.
    pub(crate) fn is_replaced(&self) -> bool {
        self.replaced
    }

    /// Whether there is no file, or it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.empty
    }

    /// Whether both are the same file or stream.
    pub(crate) fn is_same(&self, other: &Destination) -> bool {
        let new = self.replaced && other.replaced;
        (self.stdout && other.stdout)
            || (self.id.is_some() && self.id == other.id)
            || (new && self.resolved.is_some() && self.resolved == other.resolved)
    }

    /// Whether an input with this status is this file. Devices and pipes never are.
    pub(crate) fn is_file(&self, status: &FileStatus) -> bool {
        status.is_file() && status.id().is_some() && self.id == status.id()
    }

    /// Whether a file of this path may be this file. A cheap check with false positives, but no false negatives.
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

/// Whether only one output may write to the file, since bytes of several would be mixed or lost. A device can be shared.
fn has_one_writer(there: &FileStatus) -> bool {
    there.is_file() || there.is_pipe()
}

/// Returns the path of a file, which may not exist, with the canonical path of its folder.
fn canonical(path: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder(path)).ok()?;
    Some(folder.join(path.file_name()?))
}
