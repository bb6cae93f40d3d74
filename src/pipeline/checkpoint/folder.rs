//! The folder of a checkpoint: one run at a time uses it, files in it are replaced whole, and none of ours stays behind.
//!
//! Knows the names of the files that belong there and touches no others; what the manifest says is for `manifest`.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::dedup::is_lasting_run;
use crate::error::{CheckpointError, Error, ErrorKind};
use crate::records::Output;

/// What the run has done so far.
pub(super) const MANIFEST: &str = "doisift-manifest.jsonl";
/// Is locked as long as a run uses the folder; says whether that was [made](MADE) for it.
const LOCK: &str = "doisift-lock";
const MADE: &[u8] = b"doisift made this folder, and removes it at the end\n";
/// What a killed run leaves elsewhere.
const REMAINS: &str = "doisift-remains.json";
/// What a file is called until it replaces another.
const ASIDE: &str = "doisift-new.tmp";
/// How often the folder may be removed by another run while this one makes it.
const TRIES: usize = 16;

/// The folder of a checkpoint, for as long as a run uses it.
///
/// When it is dropped without a manifest in it, it is removed.
pub(in crate::pipeline) struct Folder {
    path: PathBuf,
    canonical: PathBuf,
    /// It was not there before the first run.
    made: bool,
    remains: Remains,
    /// Part of the names of temporary files.
    mark: String,
    /// Locked until it is closed.
    lock: File,
}

/// What a killed run leaves elsewhere, and the next one removes.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Remains {
    /// Outputs under temporary names.
    temporaries: Vec<OsString>,
}

