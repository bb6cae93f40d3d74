//! The checkpoints of an indexing.
//!
//! Sources are read one after the other, each in pieces: its documents, and the losses between them. A checkpoint has the number
//! of sources that were read, and the number of pieces of the next one. A resumed run skips these.

use std::fs::OpenOptions;
use std::sync::Arc;
use std::time::Instant;

use doisift_documents::Sources;
use doisift_known::{BuildOptions, IndexBuilder};
use serde::{Deserialize, Serialize};

use super::build::build_options;
use super::options::IndexSettings;
use super::report::NameCounts;
use crate::checkpoint::{
    CheckpointFolder, FixedSettings, NamedRun, Pace, SavedProgress, at, check_losses, fault,
};
use crate::error::{CheckpointError, Error};
use crate::lookup;
use crate::options::OptionValue;
use crate::report::Losses;

/// The files of sorted names and notices.
const RUN_FILES: [&str; 2] = [
    "doisift-00000000000names.run",
    "doisift-000000000notices.run",
];

/// Number of whole sources that were read, and of pieces of the next one.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct ReadSoFar {
    pub(super) sources: usize,
    pub(super) pieces: u64,
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
    pub(super) builder: Vec<u8>,
}

/// Resumes from the checkpoint in `folder`, or starts from the beginning without one. Returns the builder, and the state of the
/// interrupted run.
pub(super) fn begin(
    folder: CheckpointFolder,
    settings: &IndexSettings,
    sources: &Arc<Sources>,
) -> Result<(SavedProgress, IndexBuilder, Option<SavedIndexing>), Error> {
    let fixed = fixed(settings)?;
    let path = folder.path().to_owned();
    let pace = Pace::new(settings.checkpoint_interval, false);
    let begin = || {
        let (progress, earlier) =
            SavedProgress::begin::<SavedIndexing>(folder, fixed, sources, pace)?;
        let (folder, options) = (progress.folder(), build_options(settings));
        let Some((saved, runs)) = earlier else {
            let builder = create(folder, options)?;
            return Ok((progress, builder, None));
        };
        check_losses(settings.on_error, &saved.losses)?;
        let builder = resume(folder, options, &runs, &saved)?;
        Ok((progress, builder, Some(saved)))
    };
    begin().map_err(|error| fault(&path, error))
}

/// Writes a checkpoint. `saved` lacks the state of the builder.
pub(super) fn write(
    progress: &mut SavedProgress,
    builder: &mut IndexBuilder,
    mut saved: SavedIndexing,
) -> Result<(), Error> {
    let since = Instant::now();
    let mut write = || {
        let state = builder.save();
        saved.builder = state.map_err(|error| unusable(progress.folder(), error))?;
        let runs = RUN_FILES.map(|name| named(progress.folder(), name));
        let runs = runs.into_iter().collect::<Result<_, _>>()?;
        progress.write(progress.started(), runs, &saved)
    };
    write().map_err(|error| progress.fault(error))?;
    progress.pace.note_written(since);
    Ok(())
}

fn named(folder: &CheckpointFolder, name: &str) -> Result<NamedRun, CheckpointError> {
    let path = folder.file(name);
    let found = path.metadata().map_err(|error| at(&path, error))?;
    Ok(NamedRun {
        name: name.to_owned(),
        bytes: found.len(),
    })
}

/// Creates a builder with new files.
fn create(
    folder: &CheckpointFolder,
    options: BuildOptions,
) -> Result<IndexBuilder, CheckpointError> {
    let [names, notices] = RUN_FILES.map(|name| {
        let path = folder.file(name);
        let mut create = OpenOptions::new();
        let created = create.read(true).write(true).create_new(true).open(&path);
        created.map_err(|error| at(&path, error))
    });
    let builder = IndexBuilder::in_files(options, [names?, notices?]);
    builder.map_err(|error| unusable(folder, error))
}

/// Restores a builder with its files.
fn resume(
    folder: &CheckpointFolder,
    options: BuildOptions,
    runs: &[NamedRun],
    saved: &SavedIndexing,
) -> Result<IndexBuilder, CheckpointError> {
    if !runs.iter().map(|run| &*run.name).eq(RUN_FILES) {
        return Err(folder.damaged());
    }
    let files = runs.iter().map(|run| {
        // Bytes that were written after the checkpoint are dropped.
        let path = folder.run(run, |length| length >= run.bytes)?;
        let file = OpenOptions::new().read(true).write(true).open(&path);
        file.map_err(|error| at(&path, error))
    });
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let files = files.try_into().map_err(|_| folder.damaged())?;
    let builder = IndexBuilder::resume(options, files, &saved.builder);
    let builder = builder.map_err(|error| unusable(folder, error))?;
    builder.ok_or_else(|| folder.damaged())
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
