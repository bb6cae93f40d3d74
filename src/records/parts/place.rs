//! Where the parts of an output are: in a folder of this machine, or in a store, as objects whose names start with an address.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use doisift_documents::RemoteSource;
use doisift_system::{sync_file, sync_folder};

use super::folder::{FolderFault, fault};
use super::log::LoggedPart;
use crate::objects::{ObjectServices, OutputObject, Services};
use crate::records::output::Output;
use crate::temporary;

/// Threads that sync parts.
const SYNC_THREADS: usize = 8;

/// The place of the parts of an output.
pub(crate) struct PartPlace {
    /// The folder, or the address, which ends with `/` and has no secrets.
    path: PathBuf,
    /// The services, if it is an address.
    services: Services,
}

impl PartPlace {
    /// Returns the place that `path` names. Nothing is asked yet.
    ///
    /// # Errors
    /// If it is an address that is not valid.
    pub(crate) fn of(path: &Path, services: &Services) -> io::Result<Self> {
        let object = OutputObject::at(path, services)?;
        Ok(match object {
            Some(object) => PartPlace {
                path: object.name.into(),
                services: Some(object.services),
            },
            None => PartPlace {
                path: path.to_owned(),
                services: None,
            },
        })
    }

    /// Returns the address, if it is one.
    pub(crate) fn object_name(&self) -> Option<&str> {
        self.services.as_ref().and_then(|_| self.path.to_str())
    }

    /// Whether there are no files, except temporary ones.
    pub(crate) fn is_free(&self) -> bool {
        match self.names() {
            Ok(names) => names.iter().all(|name| temporary::is_temporary(name)),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Whether there is a file of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        match &self.services {
            Some(_) => self.names().is_ok_and(|names| names.contains(&name.into())),
            None => fs::symlink_metadata(self.file(name)).is_ok_and(|at| at.is_file()),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path or address of a file.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Creates the folder, if it does not exist. Returns whether it was created. A store has no folders.
    pub(super) fn make(&self) -> io::Result<bool> {
        if self.services.is_some() {
            return Ok(false);
        }
        match fs::create_dir(&self.path) {
            Ok(()) => Ok(true),
            Err(_) if self.path.is_dir() => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(fault(FolderFault::File))
            }
            Err(error) => Err(error),
        }
    }

    /// Removes the folder, if it is empty.
    pub(super) fn unmake(&self) {
        if self.services.is_none() {
            // This fails if there are other files, which must stay.
            let _ = fs::remove_dir(&self.path);
        }
    }

    /// Returns the names of the files.
    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        let Some((services, prefix)) = self.objects() else {
            let entries = fs::read_dir(&self.path)?;
            return entries.map(|entry| Ok(entry?.file_name())).collect();
        };
        let mut names = Vec::new();
        let listed = services.list(prefix, &mut |name| {
            names.push(name.strip_prefix(prefix).unwrap_or(name).into());
            true
        });
        listed.map_err(io::Error::other)?;
        Ok(names)
    }

    /// Creates a part of this name, which appears when it is committed.
    pub(super) fn create_part(&self, name: &str, mark: Option<&str>) -> io::Result<Output> {
        Output::create_part(&self.file(name), mark, &self.services)
    }

    /// Creates an empty file.
    pub(super) fn create_empty(&self, name: &str) -> io::Result<()> {
        match self.objects() {
            Some((services, prefix)) => {
                let mut empty = services.create(&format!("{prefix}{name}"))?;
                empty.finish()?;
                empty.commit()
            }
            None => File::create(self.file(name)).map(drop),
        }
    }

    /// Removes a file, if it exists.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        match self.objects() {
            Some((services, prefix)) => services.remove(&format!("{prefix}{name}")),
            None => match fs::remove_file(self.file(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// Returns a number that changes when a part does, if the parts are objects.
    pub(super) fn stamp(&self, name: &str) -> io::Result<Option<u64>> {
        let stamp = self
            .objects()
            .map(|(services, prefix)| services.stamp(&format!("{prefix}{name}")));
        stamp.transpose().map_err(io::Error::other)
    }

    /// Whether a part, which exists, is as the run wrote it. Reads a file; an object that has its stamp is not read.
    pub(super) fn is_whole(&self, part: &LoggedPart) -> io::Result<bool> {
        let entry = &part.entry;
        match part.stamp {
            Some(stamp) => Ok(self.stamp(&entry.name)? == Some(stamp)),
            None => match self.objects() {
                Some((services, prefix)) => {
                    let object = services.open(&format!("{prefix}{}", entry.name));
                    match object.map_err(io::Error::other)? {
                        RemoteSource::Object(object) => entry.has_bytes_of(&object.into()),
                        RemoteSource::Stream(..) => Ok(false),
                    }
                }
                None => entry.is_whole(&self.path),
            },
        }
    }

    /// Syncs parts to disk. An object is safe when it appears.
    pub(super) fn sync(&self, parts: &[LoggedPart]) -> io::Result<()> {
        if self.services.is_some() {
            return Ok(());
        }
        let sync = |part: &LoggedPart| sync_file(&self.file(&part.entry.name));
        // A file system writes several small files at once about as fast as one.
        thread::scope(|scope| {
            let some = parts.chunks(parts.len().div_ceil(SYNC_THREADS).max(1));
            let started = some.map(|some| scope.spawn(move || some.iter().try_for_each(sync)));
            let started: Vec<_> = started.collect();
            started.into_iter().try_for_each(|thread| {
                let panic = |panic| resume_unwind(panic);
                thread.join().unwrap_or_else(panic)
            })
        })
    }

    /// Syncs the names of files to disk.
    pub(super) fn sync_names(&self) -> io::Result<()> {
        match self.services {
            Some(_) => Ok(()),
            None => sync_folder(&self.path),
        }
    }

    fn objects(&self) -> Option<(&Arc<dyn ObjectServices>, &str)> {
        Some((self.services.as_ref()?, self.path.to_str()?))
    }
}
