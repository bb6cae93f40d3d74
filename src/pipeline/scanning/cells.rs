//! Scans the cells of tables. Each cell is a text of its own, and each row is a document.
//!
//! The texts of a batch are searched for anchors together. Only cells with an anchor are scanned, each separately: a name never
//! continues in another cell, and no cell affects how another one is read.

use std::ops::Range;
use std::sync::Arc;

use doisift_core::Scanner;
use doisift_documents::{CellBatch, WarcRecord, write_row_name};

use crate::dedup::Document;
use crate::pipeline::plan::NamedSource;

/// Some rows of a table, each of which is a document.
pub(crate) struct TableRows {
    pub(crate) batch: CellBatch,
    pub(crate) source: NamedSource,
    /// The name of the table; `None` if the source is the table.
    pub(crate) table: Option<Arc<str>>,
    /// The ordinal of the table's first row as a document.
    pub(crate) ordinal: u64,
    pub(crate) capture: Option<Arc<WarcRecord>>,
}

/// The cells of a batch that may have names.
#[derive(Default)]
pub(crate) struct CandidateCells {
    /// The number of each cell, and its range of `starts`.
    pub(crate) cells: Vec<(usize, Range<usize>)>,
    /// Offsets within the texts of cells at which candidates may start.
    pub(crate) starts: Vec<usize>,
}

impl TableRows {
    /// Returns the cells that may have names, in the order of rows, then of columns.
    pub(crate) fn candidate_cells(&self, scanner: &Scanner) -> CandidateCells {
        let mut left = scanner.starts(self.batch.bytes()).peekable();
        let mut found = CandidateCells::default();
        for (number, cell) in self.batch.cells().iter().enumerate() {
            let (first, range) = (found.starts.len(), cell.range());
            while left.next_if(|&at| at < range.start).is_some() {}
            while let Some(at) = left.next_if(|&at| at < range.end) {
                found.starts.push(at - range.start);
            }
            if found.starts.len() > first {
                found.cells.push((number, first..found.starts.len()));
            }
        }
        found
    }

    /// Returns a row as a document. `name` is a buffer for reuse.
    pub(crate) fn document(&self, row: u32, name: &mut String) -> Document {
        name.clear();
        write_row_name(self.table.as_ref(), &self.batch, row, name);
        let ordinal = self.ordinal + self.batch.first_row + u64::from(row);
        Document {
            capture: self.capture.clone(),
            ..self.source.document(ordinal, Some(name.as_str().into()))
        }
    }
}
