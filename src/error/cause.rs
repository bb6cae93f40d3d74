//! The cause of an error in full: what went wrong, with all that its message names.

use std::io;
use std::path::PathBuf;

use doisift_documents::printable;
use doisift_documents::{BadGlob, InputError};
use doisift_tables::RowLoss;

#[cfg(feature = "resolve")]
use super::ResolveError;
use super::{
    CheckError, CheckpointError, ClashError, ErrorKind, KnownError, SelectionError, TableError,
};
use crate::dedup::SpillError;
use crate::records::{BadFields, Format, ReadError, pattern_remedy};

/// The cause of an [`Error`](super::Error).
#[derive(Debug, thiserror::Error)]
pub(crate) enum Cause {
    /// A source, or one of its documents, could not be read to its end.
    #[error(transparent)]
    Input(InputError),
    /// An input to merge is not a file of records, or has a wrong row. The text names the row.
    #[error(transparent)]
    Records(ReadError),
    /// The sum of a count over several records of one name exceeds `i64::MAX`.
    #[error(
        "the {field} of {name} add up to more than {max}, the maximum of a record; correct the wrong count, or merge each input once",
        name = printable::name(.doi),
        max = i64::MAX
    )]
    Overflow {
        /// The field that is summed.
        field: &'static str,
        /// The name.
        doi: Box<str>,
    },
    /// A list of sources could not be read.
    #[error(
        "cannot read the list of sources: {0}; it is a file with a path on each line, or - for standard input"
    )]
    List(io::Error),
    /// A run has no source or input.
    #[error("there is nothing to read; name a file or folder, or - for standard input")]
    NoSource,
    /// Values of a field of records are not of the type of its column, in which they are null.
    #[error("{0}")]
    Mistyped(Box<MistypedValues>),
    /// The syntax of a glob is wrong.
    #[error("{0}")]
    Glob(BadGlob),
    /// The fields that were chosen for an output are not fields of its rows.
    #[error("{0}")]
    Fields(BadFields),
    /// Options that select the rows contradict each other, or have a wrong value.
    #[error("{0}")]
    Selection(SelectionError),
    /// The ending of an output does not name a format, and no format was chosen.
    #[error("the ending of {} is not an output format; {}", printable::path(.0), choices())]
    UnknownEnding(PathBuf),
    /// The ending of an output names a compression that doisift reads but does not write.
    #[error("{}: only .gz and .zst outputs can be written compressed; choose one of these endings", printable::path(.0))]
    UnknownPacking(PathBuf),
    /// An output is a folder.
    #[error(
        "{} is a folder; name a file in it, or, for the parts of a scan or merge, a new folder with / at the end",
        printable::path(.0)
    )]
    Folder(PathBuf),
    /// The name of an output is a pattern for the names of several files.
    #[error("{}: {}", printable::path(.0), pattern_remedy(.0))]
    Pattern(PathBuf),
    /// The output could not be opened, written or renamed.
    #[error("cannot write: {0}")]
    Output(io::Error),
    /// A temporary file of names could not be written or read.
    #[error("cannot write or read a temporary file: {0}")]
    Spill(SpillError),
    /// The system refused to start a thread.
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
    /// The ending of an output names a format that this build lacks.
    #[error("this build writes no parquet: build doisift with its feature `columnar`")]
    LeftOut,
    /// The ending of an output asks to compress a Parquet file, whose pages are compressed already.
    #[error("{}: a Parquet file is compressed inside; leave out the last ending", printable::path(.0))]
    PackedTwice(PathBuf),
    /// An output is also an input, or two outputs are one file.
    #[error("{0}")]
    Clash(ClashError),
    /// A table cannot be read, or lacks a column that was named.
    #[error("{0}")]
    Table(TableError),
    /// An index of known names cannot be built or read, or a name cannot be added to it.
    #[error("{0}")]
    Known(KnownError),
    /// References cannot be checked, or a document cannot be fixed.
    #[error("{0}")]
    Check(CheckError),
    /// This build cannot ask a registry.
    #[cfg(not(feature = "resolve"))]
    #[error("this build asks no registry: build doisift with its feature `resolve`")]
    WithoutResolve,
    /// A side of a comparison is not a sorted list of names.
    #[error("{0}")]
    Diff(DiffError),
    /// A registry cannot be asked in this way, or its answers cannot be kept.
    #[cfg(feature = "resolve")]
    #[error("{0}")]
    Resolve(ResolveError),
    /// The run was cancelled.
    #[error("interrupted")]
    Cancelled,
    /// The checkpoint in a folder cannot be written, or a run cannot be resumed from it.
    #[error("the checkpoint in {folder}: {error}", folder = printable::path(.0), error = .1)]
    Checkpoint(PathBuf, Box<CheckpointError>),
}

