//! The place of a cell in its row: the names of nested columns, and indices of lists.

use std::fmt::Write;

/// The path of a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnPath {
    parts: Vec<PathPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PathPart {
    Name(Box<str>),
    /// The index of an item in a list.
    Index,
}

impl ColumnPath {
    /// The column called `name` within this one.
    pub(super) fn child(&self, name: &str) -> ColumnPath {
        self.with_part(PathPart::Name(name.into()))
    }

    /// The items of this column.
    pub(super) fn item(&self) -> ColumnPath {
        self.with_part(PathPart::Index)
    }

    fn with_part(&self, part: PathPart) -> ColumnPath {
        let mut parts = self.parts.clone();
        parts.push(part);
        ColumnPath { parts }
    }

    /// The outermost name.
    pub(super) fn outermost_name(&self) -> &str {
        match self.parts.first() {
            Some(PathPart::Name(name)) => name,
            Some(PathPart::Index) | None => "",
        }
    }

    /// Whether it is within another column, or has several items.
    pub(super) fn is_nested(&self) -> bool {
        self.parts.len() > 1
    }

    /// The number of lists that enclose a cell.
    pub(super) fn list_count(&self) -> usize {
        let parts = self.parts.iter();
        parts.filter(|part| **part == PathPart::Index).count()
    }

    /// The name of the column, without indices: `references.doi`.
    pub(super) fn dotted(&self) -> String {
        self.written(&[], false)
    }

    /// The place of a cell, with indices from 0: `references[3].doi`.
    pub(crate) fn place(&self, indices: &[u32]) -> String {
        self.written(indices, true)
    }

    fn written(&self, indices: &[u32], shows: bool) -> String {
        let mut text = String::new();
        let mut indices = indices.iter();
        for part in &self.parts {
            match part {
                PathPart::Name(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                PathPart::Index if shows => {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "[{}]", indices.next().copied().unwrap_or_default());
                }
                PathPart::Index => {}
            }
        }
        text
    }

    /// The place of a cell as a JSON pointer: `/references/3/doi`.
    pub(crate) fn pointer(&self, indices: &[u32]) -> String {
        let mut text = String::new();
        let mut indices = indices.iter();
        for part in &self.parts {
            text.push('/');
            match part {
                PathPart::Name(name) => text.push_str(&name.replace('~', "~0").replace('/', "~1")),
                PathPart::Index => {
                    let _ = write!(text, "{}", indices.next().copied().unwrap_or_default());
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_indices_of_all_lists() {
        let path = ColumnPath::default().child("a/b").item().child("c").item();
        assert_eq!(path.list_count(), 2);
        assert_eq!(path.dotted(), "a/b.c");
        assert_eq!(path.place(&[3, 0]), "a/b[3].c[0]");
        assert_eq!(path.pointer(&[3, 0]), "/a~1b/3/c/0");
    }
}
