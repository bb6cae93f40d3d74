//! Functions of the operating system, with one interface for Unix and Windows.
//!
//! All differences between systems that std does not hide are here, so that no other crate has code for one system. This
//! crate knows no sources, no outputs and no names.
#![cfg_attr(test, allow(clippy::unwrap_used))]

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdout};
#[cfg(feature = "signals")]
use std::sync::{Arc, atomic::AtomicBool};
use std::time::Duration;

mod command;
mod pipes;
mod signals;
mod status;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
mod wtf8;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub use command::{CommandGroup, signal_of};
pub use pipes::ReadyPipes;
pub use signals::{EndingSignal, EndingSignals};
pub use status::{FileId, FileKind, FileStatus};

#[cfg(not(any(unix, windows)))]
compile_error!("doisift-system needs Unix or Windows");

impl FileStatus {
    /// Returns the status of the file at `path`. Follows links.
    ///
    /// # Errors
    /// If no file has this path, or it cannot be examined.
    pub fn at(path: &Path) -> io::Result<Self> {
        os::status_at(path, true)
    }

    /// Returns the status of the file or link at `path`.
    ///
    /// # Errors
    /// If no file has this path, or it cannot be examined.
    pub fn unfollowed(path: &Path) -> io::Result<Self> {
        os::status_at(path, false)
    }

    /// Returns the status of an open file.
    ///
    /// # Errors
    /// If it cannot be examined.
    pub fn of(file: &File) -> io::Result<Self> {
        os::status_of(file)
    }

    /// Returns the status of standard input.
    ///
    /// # Errors
    /// If it is closed or cannot be examined.
    pub fn of_stdin() -> io::Result<Self> {
        os::status_of_stdin()
    }

    /// Returns the status of standard output.
    ///
    /// # Errors
    /// If it is closed or cannot be examined.
    pub fn of_stdout() -> io::Result<Self> {
        os::status_of_stdout()
    }
}

#[cfg(feature = "signals")]
impl EndingSignals {
    /// Starts to watch, with the feature `signals`. Each signal also sets `flag`.
    ///
    /// # Errors
    /// If the system refuses, or on Windows if this process already watches.
    pub fn watch(flag: Arc<AtomicBool>) -> io::Result<Self> {
        let signals = EndingSignals::default();
        os::watch(&signals, flag)?;
        Ok(signals)
    }
}

impl ReadyPipes {
    /// Waits until a pipe can be read, `max` has passed, or a signal arrives.
    ///
    /// # Errors
    /// An error of the system.
    pub fn wait(
        output: Option<&ChildStdout>,
        errors: Option<&ChildStderr>,
        max: Duration,
    ) -> io::Result<Self> {
        os::wait_for_pipes(output, errors, max)
    }
}

/// The device that discards everything written to it.
pub const NULL_DEVICE: &str = os::NULL_DEVICE;

