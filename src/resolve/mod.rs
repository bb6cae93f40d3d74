//! Asks the registry of DOI names for names from texts, lists, tables and files of records.
//!
//! `names` reads the names of all inputs, `ask` has `doisift-resolve` ask for them, and `rows` turns answers into rows. All names
//! are in memory before the first request: so an input that cannot be read ends the run before it costs requests, and the
//! remaining time is known.

mod ask;
mod names;
mod options;
mod report;
mod rows;
mod run;

pub use report::ResolveReport;

use options::{NameInput, QuestionOptions};

use crate::error::Error;
use crate::options::{HeaderOptions, OutputOptions, Registry, SelectionOptions};
use crate::remote::ObjectOptions;
use crate::task::Monitor;

/// Asks the registry of DOI names whether names are registered, for their addresses, and for their agencies.
///
/// A row is written for each text, in the order of the inputs. Its status is a name of a [`CheckVerdict`](crate::CheckVerdict):
/// - `known`: the name is registered. `url` is its address, if it has one. If it is an `alias` of another name, `url` is the address of
///   that name;
/// - `unknown_to_registry`: the registry does not know it;
/// - `could_not_ask`: several attempts failed, and `reason` says why. The name may be registered;
/// - `not_a_doi`: the text is not a DOI name, and is in `reason`. Nothing was asked.
///
/// Equal names are asked for once, and names that the [cache](Registry::cache) answers not at all. A run that is cancelled
/// or killed leaves its answers in the cache, so that the next run continues from there.
///
/// ```no_run
/// use doisift::{Registry, Resolve};
///
/// # fn main() -> Result<(), doisift::Error> {
/// let contact = Some("mailto:ann@example.org".to_owned());
/// let registry = Registry { contact, ..Registry::default() };
/// let report = Resolve::new().name("10.1000/1").input("list.txt").registry(registry).run()?;
/// println!("{} known, {} unknown", report.known, report.unknown);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Resolve {
    inputs: Vec<NameInput>,
    monitor: Monitor,
    questions: QuestionOptions,
    pub(crate) header: HeaderOptions,
    pub(crate) remote: ObjectOptions,
    pub(crate) registry: Registry,
    pub(crate) selection: SelectionOptions,
    pub(crate) output: OutputOptions,
}

task! {
    Resolve {
        questions: QuestionOptions,
        header: HeaderOptions,
        remote: ObjectOptions,
        registry: Registry => registry,
        selection: SelectionOptions,
        output: OutputOptions,
    }

    /// Adds a file, or `-` for standard input: a list with a name on each line, a table, or records or mentions in any format. It
    /// may be packed.
    input
}

impl Resolve {
    /// Adds a name in any presentation form.
    pub fn name(mut self, text: impl Into<String>) -> Self {
        self.inputs.push(NameInput::Text(text.into()));
        self
    }

    /// Reads all names, asks for them and writes a row for each.
    ///
    /// # Errors
    /// If an input cannot be read, is damaged or lacks the column, which is found before anything is asked; if the cache or an
    /// output cannot be used; or if the run is [cancelled](crate::Monitor::cancel). Then the outputs are as they were before, and
    /// the cache has the answers so far.
    pub fn run(self) -> Result<ResolveReport, Error> {
        run::run(&self.settings()?)
    }
}