impl Cause {
    /// Returns the kind, which is all that callers of the library can tell apart.
    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            Cause::Input(_) | Cause::Records(_) | Cause::List(_) => ErrorKind::Input,
            Cause::Overflow { .. } | Cause::Mistyped(_) | Cause::Diff(_) => ErrorKind::Content,
            Cause::Table(error) => error.kind(),
            Cause::Known(error) => error.kind(),
            Cause::Check(error) => error.kind(),
            Cause::Folder(_) | Cause::Output(_) => ErrorKind::Output,
            Cause::Spill(_) | Cause::Threads(_) => ErrorKind::System,
            Cause::Clash(_) => ErrorKind::Clash,
            Cause::Cancelled => ErrorKind::Cancelled,
            Cause::Checkpoint(_, error) => error.kind(),
            #[cfg(feature = "resolve")]
            Cause::Resolve(error) => error.kind(),
            #[cfg(not(feature = "resolve"))]
            Cause::WithoutResolve => ErrorKind::Registry,
            Cause::NoSource
            | Cause::Glob(_)
            | Cause::Fields(_)
            | Cause::Selection(_)
            | Cause::UnknownEnding(_)
            | Cause::UnknownPacking(_)
            | Cause::Pattern(_)
            | Cause::LeftOut
            | Cause::PackedTwice(_) => ErrorKind::Options,
        }
    }

    /// Returns the error of the system, a codec or a format that caused this one, or `None`.
    pub(super) fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Cause::Input(error) => Some(error),
            Cause::Records(error) => Some(error),
            Cause::List(error) | Cause::Output(error) | Cause::Threads(error) => Some(error),
            Cause::Glob(error) => Some(error),
            Cause::Spill(error) => Some(error),
            Cause::Clash(error) => Some(error),
            Cause::Table(error) => Some(error),
            Cause::Fields(error) => Some(error),
            Cause::Selection(error) => Some(error),
            Cause::Checkpoint(_, error) => Some(error),
            Cause::Known(error) => Some(error),
            Cause::Check(error) => Some(error),
            Cause::Diff(error) => Some(error),
            #[cfg(feature = "resolve")]
            Cause::Resolve(error) => Some(error),
            _ => None,
        }
    }
}

impl From<RowLoss> for Cause {
    fn from(loss: RowLoss) -> Self {
        match loss {
            RowLoss::Input(error) => Cause::Input(error),
            loss => Cause::Known(KnownError::Rows(loss)),
        }
    }
}

/// Returns the part of a message that says how to choose a format.
fn choices() -> String {
    let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
    format!(
        "choose one of {} with -f, or as the ending",
        names.join(", ")
    )
}

/// Values of a field of records that are not of the type of its column, in which they are null.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "column {column}: {count}, the first is {first}; the rows have null instead; {remedy}",
    column = printable::name(.column),
    count = self.counted(),
    first = self.first.as_ref().map_or("an object or a list".to_owned(), |first| format!("{first:?}")),
    remedy = self.remedy()
)]
pub(crate) struct MistypedValues {
    /// The name of the column.
    pub(crate) column: Box<str>,
    /// The word for its type.
    pub(crate) kind: &'static str,
    /// Description of valid values.
    pub(crate) values: &'static str,
    /// The number of the values.
    pub(crate) count: u64,
    /// The first of them; `None` for an object or a list of JSON.
    pub(crate) first: Option<Box<str>>,
}

impl MistypedValues {
    fn counted(&self) -> String {
        let are = match self.count {
            1 => "1 value is".to_owned(),
            count => format!("{count} values are"),
        };
        format!("{are} not of the type {} ({})", self.kind, self.values)
    }

    fn remedy(&self) -> String {
        match self.first {
            Some(_) => format!("leave out :{} to write such values as they are", self.kind),
            None => "end the path with the name or number of a value in it, such as /0".to_owned(),
        }
    }
}

/// Reason why two files cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DiffError {
    /// A name is not greater than the one before.
    #[error("the names are not sorted: {} comes too late or twice; sort records with doisift merge FILE -o SORTED, and bare names with LC_ALL=C sort -u", printable::name(.0))]
    Order(Box<str>),
    /// A line of a list of bare names is not a bare name.
    #[error("{} is not a bare name; doisift scan -f names writes such lists", printable::name(.0))]
    NoName(Box<str>),
}
