//! The pipes of a command.

/// The pipes of a command that can be read without waiting. A closed pipe counts as ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadyPipes {
    /// Standard output.
    pub output: bool,
    /// Standard error.
    pub errors: bool,
}
