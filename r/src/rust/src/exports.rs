//! The functions that the R files call. An error is a value, of which these make a condition.

use extendr_api::prelude::*;

use crate::cells::Cells;
use crate::explanation::ExplanationReader;
use crate::mentions::MentionReader;
use crate::names::{CleanReader, NameReader};
use crate::reading::Reading;
use crate::running::Run;
use crate::{Answer, guarded, tasks};

/// Starts to read cells as the names that they are, for a text of each. -> the reading
#[extendr]
fn normalize_cells(cells: Robj, options: List) -> Answer<Robj> {
    guarded(|| Ok(owned(Reading::new(cells, NameReader::new(&options)?))))
}

/// The same for a frame that says what becomes of each cell.
#[extendr]
fn clean_cells(cells: Robj, options: List) -> Answer<Robj> {
    guarded(|| Ok(owned(Reading::new(cells, CleanReader::new(&options)?))))
}

/// The same for a frame of the mentions in texts.
#[extendr]
fn extract_cells(cells: Robj, clean: bool, kind: &str) -> Answer<Robj> {
    guarded(|| Ok(owned(Reading::new(cells, MentionReader::new(clean, kind)?))))
}

/// The same for a frame of what is decided about each position that may start a name.
#[extendr]
fn explain_cells(cells: Robj, kind: &str) -> Answer<Robj> {
    guarded(|| Ok(owned(Reading::new(cells, ExplanationReader::new(kind)?))))
}

/// Reads some of the cells. -> whether these were the last
#[extendr]
fn read_cells(mut reading: ExternalPtr<Reading>) -> Answer<bool> {
    guarded(|| reading.go_on())
}

/// What was made of the cells.
#[extendr]
fn finish_cells(mut reading: ExternalPtr<Reading>) -> Answer<Robj> {
    guarded(|| reading.finish())
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
