//! Temporary files and folders: names that nobody else gives, and locks that say whether a process still uses them.
//!
//! A name is `.doisift-output.NAME.HOST-RANDOM.tmp` for an output that is not whole yet, and `.doisift-runs.HOST-RANDOM.tmp`
//! for a folder of sorted runs. The process that made it holds a lock on it. What carries such a name is never a source. A
//! killed process leaves it unlocked; then it is stale, and removed by the next process of the same user on the same host
//! that meets it. Locks may not reach other hosts, so what another host made stays. Without locks, as on Windows, all stays.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tempfile::{NamedTempFile, TempDir};

use crate::lock::lock;
use crate::printable;

/// Files of a checkpoint's folder beside its runs: what was done, the lock, what is elsewhere, and what will replace another.
pub(crate) const CHECKPOINT: [&str; 4] = [
    "doisift-manifest.jsonl",
    "doisift-lock",
    "doisift-remains.json",
    "doisift-new.tmp",
];

/// Whether the file at `path` is one of a checkpoint: it has such a name, and its folder has a manifest or a lock.
pub(crate) fn is_of_checkpoint(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let has = |name: &str| folder.join(name).is_file();
    (CHECKPOINT.contains(&name) || is_run(name)) && (has(CHECKPOINT[0]) || has(CHECKPOINT[1]))
}

/// The name of a run in its folder: so many random letters and digits between two constants.
pub(crate) const RUN: (&str, usize, &str) = ("doisift-", 16, ".run");

/// Whether a file of this name is a run.
pub(crate) fn is_run(name: &str) -> bool {
    let (start, random, end) = RUN;
    let middle = name
        .strip_prefix(start)
        .and_then(|name| name.strip_suffix(end));
    middle.is_some_and(|m| m.len() == random && m.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// What every name starts with.
const START: &str = ".doisift-";
/// What follows, for an output and for a folder of runs.
const OUTPUT: &str = "output.";
const RUNS: &str = "runs.";
/// A run as version 0.1.0 named it: it is no source, but may be in use.
const OLD_RUN: &str = "run.";
const END: &str = ".tmp";
/// Characters of an output's own name that its temporary name keeps: a name may have 255 bytes.
const KEPT: usize = 40;
/// Hexadecimal digits of a host.
const HOST: usize = 8;
/// Characters that are made up, at least and at most.
const RANDOM: (usize, usize) = (6, 16);

/// Whether a file or folder of this name is a temporary one of some process, ended or not.
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    name.to_str().and_then(middle).is_some()
}

/// Whether a name starts as all do that are given here: a quick look at every file below a folder.
pub(crate) fn may_be_own(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.strip_prefix(b".")
        .unwrap_or(name)
        .starts_with(b"doisift-")
}

/// What a temporary name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Output,
    Runs,
    /// A run of version 0.1.0.
    Old,
}

/// What a name is for, and which host gave it; none if it is none of ours.
fn middle(name: &str) -> Option<(What, &str)> {
    let name = name.strip_prefix(START)?.strip_suffix(END)?;
    let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if let Some(random) = name.strip_prefix(OLD_RUN) {
        return (random.len() == RANDOM.0 && letters(random)).then_some((What::Old, ""));
    }
    let (what, rest) = match name.strip_prefix(RUNS) {
        Some(rest) => (What::Runs, rest),
        None => {
            let (_, rest) = name.strip_prefix(OUTPUT)?.rsplit_once('.')?;
            (What::Output, rest)
        }
    };
    let (host, random) = rest.split_once('-')?;
    let is_host = host.len() == HOST && host.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_random = (RANDOM.0..=RANDOM.1).contains(&random.len()) && letters(random);
    (is_host && is_random).then_some((what, host))
}

/// The start of the temporary name of an output at `path`; some letters and digits and [`END`] follow.
fn output_start(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(KEPT).collect();
    format!("{START}{OUTPUT}{name}.{}-", host())
}

/// The temporary name of an output at `path`, given what makes it unique.
pub(crate) fn output_name(path: &Path, mark: &str) -> String {
    output_start(path) + mark + END
}

