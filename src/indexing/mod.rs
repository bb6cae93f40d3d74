//! Builds an index of known names from the files of registries, from lists and from tables.
//!
//! `doisift-documents` opens the sources, and `doisift-known` sorts names and writes the index. `kind` recognises the layout of a
//! document by its head, `objects` cuts arrays into objects, and `works` and `table` take names and notices from
//! these. `names` passes them with their places to `collect`, which counts them and adds them to the index; `build` has its memory
//! and its errors. `checkpoint` keeps finished work.

mod build;
mod checkpoint;
mod collect;
mod kind;
mod names;
mod objects;
// `BuildIndex::add` is the setter of the option --add.
#[allow(clippy::should_implement_trait)]
mod options;
mod reading;
mod report;
mod run;
mod table;
#[cfg(test)]
mod tests;
mod works;

pub(crate) use options::IndexSettings;
pub use report::IndexReport;
pub(crate) use report::NoticeIndex;

use std::path::PathBuf;

use options::KnownOptions;

use crate::error::Error;
use crate::options::{
    Folders, HeaderOptions, Limits, OutputOptions, ReadingOptions, ResourceOptions,
};
use crate::remote::ObjectOptions;
use crate::task::{Destinations, Monitor};

/// Builds an index of known names, a `.doix` file.
///
/// The head of each document shows its layout:
/// - works of Crossref: JSON Lines, or files of `{"items":[…]}`, in folders or archives. The name of each work is taken, and
///   its notices (`updated-by`, `update-to`), but not the names that it cites;
/// - DataCite's monthly files: tables with the columns `doi` and `state`. Findable and registered names are taken;
/// - the database of Retraction Watch: only notices are taken;
/// - a table with the [column](Self::column) of names, delimited, JSON Lines, Parquet or Arrow;
/// - any other text: a name on each line, in any presentation form.
///
/// Equal names, notices and sources give equal bytes, whatever their order, the memory and the threads.
///
/// ```
/// use doisift::BuildIndex;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let (list, index) = (folder.path().join("list.txt"), folder.path().join("known.doix"));
/// std::fs::write(&list, "10.5555/ABC\nhttps://doi.org/10.5555/def\nno name\n")?;
///
/// let report = BuildIndex::new().input(&list).date("2026-03-09".parse()?).output(&index).run()?;
///
/// assert_eq!((report.known, report.refused), (2, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct BuildIndex {
    inputs: Vec<PathBuf>,
    monitor: Monitor,
    known: KnownOptions,
    pub(crate) folders: Folders,
    pub(crate) remote: ObjectOptions,
    pub(crate) reading: ReadingOptions,
    pub(crate) header: HeaderOptions,
    pub(crate) output: OutputOptions,
    pub(crate) limits: Limits,
    pub(crate) resources: ResourceOptions,
}

task! {
    BuildIndex {
        known: KnownOptions,
        folders: Folders => folders,
        remote: ObjectOptions,
        reading: ReadingOptions,
        header: HeaderOptions,
        output: OutputOptions,
        limits: Limits => limits,
        resources: ResourceOptions,
    }

    /// Adds a source: a file, a folder, or `-` for standard input.
    input
}

impl BuildIndex {
    /// Reads all sources and writes the index.
    ///
    /// # Errors
    /// If there is no source or no output; if a source is a list of mentions or an index, a table lacks the column, the index or a temporary file cannot be
    /// written, or the run is [cancelled](crate::Monitor::cancel). Then the output is as it was before. A source that is damaged or
    /// cannot be read is reported and counted, unless [`on_error`](Self::on_error) says otherwise.
    pub fn run(self) -> Result<IndexReport, Error> {
        run::run(&self.settings()?)
    }
}

impl IndexSettings {
    /// Returns the sources.
    pub(crate) fn sources(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Reads the notices of all sources, for another task that writes to `destinations`.
    ///
    /// # Errors
    /// If an output would overwrite a source, a temporary file cannot be written, or the run is cancelled.
    pub(crate) fn read_notices(&self, destinations: &Destinations) -> Result<NoticeIndex, Error> {
        run::notices(self, destinations)
    }
}
