//! Finds sources from arguments: walks folders, applies globs, follows links if asked to, sorts, removes repeats, selects a
//! shard.

use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use doisift_system::{FileId, FileStatus, bytes_of, path_of};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use walkdir::{DirEntry, WalkDir};

use super::fault::InputError;
use super::name::folder_root;
use super::remote::RemoteSources;
use super::shard::Shard;
use super::sources::{SourceCollector, SourceKind, Sources};
use crate::printable;

/// A path whose metadata or entries could not be read, and the error.
#[derive(Debug)]
pub struct UnreadablePath {
    /// The path.
    pub path: PathBuf,
    /// Why it could not be read.
    pub error: InputError,
}

/// Files and links that were passed over.
#[derive(Debug, Default)]
pub struct SkippedPaths {
    /// Symbolic links, and the first of them by path.
    pub links: (u64, Option<PathBuf>),
    /// FIFOs, sockets and devices, and the first of them by path.
    pub special: (u64, Option<PathBuf>),
    /// Files of the [caller's own](SourceSearch::skip_own_files) that were named.
    pub temporary: Vec<PathBuf>,
    /// Folders that were named and have no sources.
    pub empty: Vec<PathBuf>,
    /// Files that a glob does not match only because of case, and the first of them by path.
    pub other_case: (u64, Option<PathBuf>),
}

/// The rules for files below folders.
#[derive(Debug, Default)]
pub struct SourceSearch {
    include: Option<GlobPair>,
    exclude: Option<GlobPair>,
    shard: Option<Shard>,
    follow_links: bool,
    /// The name of standard input, if that is not `-`.
    stdin_name: Option<String>,
    own: Option<IsOwnFile>,
    remote: Option<Arc<dyn RemoteSources>>,
}

/// Whether a path is a file or folder of the caller, such as a temporary file, and so not a source. The flag says that the
/// path was named, and not found below a folder.
pub type IsOwnFile = fn(&Path, bool) -> bool;

/// Globs, as they are written, and the same ignoring case.
#[derive(Debug)]
struct GlobPair {
    exact: GlobSet,
    any_case: GlobSet,
}

impl GlobPair {
    /// Whether a path matches only if case is ignored.
    fn differs_in_case(&self, path: &Path) -> bool {
        !self.exact.is_match(path) && self.any_case.is_match(path)
    }
}

/// The result of a search.
pub struct FoundSources {
    /// Sorted bytewise by name, each once.
    pub sources: Sources,
    /// Files, links and folders that are not sources.
    pub passed_over: SkippedPaths,
    /// Whether a folder was named.
    pub has_folder: bool,
}

/// Searches for sources.
pub struct SourceFinder<'s> {
    search: &'s SourceSearch,
    /// Returns true if the task was cancelled; then the search ends early.
    is_over: &'s dyn Fn() -> bool,
    /// Called with each path that could not be read.
    report_loss: &'s dyn Fn(UnreadablePath),
    /// Folders that were named.
    folders: Vec<PathBuf>,
    /// Prefixes of objects that were named.
    prefixes: Vec<String>,
    sources: SourceCollector,
    passed_over: SkippedPaths,
    /// Number of paths that could not be read.
    lost: Cell<u64>,
    /// The state of following links.
    followed: FollowedLinks,
}

/// The targets of links below folders.
#[derive(Default)]
struct FollowedLinks {
    /// Folders that were walked.
    folders: HashSet<FileId>,
    /// Links that were not followed yet, each with the named folder that it is below.
    waiting: BTreeSet<(PathBuf, PathBuf)>,
    /// The files that links lead to, each with the first path to it in bytewise order and the named folder.
    files: BTreeMap<FileId, (PathBuf, PathBuf)>,
}

