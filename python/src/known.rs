//! Looks up names in an index of known names, one name or a column at a time.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use doisift::internal::{IndexError, IndexErrorKind, KnownNames, Normalizer};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arrow::{Flags, TextArray, Width};
use crate::batch::{ROW, Work, apply};
use crate::doi::Doi;
use crate::running::Watch;
use crate::text::Text;

/// A set of registered names in a file that `doisift index` makes.
///
/// Look up a name as a `Doi` or as a text in any presentation form. An unknown name may be registered: an index has the names
/// that its `sources` had on their date. The file is read piece by piece on demand, by any number of threads. Pickling keeps only
/// the path.
#[pyclass(frozen, module = "doisift")]
pub(crate) struct Known {
    path: PathBuf,
    index: Arc<KnownNames>,
}

#[pymethods]
impl Known {
    /// Open the index at `path`.
    #[classmethod]
    fn open(_class: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Known> {
        let index = py
            .detach(|| KnownNames::open(&path))
            .map_err(|error| raised(&error))?;
        Ok(Known {
            path,
            index: Arc::new(index),
        })
    }

    /// The path of the file.
    #[getter]
    fn path(&self) -> &PathBuf {
        &self.path
    }

    /// The sources of its names.
    #[getter]
    fn sources(&self) -> Vec<IndexSource> {
        self.index
            .sources()
            .iter()
            .cloned()
            .map(IndexSource)
            .collect()
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.index.len())?)
    }

    /// Whether `doi` is known. False for a text that is not a DOI name.
    fn __contains__(&self, doi: Asked) -> PyResult<bool> {
        match doi.key() {
            Some(key) => self.index.contains(&key).map_err(|error| raised(&error)),
            None => Ok(false),
        }
    }

    /// The agency that registered `doi`. `None` if `doi` is not known, or its source does not say.
    fn agency(&self, doi: Asked) -> PyResult<Option<&str>> {
        let Some(key) = doi.key() else {
            return Ok(None);
        };
        let known = self.index.find(&key).map_err(|error| raised(&error))?;
        Ok(known.and_then(|known| known.agency))
    }

    /// The notices about `doi`, known or not: retractions, corrections and the like.
    fn notices(&self, doi: Asked) -> PyResult<Vec<Notice>> {
        let Some(key) = doi.key() else {
            return Ok(Vec::new());
        };
        let notices = self.index.notices(&key).map_err(|error| raised(&error))?;
        Ok(notices.into_iter().map(Notice).collect())
    }

    /// Whether each text of an Arrow array is a known name. Returns an array of booleans: null for a text that is null or not a
    /// DOI name.
    ///
    /// Arrays and streams are as in `normalize_batch`.
    fn contains_batch<'py>(&self, array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let asking = Asking {
            normalizer: Normalizer::new(),
            index: Arc::clone(&self.index),
        };
        apply(array, Box::new(asking))
    }

    fn __repr__(&self) -> String {
        format!("Known.open({:?})", self.path)
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        let open = this.get_type().getattr("open")?;
        Ok((open, (this.get().path.clone(),)))
    }
}

/// A name to look up, or a text that may be one.
#[derive(FromPyObject)]
enum Asked<'py> {
    Name(Bound<'py, Doi>),
    Text(Text),
}

impl Asked<'_> {
    /// Returns the key, or `None` if the text is not a DOI name.
    fn key(&self) -> Option<String> {
        match self {
            Asked::Name(doi) => Some(doi.get().key()),
            Asked::Text(text) => {
                let read = Normalizer::new().read(text.bytes()).ok()?;
                Some(read.doi.key().into_owned())
            }
        }
    }
}

/// Returns the exception for an index that cannot be read.
pub(crate) fn raised(error: &IndexError) -> PyErr {
    let message = error.to_string();
    match error.kind() {
        IndexErrorKind::Io(cause) => match cause.raw_os_error() {
            Some(code) => PyOSError::new_err((code, message)),
            None => PyOSError::new_err(message),
        },
        _ => PyValueError::new_err(message),
    }
}

/// Looks up a column of names.
struct Asking {
    normalizer: Normalizer,
    index: Arc<KnownNames>,
}

impl Work for Asking {
    fn field(&self, _width: Width) -> Field {
        Field::new("", DataType::Boolean, true)
    }

    fn make(&mut self, texts: &TextArray, _width: Width) -> PyResult<ArrayRef> {
        let (mut known, mut watch) = (Flags::default(), Watch::new());
        for row in 0..texts.len() {
            let text = texts.get(row);
            watch.pass(ROW + text.map_or(0, <[u8]>::len))?;
            let read = text.and_then(|text| self.normalizer.read(text).ok());
            let answer = read.map(|read| self.index.contains(&read.doi.key()));
            known.append_option(answer.transpose().map_err(|error| raised(&error))?);
        }
        Ok(Arc::new(known.finish()))
    }
}

/// A source of an index.
#[pyclass(frozen, module = "doisift")]
pub(crate) struct IndexSource(doisift::IndexSource);

#[pymethods]
impl IndexSource {
    /// The name of the file or folder, such as `crossref-2026-03.tar`.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The agency that registers its names. `None` if unknown.
    #[getter]
    fn agency(&self) -> Option<&str> {
        self.0.agency.as_deref()
    }

    /// The date of the registry's state: `2026-03-09`, `2026-03` or `2026`. `None` if unknown.
    #[getter]
    fn date(&self) -> Option<String> {
        self.0.date.map(|date| date.to_string())
    }

    /// The number of distinct names.
    #[getter]
    fn names(&self) -> u64 {
        self.0.names
    }

    fn __repr__(&self) -> String {
        let IndexSource(source) = self;
        format!("<IndexSource {:?}: {} names>", source.name, source.names)
    }
}

/// A notice about a name.
#[pyclass(frozen, module = "doisift")]
pub(crate) struct Notice(doisift::internal::Notice);

#[pymethods]
impl Notice {
    /// Its kind, in the words of Crossref, such as `retraction` or `expression_of_concern`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    /// Whether it retracts the whole work: retraction, withdrawal, removal.
    #[getter]
    fn is_retraction(&self) -> bool {
        self.0.kind.is_retraction()
    }

    /// Who asserts it: `publisher` or `retraction-watch`.
    #[getter]
    fn asserted_by(&self) -> &'static str {
        self.0.asserted_by.name()
    }

    /// The DOI name of the notice itself, if it has one.
    #[getter]
    fn doi(&self) -> Option<Doi> {
        self.0.doi.clone().map(Doi::from)
    }

    /// The date of publication, `2026-03-09`, `2026-03` or `2026`, if known.
    #[getter]
    fn date(&self) -> Option<String> {
        self.0.date.map(|date| date.to_string())
    }

    fn __repr__(&self) -> String {
        format!("<Notice {} by {}>", self.kind(), self.asserted_by())
    }
}
