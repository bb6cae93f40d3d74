//! Cleans cells in memory as the cells of a table in a file.

use std::borrow::Cow;

use super::cell::CellCleaner;
use super::status::CellStatus;
use crate::error::Error;
use crate::normalize::{Normalizer, Presentation};

/// Cleans the cells of a column in memory as [`CleanTable`](super::CleanTable) cleans the cells of a table in a file.
///
/// [`CleanTable::cleaner`](super::CleanTable::cleaner) makes it. A cell costs as much as [`Normalizer::read`]. Only
/// the counts of earlier cells are kept.
///
/// ```
/// use doisift::CleanTable;
/// use doisift::internal::CellStatus;
///
/// let mut cleaner = CleanTable::new().clean(true).cleaner()?;
/// assert_eq!(cleaner.clean(b"10.1111/x.12289/full"), CellStatus::Cleaned);
/// assert_eq!(cleaner.value().as_deref(), Some("10.1111/x.12289"));
/// assert_eq!(cleaner.reason(), Some("tail.page-word: '/full'"));
///
/// assert_eq!(cleaner.clean(b"n/a"), CellStatus::Refused);
/// assert_eq!(cleaner.value(), None);
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

    /// Cleans and counts a cell. Its text should be UTF-8.
    pub fn clean(&mut self, cell: &[u8]) -> CellStatus {
        self.cells.clean(cell)
    }

    /// Counts a row without a cell.
    pub fn missing(&mut self) -> CellStatus {
        self.cells.missing()
    }

    /// Returns the name of the last cell in the wanted form, or its names with the text between them. `None` if it has no name,
    /// or several without [`multiple`](super::CleanTable::multiple).
    pub fn value(&self) -> Option<Cow<'_, str>> {
        let value = &self.cells.value;
        (!value.is_empty()).then(|| String::from_utf8_lossy(value))
    }

    /// Returns the reason why the last cell was refused, or its changes: the rules that changed it, what was left out, or a word for
    /// another spelling, such as `case`. `None` if it is empty or was written as it is.
    pub fn reason(&self) -> Option<&str> {
        Some(&*self.cells.reason).filter(|reason| !reason.is_empty())
    }

    /// # Errors
    /// If the index of known names could not be read when it was asked.
    pub fn check(&self) -> Result<(), Error> {
        self.cells.check()
    }
}
