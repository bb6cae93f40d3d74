//! The checkpoints of an indexing.
//!
//! Sources are read one after the other, each in pieces: its documents, and the losses between them. A checkpoint has the number
//! of sources that were read, and the number of pieces of the next one. A resumed run skips these.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use doisift_documents::{Source, Sources};
use doisift_known::{BuildOptions, IndexBuilder};
use doisift_system::sync_folder;
use serde::{Deserialize, Serialize};

use super::build::build_options;
use super::options::IndexSettings;
use super::report::NameCounts;
use crate::checkpoint::{
    CheckpointFolder, FixedSettings, MANIFEST_FILE, ManifestHead, NamedRun, Stamp, at, check_files,
    fault, read_manifest, sync_outputs, write_manifest,
};
use crate::error::{CheckpointError, Error};
use crate::lookup;
use crate::options::{OnError, OptionValue};
use crate::report::Losses;
use crate::temporary::RUN_NAME;

/// Min time between checkpoints, as a multiple of the duration of the last one. Checkpoints thus take at most 1/20 of the time.
const REST_PER_CHECKPOINT: u32 = 19;

/// Number of whole sources that were read, and of pieces of the next one.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct ReadSoFar {
    pub(super) sources: usize,
    pub(super) pieces: u64,
}

/// The checkpoints of a run.
pub(super) struct IndexCheckpoint {
    folder: CheckpointFolder,
    settings: FixedSettings,
    sources: Arc<Sources>,
    /// The names of the files of sorted names and notices.
    files: [String; 2],
    /// The stamps of all sources that were opened, taken before they were read.
    stamps: Vec<Option<Stamp>>,
    resumed: bool,
    interval: Duration,
    last_written: Instant,
    due: Duration,
}

/// State of an interrupted run, to resume from.
pub(super) struct EarlierIndexing {
    pub(super) saved: SavedIndexing,
    pub(super) builder: IndexBuilder,
}

/// State of an indexing in a manifest.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct SavedIndexing {
    pub(super) read: ReadSoFar,
    pub(super) counts: NameCounts,
    pub(super) losses: Losses,
    /// Bytes of the sources before the open one.
    pub(super) bytes_read: u64,
    /// The state of the builder.
    builder: Vec<u8>,
}

impl IndexCheckpoint {
    /// Resumes from the checkpoint in `folder`, or starts from the beginning without one. Returns the state of the
    /// interrupted run, or an empty one.
    pub(super) fn begin(
        folder: CheckpointFolder,
        settings: &IndexSettings,
        sources: &Arc<Sources>,
    ) -> Result<(Self, EarlierIndexing), Error> {
        let fixed = fixed(settings)?;
        let path = folder.path().to_owned();
        let begun = IndexCheckpoint::read(folder, settings, fixed, sources);
        begun.map_err(|error| fault(&path, error))
    }

    fn read(
        folder: CheckpointFolder,
        settings: &IndexSettings,
        fixed: FixedSettings,
        sources: &Arc<Sources>,
    ) -> Result<(Self, EarlierIndexing), CheckpointError> {
        check_files(sources)?;
        let manifest =
            read_manifest::<SavedIndexing>(&folder.file(MANIFEST_FILE), &fixed, sources)?;
        let options = build_options(settings);
        let interval = settings.checkpoint_interval;
        let mut checkpoint = IndexCheckpoint {
            folder,
            settings: fixed,
            sources: Arc::clone(sources),
            files: [random_run(), random_run()],
            stamps: Vec::new(),
            resumed: false,
            interval,
            last_written: Instant::now(),
            due: interval,
        };
        let Some(manifest) = manifest else {
            checkpoint.folder.sweep(&BTreeSet::new())?;
            let builder = checkpoint.create(options)?;
            let saved = SavedIndexing::default();
            return Ok((checkpoint, EarlierIndexing { saved, builder }));
        };
        let (saved, runs) = (manifest.head.done, manifest.head.runs);
        if settings.on_error == Some(OnError::Fail) && saved.losses.count > 0 {
            return Err(CheckpointError::Lost(saved.losses.count));
        }
        checkpoint.stamps = manifest.stamps;
        checkpoint.resumed = true;
        let builder = checkpoint.resume(options, runs, &saved)?;
        Ok((checkpoint, EarlierIndexing { saved, builder }))
    }

    /// Creates a builder with new files.
    fn create(&self, options: BuildOptions) -> Result<IndexBuilder, CheckpointError> {
        let [names, notices] = self.files.each_ref().map(|name| {
            let path = self.folder.file(name);
            let mut create = OpenOptions::new();
            let created = create.read(true).write(true).create_new(true).open(&path);
            created.map_err(|error| at(&path, error))
        });
        let builder = IndexBuilder::in_files(options, [names?, notices?]);
        builder.map_err(|error| unusable(&self.folder, error))
    }

