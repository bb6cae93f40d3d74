//! Reads single texts as a name, and finds names in them.

use std::borrow::Cow;

use doisift::internal::Normalizer;
use doisift::{Presentation, Scanner, TextKind, UrlEncoding, clean as read_dirty};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyMemoryView, PyString};

use crate::doi::Doi;
use crate::running::Watch;

/// Texts of fewer bytes are read with the GIL held, since releasing it would take longer. Python's hashlib has the same limit.
const SMALL: usize = 2048;

/// A text of Python. Its bytes are immutable and can be read without the GIL.
pub(crate) enum Text {
    Str(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Ok(Text::Str(object.extract()?));
        }
        if let Ok(bytes) = object.extract() {
            return Ok(Text::Bytes(bytes));
        }
        // The stable interface of Python 3.9 has no buffers, so their bytes are copied.
        let buffer = PyMemoryView::from(&object).map_err(|_| {
            let kind = object.get_type().name();
            let kind = kind.map_or_else(|_| "another type".to_owned(), |kind| kind.to_string());
            PyTypeError::new_err(format!("a text is str or bytes, not {kind}"))
        })?;
        Ok(Text::Bytes(buffer.call_method0("tobytes")?.extract()?))
    }
}

impl Text {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Text::Str(text) => text.as_bytes(),
            Text::Bytes(bytes) => bytes,
        }
    }

    /// Calls `read` with the bytes. Releases the GIL unless the text is small.
    fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&[u8]) -> T + Send) -> T {
        let bytes = self.bytes();
        match bytes.len() < SMALL {
            true => read(bytes),
            false => py.detach(|| read(bytes)),
        }
    }
}

/// Returns the form named by `to` and `encode`.
///
/// # Errors
/// If `to` does not name a form, or `encode` does not name an encoding.
pub(crate) fn presentation(to: &str, encode: &str) -> PyResult<Presentation> {
    Ok(match to {
        "name" => Presentation::Name,
        "key" => Presentation::Key,
        "doi-uri" => Presentation::DoiUri,
        "url" => Presentation::Url(encoding(encode)?),
        "urn" => Presentation::Urn,
        "api" => Presentation::Api,
        _ => {
            return Err(PyValueError::new_err(format!(
                "to={to:?} is not a form; choose name, key, doi-uri, url, urn or api"
            )));
        }
    })
}

/// # Errors
/// If `encode` does not name an encoding.
pub(crate) fn encoding(encode: &str) -> PyResult<UrlEncoding> {
    match encode {
        "mandatory" => Ok(UrlEncoding::Mandatory),
        "recommended" => Ok(UrlEncoding::Recommended),
        _ => Err(PyValueError::new_err(format!(
            "encode={encode:?}: choose mandatory or recommended"
        ))),
    }
}

/// Returns the kind with this name, or `None` for `auto`, which detects it from the head of each text.
///
/// # Errors
/// If there is no kind with this name.
pub(crate) fn text_kind(name: &str) -> PyResult<Option<TextKind>> {
    match name {
        "auto" => Ok(None),
        _ => match name.parse() {
            Ok(kind) => Ok(Some(kind)),
            Err(error) => Err(PyValueError::new_err(format!(
                "input_kind: {error}, or auto"
            ))),
        },
    }
}

/// Detects the kind of a document from its head.
pub(crate) fn kind_of(document: &[u8]) -> TextKind {
    let head = &document[..document.len().min(TextKind::HEAD_BYTES)];
    TextKind::of(head, head.len() == document.len())
}

/// Read `text` as one DOI name. Returns it in the form `to`: name, key (the default), doi-uri, url, urn or api.
///
/// >>> import doisift
/// >>> doisift.normalize("https://doi.org/10.1000/456%23789")
/// '10.1000/456#789'
/// >>> doisift.normalize("10.1038/nature07634.pmid:19020500", clean=True)
/// '10.1038/nature07634'
/// >>> doisift.normalize("10.1000/a<b>", to="url", encode="recommended")
/// 'https://doi.org/10.1000/a%3Cb%3E'
/// >>> doisift.normalize("10.1000/ab1 (2006)")
/// Traceback (most recent call last):
///     ...
/// ValueError: "10.1000/ab1 (2006)": raw white space, at byte 11; clean=True reads it as 10.1000/ab1
///
/// Reads any presentation form, and a URL of any host that contains exactly one name. `clean` reads dirty data: it cuts text that
/// does not belong to the name, but not another name. `strict` refuses the names that ANSI/NISO Z39.84 reserves. `encode` chooses
/// the characters to percent-encode in a URL: only those that must be (mandatory), or also those that should be (recommended).
/// Raises `ValueError` with the reason if the text is not a DOI name.
#[pyfunction]
#[pyo3(signature = (text, *, to=Cow::Borrowed("key"), clean=false, strict=false, encode=Cow::Borrowed("mandatory")))]
#[pyo3(text_signature = "(text, *, to='key', clean=False, strict=False, encode='mandatory')")]
pub(crate) fn normalize(
    py: Python<'_>,
    text: Text,
    to: Cow<'_, str>,
    clean: bool,
    strict: bool,
    encode: Cow<'_, str>,
) -> PyResult<String> {
    let presentation = presentation(&to, &encode)?;
    text.read(py, |text| {
        let read = Normalizer::new().clean(clean).strict(strict).read(text);
        read.map(|read| presentation.of(&read.doi).into_owned())
            .map_err(|refusal| {
                let reason = crate::error::quoted(text, &refusal.to_string());
                let remedy = match clean {
                    true => String::new(),
                    false => crate::error::remedy(text),
                };
                PyValueError::new_err(format!("{reason}{remedy}"))
            })
    })
}

