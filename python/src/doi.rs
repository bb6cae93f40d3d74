//! The identifier.

use std::borrow::Cow;

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyString, PyType};

use crate::error::quoted;
use crate::text::encoding;

/// A DOI name.
///
/// >>> from doisift import Doi
/// >>> doi = Doi("https://doi.org/10.1000/ABC%23")
/// >>> str(doi), doi.prefix, doi.suffix, doi.to_url()
/// ('10.1000/ABC#', '10.1000', 'ABC#', 'https://doi.org/10.1000/ABC%23')
/// >>> doi == Doi("doi:10.1000/abc%23"), len({doi, Doi("10.1000/abc#")})
/// (True, 1)
///
/// Reads any presentation form, and raises `ValueError` for other texts. Two are equal if their names are equivalent: equal
/// except for the case of ASCII letters. A str is equal to a name if it is the key of the name; it finds the name in sets and
/// dictionaries. Read other texts as a `Doi` before you compare them.
///
/// >>> doi == "10.1000/abc#", "10.1000/abc#" in {doi}, doi == "10.1000/ABC#"
/// (True, True, False)
#[pyclass(frozen, module = "doisift", str = "{0}")]
pub(crate) struct Doi(doisift::Doi);

impl From<doisift::Doi> for Doi {
    fn from(doi: doisift::Doi) -> Self {
        Doi(doi)
    }
}

fn read(text: &str, read: fn(&str) -> Result<doisift::Doi, doisift::DoiError>) -> PyResult<Doi> {
    let read = read(text);
    read.map(Doi)
        .map_err(|error| PyValueError::new_err(quoted(text.as_bytes(), &error.to_string())))
}

#[pymethods]
impl Doi {
    #[new]
    fn new(text: PyBackedStr) -> PyResult<Self> {
        read(&text, doisift::Doi::parse)
    }

    /// Take a bare name, without decoding.
    #[classmethod]
    fn from_name(_class: &Bound<'_, PyType>, name: PyBackedStr) -> PyResult<Self> {
        read(&name, doisift::Doi::new)
    }

    /// The name, its case kept.
    #[getter]
    pub(crate) fn name(&self) -> &str {
        self.0.as_str()
    }

    /// The name with ASCII letters in lower case, the same for all equivalent names.
    #[getter]
    pub(crate) fn key(&self) -> String {
        self.0.key().into_owned()
    }

    /// The part before the first `/`.
    #[getter]
    fn prefix(&self) -> &str {
        self.0.prefix()
    }

    /// The part after the first `/`.
    #[getter]
    fn suffix(&self) -> &str {
        self.0.suffix()
    }

    /// The prefix without `10.`.
    #[getter]
    fn registrant_code(&self) -> &str {
        self.0.registrant_code()
    }

    /// Whether ANSI/NISO Z39.84 reserves the suffix.
    #[getter]
    fn is_reserved(&self) -> bool {
        self.0.is_reserved()
    }

    /// The URL of the DOI proxy.
    #[pyo3(signature = (encode=Cow::Borrowed("mandatory")))]
    #[pyo3(text_signature = "(self, encode='mandatory')")]
    fn to_url(&self, encode: Cow<'_, str>) -> PyResult<String> {
        let encoding = encoding(&encode)?;
        Ok(self.0.to_url(encoding))
    }

    /// The doi URI.
    fn to_doi_uri(&self) -> String {
        self.0.to_doi_uri()
    }

    /// The URN.
    fn to_urn(&self) -> String {
        self.0.to_urn()
    }

    /// The URL of the proxy's API.
    fn to_api_url(&self) -> String {
        self.0.to_api_url()
    }

    fn __repr__(&self) -> String {
        format!("Doi({:?})", self.0.as_str())
    }

    /// Orders names by their keys. Equal objects must have equal hashes, so a str is equal only if it is the key.
    fn __richcmp__(&self, other: &Bound<'_, PyAny>, how: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let order = match (other.cast::<Doi>(), other.cast::<PyString>(), how) {
            (Ok(other), ..) => self.0.cmp(&other.get().0),
            (_, Ok(text), CompareOp::Eq | CompareOp::Ne) => {
                (*self.0.key()).cmp(&*text.to_string_lossy())
            }
            _ => return Ok(py.NotImplemented()),
        };
        Ok(PyBool::new(py, how.matches(order))
            .to_owned()
            .into_any()
            .unbind())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.0.key()).hash()
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let make = this.get_type().getattr("from_name")?;
        Ok((make, (this.get().name().to_owned(),)))
    }
}
