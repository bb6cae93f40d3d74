//! The order of rows, and rows in any order to sorted runs.

use std::cmp::Ordering;

use super::options::Options;
use super::rows::Rows;
use super::run::{Run, RunWriter};
use super::unite::unite;
use crate::error::Error;
use crate::records::OwnedRecord;

/// Bytes that an allocator loses to each string, about.
const LOST: usize = 16;

/// How many rows there are, if they are sorted; else none. Those of one key may be several, beside one another.
pub(super) fn count_sorted(mut rows: Rows<'_>) -> Result<Option<u64>, Error> {
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

/// Takes rows in any order, and writes a run of them whenever they have used up half of the memory; the other half is for what
/// the array of them takes while it grows, and for what an allocator loses.
pub(super) struct Sorter<'o> {
    options: &'o Options,
    rows: Vec<OwnedRecord>,
    /// Bytes that the strings of rows hold.
    held: usize,
    runs: Vec<Run>,
}

impl<'o> Sorter<'o> {
    pub(super) fn new(options: &'o Options) -> Self {
        Sorter {
            options,
            rows: Vec::new(),
            held: 0,
            runs: Vec::new(),
        }
    }

    /// Adds all rows of an input. Returns how many there were.
    pub(super) fn add(&mut self, mut rows: Rows<'_>) -> Result<u64, Error> {
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
        // Twice, for the room that an array has when it grows, and keeps when its rows are gone.
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

    /// The runs of all rows that were added.
    pub(super) fn finish(mut self) -> Result<Vec<Run>, Error> {
        if !self.rows.is_empty() {
            self.spill()?;
        }
        Ok(self.runs)
    }
}

fn by_key(a: &OwnedRecord, b: &OwnedRecord) -> Ordering {
    a.doi.cmp(&b.doi)
}

/// Bytes that the strings of a row hold.
fn held(row: &OwnedRecord) -> usize {
    let strings = [
        &row.doi,
        &row.first_source,
        &row.first_document,
        &row.first_text,
    ];
    strings.iter().map(|text| text.capacity() + LOST).sum()
}
