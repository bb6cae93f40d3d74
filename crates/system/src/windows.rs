//! The calls of Windows.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus};
#[cfg(feature = "signals")]
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::thread;
use std::time::{Duration, Instant};

use winapi_util::AsHandleRef;
use winapi_util::file::{information, typ};
use winapi_util::sysinfo::{ComputerNameKind, get_computer_name};
use windows_sys::Win32::Foundation::{ERROR_PIPE_NOT_CONNECTED, GENERIC_READ};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ATTRIBUTE_DIRECTORY, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_SHARE_READ, FILE_SHARE_WRITE,
};

use crate::ReplaceLock;
use crate::pipes::ReadyPipes;
#[cfg(feature = "signals")]
use crate::signals::{EndingSignals, INTERRUPT};
use crate::status::{FileKind, FileStatus};

mod calls;

pub(crate) use calls::memory;

pub(crate) const NULL_DEVICE: &str = "NUL";

/// The first pause between two checks of pipes, and the maximum.
const CHECK_PAUSES: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(10)];

pub(crate) fn status_at(path: &Path, follow: bool) -> io::Result<FileStatus> {
    let mut flags = FILE_FLAG_BACKUP_SEMANTICS;
    // Other reparse points than links, such as files of cloud storage, are not examined themselves.
    let is_link = || fs::symlink_metadata(path).is_ok_and(|at| at.is_symlink());
    let is_link = !follow && is_link();
    if is_link {
        flags |= FILE_FLAG_OPEN_REPARSE_POINT;
    }
    // Access to the metadata alone, which no other process can refuse.
    let opened = OpenOptions::new()
        .access_mode(0)
        .custom_flags(flags)
        .open(path);
    let status = status_of(&opened?)?;
    Ok(match is_link {
        true => FileStatus {
            kind: FileKind::Link,
            ..status
        },
        false => status,
    })
}

pub(crate) fn status_of(file: impl AsHandleRef + Copy) -> io::Result<FileStatus> {
    let kind = typ(file)?;
    if !kind.is_disk() {
        return Ok(nameless(match kind.is_pipe() {
            true => FileKind::Pipe,
            false => FileKind::Device,
        }));
    }
    let found = information(file)?;
    let is_folder = found.file_attributes() & u64::from(FILE_ATTRIBUTE_DIRECTORY) != 0;
    let kind = if is_folder {
        FileKind::Folder
    } else {
        FileKind::Regular
    };
    Ok(FileStatus {
        kind,
        length: found.file_size(),
        id: Some((found.volume_serial_number(), found.file_index())),
        names: found.number_of_links(),
    })
}

/// Returns the status of a file without a size and without an identity.
fn nameless(kind: FileKind) -> FileStatus {
    FileStatus {
        kind,
        length: 0,
        id: None,
        names: 1,
    }
}

pub(crate) fn unfollowed(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
}

/// Folders have no locks on Windows. But an open folder cannot be removed, unless the handle permits it.
pub(crate) fn hold_folder(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
        .open(path)
}

pub(crate) fn lock_to_replace(_: &Path) -> io::Result<Option<ReplaceLock>> {
    Ok(Some(ReplaceLock(None)))
}

pub(crate) fn hold_unused(path: &Path, is_folder: bool) -> Option<File> {
    let flags = FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS;
    // Fails if `hold_folder` holds the folder.
    let opened = OpenOptions::new()
        .access_mode(GENERIC_READ | DELETE)
        .custom_flags(flags)
        .open(path);
    let file = opened.ok()?;
    let at = status_of(&file).ok()?;
    let is_unused = match is_folder {
        true => at.is_folder(),
        false => at.is_file() && crate::lock(&file, false).unwrap_or(false),
    };
    is_unused.then_some(file)
}

pub(crate) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(into, at)
}

/// Opens the file for writing, since only such a handle can sync.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.sync_all()
}

pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn last_change(_: &Metadata) -> Option<(u64, (i64, i64))> {
    None
}

