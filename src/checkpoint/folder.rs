//! The folder of a checkpoint: one run at a time uses it, files in it are replaced atomically, and all of them are removed at
//! the end.
//!
//! Touches only files with the names of a checkpoint's files. `manifest` defines the content of the manifest.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use doisift_system::{FileStatus, is_at, open_unfollowed, sync_folder};

use serde::{Deserialize, Serialize};

use crate::error::{Cause, CheckpointError, Error};
use crate::objects::{Services, is_address};
use crate::records::{Output, PartKeep, PartPlace, SUCCESS, is_folder};
use crate::temporary::{self, CHECKPOINT_FILES, is_part_log, is_run, part_log};

/// The file that describes the finished work.
pub(super) const MANIFEST_FILE: &str = CHECKPOINT_FILES[0];
/// The file that is locked while a run uses the folder. Its content shows whether a run [created](MADE_NOTE) the folder.
const LOCK_FILE: &str = CHECKPOINT_FILES[1];
const MADE_NOTE: &[u8] = b"doisift made this folder, and removes it at the end\n";
/// The file that lists the temporary files of a run in other folders.
const REMAINS_FILE: &str = CHECKPOINT_FILES[2];
/// The name of a new file until it replaces the old one.
const NEW_FILE: &str = CHECKPOINT_FILES[3];
/// Max attempts to create and lock the folder, while other runs remove it at the same time.
const MAX_LOCK_TRIES: usize = 16;

/// A run that the manifest lists.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NamedRun {
    /// The name of the file in the folder.
    pub(crate) name: String,
    pub(crate) bytes: u64,
}

/// The folder of a checkpoint while a run uses it.
///
/// Dropping this removes the folder if it has no manifest, and lists no parts.
pub(crate) struct CheckpointFolder {
    path: PathBuf,
    canonical: PathBuf,
    /// Whether a run created the folder.
    made: bool,
    remains: Remains,
    /// Folders of parts that an earlier run began.
    begun: Vec<OsString>,
    /// Part of the names of temporary files.
    mark: String,
    /// Holds the lock until it is closed, at the end.
    lock: Option<File>,
}

/// Temporary files in other folders, which the next run removes if this one is killed.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Remains {
    /// Outputs under temporary names.
    temporaries: Vec<OsString>,
    /// Folders of parts that were new or empty when the run began them.
    #[serde(default)]
    folders: Vec<OsString>,
}

