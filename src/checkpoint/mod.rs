//! Checkpoints: finished work is kept in a folder, so that an interrupted run can be resumed.
//!
//! `manifest` defines the file that lists the finished work, `folder` handles the files, and `progress` follows a run: what it has
//! read, and when a checkpoint is due. Each task decides what is finished. Knows no task.

mod folder;
mod manifest;
mod progress;

use std::fs;
use std::path::Path;

use doisift_documents::{SourceKind, Sources, display_name};
use doisift_system::{sync_file, sync_folder};

pub(crate) use folder::{CheckpointFolder, NamedRun, at, fault};
pub(crate) use manifest::FixedSettings;
pub(crate) use progress::{Pace, SavedProgress};

use crate::error::{CheckpointError, Error};
use crate::objects::is_address;
use crate::options::OnError;
use crate::report::Losses;
use crate::task::{Destinations, in_checkpoint};

/// Opens the folder of a checkpoint and locks it for a run with these outputs. Their temporary names get its mark.
///
/// # Errors
/// If another run uses it, an output is one of its files, or a system call fails.
pub(crate) fn open<'p>(
    folder: &Path,
    outputs: impl Iterator<Item = &'p Path> + Clone,
    destinations: &mut Destinations,
) -> Result<CheckpointFolder, Error> {
    let services = destinations.services();
    let folder = CheckpointFolder::open(folder, outputs.clone(), services)?;
    if let Some(output) = outputs.clone().find(|path| folder.holds(path)) {
        return Err(in_checkpoint(output));
    }
    destinations.set_mark(folder.mark());
    Ok(folder)
}

/// # Errors
/// If a source is a stream, and so cannot be read twice.
fn check_files(sources: &Sources) -> Result<(), CheckpointError> {
    let mut streams = sources
        .iter()
        .filter(|source| !matches!(source.kind, SourceKind::File | SourceKind::Remote));
    streams.next().map_or(Ok(()), |stream| {
        Err(CheckpointError::Stream(display_name(&stream.path).into()))
    })
}

/// # Errors
/// If errors lost input in the interrupted run, and the first one ends a run.
pub(crate) fn check_losses(
    on_error: Option<OnError>,
    losses: &Losses,
) -> Result<(), CheckpointError> {
    match on_error == Some(OnError::Fail) && losses.count > 0 {
        true => Err(CheckpointError::Lost(losses.count)),
        false => Ok(()),
    }
}

/// Syncs the outputs, which have their final names, to disk. After that the checkpoint may be removed.
fn sync_outputs<'p>(outputs: impl Iterator<Item = &'p Path>) -> Result<(), CheckpointError> {
    // An object is safe when it appears.
    let mut files = outputs.filter(|output| !is_address(output));
    files.try_for_each(|output| sync(output).map_err(|error| at(output, error)))
}

/// Syncs a regular file and its folder to disk.
fn sync(path: &Path) -> std::io::Result<()> {
    // Pipes are left out: /dev/stdout may lead to one, and a pipe has no canonical path.
    if !fs::metadata(path)?.is_file() {
        return Ok(());
    }
    let path = fs::canonicalize(path)?;
    sync_file(&path)?;
    path.parent().map_or(Ok(()), sync_folder)
}
