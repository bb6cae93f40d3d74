//! Sets the options of a run from arguments of Python. The library has their names and types.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use doisift::internal::{BadOption, Keywords, OptionKind, OptionSpec, OptionTask, OptionValue};
use doisift::{BuildIndex, Check, CleanTable, Diff, Merge, Resolve, Scan};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// List the options of a function of the package: the name of each, its group, the form of its values (`flag`, `number`, `list`,
/// `settings` or `text`), and its help.
#[pyfunction]
pub(crate) fn options(function: &str) -> Vec<(&'static str, &'static str, &'static str, String)> {
    let options = match function {
        "check" => Check::options(),
        "index" => BuildIndex::options(),
        "merge" => Merge::options(),
        "diff" => Diff::options(),
        "clean_table" => CleanTable::options(),
        "resolve" => Resolve::options(),
        _ => Scan::options(),
    };
    let row = |spec: &OptionSpec| (spec.name, spec.heading, form(spec), spec.summary());
    let own = options.into_iter().filter(|spec| spec.is_of(function));
    own.map(row).collect()
}

fn form(spec: &OptionSpec) -> &'static str {
    match spec.kind {
        OptionKind::Flag => "flag",
        OptionKind::Number | OptionKind::Size => "number",
        OptionKind::Texts | OptionKind::Items | OptionKind::List => "list",
        OptionKind::Settings => "settings",
        _ => "text",
    }
}

/// Sets all options that are not `None`.
///
/// # Errors
/// If `function` has no such option, or a value has the wrong type or is not allowed. Options that contradict
/// each other are found when the task runs.
pub(crate) fn apply<T: OptionTask>(
    mut task: T,
    function: &str,
    options: &Bound<'_, PyDict>,
) -> PyResult<T> {
    let specs = T::options();
    for (name, given) in options {
        let name: String = name.extract()?;
        if given.is_none() {
            continue;
        }
        let named = |error| named(given.py(), &name, error);
        let own = |spec: &&&OptionSpec| spec.name == name && spec.is_of(function);
        let spec = specs
            .iter()
            .find(own)
            .ok_or_else(|| named(exception(BadOption::Unknown)))?;
        let value = value(spec, &given).map_err(named)?;
        let set = task.set(&name, value).map_err(exception);
        task = set.map_err(named)?;
    }
    Ok(task)
}

/// Adds the name of the option to an error.
fn named(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let message = format!("{name}: {}", error.value(py));
    match error.is_instance_of::<PyTypeError>(py) {
        true => PyTypeError::new_err(message),
        false => PyValueError::new_err(message),
    }
}

fn exception(error: BadOption) -> PyErr {
    match error {
        BadOption::Value(why) => PyValueError::new_err(Keywords::Python.word(&why)),
        _ => PyTypeError::new_err(error.to_string()),
    }
}

/// Converts a value of Python to a value of the option.
fn value(spec: &OptionSpec, given: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    Ok(match spec.kind {
        OptionKind::Flag => OptionValue::Flag(given.extract()?),
        OptionKind::Number => number(given)?,
        OptionKind::Size => number(given).or_else(|error| text(given).map_err(|_| error))?,
        OptionKind::Path | OptionKind::Folder | OptionKind::Command => {
            OptionValue::Text(given.extract::<PathBuf>()?.into())
        }
        OptionKind::Pair => pair(given)?,
        OptionKind::Part => pair(given).or_else(|_| text(given))?,
        OptionKind::Texts | OptionKind::Items => text(given).or_else(|_| texts(given))?,
        OptionKind::Settings => {
            let settings = given.extract::<BTreeMap<String, String>>()?;
            OptionValue::Settings(settings.into_iter().collect())
        }
        OptionKind::List => {
            let list = given.extract::<Vec<String>>()?;
            OptionValue::List(list.into_iter().map(OsString::from).collect())
        }
        _ => text(given)?,
    })
}

fn number(given: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    given.extract().map(OptionValue::Number)
}

fn text(given: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    Ok(OptionValue::Text(given.extract::<String>()?.into()))
}

fn texts(given: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    let texts = given.try_iter()?;
    let texts = texts.map(|text| Ok(text?.extract::<String>()?.into()));
    texts.collect::<PyResult<_>>().map(OptionValue::List)
}

fn pair(given: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    let (first, second) = given.extract()?;
    Ok(OptionValue::Pair(first, second))
}
