//! Checks the order of rows, and sorts rows into runs.

use std::path::Path;

use super::row::MergeRow;
use super::rows::RowStream;
use super::run::{RecordRun, RunWriter};
use crate::error::Error;
use crate::task::Monitor;

/// The memory budget in bytes and the folder of a task that sorts rows.
#[derive(Clone, Copy)]
pub(crate) struct SortPlace<'o> {
    pub(crate) memory: usize,
    pub(crate) tmp: &'o Path,
    pub(crate) monitor: &'o Monitor,
}

/// Returns the number of rows, or `None` if they are not sorted. Several rows in succession may have the same key.
pub(super) fn count_sorted<R: MergeRow>(rows: &mut RowStream<'_, R>) -> Result<Option<u64>, Error> {
    let (mut row, mut before) = (R::default(), R::default());
    let mut count = 0;
    while rows.next(&mut row)? {
        if row.by_key(&before).is_lt() {
            return Ok(None);
        }
        std::mem::swap(&mut row, &mut before);
        count += 1;
    }
    Ok(Some(count))
}

/// Collects rows in any order, and writes them as a sorted run whenever they take half of the memory. The other half is for the
/// growing array and the overhead of the allocator.
pub(super) struct RowSorter<'o, R> {
    place: SortPlace<'o>,
    rows: Vec<R>,
    /// Bytes of the strings of all rows.
    held: usize,
    runs: Vec<RecordRun>,
}

impl<'o, R: MergeRow> RowSorter<'o, R> {
    pub(super) fn new(place: SortPlace<'o>) -> Self {
        RowSorter {
            place,
            rows: Vec::new(),
            held: 0,
            runs: Vec::new(),
        }
    }

    /// Adds all rows of an input. Returns their number.
    pub(super) fn add(&mut self, rows: &mut RowStream<'_, R>) -> Result<u64, Error> {
        let mut row = R::default();
        let mut count = 0;
        while rows.next(&mut row)? {
            self.push(row.clone())?;
            count += 1;
        }
        Ok(count)
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: R) -> Result<(), Error> {
        self.held += row.held_bytes();
        self.rows.push(row);
        // Twice, since the capacity of a growing array may be twice its length.
        let array = 2 * self.rows.len() * size_of::<R>();
        if self.held + array > self.place.memory / 2 {
            self.spill()
        } else {
            Ok(())
        }
    }

    fn spill(&mut self) -> Result<(), Error> {
        self.rows.sort_unstable_by(R::by_key);
        let mut run = RunWriter::create::<R>(self.place.tmp, self.place.monitor)?;
        let mut rows = self.rows.drain(..);
        if let Some(mut record) = rows.next() {
            for row in rows {
                if row.by_key(&record).is_eq() {
                    record.unite(&row)?;
                } else {
                    run.push(&record)?;
                    record = row;
                }
            }
            run.push(&record)?;
        }
        self.held = 0;
        self.runs.push(run.finish()?);
        Ok(())
    }

    /// Writes the remaining rows, and returns all runs.
    pub(super) fn finish(mut self) -> Result<Vec<RecordRun>, Error> {
        if !self.rows.is_empty() {
            self.spill()?;
        }
        Ok(self.runs)
    }
}
