//! Runs a scan to its end.

use doisift::{Monitor, Pipeline, PipelineBuilder};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::exception;
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
    let builder = Pipeline::builder().measure(progress.is_some());
    let (pipeline, monitor) = build(py, builder, "scan", sources, options)?;
    let work = move || match writes {
        true => pipeline.run(),
        false => pipeline.run_without_output(),
    };
    let report = Running::start(monitor, work)?.finish(py, progress)?;
    Ok(Report::from(&report))
}

/// Builds a pipeline with these sources and the options of a function. Also returns its monitor.
///
/// # Errors
/// If an option is wrong.
pub(crate) fn build(
    py: Python<'_>,
    builder: PipelineBuilder,
    function: &str,
    sources: Vec<Item>,
    options: &Bound<'_, PyDict>,
) -> PyResult<(Pipeline, Monitor)> {
    logging::follow_level(py)?;
    let monitor = Monitor::new();
    let builder = options::apply(source::add(builder, sources, &monitor), function, options)?;
    let pipeline = builder.monitor(&monitor).build();
    Ok((pipeline.map_err(|error| exception(py, &error))?, monitor))
}
