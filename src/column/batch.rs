//! Batches of whole rows, with the results of cleaning them.

use std::sync::Arc;

use doisift_tables::TableReading;

use super::code::Code;
use super::layout::TableLayout;
use super::members::WantedMembers;
use super::report::CellTally;
use super::status::CellStatus;
use crate::error::TableError;

/// Layout of the rows of a document.
pub(super) enum RowShape {
    Delimited(TableLayout),
    JsonLines(WantedMembers),
    JsonArray(WantedMembers),
    Lines(u8),
}

/// The document of the rows.
pub(super) struct RowDocument {
    pub(super) source: Arc<str>,
    pub(super) document: Option<Arc<str>>,
    pub(super) code: Code,
    pub(super) shape: RowShape,
}

impl RowDocument {
    /// Returns the word for a row in messages.
    pub(super) fn row_word(&self) -> &'static str {
        match self.shape {
            RowShape::Lines(_) => "line",
            RowShape::Delimited(_) | RowShape::JsonLines(_) | RowShape::JsonArray(_) => "row",
        }
    }

    pub(super) fn reading(&self) -> TableReading {
        match &self.shape {
            RowShape::Delimited(layout) => TableReading::Delimited(layout.dialect),
            RowShape::JsonLines(_) => TableReading::JsonLines,
            RowShape::JsonArray(_) => TableReading::JsonArray,
            RowShape::Lines(row_end) => TableReading::Lines(*row_end),
        }
    }
}

/// Rows of a document, in a reusable buffer.
#[derive(Default)]
pub(super) struct RowBuffer {
    pub(super) table: Option<Arc<RowDocument>>,
    /// Whole rows.
    pub(super) bytes: Vec<u8>,
    /// Offset of the first row to clean, after the header.
    pub(super) start: usize,
    /// Whether it is the first batch of the document.
    pub(super) is_first: bool,
    /// Whether it replaces a single line that was too long to be held.
    pub(super) too_long: bool,
    /// The bytes to write.
    pub(super) out: Vec<u8>,
    /// Number of rows, without the header, the rows above it, and blank ones.
    pub(super) rows: u64,
    pub(super) notes: Vec<Note>,
    pub(super) tally: CellTally,
    /// The error that ends the run.
    pub(super) failure: Option<TableError>,
}

/// Something to report about a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Note {
    /// The number of the row in its batch, from 1.
    pub(super) row: u64,
    pub(super) what: NoteKind,
    pub(super) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoteKind {
    Refused,
    Several,
    Broken,
    Ragged,
}

impl NoteKind {
    /// Returns the kind of note for a cell with this status.
    pub(super) fn of(status: CellStatus) -> Option<Self> {
        match status {
            CellStatus::Refused => Some(NoteKind::Refused),
            CellStatus::Several => Some(NoteKind::Several),
            _ => None,
        }
    }
}

/// Max notes of a kind in a batch of a table. All notes on lines are kept.
pub(super) const MAX_NOTES_PER_KIND: usize = 10;

/// Max capacity of a buffer that is kept for other rows.
const RETAINED_BYTES: usize = 4 << 20;

impl RowBuffer {
    /// Whether the current row, of this many bytes, is longer than `max`. If so, sets the failure.
    pub(super) fn is_too_long(&mut self, bytes: usize, max: usize) -> bool {
        let is_too_long = bytes > max;
        if is_too_long {
            let row = self.rows;
            self.failure = Some(TableError::LongRow { row, max });
        }
        is_too_long
    }

    /// Empties it for other rows.
    pub(super) fn clear(&mut self) {
        for buffer in [&mut self.bytes, &mut self.out] {
            buffer.clear();
            buffer.shrink_to(RETAINED_BYTES);
        }
        self.table = None;
        self.start = 0;
        (self.is_first, self.too_long) = (false, false);
        self.rows = 0;
        self.notes.clear();
    }

    /// Adds a note on the current row, if there are not many of its kind yet.
    pub(super) fn note(&mut self, what: NoteKind, message: impl FnOnce() -> String) {
        let alike = self.notes.iter().filter(|note| note.what == what).count();
        if alike < MAX_NOTES_PER_KIND {
            self.notes.push(Note {
                row: self.rows,
                what,
                message: message(),
            });
        }
    }
}
