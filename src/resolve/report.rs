//! The counts of a run, and their JSON.

use std::path::PathBuf;

use crate::options::{OptionValue, OptionValues};
use crate::records::Format;
use crate::report::{Losses, format_name};
use crate::task::{Ending, TaskReport};

/// The counts and options of a run that asked a registry. Serialises to the object that `doisift resolve --report` writes.
///
/// `known`, `unknown`, `could_not_ask` and `refused` add up to `rows`.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ResolveReport {
    /// Version of doisift.
    pub version: &'static str,
    /// The options of the run.
    pub options: ResolveOptions,
    /// Rows that were written.
    pub rows: u64,
    /// Names that are registered.
    pub known: u64,
    /// Names that the registry does not know.
    pub unknown: u64,
    /// Names that the registry could not be asked for.
    pub could_not_ask: u64,
    /// Texts that are not DOI names.
    pub refused: u64,
    /// Names whose agency, or whose alias's target, could not be asked for.
    pub in_part: u64,
    /// Questions that the cache answered.
    pub cached: u64,
    /// Questions to a service.
    pub asked: u64,
    /// Errors that lost input.
    pub errors: Losses,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
}

impl TaskReport for ResolveReport {
    fn ending(&self) -> Ending {
        Ending::of_lost(self.could_not_ask + self.in_part + self.refused + self.errors.count)
    }
}

/// The options of a run that asks a registry.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ResolveOptions {
    /// The names and files as typed. Bytes that are not UTF-8 are written `\xNN`.
    pub inputs: Vec<String>,
    /// The file of the rows. `None` for standard output.
    pub output: Option<PathBuf>,
    /// Format of the rows.
    #[serde(serialize_with = "format_name")]
    pub format: Format,
    /// The fields of a row, in order.
    pub fields: Vec<&'static str>,
    /// All other options, by name.
    #[serde(flatten)]
    pub(super) given: OptionValues,
}

impl ResolveOptions {
    /// Returns the value of any other option, by the name of its setter.
    #[doc(hidden)]
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.given.get(name)
    }
}
