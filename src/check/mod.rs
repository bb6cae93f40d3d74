//! Checks the references of bibliographies, manuscripts, tables and lists.
//!
//! `sources` finds the files, and `doisift-documents` opens them, on the threads of `crew`. `reading` reads a document, if it is long
//! in parts, which `held` holds; `piece` is what it gives, and `rows` makes the rows of references. `document` recognises its format, and takes the references of each part from `bibliography`, `table` or `text`. `judge` gives
//! the verdicts: it asks the rules for dirty data, the check digit and an index, and `suggest` for the name that was meant.
//! `retractions` reads the notices of a file, and `outdated` warns of old data. `reserved` knows names that name no work, and `cut` decides whether a repair is certain. `seen` compares the names of entries.
//! `row` is a row of the output, and `fingerprint` identifies it over many runs, by which `baseline` knows accepted findings; `ignore` reads comments that accept them;
//! `row_sink` counts and compares rows, and
//! `formats` writes them. `fix` writes repairs into the file, which is held as a whole, and `patch` writes them as a diff.
//!
//! References are judged in batches. If a registry is asked, those whose names no index knows are judged twice: the first time
//! shows which names to ask for.

mod baseline;
mod bibliography;
mod crew;
mod cut;
mod document;
mod fingerprint;
mod fix;
mod formats;
mod held;
mod ignore;
mod judge;
// Declares the option --fix, which the module `fix` carries out.
mod options;
mod outdated;
mod patch;
mod piece;
mod reading;
mod reference;
mod report;
mod reserved;
mod retractions;
mod row;
mod row_sink;
mod rows;
mod run;
mod seen;
mod sources;
mod suggest;
mod table;
mod text;
mod verdict;

pub use formats::CheckFormat;
pub use outdated::OutdatedData;
pub use report::{CheckReport, RetractionsReport};
pub use row::CheckedReference;
pub use row::document_name;
pub use verdict::CheckVerdict;

use std::ops::ControlFlow;
use std::path::PathBuf;

use options::CheckingOptions;

use crate::error::Error;
use crate::options::{
    AskingOptions, Folders, HeaderOptions, Limits, LookupOptions, OutputOptions, Registry,
    ResourceOptions, SourceOptions,
};
use crate::remote::ObjectOptions;
use crate::task::Monitor;

/// Checks the references of documents.
///
/// A reference is an entry of a bibliography (BibTeX, RIS, PubMed's and EndNote's tags, CSL-JSON, EndNote's XML), a cell of the
/// [column](Self::column) of a table, a line of a list of names, or a name in any other text. Each has one
/// [verdict](CheckVerdict). Without an index of [known](Self::known) names it says whether the text is a DOI name,
/// whether it is written as one, whether its check digit is right, and, with [notices](Self::retractions), whether the work is retracted. A registry is asked, for names that no index knows, only
/// [online](Self::online).
///
/// ```
/// use doisift::{Check, CheckVerdict};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("refs.bib");
/// std::fs::write(&file, "@misc{a, doi = {10.5555/a1.}}\n@misc{b, title = {No name}}\n")?;
///
/// let mut verdicts = Vec::new();
/// Check::new().input(&file).for_each_reference(|row| {
///     verdicts.push((row.line, row.verdict));
///     std::ops::ControlFlow::Continue(())
/// })?;
///
/// assert_eq!(verdicts, [(Some(1), CheckVerdict::WrittenWrongly), (Some(2), CheckVerdict::NoDoi)]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Check {
    inputs: Vec<PathBuf>,
    monitor: Monitor,
    check: CheckingOptions,
    pub(crate) sources: SourceOptions,
    pub(crate) folders: Folders,
    pub(crate) remote: ObjectOptions,
    pub(crate) header: HeaderOptions,
    pub(crate) lookup: LookupOptions,
    pub(crate) asking: AskingOptions,
    pub(crate) online: Registry,
    pub(crate) output: OutputOptions,
    pub(crate) limits: Limits,
    pub(crate) resources: ResourceOptions,
}

task! {
    Check {
        check: CheckingOptions,
        sources: SourceOptions,
        folders: Folders => folders,
        remote: ObjectOptions,
        header: HeaderOptions,
        lookup: LookupOptions,
        asking: AskingOptions,
        online: Registry,
        output: OutputOptions,
        limits: Limits => limits,
        resources: ResourceOptions,
    }

    /// Adds a source: a file, `-` for standard input, a folder, whose files are checked, or a pattern, if there is no such file.
    input
}

impl Check {
    /// Returns the format of the rows, and the verdicts that are findings, if a row is
    /// [open](CheckedReference::is_open).
    ///
    /// # Errors
    /// As [`run`](Self::run), if options cannot be used.
    pub(crate) fn display(&self) -> Result<(CheckFormat, Vec<CheckVerdict>), Error> {
        let settings = self.settings()?;
        Ok((settings.format, settings.findings))
    }

    /// Checks all references and writes the rows.
    ///
    /// A document is read in parts, within the [memory](Self::memory). An entry of a bibliography, a row or a line may
    /// have at most 1/32 of it, between 1 and 16 MiB.
    ///
    /// # Errors
    /// If options contradict each other; if a source that was named cannot be read, is damaged, or lacks the column; if the cache of answers cannot be used; if the
    /// output or a fixed file cannot be written; if the format is [text](CheckFormat::Text), which only the command writes; or if
    /// the run is [cancelled](crate::Monitor::cancel). Then outputs and files are as they were before.
    pub fn run(self) -> Result<CheckReport, Error> {
        run::run(&self.settings()?, None)
    }

    /// Checks all references and passes the rows to `take`, which may end the run.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn for_each_reference(
        self,
        mut take: impl FnMut(&CheckedReference) -> ControlFlow<()> + Send,
    ) -> Result<CheckReport, Error> {
        run::run(&self.settings()?, Some(&mut take))
    }
}
