//! The folder of an output in parts: checks its files, and creates and renames parts.
//!
//! Replaces only files that this run, or the run that it resumes, has written.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use doisift_documents::printable;
use doisift_system::{sync_file, sync_folder};

use super::log::PartLog;
use super::read::foreign_part;
use super::{MANIFEST, PartEntry, PartPlan, PartsDone, SUCCESS, is_part, may_be_of_folder};
use crate::temporary;

/// Threads that sync parts.
const SYNC_THREADS: usize = 8;

/// Fate of the parts if a run does not end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum PartKeep {
    /// The parts are removed.
    #[default]
    Nothing,
    /// The parts stay, since a later run can resume. The log lists them.
    Logged {
        log: PathBuf,
        /// Whether an earlier run began the folder, so that it may have parts that the log lists.
        begun: bool,
    },
}

/// A folder of parts that a run writes.
///
/// Dropping it removes the parts, and the folder if the run made it, unless the output is complete or can be resumed.
pub(crate) struct PartFolder {
    pub(in crate::records) path: PathBuf,
    pub(in crate::records) plan: PartPlan,
    /// Part of the temporary names, if there is a checkpoint.
    pub(in crate::records) mark: Option<String>,
    made: bool,
    /// The log, if a later run can resume.
    log: Option<PartLog>,
    has_manifest: bool,
    is_complete: bool,
    /// Takes the paths of files to remove if the process exits.
    pub(in crate::records) note: Box<dyn Fn(&Path) + Send>,
    /// The complete parts.
    pub(in crate::records) parts: Vec<PartEntry>,
    /// Number of the first parts that are synced to disk.
    synced: usize,
    pub(in crate::records) done: PartsDone,
}

/// Reason why parts cannot be written to a folder.
#[derive(Debug, thiserror::Error)]
enum FolderFault {
    #[error("not a folder; name another output, or leave out the / at the end to write a file")]
    File,
    #[error(
        "it contains a complete output; remove it first (rm -r {}), or name another folder",
        printable::path(.0)
    )]
    Complete(PathBuf),
    #[error(
        "it contains files, such as {}; name a new or empty folder, or resume the run that wrote them with its --checkpoint",
        printable::path(Path::new(.0))
    )]
    Filled(OsString),
    #[error("another run is writing to it; wait for its end, or name another folder")]
    InUse,
    #[error(
        "{0} is missing, or its size or checksum has changed; remove the folder and the checkpoint to start again"
    )]
    Changed(String),
    #[error(
        "{0} has changed since the interrupted run wrote it, and would be overwritten; move it away, and run the command again"
    )]
    Altered(String),
    #[error(
        "{} is not a part of this run, but programs that read the folder would take it for one; move it away, and run the command again",
        printable::path(Path::new(.0))
    )]
    Foreign(OsString),
    #[error(
        "the sources gave fewer rows than the parts of the interrupted run have; remove the folder and the checkpoint to start again"
    )]
    Fewer,
}

