//! Counts names and notices and adds them to the index.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use doisift_core::Doi;
use doisift_documents::{InputError, UnreadablePath, display_name};
use doisift_known::{BuildError, IndexBuilder, Notice, SourceId};

use super::build::{build_options, failed};
use super::checkpoint::{self, ReadSoFar, SavedIndexing};
use super::options::{IndexContent, IndexSettings};
use super::report::NameCounts;
use crate::checkpoint::SavedProgress;
use crate::error::{Cause, Error, KnownError};
use crate::options::OnError;
use crate::report::{Losses, ResumedWork};
use crate::task::not_cancelled;

/// Max refused texts that are reported one by one.
const MAX_REPORTED_TEXTS: u64 = 5;

/// The document that is being read.
#[derive(Clone)]
pub(super) struct DocumentPlace {
    pub(super) source: Arc<str>,
    pub(super) document: Option<Arc<str>>,
}

/// Collects the names and notices of all sources.
pub(super) struct Collector<'s> {
    pub(super) settings: &'s IndexSettings,
    pub(super) builder: IndexBuilder,
    pub(super) counts: NameCounts,
    pub(super) losses: Losses,
    /// Errors of paths that could not be read while sources were searched. A resumed run finds them again.
    pub(super) unfound: Losses,
    /// Pieces that were read to their end, with their counts and losses.
    pub(super) last_settled: (ReadSoFar, NameCounts, Losses),
    /// Bytes of the sources before the open one.
    pub(super) bytes_before: u64,
    /// Work of the interrupted run that this one continues.
    pub(super) resumed: Option<ResumedWork>,
    pub(super) checkpoint: Option<SavedProgress>,
    /// The error that ends the run.
    failure: Option<Error>,
}

impl DocumentPlace {
    fn error(&self, offset: u64, kind: Cause) -> Error {
        let error = Error::new(kind).in_source(Arc::clone(&self.source));
        error.at(self.document.clone(), offset)
    }
}

impl<'s> Collector<'s> {
    pub(super) fn new(settings: &'s IndexSettings) -> Result<Self, Error> {
        let builder = IndexBuilder::new(build_options(settings));
        let builder = builder.map_err(|error| failed(settings, error))?;
        Ok(Collector::with(settings, builder))
    }

    /// Creates a collector with checkpoints, which continues an interrupted run if there was one.
    pub(super) fn resume(
        settings: &'s IndexSettings,
        checkpoint: SavedProgress,
        builder: IndexBuilder,
        earlier: Option<SavedIndexing>,
    ) -> Self {
        let resumed = earlier.as_ref().map(|saved| ResumedWork {
            parts: 0,
            sources: saved.read.sources as u64,
        });
        let saved = earlier.unwrap_or_default();
        settings.monitor.add_resumed(saved.bytes_read);
        Collector {
            counts: saved.counts,
            last_settled: (saved.read, saved.counts, saved.losses.clone()),
            losses: saved.losses,
            bytes_before: saved.bytes_read,
            resumed,
            checkpoint: Some(checkpoint),
            ..Collector::with(settings, builder)
        }
    }

    fn with(settings: &'s IndexSettings, builder: IndexBuilder) -> Self {
        Collector {
            settings,
            builder,
            counts: NameCounts::default(),
            losses: Losses::default(),
            unfound: Losses::default(),
            last_settled: Default::default(),
            bytes_before: 0,
            resumed: None,
            checkpoint: None,
            failure: None,
        }
    }

    /// Counts the paths that could not be read while sources were searched.
    pub(super) fn take_unfound(&mut self, paths: Vec<UnreadablePath>) {
        let losses = std::mem::take(&mut self.losses);
        for UnreadablePath { path, error } in paths {
            self.take(input_error(&path, error), false);
        }
        self.unfound = std::mem::replace(&mut self.losses, losses);
    }

    /// Records that the source with this number was read.
    pub(super) fn end_source(&mut self, number: usize) {
        if self.failure.is_none() {
            self.bytes_before = self.settings.monitor.progress().bytes;
            self.settle(ReadSoFar {
                sources: number + 1,
                pieces: 0,
            });
        }
    }

    /// # Errors
    /// If the run is cancelled. Writes a last checkpoint first.
    pub(super) fn not_cancelled(&mut self) -> Result<(), Error> {
        let ended = not_cancelled(&self.settings.monitor);
        if ended.is_err() {
            self.write_checkpoint();
        }
        ended
    }

    /// Adds a source to the index. Its agency is the one in the options, or else `agency`.
    pub(super) fn source(&mut self, name: &str, agency: Option<&str>) -> SourceId {
        let known = &self.settings.known;
        let agency = known.agency.as_deref().or(agency);
        self.builder.source(name, agency, known.date)
    }

    /// Parses a text in any presentation form. Returns `None` for white space, which is ignored, and for other texts, which are
    /// refused.
    pub(super) fn parse(&mut self, text: &[u8], at: (&DocumentPlace, u64)) -> Option<Doi> {
        let text = text.trim_ascii();
        if text.is_empty() {
            return None;
        }
        let parse = |text: &str| Doi::parse(text).map_err(KnownError::Name);
        let text = str::from_utf8(text).map_err(|_| KnownError::Encoding);
        // A list of prefixes may have them alone.
        let text = text.map(|text| match self.settings.content {
            IndexContent::Prefixes if !text.contains('/') => format!("{text}/0").into(),
            _ => Cow::from(text),
        });
        let parsed = text.and_then(|text| parse(&text));
        parsed.map_err(|error| self.refuse(error, at)).ok()
    }

