//! What can go wrong with a run's file.

use std::io;
use std::path::{Path, PathBuf};

use crate::printable;

/// A temporary file of names could not be written or read, or is not what was written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", printable::path(path))]
pub struct SpillError {
    path: PathBuf,
    fault: Fault,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(in crate::dedup) enum Fault {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("damaged: {0}")]
    Damaged(Damage),
    #[error("stopped")]
    Stopped,
}

/// What was seen of a file's damage.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(in crate::dedup) enum Damage {
    #[error("it is no run of this version and kind")]
    Header,
    #[error("its end is missing or changed")]
    Trailer,
    #[error("a checksum is wrong")]
    Checksum,
    #[error("its content has no meaning")]
    Content,
}

impl SpillError {
    pub(in crate::dedup) fn new(path: &Path, fault: impl Into<Fault>) -> Self {
        SpillError {
            path: path.to_owned(),
            fault: fault.into(),
        }
    }

    /// What the system says of a file that runs depend on, or that has the same troubles.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        SpillError::new(path, error)
    }

    /// Whether work was ended since [its budget](super::super::Budget) said so.
    pub(crate) fn is_stop(&self) -> bool {
        matches!(self.fault, Fault::Stopped)
    }

    /// Whether the file is not what was written.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self.fault, Fault::Damaged(_))
    }

    /// The file, or the folder that it could not be made in.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl From<Damage> for Fault {
    fn from(damage: Damage) -> Self {
        Fault::Damaged(damage)
    }
}
