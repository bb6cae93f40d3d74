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
pub use crate::records::{CallerColumn, FieldSchema, FieldValue, Forms, RowSchema, row_schemas};
pub use crate::task::{Ending, REPORT_SCHEMA_VERSION, TaskReport};

use crate::check::{Check, CheckFormat, CheckReport, CheckVerdict};
use crate::error::Error;
use crate::lookup::Index;
use crate::pipeline::Scan;
use crate::records::Row;
use crate::report::ScanReport;
use crate::task::Monitor;

/// A row that a caller takes.
pub struct CallerRow<'r>(&'r dyn Row);

impl<'r> CallerRow<'r> {
    /// Returns the value of a column of [`columns`].
    pub fn get(&self, column: &CallerColumn) -> FieldValue<'r> {
        column.value(self.0)
    }
}

/// Like [`Scan::run`], but calls `each` with every row, of any kind, instead of writing rows. The calls come one after another,
/// from threads of the run. Side outputs are written.
///
/// # Errors
/// As [`Scan::for_each_mention`].
pub fn for_each_row(
    scan: Scan,
    mut each: impl FnMut(&CallerRow<'_>) -> ControlFlow<()> + Send,
) -> Result<ScanReport, Error> {
    scan.for_each_row(|row| each(&CallerRow(row)))
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

/// Returns the columns of the rows of a scan.
///
/// # Errors
/// If options contradict each other. A run fails with the same error.
pub fn columns(scan: &Scan) -> Result<Vec<CallerColumn>, Error> {
    Ok(scan.settings()?.selection.layout.caller_columns())
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