impl SourceSearch {
    /// Selects all files if `include` is empty, otherwise those that match one of its globs, without those that match one of
    /// `exclude`. A glob without `/` is matched with the file's name, any other with the path below the folder. An excluded
    /// folder is not entered.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, BadGlob> {
        Ok(SourceSearch {
            include: glob_set(include)?,
            exclude: glob_set(exclude)?,
            shard: None,
            follow_links: false,
            stdin_name: None,
            own: None,
            remote: None,
        })
    }

    /// Whether there are globs.
    pub fn has_globs(&self) -> bool {
        self.include.is_some() || self.exclude.is_some()
    }

    /// Selects only the sources of `shard`.
    pub fn shard(self, shard: Option<Shard>) -> Self {
        SourceSearch { shard, ..self }
    }

    /// Sets the name of standard input as a source.
    pub fn stdin_name(self, stdin_name: Option<String>) -> Self {
        SourceSearch { stdin_name, ..self }
    }

    /// Returns the name that standard input was given as a source.
    pub fn given_stdin_name(&self) -> Option<&str> {
        self.stdin_name.as_deref()
    }

    /// Follows symbolic links below folders.
    pub fn follow_links(self, follow_links: bool) -> Self {
        SourceSearch {
            follow_links,
            ..self
        }
    }

    /// Passes over the caller's own files and folders.
    pub fn skip_own_files(self, own: IsOwnFile) -> Self {
        SourceSearch {
            own: Some(own),
            ..self
        }
    }

    /// Takes addresses as objects of these services.
    pub fn remote(self, remote: Option<Arc<dyn RemoteSources>>) -> Self {
        SourceSearch { remote, ..self }
    }

    fn is_own(&self, path: &Path, named: bool) -> bool {
        self.own.is_some_and(|own| own(path, named))
    }

    /// Starts a search. `report_loss` gets each path that could not be read. The search ends early when `is_over` returns true.
    pub fn start<'s>(
        &'s self,
        is_over: &'s dyn Fn() -> bool,
        report_loss: &'s dyn Fn(UnreadablePath),
    ) -> SourceFinder<'s> {
        SourceFinder {
            search: self,
            is_over,
            report_loss,
            folders: Vec::new(),
            prefixes: Vec::new(),
            sources: SourceCollector::default(),
            passed_over: SkippedPaths::default(),
            lost: Cell::new(0),
            followed: FollowedLinks::default(),
        }
    }

    fn is_excluded(&self, root: &Path, entry: &DirEntry) -> bool {
        entry.depth() > 0
            && self
                .exclude
                .as_ref()
                .is_some_and(|globs| globs.exact.is_match(below(root, entry.path())))
    }

    /// Whether a path or a folder above it is excluded.
    fn is_below_excluded(&self, root: &Path, path: &Path) -> bool {
        let Some(globs) = &self.exclude else {
            return false;
        };
        let mut paths = below(root, path).ancestors();
        paths.any(|path| globs.exact.is_match(path))
    }

    fn is_included(&self, root: &Path, path: &Path) -> bool {
        self.include
            .as_ref()
            .is_none_or(|globs| globs.exact.is_match(below(root, path)))
    }

    /// Whether a file matches a glob only if case is ignored.
    fn differs_in_case(&self, root: &Path, path: &Path) -> bool {
        let mut globs = [&self.include, &self.exclude].into_iter().flatten();
        globs.any(|globs| globs.differs_in_case(below(root, path)))
    }
}