/// A mention of a DOI name in a text.
///
/// `doi` is the name, and `form` is how it was written: urn, info, hdl, doi, url, label or bare. `start` and `end` are the range
/// of the name in the text, in characters of a str or bytes of bytes; `text` is the name as found there. `guessed` says that the
/// end of the name was a choice that only a registry could confirm. `before` and `after` are the text around it, if `context`
/// asked for it.
#[pyclass(frozen, get_all, module = "doisift")]
pub(crate) struct Mention {
    doi: Py<Doi>,
    form: &'static str,
    start: usize,
    end: usize,
    text: String,
    guessed: bool,
    before: String,
    after: String,
}

/// A mention that is not yet a Python object.
struct Found {
    doi: doisift::Doi,
    form: &'static str,
    start: usize,
    end: usize,
    text: String,
    guessed: bool,
    around: [String; 2],
}

#[pymethods]
impl Mention {
    fn __repr__(&self) -> String {
        let Mention {
            doi,
            form,
            start,
            end,
            ..
        } = self;
        let name = doi.get().name();
        format!("<Mention {name} form={form} start={start} end={end}>")
    }
}

/// Find the mentions of DOI names in `text`. Returns a list, in order.
///
/// >>> import doisift
/// >>> text = "Siehe (doi:10.5555/Vögel.2024); Käse: https://doi.org/10.5555/a%28b%29."
/// >>> for mention in doisift.extract(text, context=7):
/// ...     print(mention.form, mention.doi.key, text[mention.start:mention.end], repr(mention.before))
/// doi 10.5555/vögel.2024 10.5555/Vögel.2024 'e (doi:'
/// url 10.5555/a(b) 10.5555/a%28b%29 'oi.org/'
///
/// `clean` reads each found name as dirty data, as `normalize` does, and cuts text that does not belong to it. `context` is the
/// number of bytes of text before and after each mention. `input_kind` is the kind of text: html, a table (csv, ssv, tsv, psv),
/// unknown, or auto to detect it from the head, as in `scan`.
#[pyfunction]
#[pyo3(signature = (text, *, clean=false, context=0, input_kind=Cow::Borrowed("unknown")))]
#[pyo3(text_signature = "(text, *, clean=False, context=0, input_kind='unknown')")]
pub(crate) fn extract(
    py: Python<'_>,
    text: Text,
    clean: bool,
    context: usize,
    input_kind: Cow<'_, str>,
) -> PyResult<Vec<Mention>> {
    let kind = text_kind(&input_kind)?;
    let found = text.read(py, |bytes| find(bytes, kind, clean, context))?;
    let mut place = Place::new(&text);
    let mentions = found.into_iter().map(|found| {
        let [before, after] = found.around;
        Ok(Mention {
            doi: Py::new(py, Doi::from(found.doi))?,
            form: found.form,
            start: place.of(found.start),
            end: place.of(found.end),
            text: found.text,
            guessed: found.guessed,
            before,
            after,
        })
    });
    mentions.collect()
}

/// # Errors
/// If the handler of a signal raises an exception.
fn find(text: &[u8], kind: Option<TextKind>, clean: bool, context: usize) -> PyResult<Vec<Found>> {
    let kind = kind.unwrap_or_else(|| kind_of(text));
    let mut scanner = Scanner::new().kind(kind);
    let (mut watch, mut passed) = (Watch::new(), 0);
    let found = scanner.find_iter(text).map(|found| {
        let end = found.range().end;
        watch.pass(end - std::mem::replace(&mut passed, end))?;
        Ok(Found {
            form: found.form.name(),
            start: found.start,
            end,
            text: String::from_utf8_lossy(found.text).into_owned(),
            guessed: found.guessed,
            around: found.around(text, context),
            doi: match clean {
                true => cleaned(found.doi),
                false => found.doi,
            },
        })
    });
    found.collect()
}

/// Applies the rules for dirty data to a name. Returns it unchanged if they refuse it.
fn cleaned(doi: doisift::Doi) -> doisift::Doi {
    match read_dirty(doi.as_str()) {
        Ok(cleaned) => cleaned.doi,
        Err(_) => doi,
    }
}

/// Converts byte offsets to positions in Python: characters of a str, or bytes.
pub(crate) struct Place<'t> {
    /// `None` if positions are bytes.
    text: Option<&'t str>,
    byte: usize,
    character: usize,
}

impl<'t> Place<'t> {
    pub(crate) fn new(text: &'t Text) -> Self {
        let text = match text {
            Text::Str(text) if !text.is_ascii() => Some(&**text),
            _ => None,
        };
        Place {
            text,
            byte: 0,
            character: 0,
        }
    }

    /// Returns the position of a byte. Bytes must not decrease from call to call.
    pub(crate) fn of(&mut self, byte: usize) -> usize {
        let Some(text) = self.text else {
            return byte;
        };
        let between = &text.as_bytes()[self.byte..byte];
        self.character += between.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.byte = byte;
        self.character
    }
}
