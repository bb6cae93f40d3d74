//! The folder of an output in parts: checks its files, and creates and renames parts.
//!
//! Replaces only files that this run, or the run that it resumes, has written.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use doisift_documents::printable;

use super::log::{LoggedPart, PartLog};
use super::place::PartPlace;
use super::read::foreign_part;
use super::{
    MANIFEST, PartEntry, PartPlan, PartsDone, SUCCESS, SourceRows, is_part, may_be_of_folder,
};
use crate::objects::is_address;
use crate::records::output::Output;
use crate::temporary;

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
    place: PartPlace,
    pub(in crate::records) plan: PartPlan,
    /// Part of the temporary names, if there is a checkpoint.
    mark: Option<String>,
    made: bool,
    /// The log, if a later run can resume.
    log: Option<PartLog>,
    has_manifest: bool,
    is_complete: bool,
    /// Takes the paths of files to remove if the process exits.
    note: Box<dyn Fn(&Path) + Send>,
    /// The complete parts.
    parts: Vec<LoggedPart>,
    /// Number of the first parts that are synced to disk.
    synced: usize,
    pub(in crate::records) done: PartsDone,
}

/// Reason why parts cannot be written to a folder.
#[derive(Debug, thiserror::Error)]
pub(super) enum FolderFault {
    #[error("not a folder; name another output, or leave out the / at the end to write a file")]
    File,
    #[error(
        "it contains a complete output; remove it first{}, or name another folder",
        removal(.0)
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
    /// Opens the folder, or creates it.
    ///
    /// # Errors
    /// If it has files that do not belong to the run that this one resumes, or cannot be created.
    pub(crate) fn create(
        place: PartPlace,
        plan: PartPlan,
        mark: Option<&str>,
        keep: PartKeep,
        note: Box<dyn Fn(&Path) + Send>,
    ) -> io::Result<Self> {
        let made = place.make()?;
        let (log, begun) = match keep {
            PartKeep::Nothing => (None, false),
            PartKeep::Logged { log, begun } => (Some(PartLog::open(&log)?), begun),
        };
        if made && log.is_none() {
            note(place.path());
        }
        temporary::sweep(place.path());
        check(&place, log.as_ref().filter(|_| begun))?;
        Ok(PartFolder {
            place,
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
            if !self.place.is_whole(part)? {
                return Err(changed(part));
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
        self.place.remove(SUCCESS)?;
        let there: BTreeSet<_> = self.place.names()?.into_iter().collect();
        for part in log.listed().skip(self.parts.len()) {
            let name = &part.entry.name;
            if there.contains(OsStr::new(name)) && !self.place.is_whole(part)? {
                return Err(fault(FolderFault::Altered(name.clone())));
            }
            self.place.remove(name)?;
        }
        log.truncate(self.parts.len())
    }

    /// Creates the next part, which appears when it is [added](Self::add_part).
    pub(in crate::records) fn create_part(&self) -> io::Result<Output> {
        let name = self.plan.name(self.parts.len());
        let part = self.place.create_part(&name, self.mark.as_deref())?;
        if let Some(temporary) = part.temporary() {
            (self.note)(temporary);
        }
        Ok(part)
    }

    /// Gives a complete part its name.
    pub(in crate::records) fn add_part(
        &mut self,
        part: Output,
        rows: u64,
        sources: Vec<SourceRows>,
    ) -> io::Result<()> {
        let whole = part.finish()?;
        let (bytes, xxh3) = whole.sum();
        let entry = PartEntry {
            name: self.plan.name(self.parts.len()),
            rows,
            bytes,
            xxh3: format!("{xxh3:016x}"),
            sources,
        };
        let mut part = LoggedPart { entry, stamp: None };
        let is_logged = self.log_part(&part)?;
        whole.commit_new()?;
        if !is_logged {
            (self.note)(&self.place.file(&part.entry.name));
        }
        part.stamp = self.place.stamp(&part.entry.name)?;
        if part.stamp.is_some() {
            self.log_part(&part)?;
        }
        self.done.parts += 1;
        self.done.rows += rows;
        self.parts.push(part);
        Ok(())
    }

    /// Adds a line for a part to the log. Returns false if the folder has no log.
    fn log_part(&mut self, part: &LoggedPart) -> io::Result<bool> {
        let added = self.log.as_mut().map(|log| log.add(part)).transpose();
        added.map(|added| added.is_some())
    }

    /// Returns the complete parts.
    pub(in crate::records) fn parts(&self) -> Vec<&PartEntry> {
        self.parts.iter().map(|part| &part.entry).collect()
    }

    /// Returns the path of the manifest.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.place.file(MANIFEST)
    }

    /// Syncs the parts and their log to disk, if a later run can resume.
    pub(in crate::records) fn sync(&mut self) -> io::Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        self.place.sync(&self.parts[self.synced..])?;
        log.sync()?;
        self.place.sync_names()?;
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
    /// If there are parts that the run did not write, or another program wrote an object of one anew.
    pub(crate) fn complete(mut self) -> io::Result<()> {
        self.has_manifest = true;
        self.sync()?;
        if let Some(foreign) = foreign_part(self.place.names()?, self.parts().into_iter()) {
            return Err(fault(FolderFault::Foreign(foreign)));
        }
        let stamped = |part: &&LoggedPart| part.stamp.is_some();
        for part in self.parts.iter().filter(stamped) {
            if !self.place.is_whole(part)? {
                return Err(changed(part));
            }
        }
        self.place.create_empty(SUCCESS)?;
        self.is_complete = true;
        match self.log {
            None => Ok(()),
            Some(_) => self.place.sync_names(),
        }
    }
}

impl Drop for PartFolder {
    fn drop(&mut self) {
        if self.is_complete || self.log.is_some() {
            return;
        }
        for part in &self.parts {
            let _ = self.place.remove(&part.entry.name);
        }
        if self.has_manifest {
            let _ = self.place.remove(MANIFEST);
        }
        if self.made {
            self.place.unmake();
        }
    }
}

/// Refuses files that belong neither to the run nor to an earlier one with this `log`.
fn check(place: &PartPlace, log: Option<&PartLog>) -> io::Result<()> {
    let listed = log.iter().flat_map(|log| log.listed());
    let listed: BTreeSet<_> = listed.map(|part| OsStr::new(&*part.entry.name)).collect();
    let names = place.names()?;
    let is_complete = names.iter().any(|name| name == SUCCESS);
    for name in names {
        if temporary::is_temporary(&name) {
            return Err(fault(FolderFault::InUse));
        }
        match log {
            Some(_) if is_part(&name) && !listed.contains(&*name) => {
                return Err(fault(FolderFault::Foreign(name)));
            }
            Some(_) if may_be_of_folder(&name) => {}
            _ if is_complete => {
                return Err(fault(FolderFault::Complete(place.path().to_owned())));
            }
            _ => return Err(fault(FolderFault::Filled(name))),
        }
    }
    Ok(())
}

/// Returns the command that removes a folder, if there is one.
fn removal(path: &Path) -> String {
    match is_address(path) {
        true => String::new(),
        false => format!(" (rm -r {})", printable::path(path)),
    }
}

/// Returns the error that a part is not as the run wrote it.
fn changed(part: &LoggedPart) -> io::Error {
    fault(FolderFault::Changed(part.entry.name.clone()))
}

pub(super) fn fault(fault: FolderFault) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, fault)
}
