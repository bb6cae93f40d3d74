//! The options of `doisift index`, and their defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;

use doisift_documents::{ColumnSelection, ReadLimits, SheetChoice, SourceSearch};
use doisift_known::Date;

use super::BuildIndex;
use crate::error::{Cause, Error, KnownError};
use crate::objects::Services;
use crate::options::{
    GivenOptions, MIN_MEMORY_BYTES, OnError, OptionHelp, OptionKind, ReportedOptions,
    reported_paths,
};
use crate::remote;
use crate::task::{Monitor, chosen_memory, chosen_threads, chosen_tmp_dir, named_output};
use doisift_tables::HeaderChoice;

options! {
    /// Options of `doisift index`: output, column and sources of names.
    known: KnownOptions, "Index";

    /// File of the index, such as known.doix
    ///
    /// It is complete when it appears, and only appears if the run succeeds. It is not compressed: an index is asked in place. It
    /// may be an index that is [added](Self::add), but no source.
    path output [BuildIndex] { short: Some('o'), value: "FILE", help: OptionHelp::Short }

    /// Read the names from this column of tables; its name in the header or its number from 1, or in JSON the name of a member
    /// or a JSON pointer
    ///
    /// Case does not matter in the name of a column of delimited text. All sources must have it, but for DataCite's files and those
    /// of Retraction Watch.
    text column [BuildIndex] { short: Some('c'), value: "COLUMN", is_fixed: true, help: OptionHelp::Short }

    /// Agency that registered the names of the sources, such as crossref
    text agency [BuildIndex] default "crossref and datacite for sources in their layout, otherwise unknown" {
        value: "NAME", is_fixed: true, help: OptionHelp::Short,
    }

    /// Date of the registry's data in the sources, such as 2026-03-09; a month or a year will do
    value date: doisift_known::Date [BuildIndex] { value: "DATE", is_fixed: true, help: OptionHelp::Short }

    /// Add the names, notices and sources of another index (repeatable)
    ///
    /// The output may be one of these: it is replaced at the end.
    texts add [BuildIndex] { kind: OptionKind::Texts, value: "FILE", help: OptionHelp::Short }

    /// Read the prefixes that agencies have registered, and no names; from the list of members of Crossref, the prefixes of
    /// DataCite, or a list with one on each line
    ///
    /// Names in the sources, and in indexes that are [added](Self::add), give their prefixes. A check that asks the index calls a
    /// name with another prefix `unknown_prefix`, so that the lists of all agencies are needed.
    flag prefixes [BuildIndex] { is_fixed: true, help: OptionHelp::Long }

    /// Accept lists of mentions as sources; every name in them counts as registered
    flag trust [BuildIndex] { is_fixed: true, help: OptionHelp::Short }

    /// Memory for the names that are sorted at once, e.g. 512M; names beyond it go to temporary files
    ///
    /// A number of bytes, at least 1 MiB. It affects time, never the index.
    value memory: u64 [BuildIndex] default "a quarter of the memory of the machine or control group" {
        kind: OptionKind::Size, value: "SIZE", min: MIN_MEMORY_BYTES, help: OptionHelp::Short,
    }
}

parsed_types! {
    Date, OptionKind::Parsed, |date| date.to_string();
}

/// The part of the sources that an index takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexContent {
    /// Names and notices.
    Names,
    Notices,
    /// The prefixes of names, and those of lists.
    Prefixes,
}

