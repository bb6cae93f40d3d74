//! The calls of Unix.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, chown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process_group};

use crate::ReplaceLock;
use crate::pipes::ReadyPipes;
use crate::status::{FileKind, FileStatus};

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod attributes;
mod memory;
#[cfg(feature = "signals")]
mod signals;

pub(crate) use memory::memory;
#[cfg(feature = "signals")]
pub(crate) use signals::watch;

pub(crate) const NULL_DEVICE: &str = "/dev/null";

pub(crate) fn status_at(path: &Path, follow: bool) -> io::Result<FileStatus> {
    let metadata = match follow {
        true => fs::metadata(path),
        false => fs::symlink_metadata(path),
    };
    metadata.map(|metadata| status(&metadata))
}

pub(crate) fn status_of(file: &File) -> io::Result<FileStatus> {
    file.metadata().map(|metadata| status(&metadata))
}

fn status(metadata: &Metadata) -> FileStatus {
    FileStatus {
        kind: kind(metadata.file_type()),
        length: metadata.len(),
        id: Some((metadata.dev(), metadata.ino())),
        names: metadata.nlink(),
    }
}

fn kind(kind: fs::FileType) -> FileKind {
    if kind.is_file() {
        FileKind::Regular
    } else if kind.is_dir() {
        FileKind::Folder
    } else if kind.is_symlink() {
        FileKind::Link
    } else if kind.is_fifo() || kind.is_socket() {
        FileKind::Pipe
    } else {
        FileKind::Device
    }
}

pub(crate) fn unfollowed(options: &mut OpenOptions) -> &mut OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.custom_flags(flags.bits().cast_signed())
}

pub(crate) fn hold_folder(path: &Path) -> io::Result<File> {
    let folder = File::open(path)?;
    crate::lock(&folder, true)?;
    Ok(folder)
}

pub(crate) fn hold_unused(path: &Path, is_folder: bool) -> Option<File> {
    let file = crate::open_unfollowed(OpenOptions::new().read(true), path).ok()?;
    let at = file.metadata().ok()?;
    let is_own = at.uid() == rustix::process::geteuid().as_raw();
    let is_right = if is_folder { at.is_dir() } else { at.is_file() };
    let is_unused = is_own && is_right && crate::lock(&file, false).unwrap_or(false);
    (is_unused && crate::is_at(&file, path)).then_some(file)
}

pub(crate) fn lock_to_replace(path: &Path) -> io::Result<Option<ReplaceLock>> {
    let file = File::open(path)?;
    // On a file system without locks, no process has one.
    let is_locked = crate::lock(&file, false).unwrap_or(true);
    Ok(is_locked.then_some(ReplaceLock(Some(file))))
}

pub(crate) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    FileExt::read_at(file, into, at)
}

pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

pub(crate) fn last_change(metadata: &Metadata) -> Option<(u64, (i64, i64))> {
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    Some((metadata.ino(), changed))
}

pub(crate) fn copy_attributes(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    attributes::copy(from, to)?;
    let (old, new) = (fs::metadata(from)?, fs::metadata(to)?);
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        chown(to, Some(old.uid()), Some(old.gid()))?;
    }
    // Set last, since a new owner removes some permissions.
    fs::set_permissions(to, old.permissions())
}

pub(crate) fn stdin() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

pub(crate) fn status_of_stdin() -> io::Result<FileStatus> {
    status_of(&stdin()?)
}

pub(crate) fn status_of_stdout() -> io::Result<FileStatus> {
    status_of(&File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

pub(crate) fn is_stdout_closed() -> bool {
    rustix::io::fcntl_getfd(rustix::stdio::stdout()) == Err(Errno::BADF)
}

pub(crate) fn is_pipe_disconnected(_: &io::Error) -> bool {
    false
}

pub(crate) fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_bytes())
}

pub(crate) fn path_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

pub(crate) fn path_from(path: &Path, from: usize) -> &Path {
    let rest = path.as_os_str().as_bytes().get(from..);
    rest.map_or(path, |rest| Path::new(OsStr::from_bytes(rest)))
}

pub(crate) fn host_name() -> Vec<u8> {
    rustix::system::uname().nodename().to_bytes().to_vec()
}

pub(crate) fn keep_small_pages() {
    // A kernel without the call has no huge pages.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

pub(crate) fn open_files() -> (usize, Option<usize>) {
    let limit = match getrlimit(Resource::Nofile).current {
        Some(limit) => limit.try_into().unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    // One of them is the descriptor that reads the folder.
    let open = fs::read_dir("/dev/fd").map(|all| all.count().saturating_sub(1));
    (limit, open.ok())
}

/// A process group.
#[derive(Debug)]
pub(crate) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    pub(crate) fn kill(&self) {
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

pub(crate) fn start(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    let child = command.process_group(0).spawn()?;
    let group = ProcessGroup(Pid::from_raw(child.id().cast_signed()));
    Ok((child, group))
}

pub(crate) fn wait_for_pipes(
    output: Option<&ChildStdout>,
    errors: Option<&ChildStderr>,
    max: Duration,
) -> io::Result<ReadyPipes> {
    let mut polled = Vec::with_capacity(2);
    polled.extend(output.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    let at = polled.len();
    polled.extend(errors.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    match poll(&mut polled, Timespec::try_from(max).ok().as_ref()) {
        Err(Errno::INTR) => return Ok(ReadyPipes::default()),
        result => result?,
    };
    let is_ready = |fd: Option<&PollFd<'_>>| fd.is_some_and(|fd| !fd.revents().is_empty());
    Ok(ReadyPipes {
        output: at > 0 && is_ready(polled.first()),
        errors: is_ready(polled.get(at)),
    })
}

pub(crate) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}
