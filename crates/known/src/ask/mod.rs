//! Questions about incomplete names, misspelt names, and many names.

mod join;
mod near;
mod starts;
mod walk;

pub use join::JoinedNames;
pub use near::{NearName, Typo};
pub use walk::SortedLookup;
