//! Cleans the rows of a batch.

use std::ops::Range;

use super::batch::{Batch, Shape};
use super::cell::CellCleaner;
use super::json::LineCleaner;
use super::lines;
use super::settings::NormalizeSettings;
use super::table::RowCleaner;
use crate::normalize::Normalizer;

/// What one thread needs to clean rows.
pub(super) struct Worker {
    cells: CellCleaner,
    found: Vec<Option<Range<usize>>>,
    in_place: bool,
    most: usize,
}

impl Worker {
    pub(super) fn new(settings: &NormalizeSettings) -> Self {
        let normalizer = Normalizer::new()
            .strict(settings.strict)
            .clean(settings.clean);
        Worker {
            cells: CellCleaner::new(normalizer, settings.presentation, settings.multiple),
            found: Vec::new(),
            in_place: settings.in_place,
            most: settings.max_row,
        }
    }

    pub(super) fn clean(&mut self, batch: &mut Batch) {
        if let Some(table) = batch.table.clone().filter(|_| batch.failure.is_none()) {
            match &table.shape {
                Shape::Delimited(layout) => RowCleaner {
                    layout,
                    in_place: self.in_place,
                    cells: &mut self.cells,
                    found: &mut self.found,
                }
                .clean(batch),
                Shape::JsonLines(members) => LineCleaner {
                    members,
                    cells: &mut self.cells,
                }
                .clean(batch),
                Shape::Lines => lines::clean(batch, &mut self.cells, self.most),
            }
        }
        batch.tally.take(&mut self.cells.tally);
    }
}
