//! The status of a cleaned cell.

/// Result of cleaning a cell or line. The values of the new columns `…_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CellStatus {
    /// It has only white space.
    Empty,
    /// It is already a name in the wanted form.
    Unchanged,
    /// It is a name in another form.
    Normalized,
    /// The rules for dirty data changed the name.
    Cleaned,
    /// It has several names, of which the rules for dirty data would cut all but one. No name is written for it.
    Several,
    /// It is not a name.
    Refused,
}

impl CellStatus {
    /// Every status.
    pub const ALL: [CellStatus; 6] = [
        CellStatus::Empty,
        CellStatus::Unchanged,
        CellStatus::Normalized,
        CellStatus::Cleaned,
        CellStatus::Several,
        CellStatus::Refused,
    ];

    /// Returns the word in a table.
    pub fn name(self) -> &'static str {
        match self {
            CellStatus::Empty => "empty",
            CellStatus::Unchanged => "unchanged",
            CellStatus::Normalized => "normalized",
            CellStatus::Cleaned => "cleaned",
            CellStatus::Several => "several",
            CellStatus::Refused => "refused",
        }
    }
}
