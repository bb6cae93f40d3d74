//! Cells that are one name each.

use std::borrow::Cow;

use doisift::{CellStatus, NormalizeBuilder};
use extendr_api::prelude::*;

use crate::Answer;
use crate::cells::{Cells, StringVector};
use crate::frame::{Frame, Kind};
use crate::options;

/// The name that each cell is; NA for a cell that is NA, no name or several.
pub(crate) fn normalize(cells: &Cells<'_>, given: &List) -> Answer<Robj> {
    let builder = options::apply(NormalizeBuilder::default(), "clean_table", given)?;
    let (mut normalizer, presentation) = (
        builder
            .normalizer()
            .map_err(|error| options::worded(&error))?,
        builder.presentation(),
    );
    let mut names = StringVector::new(cells.len);
    for row in 0..cells.len {
        let text = cells.get(row);
        let read = text.as_ref().and_then(|text| normalizer.read(text).ok());
        let name = read.as_ref().map(|read| presentation.of(&read.doi));
        match name.as_deref() {
            // R keeps each distinct string once, and to look for one costs more than to read a name.
            Some(name) if cells.is(row, name) => names.keep(row, cells),
            name => names.set(row, name),
        }
    }
    normalizer
        .check()
        .map_err(|error| options::worded(&error))?;
    Ok(names.finish())
}

/// What becomes of each cell: its clean name, its status and the reason. A cell that is NA is empty.
pub(crate) fn clean(cells: &Cells<'_>, given: &List) -> Answer<Robj> {
    let builder = options::apply(
        NormalizeBuilder::default().clean(true),
        "clean_table",
        given,
    )?;
    let mut cleaner = builder.cleaner().map_err(|error| options::worded(&error))?;
    let mut frame = Frame::new(&[
        ("doi", Kind::Text),
        ("status", Kind::Text),
        ("reason", Kind::Text),
    ]);
    for row in 0..cells.len {
        let status = match cells.get(row) {
            Some(text) => cleaner.clean(&text),
            None => cleaner.missing(),
        };
        // A reason that quotes what was cut names no option.
        let names_options = matches!(status, CellStatus::Refused | CellStatus::Several);
        let reason = cleaner.reason().map(|reason| match names_options {
            true => options::worded(reason).into(),
            false => Cow::Borrowed(reason),
        });
        frame.push([
            cleaner.value().as_deref().into(),
            status.name().into(),
            reason.as_deref().into(),
        ]);
    }
    cleaner.check().map_err(|error| options::worded(&error))?;
    Ok(frame.into_list())
}