    /// Restores the builder and its files from the manifest.
    fn resume(
        &mut self,
        options: BuildOptions,
        runs: Vec<NamedRun>,
        saved: &SavedIndexing,
    ) -> Result<IndexBuilder, CheckpointError> {
        let damaged = || CheckpointError::Damaged(self.folder.file(MANIFEST_FILE));
        let [names, notices] = <[NamedRun; 2]>::try_from(runs).map_err(|_| damaged())?;
        let open = |run: &NamedRun| -> Result<File, CheckpointError> {
            // Bytes that were written after the checkpoint are dropped.
            let path = self.folder.run(run, |length| length >= run.bytes)?;
            let file = OpenOptions::new().read(true).write(true).open(&path);
            file.map_err(|error| at(&path, error))
        };
        let files = [open(&names)?, open(&notices)?];
        let wanted = [names.name.as_str(), notices.name.as_str()];
        self.folder.sweep(&BTreeSet::from(wanted))?;
        let builder = IndexBuilder::resume(options, files, &saved.builder);
        let builder = builder.map_err(|error| unusable(&self.folder, error))?;
        let builder = builder.ok_or_else(damaged)?;
        self.files = [names.name, notices.name];
        Ok(builder)
    }

    /// Whether this run continues an interrupted one.
    pub(super) fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Records the stamp of the source with this number, before it is read.
    pub(super) fn start(&mut self, number: usize, source: &Source) {
        if self.stamps.len() == number {
            self.stamps.push(Stamp::of(source));
        }
    }

    /// Whether it is time for another checkpoint.
    pub(super) fn is_due(&self) -> bool {
        self.last_written.elapsed() >= self.due
    }

    /// Writes a checkpoint.
    pub(super) fn write(
        &mut self,
        builder: &mut IndexBuilder,
        read: ReadSoFar,
        (counts, losses): (NameCounts, Losses),
        bytes_read: u64,
    ) -> Result<(), Error> {
        let since = Instant::now();
        let written = self.save(builder, |builder| SavedIndexing {
            read,
            counts,
            losses,
            bytes_read,
            builder,
        });
        written.map_err(|error| fault(self.folder.path(), error))?;
        self.last_written = Instant::now();
        let rest = self.interval.max(since.elapsed() * REST_PER_CHECKPOINT);
        self.due = if self.interval.is_zero() {
            Duration::ZERO
        } else {
            rest
        };
        Ok(())
    }

    fn save(
        &self,
        builder: &mut IndexBuilder,
        saved: impl FnOnce(Vec<u8>) -> SavedIndexing,
    ) -> Result<(), CheckpointError> {
        let state = builder.save();
        let state = state.map_err(|error| unusable(&self.folder, error))?;
        let [names, notices] = self.files.each_ref().map(|name| self.named(name));
        let runs = vec![names?, notices?];
        // The entries of the files must be on disk before a manifest lists them.
        let folder = self.folder.path();
        sync_folder(folder).map_err(|error| at(folder, error))?;
        let head = ManifestHead::new(self.settings.clone(), runs, self.stamps.len(), saved(state));
        self.folder.replace(MANIFEST_FILE, |out| {
            write_manifest(out, head, &self.sources, &self.stamps)
        })
    }

    fn named(&self, name: &str) -> Result<NamedRun, CheckpointError> {
        let path = self.folder.file(name);
        let found = path.metadata().map_err(|error| at(&path, error))?;
        Ok(NamedRun {
            name: name.to_owned(),
            bytes: found.len(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Removes the checkpoint, after the outputs are on disk.
    pub(super) fn end<'p>(&self, outputs: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
        let ended = sync_outputs(outputs).and_then(|()| self.folder.remove());
        ended.map_err(|error| fault(self.path(), error))
    }
}

/// Returns the settings that affect the index.
fn fixed(settings: &IndexSettings) -> Result<FixedSettings, Error> {
    let mut added = Vec::new();
    for path in settings.added() {
        let index = lookup::chosen(Some(&path))?;
        added.extend(index.as_deref().map(lookup::identity));
    }
    let added = match added.is_empty() {
        true => OptionValue::Unset.to_string(),
        false => added.join(", "),
    };
    // A scan cannot resume from this checkpoint.
    let task = ("the task", "index".to_owned());
    Ok(FixedSettings::new(&settings.given, [("add", added), task]))
}

fn unusable(folder: &CheckpointFolder, error: doisift_known::BuildError) -> CheckpointError {
    match error {
        doisift_known::BuildError::Temporary(error) => at(folder.path(), error),
        other => at(folder.path(), std::io::Error::other(other)),
    }
}

/// Returns a new name of a run.
fn random_run() -> String {
    let (start, _, end) = RUN_NAME;
    let random = RandomState::new().build_hasher().finish();
    format!("{start}{random:016x}{end}")
}