/// Locks a file until it is closed. Without `wait`, returns false if another process has the lock.
///
/// # Errors
/// If the file system has no locks.
pub fn lock(file: &File, wait: bool) -> io::Result<bool> {
    loop {
        let locked = match wait {
            true => file.lock().map(|()| true),
            false => match file.try_lock() {
                Ok(()) => Ok(true),
                Err(std::fs::TryLockError::WouldBlock) => Ok(false),
                Err(std::fs::TryLockError::Error(error)) => Err(error),
            },
        };
        match locked {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}

/// A lock on a file that this process is about to replace. Dropping it unlocks the file.
#[derive(Debug)]
pub struct ReplaceLock(#[expect(dead_code, reason = "it is held")] Option<File>);

/// Locks the file at `path` against processes that replace it under this lock too. Returns `None` if another process has a
/// lock on it. On Windows nothing is locked, since a lock would prevent reading and replacing the file.
///
/// # Errors
/// If the file cannot be opened.
pub fn lock_to_replace(path: &Path) -> io::Result<Option<ReplaceLock>> {
    os::lock_to_replace(path)
}

/// Whether the open file or folder is still the one at `path`, which may not be a link.
pub fn is_at(file: &File, path: &Path) -> bool {
    let there = FileStatus::unfollowed(path).ok().and_then(|at| at.id());
    let own = FileStatus::of(file).ok().and_then(|at| at.id());
    there.is_some() && there == own
}

/// Opens a file as `options` say. Opening a link fails or returns the link itself, which is not a regular file. Opening a
/// FIFO does not wait for its writer.
///
/// # Errors
/// An error of the system.
pub fn open_unfollowed(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    os::unfollowed(options).open(path)
}

/// Holds the folder at `path` until the result is closed, so that [`hold_unused`] does not return it.
///
/// # Errors
/// If the system cannot open folders, or has no locks.
pub fn hold_folder(path: &Path) -> io::Result<File> {
    os::hold_folder(path)
}

/// Opens and locks the regular file, or the folder, at `path` if it belongs to this user and no process holds it. Does not
/// follow links. On Windows any user may have created it: the permissions of the file decide who can remove it.
pub fn hold_unused(path: &Path, is_folder: bool) -> Option<File> {
    os::hold_unused(path, is_folder)
}

/// Reads bytes at an offset. On Windows this moves the position of the file, so a file must be read either at offsets or at
/// its position.
///
/// # Errors
/// An error of the system.
pub fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    os::read_at(file, into, at)
}

/// Writes the data of an already written file to disk.
///
/// # Errors
/// An error of the system.
pub fn sync_file(path: &Path) -> io::Result<()> {
    os::sync_file(path)
}

/// Writes the entries of a folder to disk. Does nothing on Windows, whose file system keeps a journal of them.
///
/// # Errors
/// An error of the system.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    os::sync_folder(path)
}

/// Returns a file's number, and the time of its last change in seconds and nanoseconds since 1970. `None` on systems where
/// programs can set that time.
pub fn last_change(metadata: &Metadata) -> Option<(u64, (i64, i64))> {
    os::last_change(metadata)
}

/// Gives the file at `to`, which will replace the file at `from`, the owner, permissions, extended attributes and access
/// control lists of that file. On Windows it gives only the permissions, since new files take the others from their folder.
///
/// # Errors
/// If one of these cannot be set. Attributes that only the system may set are left out.
pub fn copy_attributes(from: &Path, to: &Path) -> io::Result<()> {
    os::copy_attributes(from, to)
}

/// Returns a copy of the handle of standard input, without the lock and the buffer of std.
///
/// # Errors
/// If standard input is closed.
pub fn stdin() -> io::Result<File> {
    os::stdin()
}

/// Whether standard output was closed when the process was started. Must be called before `main`, since std opens another
/// file in its place.
pub fn is_stdout_closed() -> bool {
    os::is_stdout_closed()
}

/// Returns the kind of an error of the system as std does, and `BrokenPipe` also for a broken pipe that std does not
/// recognise.
pub fn kind_of(error: &io::Error) -> io::ErrorKind {
    match os::is_pipe_disconnected(error) {
        true => io::ErrorKind::BrokenPipe,
        false => error.kind(),
    }
}

/// Returns the path as bytes, with `/` between its parts: the bytes of the system on Unix, UTF-8 extended to unpaired
/// surrogates on Windows.
pub fn bytes_of(path: &Path) -> std::borrow::Cow<'_, [u8]> {
    os::bytes_of(path)
}

/// Returns the path of [these bytes](bytes_of). On Windows, bytes that are not in this encoding become U+FFFD.
pub fn path_of(bytes: Vec<u8>) -> PathBuf {
    os::path_of(bytes)
}

/// Returns the path without its first `from` [bytes](bytes_of), or the whole path if they end within a character.
pub fn path_from(path: &Path, from: usize) -> &Path {
    os::path_from(path, from)
}

/// Returns the name of this computer.
pub fn host_name() -> Vec<u8> {
    os::host_name()
}

/// Returns the memory of the machine in bytes, or the limit of this process or of its group of processes if that is less.
/// `None` if the system reports neither.
pub fn memory() -> Option<u64> {
    os::memory()
}

/// Asks the system for small pages of memory instead of huge ones.
pub fn keep_small_pages() {
    os::keep_small_pages();
}

/// Returns the maximum number of open files of this process, and their current number if the system reports it.
pub fn open_files() -> (usize, Option<usize>) {
    os::open_files()
}
