//! Reasons why an index of known names cannot be built or read.

use std::path::PathBuf;

use doisift_documents::printable;
use doisift_tables::{CellFault, RowLoss};

use super::ErrorKind;

/// Reason why an index of known names cannot be built or read, or a name cannot be added to it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KnownError {
    /// No file was named for the index.
    #[error("no output is named; name the file of the index with -o, such as -o known.doix")]
    NoOutput,
    /// The ending of the output names a compression.
    #[error("{}: an index is not compressed, since it is read piece by piece; leave out the last ending", printable::path(.0))]
    Packed(PathBuf),
    /// The index to ask is an object of a store.
    #[error("{}: an index that is asked is a file of this machine; copy it first", printable::path(.0))]
    Address(PathBuf),
    /// A source is a list of mentions or records, whose names were found in texts.
    #[error(
        "this is a list of mentions, of which about a fifth are cut or misspelt names, and an index would take each for registered; \
        name a list of registered names, or give --trust if these are known to exist"
    )]
    Mentions,
    /// A source is an index, which must be added instead.
    #[error("this is an index already; give it with --add, or to a check with --known")]
    Index,
    /// A source is a table in columns, but no column was chosen.
    #[error("this is a table; name the column that holds the names with --column")]
    NoColumn,
    /// An index cannot be read, to add or to ask it.
    #[error("{0}")]
    Unreadable(doisift_known::IndexError),
    /// A text is not a DOI name.
    #[error("not a DOI name: {0}")]
    Name(doisift_core::DoiError),
    /// The date of a notice cannot be read.
    #[error("{0}")]
    Notice(doisift_known::notices::NoticeError),
    /// A text is not UTF-8.
    #[error("this text is not UTF-8; convert the source first: iconv -t UTF-8")]
    Encoding,
    /// A name of this many bytes is too long for an index.
    #[error("a name of {0} bytes is too long for an index")]
    Long(usize),
    /// Rows of a table or objects of JSON are too long, or a quote is not closed.
    #[error("{0}")]
    Rows(RowLoss),
    /// An object of JSON lacks this member for its name.
    #[error("the object has no member {0}; --column names the one that holds the name")]
    NoMember(Box<str>),
    /// A page without an array of works follows another page.
    #[error(
        "a page without an array of works starts here, and was not read; put each answer into its own file"
    )]
    More,
    /// An object is not valid JSON of a work.
    #[error("this is not the JSON of a work: {0}")]
    Json(Box<str>),
}

impl KnownError {
    /// Creates the error for a row without a name in this column.
    pub(crate) fn of_cell(fault: CellFault, column: &str) -> Self {
        match fault {
            CellFault::NoMember => KnownError::NoMember(column.into()),
            fault => KnownError::Json(fault.to_string().into()),
        }
    }

    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            KnownError::NoOutput | KnownError::Packed(_) | KnownError::Address(_) => {
                ErrorKind::Options
            }
            KnownError::Unreadable(_) => ErrorKind::Index,
            _ => ErrorKind::Content,
        }
    }
}