pub(crate) fn copy_attributes(from: &Path, to: &Path) -> io::Result<()> {
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

pub(crate) fn stdin() -> io::Result<File> {
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

pub(crate) fn status_of_stdin() -> io::Result<FileStatus> {
    status_of_stream(&io::stdin())
}

pub(crate) fn status_of_stdout() -> io::Result<FileStatus> {
    status_of_stream(&io::stdout())
}

/// Returns the status of a stream. A file that another program opened may have no size or identity, such as the files that
/// a shell opens for wine.
fn status_of_stream(stream: impl AsHandleRef + Copy) -> io::Result<FileStatus> {
    status_of(stream).or_else(|error| match typ(stream) {
        Ok(kind) if kind.is_disk() => Ok(nameless(FileKind::Regular)),
        _ => Err(error),
    })
}

pub(crate) fn is_stdout_closed() -> bool {
    io::stdout().as_raw_handle().is_null()
}

/// Whether the other end of a named pipe, as some shells make them, was closed. std has no kind for this error.
pub(crate) fn is_pipe_disconnected(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_PIPE_NOT_CONNECTED.cast_signed())
}

pub(crate) fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    // In a path that starts with this prefix, the system takes `/` for a part of a name.
    if !bytes.contains(&b'\\') || bytes.starts_with(br"\\?\") {
        return Cow::Borrowed(bytes);
    }
    let slash = |&byte| if byte == b'\\' { b'/' } else { byte };
    Cow::Owned(bytes.iter().map(slash).collect())
}

pub(crate) fn path_of(bytes: Vec<u8>) -> PathBuf {
    match String::from_utf8(bytes) {
        Ok(path) => path.into(),
        Err(error) => OsString::from_wide(&crate::wtf8::to_wide(error.as_bytes())).into(),
    }
}

pub(crate) fn path_from(path: &Path, from: usize) -> &Path {
    let rest = path.to_str().and_then(|path| path.get(from..));
    rest.map_or(path, Path::new)
}

pub(crate) fn host_name() -> Vec<u8> {
    let name = get_computer_name(ComputerNameKind::PhysicalDnsHostname).unwrap_or_default();
    name.into_encoded_bytes()
}

pub(crate) fn keep_small_pages() {}

/// Returns no limit: only memory limits the number of handles of a process.
pub(crate) fn open_files() -> (usize, Option<usize>) {
    (usize::MAX, None)
}

#[cfg(feature = "signals")]
pub(crate) fn watch(signals: &EndingSignals, flag: Arc<AtomicBool>) -> io::Result<()> {
    let EndingSignals { last, new } = signals.clone();
    let set = move || {
        last.store(INTERRUPT as usize, Ordering::Relaxed);
        new.store(true, Ordering::Relaxed);
        flag.store(true, Ordering::Relaxed);
    };
    ctrlc::set_handler(set).map_err(io::Error::other)
}

/// A job; `None` if the system refused it, such as in a job that permits no others.
#[derive(Debug)]
pub(crate) struct ProcessGroup(Option<calls::ProcessJob>);

impl ProcessGroup {
    pub(crate) fn kill(&self) {
        if let Some(job) = &self.0 {
            job.kill();
        }
    }
}

pub(crate) fn start(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    let child = command.spawn()?;
    // Processes that the command starts before it is in the job are not stopped with it, but it hardly has time for that.
    let job = calls::ProcessJob::with(child.as_handle()).ok();
    Ok((child, ProcessGroup(job)))
}

pub(crate) fn wait_for_pipes(
    output: Option<&ChildStdout>,
    errors: Option<&ChildStderr>,
    max: Duration,
) -> io::Result<ReadyPipes> {
    let since = Instant::now();
    let [mut pause, longest] = CHECK_PAUSES;
    loop {
        let ready = ReadyPipes {
            output: output.is_some_and(|pipe| calls::is_ready(pipe.as_handle())),
            errors: errors.is_some_and(|pipe| calls::is_ready(pipe.as_handle())),
        };
        let left = max.saturating_sub(since.elapsed());
        if ready != ReadyPipes::default() || left.is_zero() {
            return Ok(ready);
        }
        thread::sleep(pause.min(left));
        pause = longest.min(2 * pause);
    }
}

pub(crate) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}