impl SourceFinder<'_> {
    /// Adds a path. A folder is walked [at the end](Self::finish).
    pub fn add(&mut self, path: &Path) {
        if path.as_os_str() == "-" {
            let name = self.search.stdin_name.as_deref();
            let name = name.map_or(path, Path::new);
            return self.add_source(name, None, SourceKind::Stdin);
        }
        if self.search.is_own(path, true) {
            return self.passed_over.temporary.push(path.to_owned());
        }
        let services = self.search.remote.as_ref().zip(path.to_str());
        if let Some(name) = services.and_then(|(services, text)| services.name(text)) {
            return self.add_object(path, name);
        }
        match FileStatus::at(path) {
            Ok(at) if at.is_folder() => self.folders.push(folder_root(path)),
            Ok(at) if at.is_file() => self.add_source(path, None, SourceKind::File),
            Ok(_) => self.add_source(path, None, SourceKind::Stream),
            Err(error) => self.report_loss(path, InputError::of_path(path, error)),
        }
    }

    /// Adds an entry of a list that came from a service. Returns false if it is not an address.
    pub fn add_listed(&mut self, path: &Path) -> bool {
        let services = self.search.remote.as_ref().zip(path.to_str());
        let name = services.and_then(|(services, text)| services.listed_name(text));
        name.map(|name| self.add_object(path, name)).is_some()
    }

    /// Adds an object. Those below a prefix, which ends with `/`, are listed [at the end](Self::finish).
    fn add_object(&mut self, path: &Path, name: Result<String, InputError>) {
        match name {
            Ok(name) if name.ends_with('/') => self.prefixes.push(name),
            Ok(name) => self.add_source(Path::new(&name), None, SourceKind::Remote),
            Err(error) => self.report_loss(path, error),
        }
    }

    /// Adds a stream of the caller.
    pub fn add_reader(&mut self, name: &Path) {
        self.add_source(name, None, SourceKind::Reader);
    }

    /// Walks the folders, follows links, and returns all sources.
    pub fn finish(mut self) -> FoundSources {
        let has_folder = !self.folders.is_empty() || !self.prefixes.is_empty();
        for root in std::mem::take(&mut self.folders) {
            let before = self.found_counts();
            self.walk(&root, &root, false);
            if self.found_counts() == before && !(self.is_over)() {
                self.passed_over.empty.push(root);
            }
        }
        while let Some((link, root)) = self.followed.waiting.pop_first() {
            if (self.is_over)() {
                break;
            }
            self.follow(&link, &root);
        }
        self.add_followed();
        for prefix in std::mem::take(&mut self.prefixes) {
            self.list(&prefix);
        }
        FoundSources {
            sources: self
                .sources
                .finish(self.search.shard, self.search.remote.clone()),
            passed_over: self.passed_over,
            has_folder,
        }
    }

    /// Adds the objects below a prefix.
    fn list(&mut self, prefix: &str) {
        let (search, is_over) = (self.search, self.is_over);
        let Some(remote) = &search.remote else {
            return;
        };
        let root = Path::new(prefix);
        let before = self.sources.len();
        let listed = remote.list(prefix, &mut |name| {
            let path = Path::new(name);
            if search.differs_in_case(root, path) {
                count_first(&mut self.passed_over.other_case, path);
            }
            if !search.is_below_excluded(root, path) && search.is_included(root, path) {
                self.sources
                    .push(name.as_bytes(), Some(prefix.len()), SourceKind::Remote);
            }
            !is_over()
        });
        if let Err(error) = listed {
            self.report_loss(root, error);
        } else if self.sources.len() == before && !is_over() {
            self.passed_over.empty.push(root.to_owned());
        }
    }

    /// Returns the numbers of sources, links and unreadable paths so far.
    fn found_counts(&self) -> (usize, usize, u64) {
        let links = self.followed.waiting.len();
        (self.sources.len(), links, self.lost.get())
    }

    fn report_loss(&self, path: &Path, error: InputError) {
        let path = named(path);
        self.lost.set(self.lost.get() + 1);
        (self.report_loss)(UnreadablePath { path, error });
    }

    /// Adds a source. `root` is the folder below which it was found; `None` if it was named.
    fn add_source(&mut self, path: &Path, root: Option<&Path>, kind: SourceKind) {
        self.sources
            .push(&bytes_of(path), root.map(root_length), kind);
    }

    /// Walks `folder`, which is `root` or below it. `by_link` says that it was reached by a link.
    fn walk(&mut self, root: &Path, folder: &Path, by_link: bool) {
        let (search, is_over) = (self.search, self.is_over);
        let mut walked = std::mem::take(&mut self.followed.folders);
        // The target of a link is walked once. A named folder is always walked, since its paths may have other names.
        let mut is_due = |folder: &Path| {
            let at = FileStatus::at(folder).ok().filter(|_| search.follow_links);
            let id = at.and_then(|at| at.id());
            id.is_none_or(|id| walked.insert(id)) || !by_link
        };
        // WalkDir would walk a link as its root even if the filter excludes it.
        let is_due_itself = is_due(folder);
        let is_own = |entry: &DirEntry| entry.depth() > 0 && search.is_own(entry.path(), false);
        let is_wanted = |entry: &DirEntry| {
            let wanted = !search.is_excluded(root, entry) && !is_own(entry);
            let is_below = entry.depth() > 0 && entry.file_type().is_dir();
            wanted && (!is_below || is_due(entry.path()))
        };
        let entries = WalkDir::new(folder).into_iter().filter_entry(is_wanted);
        for entry in entries.take_while(|_| is_due_itself && !is_over()) {
            match entry {
                Ok(entry) if entry.depth() > 0 => self.add_entry(root, &entry, by_link),
                Ok(_) => {}
                Err(error) => self.report_walk_error(root, error),
            }
        }
        self.followed.folders = walked;
    }

    /// Handles an entry of a walk.
    fn add_entry(&mut self, root: &Path, entry: &DirEntry, by_link: bool) {
        let (kind, path) = (entry.file_type(), entry.path());
        if kind.is_file() && self.search.differs_in_case(root, path) {
            count_first(&mut self.passed_over.other_case, path);
        }
        if kind.is_symlink() && self.search.follow_links {
            let link = (path.to_owned(), root.to_owned());
            self.followed.waiting.insert(link);
        } else if !kind.is_file() && !kind.is_dir() {
            // Recorded if it could be a source, or a folder with sources.
            if self.search.is_included(root, path) || path.is_dir() {
                self.passed_over.add(entry);
            }
        } else if kind.is_file() && self.search.is_included(root, path) {
            // Metadata is read only for files reached by links, which saves a system call for every other file.
            match by_link.then(|| id(path)).flatten() {
                Some(id) => self.followed.add(path, root, id),
                None => self.add_source(path, Some(root), SourceKind::File),
            }
        }
    }

    fn report_walk_error(&self, root: &Path, error: walkdir::Error) {
        let path = error.path().unwrap_or(root).to_owned();
        let error = error.into_io_error();
        let error = error.unwrap_or_else(|| io::ErrorKind::Other.into());
        self.report_loss(&path, error.into());
    }

    /// Adds the target of a link, if it is a file or a folder.
    fn follow(&mut self, link: &Path, root: &Path) {
        match FileStatus::at(link) {
            Ok(at) if at.is_folder() => self.walk(root, link, true),
            Ok(at) if at.is_file() && self.search.is_included(root, link) => {
                let id = at.id().unwrap_or_default();
                self.followed.add(link, root, id);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let target = fs::read_link(link).unwrap_or_default();
                self.report_loss(link, InputError::BrokenLink(target));
            }
            Err(error) => self.report_loss(link, error.into()),
        }
    }

    /// Adds the files that only links lead to.
    fn add_followed(&mut self) {
        let mut files = std::mem::take(&mut self.followed.files);
        if files.is_empty() {
            return;
        }
        self.sources.each(|path| {
            if let Some(id) = id(path) {
                files.remove(&id);
            }
        });
        for (path, root) in files.values() {
            self.add_source(path, Some(root), SourceKind::File);
        }
    }
}

