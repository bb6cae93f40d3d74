//! Compares two lists of names, or of edges and other rows, and writes which appeared, vanished, or were retracted.
//!
//! `stream` reads the names of a side in order, and `compare` merges both. For other rows `compared_rows` chooses the fields to compare
//! by, and `graph` sorts and merges them. Does not know how names are found.

mod compare;
mod compared_rows;
mod graph;
mod options;
mod report;
mod run;
mod stream;

pub use report::DiffReport;

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::options::{OutputOptions, ResourceOptions, SelectionOptions};
use crate::remote::ObjectOptions;
use crate::task::Monitor;

/// Compares two files of records, of bare names, or indexes of known names, each sorted by name as doisift writes them.
///
/// A row is written for each change, sorted by name: `appeared` for a name that only the new file has, `vanished` for a name that
/// only the old one has, and `retracted` for a name that is retracted, withdrawn or removed only in the new one. Retractions are
/// compared between two indexes, with the notice as the detail, and between two files of records with the field `retracted`. Both
/// files are read once, side by side, in little memory.
///
/// Files or folders of edges, mentions, pairs or nodes are compared too. A change has the fields that identify the row: the name,
/// `record`, `role`, `relation` and `update_type` of an edge, the name, `source` and `document` of a mention or pair, the
/// `record` of a node, as far as both sides have these columns. Other columns and repetitions of a row are not compared;
/// references without a name are left out. Both sides are sorted by these columns, within the [memory](Self::memory).
///
/// ```
/// use doisift::Diff;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = |name: &str| folder.path().join(name);
/// std::fs::write(path("old.names"), "10.5555/a\n10.5555/b\n")?;
/// std::fs::write(path("new.names"), "10.5555/b\n10.5555/c\n")?;
///
/// let report = Diff::between(path("old.names"), path("new.names")).output(path("changes.csv")).run()?;
///
/// let wanted = "change,doi,detail\nvanished,10.5555/a,\nappeared,10.5555/c,\n";
/// assert_eq!(std::fs::read_to_string(path("changes.csv"))?, wanted);
/// assert_eq!((report.appeared, report.vanished), (1, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Diff {
    old: PathBuf,
    new: PathBuf,
    exit_code: bool,
    monitor: Monitor,
    pub(crate) selection: SelectionOptions,
    pub(crate) output: OutputOptions,
    pub(crate) resources: ResourceOptions,
    pub(crate) remote: ObjectOptions,
}

task! {
    Diff {
        selection: SelectionOptions,
        output: OutputOptions,
        resources: ResourceOptions,
        remote: ObjectOptions,
    }
}

impl Diff {
    /// Creates the comparison: the changes from `old` to `new`. One of them may be `-` for standard input.
    pub fn between(old: impl AsRef<Path>, new: impl AsRef<Path>) -> Self {
        Diff {
            old: old.as_ref().to_owned(),
            new: new.as_ref().to_owned(),
            exit_code: false,
            monitor: Monitor::default(),
            selection: SelectionOptions::default(),
            output: OutputOptions::default(),
            resources: ResourceOptions::default(),
            remote: ObjectOptions::default(),
        }
    }

    /// Makes changes count as exit code 1 in the report and the command.
    #[doc(hidden)]
    pub fn exit_code(mut self, exit_code: bool) -> Self {
        self.exit_code = exit_code;
        self
    }

    /// Compares both files, and writes the changes.
    ///
    /// # Errors
    /// If options contradict each other, or the rows of both files cannot be compared; if a file cannot be read, is damaged, or has names that are not sorted; if an output cannot be written; or if the run is
    /// [cancelled](crate::Monitor::cancel). Then the outputs are as they were before.
    pub fn run(self) -> Result<DiffReport, Error> {
        run::run(&self.settings()?)
    }
}
