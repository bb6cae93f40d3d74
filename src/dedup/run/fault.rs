//! Errors of run files.

use std::io;
use std::path::{Path, PathBuf};

use doisift_documents::printable;

/// A temporary file of names could not be written or read, or is damaged.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}{}", printable::path(path), fault.remedy())]
pub struct SpillError {
    path: PathBuf,
    #[source]
    fault: RunFault,
}

/// Kind of fault of a run file.
#[derive(Debug, thiserror::Error)]
pub(in crate::dedup) enum RunFault {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("damaged: {0}")]
    Damaged(RunDamage),
    #[error("stopped")]
    Stopped,
}

/// How damage to a file was detected.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(in crate::dedup) enum RunDamage {
    #[error("it is not a run of this version and kind")]
    Header,
    #[error("its end is missing or changed")]
    Trailer,
    #[error("a checksum is wrong")]
    Checksum,
    #[error("its content cannot be decoded")]
    Content,
}

impl RunFault {
    /// Returns advice for the user, to append to the message; empty if there is none.
    fn remedy(&self) -> &'static str {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        match self {
            RunFault::Io(error) if matches!(error.kind(), QuotaExceeded | StorageFull) => {
                "; free some space there, name another folder (--tmp-dir), or allow more memory (--memory)"
            }
            _ => "",
        }
    }
}

impl SpillError {
    pub(in crate::dedup) fn new(path: &Path, fault: impl Into<RunFault>) -> Self {
        SpillError {
            path: path.to_owned(),
            fault: fault.into(),
        }
    }

    /// Creates an error from a system error about a run, its folder, or another temporary file of rows.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        SpillError::new(path, error)
    }

    /// Whether the work stopped because [`Budget::stop`](super::super::Budget::stop) returned true.
    pub(crate) fn is_stop(&self) -> bool {
        matches!(self.fault, RunFault::Stopped)
    }

    /// Whether the file is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self.fault, RunFault::Damaged(_))
    }

    /// Returns the path of the file, or of the folder in which it could not be created.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl From<RunDamage> for RunFault {
    fn from(damage: RunDamage) -> Self {
        RunFault::Damaged(damage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_folder_has_a_remedy() {
        let full = SpillError::io(Path::new("t"), io::ErrorKind::StorageFull.into());
        assert!(full.to_string().contains("--tmp-dir"), "{full}");
        let other = SpillError::io(Path::new("t"), io::ErrorKind::NotFound.into());
        assert!(!other.to_string().contains(';'), "{other}");
    }
}
