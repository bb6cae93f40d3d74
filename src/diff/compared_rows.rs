//! Examines two inputs of edges, mentions, nodes or pairs, and chooses the fields by which their rows are compared.

use std::path::Path;

use doisift_documents::InputFiles;

use crate::error::Error;
use crate::merge::{FoundInput, can_be_read_twice};
use crate::records::{Field, IDENTITY, ReadError, RowKind};

/// The kind of rows to compare, and the fields that identify them.
#[derive(Clone, Debug)]
pub(super) struct ComparedRows {
    pub(super) rows: RowKind,
    pub(super) identity: Vec<Field>,
}

impl ComparedRows {
    /// Examines both sides. Returns `None` if both are lists of names: records, bare names or an index.
    ///
    /// # Errors
    /// If only one has edges, mentions, nodes or pairs, their kinds differ, or one lacks a column that identifies rows.
    pub(super) fn of(old: &Path, new: &Path, files: InputFiles<'_>) -> Result<Option<Self>, Error> {
        let found = [FoundInput::of(old, files), FoundInput::of(new, files)];
        if !found.iter().flatten().flatten().any(is_graph) {
            return Ok(None);
        }
        let [old_found, new_found] = found;
        let found = [old_found?, new_found?];
        let known: Vec<&FoundInput<'_>> = found.iter().flatten().collect();
        let Some(&first) = known.first() else {
            return Ok(None);
        };
        for (path, input) in [old, new].into_iter().zip(&found) {
            if input.is_none() && !can_be_read_twice(path, files)? {
                return Err(FoundInput::stream_failed(path, first.columns.rows));
            }
        }
        known.iter().try_for_each(|other| other.check_kind(first))?;
        let rows = first.columns.rows;
        let identity = identity(rows, &known)?;
        Ok(Some(ComparedRows { rows, identity }))
    }

    /// Returns the names of the columns of a change.
    pub(super) fn columns(&self) -> Vec<String> {
        let fields = [Field::Change].into_iter().chain(self.identity.clone());
        fields.map(|field| field.name().to_owned()).collect()
    }
}

/// Whether rows are compared by more fields than their names.
fn is_graph(input: &FoundInput<'_>) -> bool {
    let rows = input.columns.rows;
    matches!(
        rows,
        RowKind::Edges | RowKind::Mentions | RowKind::Nodes | RowKind::Pairs
    )
}

/// Returns the fields that identify the rows of all inputs: the name and its place.
///
/// # Errors
/// If an input lacks one.
fn identity(rows: RowKind, inputs: &[&FoundInput<'_>]) -> Result<Vec<Field>, Error> {
    let all_have = |field: Field| inputs.iter().all(|input| input.columns.has(field));
    let needed = |field: Field| match inputs.iter().find(|input| !input.columns.has(field)) {
        Some(input) => Err(input.failed(ReadError::without_identity(field, rows))),
        None => Ok(()),
    };
    if rows == RowKind::Nodes {
        needed(Field::Record)?;
        return Ok(vec![Field::Record]);
    }
    needed(Field::Doi)?;
    let by_record = all_have(Field::Record);
    if !by_record {
        let has_source = inputs.iter().all(|input| input.columns.has(Field::Source));
        needed(if has_source {
            Field::Source
        } else {
            place_of(rows)
        })?;
    }
    let is_place = |field: &Field| match field {
        Field::Source | Field::Document => by_record,
        _ => false,
    };
    let fields = IDENTITY.into_iter().filter(|field| !is_place(field));
    let (compared, others): (Vec<_>, Vec<_>) = fields.partition(|&field| all_have(field));
    for field in others {
        warn_of_missing(field, rows, inputs);
    }
    Ok(compared)
}

/// Returns the field with the place of a row of this kind.
fn place_of(rows: RowKind) -> Field {
    match rows {
        RowKind::Edges => Field::Record,
        _ => Field::Source,
    }
}

/// Warns that rows are compared without a field that only one side has.
fn warn_of_missing(field: Field, rows: RowKind, inputs: &[&FoundInput<'_>]) {
    let lacks = |input: &&&FoundInput<'_>| !input.columns.has(field);
    let lacking = inputs.iter().find(lacks);
    if let Some(input) = lacking.filter(|_| !inputs.iter().all(|input| lacks(&input))) {
        log::warn!(
            "{}: column `{}` is missing, so {} are compared without it",
            input.name(),
            field.name(),
            rows.name()
        );
    }
}
