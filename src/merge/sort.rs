//! Checks the order of rows, and sorts rows into runs.

use std::cmp::Ordering;

use super::options::MergeSettings;
use super::rows::RowStream;
use super::run::{RecordRun, RunWriter};
use super::unite::unite;
use crate::error::Error;
use crate::records::OwnedRecord;

/// Overhead of the allocator for each string in bytes, about.
const LOST: usize = 16;

/// The number of rows if they are sorted, otherwise none. Several rows with the same key may follow each other.
pub(super) fn count_sorted(mut rows: RowStream<'_>) -> Result<Option<u64>, Error> {
    let (mut row, mut before) = (OwnedRecord::default(), OwnedRecord::default());
    let mut count = 0;
    while rows.next(&mut row)? {
        if row.doi < before.doi {
            return Ok(None);
        }
        std::mem::swap(&mut row, &mut before);
        count += 1;
    }
    Ok(Some(count))
}

/// Collects rows in any order, and writes them as a sorted run whenever they take half of the memory. The other half is for the
/// array while it grows, and for the overhead of the allocator.
pub(super) struct RowSorter<'o> {
    options: &'o MergeSettings,
    rows: Vec<OwnedRecord>,
    /// Bytes of the strings of all rows.
    held: usize,
    runs: Vec<RecordRun>,
}

impl<'o> RowSorter<'o> {
    pub(super) fn new(options: &'o MergeSettings) -> Self {
        RowSorter {
            options,
            rows: Vec::new(),
            held: 0,
            runs: Vec::new(),
        }
    }

    /// Adds all rows of an input. Returns their number.
    pub(super) fn add(&mut self, mut rows: RowStream<'_>) -> Result<u64, Error> {
        let mut row = OwnedRecord::default();
        let mut count = 0;
        while rows.next(&mut row)? {
            self.push(row.clone())?;
            count += 1;
        }
        Ok(count)
    }

    fn push(&mut self, row: OwnedRecord) -> Result<(), Error> {
        self.held += held(&row);
        self.rows.push(row);
        // Twice, since the capacity of an array that grows may be double its length.
        let array = 2 * self.rows.len() * size_of::<OwnedRecord>();
        match self.held + array > self.options.memory / 2 {
            true => self.spill(),
            false => Ok(()),
        }
    }

    fn spill(&mut self) -> Result<(), Error> {
        self.rows.sort_unstable_by(by_key);
        let mut run = RunWriter::create(&self.options.tmp, &self.options.monitor)?;
        let mut rows = self.rows.drain(..);
        if let Some(mut record) = rows.next() {
            for row in rows {
                if row.doi == record.doi {
                    unite(&mut record, &row)?;
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

fn by_key(a: &OwnedRecord, b: &OwnedRecord) -> Ordering {
    a.doi.cmp(&b.doi)
}

/// Bytes of the strings of a row.
fn held(row: &OwnedRecord) -> usize {
    let strings = [
        &row.doi,
        &row.first_source,
        &row.first_document,
        &row.first_text,
    ];
    strings.iter().map(|text| text.capacity() + LOST).sum()
}
