//! Sorts the rows of one input, in any order.

use std::collections::VecDeque;

use super::row::MergeRow;
use super::rows::{Input, RowStream};
use super::sort::{RowSorter, SortPlace};
use super::unite::Union;
use super::work::few;
use crate::error::Error;

/// Iterates over the rows of an input in the order of their keys, each key once.
pub(crate) struct SortedRows<'o, R> {
    union: Union<'o, R>,
    /// The runs, which are removed when this is dropped.
    _runs: VecDeque<Input>,
}

impl<'o, R: MergeRow> SortedRows<'o, R> {
    /// Reads all rows, and sorts those for which `keep` returns true. `keep` may change a row.
    ///
    /// # Errors
    /// If a row is wrong, or a temporary file cannot be written.
    pub(crate) fn of(
        mut rows: RowStream<'_, R>,
        keep: impl Fn(&mut R) -> bool,
        place: SortPlace<'o>,
    ) -> Result<Self, Error> {
        let mut sorter = RowSorter::new(place);
        let mut row = R::default();
        while rows.next(&mut row)? {
            if keep(&mut row) {
                sorter.push(row.clone())?;
            }
        }
        let runs = sorter.finish()?.into_iter().map(Input::Run).collect();
        let runs = few::<R>(place, runs, |_| {})?;
        Ok(SortedRows {
            union: Union::new(&runs, place.monitor)?,
            _runs: runs,
        })
    }

    /// Reads the next row into `into`. Returns false at the end.
    pub(crate) fn next(&mut self, into: &mut R) -> Result<bool, Error> {
        self.union.next(into)
    }
}
