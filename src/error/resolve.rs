//! Reasons why a registry cannot be asked.

use super::ErrorKind;

/// Reason why a registry cannot be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
    /// An option cannot be used.
    #[error("{0}")]
    Setup(doisift_resolve::SetupError),
    /// The file of the cache cannot be used.
    #[error("{0}")]
    Cache(doisift_resolve::CacheError),
}

impl ResolveError {
    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            ResolveError::Setup(_) => ErrorKind::Options,
            ResolveError::Cache(_) => ErrorKind::Registry,
        }
    }
}