impl PartFolder {
    /// Opens the folder at `path`, or creates it.
    ///
    /// # Errors
    /// If it has files that do not belong to the run that this one resumes, or cannot be created.
    pub(crate) fn create(
        path: &Path,
        plan: PartPlan,
        mark: Option<&str>,
        keep: PartKeep,
        note: Box<dyn Fn(&Path) + Send>,
    ) -> io::Result<Self> {
        let made = match fs::create_dir(path) {
            Ok(()) => true,
            Err(_) if path.is_dir() => false,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(fault(FolderFault::File));
            }
            Err(error) => return Err(error),
        };
        let (log, begun) = match keep {
            PartKeep::Nothing => (None, false),
            PartKeep::Logged { log, begun } => (Some(PartLog::open(&log)?), begun),
        };
        if made && log.is_none() {
            note(path);
        }
        temporary::sweep(path);
        check(path, log.as_ref().filter(|_| begun))?;
        Ok(PartFolder {
            path: path.to_owned(),
            plan,
            mark: mark.map(str::to_owned),
            made,
            log,
            has_manifest: false,
            is_complete: false,
            note,
            parts: Vec::new(),
            synced: 0,
            done: PartsDone::default(),
        })
    }

    /// Continues after the parts of an earlier run. Reads them to compare their checksums.
    ///
    /// # Errors
    /// If a part is missing or was changed.
    pub(crate) fn resume(&mut self, done: PartsDone) -> io::Result<()> {
        let listed = self.log.iter().flat_map(PartLog::listed);
        self.parts = listed.take(done.parts).cloned().collect();
        for part in &self.parts {
            if !part.is_whole(&self.path)? {
                return Err(fault(FolderFault::Changed(part.name.clone())));
            }
        }
        if self.parts.len() < done.parts {
            return Err(fault(FolderFault::Changed(
                self.plan.name(self.parts.len()),
            )));
        }
        self.synced = self.parts.len();
        self.done = done;
        Ok(())
    }

    /// Removes the parts of an earlier run after those from which this run continues. They are written again.
    ///
    /// # Errors
    /// If a part was changed.
    pub(in crate::records) fn begin(&mut self) -> io::Result<()> {
        let Some(log) = &mut self.log else {
            return Ok(());
        };
        remove(&self.path.join(SUCCESS))?;
        for part in log.listed().skip(self.parts.len()) {
            let path = self.path.join(&part.name);
            if path.symlink_metadata().is_ok() && !part.is_whole(&self.path)? {
                return Err(fault(FolderFault::Altered(part.name.clone())));
            }
            remove(&path)?;
        }
        log.truncate(self.parts.len())
    }

    /// Adds a part to the log. Returns false if the folder has no log.
    pub(in crate::records) fn log_part(&mut self, part: &PartEntry) -> io::Result<bool> {
        let added = self.log.as_mut().map(|log| log.add(part)).transpose();
        added.map(|added| added.is_some())
    }

    /// Returns the path of the manifest.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    /// Syncs the parts and their log to disk, if a later run can resume.
    pub(in crate::records) fn sync(&mut self) -> io::Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let parts = &self.parts[self.synced..];
        let sync = |part: &PartEntry| sync_file(&self.path.join(&part.name));
        // A file system writes several small files at once about as fast as one.
        thread::scope(|scope| {
            let some = parts.chunks(parts.len().div_ceil(SYNC_THREADS).max(1));
            let started = some.map(|some| scope.spawn(move || some.iter().try_for_each(sync)));
            let started: Vec<_> = started.collect();
            started.into_iter().try_for_each(|thread| {
                let panic = |panic| resume_unwind(panic);
                thread.join().unwrap_or_else(panic)
            })
        })?;
        log.sync()?;
        sync_folder(&self.path)?;
        self.synced = self.parts.len();
        Ok(())
    }

    /// Returns the error that the run gave fewer rows than the parts of an earlier run have.
    pub(in crate::records) fn fewer_rows(&self) -> io::Error {
        fault(FolderFault::Fewer)
    }

    /// Writes the file that marks the output as complete. The manifest must already have its name.
    ///
    /// # Errors
    /// If there are parts that the run did not write.
    pub(crate) fn complete(mut self) -> io::Result<()> {
        self.has_manifest = true;
        self.sync()?;
        if let Some(foreign) = foreign_part(&self.path, self.parts.iter())? {
            return Err(fault(FolderFault::Foreign(foreign)));
        }
        File::create(self.path.join(SUCCESS))?;
        self.is_complete = true;
        match self.log {
            None => Ok(()),
            Some(_) => sync_folder(&self.path),
        }
    }
}

impl Drop for PartFolder {
    fn drop(&mut self) {
        if self.is_complete || self.log.is_some() {
            return;
        }
        for part in &self.parts {
            let _ = fs::remove_file(self.path.join(&part.name));
        }
        if self.has_manifest {
            let _ = fs::remove_file(self.manifest());
        }
        if self.made {
            // This fails if there are other files, which must stay.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Refuses files that belong neither to the run nor to an earlier one with this `log`.
fn check(path: &Path, log: Option<&PartLog>) -> io::Result<()> {
    let listed = log.iter().flat_map(|log| log.listed());
    let listed: BTreeSet<_> = listed.map(|part| OsStr::new(&*part.name)).collect();
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if temporary::is_temporary(&name) {
            return Err(fault(FolderFault::InUse));
        }
        match log {
            Some(_) if is_part(&name) && !listed.contains(&*name) => {
                return Err(fault(FolderFault::Foreign(name)));
            }
            Some(_) if may_be_of_folder(&name) => {}
            _ if path.join(SUCCESS).exists() => {
                return Err(fault(FolderFault::Complete(path.to_owned())));
            }
            _ => return Err(fault(FolderFault::Filled(name))),
        }
    }
    Ok(())
}

/// Removes a file if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether there is no file at `path`, or an empty folder.
pub(crate) fn is_free(path: &Path) -> bool {
    match fs::read_dir(path) {
        Ok(entries) => entries
            .flatten()
            .all(|entry| temporary::is_temporary(&entry.file_name())),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

fn fault(fault: FolderFault) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, fault)
}
