//! The names of a column.

use super::path::ColumnPath;

/// The path of a column, and its names in the schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnName {
    pub(super) path: ColumnPath,
    /// The names of all nodes of the schema that lead to it, with full stops between them.
    in_schema: String,
}

impl ColumnName {
    /// The node called `name` within this one. `is_item` says that its name has no meaning and is not in the path.
    pub(super) fn child(&self, name: &str, is_item: bool) -> ColumnName {
        let separator = if self.in_schema.is_empty() { "" } else { "." };
        ColumnName {
            path: if is_item {
                self.path.clone()
            } else {
                self.path.child(name)
            },
            in_schema: format!("{}{separator}{name}", self.in_schema),
        }
    }

    /// Sets the names in the schema to those of another schema of the same column.
    #[cfg(feature = "columnar")]
    pub(super) fn set_schema_name(&mut self, name: String) {
        self.in_schema = name;
    }

    /// Bytes of all names in the schema.
    #[cfg(feature = "columnar")]
    pub(super) fn schema_name_length(&self) -> usize {
        self.in_schema.len()
    }

    /// The names by which it can be chosen.
    pub(super) fn choice_names(&self) -> [String; 2] {
        [self.path.dotted(), self.in_schema.clone()]
    }
}
