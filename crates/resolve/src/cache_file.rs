//! The file of a cache. One process at a time can use it, and it is replaced as a whole.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use doisift_system::{FileStatus, lock};

/// Opens or creates a file for this process alone. Returns `None` if another process uses it.
pub(crate) fn open(path: &Path) -> io::Result<Option<File>> {
    loop {
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(path)?;
        if !lock(&file, false)? {
            return Ok(None);
        }
        // The process that used it may have replaced it meanwhile.
        if is_at(&file, path)? {
            return Ok(Some(file));
        }
    }
}

/// Writes a new file with the output of `write`, and replaces the file that `path` leads to by it. Symbolic links stay. The new
/// file is locked.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<File> {
    let path = &path.canonicalize()?;
    let folder = path.parent().filter(|path| !path.as_os_str().is_empty());
    let mut new = tempfile::Builder::new()
        .prefix(".doisift-")
        .suffix(".tmp")
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    let mut out = BufWriter::new(&mut new);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    let file = new.as_file();
    file.set_permissions(std::fs::metadata(path)?.permissions())?;
    file.sync_all()?;
    lock(file, false)?;
    let (file, temporary) = new.into_parts();
    // Not persisted by tempfile, which on Windows does not replace a file that is open.
    std::fs::rename(&temporary, path)?;
    // The temporary name does not exist any more.
    let _ = temporary.keep();
    Ok(file)
}

/// Whether `path` leads to this file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match FileStatus::at(path) {
        Ok(at) => Ok(at.id() == FileStatus::of(file)?.id()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
