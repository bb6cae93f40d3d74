//! Arguments to sources: walks folders, applies globs, sorts, drops repeats, takes a shard of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use walkdir::{DirEntry, WalkDir};

use super::fault::InputError;
use super::name::{display_name, folder_root};
use super::open::is_pipe;
use super::shard::{Shard, hash};
use crate::printable;
use crate::temporary::{is_of_checkpoint, is_temporary, may_be_own, remove_stale};

/// A file or stream to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// What to open, and what its name is made from; `-` for standard input.
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    /// It was named itself, and not only found below a folder.
    pub(crate) named: bool,
}

impl Source {
    /// Whether another program writes it while it is read.
    pub(crate) fn is_pipe(&self) -> bool {
        self.kind != Kind::File && is_pipe(&self.path)
    }
}

/// What a source is, which tells how it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file: its size is known, and it can be read at any offset.
    File,
    /// A FIFO or device that was named: opening and reading it may wait.
    Stream,
    /// Standard input.
    Stdin,
}

/// A path that could not be looked at.
#[derive(Debug)]
pub(crate) struct Lost {
    pub(crate) path: PathBuf,
    pub(crate) error: InputError,
}

/// What was met below folders and is no source.
#[derive(Debug, Default)]
pub(crate) struct PassedOver {
    /// Symbolic links, and the first of them by path.
    pub(crate) links: (u64, Option<PathBuf>),
    /// FIFOs, sockets and devices, and the first of them by path.
    pub(crate) special: (u64, Option<PathBuf>),
    /// Temporary files of doisift that were named.
    pub(crate) temporary: Vec<PathBuf>,
    /// Folders that were named and hold no source.
    pub(crate) empty: Vec<PathBuf>,
}

/// Which files below a folder are wanted.
#[derive(Debug, Default)]
pub(crate) struct Search {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    shard: Option<Shard>,
}

impl Search {
    /// Takes all files if `include` is empty, else those that one of it matches; then leaves out what one of `exclude`
    /// matches. A glob without `/` is held against the file's name, any other against the path below the folder; an
    /// excluded folder is not entered.
    pub(crate) fn new(include: &[String], exclude: &[String]) -> Result<Self, BadGlob> {
        Ok(Search {
            include: glob_set(include)?,
            exclude: glob_set(exclude)?,
            shard: None,
        })
    }

    /// Whether some files below folders are not wanted.
    pub(crate) fn has_globs(&self) -> bool {
        self.include.is_some() || self.exclude.is_some()
    }

    /// Takes only the sources of `shard`.
    pub(crate) fn shard(self, shard: Option<Shard>) -> Self {
        Search { shard, ..self }
    }

    /// The sources that `paths` lead to, bytewise by name and each once, the paths that could not be looked at, and what was
    /// passed over; fewer of all if `is_over` says meanwhile that nobody wants them any more.
    pub(crate) fn find(
        &self,
        paths: &[PathBuf],
        is_over: &dyn Fn() -> bool,
    ) -> (Vec<Source>, Vec<Lost>, PassedOver) {
        let mut found = Found::default();
        for path in paths.iter().take_while(|_| !is_over()) {
            self.add(path, &mut found, is_over);
        }
        sort(&mut found.sources);
        found.sources.dedup_by(|(a, _), (b, _)| {
            let same = a.path.as_os_str() == b.path.as_os_str();
            b.named |= same && a.named;
            same
        });
        let mine = |hash| self.shard.is_none_or(|shard| shard.takes(hash));
        let sources = found.sources.into_iter();
        let sources = sources.filter_map(|(source, hash)| mine(hash).then_some(source));
        (sources.collect(), found.lost, found.passed_over)
    }

    fn add(&self, path: &Path, found: &mut Found, is_over: &dyn Fn() -> bool) {
        if path.as_os_str() == "-" {
            found.add(path, Kind::Stdin);
            return;
        }
        if path.file_name().is_some_and(is_temporary) {
            return found.passed_over.temporary.push(path.to_owned());
        }
        match fs::metadata(path) {
            Ok(at) if at.is_dir() => self.walk(&folder_root(path), found, is_over),
            Ok(at) if at.is_file() => found.add(path, Kind::File),
            Ok(_) => found.add(path, Kind::Stream),
            Err(error) => found.lost.push(Lost {
                path: path.to_owned(),
                error: InputError::of_path(path, error),
            }),
        }
    }

