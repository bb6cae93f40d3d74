//! Cleans columns of a delimited table. Copies all other bytes of a row.

use std::ops::Range;

use super::batch::{NoteKind, RowBuffer};
use super::cell::CellCleaner;
use super::code::Code;
use super::layout::TableLayout;
use super::status::CellStatus;
use crate::normalize;

/// Cleans the rows of a delimited table.
pub(super) struct RowCleaner<'a> {
    pub(super) layout: &'a TableLayout,
    pub(super) code: Code,
    pub(super) in_place: bool,
    /// Max bytes of a row.
    pub(super) max: usize,
    pub(super) cells: &'a mut CellCleaner,
    /// The wanted cells of the current row, in the order of the options.
    pub(super) cell_ranges: &'a mut Vec<Option<Range<usize>>>,
}

/// A row of a table.
struct TableRow {
    cells: usize,
    /// The end of its last cell, and the start of the next row.
    end: usize,
    next: usize,
}

impl RowCleaner<'_> {
    /// Cleans the rows of `batch`. Stops at one that is too long.
    pub(super) fn clean(&mut self, batch: &mut RowBuffer) {
        let bytes = std::mem::take(&mut batch.bytes);
        let mut at = batch.start;
        while at < bytes.len() {
            let row = self.row(&bytes, at);
            let is_blank = row.end == at;
            batch.rows += u64::from(!is_blank);
            if batch.is_too_long(row.end - at, self.max) {
                break;
            }
            if is_blank {
                batch.out.extend_from_slice(&bytes[at..row.next]);
            } else {
                self.cells.code = self.code.of_row(&bytes[at..row.next]);
                self.check_width(&row, batch);
                if self.in_place {
                    self.replace(&bytes, at, &row, batch)
                } else {
                    self.append(&bytes, at, &row, batch)
                }
            }
            at = row.next;
        }
        batch.bytes = bytes;
    }

    /// Finds the end and the wanted cells of the row at `at`.
    fn row(&mut self, bytes: &[u8], mut at: usize) -> TableRow {
        let TableLayout {
            dialect, columns, ..
        } = self.layout;
        self.cell_ranges.clear();
        self.cell_ranges.resize(columns.len(), None);
        let mut cells = 0;
        loop {
            let end = dialect.cell_end(bytes, at);
            let is_last = bytes.get(end) != Some(&dialect.delimiter);
            let content = if is_last {
                dialect.content_end(bytes, at, end)
            } else {
                end
            };
            for (found, column) in self.cell_ranges.iter_mut().zip(columns) {
                if *column == cells {
                    *found = Some(at..content);
                }
            }
            cells += 1;
            if is_last {
                let next = bytes.len().min(end + 1);
                return TableRow {
                    cells,
                    end: content,
                    next,
                };
            }
            at = end + 1;
        }
    }

    fn check_width(&mut self, row: &TableRow, batch: &mut RowBuffer) {
        if row.cells != self.layout.width {
            self.cells.tally.ragged += 1;
            batch.note(NoteKind::Ragged, || row.cells.to_string());
        }
    }

    /// Copies a row and adds new cells after its last one. First adds missing cells, so that the new ones are in their columns.
    fn append(&mut self, bytes: &[u8], start: usize, row: &TableRow, batch: &mut RowBuffer) {
        let TableLayout {
            dialect,
            width,
            quoted,
            ..
        } = *self.layout;
        batch.out.extend_from_slice(&bytes[start..row.end]);
        for _ in row.cells..width {
            batch.out.push(dialect.delimiter);
        }
        for column in 0..self.cell_ranges.len() {
            let status = self.cell(bytes, column, batch);
            for text in [
                &self.cells.value[..],
                status.name().as_bytes(),
                &self.cells.encoded_reason(),
            ] {
                batch.out.push(dialect.delimiter);
                dialect.write(text, quoted, &mut batch.out);
            }
        }
        batch.out.extend_from_slice(&bytes[row.end..row.next]);
    }

    /// Copies a row and replaces the names in the wanted cells. A refused cell stays as it is.
    fn replace(&mut self, bytes: &[u8], start: usize, row: &TableRow, batch: &mut RowBuffer) {
        let mut copied = start;
        let mut after = Some(0);
        while let Some((column, range)) = after.and_then(|after| self.next_cell(after)) {
            let status = self.cell(bytes, column, batch);
            if matches!(status, CellStatus::Normalized | CellStatus::Cleaned) {
                let quoted = self.layout.dialect.is_quoted(&bytes[range.clone()]);
                batch.out.extend_from_slice(&bytes[copied..range.start]);
                let value = &self.cells.value;
                self.layout.dialect.write(value, quoted, &mut batch.out);
                copied = range.end;
            }
            after = range.end.checked_add(1);
        }
        batch.out.extend_from_slice(&bytes[copied..row.next]);
    }

    /// Returns the first wanted cell that starts at `at` or later.
    fn next_cell(&self, at: usize) -> Option<(usize, Range<usize>)> {
        let cells = self.cell_ranges.iter().enumerate();
        let later = cells.filter_map(|(column, cell)| Some((column, cell.clone()?)));
        later
            .filter(|(_, cell)| cell.start >= at)
            .min_by_key(|(_, cell)| cell.start)
    }

    /// Cleans a cell of the current row.
    fn cell(&mut self, bytes: &[u8], column: usize, batch: &mut RowBuffer) -> CellStatus {
        let Some(range) = &self.cell_ranges[column] else {
            return self.cells.missing();
        };
        let text = self.layout.dialect.text(&bytes[range.clone()]);
        let status = self.cells.clean(&text);
        if let Some(what) = NoteKind::of(status) {
            let name = &self.layout.names[column];
            batch.note(what, || {
                let reason = normalize::quoted(&self.cells.decoded(&text), &self.cells.reason);
                format!("column {name}: {reason}")
            });
        }
        status
    }
}
