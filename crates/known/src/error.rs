//! Errors of reading and building an index.

use std::io;

use doisift_core::DoiError;

/// Why an index cannot be read: the file, its section, and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{file}, section {section}: {kind}")]
pub struct IndexError {
    file: String,
    section: &'static str,
    kind: IndexErrorKind,
}

/// Why an index cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexErrorKind {
    /// The file could not be opened or read.
    #[error("cannot read: {0}")]
    Io(io::Error),
    /// The file does not start as an index does.
    #[error("this is not an index of DOI names")]
    Foreign,
    /// The file is of another version of the format.
    #[error("the format has version {0}, and this program reads version {VERSION}; build the index again", VERSION = crate::FORMAT_VERSION)]
    Version(u64),
    /// The file ends too early, or its bytes have changed since they were written.
    #[error("the file is cut or damaged; copy it again, or build it again")]
    Damaged,
}

impl IndexError {
    pub(crate) fn new(file: &str, section: &'static str, kind: IndexErrorKind) -> Self {
        IndexError {
            file: file.to_owned(),
            section,
            kind,
        }
    }

    /// Returns the file, as it was named.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the section of the file: `start`, `end`, `header`, `names`, `name blocks`, `notices` or `notice blocks`.
    pub fn section(&self) -> &'static str {
        self.section
    }

    /// Returns the reason.
    #[doc(hidden)]
    pub fn kind(&self) -> &IndexErrorKind {
        &self.kind
    }
}

/// Why an index cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A temporary file could not be written or read.
    #[error("cannot write or read a temporary file: {0}")]
    Temporary(io::Error),
    /// The index could not be written.
    #[error("cannot write the index: {0}")]
    Output(io::Error),
    /// A text is not a DOI name. The builder can still be used.
    #[error(transparent)]
    Name(#[from] DoiError),
    /// An index to be added cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A name is longer than 256 MiB.
    #[error("a name of {0} bytes is too long for an index; leave out names of more than 256 MiB")]
    TooLong(usize),
}