impl FollowedLinks {
    /// Adds a path to a file. The first path in bytewise order is kept.
    fn add(&mut self, path: &Path, root: &Path, id: FileId) {
        let new = || (path.to_owned(), root.to_owned());
        match self.files.entry(id) {
            Entry::Vacant(vacant) => {
                vacant.insert(new());
            }
            Entry::Occupied(mut found) => {
                if path.as_os_str() < found.get().0.as_os_str() {
                    found.insert(new());
                }
            }
        }
    }
}

fn id(path: &Path) -> Option<FileId> {
    FileStatus::at(path).ok()?.id()
}

/// A glob with wrong syntax, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the glob {} is wrong: {why}", printable::name(glob))]
pub struct BadGlob {
    glob: String,
    why: String,
}

impl BadGlob {
    pub(super) fn new(glob: &str, error: &globset::Error) -> Self {
        BadGlob {
            glob: glob.to_owned(),
            why: error.kind().to_string(),
        }
    }
}

impl SkippedPaths {
    fn add(&mut self, entry: &DirEntry) {
        let noted = if entry.file_type().is_symlink() {
            &mut self.links
        } else {
            &mut self.special
        };
        count_first(noted, entry.path());
    }
}

/// Counts a path, and keeps the first one in order.
fn count_first(noted: &mut (u64, Option<PathBuf>), path: &Path) {
    noted.0 += 1;
    if noted.1.as_deref().is_none_or(|first| path < first) {
        noted.1 = Some(named(path));
    }
}

/// Returns the path as sources are named: with `/` on every system.
fn named(path: &Path) -> PathBuf {
    path_of(bytes_of(path).into_owned())
}

/// Returns the number of bytes of `root` and the separator after it, in the path of an entry of its walk.
fn root_length(root: &Path) -> usize {
    let root = bytes_of(root);
    root.len() + usize::from(root.last().is_some_and(|last| *last != b'/'))
}

fn below<'p>(root: &Path, path: &'p Path) -> &'p Path {
    path.strip_prefix(root).unwrap_or(path)
}

fn glob_set(globs: &[String]) -> Result<Option<GlobPair>, BadGlob> {
    if globs.is_empty() {
        return Ok(None);
    }
    let set = |any_case| {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let compiled = compiled_in(glob, any_case);
            set.add(compiled.map_err(|error| BadGlob::new(glob, &error))?);
        }
        let set = set.build();
        set.map_err(|error| BadGlob::new(&globs.join(" "), &error))
    };
    Ok(Some(GlobPair {
        exact: set(false)?,
        any_case: set(true)?,
    }))
}

pub(super) fn compiled(glob: &str) -> Result<Glob, globset::Error> {
    compiled_in(glob, false)
}

/// Compiles a glob. With `any_case` it matches letters of either case.
fn compiled_in(glob: &str, any_case: bool) -> Result<Glob, globset::Error> {
    let anywhere = if glob.contains('/') {
        String::new()
    } else {
        "**/".to_owned()
    };
    GlobBuilder::new(&(anywhere + glob.trim_start_matches('/')))
        .literal_separator(true)
        .case_insensitive(any_case)
        .build()
}
