//! Checks the order of rows, and sorts rows in any order.

use std::io;
use std::marker::PhantomData;

use doisift_documents::InputFiles;
use doisift_known::sort::{SortedPairs, Sorter};

use super::row::MergeRow;
use super::row_bytes::{put_key, put_rest, take_row};
use super::rows::RowStream;
use crate::dedup::SpillError;
use crate::error::Error;
use crate::task::{Monitor, not_cancelled};

/// What a task reads and sorts rows with.
#[derive(Clone, Copy)]
pub(crate) struct RowPlace<'o> {
    /// The memory budget in bytes.
    pub(crate) memory: usize,
    /// The inputs, and the folder for temporary files.
    pub(crate) files: InputFiles<'o>,
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

/// Sorts rows within half of the memory, and beyond it in a temporary file without a name. The other half is for the readers of the
/// rows.
pub(crate) struct RowSorter<'o, R> {
    place: RowPlace<'o>,
    /// `None` before the first row.
    sorter: Option<Sorter>,
    key: Vec<u8>,
    rest: Vec<u8>,
    kind: PhantomData<R>,
}

impl<'o, R: MergeRow> RowSorter<'o, R> {
    pub(crate) fn new(place: RowPlace<'o>) -> Self {
        RowSorter {
            place,
            sorter: None,
            key: Vec::new(),
            rest: Vec::new(),
            kind: PhantomData,
        }
    }

    /// Adds all rows of an input for which `keep` returns true. `keep` may change a row. Returns the number of rows read.
    pub(crate) fn add(
        &mut self,
        rows: &mut RowStream<'_, R>,
        keep: impl Fn(&mut R) -> bool,
    ) -> Result<u64, Error> {
        let mut row = R::default();
        let mut count = 0;
        while rows.next(&mut row)? {
            if keep(&mut row) {
                self.push(&row).map_err(|error| failed(self.place, error))?;
            }
            count += 1;
        }
        Ok(count)
    }

    fn push(&mut self, row: &R) -> io::Result<()> {
        put_key(&mut self.key, row);
        put_rest(&mut self.rest, row);
        let sorter = match &mut self.sorter {
            Some(sorter) => sorter,
            none => {
                let sorter =
                    Sorter::new(self.place.memory / 2, Some(self.place.files.temp_folder))?;
                // Rows that have only a key are united by being equal.
                let keeps_equal = !R::REST.is_empty();
                none.insert(if keeps_equal {
                    sorter.keep_equal()
                } else {
                    sorter
                })
            }
        };
        sorter.push(&self.key, &self.rest)
    }

    /// Returns the sorted rows.
    pub(crate) fn finish(self) -> Result<SortedRows<'o, R>, Error> {
        let pairs = self.sorter.map(Sorter::finish).transpose();
        Ok(SortedRows {
            pairs: pairs.map_err(|error| failed(self.place, error))?,
            place: self.place,
            kind: PhantomData,
        })
    }
}

/// Iterates over sorted rows. Rows with the same key follow one another.
pub(crate) struct SortedRows<'o, R> {
    /// `None` if there are no rows.
    pairs: Option<SortedPairs>,
    place: RowPlace<'o>,
    kind: PhantomData<R>,
}

impl<R: MergeRow> SortedRows<'_, R> {
    /// Returns the number of sorted runs in the temporary file, and its size in bytes.
    pub(super) fn spilled(&self) -> (u64, u64) {
        self.pairs.as_ref().map_or((0, 0), SortedPairs::spilled)
    }

    /// Reads the next row into `into`. Returns false at the end.
    pub(crate) fn next(&mut self, into: &mut R) -> Result<bool, Error> {
        not_cancelled(self.place.monitor)?;
        let Some(pairs) = &mut self.pairs else {
            return Ok(false);
        };
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "a sorted row is damaged");
        let read = pairs.next_pair().and_then(|pair| match pair {
            Some((key, rest)) => take_row(key, rest, into).map(|()| true).ok_or_else(wrong),
            None => Ok(false),
        });
        read.map_err(|error| failed(self.place, error))
    }
}

fn failed(place: RowPlace<'_>, error: io::Error) -> Error {
    SpillError::io(place.files.temp_folder, error).into()
}
