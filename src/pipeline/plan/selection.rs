//! Selects the rows that a run writes.

use std::sync::Arc;

use super::prefixes::PrefixSet;
use crate::dedup::StoredFields;
use crate::error::{Cause, Error, SelectionError};
use crate::options::SelectionOptions;
use crate::records::{Field, Format, Layout, RowKind};
use crate::structure::{RecordField, Role, StructureRequest};

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

/// Builds the selection from options, for an output of `format`. `asks` is set if an index of known names is asked, `has_nodes`
/// if records of documents have rows.
///
/// # Errors
/// If the rows do not have the fields that were chosen, or options contradict each other.
pub(crate) fn select(
    options: &SelectionOptions,
    format: Format,
    asks: bool,
    has_nodes: bool,
) -> Result<Selection, Error> {
    let layout = layout(options, format, asks)?;
    check_context(options, &layout).map_err(fault)?;
    check_edges(options).map_err(fault)?;
    let filter = PrefixFilter::new(&options.prefix, &options.exclude_prefix);
    Ok(Selection {
        context: options.context.unwrap_or(0),
        top_prefixes: options.top_prefixes.unwrap_or(0),
        structure: structure_request(options, &layout, has_nodes)
            .map_err(fault)?
            .into(),
        roles: roles(&options.role).map_err(fault)?,
        filter: filter.map_err(fault)?,
        layout,
    })
}

fn layout(options: &SelectionOptions, format: Format, asks: bool) -> Result<Layout, Error> {
    let rows = rows(options).map_err(fault)?;
    if format == Format::Names && !matches!(rows, RowKind::Records | RowKind::Mentions) {
        return Err(fault(SelectionError::Names(rows.name())));
    }
    let layout = Layout::with_fields(format, rows, options.fields.as_deref());
    let layout = layout.map_err(|error| Error::new(Cause::Fields(error)))?;
    let layout = with_records(options, layout).map_err(fault)?;
    if options.fields.is_some() {
        return match layout.has_index_status() && !asks {
            true => Err(fault(SelectionError::NoKnown)),
            false => Ok(layout),
        };
    }
    let layout = match options.context {
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
fn with_records(options: &SelectionOptions, layout: Layout) -> Result<Layout, SelectionError> {
    let layout = match (options.all_references, &options.fields) {
        (false, _) => layout,
        (true, Some(_)) => layout.without_names(),
        (true, None) => layout.without_names().and(&[Field::Text]),
    };
    let fields = record_fields(options)?.into_iter();
    let layout = layout.with_record_fields(fields.map(|field| field.column));
    let columns = layout.columns();
    let mut repeated = (1..columns.len()).filter(|&at| columns[..at].contains(&columns[at]));
    match repeated.next() {
        Some(at) => Err(SelectionError::RepeatedColumn(columns[at].to_owned())),
        None => Ok(layout),
    }
}

/// Parses the fields of records that rows have.
///
/// # Errors
/// If a path or the type of a column is not valid.
pub(crate) fn record_fields(
    options: &SelectionOptions,
) -> Result<Vec<RecordField>, SelectionError> {
    let fields = options.record_fields.iter().flatten();
    Ok(fields
        .map(|field| field.parse())
        .collect::<Result<_, _>>()?)
}

/// # Errors
/// If an option is only for edges, and the rows are not edges.
fn check_edges(options: &SelectionOptions) -> Result<(), SelectionError> {
    let only = [
        (options.record_id.is_some(), "--record-id"),
        (!options.role.is_empty(), "--role"),
        (options.record_fields.is_some(), "--record-fields"),
        (options.all_references, "--all-references"),
    ];
    let given = only.iter().find(|(is_given, _)| *is_given);
    match given.filter(|_| !options.edges) {
        Some((_, option)) => Err(SelectionError::NoEdges(option)),
        None => Ok(()),
    }
}

/// Returns the data of structured documents that rows of a layout need.
fn structure_request(
    options: &SelectionOptions,
    layout: &Layout,
    has_nodes: bool,
) -> Result<StructureRequest, SelectionError> {
    let details = [
        Field::AssertedBy,
        Field::RefKey,
        Field::Relation,
        Field::UpdateType,
    ];
    Ok(StructureRequest {
        id: options.record_id.clone(),
        fields: record_fields(options)?,
        paths: layout.has(Field::Path),
        items: details.iter().any(|&field| layout.has(field)),
        texts: options.all_references,
        nodes: has_nodes,
        ..StructureRequest::default()
    })
}

/// Returns the kind of rows: records unless another one is chosen.
fn rows(options: &SelectionOptions) -> Result<RowKind, SelectionError> {
    let chosen = [
        options.mentions.then_some(RowKind::Mentions),
        options.pairs.then_some(RowKind::Pairs),
        options.edges.then_some(RowKind::Edges),
        options.count.then_some(RowKind::Counts),
        options.top_prefixes.map(|_| RowKind::Prefixes),
    ];
    let mut chosen = chosen.into_iter().flatten();
    let rows = chosen.next().unwrap_or(RowKind::Records);
    match chosen.next() {
        Some(other) => Err(SelectionError::TwoKinds(rows.name(), other.name())),
        None => Ok(rows),
    }
}

fn roles(words: &[String]) -> Result<Vec<Role>, SelectionError> {
    let role = |word: &String| Role::named(word).ok_or_else(|| SelectionError::Role(word.clone()));
    words.iter().map(role).collect()
}

fn check_context(options: &SelectionOptions, layout: &Layout) -> Result<(), SelectionError> {
    let is_written = layout.has(Field::Before) || layout.has(Field::After);
    match options.context {
        None if is_written => Err(SelectionError::NoContext),
        Some(_) if !(options.mentions || options.edges) || layout.format == Format::Names => {
            Err(SelectionError::NoMentions)
        }
        Some(_) if !is_written => Err(SelectionError::NoFields),
        Some(bytes) if bytes > MAX_CONTEXT_BYTES => Err(SelectionError::Context(MAX_CONTEXT_BYTES)),
        _ => Ok(()),
    }
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
                format!("{} as {} with {fields}", layout.rows.name(), layout.format)
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
