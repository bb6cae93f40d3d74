//! The names on the path to a place, one after another in one buffer.

use super::place::{BytePlace, Role, keep};
use super::table::Meaning;

/// The names of open levels. A level stores the start of its name.
#[derive(Default)]
pub(super) struct LevelNames {
    bytes: Vec<u8>,
}

impl LevelNames {
    /// Returns the start of the next name.
    pub(super) fn end(&self) -> usize {
        self.bytes.len()
    }

    /// Removes all names from `start` on.
    pub(super) fn cut(&mut self, start: usize) {
        self.bytes.truncate(start);
    }

    /// Adds a piece to the name that starts at `start`.
    pub(super) fn add(&mut self, start: usize, piece: &[u8]) {
        keep(&mut self.bytes, start, piece);
    }

    /// Returns the name from `start` to `end`.
    pub(super) fn name(&self, start: usize, end: usize) -> &[u8] {
        &self.bytes[start..end]
    }

    /// Returns the last name, which starts at `start`.
    pub(super) fn last(&self, start: usize) -> &[u8] {
        &self.bytes[start..]
    }
}

/// Appends a name to a path. Invalid UTF-8 is replaced.
pub(super) fn push(name: &[u8], path: &mut String) {
    match std::str::from_utf8(name) {
        Ok(name) => path.push_str(name),
        Err(_) => path.push_str(&String::from_utf8_lossy(name)),
    }
}

/// Returns the place of a text with a meaning. `reference` is the index of the reference around it. `is_related` is set if that
/// is a related item, which may turn out not to be a reference.
pub(super) fn place(meaning: Meaning, reference: Option<u64>, is_related: bool) -> BytePlace {
    let (mut role, mut asserted, mut id) = (Role::Other, true, None);
    match meaning {
        Meaning::Id(rank) | Meaning::Found(rank) => (role, id) = (Role::Own, Some(rank)),
        Meaning::Own => role = Role::Own,
        Meaning::Cites => role = Role::Reference,
        Meaning::Linked => {}
        Meaning::Cited if reference.is_some() => role = Role::Reference,
        Meaning::Cited => {}
        Meaning::Aside => asserted = false,
        _ => {
            asserted = false;
            if reference.is_some() {
                role = Role::Reference;
            }
        }
    }
    BytePlace {
        role,
        asserted,
        reference,
        id,
        is_related,
    }
}
