//! The members of JSON objects that are cleaned.

use doisift_tables::MemberPath;

use super::layout::NewNames;

/// The wanted members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WantedMembers {
    pub(super) paths: Vec<MemberPath>,
    /// The members as the options name them.
    pub(super) given_names: Vec<String>,
    /// The names of the new members for each. `None` if the values are replaced.
    pub(super) new: Option<Vec<NewNames>>,
}

impl WantedMembers {
    pub(super) fn new(columns: &[String], new: Option<Vec<NewNames>>) -> Self {
        WantedMembers {
            paths: columns
                .iter()
                .map(|column| MemberPath::new(column))
                .collect(),
            given_names: columns.to_vec(),
            new,
        }
    }

    pub(super) fn new_names(&self) -> impl Iterator<Item = &String> {
        self.new.iter().flatten().flatten()
    }
}
