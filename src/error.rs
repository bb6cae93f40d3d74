//! The one public error: what went wrong, in which source and document, at which offset.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::dedup::SpillError;
use crate::input::{BadGlob, InputError};
use crate::printable::{self, Printable};
use crate::records::{Format, ReadError, UnknownFormat};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A source, or one of its documents, could not be read to its end.
    #[error(transparent)]
    Input(InputError),
    /// A file of records is none, or has a row that is wrong; its text names the row.
    #[error(transparent)]
    Records(ReadError),
    /// The counts of a name in several records add up to more than a record holds.
    #[error(
        "the {field} of {name} add up to more than {most}, the most that a record holds; correct a count that is wrong, or merge each input once",
        name = printable::name(.doi),
        most = i64::MAX
    )]
    Overflow {
        /// The field that is added up.
        field: &'static str,
        /// The name.
        doi: Box<str>,
    },
    /// A list of sources could not be read.
    #[error(
        "cannot read the list of sources: {0}; it is a file with a path on each line, or - for standard input"
    )]
    List(io::Error),
    /// A glob has no meaning.
    #[error("{0}")]
    Glob(BadGlob),
    /// The ending of an output tells no format, and none was chosen.
    #[error("the ending of {} tells no format; {}", printable::path(.0), choices())]
    UnknownEnding(PathBuf),
    /// The ending of an output is that of a packing that is not written.
    #[error("{}: outputs are compressed by the endings .gz and .zst alone: choose one of these", printable::path(.0))]
    UnknownPacking(PathBuf),
    /// An output is a folder.
    #[error("{} is a folder; name a file in it", printable::path(.0))]
    Folder(PathBuf),
    /// The output could not be opened, written or given its name.
    #[error("cannot write: {0}")]
    Output(io::Error),
    /// A temporary file of names could not be written or read.
    #[error("cannot keep names on disk: {0}")]
    Spill(SpillError),
    /// The system gave no threads.
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
    /// The ending of an output names a format that this build lacks.
    #[error("{0}")]
    LeftOut(UnknownFormat),
    /// The ending of an output asks to pack what is packed within.
    #[error("{}: Parquet is packed within; leave out the last ending", printable::path(.0))]
    PackedTwice(PathBuf),
    /// An output is an input too, or two outputs are one file.
    #[error("{0}")]
    Clash(ClashError),
    /// The run was cancelled.
    #[error("interrupted")]
    Cancelled,
    /// The checkpoint in a folder cannot be kept, or gone on from.
    #[error("the checkpoint in {folder}: {error}", folder = printable::path(.0), error = .1)]
    Checkpoint(PathBuf, Box<CheckpointError>),
}

/// What is read only once.
fn stream(name: &str) -> String {
    match name {
        "-" => "standard input".to_owned(),
        name => printable::name(name),
    }
}

/// How the format of an output is chosen.
fn choices() -> String {
    let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
    format!(
        "choose one of {} with -f, or as the ending",
        names.join(", ")
    )
}

/// Why a checkpoint cannot be kept, or gone on from.
///
/// Names of sources are as in [`Report`](crate::Report)s. Nothing was read or written when one of these comes up, but for
/// [`Io`](Self::Io).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Mentions are wanted.
    #[error(
        "mentions have none, since they are written as they are found; leave out --mentions, or --checkpoint"
    )]
    Mentions,
    /// A source that is no file.
    #[error(
        "{name} can be read only once, and an interrupted run reads a source again; put it into a file",
        name = stream(.0)
    )]
    Stream(Arc<str>),
    /// Another run has the folder.
    #[error("another run is using it")]
    InUse,
    /// A file of it, which is named, cannot be read or written.
    #[error("{path}: {error}", path = printable::path(.0), error = .1)]
    Io(PathBuf, io::Error),
    /// A link, FIFO or the like has the name of a file of it: what is behind it was not touched.
    #[error("{} is no file that doisift made; remove it, or choose another folder", printable::path(.0))]
    Foreign(PathBuf),
    /// Its manifest, or a run that this names, is not what was written.
    #[error("{} is damaged; remove the folder to start anew", printable::path(.0))]
    Damaged(PathBuf),
    /// Another version of doisift made it.
    #[error("doisift {0} made it, this is {now}; finish with that, or remove the folder to start anew", now = env!("CARGO_PKG_VERSION"))]
    Version(String),
    /// An option that bears on the result was another.
    #[error(
        "{option} was {then} and is {now}; give the same again, or remove the folder to start anew"
    )]
    Option {
        /// Its name.
        option: &'static str,
        /// What it was.
        then: String,
        /// What it is.
        now: String,
    },
    /// A source came that was not there.
    #[error("{name} was no source then; leave it out, or remove the folder to start anew", name = printable::name(.0))]
    Added(Arc<str>),
    /// A source is gone.
    #[error(
        "{name} was a source then and is none now; put it back, or remove the folder to start anew",
        name = printable::name(.0)
    )]
    Removed(Arc<str>),
    /// A source that was read has another size or time of change.
    #[error("{name} has changed since it was read; put it back, or remove the folder to start anew", name = printable::name(.0))]
    Changed(Arc<str>),
    /// Input was lost already, and the run is to fail at any loss; how many.
    #[error(
        "{0} errors lost input then, and this run is to fail at any; let it skip them, or remove the folder to start anew"
    )]
    Lost(u64),
}

