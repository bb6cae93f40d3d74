//! Scans and checks files.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use doisift::internal::{CallerColumn, CallerRow, FieldValue, check_display, columns, for_each_row};
use doisift::{Check, CheckedReference, Error, Form, Monitor, Scan};
use extendr_api::prelude::*;

use crate::Answer;
use crate::cells::Cells;
use crate::frame::{Frame, Kind, Value};
use crate::options;
use crate::running::{Done, Run, TaskReport};

/// Starts a scan of `paths`. It gives records or mentions, or, with `writes`, writes rows of any kind to a file.
pub(crate) fn scan(paths: &Cells<'_>, given: &List, mentions: bool, writes: bool) -> Answer<Run> {
    let function = match (writes, mentions) {
        (true, _) => "scan",
        (false, true) => "iter_mentions",
        (false, false) => "iter_records",
    };
    let monitor = Monitor::new();
    let scan = Scan::new().mentions(mentions).measure(true);
    let scan = options::apply(scan, function, given)?.monitor(&monitor);
    let scan = each_path(paths)?.fold(scan, Scan::input);
    let columns = columns(&scan).map_err(worded)?;
    Run::start(monitor, move || {
        let kinds = columns.iter().map(|column| (column.name(), kind(column)));
        let mut rows = (!writes).then(|| Frame::new(kinds));
        let report = match &mut rows {
            None => scan.run(),
            Some(rows) => for_each_row(scan, |row| {
                push(rows, &columns, row);
                ControlFlow::Continue(())
            }),
        };
        let report = TaskReport::Scan(Box::new(report.map_err(worded)?));
        Ok(Done { rows, report })
    })
}

/// Starts a check of the references in `paths`.
pub(crate) fn check(paths: &Cells<'_>, given: &List) -> Answer<Run> {
    let monitor = Monitor::new();
    let check = options::apply(Check::new(), "check", given)?.monitor(&monitor);
    let check = each_path(paths)?.fold(check, Check::input);
    check_display(&check).map_err(worded)?;
    Run::start(monitor, move || {
        let mut frame = Frame::new(REFERENCE);
        let report = check.for_each_reference(|row| {
            frame.push(reference(row));
            ControlFlow::Continue(())
        });
        Ok(Done {
            rows: Some(frame),
            report: TaskReport::Check(Box::new(report.map_err(worded)?)),
        })
    })
}

fn worded(error: Error) -> String {
    options::worded(error)
}

/// Returns the paths of a vector. R has them in the encoding of the system.
fn each_path(paths: &Cells<'_>) -> Answer<std::vec::IntoIter<PathBuf>> {
    let path = |row| {
        paths
            .get(row)
            .map(|path| PathBuf::from(OsStr::from_bytes(&path)))
    };
    let all: Option<Vec<_>> = (0..paths.len).map(path).collect();
    let all = all.ok_or_else(|| "paths: NA is not a path".to_owned())?;
    Ok(all.into_iter())
}

/// Adds a row of a scan.
fn push(rows: &mut Frame, columns: &[CallerColumn], row: &CallerRow<'_>) {
    let forms = columns.iter().find_map(|column| joined(row.get(column)));
    let forms = forms.unwrap_or_default();
    rows.push(columns.iter().map(|column| cell(row.get(column), &forms)));
}

fn kind(column: &CallerColumn) -> Kind {
    match column.empty() {
        FieldValue::Number(_) | FieldValue::NullableNumber(_) => Kind::Number,
        FieldValue::Flag(_) | FieldValue::NullableFlag(_) => Kind::Flag,
        _ => Kind::Text,
    }
}

/// Converts the value of a column. `forms` is the list of forms as in CSV.
fn cell<'v>(value: FieldValue<'v>, forms: &'v str) -> Value<'v> {
    match value {
        FieldValue::Text(text) => text.into(),
        FieldValue::Nullable(text) => text.into(),
        FieldValue::Number(number) => Some(number).into(),
        FieldValue::NullableNumber(number) => number.into(),
        FieldValue::Flag(flag) => flag.into(),
        FieldValue::NullableFlag(flag) => flag.into(),
        FieldValue::Forms(_) => forms.into(),
        _ => Value::Text(None),
    }
}

/// Returns a list of forms as in CSV. `None` for another value.
fn joined(value: FieldValue<'_>) -> Option<String> {
    let FieldValue::Forms(forms) = value else {
        return None;
    };
    Some(forms.iter().map(Form::name).collect::<Vec<_>>().join("|"))
}

const REFERENCE: [(&str, Kind); 13] = [
    ("source", Kind::Text),
    ("document", Kind::Text),
    ("line", Kind::Number),
    ("column", Kind::Number),
    ("row", Kind::Number),
    ("key", Kind::Text),
    ("text", Kind::Text),
    ("doi", Kind::Text),
    ("verdict", Kind::Text),
    ("detail", Kind::Text),
    ("repair", Kind::Text),
    ("fixed", Kind::Flag),
    ("accepted", Kind::Flag),
    ("title", Kind::Text),
    ("authors", Kind::Text),
    ("year", Kind::Text),
];

fn reference(row: &CheckedReference) -> [Value<'_>; REFERENCE.len()] {
    [
        row.source.as_str().into(),
        row.document.as_deref().into(),
        row.line.into(),
        row.column.into(),
        row.row.into(),
        row.key.as_deref().into(),
        row.text.as_deref().into(),
        row.doi.as_deref().into(),
        row.verdict.name().into(),
        row.detail.as_deref().into(),
        row.repair.as_deref().into(),
        row.fixed.into(),
        row.accepted.into(),
        row.title.as_deref().into(),
        row.authors.as_deref().into(),
        row.year.as_deref().into(),
    ]
}