    fn walk(&self, root: &Path, found: &mut Found, is_over: &dyn Fn() -> bool) {
        let before = (found.sources.len(), found.lost.len());
        let entries = WalkDir::new(root)
            .into_iter()
            .filter_entry(|entry| !self.excluded(root, entry) && !passed_over(entry));
        for entry in entries.take_while(|_| !is_over()) {
            match entry {
                Ok(entry) if entry.file_type().is_file() && self.included(root, entry.path()) => {
                    found.add_below(root, entry.into_path());
                }
                Ok(entry) if self.might_hold_sources(root, &entry) => found.passed_over.add(&entry),
                Ok(_) => {}
                Err(error) => found.lost.push(unwalkable(root, error)),
            }
        }
        if before == (found.sources.len(), found.lost.len()) && !is_over() {
            found.passed_over.empty.push(root.to_owned());
        }
    }

    /// Whether what is below a folder and is neither a file nor a folder would be read if it was named or followed.
    fn might_hold_sources(&self, root: &Path, entry: &DirEntry) -> bool {
        let kind = entry.file_type();
        let is_other = entry.depth() > 0 && !kind.is_dir() && !kind.is_file();
        is_other && (self.included(root, entry.path()) || entry.path().is_dir())
    }

    fn excluded(&self, root: &Path, entry: &DirEntry) -> bool {
        entry.depth() > 0
            && self
                .exclude
                .as_ref()
                .is_some_and(|set| set.is_match(below(root, entry.path())))
    }

    fn included(&self, root: &Path, path: &Path) -> bool {
        self.include
            .as_ref()
            .is_none_or(|set| set.is_match(below(root, path)))
    }
}

/// A glob that has no meaning, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the glob {} has no meaning: {why}", printable::name(glob))]
pub struct BadGlob {
    glob: String,
    why: String,
}

impl BadGlob {
    fn new(glob: &str, error: &globset::Error) -> Self {
        BadGlob {
            glob: glob.to_owned(),
            why: error.kind().to_string(),
        }
    }
}

#[derive(Default)]
struct Found {
    /// With the hash that says which shard each belongs to.
    sources: Vec<(Source, u64)>,
    lost: Vec<Lost>,
    passed_over: PassedOver,
}

impl PassedOver {
    fn add(&mut self, entry: &DirEntry) {
        let noted = match entry.file_type().is_symlink() {
            true => &mut self.links,
            false => &mut self.special,
        };
        noted.0 += 1;
        if noted.1.as_deref().is_none_or(|first| entry.path() < first) {
            noted.1 = Some(entry.path().to_owned());
        }
    }
}

impl Found {
    /// Adds what was named.
    fn add(&mut self, path: &Path, kind: Kind) {
        let path = path.to_owned();
        let hash = hash(&path);
        let named = true;
        self.sources.push((Source { path, kind, named }, hash));
    }

    /// Adds a file below a folder.
    fn add_below(&mut self, root: &Path, path: PathBuf) {
        let hash = hash(below(root, &path));
        let (kind, named) = (Kind::File, false);
        self.sources.push((Source { path, kind, named }, hash));
    }
}

/// Whether it is a file or folder that this or another run made for itself. Removes it if it is of no use any more.
fn passed_over(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !may_be_own(entry.file_name()) {
        return false;
    }
    let temporary = is_temporary(entry.file_name());
    if temporary {
        remove_stale(entry.path());
    }
    temporary || is_of_checkpoint(entry.path())
}

fn below<'p>(root: &Path, path: &'p Path) -> &'p Path {
    path.strip_prefix(root).unwrap_or(path)
}

fn unwalkable(root: &Path, error: walkdir::Error) -> Lost {
    let path = error.path().unwrap_or(root).to_owned();
    let error = error
        .into_io_error()
        .unwrap_or_else(|| io::ErrorKind::Other.into());
    Lost {
        path,
        error: error.into(),
    }
}

fn glob_set(globs: &[String]) -> Result<Option<GlobSet>, BadGlob> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(compiled(glob).map_err(|error| BadGlob::new(glob, &error))?);
    }
    let set = set.build();
    set.map(Some)
        .map_err(|error| BadGlob::new(&globs.join(" "), &error))
}

fn compiled(glob: &str) -> Result<Glob, globset::Error> {
    let anywhere = if glob.contains('/') {
        String::new()
    } else {
        "**/".to_owned()
    };
    GlobBuilder::new(&(anywhere + glob.trim_start_matches('/')))
        .literal_separator(true)
        .build()
}

/// Sorts bytewise by name, which is the path's own bytes unless some are not UTF-8. Of one path that was found below several
/// folders the least hash comes first, so that all shards agree on whose it is.
fn sort(sources: &mut [(Source, u64)]) {
    if sources
        .iter()
        .all(|(source, _)| source.path.to_str().is_some())
    {
        sources.sort_unstable_by(|(a, x), (b, y)| {
            a.path.as_os_str().cmp(b.path.as_os_str()).then(x.cmp(y))
        });
    } else {
        sources.sort_by_cached_key(|(source, hash)| {
            (
                display_name(&source.path).into_owned(),
                source.path.clone().into_os_string(),
                *hash,
            )
        });
    }
}
