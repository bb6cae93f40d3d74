//! Single texts: the name that one is, and the names that are in it.

use std::borrow::Cow;

use doisift::{Normalizer, Presentation, Scanner, TextKind, UrlEncoding, clean as read_dirty};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyMemoryView, PyString};

use crate::doi::Doi;
use crate::running::Watch;

/// Texts of fewer bytes are read without releasing the GIL, which would take longer, above all if other threads want it.
/// Python's hashlib has the same limit.
const SMALL: usize = 2048;

/// A text as Python has it. The bytes are immutable, and can be read without the GIL.
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
        // The stable interface of Python 3.9 has no buffers: their bytes are copied.
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

    /// Calls `read` with the bytes, without the GIL unless the text is small.
    fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&[u8]) -> T + Send) -> T {
        let bytes = self.bytes();
        match bytes.len() < SMALL {
            true => read(bytes),
            false => py.detach(|| read(bytes)),
        }
    }
}

/// The form that `to` and `encode` name.
///
/// # Errors
/// If one of them names none.
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
                "to={to:?} is no form; choose one of name, key, doi-uri, url, urn, api"
            )));
        }
    })
}

/// # Errors
/// If `encode` names no rules.
pub(crate) fn encoding(encode: &str) -> PyResult<UrlEncoding> {
    match encode {
        "mandatory" => Ok(UrlEncoding::Mandatory),
        "recommended" => Ok(UrlEncoding::Recommended),
        _ => Err(PyValueError::new_err(format!(
            "encode={encode:?}: choose mandatory or recommended"
        ))),
    }
}

/// The kind of a text; none if its head shall show it.
///
/// # Errors
/// If `name` names none.
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

/// The kind of a document, if it is not given.
pub(crate) fn kind_of(document: &[u8]) -> TextKind {
    let head = &document[..document.len().min(TextKind::HEAD)];
    TextKind::of(head, head.len() == document.len())
}

/// The DOI name that `text` is, in the form `to`: name, key (the default), doi-uri, url, urn or api.
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
/// ValueError: "10.1000/ab1 (2006)": raw white space, at byte 11; clean=True takes it as 10.1000/ab1
///
/// Any presentation form is read, and a URL of any host that holds exactly one name. `clean` reads dirty data, and cuts what does
/// not belong to the name, but not another name. `strict` refuses the names that ANSI/NISO Z39.84 reserves. `encode` chooses what is percent-encoded
/// in a URL: what must be (mandatory), or also what should be (recommended). Raises `ValueError` with the reason if the text is
/// not a DOI name.
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
/// `doi` is the name and `form` how it was written: urn, info, hdl, doi, url, label or bare. `text[start:end]` is the name as
/// found, which is `text` here too: they count characters of a str, and bytes of bytes. `guessed` says that the end of the name was a
/// choice which only a registry could confirm. `before` and `after` are what `context` asked for, as readable text.
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

/// A mention before it is an object of Python.
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

/// The mentions of DOI names in `text`, in order.
///
/// >>> import doisift
/// >>> text = "Siehe (doi:10.5555/Vögel.2024); Käse: https://doi.org/10.5555/a%28b%29."
/// >>> for mention in doisift.extract(text, context=7):
/// ...     print(mention.form, mention.doi.key, text[mention.start:mention.end], repr(mention.before))
/// doi 10.5555/vögel.2024 10.5555/Vögel.2024 'e (doi:'
/// url 10.5555/a(b) 10.5555/a%28b%29 'oi.org/'
///
/// `clean` reads each name that is found as dirty data, as `normalize` does, and cuts what does not belong to it. `context`
/// is the number of bytes of text before and after each mention. `input_kind` says what the text is: html, a table (csv, ssv,
/// tsv, psv), unknown, or auto, by which its head shows it, as in `scan`.
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

/// The name, with what the rules for dirty data cut from it removed.
fn cleaned(doi: doisift::Doi) -> doisift::Doi {
    match read_dirty(doi.as_str()) {
        Ok(cleaned) => cleaned.doi,
        Err(_) => doi,
    }
}

/// Counts what Python counts: the characters of a str, or bytes.
pub(crate) struct Place<'t> {
    /// None if characters are bytes.
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

    /// The place of a byte that is not before the last one.
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
