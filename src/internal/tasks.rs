//! Items of tasks for the command and the bindings.

use std::ops::ControlFlow;
use std::sync::Arc;

use doisift_system::EndingSignals;

pub use doisift_documents::Packing;
pub use doisift_documents::printable::Printable;
pub use doisift_known::{Index as KnownNames, IndexError, IndexErrorKind, Notice};

pub use crate::check::document_name;
pub use crate::column::{CellStatus, ColumnCleaner};
pub use crate::keywords::Keywords;
pub use crate::normalize::{Normalized, Normalizer, Refusal, Repair};
pub use crate::options::{
    BadOption, ChosenOptions, OptionHelp, OptionKind, OptionSpec, OptionTask, OptionValue,
    ReportedOptions, Task,
};
pub use crate::records::{FieldValue, Forms};
pub use crate::task::{Ending, TaskReport};

use crate::check::{Check, CheckFormat, CheckReport, CheckVerdict};
use crate::error::Error;
use crate::lookup::Index;
use crate::pipeline::Scan;
use crate::records::{Field, Record, Row};
use crate::report::ScanReport;
use crate::task::Monitor;

/// A row of counts.
pub struct CountValues<'r>(&'r dyn Row);

impl CountValues<'_> {
    /// Returns the value of the field with this name. `None` if rows have no such field.
    pub fn get(&self, field: &str) -> Option<FieldValue<'_>> {
        Field::named(field).map(|field| self.0.value(field))
    }
}

/// Like [`Scan::run`], but calls `each` with every row of counts, instead of writing rows.
///
/// # Errors
/// As [`Scan::for_each_record`].
pub fn for_each_count(
    scan: Scan,
    mut each: impl FnMut(&CountValues<'_>) -> ControlFlow<()> + Send,
) -> Result<ScanReport, Error> {
    scan.for_each_count(|row| each(&CountValues(row)))
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

/// Returns the names of the fields that rows of a scan have.
///
/// # Errors
/// If options contradict each other. A run fails with the same error.
pub fn field_names(scan: &Scan) -> Result<Vec<&'static str>, Error> {
    let fields = &scan.settings()?.selection.layout.fields;
    Ok(fields.iter().map(|field| field.name()).collect())
}

/// Returns the format of the rows, and the verdicts that are findings, if a row is
/// [open](crate::CheckedReference::is_open).
///
/// # Errors
/// If options contradict each other. A run fails with the same error.
pub fn check_display(check: &Check) -> Result<(CheckFormat, Vec<CheckVerdict>), Error> {
    check.display()
}

/// Returns the index with these names, for scanners.
pub fn index_of(names: KnownNames) -> Index {
    Index::of(Arc::new(names))
}

/// Returns the forms of a record as a set.
pub fn forms_of(record: &Record<'_>) -> Forms {
    record.forms
}