/// A new temporary file in `folder` for an output at `path`, with `mark` in its name or something random.
///
/// # Errors
/// If it cannot be made; they are the system's own.
pub(crate) fn output(
    folder: &Path,
    path: &Path,
    mark: Option<&str>,
) -> io::Result<NamedTempFile<File>> {
    sweep(folder);
    // Opened here, not by tempfile: any new file's permissions, and the system's own words if it fails.
    let open = |path: &Path| loop {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        if hold(&file, path) {
            return Ok(file);
        }
    };
    let mut builder = tempfile::Builder::new();
    match mark {
        Some(mark) => builder
            .prefix(&output_name(path, mark))
            .rand_bytes(0)
            .make_in(folder, open),
        None => builder
            .prefix(&output_start(path))
            .suffix(END)
            .make_in(folder, open),
    }
}

/// A temporary folder for runs. Removed with all that is in it when it is dropped.
#[derive(Debug)]
pub(crate) struct RunFolder {
    folder: TempDir,
    /// Locked until it is closed; none where folders cannot be opened.
    _lock: Option<File>,
}

impl RunFolder {
    /// Makes one in `folder`.
    ///
    /// # Errors
    /// If that cannot be done.
    pub(crate) fn create_in(folder: &Path) -> io::Result<RunFolder> {
        sweep(folder);
        let start = format!("{START}{RUNS}{}-", host());
        loop {
            let made = tempfile::Builder::new()
                .prefix(&start)
                .suffix(END)
                .tempdir_in(folder)?;
            let lock = File::open(made.path()).ok();
            if lock.as_ref().is_none_or(|lock| hold(lock, made.path())) {
                return Ok(RunFolder {
                    folder: made,
                    _lock: lock,
                });
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A [`RunFolder`] that is made when it is first wanted.
#[derive(Debug, Default)]
pub(crate) struct LazyRunFolder(Mutex<Option<Arc<RunFolder>>>);

impl LazyRunFolder {
    /// The folder, made in `folder` by the first call, which gives its path to `note`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn get(&self, folder: &Path, note: &dyn Fn(&Path)) -> io::Result<Arc<RunFolder>> {
        let mut made = lock(&self.0);
        if let Some(made) = &*made {
            return Ok(Arc::clone(made));
        }
        let new = Arc::new(RunFolder::create_in(folder)?);
        note(new.path());
        Ok(Arc::clone(made.insert(new)))
    }

    /// Forgets the folder, which is removed when the last run in it is.
    pub(crate) fn clear(&self) {
        let mut made = lock(&self.0);
        *made = None;
    }
}

/// Removes what killed processes left in `folder`.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if is_temporary(&entry.file_name()) {
            remove_stale(&entry.path());
        }
    }
}

/// Removes the temporary file or folder at `path` if a process of this user on this host made it and has ended.
pub(crate) fn remove_stale(path: &Path) {
    let name = path.file_name().and_then(OsStr::to_str).and_then(middle);
    let Some((what @ (What::Output | What::Runs), host_of_name)) = name else {
        return;
    };
    if host_of_name == host() && unix::remove_unused(path, what == What::Runs) {
        log::info!(
            "{}: removed: a run that was killed left it",
            printable::path(path)
        );
    }
}

/// Locks what was just made at `path` until it is closed. False if another process took it for a stale one and removed it.
fn hold(file: &File, path: &Path) -> bool {
    unix::lock(file, true);
    unix::is_at(file, path)
}

/// What stands for this host in a name.
fn host() -> String {
    format!(
        "{:08x}",
        xxhash_rust::xxh3::xxh3_64(&unix::host_name()) as u32
    )
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, File, Metadata, OpenOptions};
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::path::Path;

    use rustix::fs::{FlockOperation, OFlags, flock};

    pub(super) fn host_name() -> Vec<u8> {
        rustix::system::uname().nodename().to_bytes().to_vec()
    }

    /// Whether the lock was obtained. Where there are no locks, nothing is ever taken for stale.
    pub(super) fn lock(file: &File, wait: bool) -> bool {
        let operation = match wait {
            true => FlockOperation::LockExclusive,
            false => FlockOperation::NonBlockingLockExclusive,
        };
        loop {
            match flock(file, operation) {
                Err(rustix::io::Errno::INTR) => {}
                locked => return locked.is_ok(),
            }
        }
    }

    /// Whether the open file is the one at `path`.
    pub(super) fn is_at(file: &File, path: &Path) -> bool {
        let id = |at: Metadata| (at.dev(), at.ino());
        let there = fs::symlink_metadata(path).map(id);
        there.is_ok_and(|there| file.metadata().is_ok_and(|own| id(own) == there))
    }

    /// Removes a file, or a folder with the files in it, that this user owns and no process has locked. Follows no link.
    pub(super) fn remove_unused(path: &Path, is_folder: bool) -> bool {
        // A FIFO of that name must not make it wait.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(flags as i32)
            .open(path);
        let Ok(file) = opened else { return false };
        let own = file.metadata().is_ok_and(|at| {
            at.uid() == rustix::process::geteuid().as_raw()
                && if is_folder { at.is_dir() } else { at.is_file() }
        });
        if !own || !lock(&file, false) || !is_at(&file, path) {
            return false;
        }
        match is_folder {
            true => remove_runs(path),
            false => fs::remove_file(path).is_ok(),
        }
    }

    /// Removes a folder of runs. One that holds anything else stays.
    fn remove_runs(folder: &Path) -> bool {
        let Ok(entries) = fs::read_dir(folder) else {
            return false;
        };
        for entry in entries.flatten() {
            let is_run = entry.file_name().to_str().is_some_and(super::is_run);
            if is_run && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                // Whatever is left keeps the folder.
                let _ = fs::remove_file(entry.path());
            }
        }
        fs::remove_dir(folder).is_ok()
    }
}