/// The options for building an index with all defaults and derived values filled in.
#[derive(Debug)]
pub(crate) struct IndexSettings {
    /// All options as they were set.
    pub(super) given: GivenOptions,
    pub(super) paths: Vec<PathBuf>,
    pub(super) search: SourceSearch,
    pub(super) services: Services,
    pub(super) known: KnownOptions,
    /// The column of tables, as the options have it.
    pub(super) columns: ColumnSelection,
    /// The sheet of workbooks, if a column is read.
    pub(super) sheet: Option<SheetChoice>,
    pub(super) header: HeaderChoice,
    /// `None` if the caller did not choose.
    pub(super) on_error: Option<OnError>,
    /// The file of the index. `None` for a temporary file.
    pub(super) output: Option<PathBuf>,
    pub(super) content: IndexContent,
    pub(super) report: Option<PathBuf>,
    pub(super) limits: ReadLimits,
    pub(super) threads: usize,
    pub(super) memory: usize,
    pub(super) tmp: PathBuf,
    pub(super) checkpoint: Option<PathBuf>,
    pub(super) checkpoint_interval: Duration,
    pub(super) monitor: Monitor,
}

impl BuildIndex {
    /// # Errors
    /// If there is neither a source nor an index to add, or no output, or its ending is that of a compression, or the syntax of a
    /// glob is wrong.
    pub(crate) fn settings(&self) -> Result<IndexSettings, Error> {
        if self.inputs.is_empty() && self.known.add.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        let output = chosen_output(self.known.output.as_deref())?;
        let content = match self.known.prefixes {
            true => IndexContent::Prefixes,
            false => IndexContent::Names,
        };
        self.settings_for(Some(output), content)
    }

    /// Returns the settings for reading notices alone. The output is not used.
    ///
    /// # Errors
    /// If an address of a source is not valid.
    pub(crate) fn settings_of_notices(&self) -> Result<IndexSettings, Error> {
        self.settings_for(None, IndexContent::Notices)
    }

    fn settings_for(
        &self,
        output: Option<PathBuf>,
        content: IndexContent,
    ) -> Result<IndexSettings, Error> {
        let memory = chosen_memory(self.known.memory);
        let services = remote::services(&self.remote, memory, &self.monitor);
        Ok(IndexSettings {
            given: self.given(),
            search: self
                .folders
                .search()?
                .remote(services.clone().map(|services| services as _)),
            columns: ColumnSelection {
                columns: self.known.column.clone().map(|column| vec![column]),
                ..ColumnSelection::default()
            },
            sheet: self
                .known
                .column
                .is_some()
                .then(|| SheetChoice::within(memory, self.header.sheet.clone())),
            on_error: self.reading.on_error,
            header: self.header.header_row.into(),
            report: self.output.report.clone(),
            limits: self.limits.of_reading(),
            threads: chosen_threads(self.resources.threads),
            memory,
            tmp: chosen_tmp_dir(self.resources.tmp_dir.clone(), output.as_deref()),
            checkpoint: self.resources.checkpoint.clone(),
            checkpoint_interval: self.resources.interval(),
            paths: remote::named(&services, &self.inputs, self.reading.on_error.is_none())?,
            services,
            known: self.known.clone(),
            output,
            content,
            monitor: self.monitor.clone(),
        })
    }
}

/// Returns the file of the index.
fn chosen_output(given: Option<&Path>) -> Result<PathBuf, Error> {
    let refused = |error| Error::new(Cause::Known(error));
    let output = given.and_then(named_output);
    let output = output.ok_or_else(|| refused(KnownError::NoOutput))?;
    if output.is_dir() {
        return Err(Error::new(Cause::Folder(output)));
    }
    let is_packed = ["gz", "zst"]
        .iter()
        .any(|end| output.extension() == Some(end.as_ref()));
    match is_packed {
        true => Err(refused(KnownError::Packed(output))),
        false => Ok(output),
    }
}

impl IndexSettings {
    /// Returns the paths of the indexes to add.
    pub(super) fn added(&self) -> Vec<PathBuf> {
        self.known.add.iter().map(PathBuf::from).collect()
    }

    pub(super) fn for_report(&self) -> ReportedOptions {
        ReportedOptions::new(&self.given)
            .with("sources", &reported_paths(&self.paths))
            .with("output", &self.output)
            .with("threads", &self.threads)
            .with("memory", &self.memory)
    }
}
