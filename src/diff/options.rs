//! Builds a comparison from its options, and fills in their defaults.

use std::path::{Path, PathBuf};

use doisift_documents::display_name;

use super::Diff;
use super::compared_rows::ComparedRows;
use super::report::DiffOptions;
use crate::error::{Cause, Error, SelectionError};
use crate::merge::SortPlace;
use crate::options::{
    OptionSpec, OptionValue, OutputOptions, ResourceOptions, SelectionOptions, reported,
};
use crate::records::{Format, Layout, ReadError, RowKind};
use crate::task::{Monitor, chosen_format, chosen_memory, chosen_tmp_dir, named_output};

/// Builds a [`Diff`].
#[derive(Debug, Default)]
pub struct DiffBuilder {
    old: PathBuf,
    new: PathBuf,
    exit_code: bool,
    monitor: Monitor,
    pub(crate) selection: SelectionOptions,
    pub(crate) output: OutputOptions,
    pub(crate) resources: ResourceOptions,
}

option_builder! {
    DiffBuilder for Diff:
        selection: SelectionOptions, selection_setters;
        output: OutputOptions, output_setters;
        resources: ResourceOptions, resource_setters;
}

/// The options of a builder with all defaults and derived values filled in.
#[derive(Debug)]
pub(super) struct DiffSettings {
    /// All options as they were set.
    given: Vec<(&'static OptionSpec, OptionValue)>,
    pub(super) old: PathBuf,
    pub(super) new: PathBuf,
    pub(super) output: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) layout: Layout,
    /// Rows to compare. `None` for lists of names.
    pub(super) compared: Option<ComparedRows>,
    pub(super) memory: usize,
    pub(super) tmp: PathBuf,
    pub(super) exit_code: bool,
    pub(super) monitor: Monitor,
}

impl DiffBuilder {
    /// Creates a builder for the changes from one file to the other.
    pub(super) fn of(old: &Path, new: &Path) -> Self {
        DiffBuilder::default().files(old, new)
    }

    /// Sets the files to compare.
    pub fn files(mut self, old: impl AsRef<Path>, new: impl AsRef<Path>) -> Self {
        self.old = old.as_ref().to_owned();
        self.new = new.as_ref().to_owned();
        self
    }

    /// Makes changes count as exit code 1 in the report and the command.
    pub fn exit_code(mut self, exit_code: bool) -> Self {
        self.exit_code = exit_code;
        self
    }

    /// Lets `monitor` observe and cancel the run. Its progress has only bytes.
    pub fn monitor(mut self, monitor: &Monitor) -> Self {
        self.monitor = monitor.clone();
        self
    }

    /// Returns the comparison, ready to run.
    ///
    /// # Errors
    /// If no files are set, no format was set and the output's ending does not name one, a chosen field does not exist, or the
    /// rows of both files cannot be compared.
    pub fn build(self) -> Result<Diff, Error> {
        if [&self.old, &self.new]
            .iter()
            .any(|path| path.as_os_str().is_empty())
        {
            return Err(Error::new(Cause::NoSource));
        }
        let output = self.output.output.as_deref().and_then(named_output);
        let compared = ComparedRows::of(&self.old, &self.new)?;
        let settings = DiffSettings {
            given: self.values(),
            layout: self.layout(output.as_deref(), compared.as_ref())?,
            compared,
            memory: chosen_memory(self.resources.memory),
            tmp: chosen_tmp_dir(self.resources.tmp_dir, output.as_deref()),
            old: self.old,
            new: self.new,
            output,
            report: self.output.report,
            exit_code: self.exit_code,
            monitor: self.monitor,
        };
        Ok(Diff { settings })
    }

    fn layout(
        &self,
        output: Option<&Path>,
        compared: Option<&ComparedRows>,
    ) -> Result<Layout, Error> {
        let format = chosen_format(self.output.format, output)?;
        if format == Format::Names {
            let fault = SelectionError::Names(RowKind::Changes.name());
            return Err(Error::new(Cause::Selection(fault)));
        }
        let of = |names: Option<&[String]>| {
            let layout = Layout::with_fields(format, RowKind::Changes, names);
            layout.map_err(|error| Error::new(Cause::Fields(error)))
        };
        let all = of(compared.map(ComparedRows::columns).as_deref())?;
        let Some(chosen) = self.selection.fields.as_deref() else {
            return Ok(all);
        };
        let layout = of(Some(chosen))?;
        match layout.fields.iter().find(|&&field| !all.has(field)) {
            Some(&field) => {
                let error = Error::new(Cause::Records(ReadError::without_chosen(field)));
                Err(error.in_source(display_name(&self.new).into()))
            }
            None => Ok(layout),
        }
    }
}

impl DiffSettings {
    /// Returns memory, folder and monitor for sorting.
    pub(super) fn sort_place(&self) -> SortPlace<'_> {
        SortPlace {
            memory: self.memory,
            tmp: &self.tmp,
            monitor: &self.monitor,
        }
    }

    pub(super) fn for_report(&self) -> DiffOptions {
        DiffOptions {
            old: display_name(&self.old).into_owned(),
            new: display_name(&self.new).into_owned(),
            output: self.output.clone(),
            format: self.layout.format,
            fields: self.layout.field_names(),
            memory: self.memory as u64,
            exit_code: self.exit_code,
            given: reported(&self.given),
        }
    }
}
