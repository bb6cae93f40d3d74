//! Fills in the defaults of options, and refuses options that contradict each other.

use std::path::{Path, PathBuf};

use doisift_documents::{NamedReaders, Preprocessor, Separator, SourceSearch, display_name};

use super::Scan;
use super::plan::{RowChoice, ScanOptions, Selection, SideOutput, record_fields};
use crate::checkpoint::fault;
use crate::error::{Cause, CheckpointError, Error, SelectionError};
use crate::lookup;
use crate::objects::Services;
use crate::options::OutputOptions;
use crate::records::{Format, Layout, PartPlan, PartSize, RowKind, is_folder};
use crate::remote;
use crate::task::{
    chosen_memory, chosen_rows, chosen_threads, chosen_tmp_dir, named_output, part_about, same_name,
};

/// Max memory for names, in bytes for each thread, if no budget is set. More saves no time: 30 million distinct names of
/// `lab/make-corpus --kind names` took 16 s of CPU with this, as sorted runs, and 18 s with four times as much memory, which
/// holds them all at once.
const MAX_NAME_BYTES_PER_THREAD: usize = 384 << 20;

impl Scan {
    /// Returns the settings of the run, without the streams.
    ///
    /// # Errors
    /// If there is no source, the syntax of a glob is wrong, no format was set and the output does not end with one of this
    /// build, the ending compresses Parquet, rows do not have a chosen field, a prefix is not valid, two kinds of rows are
    /// chosen, the index of [known](Self::known) names cannot be read, or the options cannot be combined with a
    /// [checkpoint](Self::checkpoint).
    pub(crate) fn settings(&self) -> Result<ScanOptions, Error> {
        self.check()?;
        let known = lookup::chosen(self.lookup.known.as_deref())?;
        let threads = self.threads_or_default();
        let output = self.output.output.as_deref().and_then(named_output);
        let (format, parts) = self.row_format(output.as_deref())?;
        let memory = chosen_memory(self.resources.memory);
        let services = remote::services(&self.remote, memory, &self.monitor);
        Ok(ScanOptions {
            names_to: self.chosen_names()?,
            nodes_to: self.chosen_nodes()?,
            given: self.given(),
            search: self
                .search()?
                .remote(services.clone().map(|services| services as _)),
            preprocessor: self.preprocessor()?,
            selection: self.selected(format)?,
            threads,
            chunk: self.resources.chunk.map(|bytes| bytes.max(1)),
            limits: self.limits.of_reading(),
            memory,
            names: self.memory_for_names(threads),
            tmp: chosen_tmp_dir(self.resources.tmp_dir.clone(), output.as_deref()),
            lists: self.source_lists(&services)?,
            base: self.list_base(&services)?,
            paths: remote::named(&services, &self.inputs, self.reading.on_error.is_none())?,
            services,
            readers: NamedReaders::default(),
            output,
            parts,
            report: self.output.report.clone(),
            columns: self.reading.choice(self.rows.edges),
            header: self.header.header_row.into(),
            measure: self.measure,
            ends: lookup::ends(&known),
            known,
            monitor: self.monitor.clone(),
            sources: self.sources.clone(),
            reading: self.reading.clone(),
            resources: self.resources.clone(),
            arxiv: self.forms.arxiv,
            lookup: self.lookup.clone(),
        })
    }

    /// Returns the output of records besides the rows, if it is set.
    fn chosen_names(&self) -> Result<Option<SideOutput>, Error> {
        let path = self.output.names_to.as_deref();
        let names = self.chosen_side_output(path, |format| {
            let layout = Layout::new(format, RowKind::Records);
            Ok(match self.lookup.known {
                Some(_) => layout.and_index_status(),
                None => layout,
            })
        })?;
        let parts = names.as_ref().and_then(|names| names.parts.as_ref());
        match parts.map(|plan| plan.size) {
            Some(PartSize::Source) => Err(selection(SelectionError::NoSources)),
            _ => Ok(names),
        }
    }

    /// Returns the output of the documents' records besides the rows, if it is set.
    fn chosen_nodes(&self) -> Result<Option<SideOutput>, Error> {
        let path = self.output.nodes_to.as_deref();
        self.chosen_side_output(path, |format| match format {
            Format::Names => Err(selection(SelectionError::NodesAsNames)),
            _ => {
                let fields = record_fields(&self.edges).map_err(selection)?.into_iter();
                let columns = fields.map(|field| field.column);
                Ok(Layout::new(format, RowKind::Nodes).with_record_fields(columns))
            }
        })
    }

    /// Returns the side output to `path`. `None` without a path.
    fn chosen_side_output(
        &self,
        path: Option<&Path>,
        layout: impl FnOnce(Format) -> Result<Layout, Error>,
    ) -> Result<Option<SideOutput>, Error> {
        let Some(path) = path else {
            return Ok(None);
        };
        let (format, parts) = chosen_rows(None, Some(path), self.output.part_size)?;
        Ok(Some(SideOutput {
            path: path.to_owned(),
            parts: parts.map(|plan| self.part_plan(plan)),
            layout: layout(format)?,
        }))
    }

