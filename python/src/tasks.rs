//! Tasks whose rows go only to a file. They run to their end and return their report as JSON.

use std::ops::ControlFlow;
use std::path::PathBuf;

use doisift::{Check, Error, Format, Indexing, Merge, Monitor, Normalize, Resolve};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::bug;
use crate::error::exception;
use crate::running::Running;
use crate::{logging, options};

/// Run the task `name` over `paths`. `options` has the command's options by name. Returns the report as JSON.
#[pyfunction]
pub(crate) fn run_task(
    py: Python<'_>,
    name: &str,
    paths: Vec<PathBuf>,
    options: &Bound<'_, PyDict>,
) -> PyResult<String> {
    logging::follow_level(py)?;
    let monitor = Monitor::new();
    match name {
        "index" => {
            let builder = options::apply(Indexing::builder(), name, options)?.monitor(&monitor);
            let builder = paths
                .iter()
                .fold(builder, |builder, path| builder.source(path));
            finish(py, monitor, builder.build(), Indexing::run)
        }
        "merge" => {
            let builder = options::apply(Merge::builder(), name, options)?.monitor(&monitor);
            let builder = paths
                .iter()
                .fold(builder, |builder, path| builder.input(path));
            finish(py, monitor, builder.build(), Merge::run)
        }
        _ => {
            let builder = options::apply(Normalize::builder(), name, options)?.monitor(&monitor);
            let builder = paths
                .iter()
                .fold(builder, |builder, path| builder.input(path));
            finish(py, monitor, builder.build(), Normalize::run)
        }
    }
}

/// Bytes of texts after which an answer keeps no more rows.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Check the references of `paths`. Returns a JSON array of the rows and their number. With `max_rows`, keeps at most this many
/// of the first rows, and none after 1 MiB of texts.
#[pyfunction]
pub(crate) fn check_rows(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &Bound<'_, PyDict>,
    max_rows: Option<usize>,
) -> PyResult<String> {
    logging::follow_level(py)?;
    let monitor = Monitor::new();
    let builder = options::apply(Check::builder(), "check", options)?.monitor(&monitor);
    let builder = paths
        .iter()
        .fold(builder, |builder, path| builder.source(path));
    finish(py, monitor, builder.build(), move |check: Check| {
        let (mut rows, mut bytes, mut total) = (Vec::new(), 0, 0_u64);
        check.for_each(|row| {
            total += 1;
            if max_rows.is_none_or(|max| rows.len() < max && bytes < MAX_ANSWER_BYTES) {
                bytes += row.text.as_ref().map_or(0, String::len);
                rows.push(row.clone());
            }
            ControlFlow::Continue(())
        })?;
        Ok((rows, total))
    })
}

/// Ask the registry for `names`, and write the rows to the file `rows` as JSON Lines. Returns the report as JSON.
#[pyfunction]
pub(crate) fn resolve_names(
    py: Python<'_>,
    names: Vec<String>,
    rows: PathBuf,
    options: &Bound<'_, PyDict>,
) -> PyResult<String> {
    logging::follow_level(py)?;
    let monitor = Monitor::new();
    let builder = options::apply(Resolve::builder(), "resolve", options)?.monitor(&monitor);
    let builder = builder.output(rows).format(Format::Jsonl);
    let builder = names
        .iter()
        .fold(builder, |builder, name| builder.name(name));
    finish(py, monitor, builder.build(), Resolve::run)
}

/// Runs a task and returns its result as JSON.
fn finish<T: Send + 'static, R: serde::Serialize + Send + 'static>(
    py: Python<'_>,
    monitor: Monitor,
    task: Result<T, Error>,
    run: impl FnOnce(T) -> Result<R, Error> + Send + 'static,
) -> PyResult<String> {
    let task = task.map_err(|error| exception(py, &error))?;
    let report = Running::start(monitor, move || run(task))?.finish(py, None)?;
    serde_json::to_string(&report).map_err(|_| bug())
}
