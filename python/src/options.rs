//! Arguments of Python as options of a run. Python names each as the command does.

use std::ops::Range;
use std::path::PathBuf;

use doisift::{Format, OnError, PipelineBuilder, RecordId, Separator, Shard};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::text::text_kind;

/// Sets all options that are not `None`.
///
/// # Errors
/// If a value has the wrong type, or is none of those that the option can have. Those that contradict each other are found
/// when the pipeline is built.
pub(crate) fn apply(
    mut builder: PipelineBuilder,
    options: &Bound<'_, PyDict>,
) -> PyResult<PipelineBuilder> {
    let separator = match flag(options, "nul")? {
        true => Separator::Nul,
        false => Separator::Line,
    };
    for (name, value) in options {
        let name: String = name.extract()?;
        if value.is_none() || name == "nul" {
            continue;
        }
        let set = match name.as_str() {
            "files_from" => Ok(builder.list(value.extract::<PathBuf>()?, separator)),
            "include" | "exclude" | "pre_glob" | "prefix" | "exclude_prefix" => {
                list(builder, &name, &value)
            }
            _ => one(builder, &name, &value),
        };
        builder = set.map_err(|error| named(value.py(), &name, error))?;
    }
    Ok(builder)
}

fn flag(options: &Bound<'_, PyDict>, name: &str) -> PyResult<bool> {
    let value = options.get_item(name)?.filter(|value| !value.is_none());
    value.map_or(Ok(false), |value| value.extract())
}

/// The error of an option, with the name of that.
fn named(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let message = format!("{name}: {}", error.value(py));
    match error.is_instance_of::<PyTypeError>(py) {
        true => PyTypeError::new_err(message),
        false => PyValueError::new_err(message),
    }
}

/// An option with several values.
fn list(
    builder: PipelineBuilder,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<PipelineBuilder> {
    let add = match name {
        "include" => PipelineBuilder::include,
        "exclude" => PipelineBuilder::exclude,
        "pre_glob" => PipelineBuilder::pre_glob,
        "prefix" => PipelineBuilder::prefix,
        _ => PipelineBuilder::exclude_prefix,
    };
    let values: Vec<String> = match value.extract::<String>() {
        Ok(one) => vec![one],
        Err(_) => value
            .try_iter()?
            .map(|of| of?.extract())
            .collect::<PyResult<_>>()?,
    };
    Ok(values.into_iter().fold(builder, add))
}

/// An option with one value.
#[rustfmt::skip]
fn one(builder: PipelineBuilder, name: &str, value: &Bound<'_, PyAny>) -> PyResult<PipelineBuilder> {
    Ok(match name {
        "output" => builder.output(value.extract::<PathBuf>()?),
        "format" => builder.format(parsed::<Format>(value)?),
        "mentions" => builder.mentions(value.extract()?),
        "pairs" => builder.pairs(value.extract()?),
        "edges" => builder.edges(value.extract()?),
        "record_id" => builder.record_id(parsed::<RecordId>(value)?),
        "count" => builder.count(value.extract()?),
        "top_prefixes" => builder.top_prefixes(at_least_one(value)?),
        "fields" => builder.fields(value.extract::<Vec<String>>()?),
        "context" => builder.context(value.extract()?),
        "source_name" => builder.source_name(value.extract::<String>()?),
        "lines" => builder.lines(value.extract()?),
        "input_kind" => match text_kind(&value.extract::<String>()?)? {
            Some(kind) => builder.text_kind(kind),
            None => builder,
        },
        "columns" => builder.columns(value.extract::<Vec<String>>()?),
        "id_column" => builder.id_column(value.extract::<String>()?),
        "follow" => builder.follow_links(value.extract()?),
        "pre" => builder.pre(value.extract::<PathBuf>()?),
        "shard" => builder.shard(shard(value)?),
        "range" => builder.range(range(value)?),
        "threads" => builder.threads(at_least_one(value)?),
        "memory" => builder.memory(value.extract()?),
        "on_error" => builder.on_error(on_error(&value.extract::<String>()?)?),
        "max_expansion" => builder.max_expansion(value.extract()?),
        "max_window" => builder.max_window(value.extract()?),
        "max_depth" => builder.max_depth(value.extract()?),
        "max_members" => builder.max_members(value.extract()?),
        "tmp_dir" => builder.tmp_dir(folder(value)?),
        "checkpoint" => builder.checkpoint(value.extract::<PathBuf>()?),
        "report" => builder.report(value.extract::<PathBuf>()?),
        _ => return Err(PyTypeError::new_err("there is no such option")),
    })
}

/// The value that a text names.
fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let parsed = value.extract::<String>()?.parse();
    parsed.map_err(|error: T::Err| PyValueError::new_err(error.to_string()))
}

fn at_least_one(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    match value.extract()? {
        0 => Err(PyValueError::new_err("at least 1 is needed")),
        number => Ok(number),
    }
}

/// A shard as `"I/N"`, or as the pair of these.
fn shard(value: &Bound<'_, PyAny>) -> PyResult<Shard> {
    match value.extract::<(u32, u32)>() {
        Ok((index, count)) => {
            Shard::new(index, count).map_err(|error| PyValueError::new_err(error.to_string()))
        }
        Err(_) => parsed(value),
    }
}

/// A range of bytes as the pair of its start and end.
fn range(value: &Bound<'_, PyAny>) -> PyResult<Range<u64>> {
    let (start, end) = value.extract()?;
    Ok(start..end)
}

fn on_error(name: &str) -> PyResult<OnError> {
    match name {
        "skip" => Ok(OnError::Skip),
        "fail" => Ok(OnError::Fail),
        _ => Err(PyValueError::new_err(format!(
            "{name:?}: choose skip or fail"
        ))),
    }
}

/// A folder that exists. Checked here, since it is used only once the memory budget is used up.
fn folder(value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let folder: PathBuf = value.extract()?;
    match folder.is_dir() {
        true => Ok(folder),
        false => Err(PyValueError::new_err(format!(
            "there is no folder {}; make it first",
            folder.display()
        ))),
    }
}
