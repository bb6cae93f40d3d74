//! Items of tasks for the command and the bindings.

use std::ops::ControlFlow;

use doisift_system::EndingSignals;

pub use doisift_documents::Packing;
pub use doisift_documents::printable::Printable;
pub use doisift_known::IndexErrorKind;

pub use crate::check::document_name;
pub use crate::column::{CellStatus, ColumnCleaner};
pub use crate::keywords::Keywords;
pub use crate::normalize::{Normalized, Normalizer, Refusal, Repair};
pub use crate::options::{
    BadOption, OptionBuilder, OptionHelp, OptionKind, OptionSpec, OptionValue, Task,
};
pub use crate::task::{Ending, TaskReport};

use crate::check::CheckReport;
use crate::error::Error;
use crate::pipeline::Pipeline;
use crate::records::{Field, FieldValue, Row};
use crate::report::Report;
use crate::task::Monitor;

/// A row of counts.
pub struct CountValues<'r>(&'r dyn Row);

impl CountValues<'_> {
    /// Returns the value of the field with this name. `None` if rows have no such field.
    pub fn get(&self, field: &str) -> Option<FieldValue<'_>> {
        Field::named(field).map(|field| self.0.value(field))
    }
}

/// Like [`Pipeline::run`], but calls `each` with every row of counts, instead of writing rows.
///
/// # Errors
/// As [`Pipeline::for_each_record`].
pub fn for_each_count(
    pipeline: Pipeline,
    mut each: impl FnMut(&CountValues<'_>) -> ControlFlow<()> + Send,
) -> Result<Report, Error> {
    pipeline.for_each_count(|row| each(&CountValues(row)))
}

/// Sets the signals that cancel the run. The exit code in its report depends on them.
pub fn set_signals(monitor: &Monitor, signals: EndingSignals) {
    monitor.set_signals(signals);
}

/// Returns the ending of a command whose run was cancelled.
pub fn interrupted(monitor: &Monitor) -> Ending {
    monitor.interrupted()
}

/// Returns the number of names that the registry could not be asked for.
pub fn could_not_ask(report: &CheckReport) -> u64 {
    report.could_not_ask()
}
