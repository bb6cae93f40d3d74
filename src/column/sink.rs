//! Writes batches in their order, and logs the notes on their rows.

use std::io::Write;
use std::sync::Arc;

use doisift_documents::printable;

use super::batch::{MAX_NOTES_PER_KIND, Note, NoteKind, RowBuffer, RowDocument, RowShape};
use super::report::CellTally;
use super::status::CellStatus;
use crate::error::{Cause, Error, TableError};
use crate::records::Output;

/// The output, with the counts of written rows.
pub(super) struct ColumnSink {
    pub(super) output: Output,
    pub(super) tally: CellTally,
    /// Rows of the current document that were written.
    rows: u64,
    /// Counts of notes on refused cells, on cells with several names, and on broken lines, logged or left out.
    refused: NoteCounts,
    several: NoteCounts,
    broken: NoteCounts,
    ragged: Option<RaggedRows>,
}

#[derive(Default)]
struct NoteCounts {
    written: u64,
    left_out: u64,
}

/// Rows of a table with more or fewer cells than the header.
struct RaggedRows {
    table: Arc<RowDocument>,
    count: u64,
    /// The number of the first such row, and its number of cells.
    first: u64,
    cells: String,
}

impl ColumnSink {
    pub(super) fn new(output: Output) -> Self {
        ColumnSink {
            output,
            tally: CellTally::default(),
            rows: 0,
            refused: NoteCounts::default(),
            several: NoteCounts::default(),
            broken: NoteCounts::default(),
            ragged: None,
        }
    }

    /// Writes the next batch.
    ///
    /// # Errors
    /// If the output fails, or the batch has a failure.
    pub(super) fn write(&mut self, batch: &mut RowBuffer) -> Result<(), Error> {
        self.output.write_all(&batch.out).map_err(Error::output)?;
        let Some(table) = &batch.table else {
            return Ok(());
        };
        if batch.is_first {
            self.end_table();
            self.rows = 0;
        }
        for note in &batch.notes {
            self.note(table, note);
        }
        if let Some(ragged) = &mut self.ragged {
            ragged.count += batch.tally.ragged;
        }
        if let Some(failure) = batch.failure.take() {
            return Err(failed(table, self.located(failure)));
        }
        self.rows += batch.rows;
        let noted = |what| batch.notes.iter().filter(|note| note.what == what).count() as u64;
        let statuses = batch.tally.statuses;
        self.refused.left_out += statuses.get(CellStatus::Refused) - noted(NoteKind::Refused);
        self.several.left_out += statuses.get(CellStatus::Several) - noted(NoteKind::Several);
        self.broken.left_out += batch.tally.broken - noted(NoteKind::Broken);
        self.tally.take(&mut batch.tally);
        Ok(())
    }

    /// Logs the number of notes that were left out, at the end of the run.
    pub(super) fn end(&mut self) {
        self.end_table();
        for (noted, what) in [
            (&self.refused, "cells were refused"),
            (
                &self.several,
                "cells hold several names and were not cleaned (--multiple reads each name)",
            ),
            (&self.broken, "rows are not JSON objects"),
        ] {
            if noted.left_out > 0 {
                log::warn!("{} more {what}", noted.left_out);
            }
        }
    }

    fn end_table(&mut self) {
        if let Some(ragged) = self.ragged.take()
            && let RowShape::Delimited(layout) = &ragged.table.shape
        {
            let (name, width) = (prefix(&ragged.table), layout.width);
            log::warn!(
                "{name}rows with more or fewer cells than the first row, which has {width}: {}; the first is row {} with {}",
                ragged.count,
                ragged.first,
                ragged.cells
            );
        }
    }

    fn note(&mut self, table: &Arc<RowDocument>, note: &Note) {
        let row = self.rows + note.row;
        let noted = match note.what {
            NoteKind::Ragged => {
                self.ragged.get_or_insert_with(|| RaggedRows {
                    table: Arc::clone(table),
                    count: 0,
                    first: row,
                    cells: note.message.clone(),
                });
                return;
            }
            NoteKind::Refused => &mut self.refused,
            NoteKind::Several => &mut self.several,
            NoteKind::Broken => &mut self.broken,
        };
        // All notes on lines, since only the note says why a line is empty.
        if noted.written < MAX_NOTES_PER_KIND as u64 || matches!(table.shape, RowShape::Lines(_)) {
            noted.written += 1;
            log::warn!(
                "{}{} {row}: {}",
                prefix(table),
                table.row_word(),
                note.message
            );
        } else {
            noted.left_out += 1;
        }
    }

    /// Converts the row of a failure to its number in the document.
    fn located(&self, failure: TableError) -> TableError {
        match failure {
            TableError::LongRow { row, max } => TableError::LongRow {
                row: self.rows + row,
                max,
            },
            TableError::CannotHold {
                row,
                character,
                encoding,
            } => TableError::CannotHold {
                row: row.map(|row| self.rows + row),
                character,
                encoding,
            },
            TableError::Taken { name, row } => TableError::Taken {
                name,
                row: row.map(|row| self.rows + row),
            },
            other => other,
        }
    }
}

/// Adds source and document to an error of a table.
pub(super) fn failed(table: &RowDocument, error: TableError) -> Error {
    let error = Error::new(Cause::Table(error)).in_source(Arc::clone(&table.source));
    error.in_document(table.document.clone())
}

/// Returns the names at the start of a message about a row. Standard input has none.
fn prefix(table: &RowDocument) -> String {
    let source = Some(&table.source).filter(|source| ***source != *"-");
    let names = [source, table.document.as_ref()].into_iter().flatten();
    names.map(|name| printable::name(name) + ": ").collect()
}
