//! Converts Python lists of texts to arrays, and arrays to Python lists.

use arrow_array::Array;
use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyNone, PyTuple};

use crate::array::bug;
use crate::arrow::TextArray;
use crate::text::Text;

/// Converts a list or tuple of texts to an array that only this package reads: its bytes need not be UTF-8. Returns `None` for
/// other objects.
///
/// # Errors
/// If an element is neither a text nor missing.
pub(crate) fn texts(object: &Bound<'_, PyAny>) -> PyResult<Option<TextArray>> {
    if !object.is_instance_of::<PyList>() && !object.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    let mut texts = LargeBinaryBuilder::new();
    for (at, element) in object.try_iter()?.enumerate() {
        let element = element?;
        let text = match element.extract::<Text>() {
            Ok(text) => Some(text),
            Err(_) if is_missing(&element) => None,
            Err(error) => return Err(at_index(&element, at, error)),
        };
        texts.append_option(text.as_ref().map(Text::bytes));
    }
    Ok(Some(TextArray::Large(texts.finish())))
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
pub(crate) fn list<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for row in 0..array.len() {
        list.append(value(py, array, row)?)?;
    }
    Ok(list)
}

/// Converts the value of a row, which must be in the array.
pub(crate) fn value<'py>(
    py: Python<'py>,
    array: &dyn Array,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(PyNone::get(py).to_owned().into_any());
    }
    let text = |text: &str| text.into_pyobject(py).map(Bound::into_any);
    Ok(match array.data_type() {
        DataType::Utf8 => text(array.as_string::<i32>().value(row))?,
        DataType::LargeUtf8 => text(array.as_string::<i64>().value(row))?,
        DataType::Int64 => {
            let number = array.as_primitive::<Int64Type>().value(row);
            number.into_pyobject(py)?.into_any()
        }
        DataType::Boolean => {
            let flag = array.as_boolean().value(row);
            flag.into_pyobject(py)?.to_owned().into_any()
        }
        DataType::List(_) => list(py, &array.as_list::<i32>().value(row))?.into_any(),
        DataType::LargeList(_) => list(py, &array.as_list::<i64>().value(row))?.into_any(),
        DataType::Struct(fields) => {
            let dict = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                dict.set_item(field.name(), value(py, column, row)?)?;
            }
            dict.into_any()
        }
        _ => return Err(bug()),
    })
}

/// # Errors
/// If the values are rows, which numpy and pandas would take for one column.
pub(crate) fn refuse_rows(field: &Field) -> PyResult<()> {
    match field.data_type() {
        DataType::Struct(_) => Err(PyTypeError::new_err(
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
