//! Compares edges, mentions, nodes or pairs, which are not sorted by name.
//!
//! Each side is sorted by the fields that identify its rows, within the memory. Then both are merged like two lists of names.

use std::cmp::Ordering;
use std::path::Path;

use super::options::DiffSettings;
use super::report::DiffReport;
use crate::error::Error;
use crate::merge::{FoundInput, RowStream, SortedRows, can_be_read_twice};
use crate::records::{
    ComparedKind, Field, IDENTITY, Output, ReadError, Row, RowIdentity, RowKind, RowWriter, Value,
};

/// The kind of rows to compare, and the fields that identify them.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub(super) rows: RowKind,
    pub(super) identity: Vec<Field>,
}

impl Compared {
    /// Examines both sides. Returns `None` if both are lists of names: records, bare names or an index.
    ///
    /// # Errors
    /// If only one has edges, mentions, nodes or pairs, their kinds differ, or one lacks a column that identifies rows.
    pub(super) fn of(old: &Path, new: &Path) -> Result<Option<Self>, Error> {
        let found = [FoundInput::of(old), FoundInput::of(new)];
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
            if input.is_none() && !can_be_read_twice(path)? {
                return Err(FoundInput::stream_failed(path, first.columns.rows));
            }
        }
        known.iter().try_for_each(|other| other.check_kind(first))?;
        let rows = first.columns.rows;
        let identity = identity(rows, &known)?;
        Ok(Some(Compared { rows, identity }))
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
        tell_lack(field, rows, inputs);
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
fn tell_lack(field: Field, rows: RowKind, inputs: &[&FoundInput<'_>]) {
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

/// The sorted rows of both sides.
pub(super) struct GraphSides<'a, K> {
    old: SortedRows<'a, RowIdentity<K>>,
    new: SortedRows<'a, RowIdentity<K>>,
}

impl<'a, K: ComparedKind> GraphSides<'a, K> {
    /// Reads and sorts both sides.
    pub(super) fn sorted(settings: &'a DiffSettings, compared: &Compared) -> Result<Self, Error> {
        let identity = &compared.identity;
        let sorted = |path: &Path| {
            let keep = |row: &mut RowIdentity<K>| {
                row.keep(identity);
                // References without a name are left out.
                !row.doi().is_empty() || !identity.contains(&Field::Doi)
            };
            let rows = RowStream::open(path, &settings.monitor)?;
            SortedRows::of(rows, keep, settings.sort_place())
        };
        Ok(GraphSides {
            old: sorted(&settings.old)?,
            new: sorted(&settings.new)?,
        })
    }

    /// Writes and counts the changes.
    pub(super) fn compare(
        mut self,
        report: &mut DiffReport,
        out: &mut dyn RowWriter<Output>,
    ) -> Result<(), Error> {
        let (mut old, mut new) = (RowIdentity::default(), RowIdentity::default());
        let (mut has_old, mut has_new) = (self.old.next(&mut old)?, self.new.next(&mut new)?);
        while has_old || has_new {
            let order = match (has_old, has_new) {
                (true, true) => old.values.cmp(&new.values),
                (true, false) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let change = match order {
                Ordering::Less => Some(("vanished", &old)),
                Ordering::Greater => Some(("appeared", &new)),
                Ordering::Equal => None,
            };
            if let Some((change, row)) = change {
                out.row(&ChangedRow { change, row })
                    .map_err(Error::output)?;
            }
            if order.is_le() {
                report.old += 1;
                report.vanished += u64::from(order.is_lt());
                has_old = self.old.next(&mut old)?;
            }
            if order.is_ge() {
                report.new += 1;
                report.appeared += u64::from(order.is_gt());
                has_new = self.new.next(&mut new)?;
            }
        }
        Ok(())
    }
}

/// A row that only one side has.
struct ChangedRow<'r, K> {
    change: &'static str,
    row: &'r RowIdentity<K>,
}

impl<K: ComparedKind> Row for ChangedRow<'_, K> {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Change => Value::Text(self.change),
            field => self.row.value(field),
        }
    }
}
