//! Selects the rows that a run writes.

use std::sync::Arc;

use super::prefixes::PrefixSet;
use crate::dedup::StoredFields;
use crate::error::{Cause, Error, SelectionError};
use crate::options::{Edges, RowOptions, SelectionOptions};
use crate::records::{Field, Format, Layout, RowKind};
use doisift_structure::{RecordField, Role, StructureRequest};

/// Max bytes before and after a mention that its row may have.
const MAX_CONTEXT_BYTES: usize = 1024;

/// The rows that a run writes.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) layout: Layout,
    /// Bytes before and after each mention whose text is written.
    pub(crate) context: usize,
    /// Max prefixes that are written, if rows are prefixes.
    pub(crate) top_prefixes: usize,
    /// The data that is wanted of structured documents.
    pub(crate) structure: Arc<StructureRequest>,
    /// The roles of edges that are written; all if it is empty.
    pub(crate) roles: Vec<Role>,
    /// `None` if all names are kept.
    pub(crate) filter: Option<PrefixFilter>,
}

/// Selects names by their prefix.
#[derive(Debug)]
pub(crate) struct PrefixFilter {
    /// If empty, all names are wanted.
    wanted: PrefixSet,
    excluded: PrefixSet,
}

/// The options that select rows.
#[derive(Clone, Copy)]
pub(crate) struct RowChoice<'o> {
    pub(crate) rows: &'o RowOptions,
    pub(crate) edges: &'o Edges,
    pub(crate) selection: &'o SelectionOptions,
}

impl RowChoice<'_> {
    /// Builds the selection for an output of `format`. `asks` is set if an index of known names is asked, `has_nodes` if records of
    /// documents have rows.
    ///
    /// # Errors
    /// If the rows do not have the fields that were chosen, or options contradict each other.
    pub(crate) fn select(
        self,
        format: Format,
        asks: bool,
        has_nodes: bool,
    ) -> Result<Selection, Error> {
        let layout = self.layout(format, asks)?;
        self.check_context(&layout).map_err(fault)?;
        self.check_edges().map_err(fault)?;
        let filter = PrefixFilter::new(&self.selection.prefix, &self.selection.exclude_prefix);
        let structure = self.structure_request(&layout, has_nodes);
        Ok(Selection {
            context: self.selection.context.unwrap_or(0),
            top_prefixes: self.rows.top_prefixes.unwrap_or(0),
            structure: structure.map_err(fault)?.into(),
            roles: self.edges.role.clone(),
            filter: filter.map_err(fault)?,
            layout,
        })
    }

    fn layout(self, format: Format, asks: bool) -> Result<Layout, Error> {
        let rows = self.row_kind().map_err(fault)?;
        if format == Format::Names && !matches!(rows, RowKind::Records | RowKind::Mentions) {
            return Err(fault(SelectionError::Names(rows.name())));
        }
        let fields = self.selection.fields.as_deref();
        let layout = Layout::with_fields(format, rows, fields);
        let layout = layout.map_err(|error| Error::new(Cause::Fields(error)))?;
        let layout = self.with_records(layout).map_err(fault)?;
        if fields.is_some() {
            return match layout.has_index_status() && !asks {
                true => Err(fault(SelectionError::NoKnown)),
                false => Ok(layout),
            };
        }
        let layout = match self.selection.context {
            Some(_) => layout.and(&[Field::Before, Field::After]),
            None => layout,
        };
        Ok(if asks {
            layout.and_index_status()
        } else {
            layout
        })
    }

    /// Returns the layout with the columns that options add for records and references.
    fn with_records(self, layout: Layout) -> Result<Layout, SelectionError> {
        let layout = match (self.edges.all_references, &self.selection.fields) {
            (false, _) => layout,
            (true, Some(_)) => layout.without_names(),
            (true, None) => layout.without_names().and(&[Field::Text]),
        };
        let fields = record_fields(self.edges)?.into_iter();
        let layout = layout.with_record_fields(fields.map(|field| field.column));
        let columns = layout.columns();
        let mut repeated = (1..columns.len()).filter(|&at| columns[..at].contains(&columns[at]));
        match repeated.next() {
            Some(at) => Err(SelectionError::RepeatedColumn(columns[at].to_owned())),
            None => Ok(layout),
        }
    }

    /// # Errors
    /// If an option is only for edges, and the rows are not edges.
    fn check_edges(self) -> Result<(), SelectionError> {
        let only = [
            (self.edges.record_id.is_some(), "--record-id"),
            (!self.edges.role.is_empty(), "--role"),
            (self.edges.record_fields.is_some(), "--record-fields"),
            (self.edges.all_references, "--all-references"),
        ];
        let given = only.iter().find(|(is_given, _)| *is_given);
        match given.filter(|_| !self.rows.edges) {
            Some((_, option)) => Err(SelectionError::NoEdges(option)),
            None => Ok(()),
        }
    }

    /// Returns the data of structured documents that rows of a layout need.
    fn structure_request(
        self,
        layout: &Layout,
        has_nodes: bool,
    ) -> Result<StructureRequest, SelectionError> {
        let details = [
            Field::AssertedBy,
            Field::RefKey,
            Field::Relation,
            Field::UpdateType,
        ];
        let id = self.edges.record_id.as_deref();
        Ok(StructureRequest {
            id: id.map(str::parse).transpose()?,
            fields: record_fields(self.edges)?,
            paths: layout.has(Field::Path),
            items: details.iter().any(|&field| layout.has(field)),
            texts: self.edges.all_references,
            nodes: has_nodes,
            ..StructureRequest::default()
        })
    }

    /// Returns the kind of rows: records unless another one is chosen.
    fn row_kind(self) -> Result<RowKind, SelectionError> {
        let chosen = [
            self.rows.mentions.then_some(RowKind::Mentions),
            self.rows.pairs.then_some(RowKind::Pairs),
            self.rows.edges.then_some(RowKind::Edges),
            self.rows.count.then_some(RowKind::Counts),
            self.rows.top_prefixes.map(|_| RowKind::Prefixes),
        ];
        let mut chosen = chosen.into_iter().flatten();
        let rows = chosen.next().unwrap_or(RowKind::Records);
        match chosen.next() {
            Some(other) => Err(SelectionError::TwoKinds(rows.name(), other.name())),
            None => Ok(rows),
        }
    }

    fn check_context(self, layout: &Layout) -> Result<(), SelectionError> {
        let is_written = layout.has(Field::Before) || layout.has(Field::After);
        let has_mentions = self.rows.mentions || self.rows.edges;
        match self.selection.context {
            None if is_written => Err(SelectionError::NoContext),
            Some(_) if !has_mentions || layout.format == Format::Names => {
                Err(SelectionError::NoMentions)
            }
            Some(_) if !is_written => Err(SelectionError::NoFields),
            Some(bytes) if bytes > MAX_CONTEXT_BYTES => {
                Err(SelectionError::Context(MAX_CONTEXT_BYTES))
            }
            _ => Ok(()),
        }
    }
}

