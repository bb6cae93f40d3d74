//! The names of the columns of tables that are read.

/// The columns that are read, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSelection {
    /// The columns whose texts are read; `None` if all are. Columns within a named column belong to it.
    pub columns: Option<Vec<String>>,
    /// The column that names rows.
    pub id: Option<String>,
    /// Whether a row of Parquet or Arrow is one text, the JSON of an object with all its columns. Not if columns are chosen.
    pub objects: bool,
}

impl ColumnSelection {
    /// Whether some columns are chosen, or one names rows.
    pub fn is_given(&self) -> bool {
        self.columns.is_some() || self.id.is_some()
    }

    /// Returns the names of all chosen columns, and of the one that names rows.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.columns.iter().flatten().chain(&self.id)
    }
}
