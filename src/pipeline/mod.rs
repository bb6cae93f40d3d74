//! Runs a scan from sources to records. The only module that knows all stages.
//!
//! Its rooms, each of which uses only those above it:
//!
//! | room | |
//! |---|---|
//! | `plan` | options, selection of rows, sources, shares of memory and threads |
//! | `checkpoint` | marks at which a scan can resume, and the manifest |
//! | `ledger` | counts, losses, notices |
//! | `rows` | rows held, formatted and written |
//! | `edges` | places of rows in structured documents |
//! | `scanning` | chunks and cells to mentions |
//! | `reading` | sources to documents |
//! | `dispatch` | threads, and which of them reads and scans what |
//!
//! `chosen` fills in the defaults of options, `shared_scan` is the state that all threads share, and `lifecycle` starts and ends a scan.

mod checkpoint;
mod chosen;
mod dispatch;
mod edges;
mod ledger;
mod lifecycle;
mod plan;
mod reading;
mod rows;
mod scanning;
mod shared_scan;

pub(crate) use ledger::report_passed_over;

use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;

use doisift_documents::NamedReaders;
use plan::ScanOptions;
use rows::Caller;

use crate::error::Error;
use crate::options::{
    Edges, Folders, FormOptions, HeaderOptions, Limits, ListOptions, LookupOptions, OutputOptions,
    ReadingOptions, ResourceOptions, RowOptions, SelectionOptions, SourceOptions,
};
use crate::records::{MentionRow, Record, Row, RowKind};
use crate::remote::ObjectOptions;
use crate::report::ScanReport;
use crate::task::Monitor;

/// A scan of sources: finds the DOI names in them and writes these to an output.
///
/// ```
/// use doisift::{Format, Scan};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("references.txt");
/// let output = folder.path().join("names.jsonl");
/// std::fs::write(&input, "See 10.5555/ABC, and https://doi.org/10.5555/abc again.")?;
///
/// let report = Scan::new().input(&input).output(&output).format(Format::Names).run()?;
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
/// use doisift::{ErrorKind, Monitor, Scan};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let monitor = Monitor::new();
/// let scan = Scan::new().input("Cargo.toml").monitor(&monitor);
/// monitor.cancel();
/// let stopped = scan.run();
/// assert!(stopped.is_err_and(|error| error.kind() == ErrorKind::Cancelled));
/// assert_eq!(monitor.progress().mentions, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Scan {
    inputs: Vec<PathBuf>,
    readers: NamedReaders,
    /// A name that two readers were given.
    repeated: Option<String>,
    measure: bool,
    monitor: Monitor,
    pub(crate) lists: ListOptions,
    pub(crate) folders: Folders,
    pub(crate) remote: ObjectOptions,
    pub(crate) sources: SourceOptions,
    pub(crate) reading: ReadingOptions,
    pub(crate) header: HeaderOptions,
    pub(crate) rows: RowOptions,
    pub(crate) edges: Edges,
    pub(crate) selection: SelectionOptions,
    pub(crate) forms: FormOptions,
    pub(crate) lookup: LookupOptions,
    pub(crate) output: OutputOptions,
    pub(crate) resources: ResourceOptions,
    pub(crate) limits: Limits,
}

task! {
    Scan {
        lists: ListOptions,
        folders: Folders => folders,
        remote: ObjectOptions,
        sources: SourceOptions,
        reading: ReadingOptions,
        header: HeaderOptions,
        rows: RowOptions,
        edges: Edges,
        selection: SelectionOptions,
        forms: FormOptions,
        lookup: LookupOptions,
        output: OutputOptions,
        resources: ResourceOptions,
        limits: Limits => limits,
    }

    /// Adds a file to read, or a folder to walk, or `-` for standard input.
    ///
    /// Sources are read in the bytewise order of their names, each name once. Below a folder, FIFOs and devices are
    /// skipped, and so are symbolic links unless they are [followed](crate::Folders::follow). All of these are read if they are
    /// named here.
    input
}

