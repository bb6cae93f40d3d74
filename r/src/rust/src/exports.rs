//! The functions that the R files call. An error is a value, of which these make a condition.

use extendr_api::prelude::*;

use crate::cells::Cells;
use crate::running::Run;
use crate::{Answer, explanation, guarded, mentions, names, tasks};

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

/// Starts a scan, whose rows are returned unless they are written to a file. -> the run
#[extendr]
fn start_scan(paths: Robj, options: List, mentions: bool, writes: bool) -> Answer<Robj> {
    guarded(|| tasks::scan(&Cells::of(&paths)?, &options, mentions, writes).map(owned))
}

/// Starts a check of references. -> the run
#[extendr]
fn start_check(paths: Robj, options: List) -> Answer<Robj> {
    guarded(|| tasks::check(&Cells::of(&paths)?, &options).map(owned))
}

/// Waits a moment for the end of a run. -> whether it has ended
#[extendr]
fn wait_run(mut run: ExternalPtr<Run>) -> Answer<bool> {
    guarded(|| Ok(run.wait()))
}

/// How many bytes a run has read, and has to read if that is known.
#[extendr]
fn run_progress(run: ExternalPtr<Run>) -> Answer<Robj> {
    guarded(|| Ok(run.progress().into()))
}

/// Ends a run early.
#[extendr]
fn cancel_run(mut run: ExternalPtr<Run>) -> Answer<bool> {
    guarded(|| Ok(run.cancel()))
}

/// What a run that has ended gives: its rows, if they are not written to a file, and its report.
#[extendr]
fn finish_run(mut run: ExternalPtr<Run>) -> Answer<Robj> {
    guarded(|| run.finish())
}

fn owned(run: Run) -> Robj {
    ExternalPtr::new(run).into()
}

extendr_module! {
    mod doisift;
    fn normalize_cells;
    fn clean_cells;
    fn extract_cells;
    fn explain_cells;
    fn start_scan;
    fn start_check;
    fn wait_run;
    fn run_progress;
    fn cancel_run;
    fn finish_run;
}
