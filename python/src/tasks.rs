//! Tasks whose rows go only to a file. They run to their end and return their report as JSON.

use std::ops::ControlFlow;
use std::path::PathBuf;

use doisift::{BuildIndex, Check, CleanTable, Diff, Error, Format, Merge, Monitor, Resolve};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::bug;
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
            let build = options::apply(BuildIndex::new(), name, options)?.monitor(&monitor);
            let build = paths.iter().fold(build, BuildIndex::input);
            finish(py, monitor, move || build.run())
        }
        "merge" => {
            let merge = options::apply(Merge::new(), name, options)?.monitor(&monitor);
            let merge = paths.iter().fold(merge, Merge::input);
            finish(py, monitor, move || merge.run())
        }
        "diff" => {
            let [old, new] = &*paths else {
                return Err(PyTypeError::new_err("diff compares two files"));
            };
            let diff = options::apply(Diff::between(old, new), name, options)?.monitor(&monitor);
            finish(py, monitor, move || diff.run())
        }
        _ => {
            let clean = options::apply(CleanTable::new(), name, options)?.monitor(&monitor);
            let clean = paths.iter().fold(clean, CleanTable::input);
            finish(py, monitor, move || clean.run())
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
    let check = options::apply(Check::new(), "check", options)?.monitor(&monitor);
    let check = paths.iter().fold(check, Check::input);
    finish(py, monitor, move || {
        let (mut rows, mut bytes, mut total) = (Vec::new(), 0, 0_u64);
        check.for_each_reference(|row| {
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
    let resolve = options::apply(Resolve::new(), "resolve", options)?.monitor(&monitor);
    let resolve = resolve.output(rows).format(Format::Jsonl);
    let resolve = names.iter().fold(resolve, Resolve::name);
    finish(py, monitor, move || resolve.run())
}

/// Runs a task and returns its result as JSON.
fn finish<R: serde::Serialize + Send + 'static>(
    py: Python<'_>,
    monitor: Monitor,
    run: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> PyResult<String> {
    let report = Running::start(monitor, run)?.finish(py, None)?;
    serde_json::to_string(&report).map_err(|_| bug())
}