impl Scan {
    /// Adds a stream as a source called `name`: a response, an object of a store, your own data. It is read on a thread of the
    /// run, and may be packed or a container, as a file may. No other source may have its name.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// # fn main() -> Result<(), doisift::Error> {
    /// let body = std::io::Cursor::new("See 10.5555/ABC.");
    /// let scan = doisift::Scan::new().reader("https://example.org/a", body);
    /// let mut found = Vec::new();
    /// scan.for_each_mention(|mention| {
    ///     found.push((mention.source.to_owned(), mention.doi.to_owned()));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(found, [("https://example.org/a".to_owned(), "10.5555/abc".to_owned())]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reader(mut self, name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        let name = name.into();
        if !self.readers.add(&name, Box::new(reader)) {
            self.repeated.get_or_insert(name);
        }
        self
    }

    /// Sums the sizes of all sources at the start, for [`Progress::total`](crate::Progress::total). This needs a system call for
    /// every file, and is off by default.
    pub fn measure(mut self, measure: bool) -> Self {
        self.measure = measure;
        self
    }

    /// Scans all sources and writes the output.
    ///
    /// Takes the time of reading and unpacking, or of scanning, whichever is slower. Takes memory for the records, at most
    /// [this budget](Self::memory) plus some 16 MiB and the buffers of the output, for sources of any size. With
    /// [`mentions`](Self::mentions), only the chunks take memory.
    ///
    /// A source or document that cannot be read is counted in [`ScanReport::errors`] and written to the [`log`] as a warning.
    /// Names before its damage are kept, except one that the damage cuts.
    ///
    /// With a [checkpoint](Self::checkpoint) it resumes an earlier run.
    ///
    /// # Errors
    /// If options contradict each other, if the output, or a temporary file, cannot be written, if the run is [cancelled](crate::Monitor::cancel), or, with
    /// [`OnError::Fail`](crate::OnError::Fail), if any input is lost. Then the outputs are as they were before.
    pub fn run(self) -> Result<ScanReport, Error> {
        lifecycle::run_scan(&self.into_settings()?, None)
    }

    /// Like [`run`](Self::run), but writes no rows, only returns the [`ScanReport`]. [Output](Self::output) and
    /// [format](Self::format) do not matter.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_without_output(self) -> Result<ScanReport, Error> {
        let mut settings = self.into_settings()?;
        settings.output = None;
        settings.parts = None;
        (settings.names_to, settings.nodes_to) = (None, None);
        lifecycle::run_scan(&settings, Some(Caller::Nobody))
    }

    /// Like [`run`](Self::run), but calls `each` with every record, sorted by name, instead of writing rows. The calls come one
    /// after another, from threads of the run. [Output](Self::output) and [format](Self::format) do not
    /// matter.
    ///
    /// # Errors
    /// As [`run`](Self::run). If `each` returns [`ControlFlow::Break`], the run ends with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn for_each_record(
        self,
        mut each: impl FnMut(&Record<'_>) -> ControlFlow<()> + Send,
    ) -> Result<ScanReport, Error> {
        let mut settings = self.into_settings()?;
        settings.pass_on(RowKind::Records)?;
        lifecycle::run_scan(&settings, Some(Caller::Records(&mut each)))
    }

    /// Like [`run`](Self::run), but calls `each` with every row, instead of writing rows. Side outputs are written.
    pub(crate) fn for_each_row(
        self,
        mut each: impl FnMut(&dyn Row) -> ControlFlow<()> + Send,
    ) -> Result<ScanReport, Error> {
        let mut settings = self.into_settings()?;
        settings.leave_rows_to_caller()?;
        lifecycle::run_scan(&settings, Some(Caller::Rows(&mut each)))
    }

    /// Like [`run`](Self::run), but calls `each` with every mention, in the order of sources, instead of writing rows. The calls
    /// come one after another, from threads of the run. [Output](Self::output) and [format](Self::format)
    /// do not matter.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the run has a [checkpoint](Self::checkpoint), which mentions cannot have. If
    /// `each` returns [`ControlFlow::Break`], the run ends with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn for_each_mention(
        self,
        mut each: impl FnMut(&MentionRow<'_>) -> ControlFlow<()> + Send,
    ) -> Result<ScanReport, Error> {
        let mut settings = self.into_settings()?;
        settings.pass_on(RowKind::Mentions)?;
        lifecycle::run_scan(&settings, Some(Caller::Mentions(&mut each)))
    }

    fn into_settings(self) -> Result<ScanOptions, Error> {
        let settings = self.settings()?;
        Ok(ScanOptions {
            readers: self.readers,
            ..settings
        })
    }
}
