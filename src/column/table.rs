//! Cleans columns of a delimited table. Copies all other bytes of a row.

use std::ops::Range;

use doisift_tables::Row;

use super::batch::{NoteKind, RowBuffer};
use super::cell::CellCleaner;
use super::layout::TableLayout;
use super::status::CellStatus;
use crate::normalize;

/// Cleans the rows of a delimited table.
pub(super) struct RowCleaner<'a> {
    pub(super) layout: &'a TableLayout,
    pub(super) in_place: bool,
    pub(super) cells: &'a mut CellCleaner,
}

impl RowCleaner<'_> {
    /// Cleans a row of `block`, and writes it without its line end.
    pub(super) fn clean(&mut self, block: &[u8], row: &Row<'_>, batch: &mut RowBuffer) {
        let width = row.width();
        if width != self.layout.width {
            self.cells.tally.ragged += 1;
            batch.note(NoteKind::Ragged, || width.to_string());
        }
        match self.in_place {
            true => self.replace(block, row, batch),
            false => self.append(block, row, batch),
        }
    }

    /// Copies a row and adds new cells after its last one. First adds missing cells, so that the new ones are in their columns.
    fn append(&mut self, block: &[u8], row: &Row<'_>, batch: &mut RowBuffer) {
        let TableLayout {
            dialect,
            width,
            quoted,
            ..
        } = *self.layout;
        batch.out.extend_from_slice(row.bytes());
        for _ in row.width()..width {
            batch.out.push(dialect.delimiter);
        }
        for (column, number) in self.layout.columns.iter().enumerate() {
            let status = match row.cell_range(*number) {
                Some(range) => self.cell(&block[range], column, batch),
                None => self.cells.missing(),
            };
            for text in [
                &self.cells.value[..],
                status.name().as_bytes(),
                &self.cells.encoded_reason(),
            ] {
                batch.out.push(dialect.delimiter);
                dialect.write(text, quoted, &mut batch.out);
            }
        }
    }

    /// Copies a row and replaces the names in the wanted cells. A refused cell stays as it is.
    fn replace(&mut self, block: &[u8], row: &Row<'_>, batch: &mut RowBuffer) {
        let Range { start, end } = row.range();
        let mut copied = start;
        let columns = &self.layout.columns;
        for number in 0..row.width() {
            let column = columns.iter().position(|wanted| *wanted == number);
            let Some((column, range)) = column.zip(row.cell_range(number)) else {
                continue;
            };
            let status = self.cell(&block[range.clone()], column, batch);
            if matches!(status, CellStatus::Normalized | CellStatus::Cleaned) {
                let quoted = self.layout.dialect.is_quoted(&block[range.clone()]);
                batch.out.extend_from_slice(&block[copied..range.start]);
                let value = &self.cells.value;
                self.layout.dialect.write(value, quoted, &mut batch.out);
                copied = range.end;
            }
        }
        batch.out.extend_from_slice(&block[copied..end]);
    }

    /// Cleans a cell of the current row.
    fn cell(&mut self, cell: &[u8], column: usize, batch: &mut RowBuffer) -> CellStatus {
        let text = self.layout.dialect.text(cell);
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