impl Folder {
    /// Makes the folder unless it is there, takes it for this run, which will write to `outputs`, and removes what a killed
    /// run left of its own outputs.
    ///
    /// # Errors
    /// If another run uses it, or the system refuses; all errors name the folder.
    pub(in crate::pipeline) fn open<'p>(
        path: &Path,
        outputs: impl Iterator<Item = &'p Path>,
    ) -> Result<Folder, Error> {
        let opened = Folder::take(path).and_then(|mut folder| {
            folder.note_made()?;
            folder.remove_remains()?;
            folder.note_remains(outputs)?;
            Ok(folder)
        });
        opened.map_err(|error| fault(path, error))
    }

    fn take(path: &Path) -> Result<Folder, CheckpointError> {
        let (made, lock) = locked(path)?;
        let canonical = fs::canonicalize(path).map_err(|error| at(path, error))?;
        Ok(Folder {
            path: path.to_owned(),
            canonical,
            made,
            remains: Remains::default(),
            mark: format!("{:016x}", RandomState::new().build_hasher().finish()),
            lock,
        })
    }

    /// Notes in the lock that the folder was made for this, or finds that an earlier run did.
    fn note_made(&mut self) -> Result<(), CheckpointError> {
        let noted = match self.made {
            true => self.lock.write_all(MADE),
            false => self.lock.metadata().map(|lock| self.made = lock.len() > 0),
        };
        noted.map_err(|error| at(&self.file(LOCK), error))
    }

    fn remove_remains(&self) -> Result<(), CheckpointError> {
        let path = self.file(REMAINS);
        let remains = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice::<Remains>(&bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(at(&path, error)),
        };
        let remains = remains.map_err(|_| CheckpointError::Damaged(path))?;
        let temporaries = remains.temporaries.iter().map(Path::new);
        for temporary in temporaries.filter(|path| is_temporary(path)) {
            remove(temporary).map_err(|error| at(temporary, error))?;
        }
        Ok(())
    }

    fn note_remains<'p>(
        &mut self,
        outputs: impl Iterator<Item = &'p Path>,
    ) -> Result<(), CheckpointError> {
        for output in outputs {
            // What is wrong with an output is told when it is opened.
            let temporary = Output::temporary_of(output, &self.mark).ok().flatten();
            let temporary = temporary.and_then(|path| canonical(&path));
            self.remains
                .temporaries
                .extend(temporary.map(PathBuf::into_os_string));
        }
        self.replace(REMAINS, |out| {
            Ok(serde_json::to_writer(out, &self.remains)?)
        })
    }

    pub(in crate::pipeline) fn path(&self) -> &Path {
        &self.path
    }

    /// What the temporary names of outputs are made with.
    pub(in crate::pipeline) fn mark(&self) -> &str {
        &self.mark
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether a source is a file of this folder, or an output under its temporary name.
    pub(in crate::pipeline) fn holds(&self, source: &Path) -> bool {
        let name = source
            .file_name()
            .and_then(OsStr::to_str)
            .unwrap_or_default();
        // Asking the system about every source would take its time.
        if is_temporary(source) && name.contains(&self.mark) {
            let path = canonical(source).map(PathBuf::into_os_string);
            return path.is_some_and(|path| self.remains.temporaries.contains(&path));
        }
        is_ours(name)
            && canonical(source).as_deref().and_then(Path::parent) == Some(&self.canonical)
    }

    /// Replaces a file by what `write` writes, so that a crash leaves the one or the other, whole.
    pub(super) fn replace(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), CheckpointError> {
        let aside = self.file(ASIDE);
        let replace = || {
            let mut out = BufWriter::new(File::create(&aside)?);
            write(&mut out)?;
            out.into_inner()
                .map_err(|error| error.into_error())?
                .sync_all()?;
            fs::rename(&aside, self.file(name))?;
            sync_folder(&self.path)
        };
        replace().map_err(|error| {
            // It may be what fills the disk.
            let _ = fs::remove_file(&aside);
            at(&aside, error)
        })
    }

    /// Removes runs, and files that were to replace others, all but `wanted`.
    pub(super) fn sweep(&self, wanted: &BTreeSet<&str>) -> Result<(), CheckpointError> {
        let entries = fs::read_dir(&self.path).map_err(|error| at(&self.path, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| at(&self.path, error))?;
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            let ours = is_lasting_run(name) || name == ASIDE;
            if ours && !wanted.contains(name) && entry.file_type().is_ok_and(|kind| kind.is_file())
            {
                remove(&entry.path()).map_err(|error| at(&entry.path(), error))?;
            }
        }
        Ok(())
    }

    /// Removes all that is ours, and the folder itself if it was made for this.
    ///
    /// The manifest goes first: without it all else is swept away, while it must not name what is gone.
    pub(super) fn remove(&self) -> Result<(), CheckpointError> {
        let remove = |name| remove(&self.file(name)).map_err(|error| at(&self.file(name), error));
        remove(MANIFEST)?;
        self.sweep(&BTreeSet::new())?;
        remove(REMAINS)?;
        remove(LOCK)?;
        if self.made {
            // What others put there in the meantime stays, and the folder with it.
            let _ = fs::remove_dir(&self.path);
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Once it was removed it may be another run's.
        if !self.file(MANIFEST).exists() && is_at(&self.lock, &self.file(LOCK)) {
            let _ = self.remove();
        }
    }
}

/// Makes the folder, which tells whether it was not there, and locks it for this process.
fn locked(folder: &Path) -> Result<(bool, File), CheckpointError> {
    let path = folder.join(LOCK);
    let mut made = false;
    for _ in 0..TRIES {
        made |= make(folder).map_err(|error| at(folder, error))?;
        match lock(&path) {
            Ok(Some(file)) if is_at(&file, &path) => return Ok((made, file)),
            // The run that had it removed it in the meantime.
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(at(&path, error)),
        }
    }
    Err(CheckpointError::InUse)
}

fn make(folder: &Path) -> io::Result<bool> {
    match fs::create_dir(folder) {
        Ok(()) => Ok(true),
        Err(_) if folder.is_dir() => Ok(false),
        Err(error) => Err(error),
    }
}

/// The locked file; none if another process has it.
#[cfg(unix)]
fn lock(path: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{FlockOperation, flock};
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(windows)]
fn lock(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    const SHARING_VIOLATION: i32 = 32;
    const SHARE_DELETE: u32 = 4;
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create(true)
        .truncate(false)
        .share_mode(SHARE_DELETE);
    match options.open(path) {
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        opened => opened.map(Some),
    }
}

/// Whether the file still stands at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |at: fs::Metadata| (at.dev(), at.ino());
    let there = fs::metadata(path).map(id);
    there.is_ok_and(|there| file.metadata().is_ok_and(|own| id(own) == there))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Sees to it that names in a folder are on the disk.
#[cfg(unix)]
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a file of this name in the folder is ours.
fn is_ours(name: &str) -> bool {
    [MANIFEST, LOCK, REMAINS, ASIDE].contains(&name) || is_lasting_run(name)
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The path of a file with no link or dot in that of its folder.
fn canonical(path: &Path) -> Option<PathBuf> {
    let parent = path.parent()?;
    let parent = match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    };
    Some(fs::canonicalize(parent).ok()?.join(path.file_name()?))
}

/// Whether a file is named as outputs are until they are whole.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.starts_with('.') && name.ends_with(".tmp")
}

pub(super) fn at(path: &Path, error: io::Error) -> CheckpointError {
    CheckpointError::Io(path.to_owned(), error)
}

/// The error of a run that uses `folder`.
pub(in crate::pipeline) fn fault(folder: &Path, error: CheckpointError) -> Error {
    Error::new(ErrorKind::Checkpoint(folder.to_owned(), Box::new(error)))
}
