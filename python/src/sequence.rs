//! Arrays and values of Python: lists of texts as arrays that are read, and arrays that were made as lists.

use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyNone, PyTuple};

use crate::arrow::{ArrowArray, ArrowSchema, Data, Field, Kind, Texts, Width};
use crate::text::Text;

/// The texts of a list or tuple as an array that only this package reads: its bytes need not be UTF-8. None for another object.
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

/// `None`, and the NaN and NA that pandas has for it.
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

/// The values of an array as a list: texts, numbers, booleans, lists, dicts for structs, and `None`.
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

/// The value of a row, which the array must have.
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

/// The values as a numpy array of objects, or of the `dtype` that is asked for.
///
/// # Errors
/// If there is no numpy, or a copy is forbidden.
pub(crate) fn numpy<'py>(
    values: &Bound<'py, PyList>,
    dtype: Option<Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    if copy == Some(false) {
        return Err(PyValueError::new_err("the values are copied to an array"));
    }
    let py = values.py();
    // Not `array()`, which would make more dimensions of lists.
    let array = py
        .import("numpy")?
        .call_method1("fromiter", (values, "O", values.len()))?;
    match dtype {
        Some(dtype) => array.call_method1("astype", (dtype,)),
        None => Ok(array),
    }
}
