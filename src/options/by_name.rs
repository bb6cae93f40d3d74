//! Tasks as the command and the bindings see them: options by their names.

use std::path::PathBuf;

use super::reported::ReportedOptions;
use super::spec::OptionSpec;
use super::value::{BadOption, OptionValue};
use crate::error::Error;

/// A task whose options can be set by their names.
pub trait OptionTask: Sized {
    /// Returns all options of the task, by their groups.
    fn options() -> Vec<&'static OptionSpec>;

    /// Sets an option by its name.
    ///
    /// # Errors
    /// If there is no such option, or it cannot have this value.
    fn set(self, name: &str, value: OptionValue) -> Result<Self, BadOption>;

    /// Returns the options that a run would have, with all defaults filled in. Nothing is created or read.
    ///
    /// # Errors
    /// If options contradict each other, or cannot be used. A run fails with the same error.
    fn chosen(&self) -> Result<ChosenOptions, Error>;
}

/// The options that a run would have.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChosenOptions {
    /// The options as the report of the run would have them.
    pub reported: ReportedOptions,
    /// The folder for temporary files.
    pub tmp_dir: PathBuf,
}
