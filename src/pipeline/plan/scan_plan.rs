//! The plan of a scan, which is fixed before it starts: its sources, and the shares of memory and threads.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use doisift_documents::{
    AnchorMargins, HaltSignal, MemoryGate, ReadOptions, SkippedPaths, Source, SourceFinder,
    SourceKind, Sources, UnpackThreads, display_name,
};

use super::options::ScanOptions;
use super::shares::Shares;
use crate::checkpoint::CheckpointFolder;
use crate::dedup::{CountedUnit, Document, DocumentId};
use crate::error::Error;
use crate::lookup::RecentIndexStatuses;
use crate::objects::remote_sources;
use crate::records::FileId;
use crate::task::{Destinations, not_cancelled, same_name};

/// The answers of an index for recent names may take 1/INDEX_MEMORY_PARTS of the memory.
const INDEX_MEMORY_PARTS: usize = 32;

/// The plan of a scan, which is fixed before it starts.
pub(crate) struct ScanPlan<'p> {
    pub(crate) options: &'p ScanOptions,
    pub(crate) sources: Arc<Sources>,
    pub(crate) shares: Shares,
    /// Number of bytes around a chunk that are read with it.
    pub(crate) reach: AnchorMargins,
    pub(crate) passed_over: SkippedPaths,
    /// Whether a source is a folder.
    pub(crate) has_folder: bool,
    /// Device and inode of files that this run created. They are not sources.
    own: Vec<FileId>,
    /// Device and inode of files that an output would overwrite.
    overwritten: Vec<FileId>,
    /// The number of the first source that services were not told to expect.
    expected: AtomicUsize,
}

/// The number of a source in source order, and its name, which all its documents share.
#[derive(Clone)]
pub(crate) struct NamedSource {
    pub(crate) ordinal: u32,
    pub(crate) name: Arc<str>,
    /// Whether the source was named, not found below a folder.
    pub(crate) is_named: bool,
    unit: CountedUnit,
}

/// Objects after the current one that services may open.
const MAX_EXPECTED_OBJECTS: usize = 16;

impl<'p> ScanPlan<'p> {
    /// Finds the sources, without the files of the checkpoint in `folder`.
    pub(crate) fn new(
        options: &'p ScanOptions,
        finder: SourceFinder<'_>,
        destinations: &Destinations,
        folder: Option<&CheckpointFolder>,
    ) -> Result<Self, Error> {
        let mut found = finder.finish();
        not_cancelled(&options.monitor)?;
        let is_part = |source: &Source| {
            source.kind == SourceKind::File && destinations.holds_part(&source.path)
        };
        if options.parts.is_some() {
            found.sources.retain(|source| !is_part(source));
        }
        check_names(options, &found.sources)?;
        destinations.check_found(&found.sources)?;
        if let Some(folder) = folder {
            let is_stdin = |source: &Source| source.kind == SourceKind::Stdin;
            let keep = |source: &Source| is_stdin(source) || !folder.holds(&source.path);
            found.sources.retain(keep);
        }
        Ok(ScanPlan {
            options,
            shares: Shares::new(options, &found.sources),
            sources: Arc::new(found.sources),
            reach: reach(options),
            passed_over: found.passed_over,
            has_folder: found.has_folder,
            own: destinations.own(),
            overwritten: destinations.filled(),
            expected: AtomicUsize::new(0),
        })
    }

