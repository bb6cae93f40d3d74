//! Questions about incomplete names, misspelt names, and many names.

mod join;
mod near;
mod starts;
mod walk;

pub use join::Join;
pub use near::{Near, Slip};
pub use walk::Walk;