impl CheckpointFolder {
    /// Creates the folder unless it exists, locks it for this run, and removes the temporary outputs of a killed run. The run
    /// will write to `outputs`, which may be folders of parts.
    ///
    /// # Errors
    /// If another run uses it, or a system call fails. All errors name the folder.
    pub(crate) fn open<'p>(
        path: &Path,
        outputs: impl Iterator<Item = &'p Path>,
        services: &Services,
    ) -> Result<CheckpointFolder, Error> {
        let opened = CheckpointFolder::take(path).and_then(|mut folder| {
            folder.begun = folder.remove_remains()?;
            folder.note_remains(outputs, services)?;
            Ok(folder)
        });
        opened.map_err(|error| fault(path, error))
    }

    fn take(path: &Path) -> Result<CheckpointFolder, CheckpointError> {
        if is_address(path) {
            return Err(CheckpointError::Address);
        }
        let (made, mut lock) = locked(path)?;
        let made = note_made(&mut lock, &path.join(LOCK_FILE), made)?;
        let canonical = fs::canonicalize(path).map_err(|error| at(path, error))?;
        Ok(CheckpointFolder {
            path: path.to_owned(),
            canonical,
            made,
            remains: Remains::default(),
            begun: Vec::new(),
            mark: format!("{:016x}", RandomState::new().build_hasher().finish()),
            lock: Some(lock),
        })
    }

    /// Returns the folders of parts that the killed run began.
    fn remove_remains(&self) -> Result<Vec<OsString>, CheckpointError> {
        let path = self.file(REMAINS_FILE);
        let Some(mut file) = open_own(&path)? else {
            return Ok(Vec::new());
        };
        let mut bytes = Vec::new();
        let read = file.read_to_end(&mut bytes);
        read.map_err(|error| at(&path, error))?;
        let remains = serde_json::from_slice::<Remains>(&bytes);
        let remains = remains.map_err(|_| CheckpointError::Damaged(path))?;
        let temporaries = remains.temporaries.iter().map(Path::new);
        for temporary in temporaries.filter(|path| is_marked(path) && is_file(path)) {
            remove(temporary).map_err(|error| at(temporary, error))?;
        }
        Ok(remains.folders)
    }

    fn note_remains<'p>(
        &mut self,
        outputs: impl Iterator<Item = &'p Path>,
        services: &Services,
    ) -> Result<(), CheckpointError> {
        // Errors of an output are reported when it is opened.
        for output in outputs {
            if is_folder(output) {
                let place = PartPlace::of(output, services).ok();
                let begun = &self.begun;
                let folder = place.and_then(|place| {
                    let folder = canonical_place(output, &place)?.into_os_string();
                    (place.is_free() || begun.contains(&folder)).then_some(folder)
                });
                self.remains.folders.extend(folder);
                continue;
            }
            let temporary = Output::temporary_of(output, &self.mark, services);
            let temporary = temporary.ok().flatten();
            let temporary = temporary.and_then(|path| canonical(&path));
            self.remains
                .temporaries
                .extend(temporary.map(PathBuf::into_os_string));
        }
        self.replace(REMAINS_FILE, |out| {
            Ok(serde_json::to_writer(out, &self.remains)?)
        })
    }

    /// Returns how the parts in a folder are kept if the run does not end.
    ///
    /// # Errors
    /// If its address is not valid.
    pub(crate) fn keep(&self, output: &Path, services: &Services) -> io::Result<PartKeep> {
        let place = PartPlace::of(output, services)?;
        let path = canonical_place(output, &place);
        let path = path.unwrap_or_else(|| output.to_owned()).into_os_string();
        // The last step of a run removes the manifest. Then its output is complete and stays.
        let has_ended = !is_file(&self.file(MANIFEST_FILE)) && place.has(SUCCESS);
        Ok(PartKeep::Logged {
            log: self.file(&part_log(&path)),
            begun: self.begun.contains(&path) && !has_ended,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the random part of the temporary names of outputs.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether a source is a file of this checkpoint, or an output under its temporary name.
    pub(crate) fn holds(&self, source: &Path) -> bool {
        let name = source
            .file_name()
            .and_then(OsStr::to_str)
            .unwrap_or_default();
        // The name is checked first, to avoid system calls for every source.
        if is_temporary(source) && name.contains(&self.mark) {
            let path = canonical(source).map(PathBuf::into_os_string);
            return path.is_some_and(|path| self.remains.temporaries.contains(&path));
        }
        is_ours(name)
            && canonical(source).as_deref().and_then(Path::parent) == Some(&self.canonical)
    }

    /// Replaces a file by the output of `write`. After a crash, the old or the new file is there, complete.
    pub(crate) fn replace(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), CheckpointError> {
        let aside = self.file(NEW_FILE);
        let file = create_own(&aside)?;
        let replace = || {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.into_inner()
                .map_err(|error| error.into_error())?
                .sync_all()?;
            fs::rename(&aside, self.file(name))?;
            sync_folder(&self.path)
        };
        replace().map_err(|error| {
            // Removed, because it may have filled the disk.
            let _ = fs::remove_file(&aside);
            at(&aside, error)
        })
    }

    /// Returns the error that the manifest is not as doisift wrote it.
    pub(crate) fn damaged(&self) -> CheckpointError {
        CheckpointError::Damaged(self.file(MANIFEST_FILE))
    }

    /// Returns the path of a run that a manifest lists.
    ///
    /// # Errors
    /// If it is not a regular file, its name is not that of a run, or `is_right` refuses its length in bytes.
    pub(crate) fn run(
        &self,
        run: &NamedRun,
        is_right: impl FnOnce(u64) -> bool,
    ) -> Result<PathBuf, CheckpointError> {
        let path = self.file(&run.name);
        let found = fs::symlink_metadata(&path).map_err(|error| at(&path, error))?;
        match found.is_file() && is_right(found.len()) && is_run(&run.name) {
            true => Ok(path),
            false => Err(CheckpointError::Damaged(path)),
        }
    }

    /// Removes the runs that are not in `wanted`, and a new file that did not replace an old one.
    pub(crate) fn sweep(&self, wanted: &BTreeSet<&str>) -> Result<(), CheckpointError> {
        self.remove_each(|name| (is_run(name) || name == NEW_FILE) && !wanted.contains(name))
    }

    /// Removes the files for whose names `is_unwanted` returns true.
    fn remove_each(&self, is_unwanted: impl Fn(&str) -> bool) -> Result<(), CheckpointError> {
        let entries = fs::read_dir(&self.path).map_err(|error| at(&self.path, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| at(&self.path, error))?;
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            if is_unwanted(name) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                remove(&entry.path()).map_err(|error| at(&entry.path(), error))?;
            }
        }
        Ok(())
    }

    /// Removes all files of the checkpoint, and the folder if a run created it.
    ///
    /// The manifest is removed first. Files without a manifest are removed by the next run, but a manifest must not list
    /// missing files.
    pub(crate) fn remove(&self) -> Result<(), CheckpointError> {
        let remove = |name| match self.file(name) {
            path if is_file(&path) => remove(&path).map_err(|error| at(&path, error)),
            _ => Ok(()),
        };
        remove(MANIFEST_FILE)?;
        self.remove_each(|name| is_run(name) || name == NEW_FILE || is_part_log(name))?;
        remove(REMAINS_FILE)?;
        remove(LOCK_FILE)?;
        self.remove_folder();
        Ok(())
    }

    /// Whether a run has logged parts, which the next one must recognise as its own.
    fn lists_parts(&self) -> bool {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut logs = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_part_log));
        logs.any(|log| log.metadata().is_ok_and(|at| at.len() > 0))
    }

    /// Removes the folder if a run created it.
    fn remove_folder(&self) {
        if self.made {
            // This fails if there are other files, which must stay.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

impl Drop for CheckpointFolder {
    fn drop(&mut self) {
        if self.file(MANIFEST_FILE).exists() || self.lists_parts() {
            return;
        }
        let lock = self.lock.take();
        // If the lock file was replaced, another run has the folder.
        let is_ours = |lock: &File| is_at(lock, &self.file(LOCK_FILE));
        if lock.as_ref().is_some_and(is_ours) {
            let _ = self.remove();
        }
        // On some systems a removed file keeps its name until it is closed. There the folder is empty only now.
        drop(lock);
        self.remove_folder();
    }
}

/// Writes to the lock file that a run created the folder, if `made`. Returns whether this or an earlier run created it.
///
/// # Errors
/// If the lock file has content that no run writes.
fn note_made(lock: &mut File, path: &Path, made: bool) -> Result<bool, CheckpointError> {
    let mut noted = Vec::new();
    let read = lock.read_to_end(&mut noted);
    read.map_err(|error| at(path, error))?;
    match (made, &*noted) {
        (true, b"") if !has_other_names(lock) => {
            lock.write_all(MADE_NOTE).map_err(|error| at(path, error))?;
            Ok(true)
        }
        (false, b"") => Ok(false),
        (false, noted) if noted == MADE_NOTE => Ok(true),
        // This can happen in a folder that was just created too: another program wrote the file.
        _ => Err(CheckpointError::Foreign(path.to_owned())),
    }
}

/// Creates the folder if it does not exist and locks it for this process. Returns whether it was created.
fn locked(folder: &Path) -> Result<(bool, File), CheckpointError> {
    let path = folder.join(LOCK_FILE);
    let mut made = false;
    for _ in 0..MAX_LOCK_TRIES {
        made |= create_folder(folder).map_err(|error| at(folder, error))?;
        match lock(&path) {
            Ok(Some(file)) if !is_regular(&file) => return Err(CheckpointError::Foreign(path)),
            Ok(Some(file)) if is_at(&file, &path) => return Ok((made, file)),
            // The run that had the lock has removed the file since it was opened.
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(open_error(&path, error)),
        }
    }
    Err(CheckpointError::InUse)
}

fn create_folder(folder: &Path) -> io::Result<bool> {
    match fs::create_dir(folder) {
        Ok(()) => Ok(true),
        Err(_) if folder.is_dir() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens and locks the file. Returns `None` if another process holds the lock.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = open_unfollowed(&mut options, path)?;
    Ok(doisift_system::lock(&file, false)?.then_some(file))
}

/// Creates a new file, after removing one that a crash left. Nothing else is removed, and no link is followed.
fn create_own(path: &Path) -> Result<File, CheckpointError> {
    if is_file(path) {
        remove(path).map_err(|error| at(path, error))?;
    }
    let created = OpenOptions::new().write(true).create_new(true).open(path);
    created.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CheckpointError::Foreign(path.to_owned()),
        _ => at(path, error),
    })
}

/// Opens a file of the folder for reading. Returns `None` if it does not exist.
///
/// # Errors
/// If it is a link, or something else that no run creates.
pub(crate) fn open_own(path: &Path) -> Result<Option<File>, CheckpointError> {
    match open_unfollowed(OpenOptions::new().read(true), path) {
        Ok(file) if is_regular(&file) => Ok(Some(file)),
        Ok(_) => Err(CheckpointError::Foreign(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(open_error(path, error)),
    }
}

/// Returns the error for a file that could not be opened.
fn open_error(path: &Path, error: io::Error) -> CheckpointError {
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => CheckpointError::Foreign(path.to_owned()),
        _ => at(path, error),
    }
}

fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|at| at.is_file())
}

