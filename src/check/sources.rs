//! Finds and reads the sources of a check: files, files below folders, and files that match patterns.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use doisift_documents::{InputError, ReadOptions, Source, UnreadablePath, display_name};
use glob::{MatchOptions, glob_with};

use super::judge::Judge;
use super::options::CheckSettings;
use super::reading::CheckReading;
use super::row_sink::ReferenceSink;
use crate::error::{Cause, CheckError, Error, KnownError};
use crate::pipeline::report_passed_over;
use crate::task::{Destinations, named_source, not_cancelled};

/// Matches as a shell does: `*` does not match `/`, nor a leading full stop.
const AS_SHELLS_DO: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// Counter of files below folders that lack the column.
const NO_COLUMN: &str = "no_column";

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

/// Reads sources one after the other.
pub(super) struct SourceReader<'a, 's> {
    pub(super) settings: &'a CheckSettings,
    pub(super) destinations: &'a Destinations,
    pub(super) read_options: &'a ReadOptions<'a>,
    pub(super) judge: &'a mut Judge,
    pub(super) sink: &'a mut ReferenceSink<'s>,
}

impl SourceReader<'_, '_> {
    /// Reads a file or a stream, or all files below a folder.
    ///
    /// # Errors
    /// If a file that was named cannot be read, or an error ends the run. A file below a folder that cannot be read is only
    /// counted.
    pub(super) fn read(&mut self, path: &Path) -> Result<(), Error> {
        match named_source(path) {
            Ok(source) => self.source(&source),
            Err(InputError::Folder) => self.folder(path),
            Err(error) => Err(unread(path, error)),
        }
    }

    fn folder(&mut self, path: &Path) -> Result<(), Error> {
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
        for UnreadablePath { path, error } in lost.take() {
            self.sink.report_loss(&unread(&path, error));
        }
        for source in found.sources.iter() {
            let read = self.source(&source);
            read.or_else(|error| self.pass_over(error))?;
        }
        Ok(())
    }

    fn source(&mut self, source: &Source) -> Result<(), Error> {
        let name: Arc<str> = display_name(&source.path).into();
        let monitor = &self.settings.monitor;
        let mut reading = CheckReading::new(self.settings, source, &name, self.judge, self.sink);
        let read = self.read_options.read_source(source, &mut reading);
        if source.is_pipe() {
            monitor.note_stream_end();
        }
        let is_read = read.map_err(|error| unread(&source.path, error))?;
        not_cancelled(monitor)?;
        reading.end()?;
        self.sink.counts.sources += u64::from(is_read);
        Ok(())
    }

    /// Counts a file below a folder that could not be read.
    ///
    /// # Errors
    /// Returns an error that does not concern the file alone.
    fn pass_over(&mut self, error: Error) -> Result<(), Error> {
        match error.cause() {
            Cause::Table(_) | Cause::Known(KnownError::NoColumn) => {
                log::debug!("skipped: {error}");
                *self
                    .sink
                    .counts
                    .skipped
                    .entry(NO_COLUMN.into())
                    .or_default() += 1;
            }
            Cause::Input(input) if !input.is_fatal() => self.sink.report_loss(&error),
            Cause::Check(CheckError::TooLong(_) | CheckError::LongEntry(_)) => {
                self.sink.report_loss(&error);
            }
            _ => return Err(error),
        }
        Ok(())
    }
}

fn unread(path: &Path, error: InputError) -> Error {
    Error::new(Cause::Input(error)).in_source(display_name(path).into())
}
