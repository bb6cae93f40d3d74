//! The one public error: what went wrong, in which source and document, at which offset.

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// An error with the place it concerns.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    source: Option<String>,
    document: Option<String>,
    offset: Option<u64>,
}