/// Parses the fields of records that rows have.
///
/// # Errors
/// If a path or the type of a column is not valid.
pub(crate) fn record_fields(edges: &Edges) -> Result<Vec<RecordField>, SelectionError> {
    let fields = edges.record_fields.iter().flatten();
    Ok(fields
        .map(|field| field.parse())
        .collect::<Result<_, _>>()?)
}

fn fault(error: SelectionError) -> Error {
    Error::new(Cause::Selection(error))
}

impl Selection {
    /// Whether each mention is a row, which is written in the order of sources.
    pub(crate) fn writes_mentions(&self) -> bool {
        matches!(self.layout.rows, RowKind::Mentions | RowKind::Edges)
    }

    /// Whether rows have the places of mentions in the structure of their documents.
    pub(crate) fn writes_edges(&self) -> bool {
        self.layout.rows == RowKind::Edges
    }

    /// Whether rows have mentions as they are written.
    pub(crate) fn writes_texts(&self) -> bool {
        !self.writes_edges() || self.layout.has(Field::Text)
    }

    /// Whether rows have the values of fields for identifiers.
    pub(crate) fn writes_values(&self) -> bool {
        let fields = [Field::Value, Field::DoiClean, Field::Changed];
        fields.iter().any(|&field| self.layout.has(field))
    }

    /// Whether rows have the WARC record of their document.
    pub(crate) fn writes_captures(&self) -> bool {
        self.layout.has(Field::WarcRecordId) || self.layout.has(Field::Date)
    }

    /// Whether rows have the column of their mention in a table.
    pub(crate) fn writes_columns(&self) -> bool {
        self.layout.has(Field::Column)
    }

    /// Whether the keys of the table are pairs.
    pub(crate) fn writes_pairs(&self) -> bool {
        self.layout.rows == RowKind::Pairs
    }

    /// Returns the fields that the table has to store for a name.
    pub(crate) fn stored_fields(&self) -> StoredFields {
        match self.layout.rows {
            RowKind::Counts => StoredFields::Key,
            RowKind::Pairs | RowKind::Prefixes => StoredFields::Count,
            _ if self.layout.format == Format::Names => StoredFields::Key,
            _ => StoredFields::All,
        }
    }

    /// Returns the word for the content of the table. Runs with different words cannot share a table.
    pub(crate) fn table_name(&self) -> &'static str {
        match self.stored_fields() {
            StoredFields::Key => "names",
            _ => self.layout.rows.name(),
        }
    }
}

impl Selection {
    /// Describes the content of a checkpoint. A run with another description cannot resume from it.
    pub(crate) fn checkpoint_content(&self) -> String {
        let layout = &self.layout;
        match self.writes_mentions() {
            true => {
                let fields = layout.described_columns();
                let format = layout.format.name();
                format!("{} as {format} with {fields}", layout.rows.name())
            }
            false => self.table_name().to_owned(),
        }
    }
}

impl PrefixFilter {
    /// Creates the filter. Returns `None` if no prefixes are given.
    fn new(wanted: &[String], excluded: &[String]) -> Result<Option<Self>, SelectionError> {
        let set = |prefixes: &[String]| {
            let set = PrefixSet::new(prefixes);
            set.map_err(|wrong| SelectionError::Prefix(wrong.into()))
        };
        let filter = PrefixFilter {
            wanted: set(wanted)?,
            excluded: set(excluded)?,
        };
        let is_none = filter.wanted.is_empty() && filter.excluded.is_empty();
        Ok((!is_none).then_some(filter))
    }

    /// Whether a name is kept.
    pub(crate) fn takes(&self, key: &str) -> bool {
        (self.wanted.is_empty() || self.wanted.has_prefix_of(key))
            && !self.excluded.has_prefix_of(key)
    }
}
