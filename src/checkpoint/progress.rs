//! The progress of a task in the folder of its checkpoint: the sources that were read, and the results so far.
//!
//! A task gives its results, and says how many sources they come from. This module reads and writes them with the manifest, and
//! decides when the next checkpoint is due.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use doisift_documents::{Source, Sources};
use doisift_system::sync_folder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::folder::{CheckpointFolder, MANIFEST_FILE, NamedRun, at, fault};
use super::manifest::{self, FixedSettings, Manifest, ManifestHead, Stamp};
use super::{check_files, sync_outputs};
use crate::error::{CheckpointError, Error};

/// Checkpoints take at most 1/20 of the time.
const REST_PER_CHECKPOINT: u32 = 19;

/// The progress of a run that can be resumed.
pub(crate) struct SavedProgress {
    folder: CheckpointFolder,
    settings: FixedSettings,
    sources: Arc<Sources>,
    /// The stamps of all sources that this or an earlier run started, taken before they were read.
    stamps: Vec<Option<Stamp>>,
    /// Decides when the next checkpoint is due.
    pub(crate) pace: Pace,
}

/// The results of an interrupted run, and the files in the folder that belong to them.
pub(crate) type EarlierWork<D> = (D, Vec<NamedRun>);

/// Limits how often checkpoints are written.
pub(crate) struct Pace {
    /// Min time between two checkpoints.
    min: Duration,
    /// Min time between checkpoints, as a multiple of the duration of the last one.
    factor: u32,
    last: Instant,
    /// Time after the last checkpoint at which the next one is due.
    rest: Duration,
}

impl Pace {
    /// Checkpoints with this interval between them. If it is zero, one is always due. If results are `in_parts`, one is due
    /// whenever a part is complete.
    pub(crate) fn new(interval: Duration, in_parts: bool) -> Self {
        let min = if in_parts { Duration::ZERO } else { interval };
        Pace {
            min,
            factor: match interval.is_zero() {
                true => 0,
                false => REST_PER_CHECKPOINT,
            },
            last: Instant::now(),
            rest: min,
        }
    }

    /// Whether it is time for another checkpoint.
    pub(crate) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.rest
    }

    /// Records that a checkpoint was written. `since` is the time at which it began.
    pub(crate) fn note_written(&mut self, since: Instant) {
        self.last = Instant::now();
        self.rest = self.min.max(since.elapsed() * self.factor);
    }
}

impl SavedProgress {
    /// Resumes from the checkpoint in `folder`, and returns the results so far and the runs that belong to them. Other runs are
    /// removed. Without a checkpoint, returns `None` and starts from the beginning.
    ///
    /// # Errors
    /// If the run cannot be resumed from it, or a source cannot be read twice.
    pub(crate) fn begin<D: DeserializeOwned>(
        folder: CheckpointFolder,
        settings: FixedSettings,
        sources: &Arc<Sources>,
        pace: Pace,
    ) -> Result<(Self, Option<EarlierWork<D>>), CheckpointError> {
        check_files(sources)?;
        let path = folder.file(MANIFEST_FILE);
        let (stamps, earlier) = manifest::read::<D>(&path, &settings, sources)?
            .map(|Manifest { head, stamps }| (stamps, (head.done, head.runs)))
            .unzip();
        let runs = earlier.iter().flat_map(|(_, runs)| runs);
        folder.sweep(&runs.map(|run: &NamedRun| run.name.as_str()).collect())?;
        let progress = SavedProgress {
            folder,
            settings,
            sources: Arc::clone(sources),
            stamps: stamps.unwrap_or_default(),
            pace,
        };
        Ok((progress, earlier))
    }

    /// Returns the folder of the checkpoint.
    pub(crate) fn folder(&self) -> &CheckpointFolder {
        &self.folder
    }

    /// Returns an error with the folder's name.
    pub(crate) fn fault(&self, error: CheckpointError) -> Error {
        fault(self.folder.path(), error)
    }

    /// Records the stamp of the source with this number, before it is read. A source that an earlier run started keeps its earlier
    /// stamp, which was compared with the file: the results may have a part of it.
    pub(crate) fn start(&mut self, number: usize, source: &Source) {
        if self.stamps.len() == number {
            self.stamps.push(Stamp::of(source, &self.sources));
        }
    }

    /// Returns the number of sources that this or an earlier run started.
    pub(crate) fn started(&self) -> usize {
        self.stamps.len()
    }

    /// Returns the bytes of the first `count` sources.
    pub(crate) fn source_bytes(&self, count: usize) -> u64 {
        let stamps = self.stamps.iter().take(count).flatten();
        stamps.map(Stamp::size).sum()
    }

    /// Writes the manifest. `saved` and the files `runs`, which are on disk, have results of the first `read` sources.
    pub(crate) fn write(
        &self,
        read: usize,
        runs: Vec<NamedRun>,
        saved: impl Serialize,
    ) -> Result<(), CheckpointError> {
        if !runs.is_empty() {
            // The entries of the files must be on disk before a manifest lists them.
            let folder = self.folder.path();
            sync_folder(folder).map_err(|error| at(folder, error))?;
        }
        let head = ManifestHead::new(self.settings.clone(), runs, read, saved);
        self.folder.replace(MANIFEST_FILE, |out| {
            manifest::write(out, head, &self.sources, &self.stamps)
        })
    }

    /// Syncs the outputs, which have their final names, to disk, and removes the checkpoint.
    pub(crate) fn end<'p>(&self, outputs: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
        let ended = sync_outputs(outputs).and_then(|()| self.folder.remove());
        ended.map_err(|error| self.fault(error))
    }
}
