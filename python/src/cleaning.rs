//! Cleans columns of tables in Python's memory as the command cleans columns of files.

use std::borrow::Cow;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Fields};
use doisift::CleanTable;
use doisift::internal::{CellStatus, ColumnCleaner, Keywords};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::bug;
use crate::arrow::{Overflow, TextArray, Texts, Width, rows};
use crate::batch::{ROW, Work, apply, refused};
use crate::error::exception;
use crate::options;
use crate::running::Watch;

/// Clean each text of an Arrow array as a cell of `clean_table`. Returns structs of `clean`, `status` and `reason`, or with
/// `in_place` the text that replaces it. `options` are those of `clean_table`.
#[pyfunction]
pub(crate) fn clean_cells<'py>(
    array: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
    in_place: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let clean = options::apply(CleanTable::new(), "clean_table", options)?;
    let cleaner = py.detach(|| clean.cleaner());
    let cleaner = cleaner.map_err(|error| exception(py, &error))?;
    match in_place {
        true => apply(array, Box::new(Replacing(cleaner))),
        false => apply(array, Box::new(Cleaning(cleaner))),
    }
}

/// Makes the columns that are added: clean name, status, reason.
struct Cleaning(ColumnCleaner);

impl Work for Cleaning {
    fn field(&self, width: Width) -> Field {
        Field::new("", DataType::Struct(cell_fields(width)), false)
    }

    fn make(&mut self, texts: &TextArray, width: Width) -> PyResult<ArrayRef> {
        let [mut names, mut statuses, mut reasons] = [(); 3].map(|()| Texts::new(width));
        each(&mut self.0, texts, |cleaner, status, _| {
            names.push(cleaner.value().as_deref())?;
            statuses.push(Some(status.name()))?;
            let reason = cleaner.reason().map(|reason| worded(reason, status));
            reasons.push(reason.as_deref())
        })?;
        let columns = [names, statuses, reasons].map(Texts::finish);
        rows(cell_fields(width), texts.len(), columns.into()).map_err(|_| bug())
    }
}

fn cell_fields(width: Width) -> Fields {
    Fields::from(vec![
        Field::new("clean", width.text(), true),
        Field::new("status", width.text(), false),
        Field::new("reason", width.text(), true),
    ])
}

/// Makes the column that replaces the texts. Refused texts stay as they are.
struct Replacing(ColumnCleaner);

impl Work for Replacing {
    fn field(&self, width: Width) -> Field {
        Field::new("", width.text(), true)
    }

    fn make(&mut self, texts: &TextArray, width: Width) -> PyResult<ArrayRef> {
        let (mut cells, mut is_text) = (Texts::new(width), true);
        each(&mut self.0, texts, |cleaner, status, text| {
            if matches!(status, CellStatus::Normalized | CellStatus::Cleaned) {
                return cells.push(cleaner.value().as_deref());
            }
            let kept = text.map(str::from_utf8).transpose();
            is_text &= kept.is_ok();
            cells.push(kept.unwrap_or_default())
        })?;
        match is_text {
            true => Ok(cells.finish()),
            false => Err(PyValueError::new_err(
                "in_place keeps cells that are not names, and one of these is not UTF-8; decode the column first",
            )),
        }
    }
}

/// Cleans each text, and passes the cleaner, the status and the text to `push`.
fn each(
    cleaner: &mut ColumnCleaner,
    texts: &TextArray,
    mut push: impl FnMut(&ColumnCleaner, CellStatus, Option<&[u8]>) -> Result<(), Overflow>,
) -> PyResult<()> {
    let mut watch = Watch::new();
    for row in 0..texts.len() {
        let text = texts.get(row);
        watch.pass(ROW + text.map_or(0, <[u8]>::len))?;
        let status = match text {
            Some(text) => cleaner.clean(text),
            None => cleaner.missing(),
        };
        push(cleaner, status, text).map_err(refused)?;
    }
    cleaner.check().map_err(|error| {
        let raised = Python::try_attach(|py| exception(py, &error));
        raised.unwrap_or_else(bug)
    })
}

/// Puts Python's keywords into a reason of a refusal. Other reasons quote text of the cell and stay as they are.
fn worded(reason: &str, status: CellStatus) -> Cow<'_, str> {
    match status {
        CellStatus::Refused | CellStatus::Several => Keywords::Python.word(reason).into(),
        _ => reason.into(),
    }
}