    /// Returns the access to the index for the rows of one thread. `None` if rows of mentions do not have the index's answers.
    pub(crate) fn rows_index(&self) -> Option<RecentIndexStatuses<'p>> {
        let known = self.options.asked()?;
        let share = self.options.memory / INDEX_MEMORY_PARTS / self.shares.threads;
        let is_asked = self.options.selection.writes_mentions();
        is_asked.then(|| RecentIndexStatuses::new(known, share))
    }

    /// Returns the options for reading sources, with `unpackers` for unpacking in parallel, if given.
    pub(crate) fn read_options<'o>(
        &'o self,
        halt: &'o dyn HaltSignal,
        unpackers: Option<&'o UnpackThreads>,
        gate: Option<&'o dyn MemoryGate>,
    ) -> ReadOptions<'o> {
        let options = self.options;
        ReadOptions {
            own_files: &self.own,
            output_files: &self.overwritten,
            readers: Some(&options.readers),
            remote: remote_sources(&options.services),
            preprocessor: options.preprocessor.as_ref(),
            halt: Some(halt),
            limits: options.limits,
            max_file_bytes: self.shares.whole,
            thread_bytes: 2 * self.shares.unpacked,
            gate,
            columns: &options.columns,
            temp_folder: &options.tmp,
            reports_records: options.selection.writes_captures(),
            unpackers,
            ..options.monitor.read_options()
        }
    }

    /// Lets the services open objects soon after the source at `ordinal`, which is about to be read. Each is asked for once.
    pub(crate) fn expect_after(&self, ordinal: u32) {
        let Some(remote) = self.sources.remote() else {
            return;
        };
        let end = ordinal as usize + 1 + MAX_EXPECTED_OBJECTS;
        let start = self.expected.fetch_max(end, Ordering::Relaxed);
        for next in start.max(ordinal as usize + 1)..end {
            match self.sources.get(next) {
                Some(source) if source.kind == SourceKind::Remote => {
                    remote.expect(&source.path.to_string_lossy())
                }
                _ => {}
            }
        }
    }

    /// Whether a command is run for the source, and its output read instead.
    pub(crate) fn is_preprocessed(&self, source: &Source) -> bool {
        let by = self.options.preprocessor.as_ref();
        by.is_some_and(|by| by.takes(source))
    }

    pub(crate) fn named(&self, ordinal: u32) -> NamedSource {
        match self.sources.get(ordinal as usize) {
            Some(source) => NamedSource::new(ordinal, &source),
            None => NamedSource {
                ordinal,
                name: "".into(),
                is_named: false,
                unit: CountedUnit::source(ordinal),
            },
        }
    }

    /// Returns the size in bytes of all sources, and of the first `done` of them. `None` if one has none.
    pub(crate) fn sizes(&self, done: usize) -> Option<(u64, u64)> {
        let size = |source: Source| match source.kind {
            SourceKind::File => Some(fs::metadata(source.path).map_or(0, |at| at.len())),
            SourceKind::Remote => self.sources.object_size(&source),
            SourceKind::Stream | SourceKind::Stdin | SourceKind::Reader => None,
        };
        let first: u64 = self
            .sources
            .iter()
            .take(done)
            .map(size)
            .sum::<Option<_>>()?;
        let rest: u64 = self
            .sources
            .iter()
            .skip(done)
            .map(size)
            .sum::<Option<_>>()?;
        Some((first + rest, first))
    }
}

/// # Errors
/// If standard input, or a stream of the caller, has the name of another source.
fn check_names(options: &ScanOptions, sources: &Sources) -> Result<(), Error> {
    let may_repeat = options.search.given_stdin_name().is_some() || !options.readers.is_empty();
    let repeated = may_repeat.then(|| sources.repeated_name()).flatten();
    match repeated {
        Some(name) => Err(same_name(&display_name(&name))),
        None => Ok(()),
    }
}

fn reach(options: &ScanOptions) -> AnchorMargins {
    let (before, after) = options.scanner().window();
    let context = options.selection.context;
    AnchorMargins {
        before: before + context,
        after: after + context,
    }
}

impl NamedSource {
    /// Creates the source with this number in the order of sources.
    pub(crate) fn new(ordinal: u32, source: &Source) -> Self {
        NamedSource {
            ordinal,
            name: display_name(&source.path).into(),
            is_named: source.is_named,
            unit: CountedUnit::source(ordinal),
        }
    }

    /// Returns the document number `ordinal` of this source.
    pub(crate) fn document(&self, ordinal: u64, name: Option<Arc<str>>) -> Document {
        let id = DocumentId {
            source: self.ordinal,
            document: ordinal,
        };
        Document {
            id,
            source: Arc::clone(&self.name),
            of_source: self.unit.clone(),
            of_whole: None,
            name,
            capture: None,
            column: None,
        }
    }
}
