//! Merges sorted inputs.

use std::cmp::Ordering;
use std::path::PathBuf;

use super::row::MergeRow;
use super::rows::RowStream;
use super::sort::{RowPlace, SortedRows};
use crate::dedup::Tournament;
use crate::error::Error;

/// Merges sorted inputs. Returns each key once.
pub(super) struct Union<'m, R> {
    cursors: Vec<RowCursor<'m, R>>,
    tournament: Tournament,
}

/// Reads an input row by row, and holds the current one.
struct RowCursor<'m, R> {
    rows: RowSource<'m, R>,
    row: R,
    ended: bool,
}

/// Sorted rows.
enum RowSource<'m, R> {
    File(RowStream<'m, R>),
    Sorted(SortedRows<'m, R>),
}

impl<R: MergeRow> RowSource<'_, R> {
    fn next(&mut self, into: &mut R) -> Result<bool, Error> {
        match self {
            RowSource::File(rows) => rows.next(into),
            RowSource::Sorted(rows) => rows.next(into),
        }
    }
}

impl<'m, R: MergeRow> Union<'m, R> {
    /// Opens all `inputs`.
    pub(super) fn new(
        inputs: &[PathBuf],
        sorted: SortedRows<'m, R>,
        place: RowPlace<'m>,
    ) -> Result<Self, Error> {
        let open = |path: &PathBuf| RowStream::open(path, place).map(RowSource::File);
        let sources = inputs.iter().map(open);
        let sources = sources.chain([Ok(RowSource::Sorted(sorted))]);
        let cursors = sources.map(|source| RowCursor::new(source?));
        let cursors: Vec<_> = cursors.collect::<Result<_, Error>>()?;
        let tournament = Tournament::new(cursors.len(), |a, b| precedes(&cursors, a, b));
        Ok(Union {
            cursors,
            tournament,
        })
    }

    /// Reads the next united row into `into`. Returns false at the end.
    pub(super) fn next(&mut self, into: &mut R) -> Result<bool, Error> {
        let Some(first) = self.first() else {
            return Ok(false);
        };
        std::mem::swap(into, &mut self.cursors[first].row);
        self.advance(first, into)?;
        while let Some(next) = self
            .first()
            .filter(|&next| self.cursors[next].row.by_key(into).is_eq())
        {
            into.unite(&self.cursors[next].row)?;
            self.advance(next, into)?;
        }
        Ok(true)
    }

    /// Returns the cursor with the smallest key, or `None` at the end.
    fn first(&self) -> Option<usize> {
        let first = self.tournament.first()?;
        (!self.cursors[first].ended).then_some(first)
    }

    /// Moves a cursor from `row` to its next row.
    fn advance(&mut self, cursor: usize, row: &R) -> Result<(), Error> {
        let moved = &mut self.cursors[cursor];
        moved.ended = !moved.rows.next(&mut moved.row)?;
        if let RowSource::File(rows) = &moved.rows
            && !moved.ended
            && moved.row.by_key(row).is_lt()
        {
            return Err(rows.changed());
        }
        let cursors = &self.cursors;
        self.tournament.play(cursor, |a, b| precedes(cursors, a, b));
        Ok(())
    }
}

impl<'m, R: MergeRow> RowCursor<'m, R> {
    /// Creates a cursor on the first row.
    fn new(mut rows: RowSource<'m, R>) -> Result<Self, Error> {
        let mut row = R::default();
        let ended = !rows.next(&mut row)?;
        Ok(RowCursor { rows, row, ended })
    }
}

fn precedes<R: MergeRow>(cursors: &[RowCursor<'_, R>], a: usize, b: usize) -> bool {
    let (left, right) = (&cursors[a], &cursors[b]);
    let by_end: Ordering = left.ended.cmp(&right.ended);
    let by_key = || left.row.by_key(&right.row);
    by_end.then_with(by_key).then_with(|| a.cmp(&b)).is_lt()
}
