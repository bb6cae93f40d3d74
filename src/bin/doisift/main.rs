//! The doisift command.
fn main() {}