#[cfg(not(unix))]
mod unix {
    use std::fs::File;
    use std::path::Path;

    pub(super) fn host_name() -> Vec<u8> {
        Vec::new()
    }

    pub(super) fn lock(_: &File, _: bool) -> bool {
        false
    }

    pub(super) fn is_at(_: &File, _: &Path) -> bool {
        true
    }

    pub(super) fn remove_unused(_: &Path, _: bool) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_name_is_none_of_ours() {
        let ours = [
            output_name(Path::new("a/o.csv"), "0123456789abcdef"),
            output_name(Path::new("a/.b-c.d.tmp"), "abcDEF"),
            format!(".doisift-runs.{}-AbC123.tmp", host()),
            ".doisift-run.a1B2c3.tmp".to_owned(),
        ];
        for name in ours {
            assert!(is_temporary(OsStr::new(&name)), "{name}");
        }
        for name in [
            ".o.csv.a1B2c3.tmp",
            ".something.tmp",
            ".doisift.tmp",
            ".doisift-output.tmp",
            ".doisift-output.o.csv.tmp",
            ".doisift-output.o.csv.01234567-a.tmp",
            ".doisift-output.o.csv.0123456-abcdef.tmp",
            ".doisift-output.o.csv.0123456x-abcdef.tmp",
            ".doisift-output.o.csv.01234567-abcdef.tmp.txt",
            ".doisift-runs.01234567-abc.ef.tmp",
            "doisift-runs.01234567-abcdef.tmp",
            ".doisift-run.long-notes.tmp",
        ] {
            assert!(!is_temporary(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn long_names_are_cut_so_that_the_system_takes_them() {
        let name = output_name(Path::new(&"ü".repeat(127)), &"a".repeat(16));
        assert!(
            name.len() < 255 && is_temporary(OsStr::new(&name)),
            "{name}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_is_locked_stays_and_what_is_stale_goes() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let path = place.path();
        let held = output(path, Path::new("a"), None)?;
        let runs = RunFolder::create_in(path)?;
        fs::write(path.join(output_name(Path::new("b"), "abcdef")), "stale")?;
        let stale = path.join(format!(".doisift-runs.{}-abcdef.tmp", host()));
        fs::create_dir(&stale)?;
        fs::write(stale.join("doisift-0123456789abcdef.run"), "stale")?;
        fs::write(path.join(".doisift-output.c.00000000-abcdef.tmp"), "")?;
        fs::write(path.join(".doisift-run.a1B2c3.tmp"), "may be in use")?;
        sweep(path);
        assert!(held.path().exists() && runs.path().exists());
        drop((held, runs));
        let names = fs::read_dir(path)?.flatten().map(|entry| entry.file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        let kept = [
            ".doisift-output.c.00000000-abcdef.tmp",
            ".doisift-run.a1B2c3.tmp",
        ];
        assert_eq!(names, kept);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn links_and_folders_with_other_files_stay() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let path = place.path();
        fs::write(path.join("precious"), "")?;
        let link = path.join(output_name(Path::new("b"), "abcdef"));
        std::os::unix::fs::symlink(path.join("precious"), &link)?;
        let folder = path.join(format!(".doisift-runs.{}-abcdef.tmp", host()));
        fs::create_dir(&folder)?;
        fs::write(folder.join("notes"), "")?;
        sweep(path);
        assert!(path.join("precious").exists() && fs::symlink_metadata(link).is_ok());
        assert!(folder.join("notes").exists());
        Ok(())
    }
}
