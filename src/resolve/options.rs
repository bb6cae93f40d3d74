//! Builds a run from its options, and fills in their defaults.

use std::path::{Path, PathBuf};

use doisift_documents::{ColumnSelection, display_name};

use super::Resolve;
use super::report::ResolveOptions;
use crate::column::HeaderChoice;
use crate::error::{Cause, Error, SelectionError};
use crate::options::{
    HeaderOptions, OptionHelp, OptionSpec, OptionValue, OutputOptions, RegistryOptions,
    SelectionOptions, reported,
};
use crate::records::{Format, Layout, RowKind};
use crate::registry::Registry;
use crate::task::{Monitor, chosen_format, chosen_tmp_dir, named_output};

options! {
    /// Options of `doisift resolve`: the column of names, and agencies.
    asking: AskingOptions, asking_setters, "Registry";

    /// Read the names from this column of tables; its name in the header or its number from 1, or in JSON Lines the name of a
    /// member
    text column [Resolve] default "doi, if the table has it" {
        short: Some('c'), value: "COLUMN", help: OptionHelp::Short,
    }

    /// Also ask for the registration agency of each name
    ///
    /// One request asks for up to 25 names.
    flag agency [Resolve] { help: OptionHelp::Short }
}

/// An input of a run.
#[derive(Debug)]
pub(super) enum NameInput {
    /// One name.
    Text(String),
    /// A file, or `-`.
    File(PathBuf),
}

/// Builds a [`Resolve`].
#[derive(Debug, Default)]
pub struct ResolveBuilder {
    inputs: Vec<NameInput>,
    monitor: Monitor,
    pub(crate) asking: AskingOptions,
    pub(crate) header: HeaderOptions,
    pub(crate) registry: RegistryOptions,
    pub(crate) selection: SelectionOptions,
    pub(crate) output: OutputOptions,
}

option_builder! {
    ResolveBuilder for Resolve:
        asking: AskingOptions, asking_setters;
        header: HeaderOptions, header_setters;
        registry: RegistryOptions, registry_setters;
        selection: SelectionOptions, selection_setters;
        output: OutputOptions, output_setters;
}

/// The options of a builder with all defaults and derived values filled in.
pub(super) struct ResolveSettings {
    /// All options as they were set.
    given: Vec<(&'static OptionSpec, OptionValue)>,
    pub(super) inputs: Vec<NameInput>,
    pub(super) column: Option<String>,
    pub(super) header: HeaderChoice,
    /// The columns of Parquet and Arrow files.
    pub(super) columns: ColumnSelection,
    pub(super) agency: bool,
    pub(super) registry: Registry,
    pub(super) output: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) layout: Layout,
    pub(super) tmp: PathBuf,
    pub(super) monitor: Monitor,
}

impl ResolveBuilder {
    /// Adds a name in any presentation form. Another text gets a row with the status `not_a_doi`.
    pub fn name(mut self, text: impl Into<String>) -> Self {
        self.inputs.push(NameInput::Text(text.into()));
        self
    }

    /// Adds a file, or `-` for standard input: a list with a name on each line, a table, or records or mentions in any format. It
    /// may be packed.
    pub fn source(mut self, path: impl AsRef<Path>) -> Self {
        self.inputs.push(NameInput::File(path.as_ref().to_owned()));
        self
    }

    /// Lets `monitor` observe and cancel the run.
    pub fn monitor(mut self, monitor: &Monitor) -> Self {
        self.monitor = monitor.clone();
        self
    }

    /// Returns the run, ready to start. Nothing is asked yet.
    ///
    /// # Errors
    /// If there is no input, the endpoint or the contact cannot be used, no format was set and the output's ending does not name
    /// one, or a chosen field does not exist.
    pub fn build(self) -> Result<Resolve, Error> {
        if self.inputs.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        let output = self.output.output.as_deref().and_then(named_output);
        let column = self.asking.column.clone();
        let wanted = column.clone().unwrap_or_else(|| "doi".to_owned());
        let settings = ResolveSettings {
            given: self.values(),
            layout: self.layout(output.as_deref())?,
            columns: ColumnSelection {
                columns: Some(vec![wanted]),
                id: None,
            },
            column,
            header: self.header.header_row.into(),
            agency: self.asking.agency,
            registry: Registry::new(&self.registry)?,
            tmp: chosen_tmp_dir(None, output.as_deref()),
            inputs: self.inputs,
            output,
            report: self.output.report,
            monitor: self.monitor,
        };
        Ok(Resolve { settings })
    }

    fn layout(&self, output: Option<&Path>) -> Result<Layout, Error> {
        let format = chosen_format(self.output.format, output)?;
        if format == Format::Names {
            let fault = SelectionError::Names(RowKind::Answers.name());
            return Err(Error::new(Cause::Selection(fault)));
        }
        let fields = self.selection.fields.as_deref();
        let layout = Layout::with_fields(format, RowKind::Answers, fields);
        layout.map_err(|error| Error::new(Cause::Fields(error)))
    }
}

impl ResolveSettings {
    /// Returns the files that are read.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let files = self.inputs.iter().filter_map(|input| match input {
            NameInput::File(path) => Some(path.clone()),
            NameInput::Text(_) => None,
        });
        files.collect()
    }

    pub(super) fn for_report(&self) -> ResolveOptions {
        let inputs = self.inputs.iter().map(|input| match input {
            NameInput::File(path) => display_name(path).into_owned(),
            NameInput::Text(text) => text.clone(),
        });
        ResolveOptions {
            inputs: inputs.collect(),
            output: self.output.clone(),
            format: self.layout.format,
            fields: self.layout.field_names(),
            given: reported(&self.given),
        }
    }
}
