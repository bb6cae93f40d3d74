//! Reads the cells of a vector in several calls, so that R can be interrupted between them.

use extendr_api::Robj;

use crate::cells::Cells;
use crate::{Answer, bug};

/// Cells that one call reads, in about a tenth of a second.
const CELLS: usize = 1 << 18;

/// Takes cells one after the other and makes a result.
pub(crate) trait CellReader {
    /// Takes the cell of a row, counted from 0. `None` is NA.
    fn take(&mut self, row: usize, cell: Option<&[u8]>);

    /// Returns the result for all cells.
    fn finish(self: Box<Self>) -> Answer<Robj>;
}

/// A vector that is being read.
pub(crate) struct Reading {
    cells: Robj,
    row: usize,
    /// `None` after [`finish`](Self::finish).
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

    /// Reads the next cells. Returns whether these were the last.
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

    /// Returns the result for all cells.
    pub(crate) fn finish(&mut self) -> Answer<Robj> {
        self.reader.take().ok_or_else(bug)?.finish()
    }
}
