//! Temporary files and folders: their names, and locks that show whether a process still uses them.
//!
//! An incomplete output is named `.doisift-output.NAME.HOST-RANDOM.tmp`, and a folder of sorted runs
//! `.doisift-runs.HOST-RANDOM.tmp`. The process that created it holds a lock on it. A file with such a name is never a source.
//! A killed process leaves it unlocked. Then it is stale, and the next process of the same user on the same host that finds it
//! removes it. Locks may not reach other hosts, so files of other hosts are left alone.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use doisift_documents::printable;
use doisift_system::{hold_folder, hold_unused, host_name, is_at, lock as lock_file};
use tempfile::{NamedTempFile, TempDir};

use crate::lock::lock;

/// Files in the folder of a checkpoint, except its runs: the manifest, the lock, the list of temporary files in other folders,
/// and the new version of a file before it replaces the old one.
pub(crate) const CHECKPOINT_FILES: [&str; 4] = [
    "doisift-manifest.jsonl",
    "doisift-lock",
    "doisift-remains.json",
    "doisift-new.tmp",
];

/// Whether the file at `path` belongs to a checkpoint: it has such a name, and its folder has a manifest or a lock.
fn is_of_checkpoint(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let has = |name: &str| folder.join(name).is_file();
    let is_ours = CHECKPOINT_FILES.contains(&name) || is_run(name) || is_part_log(name);
    is_ours && (has(CHECKPOINT_FILES[0]) || has(CHECKPOINT_FILES[1]))
}

/// The name of a run: this start, this many random letters and digits, and this end.
pub(crate) const RUN_NAME: (&str, usize, &str) = ("doisift-", 16, ".run");

/// Whether the file or folder at `path` is a temporary one of doisift, or belongs to a checkpoint and was not `named` as a
/// source. Removes a stale temporary one that was not named.
pub(crate) fn is_own(path: &Path, named: bool) -> bool {
    let Some(name) = path.file_name().filter(|name| may_be_own(name)) else {
        return false;
    };
    let temporary = is_temporary(name);
    if temporary && !named {
        remove_stale(path);
    }
    temporary || !named && is_of_checkpoint(path)
}