/// Whether there is a regular file at `path`, and not a link to one.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|at| at.is_file())
}

/// Whether the file has other names (hard links), under which its content would change too.
fn has_other_names(file: &File) -> bool {
    FileStatus::of(file).is_ok_and(|at| at.names() > 1)
}

/// Whether this is the name of a file of a checkpoint.
fn is_ours(name: &str) -> bool {
    CHECKPOINT_FILES.contains(&name) || is_run(name) || is_part_log(name)
}

/// Removes a file if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the path of a file with the canonical path of its folder. `None` if the folder does not exist or there is no file
/// name.
fn canonical(path: &Path) -> Option<PathBuf> {
    let parent = path.parent()?;
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    Some(fs::canonicalize(parent).ok()?.join(path.file_name()?))
}

/// Returns the canonical path of a folder of parts, or its address.
fn canonical_place(folder: &Path, place: &PartPlace) -> Option<PathBuf> {
    match place.object_name() {
        Some(name) => Some(name.into()),
        None => canonical(folder.components().as_path()),
    }
}

/// Whether a file has the temporary name of an output.
fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(temporary::is_temporary)
}

/// Whether a file has the temporary name of an output of a run with a checkpoint, which has a mark.
fn is_marked(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let mark = name
        .strip_suffix(".tmp")
        .and_then(|name| name.rsplit_once('-'));
    is_temporary(path)
        && mark.is_some_and(|(_, m)| m.len() == 16 && m.bytes().all(|b| b.is_ascii_hexdigit()))
}

pub(crate) fn at(path: &Path, error: io::Error) -> CheckpointError {
    CheckpointError::Io(path.to_owned(), error)
}

/// Returns an error of the checkpoint in `folder`.
pub(crate) fn fault(folder: &Path, error: CheckpointError) -> Error {
    Error::new(Cause::Checkpoint(folder.to_owned(), Box::new(error)))
}
