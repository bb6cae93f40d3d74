//! The functions that the R files call. An error is a value, of which these make a condition.

use extendr_api::prelude::*;

use crate::cells::Cells;
use crate::{Answer, explanation, guarded, mentions, names};

/// The names that cells are, a text for each cell.
#[extendr]
fn normalize_cells(cells: Robj, options: List) -> Answer<Robj> {
    guarded(|| names::normalize(&Cells::of(&cells)?, &options))
}

/// What becomes of cells: a frame with a row for each.
#[extendr]
fn clean_cells(cells: Robj, options: List) -> Answer<Robj> {
    guarded(|| names::clean(&Cells::of(&cells)?, &options))
}

/// The mentions in texts: a frame.
#[extendr]
fn extract_cells(cells: Robj, clean: bool, kind: &str) -> Answer<Robj> {
    guarded(|| mentions::extract(&Cells::of(&cells)?, clean, kind))
}

/// What is decided about each position of texts that may start a name: a frame.
#[extendr]
fn explain_cells(cells: Robj, kind: &str) -> Answer<Robj> {
    guarded(|| explanation::explain(&Cells::of(&cells)?, kind))
}

extendr_module! {
    mod doisift;
    fn normalize_cells;
    fn clean_cells;
    fn extract_cells;
    fn explain_cells;
}
