//! Finds the sources of a check, in their order: files, files below folders, and files that match patterns.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use doisift_documents::{InputError, Source, UnreadablePath, display_name};
use glob::{MatchOptions, glob_with};

use super::options::CheckSettings;
use crate::error::{Cause, Error};
use crate::pipeline::report_passed_over;
use crate::task::{Destinations, named_source, not_cancelled};

/// Matches as a shell does: `*` does not match `/`, nor a leading full stop.
const AS_SHELLS_DO: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// Expands patterns that the shell did not. A pattern without a match stays as it is.
pub(super) fn expanded(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().flat_map(|path| matched(path)).collect()
}

fn matched(path: &Path) -> Vec<PathBuf> {
    let is_pattern = |text: &&str| text.contains(['*', '?', '[']);
    let pattern = path.to_str().filter(is_pattern);
    let pattern = pattern.filter(|_| fs::symlink_metadata(path).is_err());
    let found = pattern.and_then(|pattern| glob_with(pattern, AS_SHELLS_DO).ok());
    let found = found.into_iter().flatten();
    let mut matched: Vec<PathBuf> = found
        .filter_map(|path| path.inspect_err(|error| log::warn!("{error}")).ok())
        .collect();
    if matched.is_empty() {
        matched.push(path.to_owned());
    }
    matched
}

/// What is at a path.
pub(super) enum FoundSource {
    /// A file, a stream or an object.
    Source(Source),
    /// A path below a folder that cannot be read.
    Lost(Error),
    /// An error that ends the run.
    Failed(Error),
}

/// Finds sources, and gives them to a function that says whether more are wanted.
pub(super) struct SourceFinder<'f> {
    pub(super) settings: &'f CheckSettings,
    pub(super) destinations: &'f Destinations,
    pub(super) give: &'f mut dyn FnMut(FoundSource) -> bool,
}

impl SourceFinder<'_> {
    /// Finds the sources at all paths.
    pub(super) fn find(&mut self, paths: &[PathBuf]) {
        for path in paths {
            let is_wanted = match named_source(path) {
                Ok(source) if !self.settings.is_shard => (self.give)(FoundSource::Source(source)),
                Ok(_) | Err(InputError::Folder) => match self.search(path) {
                    Ok(is_wanted) => is_wanted,
                    Err(error) => (self.give)(FoundSource::Failed(error)),
                },
                Err(error) => (self.give)(FoundSource::Failed(unread(path, error))),
            };
            if !is_wanted {
                return;
            }
        }
    }

    /// Finds the files below a folder, or a file if it belongs to the shard. Returns whether more sources are wanted.
    fn search(&mut self, path: &Path) -> Result<bool, Error> {
        let CheckSettings {
            search, monitor, ..
        } = self.settings;
        let lost = RefCell::new(Vec::new());
        let is_over = || monitor.is_cancelled();
        let report_loss = |path: UnreadablePath| lost.borrow_mut().push(path);
        let mut finder = search.start(&is_over, &report_loss);
        finder.add(path);
        let found = finder.finish();
        not_cancelled(monitor)?;
        self.destinations.check_found(&found.sources)?;
        report_passed_over(&found.passed_over, search.has_globs());
        let lost = lost.take().into_iter();
        let lost =
            lost.map(|UnreadablePath { path, error }| FoundSource::Lost(unread(&path, error)));
        let sources = found.sources.iter().map(FoundSource::Source);
        Ok(lost.chain(sources).all(&mut *self.give))
    }
}

/// Returns the error for a source that cannot be read.
pub(super) fn unread(path: &Path, error: InputError) -> Error {
    Error::new(Cause::Input(error)).in_source(display_name(path).into())
}
