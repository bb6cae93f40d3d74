//! Converts Python lists of texts to arrays, and arrays to Python lists.

use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyNone, PyTuple};

use crate::arrow::{ArrowArray, ArrowSchema, Data, Field, Kind, Texts, Width};
use crate::text::Text;

/// Converts a list or tuple of texts to an array that only this package reads: its bytes need not be UTF-8. Returns `None` for
/// other objects.
///
/// # Errors
/// If an element is neither a text nor missing.
pub(crate) fn texts(object: &Bound<'_, PyAny>) -> PyResult<Option<(ArrowSchema, ArrowArray)>> {
    if !object.is_instance_of::<PyList>() && !object.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    let mut texts = Texts::new(Width::Large);
    for (at, element) in object.try_iter()?.enumerate() {
        let element = element?;
        let text = match element.extract::<Text>() {
            Ok(text) => Some(text),
            Err(_) if is_missing(&element) => None,
            Err(error) => return Err(at_index(&element, at, error)),
        };
        let pushed = texts.push_bytes(text.as_ref().map(Text::bytes));
        pushed.map_err(crate::batch::refused)?;
    }
    let field = Field::nullable("", Kind::Text(Width::Large));
    let array = ArrowArray::of(&Arc::new(texts.finish()));
    Ok(Some((ArrowSchema::of(&field), array)))
}

/// Whether an element is `None`, or NaN or NA of pandas.
fn is_missing(element: &Bound<'_, PyAny>) -> bool {
    let number = element.cast::<PyFloat>().map(|number| number.value());
    let is_na = || element.get_type().name().is_ok_and(|name| name == "NAType");
    element.is_none() || number.is_ok_and(f64::is_nan) || is_na()
}

fn at_index(element: &Bound<'_, PyAny>, at: usize, error: PyErr) -> PyErr {
    match error.is_instance_of::<PyTypeError>(element.py()) {
        true => PyTypeError::new_err(format!("element {at}: {}", error.value(element.py()))),
        false => error,
    }
}

/// Converts an array to a list: texts, numbers, booleans, lists, dicts for structs, and `None`.
pub(crate) fn list<'py>(
    py: Python<'py>,
    field: &Field,
    data: &Data,
) -> PyResult<Bound<'py, PyList>> {
    values(py, field, data, 0..data.len())
}

fn values<'py>(
    py: Python<'py>,
    field: &Field,
    data: &Data,
    rows: Range<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for row in rows {
        list.append(value(py, field, data, row)?)?;
    }
    Ok(list)
}

/// Converts the value of a row, which must be in the array.
pub(crate) fn value<'py>(
    py: Python<'py>,
    field: &Field,
    data: &Data,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if !data.is_valid(row) {
        return Ok(PyNone::get(py).to_owned().into_any());
    }
    Ok(match &field.kind {
        Kind::Text(_) => String::from_utf8_lossy(data.text(row))
            .into_pyobject(py)?
            .into_any(),
        Kind::Int64 => data.integer(row).into_pyobject(py)?.into_any(),
        Kind::Bool => data.flag(row).into_pyobject(py)?.to_owned().into_any(),
        Kind::List(_, element) => {
            values(py, &element[0], data.child(0), data.range(row))?.into_any()
        }
        Kind::Struct(fields) => {
            let dict = PyDict::new(py);
            for (at, field) in fields.iter().enumerate() {
                dict.set_item(field.name, value(py, field, data.child(at), row)?)?;
            }
            dict.into_any()
        }
    })
}

/// # Errors
/// If the values are rows, which numpy and pandas would take for one column.
pub(crate) fn refuse_rows(field: &Field) -> PyResult<()> {
    match field.kind {
        Kind::Struct(_) => Err(PyTypeError::new_err(
            "these are rows of several columns: pass them to pandas.DataFrame.from_arrow, pyarrow.table or polars.DataFrame",
        )),
        _ => Ok(()),
    }
}

/// Converts values to a numpy array of `dtype`, or of objects by default.
///
/// # Errors
/// If numpy is not installed, or a copy is forbidden.
pub(crate) fn numpy<'py>(
    values: &Bound<'py, PyList>,
    dtype: Option<Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    if copy == Some(false) {
        return Err(PyValueError::new_err("the values are copied to an array"));
    }
    let py = values.py();
    // Not `array()`, which would turn lists into further dimensions.
    let array = py
        .import("numpy")?
        .call_method1("fromiter", (values, "O", values.len()))?;
    match dtype {
        Some(dtype) => array.call_method1("astype", (dtype,)),
        None => Ok(array),
    }
}
