//! The functions that the R files call. Errors are returned as values, which the R files turn into conditions.

use extendr_api::prelude::*;

use crate::cells::Cells;
use crate::explanation::ExplanationReader;
use crate::mentions::MentionReader;
use crate::names::{CleanReader, NameReader};
use crate::reading::Reading;
use crate::running::Run;
use crate::{Answer, guarded, tasks};

/// Starts to normalize cells, each of which is one name. Returns the [`Reading`]; it gives a character vector.
#[extendr]
fn normalize_cells(cells: Robj, options: List) -> Answer<Robj> {
    guarded(|| Ok(owned(Reading::new(cells, NameReader::new(&options)?))))
}

/// Starts to clean cells. Returns the [`Reading`]; it gives a frame with a row for each cell.
#[extendr]
fn clean_cells(cells: Robj, options: List) -> Answer<Robj> {
    guarded(|| Ok(owned(Reading::new(cells, CleanReader::new(&options)?))))
}

/// Starts to find mentions in texts. Returns the [`Reading`]; it gives a frame with a row for each mention.
#[extendr]
fn extract_cells(cells: Robj, clean: bool, kind: &str) -> Answer<Robj> {
    guarded(|| Ok(owned(Reading::new(cells, MentionReader::new(clean, kind)?))))
}

/// Starts to explain positions of texts that may start a name. Returns the [`Reading`]; it gives a frame with a row for each
/// step.
#[extendr]
fn explain_cells(cells: Robj, kind: &str) -> Answer<Robj> {
    guarded(|| Ok(owned(Reading::new(cells, ExplanationReader::new(kind)?))))
}

/// Reads some of the cells. Returns whether these were the last.
#[extendr]
fn read_cells(mut reading: ExternalPtr<Reading>) -> Answer<bool> {
    guarded(|| reading.go_on())
}

/// Returns the result for all cells.
#[extendr]
fn finish_cells(mut reading: ExternalPtr<Reading>) -> Answer<Robj> {
    guarded(|| reading.finish())
}

/// Starts a scan and returns the [`Run`]. It gives the rows, unless they are written to a file.
#[extendr]
fn start_scan(paths: Robj, options: List, mentions: bool, writes: bool) -> Answer<Robj> {
    guarded(|| tasks::scan(&Cells::of(&paths)?, &options, mentions, writes).map(owned))
}

/// Starts a check of references and returns the [`Run`].
#[extendr]
fn start_check(paths: Robj, options: List) -> Answer<Robj> {
    guarded(|| tasks::check(&Cells::of(&paths)?, &options).map(owned))
}

/// Waits a moment for the end of a run. Returns whether it has ended.
#[extendr]
fn wait_run(mut run: ExternalPtr<Run>) -> Answer<bool> {
    guarded(|| Ok(run.wait()))
}

/// Returns the bytes that a run has read, and the bytes of all sources, NA if unknown.
#[extendr]
fn run_progress(run: ExternalPtr<Run>) -> Answer<Robj> {
    guarded(|| Ok(run.progress().into()))
}

/// Ends a run early. Returns whether it has ended.
#[extendr]
fn cancel_run(mut run: ExternalPtr<Run>) -> Answer<bool> {
    guarded(|| Ok(run.cancel()))
}

/// Returns the rows of an ended run, unless they were written to a file, and its report.
#[extendr]
fn finish_run(mut run: ExternalPtr<Run>) -> Answer<Robj> {
    guarded(|| run.finish())
}

fn owned<T: 'static>(object: T) -> Robj {
    ExternalPtr::new(object).into()
}

extendr_module! {
    mod doisift;
    fn normalize_cells;
    fn clean_cells;
    fn extract_cells;
    fn explain_cells;
    fn read_cells;
    fn finish_cells;
    fn start_scan;
    fn start_check;
    fn wait_run;
    fn run_progress;
    fn cancel_run;
    fn finish_run;
}
