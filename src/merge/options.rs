//! Builds a merge from its options, and fills in their defaults.

use std::path::{Path, PathBuf};

use super::Merge;
use super::inputs::OrderedRows;
use super::report::MergeOptions;
use super::sort::SortPlace;
use crate::error::{Cause, Error, SelectionError};
use crate::options::{
    OptionSpec, OptionValue, OutputOptions, ResourceOptions, SelectionOptions, reported,
    reported_paths, stated,
};
use crate::records::{Format, Layout, PartAbout, PartPlan, RowKind};
use crate::task::{
    Monitor, RowTarget, TaskFiles, chosen_memory, chosen_rows, chosen_tmp_dir, named_output,
};

/// Builds a [`Merge`].
#[derive(Debug, Default)]
pub struct MergeBuilder {
    inputs: Vec<PathBuf>,
    monitor: Monitor,
    pub(crate) selection: SelectionOptions,
    pub(crate) output: OutputOptions,
    pub(crate) resources: ResourceOptions,
}

option_builder! {
    MergeBuilder for Merge:
        selection: SelectionOptions, selection_setters;
        output: OutputOptions, output_setters;
        resources: ResourceOptions, resource_setters;
}

/// The options of a builder with all defaults and derived values filled in.
#[derive(Debug)]
pub(super) struct MergeSettings {
    /// All options as they were set.
    pub(super) given: Vec<(&'static OptionSpec, OptionValue)>,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) output: Option<PathBuf>,
    /// Division of the output, if it is a folder of parts.
    pub(super) parts: Option<PartPlan>,
    pub(super) report: Option<PathBuf>,
    pub(super) layout: Layout,
    /// Whether the fields of the layout were chosen.
    pub(super) chooses_fields: bool,
    pub(super) memory: usize,
    pub(super) tmp: PathBuf,
    pub(super) monitor: Monitor,
}

impl MergeBuilder {
    /// Adds a file of rows, a folder of parts of one run, or `-` for standard input, which has records or pairs. Its format and
    /// packing, gzip or zstd, are recognised by its first bytes.
    pub fn input(mut self, path: impl AsRef<Path>) -> Self {
        self.inputs.push(path.as_ref().to_owned());
        self
    }

    /// Lets `monitor` observe and cancel the merge. Its progress has only bytes. The bytes of files that are read twice count
    /// twice.
    pub fn monitor(mut self, monitor: &Monitor) -> Self {
        self.monitor = monitor.clone();
        self
    }

    /// Returns the merge, ready to run.
    ///
    /// # Errors
    /// If there is no input, no format was set and the output's ending does not name one, or a chosen field does not exist.
    pub fn build(self) -> Result<Merge, Error> {
        if self.inputs.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        let output = self.output.output.as_deref().and_then(named_output);
        let (format, parts) =
            chosen_rows(self.output.format, output.as_deref(), self.output.part_size)?;
        let parts = parts.map(|plan| self.part_plan(plan));
        let options = MergeSettings {
            given: self.values(),
            layout: self.layout(format)?,
            parts,
            chooses_fields: self.selection.fields.is_some(),
            memory: chosen_memory(self.resources.memory),
            tmp: chosen_tmp_dir(self.resources.tmp_dir, output.as_deref()),
            inputs: self.inputs,
            output,
            report: self.output.report,
            monitor: self.monitor,
        };
        Ok(Merge { options })
    }

    /// Adds the inputs and options of the merge to the plan, for the manifest.
    fn part_plan(&self, mut plan: PartPlan) -> PartPlan {
        plan.about = PartAbout {
            paths: reported_paths(&self.inputs),
            options: serde_json::to_value(stated(&self.values())).unwrap_or_default(),
        };
        plan
    }

    fn layout(&self, format: Format) -> Result<Layout, Error> {
        let chosen = self.selection.fields.as_deref();
        let ordered = OrderedRows::of(&self.inputs, chosen, self.selection.pairs)?;
        if let Some(ordered) = ordered {
            return ordered_layout(format, chosen, ordered);
        }
        let rows = match self.selection.pairs {
            true => RowKind::Pairs,
            false => RowKind::Records,
        };
        if self.selection.pairs && format == Format::Names {
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
    /// Returns memory, folder and monitor for sorting.
    pub(super) fn sort_place(&self) -> SortPlace<'_> {
        SortPlace {
            memory: self.memory,
            tmp: &self.tmp,
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
            monitor: &self.monitor,
        }
    }

    pub(super) fn for_report(&self) -> MergeOptions {
        MergeOptions {
            inputs: reported_paths(&self.inputs),
            output: self.output.clone(),
            format: self.layout.format,
            fields: self.layout.field_names(),
            memory: self.memory as u64,
            given: reported(&self.given),
        }
    }
}