/// Whether this is the name of a run.
pub(crate) fn is_run(name: &str) -> bool {
    let (start, random, end) = RUN_NAME;
    let middle = name
        .strip_prefix(start)
        .and_then(|name| name.strip_suffix(end));
    middle.is_some_and(|m| m.len() == random && m.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// The name of the log of a folder of parts: this start, this many hexadecimal digits, and this end.
const PART_LOG: (&str, usize, &str) = ("doisift-parts-", 16, ".jsonl");

/// Returns the name of the log for the folder of parts at `path`, which must be canonical.
pub(crate) fn part_log(path: &OsStr) -> String {
    let (start, digits, end) = PART_LOG;
    let sum = xxhash_rust::xxh3::xxh3_64(path.as_encoded_bytes());
    format!("{start}{sum:0digits$x}{end}")
}

/// Whether this is the name of a log of parts.
pub(crate) fn is_part_log(name: &str) -> bool {
    let (start, digits, end) = PART_LOG;
    let middle = name
        .strip_prefix(start)
        .and_then(|name| name.strip_suffix(end));
    middle.is_some_and(|m| m.len() == digits && m.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The start of all names of temporary files.
const NAME_START: &str = ".doisift-";
/// The part after [`NAME_START`] in the name of an output, and of a folder of runs.
const OUTPUT_MARK: &str = "output.";
const RUNS_MARK: &str = "runs.";
/// The part after [`NAME_START`] in the name of a run of version 0.1.0. Such a file is never a source, and never removed, since it may
/// be in use.
const OLD_RUN_MARK: &str = "run.";
const NAME_END: &str = ".tmp";
/// Max characters of an output's own name in its temporary name, which must be shorter than 255 bytes.
const MAX_KEPT_CHARS: usize = 40;
/// Number of hexadecimal digits that identify a host.
const HOST_DIGITS: usize = 8;
/// Min and max number of random characters.
const MIN_RANDOM_CHARS: usize = 6;
const MAX_RANDOM_CHARS: usize = 16;

/// Whether this is the name of a temporary file or folder, in use or stale.
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    name.to_str().and_then(middle).is_some()
}

/// Whether a name starts like those of this module. A quick first check of every file below a folder.
fn may_be_own(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.strip_prefix(b".")
        .unwrap_or(name)
        .starts_with(b"doisift-")
}

/// Purpose of a temporary file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Output,
    Runs,
    /// A run of version 0.1.0.
    Old,
}

/// Returns the purpose of a file of this name, and the host that created it. Returns `None` if it is not a name of a temporary
/// file.
fn middle(name: &str) -> Option<(Purpose, &str)> {
    let name = name.strip_prefix(NAME_START)?.strip_suffix(NAME_END)?;
    let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if let Some(random) = name.strip_prefix(OLD_RUN_MARK) {
        return (random.len() == MIN_RANDOM_CHARS && letters(random)).then_some((Purpose::Old, ""));
    }
    let (what, rest) = match name.strip_prefix(RUNS_MARK) {
        Some(rest) => (Purpose::Runs, rest),
        None => {
            let (_, rest) = name.strip_prefix(OUTPUT_MARK)?.rsplit_once('.')?;
            (Purpose::Output, rest)
        }
    };
    let (host, random) = rest.split_once('-')?;
    let is_host = host.len() == HOST_DIGITS && host.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_random =
        (MIN_RANDOM_CHARS..=MAX_RANDOM_CHARS).contains(&random.len()) && letters(random);
    (is_host && is_random).then_some((what, host))
}

/// Returns the temporary name of an output at `path`, without the random characters and [`NAME_END`].
fn output_start(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(MAX_KEPT_CHARS).collect();
    format!("{NAME_START}{OUTPUT_MARK}{name}.{}-", host())
}

/// Returns the temporary name of an output at `path`, with `mark` in place of the random characters.
pub(crate) fn output_name(path: &Path, mark: &str) -> String {
    output_start(path) + mark + NAME_END
}

/// Creates a temporary file in `folder` for an output at `path`, with `mark` or random characters in its name. Does not [sweep]
/// the folder; the caller does, once for all outputs in it.
///
/// # Errors
/// The system's error if it cannot be created.
pub(crate) fn output(
    folder: &Path,
    path: &Path,
    mark: Option<&str>,
) -> io::Result<NamedTempFile<File>> {
    // Not opened by tempfile, to get the usual permissions of a new file and the error text of the system.
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
            .suffix(NAME_END)
            .make_in(folder, open),
    }
}

/// A temporary folder for runs, removed with its content when dropped.
#[derive(Debug)]
pub(crate) struct RunFolder {
    /// Lock on the folder. `None` if the system cannot lock folders. Dropped first, since some systems cannot remove a locked
    /// folder.
    _held: Option<File>,
    folder: TempDir,
}

impl RunFolder {
    /// Creates a folder for runs in `folder`.
    ///
    /// # Errors
    /// If the system cannot create it.
    pub(crate) fn create_in(folder: &Path) -> io::Result<RunFolder> {
        sweep(folder);
        let start = format!("{NAME_START}{RUNS_MARK}{}-", host());
        loop {
            let made = tempfile::Builder::new()
                .prefix(&start)
                .suffix(NAME_END)
                .tempdir_in(folder)?;
            let held = hold_folder(made.path()).ok();
            if held.as_ref().is_none_or(|held| is_at(held, made.path())) {
                return Ok(RunFolder {
                    _held: held,
                    folder: made,
                });
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A [`RunFolder`] that is created when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct LazyRunFolder(Mutex<Option<Arc<RunFolder>>>);

impl LazyRunFolder {
    /// Returns the run folder. The first call creates it in `folder` and passes its path to `note`.
    ///
    /// # Errors
    /// If the system cannot create it.
    pub(crate) fn get(&self, folder: &Path, note: &dyn Fn(&Path)) -> io::Result<Arc<RunFolder>> {
        let mut made = lock(&self.0);
        if let Some(made) = &*made {
            return Ok(Arc::clone(made));
        }
        let new = Arc::new(RunFolder::create_in(folder)?);
        note(new.path());
        Ok(Arc::clone(made.insert(new)))
    }
}

/// Removes the stale temporary files in `folder`.
pub(crate) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if is_temporary(&entry.file_name()) {
            remove_stale(&entry.path());
        }
    }
}

/// Removes the temporary file or folder at `path` if it is stale: a process of this user on this host created it and has ended.
pub(crate) fn remove_stale(path: &Path) {
    let name = path.file_name().and_then(OsStr::to_str).and_then(middle);
    let Some((what @ (Purpose::Output | Purpose::Runs), host_of_name)) = name else {
        return;
    };
    if host_of_name == host() && remove_unused(path, what == Purpose::Runs) {
        log::info!("{}: removed; a killed run left it", printable::path(path));
    }
}

/// Locks the file just created at `path` until it is closed. Returns false if another process removed it as stale in between.
fn hold(file: &File, path: &Path) -> bool {
    // On a file system without locks, files are never considered stale.
    let _ = lock_file(file, true);
    is_at(file, path)
}

/// Returns the part of a name that identifies this host.
fn host() -> String {
    format!("{:08x}", xxhash_rust::xxh3::xxh3_64(&host_name()) as u32)
}

/// Removes a file, or a folder with its runs, if this user owns it and no process has a lock on it. Follows no links. Leaves a
/// folder with other files. Returns whether it was removed.
fn remove_unused(path: &Path, is_folder: bool) -> bool {
    // Windows may refuse to list a locked folder.
    let runs = match is_folder {
        true => runs_in(path),
        false => Vec::new(),
    };
    let Some(_held) = hold_unused(path, is_folder) else {
        return false;
    };
    if !is_folder {
        return fs::remove_file(path).is_ok();
    }
    for run in runs {
        // If a run cannot be removed, `remove_dir` below fails, and the folder stays.
        let _ = fs::remove_file(run);
    }
    fs::remove_dir(path).is_ok()
}

/// Returns the paths of the runs in a folder.
fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let is_run = |entry: &fs::DirEntry| {
        let is_named = entry.file_name().to_str().is_some_and(is_run);
        is_named && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    let runs = entries.flatten().filter(is_run);
    runs.map(|entry| entry.path()).collect()
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

    #[test]
    fn what_is_locked_stays_and_what_is_stale_goes() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path();
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

    #[test]
    fn links_and_folders_with_other_files_stay() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path();
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
