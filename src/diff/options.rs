//! Fills in the defaults of the options of a comparison.

use std::path::{Path, PathBuf};

use doisift_documents::display_name;

use super::Diff;
use super::compared_rows::ComparedRows;
use crate::error::{Cause, Error, SelectionError};
use crate::merge::RowPlace;
use crate::objects::Services;
use crate::options::{GivenOptions, ReportedOptions};
use crate::records::{Format, Layout, ReadError, RowKind};
use crate::remote;
use crate::task::{Monitor, chosen_format, chosen_memory, chosen_tmp_dir, named_output};

/// The options of a comparison with all defaults and derived values filled in.
pub(crate) struct DiffSettings {
    /// All options as they were set.
    given: GivenOptions,
    pub(super) old: PathBuf,
    pub(super) new: PathBuf,
    pub(super) output: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) layout: Layout,
    /// Rows to compare. `None` for lists of names.
    pub(super) compared: Option<ComparedRows>,
    pub(super) memory: usize,
    pub(super) services: Services,
    pub(super) tmp: PathBuf,
    pub(super) exit_code: bool,
    pub(super) monitor: Monitor,
}

impl Diff {
    /// # Errors
    /// If no files are set, no format was set and the output's ending does not name one, a chosen field does not exist, or the
    /// rows of both files cannot be compared.
    pub(crate) fn settings(&self) -> Result<DiffSettings, Error> {
        let mut inputs = [&self.old, &self.new].into_iter();
        if inputs.any(|path| path.as_os_str().is_empty()) {
            return Err(Error::new(Cause::NoSource));
        }
        let output = self.output.output.as_deref().and_then(named_output);
        let memory = chosen_memory(self.resources.memory);
        let services = remote::services(&self.remote, memory, &self.monitor);
        let named = |path: &Path| remote::named_one(&services, path, true);
        let (old, new) = (named(&self.old)?, named(&self.new)?);
        let tmp = chosen_tmp_dir(self.resources.tmp_dir.clone(), output.as_deref());
        let compared = ComparedRows::of(&old, &new, remote::input_files(&services, &tmp))?;
        Ok(DiffSettings {
            given: self.given(),
            layout: self.layout(output.as_deref(), compared.as_ref(), &new)?,
            compared,
            memory,
            services,
            tmp,
            old,
            new,
            output,
            report: self.output.report.clone(),
            exit_code: self.exit_code,
            monitor: self.monitor.clone(),
        })
    }

    fn layout(
        &self,
        output: Option<&Path>,
        compared: Option<&ComparedRows>,
        new: &Path,
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
                Err(error.in_source(display_name(new).into()))
            }
            None => Ok(layout),
        }
    }
}

impl DiffSettings {
    pub(super) fn row_place(&self) -> RowPlace<'_> {
        RowPlace {
            memory: self.memory,
            files: remote::input_files(&self.services, &self.tmp),
            monitor: &self.monitor,
        }
    }

    pub(super) fn for_report(&self) -> ReportedOptions {
        ReportedOptions::new(&self.given)
            .with("old", &display_name(&self.old).into_owned())
            .with("new", &display_name(&self.new).into_owned())
            .with("output", &self.output)
            .with("format", &self.layout.format)
            .with("fields", &self.layout.field_names())
            .with("memory", &self.memory)
            .with("exit_code", &self.exit_code)
    }
}
