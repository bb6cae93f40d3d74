//! Finds outputs that are also inputs, and two outputs of one name, before any of them is opened.
//!
//! Two paths are the same file if device and inode are equal. So links, other spellings of a path, and standard streams are
//! recognised. Devices and pipes never clash with inputs.

use std::fs::{self, Metadata};
use std::path::Path;
use std::sync::Arc;

use doisift_documents::{Source, SourceKind, Sources, display_name, stdin_metadata};

use crate::error::{ClashError, Error, ErrorKind};
use crate::records::{Destination, FileId};

/// The files that the outputs of a run lead to.
pub(crate) struct Destinations {
    /// None if the rows go to the caller.
    rows: Option<Destination>,
    report: Option<Destination>,
}

impl Destinations {
    /// The destinations of the rows, standard output if no path is given, and of the report.
    ///
    /// # Errors
    /// If both are the same file, or the metadata of one cannot be read.
    pub(crate) fn new(rows: Option<&Path>, report: Option<&Path>) -> Result<Self, Error> {
        let rows = Destination::of(rows).map_err(Error::output)?;
        let report = report.map(|path| Destination::of(Some(path)));
        let report = report.transpose().map_err(Error::output)?;
        match &report {
            Some(report) if report.is_same(&rows) => {
                Err(clash(ClashError::Outputs(name(rows.path()))))
            }
            _ => Ok(Destinations {
                rows: Some(rows),
                report,
            }),
        }
    }

    /// The destination of the report, if the rows go to the caller.
    pub(crate) fn without_rows(report: Option<&Path>) -> Result<Self, Error> {
        let report = report.map(|path| Destination::of(Some(path)));
        let report = report.transpose().map_err(Error::output)?;
        Ok(Destinations { rows: None, report })
    }

    /// Refuses a named input, `-` for standard input, if it is also an output.
    pub(crate) fn check(&self, input: &Path) -> Result<(), Error> {
        self.refuse(input, self.each())
    }

    /// Like [`check`](Self::check), for an input that is read to its end before the first row is written. The rows may replace it.
    pub(crate) fn check_before_rows(&self, input: &Path) -> Result<(), Error> {
        self.refuse(input, self.each().filter(|output| !self.may_follow(output)))
    }

    /// Refuses files below folders that are also outputs, unless they are empty: an empty file need not be read.
    pub(crate) fn check_found(&self, sources: &Sources) -> Result<(), Error> {
        let outputs: Vec<_> = self.each().filter(|output| !output.is_empty()).collect();
        let files =
            |source: &Source| !matches!(source.kind, SourceKind::Stdin | SourceKind::Reader);
        for source in sources.iter().filter(files) {
            for output in outputs.iter().filter(|output| output.may_be(&source.path)) {
                if fs::metadata(&source.path).is_ok_and(|at| output.is_file(&at)) {
                    let (input, output) = (name(&source.path), name(output.path()));
                    return Err(clash(ClashError::Found { input, output }));
                }
            }
        }
        Ok(())
    }

    /// Device and inode of outputs that are not empty, which must not be read.
    pub(crate) fn filled(&self) -> Vec<FileId> {
        let filled = self.each().filter(|output| !output.is_empty());
        filled.filter_map(Destination::id).collect()
    }

    /// Device and inode of outputs that are empty, which need not be read.
    pub(crate) fn empty(&self) -> Vec<FileId> {
        let empty = self.each().filter(|output| output.is_empty());
        empty.filter_map(Destination::id).collect()
    }

    fn refuse<'d>(
        &self,
        input: &Path,
        mut outputs: impl Iterator<Item = &'d Destination>,
    ) -> Result<(), Error> {
        // No system call is needed if no output exists yet.
        if self.each().all(|output| !output.is_there()) {
            return Ok(());
        }
        let Some(metadata) = metadata(input) else {
            return Ok(());
        };
        match outputs.find(|output| output.is_file(&metadata)) {
            Some(output) => Err(clash(ClashError::Input {
                input: input_name(input),
                output: name(output.path()),
            })),
            None => Ok(()),
        }
    }

    fn each(&self) -> impl Iterator<Item = &Destination> {
        self.rows.iter().chain(&self.report)
    }

    fn may_follow(&self, output: &Destination) -> bool {
        let rows = self.rows.as_ref();
        rows.is_some_and(|rows| std::ptr::eq(output, rows)) && output.is_replaced()
    }
}

/// Whether a path names standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The error that standard input, or a stream of the caller, has the name of another source.
pub(crate) fn same_name(stdin_name: &str) -> Error {
    clash(ClashError::SourceName(stdin_name.into()))
}

/// The error that standard input was given a name but is no source.
pub(crate) fn no_stdin(stdin_name: &str) -> Error {
    clash(ClashError::NoStdin(stdin_name.into()))
}

/// The error that standard input is named more than once.
pub(crate) fn stdin_twice() -> Error {
    clash(ClashError::Stdin)
}

/// The error that an output at `path` has the name of a file of the checkpoint.
pub(crate) fn in_checkpoint(path: &Path) -> Error {
    clash(ClashError::Checkpoint(name(path)))
}

fn metadata(input: &Path) -> Option<Metadata> {
    if is_stdin(input) {
        stdin_metadata().ok()
    } else {
        fs::metadata(input).ok()
    }
}

fn input_name(input: &Path) -> Arc<str> {
    if is_stdin(input) {
        "standard input".into()
    } else {
        name(input)
    }
}

fn name(path: &Path) -> Arc<str> {
    display_name(path).into()
}

fn clash(error: ClashError) -> Error {
    Error::new(ErrorKind::Clash(error))
}