/// How the inputs and outputs of a run contradict each other.
///
/// Names of inputs are as in [`Report`](crate::Report)s. Nothing was read or written when one of these comes up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClashError {
    /// What was named to be read, a list of sources too, is the file that an output would overwrite.
    #[error("{input} is read, and would be overwritten{output}; write to another file",
        input = printable::name(input), output = OtherName(input, output))]
    Input {
        /// Its name.
        input: Arc<str>,
        /// The output as typed.
        output: Arc<str>,
    },
    /// A file below a folder is the file that an output would overwrite. It may be the output of an earlier run.
    #[error("{input} is in a folder that is read, and would be overwritten{output}; leave it out (--exclude '{glob}'), \
        or write to another file",
        input = printable::name(input), output = OtherName(input, output), glob = printable::name(&glob_of(input)))]
    Found {
        /// Its name.
        input: Arc<str>,
        /// The output as typed.
        output: Arc<str>,
    },
    /// The rows and the report would go to one file.
    #[error("the rows and the report would both go to {output}; write one of them to another file", output = printable::name(.0))]
    Outputs(Arc<str>),
    /// An output has the name of a file that the checkpoint keeps in its folder.
    #[error("{output} is the name of a file of the checkpoint; write to another file", output = printable::name(.0))]
    Checkpoint(Arc<str>),
    /// Standard input is asked for twice: as a source, as an input to merge, or as a list of sources.
    #[error(
        "standard input can be read only once; name a file for the other use (./- for a file called -)"
    )]
    Stdin,
}

/// The name of an output, if it is another than that of the input.
struct OtherName<'n>(&'n str, &'n str);

impl fmt::Display for OtherName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 == self.1 {
            true => Ok(()),
            false => write!(f, " as {}", printable::name(self.1)),
        }
    }
}

/// A glob that matches the last part of a name, and its like.
fn glob_of(name: &str) -> String {
    globset::escape(name.rsplit('/').next().unwrap_or(name))
}

/// An error with the place it concerns.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    source: Option<Arc<str>>,
    document: Option<Arc<str>>,
    offset: Option<u64>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Error {
            kind,
            source: None,
            document: None,
            offset: None,
        }
    }

    pub(crate) fn output(error: io::Error) -> Self {
        Error::new(ErrorKind::Output(error))
    }

    /// Adds the source it concerns.
    pub(crate) fn in_source(self, source: Arc<str>) -> Self {
        Error {
            source: Some(source),
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

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Name of the source that was being read.
    pub fn source_name(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Name of the document that was being read, where it has one.
    pub fn document_name(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// How many bytes of the document, decoded, came before it.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Whether it is only that nobody reads the output any more.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(&self.kind, ErrorKind::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<SpillError> for Error {
    fn from(error: SpillError) -> Self {
        Error::new(ErrorKind::Spill(error))
    }
}

/// Whatever it names is [`Printable`], and long names are cut in the middle.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in [&self.source, &self.document].into_iter().flatten() {
            write!(f, "{}: ", printable::name(name))?;
        }
        if let Some(offset) = self.offset {
            write!(f, "at byte {offset}: ")?;
        }
        write!(f, "{}", Printable(&self.kind))?;
        match &self.kind {
            ErrorKind::Input(error) => error.remedy().map_or(Ok(()), |what| write!(f, "; {what}")),
            _ => Ok(()),
        }
    }
}

/// Its text names the cause; [`kind`](Error::kind) gives it.
impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
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
    fn a_name_with_control_characters_stays_in_its_line() {
        let error = Error::output(io::ErrorKind::Other.into()).in_source("a\nb".into());
        let error = error.at(Some("c\u{1b}d\0".into()), 3).to_string();
        assert!(
            error.starts_with(r"a\nb: c\u{1b}d\u{0}: at byte 3: "),
            "{error}"
        );
    }
}
