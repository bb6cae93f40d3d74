//! Converts errors of the library to Python exceptions.

use std::error::Error as _;
use std::io;

use doisift::internal::{Keywords, Normalizer, Printable};
use doisift::{Error, ErrorKind};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// Returns the exception for a failed run: a `ValueError` for a wrong argument, an `OSError` of the matching class for an error
/// of the system or the input. An exception of a Python file is its cause.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let message = Keywords::Python.word(&error.to_string());
    match error.kind() {
        ErrorKind::Input | ErrorKind::Output | ErrorKind::System => of_system(py, error, message),
        _ => PyValueError::new_err(message),
    }
}

/// The number of the error that Python takes for a `FileNotFoundError`, on all systems.
const NOT_FOUND: i32 = 2;

fn of_system(py: Python<'_>, error: &Error, message: String) -> PyErr {
    let (mut code, mut next) = (None, error.source());
    while let Some(cause) = next {
        next = cause.source();
        let Some(cause) = cause.downcast_ref::<io::Error>() else {
            continue;
        };
        let missing = (cause.kind() == io::ErrorKind::NotFound).then_some(NOT_FOUND);
        code = code.or(cause.raw_os_error()).or(missing);
        let inner = cause
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<PyErr>());
        if let Some(inner) = inner {
            let exception = PyOSError::new_err(message);
            exception.set_cause(py, Some(inner.clone_ref(py)));
            return exception;
        }
    }
    match code {
        Some(code) => PyOSError::new_err((code, message)),
        None => PyOSError::new_err(message),
    }
}

/// Formats a text, escaped and shortened, with a reason after it.
pub(crate) fn quoted(text: &[u8], reason: &str) -> String {
    let shown = Printable::name(&String::from_utf8_lossy(text)).to_string();
    format!("\"{shown}\": {reason}")
}

/// Returns the end of a message about a refused text: the name that the rules for dirty data find in it, or nothing.
pub(crate) fn remedy(text: &[u8]) -> String {
    let is_text = str::from_utf8(text).is_ok();
    match Normalizer::new().clean(true).read(text) {
        Ok(read) if is_text => format!(
            "; clean=True reads it as {}",
            Printable::name(&read.doi.key())
        ),
        _ => String::new(),
    }
}
