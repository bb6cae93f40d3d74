//! What becomes of a cell.

/// What became of a cell, or of a line. The values of the added columns `…_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CellStatus {
    /// It holds nothing but white space.
    Empty,
    /// It is a name in the wanted form already.
    Unchanged,
    /// It is a name in another form.
    Normalized,
    /// The rules for dirty data changed the name.
    Cleaned,
    /// It holds several names, of which the rules for dirty data would cut all but one. No name is written for it.
    Several,
    /// It is no name.
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

    /// The word for it in a table.
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
