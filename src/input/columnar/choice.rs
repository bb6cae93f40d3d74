//! Which columns of a table are read.

/// The columns that are wanted, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ColumnChoice {
    /// The columns whose texts are read; none if all are. Those within a column belong to it.
    pub(crate) columns: Option<Vec<String>>,
    /// The column that names rows.
    pub(crate) id: Option<String>,
}

#[cfg(feature = "parquet")]
impl ColumnChoice {
    /// Whether the column with these names is wanted.
    pub(super) fn selects(&self, names: &[String]) -> bool {
        match &self.columns {
            Some(wanted) => wanted
                .iter()
                .any(|wanted| ColumnChoice::is_in(wanted, names)),
            None => true,
        }
    }

    /// Whether one of the names of a column is `wanted`, or is within the column that `wanted` names.
    pub(super) fn is_in(wanted: &str, names: &[String]) -> bool {
        names.iter().any(|name| {
            let rest = name.strip_prefix(wanted);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}
