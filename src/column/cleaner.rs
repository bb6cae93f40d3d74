//! Cells that a program holds itself, cleaned as those of a table in a file.

use std::borrow::Cow;

use super::cell::CellCleaner;
use super::report::CellCounts;
use super::status::CellStatus;
use crate::error::Error;
use crate::normalize::{Normalizer, Presentation};

/// Cleans the cells of a column that is in memory as [`Normalize`](super::Normalize) cleans those of a table in a file.
///
/// [`NormalizeBuilder::cleaner`](super::NormalizeBuilder::cleaner) makes it. Each cell costs what
/// [`Normalizer::read`] costs; nothing is kept of earlier ones but their counts.
///
/// ```
/// use doisift::{CellStatus, Normalize};
///
/// let mut cleaner = Normalize::builder().clean(true).cleaner()?;
/// assert_eq!(cleaner.clean(b"10.1111/x.12289/full"), CellStatus::Cleaned);
/// assert_eq!(cleaner.value().as_deref(), Some("10.1111/x.12289"));
/// assert_eq!(cleaner.reason(), Some("tail.page-word: '/full'"));
///
/// assert_eq!(cleaner.clean(b"n/a"), CellStatus::Refused);
/// assert_eq!((cleaner.value(), cleaner.counts().get(CellStatus::Refused)), (None, 1));
/// # Ok::<(), doisift::Error>(())
/// ```
pub struct ColumnCleaner {
    cells: CellCleaner,
}

impl ColumnCleaner {
    pub(super) fn new(normalizer: Normalizer, presentation: Presentation, multiple: bool) -> Self {
        ColumnCleaner {
            cells: CellCleaner::new(normalizer, presentation, multiple),
        }
    }

    /// Cleans a cell, and counts it. Its text should be UTF-8.
    pub fn clean(&mut self, cell: &[u8]) -> CellStatus {
        self.cells.clean(cell)
    }

    /// Counts a row that has no cell.
    pub fn missing(&mut self) -> CellStatus {
        self.cells.missing()
    }

    /// The name of the last cell in the wanted form, or its names with what is between them; none if it holds none, or several
    /// that were not expected.
    pub fn value(&self) -> Option<Cow<'_, str>> {
        let value = &self.cells.value;
        (!value.is_empty()).then(|| String::from_utf8_lossy(value))
    }

    /// Why the last cell was refused, or what was cut from it; none if neither is so.
    pub fn reason(&self) -> Option<&str> {
        Some(&*self.cells.reason).filter(|reason| !reason.is_empty())
    }

    /// The cells so far, by what became of them.
    pub fn counts(&self) -> CellCounts {
        self.cells.tally.statuses
    }

    /// # Errors
    /// If the index of known names could not be read where it was asked.
    pub fn check(&self) -> Result<(), Error> {
        self.cells.check()
    }
}
