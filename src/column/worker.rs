//! Cleans the rows of a batch.

use std::ops::Range;

use doisift_tables::{Row, RowCutter, shown_at};

use super::batch::{RowBuffer, RowDocument, RowShape};
use super::cell::CellCleaner;
use super::json::LineCleaner;
use super::lines;
use super::settings::CleanSettings;
use super::table::RowCleaner;
use crate::error::TableError;
use crate::normalize::Normalizer;

/// State of a thread that cleans rows.
pub(super) struct ColumnWorker {
    cells: CellCleaner,
    in_place: bool,
    max: usize,
}

impl ColumnWorker {
    pub(super) fn new(settings: &CleanSettings) -> Self {
        let normalizer = Normalizer::new()
            .strict(settings.names.strict)
            .clean(settings.names.clean)
            .arxiv(settings.arxiv)
            .known(settings.ends.clone());
        ColumnWorker {
            cells: CellCleaner::new(normalizer, settings.presentation, settings.columns.multiple),
            in_place: settings.columns.in_place,
            max: settings.sizes.max,
        }
    }

    pub(super) fn clean(&mut self, batch: &mut RowBuffer) {
        if let Some(table) = batch.table.clone().filter(|_| batch.failure.is_none()) {
            self.cells.code = table.code;
            match &table.shape {
                RowShape::Lines(end) => lines::clean(batch, *end, &mut self.cells, self.max),
                _ => self.rows(&table, batch),
            }
            convert(&table, batch);
        }
        batch.tally.take(&mut self.cells.tally);
        batch.tally.rows = batch.rows;
    }

    /// Cleans the rows of a table, and copies the bytes between them. Stops at a row that is too long.
    fn rows(&mut self, table: &RowDocument, batch: &mut RowBuffer) {
        let block = std::mem::take(&mut batch.bytes);
        let mut copied = batch.start;
        let mut cutter = RowCutter::of_block(table.reading(), batch.is_first, copied);
        while batch.failure.is_none()
            && let Some(row) = cutter.next_row(&block)
        {
            let Range { start, end } = row.range();
            batch.rows += 1;
            if batch.is_too_long(end - start, self.max) {
                break;
            }
            batch.out.extend_from_slice(&block[copied..start]);
            self.row(table, &block, &row, batch);
            copied = end;
        }
        batch.out.extend_from_slice(&block[copied..]);
        batch.bytes = block;
    }

    fn row(&mut self, table: &RowDocument, block: &[u8], row: &Row<'_>, batch: &mut RowBuffer) {
        let cells = &mut self.cells;
        match &table.shape {
            RowShape::Delimited(layout) => {
                cells.code = table.code.of_row(row.bytes());
                let in_place = self.in_place;
                RowCleaner {
                    layout,
                    in_place,
                    cells,
                }
                .clean(block, row, batch);
            }
            RowShape::JsonLines(members) | RowShape::JsonArray(members) => {
                LineCleaner { members, cells }.clean(row.bytes(), batch);
            }
            RowShape::Lines(_) => {}
        }
    }
}

/// Converts the output of `batch` to the encoding of the output file.
fn convert(table: &RowDocument, batch: &mut RowBuffer) {
    if !table.code.converts() || batch.failure.is_some() {
        return;
    }
    let text = String::from_utf8_lossy(&batch.out);
    let charset = table.code.out;
    let converted = charset.encode(&text).map(|bytes| bytes.into_owned());
    let failure = converted.as_ref().err().map(|&at| TableError::CannotHold {
        row: row_of(table, batch, text.as_bytes(), at),
        character: shown_at(&text, at),
        encoding: charset.name(),
    });
    batch.out = converted.unwrap_or_default();
    batch.failure = failure;
}

/// Returns the number of the row of `batch` that contains the byte at `at` of its output, or `None` for the header and rows above
/// it.
fn row_of(table: &RowDocument, batch: &RowBuffer, out: &[u8], at: usize) -> Option<u64> {
    let mut cutter = RowCutter::of_block(table.reading(), batch.is_first, 0);
    let mut after = 0;
    while let Some(row) = cutter.next_row(out) {
        after += u64::from(row.range().start > at);
    }
    // Rows before it may be missing, such as the header of a later table.
    let row = batch.rows.saturating_sub(after);
    (row > 0).then_some(row)
}
