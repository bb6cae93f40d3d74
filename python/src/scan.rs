//! Runs a scan to its end.

use doisift::{Monitor, Scan};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::report::Report;
use crate::running::Running;
use crate::source::{self, Item};
use crate::{logging, options};

/// Run a scan. `options` has the command's options by name. Without the option `output`, no rows are written.
#[pyfunction]
pub(crate) fn scan(
    py: Python<'_>,
    sources: Vec<Item>,
    options: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let writes = options
        .get_item("output")?
        .is_some_and(|output| !output.is_none());
    let scan = Scan::new().measure(progress.is_some());
    let (scan, monitor) = with_options(py, scan, "scan", sources, options)?;
    let work = move || match writes {
        true => scan.run(),
        false => scan.run_without_output(),
    };
    let report = Running::start(monitor, work)?.finish(py, progress)?;
    Ok(Report::from(&report))
}

/// Adds sources and the options of a function to a scan. Also returns its monitor.
///
/// # Errors
/// If an option is wrong.
pub(crate) fn with_options(
    py: Python<'_>,
    scan: Scan,
    function: &str,
    sources: Vec<Item>,
    options: &Bound<'_, PyDict>,
) -> PyResult<(Scan, Monitor)> {
    logging::follow_level(py)?;
    let monitor = Monitor::new();
    let scan = options::apply(source::add(scan, sources, &monitor), function, options)?;
    Ok((scan.monitor(&monitor), monitor))
}
