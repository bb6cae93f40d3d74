//! Explains why a text gives a name or not.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use doisift::internal::{Explanation, ExplanationStep, KnownNames, Rule, Verdict, index_of};
use doisift::{Change, CheckDigit, Doi, DoiError, Index, Scanner, clean as read_dirty};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::exception;
use crate::known;
use crate::text::{Place, Text, kind_of, text_kind};

/// Explain the decision of `extract` about each position of `text` with ``10.``, and its rules. Returns a dict for each position.
///
/// >>> import doisift
/// >>> for position in doisift.explain("10.0.0.0/8, or 10.5555/a1 (2006)."):
/// ...     print(position["start"], position["verdict"], position["doi"], position["reason"])
/// 0 refused None registrant_code
/// 15 found 10.5555/a1 None
/// >>> doisift.explain("10.5555/a1/full", clean=True)["changes"][0]["rule"]
/// 'tail.page-word'
///
/// A dict has the ``kind`` of the text, ``start``, counted as in `Mention`, ``verdict`` (found, refused, no_name), ``doi``,
/// ``guessed``, ``check_digit``, ``reason`` with its meaning in ``because``, and ``steps``: dicts of ``topic``, ``finding``,
/// ``rule`` with its meaning in ``because``. With `clean`, returns one dict for the decision of ``normalize(text, clean=True)``:
/// ``doi``, ``changed``, ``check_digit``, ``changes`` (dicts of ``rule``, ``text``, ``because``) and ``reason``.
///
/// `input_kind` is as in `extract`, but ``auto`` by default. `known` is the path of an index of known names, which helps to
/// decide where names end.
#[pyfunction]
#[pyo3(signature = (text, *, clean=false, input_kind=None, known=None))]
#[pyo3(text_signature = "(text, *, clean=False, input_kind='auto', known=None)")]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    text: Text,
    clean: bool,
    input_kind: Option<Cow<'_, str>>,
    known: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    if clean {
        if input_kind.is_some() || known.is_some() {
            return Err(PyTypeError::new_err(
                "clean=True reads a text as one name; leave out input_kind and known",
            ));
        }
        return Ok(cleaning(py, &text)?.into_any());
    }
    let kind = text_kind(input_kind.as_deref().unwrap_or("auto"))?;
    let kind = kind.unwrap_or_else(|| kind_of(text.bytes()));
    let (scanner, known) = scanner(py, known)?;
    let explained = py.detach(|| scanner.kind(kind).explain(text.bytes()));
    if let Some(known) = known {
        known.check().map_err(|error| exception(py, &error))?;
    }
    let mut place = Place::new(&text);
    let rows = explained.iter().map(|one| {
        let row = position(py, one, place.of(one.start))?;
        row.set_item("kind", kind.name())?;
        Ok(row)
    });
    Ok(PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// Creates a scanner that asks the index at `known`, if given.
fn scanner(py: Python<'_>, known: Option<PathBuf>) -> PyResult<(Scanner, Option<Arc<Index>>)> {
    let Some(path) = known else {
        return Ok((Scanner::new(), None));
    };
    let names = py.detach(|| KnownNames::open(&path));
    let index = Arc::new(index_of(names.map_err(|error| known::raised(&error))?));
    Ok((Scanner::new().known(index.clone()), Some(index)))
}

fn position<'py>(py: Python<'py>, one: &Explanation, start: usize) -> PyResult<Bound<'py, PyDict>> {
    let (verdict, found, why) = match &one.verdict {
        Verdict::Found { doi, guessed } => ("found", Some((doi, *guessed)), None),
        Verdict::Refused(why) => ("refused", None, Some((why.name(), why.description()))),
        Verdict::NonCandidate(why) => ("no_name", None, Some((why.name(), why.description()))),
        _ => ("unknown", None, None),
    };
    let steps = one.steps.iter().map(|step| row_of(py, step));
    let row = PyDict::new(py);
    row.set_item("start", start)?;
    row.set_item("verdict", verdict)?;
    row.set_item("doi", found.map(|(doi, _)| doi.as_str()))?;
    row.set_item("guessed", found.map(|(_, guessed)| guessed))?;
    row.set_item("check_digit", found.and_then(|(doi, _)| digit(doi)))?;
    row.set_item("reason", why.map(|(name, _)| name))?;
    row.set_item("because", why.map(|(_, description)| description))?;
    row.set_item("steps", steps.collect::<PyResult<Vec<_>>>()?)?;
    Ok(row)
}

fn row_of<'py>(py: Python<'py>, step: &ExplanationStep) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("topic", step.topic)?;
    row.set_item("finding", &step.finding)?;
    row.set_item("rule", step.rule.map(Rule::id))?;
    row.set_item("because", step.rule.map(Rule::catches))?;
    Ok(row)
}

/// Explains the result of the rules for dirty data.
fn cleaning<'py>(py: Python<'py>, text: &Text) -> PyResult<Bound<'py, PyDict>> {
    let text = str::from_utf8(text.bytes())
        .map_err(|_| PyValueError::new_err("clean=True reads a str, or bytes in UTF-8"))?;
    let (cleaned, refusal) = match py.detach(|| read_dirty(text)) {
        Ok(cleaned) => (Some(cleaned), None),
        Err(error) => (None, Some(error)),
    };
    let doi = cleaned.as_ref().map(|cleaned| &cleaned.doi);
    let changes = cleaned.iter().flat_map(|cleaned| &cleaned.changes);
    let changes = changes.map(|change| change_row(py, change));
    let row = PyDict::new(py);
    row.set_item("doi", doi.map(Doi::as_str))?;
    row.set_item("changed", cleaned.as_ref().map(|cleaned| cleaned.changed))?;
    row.set_item("check_digit", doi.and_then(digit))?;
    row.set_item("changes", changes.collect::<PyResult<Vec<_>>>()?)?;
    row.set_item("reason", refusal.as_ref().map(DoiError::to_string))?;
    Ok(row)
}

fn change_row<'py>(py: Python<'py>, change: &Change) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("rule", change.rule)?;
    row.set_item("text", &*change.text)?;
    row.set_item("because", Rule::of_id(change.rule).map(Rule::catches))?;
    Ok(row)
}

/// Returns the result of a name's check digit, as in rows.
fn digit(doi: &Doi) -> Option<&'static str> {
    doi.check_digit().map(CheckDigit::name)
}