    /// Adds a bare name or its prefix.
    pub(super) fn name(&mut self, from: SourceId, name: &str, at: (&DocumentPlace, u64)) {
        let added = match self.settings.content {
            IndexContent::Names => self.builder.name(from, name),
            IndexContent::Prefixes => self.builder.prefix(name.split('/').next().unwrap_or(name)),
            IndexContent::Notices => return,
        };
        match added {
            Ok(()) => self.counts.names += 1,
            Err(error) => self.not_added(error, at),
        }
    }

    /// Adds a notice about a name, unless prefixes alone are taken.
    pub(super) fn notice(&mut self, name: &Doi, notice: &Notice, at: (&DocumentPlace, u64)) {
        if self.settings.content == IndexContent::Prefixes {
            return;
        }
        match self.builder.retract(name.as_str(), notice) {
            Ok(()) => self.counts.notices += 1,
            Err(error) => self.not_added(error, at),
        }
    }

    fn not_added(&mut self, error: BuildError, at: (&DocumentPlace, u64)) {
        match error {
            BuildError::Name(error) => self.refuse(KnownError::Name(error), at),
            BuildError::TooLong(length) => self.refuse(KnownError::Long(length), at),
            error => self.fail(failed(self.settings, error)),
        }
    }

    /// Counts a text that is not a name. The first few are reported.
    pub(super) fn refuse(&mut self, error: KnownError, (place, offset): (&DocumentPlace, u64)) {
        self.counts.refused += 1;
        if self.counts.refused <= MAX_REPORTED_TEXTS {
            log::warn!("{}", place.error(offset, Cause::Known(error)));
        }
    }

    /// Counts an object of JSON that holds no name. Ends the run if errors of input do.
    pub(super) fn refuse_object(&mut self, error: KnownError, at: (&DocumentPlace, u64)) {
        match self.settings.on_error.unwrap_or_default() {
            OnError::Fail => self.report_loss(Cause::Known(error), at),
            OnError::Skip => self.refuse(error, at),
        }
    }

    /// Reports the number of refused texts, if not all of them were reported.
    pub(super) fn report_refused(&self) {
        let refused = self.counts.refused;
        if refused > MAX_REPORTED_TEXTS {
            log::warn!(
                "{refused} texts or objects hold no DOI name; the first {MAX_REPORTED_TEXTS} are named above"
            );
        }
    }

    /// Counts a loss of input, or ends the run because of it.
    pub(super) fn report_loss(&mut self, kind: Cause, (place, offset): (&DocumentPlace, u64)) {
        let is_fatal = matches!(&kind, Cause::Input(error) if error.is_fatal());
        self.take(place.error(offset, kind), is_fatal);
    }

    /// Counts an error that lost input. Ends the run instead if `is_fatal`, or if errors of input do.
    pub(super) fn take(&mut self, error: Error, is_fatal: bool) {
        if is_fatal || self.settings.on_error == Some(OnError::Fail) {
            return self.fail(error);
        }
        log::warn!("{error}");
        self.losses.add(&error);
    }

    /// Ends the run with this error, unless an earlier one does.
    pub(super) fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    /// Ends the run, since a document cannot be a source of names.
    pub(super) fn refuse_document(&mut self, kind: Cause, place: &DocumentPlace) {
        let error = Error::new(kind).in_source(Arc::clone(&place.source));
        self.fail(error.in_document(place.document.clone()));
    }

    /// Records that a piece or a source was read to its end. Writes a checkpoint if one is due.
    pub(super) fn settle(&mut self, read: ReadSoFar) {
        if let Some(checkpoint) = &self.checkpoint {
            self.last_settled = (read, self.counts, self.losses.clone());
            if checkpoint.pace.is_due() {
                self.write_checkpoint();
            }
        }
    }

    /// Writes a checkpoint. It may hold names of a piece that was not read to its end; adding them again changes nothing.
    pub(super) fn write_checkpoint(&mut self) {
        let Some(checkpoint) = &mut self.checkpoint else {
            return;
        };
        let (read, counts, losses) = self.last_settled.clone();
        let saved = SavedIndexing {
            read,
            counts,
            losses,
            bytes_read: self.bytes_before,
            builder: Vec::new(),
        };
        if let Err(error) = checkpoint::write(checkpoint, &mut self.builder, saved) {
            self.fail(error);
        }
    }

    pub(super) fn is_halted(&self) -> bool {
        self.failure.is_some() || self.settings.monitor.is_cancelled()
    }

    /// # Errors
    /// The error that ends the run.
    pub(super) fn not_failed(&mut self) -> Result<(), Error> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

pub(super) fn input_error(path: &Path, error: InputError) -> Error {
    Error::new(Cause::Input(error)).in_source(display_name(path).into())
}
