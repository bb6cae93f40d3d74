//! Builds a run from its options: fills in their defaults, and refuses those that contradict each other.

use std::io::Read;
use std::path::{Path, PathBuf};

use doisift_documents::{
    BadGlob, NamedReaders, Preprocessor, Separator, SourceSearch, display_name,
};

use super::Pipeline;
use super::plan::{ScanOptions, Selection, SideOutput, record_fields, select};
use crate::checkpoint::fault;
use crate::error::{Cause, CheckpointError, Error, SelectionError};
use crate::lookup;
use crate::options::{
    FormOptions, HeaderOptions, LimitOptions, LookupOptions, OutputOptions, ReadingOptions,
    ResourceOptions, SelectionOptions, SourceOptions, reported_paths, stated,
};
use crate::records::{Format, Layout, PartAbout, PartPlan, PartSize, RowKind, is_folder};
use crate::task::{Monitor, chosen_memory, chosen_rows, chosen_tmp_dir, named_output, same_name};

/// Max memory for names, in bytes for each thread, if no budget is set. More saves no time: 30 million distinct names of
/// `scripts/make-corpus --kind names` took 16 s of CPU with this, as sorted runs, and 18 s with four times as much memory, which
/// holds them all at once.
const MAX_NAME_BYTES_PER_THREAD: usize = 384 << 20;

/// Builds a [`Pipeline`].
#[derive(Debug, Default)]
pub struct PipelineBuilder {
    paths: Vec<PathBuf>,
    readers: NamedReaders,
    /// A name that two readers were given.
    repeated: Option<String>,
    measure: bool,
    monitor: Monitor,
    pub(crate) sources: SourceOptions,
    pub(crate) reading: ReadingOptions,
    pub(crate) header: HeaderOptions,
    pub(crate) limits: LimitOptions,
    pub(crate) selection: SelectionOptions,
    pub(crate) forms: FormOptions,
    pub(crate) lookup: LookupOptions,
    pub(crate) output: OutputOptions,
    pub(crate) resources: ResourceOptions,
}

option_builder! {
    PipelineBuilder for Scan:
        sources: SourceOptions, source_setters;
        reading: ReadingOptions, reading_setters;
        header: HeaderOptions, header_setters;
        selection: SelectionOptions, selection_setters;
        forms: FormOptions, form_setters;
        lookup: LookupOptions, lookup_setters;
        output: OutputOptions, output_setters;
        resources: ResourceOptions, resource_setters;
        limits: LimitOptions, limit_setters;
}

impl PipelineBuilder {
    /// Adds a file to read, or a folder to walk, or `-` for standard input.
    ///
    /// Sources are read in the bytewise order of their names, each name once. Below a folder, FIFOs and devices are
    /// skipped, and so are symbolic links unless they are [followed](Self::follow). All of these are read if they are
    /// named here.
    pub fn source(mut self, path: impl AsRef<Path>) -> Self {
        self.paths.push(path.as_ref().to_owned());
        self
    }

