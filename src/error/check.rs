//! Reasons why references cannot be checked, or a document cannot be fixed.

use std::io;
use std::path::PathBuf;

use doisift_documents::printable;

use super::ErrorKind;

/// Reason why references cannot be checked, or a document cannot be fixed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    /// A word does not name a verdict.
    #[error("{0}")]
    Verdict(Box<str>),
    /// The ending of the output does not name a format of rows.
    #[error("{}: choose a format with -f, or one of the endings jsonl, csv, sarif and md; text is for standard output", printable::path(.0))]
    UnknownEnding(PathBuf),
    /// The library does not write the format text.
    #[error("the format text is written by the command alone; choose another, such as jsonl")]
    NoText,
    /// A file of notices has none.
    #[error(
        "no notices were found; --retractions takes the CSV of Retraction Watch, or works of Crossref, of which some have updated-by or update-to"
    )]
    NoNotices,
    /// A document that must be held as a whole is longer than this limit in bytes.
    #[error(
        "this document has more than {0} bytes, and must be held as a whole; give more --memory, or take its names with doisift scan, \
         and check the list"
    )]
    TooLong(usize),
    /// An entry, a row or a line is longer than this limit in bytes.
    #[error(
        "from here on, an entry, a row or a line has more than {0} bytes; give more --memory, or take its names with doisift scan, \
         and check the list"
    )]
    LongEntry(usize),
    /// An option is about a registry, but the check is offline.
    #[error("--{0} needs --online; add --online, or leave it out")]
    Offline(Box<str>),
    /// `--fix` cannot write back a source of this kind.
    #[error("--fix cannot write back {0}")]
    Fix(&'static str),
    /// A file has this many hard links, of which only one would lead to the fixed file.
    #[error(
        "--fix cannot write back a file with {0} names (hard links), since only one of them would lead to the new file; fix a copy, or use --diff"
    )]
    Names(u64),
    /// Another program changed a file after it was read.
    #[error(
        "changed by another program after it was read; it stays as it is, so run the same command again"
    )]
    Changed,
    /// Another program has a lock on a file that is to be replaced.
    #[error(
        "locked by another program, such as another run with --fix; it stays as it is, so run the same command again"
    )]
    Locked,
    /// A format of rows was given for a diff.
    #[error("--diff writes a diff and no rows; leave out --format")]
    DiffFormat,
    /// The accepted findings could not be read.
    #[error("cannot read the accepted findings: {0}")]
    UnreadBaseline(io::Error),
    /// The file of accepted findings is damaged. The error has the line and the column.
    #[error("not a file of accepted findings: {0}; --write-baseline writes one")]
    BadBaseline(serde_json::Error),
    /// The file of accepted findings has this version, which is not known.
    #[error("accepted findings of version {0}, which this version of doisift cannot read")]
    BaselineVersion(u32),
    /// There are accepted findings of more than this many bytes.
    #[error(
        "accepted findings of more than {0} bytes; accept whole verdicts with --fail-on instead"
    )]
    LongBaseline(usize),
    /// A fixed file could not be written.
    #[error("cannot write the fixed file: {0}")]
    Write(io::Error),
}

impl CheckError {
    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            CheckError::NoNotices
            | CheckError::TooLong(_)
            | CheckError::LongEntry(_)
            | CheckError::Names(_)
            | CheckError::BadBaseline(_)
            | CheckError::Changed
            | CheckError::Locked => ErrorKind::Content,
            CheckError::Write(_) => ErrorKind::Output,
            _ => ErrorKind::Options,
        }
    }
}