    /// Returns the format of the rows, and how they are divided into parts.
    fn row_format(&self, output: Option<&Path>) -> Result<(Format, Option<PartPlan>), Error> {
        let OutputOptions {
            format, part_size, ..
        } = self.output;
        let (format, parts) = chosen_rows(format, output, part_size)?;
        Ok((format, parts.map(|plan| self.part_plan(plan))))
    }

    fn row_choice(&self) -> RowChoice<'_> {
        RowChoice {
            rows: &self.rows,
            edges: &self.edges,
            selection: &self.selection,
        }
    }

    fn selected(&self, format: Format) -> Result<Selection, Error> {
        let (known, nodes) = (&self.lookup.known, &self.output.nodes_to);
        let choice = self.row_choice();
        choice.select(format, known.is_some(), nodes.is_some())
    }

    /// Adds the arguments and options of the run to the plan, for the manifest.
    fn part_plan(&self, mut plan: PartPlan) -> PartPlan {
        let lists = self.lists.files_from.iter();
        plan.about = part_about(&self.given(), self.inputs.iter().chain(lists));
        plan
    }

    fn threads_or_default(&self) -> usize {
        chosen_threads(self.resources.threads).max(1)
    }

    /// Returns the max memory for names in bytes. It has no limit of its own if the budget was set.
    fn memory_for_names(&self, threads: usize) -> usize {
        match self.resources.memory {
            Some(_) => usize::MAX,
            None => MAX_NAME_BYTES_PER_THREAD.saturating_mul(threads),
        }
    }

    fn check(&self) -> Result<(), Error> {
        if self.inputs.is_empty() && self.lists.files_from.is_none() && self.readers.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        self.check_checkpoint()?;
        if let Some(name) = &self.repeated {
            return Err(same_name(name));
        }
        if self.output.names_to.is_some() && !self.rows.mentions && !self.rows.edges {
            return Err(selection(SelectionError::NamesTo));
        }
        if self.output.nodes_to.is_some() && !self.rows.edges {
            return Err(selection(SelectionError::NodesTo));
        }
        let has_sources = self.rows.mentions || self.rows.edges;
        if self.output.part_size == Some(PartSize::Source) && !has_sources {
            return Err(selection(SelectionError::NoSources));
        }
        if self.rows.edges && self.reading.lines {
            return Err(Error::new(Cause::Selection(SelectionError::EdgesOfLines)));
        }
        Ok(())
    }

    /// Returns the text before the names in lists. If it is an address, lists from services may lead to its host.
    fn list_base(&self, services: &Services) -> Result<Option<String>, Error> {
        let base = self.lists.base.clone();
        base.iter()
            .try_for_each(|base| remote::named_one(services, base.as_ref(), false).map(drop))?;
        Ok(base)
    }

    /// Returns the files that list sources, with their separator.
    fn source_lists(&self, services: &Services) -> Result<Vec<(PathBuf, Separator)>, Error> {
        let separator = match self.lists.nul {
            true => Separator::Nul,
            false => Separator::Line,
        };
        let lists = self.lists.files_from.iter();
        lists
            .map(|list| Ok((remote::named_one(services, list, false)?, separator)))
            .collect()
    }

    fn search(&self) -> Result<SourceSearch, Error> {
        let (search, options) = (self.folders.search()?, &self.sources);
        let name = options.source_name.clone().filter(|name| !name.is_empty());
        Ok(search.stdin_name(name).shard(options.shard))
    }

    fn preprocessor(&self) -> Result<Option<Preprocessor>, Error> {
        let options = &self.sources;
        let command = options.pre.as_ref();
        let command = command.filter(|command| !command.as_os_str().is_empty());
        let new = command.map(|command| Preprocessor::new(command.into(), &options.pre_glob));
        new.transpose()
            .map_err(|error| Error::new(Cause::Glob(error)))
    }

    fn has_parts(&self) -> bool {
        self.output.output.as_deref().is_some_and(is_folder)
    }

    fn check_checkpoint(&self) -> Result<(), Error> {
        let Some(folder) = &self.resources.checkpoint else {
            return Ok(());
        };
        let fault = |error| Err(fault(folder, error));
        match self.inputs.iter().find(|path| path.as_os_str() == "-") {
            _ if (self.rows.mentions || self.rows.edges) && !self.has_parts() => {
                fault(CheckpointError::Mentions)
            }
            _ if self
                .output
                .nodes_to
                .as_deref()
                .is_some_and(|to| !is_folder(to)) =>
            {
                fault(CheckpointError::NodesTo)
            }
            Some(stdin) => fault(CheckpointError::Stream(display_name(stdin).into())),
            None => Ok(()),
        }
    }
}

fn selection(error: SelectionError) -> Error {
    Error::new(Cause::Selection(error))
}
