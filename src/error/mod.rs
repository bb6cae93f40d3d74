//! The one public error: a kind and a message, with source, document and offset. `cause` and its neighbours hold the full reasons of
//! each task, for this crate alone.

mod cause;
mod check;
mod checkpoint;
mod clash;
mod known;
#[cfg(feature = "resolve")]
mod resolve;
mod selection;
mod table;

use std::fmt;
use std::io;
use std::sync::Arc;

use doisift_documents::printable::{self, Printable};

use crate::dedup::SpillError;

pub(crate) use cause::{Cause, DiffError, MistypedValues};
pub(crate) use check::CheckError;
pub(crate) use checkpoint::CheckpointError;
pub(crate) use clash::ClashError;
pub(crate) use known::KnownError;
#[cfg(feature = "resolve")]
pub(crate) use resolve::ResolveError;
pub(crate) use selection::SelectionError;
pub(crate) use table::TableError;

/// The kind of an [`Error`]. Its message says what happened, where, and what to do.
///
/// ```
/// use doisift::{ErrorKind, Scan};
///
/// let error = Scan::new().run().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Options);
/// assert!(error.to_string().starts_with("there is nothing to read"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The run was cancelled.
    Cancelled,
    /// A run cannot be resumed from its checkpoint, or cannot have one.
    Checkpoint,
    /// An output is also an input, or two outputs are one file.
    Clash,
    /// An input can be read, but its content is not what the task needs, such as a table without the column.
    Content,
    /// An index of known names cannot be read.
    Index,
    /// An input cannot be read to its end, or is damaged.
    Input,
    /// Options contradict each other, or have a wrong value.
    Options,
    /// An output cannot be written.
    Output,
    /// A registry cannot be asked, or its answers cannot be kept.
    Registry,
    /// The system refused a temporary file, a file of a checkpoint or a thread.
    System,
}

/// An error with its source, document and offset, as far as they are known.
#[derive(Debug)]
pub struct Error {
    cause: Cause,
    source: Option<Arc<str>>,
    document: Option<Arc<str>>,
    offset: Option<u64>,
}

impl Error {
    pub(crate) fn new(cause: Cause) -> Self {
        Error {
            cause,
            source: None,
            document: None,
            offset: None,
        }
    }

    pub(crate) fn output(error: io::Error) -> Self {
        Error::new(Cause::Output(error))
    }

    /// Adds the source.
    pub(crate) fn in_source(self, source: Arc<str>) -> Self {
        Error {
            source: Some(source),
            ..self
        }
    }

    /// Adds the document, if it has a name.
    pub(crate) fn in_document(self, document: impl Into<Option<Arc<str>>>) -> Self {
        Error {
            document: document.into(),
            ..self
        }
    }

    /// Adds the document, if it has a name, and the offset in its decoded bytes.
    pub(crate) fn at(self, document: Option<Arc<str>>, offset: u64) -> Self {
        Error {
            document,
            offset: Some(offset),
            ..self
        }
    }

    /// Returns the kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.cause.kind()
    }

    /// Returns the cause in full.
    pub(crate) fn cause(&self) -> &Cause {
        &self.cause
    }

    /// Returns the name of the source that was being read.
    pub fn source_name(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Returns the name of the document that was being read, if it has one.
    pub fn document_name(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// Returns the offset in the decoded bytes of the document, if known.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Whether the only failure is that the reader of the output closed the pipe.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(&self.cause, Cause::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

#[doc(hidden)]
impl From<SpillError> for Error {
    fn from(error: SpillError) -> Self {
        Error::new(Cause::Spill(error))
    }
}

/// Names are written as [`Printable`]. Long names are shortened in the middle.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in [&self.source, &self.document].into_iter().flatten() {
            write!(f, "{}: ", printable::name(name))?;
        }
        if let Some(offset) = self.offset {
            write!(f, "at byte {offset}: ")?;
        }
        write!(f, "{}", Printable(&self.cause))?;
        match &self.cause {
            Cause::Input(error) => error.remedy().map_or(Ok(()), |what| write!(f, "; {what}")),
            _ => Ok(()),
        }
    }
}

/// The message of an error includes the messages of its sources, so print the error or its last source, not the whole chain.
impl std::error::Error for Error {
    /// Returns the error of the system, a codec or a format that caused this one, or `None`.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}

#[cfg(test)]
mod tests {
    use doisift_documents::InputError;

    use super::*;

    #[test]
    fn a_name_and_a_cause_of_any_length_make_one_short_line() {
        let error = Error::output(io::Error::other("x\u{1b}[31m\ny"));
        let error = error.in_source("n".repeat(100_000).into()).to_string();
        assert!(
            error.ends_with(r": cannot write: x\u{1b}[31m\ny"),
            "{error}"
        );
        assert!(error.len() < 400, "{error}");
    }

    #[test]
    fn the_error_of_the_system_is_a_source() {
        let io = || io::Error::from_raw_os_error(28);
        let packed = InputError::Damaged {
            packing: doisift_documents::Packing::Gzip,
            error: io(),
        };
        let kinds = [
            Cause::Output(io()),
            Cause::Input(InputError::Io(io())),
            Cause::Input(packed),
            Cause::Spill(SpillError::io("run".as_ref(), io())),
            Cause::Checkpoint("c".into(), CheckpointError::Io("f".into(), io()).into()),
        ];
        for kind in kinds {
            let error = Error::new(kind);
            let chain =
                std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
            let system = chain
                .last()
                .and_then(|cause| cause.downcast_ref::<io::Error>());
            let code = system.and_then(io::Error::raw_os_error);
            assert_eq!(code, Some(28), "{error:?}");
        }
        assert!(std::error::Error::source(&Error::new(Cause::Cancelled)).is_none());
    }

    #[test]
    fn a_name_with_control_characters_stays_in_its_line() {
        let error = Error::output(io::ErrorKind::Other.into()).in_source("a\nb".into());
        let error = error.at(Some("c\u{1b}d\0".into()), 3).to_string();
        assert!(
            error.starts_with(r"a\nb: c\u{1b}d\u{0}: at byte 3: "),
            "{error}"
        );
    }
}
