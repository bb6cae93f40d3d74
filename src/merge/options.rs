//! Fills in the defaults of the options of a merge.

use std::path::PathBuf;

use doisift_documents::InputFiles;

use super::Merge;
use super::inputs::OrderedRows;
use super::sort::RowPlace;
use crate::error::{Cause, Error, SelectionError};
use crate::objects::Services;
use crate::options::{GivenOptions, ReportedOptions, reported_paths};
use crate::records::{Format, Layout, PartPlan, RowKind};
use crate::remote;
use crate::task::{
    Monitor, RowTarget, TaskFiles, chosen_memory, chosen_rows, chosen_tmp_dir, named_output,
    part_about,
};

/// The options of a merge with all defaults and derived values filled in.
pub(crate) struct MergeSettings {
    /// All options as they were set.
    pub(super) given: GivenOptions,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) output: Option<PathBuf>,
    /// Division of the output, if it is a folder of parts.
    pub(super) parts: Option<PartPlan>,
    pub(super) report: Option<PathBuf>,
    pub(super) layout: Layout,
    /// Whether the fields of the layout were chosen.
    pub(super) chooses_fields: bool,
    pub(super) memory: usize,
    services: Services,
    pub(super) tmp: PathBuf,
    pub(super) monitor: Monitor,
}

impl Merge {
    /// # Errors
    /// If there is no input, no format was set and the output's ending does not name one, or a chosen field does not exist.
    pub(crate) fn settings(&self) -> Result<MergeSettings, Error> {
        if self.inputs.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        let output = self.output.output.as_deref().and_then(named_output);
        let memory = chosen_memory(self.resources.memory);
        let services = remote::services(&self.remote, memory, &self.monitor);
        let inputs = remote::named(&services, &self.inputs, true)?;
        let tmp = chosen_tmp_dir(self.resources.tmp_dir.clone(), output.as_deref());
        let files = remote::input_files(&services, &tmp);
        let (format, parts) =
            chosen_rows(self.output.format, output.as_deref(), self.output.part_size)?;
        let parts = parts.map(|plan| self.part_plan(plan, &inputs));
        Ok(MergeSettings {
            given: self.given(),
            layout: self.layout(format, &inputs, files)?,
            parts,
            chooses_fields: self.selection.fields.is_some(),
            memory,
            services,
            tmp,
            inputs,
            output,
            report: self.output.report.clone(),
            monitor: self.monitor.clone(),
        })
    }

    /// Adds the inputs and options of the merge to the plan, for the manifest.
    fn part_plan(&self, mut plan: PartPlan, inputs: &[PathBuf]) -> PartPlan {
        plan.about = part_about(&self.given(), inputs);
        plan
    }

    fn layout(
        &self,
        format: Format,
        inputs: &[PathBuf],
        files: InputFiles<'_>,
    ) -> Result<Layout, Error> {
        let chosen = self.selection.fields.as_deref();
        let ordered = OrderedRows::of(inputs, files, chosen, self.rows.pairs)?;
        if let Some(ordered) = ordered {
            return ordered_layout(format, chosen, ordered);
        }
        let rows = match self.rows.pairs {
            true => RowKind::Pairs,
            false => RowKind::Records,
        };
        if self.rows.pairs && format == Format::Names {
            let fault = SelectionError::Names(rows.name());
            return Err(Error::new(Cause::Selection(fault)));
        }
        let layout = Layout::with_fields(format, rows, chosen);
        layout.map_err(|error| Error::new(Cause::Fields(error)))
    }
}

/// Returns the layout of rows in the order of sources. They keep their fields unless others are chosen, and all columns after the
/// fields.
fn ordered_layout(
    format: Format,
    chosen: Option<&[String]>,
    rows: OrderedRows,
) -> Result<Layout, Error> {
    let (columns, lacks_names) = (rows.columns, rows.lacks_names);
    if (format, columns.rows) == (Format::Names, RowKind::Nodes) {
        return Err(Error::new(Cause::Selection(SelectionError::NodesAsNames)));
    }
    let fields = chosen.unwrap_or(&columns.fields);
    let fields = Some(fields).filter(|_| format != Format::Names);
    let layout = Layout::with_fields(format, columns.rows, fields);
    let layout = layout.map_err(|error| Error::new(Cause::Fields(error)))?;
    let layout = layout.with_record_fields(columns.record_columns());
    Ok(match lacks_names {
        true => layout.without_names(),
        false => layout,
    })
}

impl MergeSettings {
    pub(super) fn row_place(&self) -> RowPlace<'_> {
        RowPlace {
            memory: self.memory,
            files: remote::input_files(&self.services, &self.tmp),
            monitor: &self.monitor,
        }
    }

    /// Returns the outputs.
    pub(super) fn files(&self) -> TaskFiles<'_> {
        TaskFiles {
            rows: RowTarget {
                path: self.output.as_deref(),
                parts: self.parts.as_ref(),
            },
            side_outputs: &[],
            has_caller: false,
            report: self.report.as_deref(),
            services: &self.services,
            monitor: &self.monitor,
        }
    }

    pub(super) fn for_report(&self) -> ReportedOptions {
        ReportedOptions::new(&self.given)
            .with("inputs", &reported_paths(&self.inputs))
            .with("output", &self.output)
            .with("format", &self.layout.format)
            .with("fields", &self.layout.field_names())
            .with("memory", &self.memory)
    }
}
