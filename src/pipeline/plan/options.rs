//! The options of a run.

use std::path::PathBuf;
use std::sync::Arc;

use doisift_core::Scanner;
use doisift_documents::{
    ColumnSelection, NamedReaders, Preprocessor, ReadLimits, Separator, SourceSearch,
};

use super::selection::Selection;
use crate::checkpoint::fault;
use crate::dedup::StoredFields;
use crate::error::{CheckpointError, Error};
use crate::lookup::{Index, KnownNames};
use crate::objects::Services;
pub(crate) use crate::options::OnError;
use crate::options::{
    GivenOptions, LookupOptions, ReadingOptions, ReportedOptions, ResourceOptions, SourceOptions,
    reported_paths,
};
use crate::records::{Field, Format, Layout, PartPlan, RowKind};
use crate::task::{Monitor, RowTarget};
use doisift_tables::HeaderChoice;

/// The options of a scan with all defaults and derived values filled in.
#[derive(Debug)]
pub(crate) struct ScanOptions {
    /// All options as they were set. The groups below are used directly.
    pub(crate) given: GivenOptions,
    pub(crate) sources: SourceOptions,
    pub(crate) reading: ReadingOptions,
    pub(crate) resources: ResourceOptions,
    /// Whether identifiers of arXiv are names.
    pub(crate) arxiv: bool,
    pub(crate) lookup: LookupOptions,
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) lists: Vec<(PathBuf, Separator)>,
    /// The text before each name in the lists.
    pub(crate) base: Option<String>,
    pub(crate) readers: NamedReaders,
    pub(crate) search: SourceSearch,
    pub(crate) services: Services,
    /// The command that is run for files.
    pub(crate) preprocessor: Option<Preprocessor>,
    pub(crate) output: Option<PathBuf>,
    /// How the output is divided, if it is a folder of parts.
    pub(crate) parts: Option<PartPlan>,
    pub(crate) report: Option<PathBuf>,
    /// The records that are written besides the rows.
    pub(crate) names_to: Option<SideOutput>,
    /// The records of the documents that are written besides the rows.
    pub(crate) nodes_to: Option<SideOutput>,
    pub(crate) selection: Selection,
    /// The columns of tables that are read.
    pub(crate) columns: ColumnSelection,
    /// The header of tables that are text.
    pub(crate) header: HeaderChoice,
    pub(crate) measure: bool,
    pub(crate) threads: usize,
    pub(crate) chunk: Option<usize>,
    pub(crate) limits: ReadLimits,
    pub(crate) memory: usize,
    /// Max part of `memory` for names, in bytes.
    pub(crate) names: usize,
    pub(crate) tmp: PathBuf,
    /// The index of known names that is asked.
    pub(crate) known: Option<Arc<KnownNames>>,
    /// The index as scanners ask it for the ends of names.
    pub(crate) ends: Option<Arc<Index>>,
    pub(crate) monitor: Monitor,
}

/// Rows that are written besides mentions or edges.
#[derive(Debug)]
pub(crate) struct SideOutput {
    pub(crate) path: PathBuf,
    /// How the output is divided, if it is a folder of parts.
    pub(crate) parts: Option<PartPlan>,
    pub(crate) layout: Layout,
}

impl ScanOptions {
    /// Returns the targets of the side outputs, in their order.
    pub(crate) fn side_outputs(&self) -> impl Iterator<Item = RowTarget<'_>> + Clone {
        let side_outputs = [&self.names_to, &self.nodes_to].into_iter().flatten();
        side_outputs.map(|rows| RowTarget {
            path: Some(&rows.path),
            parts: rows.parts.as_ref(),
        })
    }

    /// Creates a scanner with the options, which asks the index, if there is one.
    pub(crate) fn scanner(&self) -> Scanner {
        let scanner = Scanner::new().arxiv(self.arxiv);
        match &self.ends {
            Some(ends) => scanner.known(ends.clone()),
            None => scanner,
        }
    }

    /// Lets the caller take the rows.
    ///
    /// # Errors
    /// If the rows are mentions or edges and there is a checkpoint, since a resumed run does not find the mentions of finished
    /// sources again.
    pub(crate) fn leave_rows_to_caller(&mut self) -> Result<(), Error> {
        if let (true, Some(folder)) = (self.selection.writes_mentions(), &self.resources.checkpoint)
        {
            return Err(fault(folder, CheckpointError::Mentions));
        }
        (self.output, self.parts) = (None, None);
        Ok(())
    }

    /// Lets the caller take the rows, which are of kind `rows` and have all fields.
    ///
    /// # Errors
    /// As [`leave_rows_to_caller`](Self::leave_rows_to_caller).
    pub(crate) fn pass_on(&mut self, rows: RowKind) -> Result<(), Error> {
        (self.names_to, self.nodes_to) = (None, None);
        let layout = Layout::new(Format::Jsonl, rows);
        let layout = match self.known {
            Some(_) => layout.and_index_status(),
            None => layout,
        };
        self.selection.layout = match rows {
            RowKind::Mentions => layout.and(&[Field::WarcRecordId, Field::Date, Field::Column]),
            _ => layout,
        };
        self.leave_rows_to_caller()
    }

    /// Returns the fields that the table has to store for a name.
    pub(crate) fn stored_fields(&self) -> StoredFields {
        match &self.names_to {
            Some(names) if names.layout.format == Format::Names => StoredFields::Key,
            Some(_) => StoredFields::All,
            None => self.selection.stored_fields(),
        }
    }

    /// Whether names go into the table.
    pub(crate) fn fills_table(&self) -> bool {
        self.names_to.is_some() || !self.selection.writes_mentions()
    }

    /// Describes the content of a checkpoint. A run with another description cannot resume from it.
    pub(crate) fn checkpoint_content(&self) -> String {
        let mut content = self.selection.checkpoint_content();
        if self.names_to.is_some() {
            content += match self.stored_fields() {
                StoredFields::Key => " and names",
                _ => " and records",
            };
        }
        if let Some(nodes) = &self.nodes_to {
            content += " and nodes as ";
            content += nodes.layout.format.name();
        }
        content
    }

    /// Whether several threads may scan one document in any order.
    pub(crate) fn is_read_in_ranges(&self) -> bool {
        !self.reading.lines && !self.selection.writes_edges() && !self.columns.is_given()
    }

    /// Whether another run scans the sources that cannot be divided, since this one scans a later range.
    pub(crate) fn skips_whole_sources(&self) -> bool {
        self.sources
            .range
            .as_ref()
            .is_some_and(|range| range.start > 0)
    }

    /// Returns the index if rows have its answers about their names; otherwise `None`.
    pub(crate) fn asked(&self) -> Option<&KnownNames> {
        let known = self.known.as_deref();
        known.filter(|_| self.selection.layout.has_index_status())
    }

    pub(crate) fn for_report(&self) -> ReportedOptions {
        let lists = self.lists.iter().map(|(path, _)| path);
        let layout = &self.selection.layout;
        ReportedOptions::new(&self.given)
            .with("paths", &reported_paths(self.paths.iter().chain(lists)))
            .with("output", &self.output)
            .with("format", &layout.format)
            .with("rows", &layout.rows.name().to_owned())
            .with("fields", &layout.field_names())
            .with("threads", &self.threads)
            .with("memory", &self.memory)
    }
}
