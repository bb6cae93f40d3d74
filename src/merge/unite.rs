//! Unites the rows of one name, and merges sorted inputs.

use super::rows::{Input, RowStream};
use crate::dedup::Tournament;
use crate::error::{Error, ErrorKind};
use crate::records::{MOST, OwnedRecord};
use crate::task::Monitor;

/// Adds the counts and forms of `other`, a row of the same name, and keeps the first of both first mentions. The result does
/// not depend on the order in which rows are united.
///
/// # Errors
/// If a sum is more than a record holds.
pub(super) fn unite(record: &mut OwnedRecord, other: &OwnedRecord) -> Result<(), Error> {
    record.mentions = sum("mentions", record, record.mentions, other.mentions)?;
    record.documents = sum("documents", record, record.documents, other.documents)?;
    record.forms |= other.forms;
    record.guessed &= other.guessed;
    if first(other) < first(record) {
        record.first_source.clone_from(&other.first_source);
        record.first_document.clone_from(&other.first_document);
        record.first_offset = other.first_offset;
        record.first_text.clone_from(&other.first_text);
    }
    Ok(())
}

fn sum(field: &'static str, record: &OwnedRecord, a: u64, b: u64) -> Result<u64, Error> {
    let sum = a.checked_add(b).filter(|&sum| sum <= MOST);
    let doi = || record.doi.as_str().into();
    sum.ok_or_else(|| Error::new(ErrorKind::Overflow { field, doi: doi() }))
}

/// The order of first mentions. It has all their fields, so two different ones are never equal.
fn first(record: &OwnedRecord) -> (&str, u64, &str, &str) {
    (
        &record.first_source,
        record.first_offset,
        &record.first_document,
        &record.first_text,
    )
}

/// Merges sorted inputs; each name is returned once.
pub(super) struct Union<'m> {
    cursors: Vec<RowCursor<'m>>,
    tournament: Tournament,
}

/// Reads an input row by row, and holds the current one.
struct RowCursor<'m> {
    rows: RowStream<'m>,
    row: OwnedRecord,
    ended: bool,
}

impl<'m> Union<'m> {
    /// Opens all `inputs`.
    pub(super) fn new<'i>(
        inputs: impl IntoIterator<Item = &'i Input>,
        monitor: &'m Monitor,
    ) -> Result<Self, Error> {
        let inputs = inputs.into_iter();
        let cursors = inputs.map(|input| RowCursor::new(input.open(monitor)?));
        let cursors: Vec<_> = cursors.collect::<Result<_, Error>>()?;
        let tournament = Tournament::new(cursors.len(), |a, b| precedes(&cursors, a, b));
        Ok(Union {
            cursors,
            tournament,
        })
    }

    /// Reads the next record into `into`; false at the end.
    pub(super) fn next(&mut self, into: &mut OwnedRecord) -> Result<bool, Error> {
        let Some(first) = self.first() else {
            return Ok(false);
        };
        std::mem::swap(into, &mut self.cursors[first].row);
        self.advance(first, into)?;
        while let Some(next) = self
            .first()
            .filter(|&next| self.cursors[next].row.doi == into.doi)
        {
            unite(into, &self.cursors[next].row)?;
            self.advance(next, into)?;
        }
        Ok(true)
    }

    /// The cursor with the least key.
    fn first(&self) -> Option<usize> {
        let first = self.tournament.first()?;
        (!self.cursors[first].ended).then_some(first)
    }

    /// Moves a cursor, whose key was that of `record`, to its next row.
    fn advance(&mut self, cursor: usize, record: &OwnedRecord) -> Result<(), Error> {
        let moved = &mut self.cursors[cursor];
        moved.ended = !moved.rows.next(&mut moved.row)?;
        if !moved.ended && moved.row.doi < record.doi {
            return Err(moved.rows.changed());
        }
        let cursors = &self.cursors;
        self.tournament.play(cursor, |a, b| precedes(cursors, a, b));
        Ok(())
    }
}

impl<'m> RowCursor<'m> {
    /// A cursor on the first row.
    fn new(mut rows: RowStream<'m>) -> Result<Self, Error> {
        let mut row = OwnedRecord::default();
        let ended = !rows.next(&mut row)?;
        Ok(RowCursor { rows, row, ended })
    }
}

fn precedes(cursors: &[RowCursor<'_>], a: usize, b: usize) -> bool {
    let (left, right) = (&cursors[a], &cursors[b]);
    (left.ended, left.row.doi.as_str(), a) < (right.ended, right.row.doi.as_str(), b)
}
