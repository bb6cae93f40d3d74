//! Runs a scan from sources to records. The only module that knows all stages.
//!
//! Its rooms, each of which uses only those above it:
//!
//! | room | |
//! |---|---|
//! | `plan` | options, selection of rows, sources, shares of memory and threads |
//! | `checkpoint` | marks at which a scan can resume, and the manifest |
//! | `ledger` | counts, losses, notices |
//! | `rows` | mentions held, rows made and written |
//! | `scanning` | chunks and cells to mentions |
//! | `reading` | sources to documents |
//! | `dispatch` | threads, and which of them reads and scans what |
//!
//! `builder` makes the options of a scan, `shared_scan` is the state that all threads share, and `lifecycle` starts and ends a scan.

mod builder;
mod checkpoint;
mod dispatch;
mod ledger;
mod lifecycle;
mod plan;
mod reading;
mod rows;
mod scanning;
mod shared_scan;

pub use builder::PipelineBuilder;
pub(crate) use ledger::report_passed_over;

use std::ops::ControlFlow;
use std::path::Path;

use plan::ScanOptions;
use rows::Caller;

use crate::error::Error;
use crate::records::{MentionRow, Record, Row, RowKind};
use crate::report::{Report, ReportOptions};

/// A scan of sources: finds the DOI names in them and writes these to an output.
///
/// ```
/// use doisift::{Format, Pipeline};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("references.txt");
/// let output = folder.path().join("names.jsonl");
/// std::fs::write(&input, "See 10.5555/ABC, and https://doi.org/10.5555/abc again.")?;
///
/// let report = Pipeline::builder().source(&input).output(&output).format(Format::Names).build()?.run()?;
///
/// assert_eq!(report.mentions, 2);
/// assert_eq!(std::fs::read_to_string(&output)?, "10.5555/abc\n");
/// # Ok(())
/// # }
/// ```
///
/// Another thread can observe a run and cancel it:
///
/// ```
/// use doisift::{ErrorKind, Monitor, Pipeline};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let monitor = Monitor::new();
/// let pipeline = Pipeline::builder().source("Cargo.toml").monitor(&monitor).build()?;
/// monitor.cancel();
/// let stopped = pipeline.run();
/// assert!(stopped.is_err_and(|error| error.kind() == ErrorKind::Cancelled));
/// assert_eq!(monitor.progress().mentions, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Pipeline {
    options: ScanOptions,
}

impl Pipeline {
    /// Creates a builder without sources, for standard output.
    pub fn builder() -> PipelineBuilder {
        PipelineBuilder::default()
    }

    /// Returns the options, with all defaults filled in.
    #[doc(hidden)]
    pub fn options(&self) -> ReportOptions {
        self.options.for_report()
    }

    /// Returns the folder for temporary files.
    #[doc(hidden)]
    pub fn tmp_dir(&self) -> &Path {
        &self.options.tmp
    }

    /// Scans all sources and writes the output.
    ///
    /// Takes the time of reading and unpacking, or of scanning, whichever is slower. Takes memory for the records, at most
    /// [this budget](PipelineBuilder::memory) plus some 16 MiB and the buffers of the output, for sources of any size. With
    /// [`mentions`](PipelineBuilder::mentions), only the chunks take memory.
    ///
    /// A source or document that cannot be read is counted in [`Report::errors`] and written to the [`log`] as a warning.
    /// Names before its damage are kept, except one that the damage cuts.
    ///
    /// With a [checkpoint](PipelineBuilder::checkpoint) it resumes an earlier run.
    ///
    /// # Errors
    /// If the output, or a temporary file, cannot be written, if the run is [cancelled](crate::Monitor::cancel), or, with
    /// [`OnError::Fail`](crate::OnError::Fail), if any input is lost. Then the outputs are as they were before.
    pub fn run(self) -> Result<Report, Error> {
        lifecycle::run_scan(&self.options, None)
    }

    /// Like [`run`](Self::run), but writes no rows, only returns the [`Report`]. [Output](PipelineBuilder::output) and
    /// [format](PipelineBuilder::format) do not matter.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_without_output(mut self) -> Result<Report, Error> {
        self.options.output = None;
        self.options.parts = None;
        (self.options.names_to, self.options.nodes_to) = (None, None);
        lifecycle::run_scan(&self.options, Some(Caller::Nobody))
    }

    /// Like [`run`](Self::run), but calls `each` with every record, sorted by name, instead of writing rows. The calls come one
    /// after another, from threads of the run. [Output](PipelineBuilder::output) and [format](PipelineBuilder::format) do not
    /// matter.
    ///
    /// # Errors
    /// As [`run`](Self::run). If `each` returns [`ControlFlow::Break`], the run ends with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn for_each_record(
        mut self,
        mut each: impl FnMut(&Record<'_>) -> ControlFlow<()> + Send,
    ) -> Result<Report, Error> {
        self.options.pass_on(RowKind::Records)?;
        lifecycle::run_scan(&self.options, Some(Caller::Records(&mut each)))
    }

    /// Like [`run`](Self::run), but calls `each` with every row of counts, instead of writing rows.
    pub(crate) fn for_each_count(
        mut self,
        mut each: impl FnMut(&dyn Row) -> ControlFlow<()> + Send,
    ) -> Result<Report, Error> {
        self.options.output = None;
        lifecycle::run_scan(&self.options, Some(Caller::Counts(&mut each)))
    }

    /// Like [`run`](Self::run), but calls `each` with every mention, in the order of sources, instead of writing rows. The calls
    /// come one after another, from threads of the run. [Output](PipelineBuilder::output) and [format](PipelineBuilder::format)
    /// do not matter.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the run has a [checkpoint](PipelineBuilder::checkpoint), which mentions cannot have. If
    /// `each` returns [`ControlFlow::Break`], the run ends with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn for_each_mention(
        mut self,
        mut each: impl FnMut(&MentionRow<'_>) -> ControlFlow<()> + Send,
    ) -> Result<Report, Error> {
        self.options.pass_on(RowKind::Mentions)?;
        lifecycle::run_scan(&self.options, Some(Caller::Mentions(&mut each)))
    }
}
