//! Finds the sources of a run from its arguments and lists.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use doisift_documents::{
    Separator, SourceFinder, UnreadablePath, display_name, is_pipe, read_list,
};
use doisift_system::{bytes_of, path_of};

use super::options::{OnError, ScanOptions};
use crate::error::{Cause, Error, SelectionError};
use crate::objects::is_address;
use crate::records::unpacker;
use crate::remote;
use crate::report::Losses;
use crate::task::{Destinations, check_named, is_stdin, no_stdin, stdin_twice};

/// Errors for paths that could not be read while sources were searched.
pub(crate) struct UnreadPaths {
    on_error: OnError,
    losses: RefCell<Losses>,
    /// The error that ends the run.
    failure: RefCell<Option<Error>>,
}

impl UnreadPaths {
    pub(crate) fn new(on_error: OnError) -> Self {
        UnreadPaths {
            on_error,
            losses: RefCell::default(),
            failure: RefCell::default(),
        }
    }

    pub(crate) fn add(&self, lost: UnreadablePath) {
        let error = Error::new(Cause::Input(lost.error));
        let error = error.in_source(display_name(&lost.path).into());
        match self.on_error {
            OnError::Fail => {
                self.failure.borrow_mut().get_or_insert(error);
            }
            OnError::Skip => {
                log::warn!("{error}");
                self.losses.borrow_mut().add(&error);
            }
        }
    }

    /// Takes the errors so far, and the error that ends the run.
    pub(crate) fn take(&self) -> (Losses, Option<Error>) {
        (self.losses.take(), self.failure.take())
    }
}

/// Adds all named paths, and those in lists, to `finder`.
///
/// # Errors
/// If a path or a list is also an output, standard input is named more than once, a list cannot be read, or a path cannot be
/// opened and the option `on_error` is not set.
pub(crate) fn add_named_sources(
    options: &ScanOptions,
    destinations: &Destinations,
    finder: &mut SourceFinder<'_>,
) -> Result<(), Error> {
    let has_stdin_list = check_lists(options, destinations)?;
    let mut reads_stdin = false;
    let mut add = |path: &Path, finder: &mut SourceFinder<'_>| {
        reads_stdin |= is_stdin(path);
        if has_stdin_list && is_stdin(path) {
            return Err(stdin_twice());
        }
        destinations.check(path)?;
        finder.add(path);
        Ok(())
    };
    if options.reading.on_error.is_none() {
        check_named(&options.paths)?;
    }
    options
        .paths
        .iter()
        .try_for_each(|path| add(path, finder))?;
    for (list, separator) in &options.lists {
        add_list(options, list, *separator, |path| match is_address(list) {
            true => add_listed(list, path, finder),
            false => add(path, finder),
        })?;
    }
    let readers = options.readers.names();
    readers.iter().for_each(|name| finder.add_reader(name));
    match options.search.given_stdin_name() {
        Some(name) if !reads_stdin => Err(no_stdin(name)),
        _ => Ok(()),
    }
}

/// Passes each entry of a list, after the base, to `add`.
fn add_list(
    options: &ScanOptions,
    list: &Path,
    separator: Separator,
    mut add: impl FnMut(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    let base = options.base.as_deref().unwrap_or_default();
    let mut add = |path: &Path| add(&completed(base, path));
    let listed = listed(options, list, separator, &mut add);
    if is_pipe(list) {
        options.monitor.note_stream_end();
    }
    listed.map_err(|error| Error::new(Cause::List(error)).in_source(display_name(list).into()))?
}

/// Checks the lists of sources. Returns whether standard input is one of them.
fn check_lists(options: &ScanOptions, destinations: &Destinations) -> Result<bool, Error> {
    let lists = options.lists.iter().map(|(list, _)| list);
    lists
        .clone()
        .try_for_each(|list| destinations.check(list))?;
    let stdin_lists = lists.filter(|list| is_stdin(list)).count();
    let is_named = options.paths.iter().any(|path| is_stdin(path));
    match stdin_lists + usize::from(is_named) {
        0 | 1 => Ok(stdin_lists > 0),
        _ => Err(stdin_twice()),
    }
}

/// Returns a name of a list with the text before it. An address without a path gets its `/`, so that a name does not become a part of its host.
fn completed<'p>(base: &str, path: &'p Path) -> Cow<'p, Path> {
    if base.is_empty() {
        return path.into();
    }
    let name = bytes_of(path);
    let after_scheme = base.split_once("://").map_or("/", |(_, rest)| rest);
    let slash = match after_scheme.contains('/') || name.starts_with(b"/") {
        true => "",
        false => "/",
    };
    path_of([base.as_bytes(), slash.as_bytes(), &name].concat()).into()
}

/// Adds an entry of a list that came from a service.
///
/// # Errors
/// If it is a path: a service may not choose files of this machine.
fn add_listed(list: &Path, path: &Path, finder: &mut SourceFinder<'_>) -> Result<(), Error> {
    match finder.add_listed(path) {
        true => Ok(()),
        false => {
            let fault = SelectionError::ListedPath(display_name(path).into());
            Err(Error::new(Cause::Selection(fault)).in_source(display_name(list).into()))
        }
    }
}

/// Passes the paths of a list to `add` until that returns an error.
fn listed(
    options: &ScanOptions,
    list: &Path,
    separator: Separator,
    add: &mut dyn FnMut(&Path) -> Result<(), Error>,
) -> io::Result<Result<(), Error>> {
    let list = match is_stdin(list) {
        true => unpacker(io::stdin())?,
        false if is_address(list) => {
            let files = remote::input_files(&options.services, &options.tmp);
            unpacker(files.open(list).map_err(io::Error::other)?.reader())?
        }
        false => unpacker(File::open(list)?)?,
    };
    read_list(BufReader::new(list), separator, add)
}
