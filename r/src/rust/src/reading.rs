//! The reading of the cells of a vector in several calls, between which R can be interrupted.

use extendr_api::Robj;

use crate::cells::Cells;
use crate::{Answer, bug};

/// Cells that a call reads, in a tenth of a second or so.
const CELLS: usize = 1 << 18;

/// Takes one cell after the other.
pub(crate) trait CellReader {
    /// Takes the cell of a row, counted from 0; none for NA.
    fn take(&mut self, row: usize, cell: Option<&[u8]>);

    /// What was made of all cells.
    fn finish(self: Box<Self>) -> Answer<Robj>;
}

/// A vector that is read.
pub(crate) struct Reading {
    cells: Robj,
    row: usize,
    /// None after the end.
    reader: Option<Box<dyn CellReader>>,
}

impl Reading {
    pub(crate) fn new(cells: Robj, reader: impl CellReader + 'static) -> Reading {
        Reading {
            cells,
            row: 0,
            reader: Some(Box::new(reader)),
        }
    }

    /// Reads some cells. Returns whether these were the last.
    pub(crate) fn go_on(&mut self) -> Answer<bool> {
        let cells = Cells::of(&self.cells)?;
        let reader = self.reader.as_mut().ok_or_else(bug)?;
        let end = cells.len.min(self.row + CELLS);
        for row in self.row..end {
            reader.take(row, cells.get(row).as_deref());
        }
        self.row = end;
        Ok(end == cells.len)
    }

    /// What was made of the cells.
    pub(crate) fn finish(&mut self) -> Answer<Robj> {
        self.reader.take().ok_or_else(bug)?.finish()
    }
}
