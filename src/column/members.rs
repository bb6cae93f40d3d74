//! The members of JSON objects that are cleaned.

use super::layout::NewNames;

/// The wanted members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WantedMembers {
    /// Each member as its keys from the outermost object on.
    pub(super) paths: Vec<Vec<String>>,
    /// The members as the options name them.
    pub(super) given_names: Vec<String>,
    /// The names of the new members for each. `None` if the values are replaced.
    pub(super) new: Option<Vec<NewNames>>,
}

impl WantedMembers {
    /// Splits `column` into keys: the name of a member, or a JSON pointer (RFC 6901) if it starts with `/`.
    pub(super) fn path(column: &str) -> Vec<String> {
        let key = |part: &str| part.replace("~1", "/").replace("~0", "~");
        match column.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(key).collect(),
            None => vec![column.to_owned()],
        }
    }

    pub(super) fn new(columns: &[String], new: Option<Vec<NewNames>>) -> Self {
        WantedMembers {
            paths: columns
                .iter()
                .map(|column| WantedMembers::path(column))
                .collect(),
            given_names: columns.to_vec(),
            new,
        }
    }

    pub(super) fn new_names(&self) -> impl Iterator<Item = &String> {
        self.new.iter().flatten().flatten()
    }
}