    /// Adds a stream as a source called `name`: a response, an object of a store, your own data. It is read on a thread of the
    /// run, and may be packed or a container, as a file may. No other source may have its name.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// # fn main() -> Result<(), doisift::Error> {
    /// let body = std::io::Cursor::new("See 10.5555/ABC.");
    /// let pipeline = doisift::Pipeline::builder().reader("https://example.org/a", body).build()?;
    /// let mut found = Vec::new();
    /// pipeline.for_each_mention(|mention| {
    ///     found.push((mention.source.to_owned(), mention.doi.to_owned()));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(found, [("https://example.org/a".to_owned(), "10.5555/abc".to_owned())]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reader(mut self, name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        let name = name.into();
        if !self.readers.add(&name, Box::new(reader)) {
            self.repeated.get_or_insert(name);
        }
        self
    }

    /// Sums the sizes of all sources at the start, for [`Progress::total`](crate::Progress::total). This needs a system call for
    /// every file, and is off by default.
    pub fn measure(mut self, measure: bool) -> Self {
        self.measure = measure;
        self
    }

    /// Lets `monitor` observe and cancel the run.
    pub fn monitor(mut self, monitor: &Monitor) -> Self {
        self.monitor = monitor.clone();
        self
    }

    /// Builds the pipeline.
    ///
    /// # Errors
    /// If there is no source, the syntax of a glob is wrong, no format was set and the output does not end with one of this
    /// build, the ending compresses Parquet, rows do not have a chosen field, a prefix is not valid, two kinds of rows are
    /// chosen, the index of [known](Self::known) names cannot be read, or the options cannot be combined with a
    /// [checkpoint](Self::checkpoint).
    pub fn build(self) -> Result<Pipeline, Error> {
        self.check()?;
        let known = lookup::chosen(self.lookup.known.as_deref())?;
        let threads = self.threads_or_default();
        let output = self.output.output.as_deref().and_then(named_output);
        let (format, parts) = self.rows(output.as_deref())?;
        let options = ScanOptions {
            names_to: self.chosen_names()?,
            nodes_to: self.chosen_nodes()?,
            given: self.values(),
            search: self.search()?,
            preprocessor: self.preprocessor()?,
            selection: self.selection(format)?,
            threads,
            chunk: self.resources.chunk.map(|bytes| bytes.max(1)),
            limits: self.limits.limits(),
            memory: chosen_memory(self.resources.memory),
            names: self.memory_for_names(threads),
            tmp: chosen_tmp_dir(self.resources.tmp_dir.clone(), output.as_deref()),
            lists: lists(&self.sources),
            paths: self.paths,
            readers: self.readers,
            output,
            parts,
            report: self.output.report,
            columns: self.reading.choice(),
            header: self.header.header_row.into(),
            measure: self.measure,
            ends: lookup::ends(&known),
            known,
            monitor: self.monitor,
            sources: self.sources,
            reading: self.reading,
            resources: self.resources,
            arxiv: self.forms.arxiv,
            lookup: self.lookup,
        };
        Ok(Pipeline { options })
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
                let fields = record_fields(&self.selection)
                    .map_err(selection)?
                    .into_iter();
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

    /// Returns the plan, with the arguments and options of the run for the manifest.
    /// Returns the format of the rows, and how they are divided into parts.
    fn rows(&self, output: Option<&Path>) -> Result<(Format, Option<PartPlan>), Error> {
        let OutputOptions {
            format, part_size, ..
        } = self.output;
        let (format, parts) = chosen_rows(format, output, part_size)?;
        Ok((format, parts.map(|plan| self.part_plan(plan))))
    }

    fn selection(&self, format: Format) -> Result<Selection, Error> {
        let (known, nodes) = (&self.lookup.known, &self.output.nodes_to);
        select(&self.selection, format, known.is_some(), nodes.is_some())
    }

    fn part_plan(&self, mut plan: PartPlan) -> PartPlan {
        let lists = self.sources.files_from.iter();
        plan.about = PartAbout {
            paths: reported_paths(self.paths.iter().chain(lists)),
            options: serde_json::to_value(stated(&self.values())).unwrap_or_default(),
        };
        plan
    }

    fn threads_or_default(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.resources.threads.unwrap_or_else(cores).max(1)
    }

    /// Returns the max memory for names in bytes. It has no limit of its own if the budget was set.
    fn memory_for_names(&self, threads: usize) -> usize {
        match self.resources.memory {
            Some(_) => usize::MAX,
            None => MAX_NAME_BYTES_PER_THREAD.saturating_mul(threads),
        }
    }

    fn check(&self) -> Result<(), Error> {
        if self.paths.is_empty() && self.sources.files_from.is_none() && self.readers.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        self.check_checkpoint()?;
        if let Some(name) = &self.repeated {
            return Err(same_name(name));
        }
        if self.output.names_to.is_some() && !self.selection.mentions && !self.selection.edges {
            return Err(selection(SelectionError::NamesTo));
        }
        if self.output.nodes_to.is_some() && !self.selection.edges {
            return Err(selection(SelectionError::NodesTo));
        }
        let has_sources = self.selection.mentions || self.selection.edges;
        if self.output.part_size == Some(PartSize::Source) && !has_sources {
            return Err(selection(SelectionError::NoSources));
        }
        if self.selection.edges && self.reading.lines {
            return Err(Error::new(Cause::Selection(SelectionError::EdgesOfLines)));
        }
        Ok(())
    }

    fn search(&self) -> Result<SourceSearch, Error> {
        let options = &self.sources;
        let search = SourceSearch::new(&options.include, &options.exclude)
            .map_err(wrong_glob)?
            .skip_own_files(crate::temporary::is_own)
            .follow_links(options.follow);
        let name = options.source_name.clone().filter(|name| !name.is_empty());
        Ok(search.stdin_name(name).shard(options.shard))
    }

    fn preprocessor(&self) -> Result<Option<Preprocessor>, Error> {
        let options = &self.sources;
        let command = options.pre.as_ref();
        let command = command.filter(|command| !command.as_os_str().is_empty());
        let new = command.map(|command| Preprocessor::new(command.into(), &options.pre_glob));
        new.transpose().map_err(wrong_glob)
    }

    fn has_parts(&self) -> bool {
        self.output.output.as_deref().is_some_and(is_folder)
    }

    fn check_checkpoint(&self) -> Result<(), Error> {
        let Some(folder) = &self.resources.checkpoint else {
            return Ok(());
        };
        let fault = |error| Err(fault(folder, error));
        match self.paths.iter().find(|path| path.as_os_str() == "-") {
            _ if (self.selection.mentions || self.selection.edges) && !self.has_parts() => {
                fault(CheckpointError::Mentions)
            }
            _ if self.output.names_to.is_some() => fault(CheckpointError::NamesTo),
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

/// Returns the files that list sources, with their separator.
fn lists(options: &SourceOptions) -> Vec<(PathBuf, Separator)> {
    let separator = match options.nul {
        true => Separator::Nul,
        false => Separator::Line,
    };
    let lists = options.files_from.iter().cloned();
    lists.map(|list| (list, separator)).collect()
}

fn wrong_glob(error: BadGlob) -> Error {
    Error::new(Cause::Glob(error))
}
