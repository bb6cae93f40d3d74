//! Reasons why a run cannot be resumed.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use doisift_documents::printable;

use super::ErrorKind;

/// Reason why a checkpoint cannot be written, or a run cannot be resumed from it.
///
/// Sources are named as in [`ScanReport`](crate::ScanReport)s. All kinds except [`Io`](Self::Io) are found before anything is read or
/// written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckpointError {
    /// The run writes mentions or edges into a single file, not into parts.
    #[error(
        "a run with --mentions or --edges can be resumed only if its rows are in parts; write them to a folder, such as -o rows/, or leave out --checkpoint"
    )]
    Mentions,
    /// The run writes the records of documents besides its rows, into a single file, not into parts.
    #[error(
        "a run with --nodes-to can be resumed only if the records are in parts too; write them to a folder, such as --nodes-to nodes/, or leave out --checkpoint"
    )]
    NodesTo,
    /// The folder is an address.
    #[error("a checkpoint is a folder of this machine; name one")]
    Address,
    /// A source is a stream, which cannot be read again.
    #[error(
        "{name} can be read only once, but a resumed run may read a source again; put it into a file",
        name = stream(.0)
    )]
    Stream(Arc<str>),
    /// Another run holds the lock of the folder.
    #[error("another run is using it; wait until that has ended, or choose another folder")]
    InUse,
    /// A file in the folder cannot be read or written.
    #[error("{path}: {error}", path = printable::path(.0), error = .1)]
    Io(PathBuf, #[source] io::Error),
    /// A file in the folder has the name of a file of the checkpoint, but was not made by doisift, such as a link or a FIFO. It
    /// was not followed, changed or removed.
    #[error("{} was not made by doisift; remove it, or choose another folder", printable::path(.0))]
    Foreign(PathBuf),
    /// The manifest, or a run that it lists, is not as doisift wrote it.
    #[error("{} is damaged; remove the folder to start again from the beginning", printable::path(.0))]
    Damaged(PathBuf),
    /// Another version of doisift wrote the checkpoint.
    #[error("doisift {0} wrote it, and this is {now}; finish with that version, or remove the folder to start again from the beginning", now = env!("CARGO_PKG_VERSION"))]
    Version(String),
    /// An option that affects the result has another value than in the interrupted run.
    #[error(
        "{option} was {then} in the interrupted run and is {now} now; give the same value, or remove the folder to start again from the beginning"
    )]
    Option {
        /// The name of the option.
        option: String,
        /// Its value in the interrupted run.
        then: String,
        /// Its value now.
        now: String,
    },
    /// There is a source that the interrupted run did not have.
    #[error("{name} was not a source of the interrupted run; leave it out, or remove the folder to start again from the beginning", name = printable::name(.0))]
    Added(Arc<str>),
    /// A source of the interrupted run is missing.
    #[error(
        "{name} was a source of the interrupted run and is missing now; put it back, or remove the folder to start again from the beginning",
        name = printable::name(.0)
    )]
    Removed(Arc<str>),
    /// A source that was read has another size or modification time.
    #[error("{name} has changed since it was read; remove the folder to start again from the beginning", name = printable::name(.0))]
    Changed(Arc<str>),
    /// A source that was read has the same size and modification time, but another inode or change time.
    #[error(
        "{name} was written, copied or moved, or its permissions were changed, since it was read; its size and modification time are unchanged, but its content may differ; remove the folder to start again from the beginning",
        name = printable::name(.0)
    )]
    Replaced(Arc<str>),
    /// This many errors already lost input in the interrupted run, and this run must fail at the first.
    #[error(
        "{0} errors lost input in the interrupted run, and --on-error fail allows none; give --on-error skip, or remove the folder to start again from the beginning"
    )]
    Lost(u64),
}

impl CheckpointError {
    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            CheckpointError::Io(..) => ErrorKind::System,
            _ => ErrorKind::Checkpoint,
        }
    }
}

/// Formats the name of a source that can be read only once.
fn stream(name: &str) -> String {
    match name {
        "-" => "standard input".to_owned(),
        name => printable::name(name),
    }
}
