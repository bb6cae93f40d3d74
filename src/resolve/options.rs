//! The options of `doisift resolve`, and their defaults.

use std::path::{Path, PathBuf};

use doisift_documents::{ColumnSelection, SheetChoice, display_name};

use super::Resolve;
use crate::error::{Cause, Error, SelectionError};
use crate::objects::Services;
use crate::options::{GivenOptions, OptionHelp, ReportedOptions};
use crate::records::{Format, Layout, RowKind};
use crate::registry::RegistryClient;
use crate::remote;
use crate::task::{Monitor, chosen_format, chosen_memory, chosen_tmp_dir, named_output};
use doisift_tables::HeaderChoice;

options! {
    /// Options of `doisift resolve`: the column of names, and agencies.
    questions: QuestionOptions, "Registry";

    /// Read the names from this column of tables; its name in the header or its number from 1, or in JSON the name of a member
    /// or a JSON pointer
    text column [Resolve] default "doi, if the table has it" {
        short: Some('c'), value: "COLUMN", help: OptionHelp::Short,
    }

    /// Also ask for the registration agency of each name
    ///
    /// One request asks for up to 25 names.
    flag agency [Resolve] { help: OptionHelp::Short }
}

/// An input of a run.
#[derive(Clone, Debug)]
pub(super) enum NameInput {
    /// One name.
    Text(String),
    /// A file, or `-`.
    File(PathBuf),
}

impl From<PathBuf> for NameInput {
    fn from(path: PathBuf) -> Self {
        NameInput::File(path)
    }
}

/// The options of a run with all defaults and derived values filled in.
pub(crate) struct ResolveSettings {
    /// All options as they were set.
    given: GivenOptions,
    pub(super) inputs: Vec<NameInput>,
    pub(super) services: Services,
    pub(super) column: Option<String>,
    pub(super) header: HeaderChoice,
    /// The columns of Parquet and Arrow files.
    pub(super) columns: ColumnSelection,
    pub(super) sheet: SheetChoice,
    pub(super) agency: bool,
    pub(super) registry: RegistryClient,
    pub(super) output: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) layout: Layout,
    pub(super) tmp: PathBuf,
    pub(super) monitor: Monitor,
}

impl Resolve {
    /// Nothing is asked yet.
    ///
    /// # Errors
    /// If there is no input, the endpoint or the contact cannot be used, no format was set and the output's ending does not name
    /// one, or a chosen field does not exist.
    pub(crate) fn settings(&self) -> Result<ResolveSettings, Error> {
        if self.inputs.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        let output = self.output.output.as_deref().and_then(named_output);
        let column = self.questions.column.clone();
        let wanted = column.clone().unwrap_or_else(|| "doi".to_owned());
        let services = remote::services(&self.remote, chosen_memory(None), &self.monitor);
        Ok(ResolveSettings {
            given: self.given(),
            layout: self.layout(output.as_deref())?,
            columns: ColumnSelection {
                columns: Some(vec![wanted]),
                ..ColumnSelection::default()
            },
            sheet: SheetChoice::within(usize::MAX, self.header.sheet.clone()),
            column,
            header: self.header.header_row.into(),
            agency: self.questions.agency,
            registry: RegistryClient::new(&self.registry)?,
            tmp: chosen_tmp_dir(None, output.as_deref()),
            inputs: self.named_inputs(&services)?,
            services,
            output,
            report: self.output.report.clone(),
            monitor: self.monitor.clone(),
        })
    }

    /// Returns the inputs, of which files have their names.
    fn named_inputs(&self, services: &Services) -> Result<Vec<NameInput>, Error> {
        let named = |input: &NameInput| match input {
            NameInput::Text(_) => Ok(input.clone()),
            NameInput::File(path) => remote::named_one(services, path, true).map(NameInput::File),
        };
        self.inputs.iter().map(named).collect()
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

    pub(super) fn for_report(&self) -> ReportedOptions {
        let inputs = self.inputs.iter().map(|input| match input {
            NameInput::File(path) => display_name(path).into_owned(),
            NameInput::Text(text) => text.clone(),
        });
        ReportedOptions::new(&self.given)
            .with("inputs", &inputs.collect::<Vec<_>>())
            .with("output", &self.output)
            .with("format", &self.layout.format)
            .with("fields", &self.layout.field_names())
    }
}
