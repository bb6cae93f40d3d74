//! Questions about incomplete names, misspelt names, and many names.

mod join;
mod near;
mod sorted;
mod starts;

pub use join::JoinedNames;
pub use near::{NearName, Typo};
pub use sorted::SortedLookup;
