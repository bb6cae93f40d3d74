//! The folder of an output in parts: which files it may have, and how a part gets its name.
//!
//! No file is replaced that this run, or the run that it resumes, did not write.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use doisift_documents::printable;
use doisift_system::sync_folder;

use super::{MANIFEST, PartEntry, PartPlan, PartsDone, SUCCESS, SourceRows, may_be_of_folder};
use crate::records::output::Output;
use crate::temporary;

/// What becomes of the parts if a run does not end, and whether an earlier run began them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PartKeep {
    /// They are removed.
    #[default]
    Nothing,
    /// They stay, since a later run can resume.
    New,
    /// They stay, and files of such names are of an earlier run, so that they may be replaced.
    Earlier,
}

/// A folder of parts that a run writes.
///
/// Dropping it removes the parts, and the folder if the run made it, unless the output is complete or can be resumed.
pub(crate) struct PartFolder {
    path: PathBuf,
    pub(super) plan: PartPlan,
    /// Part of the temporary names, if there is a checkpoint.
    mark: Option<String>,
    made: bool,
    keep: PartKeep,
    has_manifest: bool,
    is_complete: bool,
    /// Takes the paths of files that are removed if the process exits.
    note: Box<dyn Fn(&Path) + Send>,
    pub(super) done: PartsDone,
}

/// Why no parts can be written to a folder.
#[derive(Debug, thiserror::Error)]
enum FolderFault {
    #[error("it is no folder; name another output, without / at the end for a file")]
    File,
    #[error(
        "it holds a complete output already; remove that first (rm -r {}), or name another folder",
        printable::path(.0)
    )]
    Complete(PathBuf),
    #[error(
        "it holds files already, such as {}; an output in parts needs a folder that is new or empty, or the --checkpoint of the run that began it",
        printable::path(Path::new(.0))
    )]
    Filled(OsString),
    #[error("another run is writing to it")]
    InUse,
    #[error(
        "{0} is missing or has another size than when it was written; remove the folder and the checkpoint to start again"
    )]
    Changed(String),
}

impl PartFolder {
    /// The folder at `path`, which is made if there is none.
    ///
    /// # Errors
    /// If it holds files that are not of the run that this one resumes, or cannot be made.
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
        if made && keep == PartKeep::Nothing {
            note(path);
        }
        check(path, keep)?;
        Ok(PartFolder {
            path: path.to_owned(),
            plan,
            mark: mark.map(str::to_owned),
            made,
            keep,
            has_manifest: false,
            is_complete: false,
            note,
            done: PartsDone {
                parts: Vec::new(),
                text: Some(0),
            },
        })
    }

    /// Goes on after the parts of an earlier run.
    ///
    /// # Errors
    /// If one is missing or has another size.
    pub(crate) fn resume(&mut self, done: PartsDone) -> io::Result<()> {
        for part in &done.parts {
            let at = fs::symlink_metadata(self.path.join(&part.name));
            if !at.is_ok_and(|at| at.is_file() && at.len() == part.bytes) {
                return Err(fault(FolderFault::Changed(part.name.clone())));
            }
        }
        self.done = done;
        Ok(())
    }

    /// The path of the manifest.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    /// Creates the next part under a temporary name.
    pub(super) fn create_part(&self) -> io::Result<Output> {
        let path = self.path.join(self.plan.name(self.done.parts.len()));
        let part = Output::create_part(&path, self.mark.as_deref())?;
        if let Some(temporary) = part.temporary() {
            (self.note)(temporary);
        }
        Ok(part)
    }

    /// Gives a complete part its name.
    pub(super) fn add_part(
        &mut self,
        part: Output,
        rows: u64,
        sources: Vec<SourceRows>,
    ) -> io::Result<()> {
        let name = self.plan.name(self.done.parts.len());
        let whole = part.finish()?;
        let (bytes, xxh3) = whole.sum();
        if self.keep != PartKeep::Nothing {
            whole.sync()?;
            whole.commit()?;
            sync_folder(&self.path)?;
        } else {
            whole.commit_new()?;
            (self.note)(&self.path.join(&name));
        }
        self.done.parts.push(PartEntry {
            name,
            rows,
            bytes,
            xxh3: format!("{xxh3:016x}"),
            sources,
        });
        Ok(())
    }

    /// Writes the file that says that the output is complete. The manifest has its name.
    pub(crate) fn complete(mut self) -> io::Result<()> {
        self.has_manifest = true;
        File::create(self.path.join(SUCCESS))?;
        self.is_complete = true;
        match self.keep {
            PartKeep::Nothing => Ok(()),
            PartKeep::New | PartKeep::Earlier => sync_folder(&self.path),
        }
    }
}

impl Drop for PartFolder {
    fn drop(&mut self) {
        if self.is_complete || self.keep != PartKeep::Nothing {
            return;
        }
        for part in &self.done.parts {
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

/// Refuses files that are not of the run.
fn check(path: &Path, keep: PartKeep) -> io::Result<()> {
    temporary::sweep(path);
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if temporary::is_temporary(&name) {
            return Err(fault(FolderFault::InUse));
        }
        if keep != PartKeep::Earlier || !may_be_of_folder(&name) {
            return Err(fault(match path.join(SUCCESS).exists() {
                true => FolderFault::Complete(path.to_owned()),
                false => FolderFault::Filled(name),
            }));
        }
    }
    Ok(())
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
