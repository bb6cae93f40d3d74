//! Cleans the rows of a batch.

use std::ops::Range;

use doisift_tables::{ElementSplitter, shown_at};

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
    cell_ranges: Vec<Option<Range<usize>>>,
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
            cell_ranges: Vec::new(),
            in_place: settings.columns.in_place,
            max: settings.max_row,
        }
    }

    pub(super) fn clean(&mut self, batch: &mut RowBuffer) {
        if let Some(table) = batch.table.clone().filter(|_| batch.failure.is_none()) {
            self.cells.code = table.code;
            match &table.shape {
                RowShape::Delimited(layout) => RowCleaner {
                    layout,
                    code: table.code,
                    in_place: self.in_place,
                    max: self.max,
                    cells: &mut self.cells,
                    cell_ranges: &mut self.cell_ranges,
                }
                .clean(batch),
                RowShape::JsonLines(members) => LineCleaner {
                    members,
                    max: self.max,
                    cells: &mut self.cells,
                }
                .clean(batch),
                RowShape::JsonArray(members) => LineCleaner {
                    members,
                    max: self.max,
                    cells: &mut self.cells,
                }
                .clean_elements(batch),
                RowShape::Lines(end) => lines::clean(batch, *end, &mut self.cells, self.max),
            }
            convert(&table, batch);
        }
        batch.tally.take(&mut self.cells.tally);
        batch.tally.rows = batch.rows;
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
    if let RowShape::JsonArray(_) = table.shape {
        let mut elements = ElementSplitter::of(batch.is_first);
        let ends = std::iter::from_fn(|| elements.next_end(out));
        return Some(ends.take_while(|end| *end <= at).count() as u64 + 1);
    }
    // Rows before it may be missing, such as the header of a later table.
    let row = batch.rows.saturating_sub(rows_after(table, out, at));
    (row > 0).then_some(row)
}

/// Returns the number of rows of `bytes` after the row that contains `at`.
fn rows_after(table: &RowDocument, bytes: &[u8], at: usize) -> u64 {
    let dialect = table.reading().dialect();
    let (mut rows, mut end) = (0, 0);
    while end < bytes.len() {
        let row = end..end + dialect.first_row(&bytes[end..]).1;
        rows += u64::from(end > at && !table.is_blank(&bytes[row.clone()]));
        end = row.end;
    }
    rows
}
