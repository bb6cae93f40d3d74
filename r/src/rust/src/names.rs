//! Reads cells that are one name each.

use std::borrow::Cow;

use doisift::internal::{CellStatus, ColumnCleaner, Normalizer};
use doisift::{CleanTable, Presentation};
use extendr_api::prelude::*;

use crate::Answer;
use crate::frame::{Frame, Kind};
use crate::options::{self, worded};
use crate::reading::CellReader;
use crate::strings::Texts;

/// Normalizes each cell. Gives NA for a cell that is NA, not a name, or several names.
pub(crate) struct NameReader {
    normalizer: Normalizer,
    presentation: Presentation,
    names: Texts,
}

impl NameReader {
    pub(crate) fn new(given: &List) -> Answer<NameReader> {
        let clean = options::apply(CleanTable::new(), "clean_table", given)?;
        Ok(NameReader {
            normalizer: clean.normalizer().map_err(|error| worded(&error))?,
            presentation: clean.presentation(),
            names: Texts::default(),
        })
    }
}

impl CellReader for NameReader {
    fn take(&mut self, _: usize, cell: Option<&[u8]>) {
        let read = cell.and_then(|cell| self.normalizer.read(cell).ok());
        let name = read.as_ref().map(|read| self.presentation.of(&read.doi));
        self.names.push(name.as_deref());
    }

    fn finish(self: Box<Self>) -> Answer<Robj> {
        self.normalizer.check().map_err(|error| worded(&error))?;
        Ok(self.names.into_vector())
    }
}

/// Cleans each cell: gives the clean name, the status and the reason. NA counts as an empty cell.
pub(crate) struct CleanReader {
    cleaner: ColumnCleaner,
    frame: Frame,
}

impl CleanReader {
    pub(crate) fn new(given: &List) -> Answer<CleanReader> {
        let clean = CleanTable::new().clean(true);
        let clean = options::apply(clean, "clean_table", given)?;
        Ok(CleanReader {
            cleaner: clean.cleaner().map_err(|error| worded(&error))?,
            frame: Frame::new([
                ("doi", Kind::Text),
                ("status", Kind::Text),
                ("reason", Kind::Text),
            ]),
        })
    }
}

impl CellReader for CleanReader {
    fn take(&mut self, _: usize, cell: Option<&[u8]>) {
        let cleaner = &mut self.cleaner;
        let status = match cell {
            Some(cell) => cleaner.clean(cell),
            None => cleaner.missing(),
        };
        // Only these reasons may name options. The others quote text of the cell.
        let names_options = matches!(status, CellStatus::Refused | CellStatus::Several);
        let reason = cleaner.reason().map(|reason| match names_options {
            true => worded(reason).into(),
            false => Cow::Borrowed(reason),
        });
        self.frame.push([
            cleaner.value().as_deref().into(),
            status.name().into(),
            reason.as_deref().into(),
        ]);
    }

    fn finish(self: Box<Self>) -> Answer<Robj> {
        self.cleaner.check().map_err(|error| worded(&error))?;
        Ok(self.frame.into_list())
    }
}
