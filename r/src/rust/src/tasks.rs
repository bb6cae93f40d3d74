//! Scans and checks files.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use doisift::internal::{FieldValue, Forms, check_display, field_names};
use doisift::{Check, CheckedReference, Error, Form, Monitor, Scan, ScanReport};
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
    let fields = field_names(&scan).map_err(worded)?;
    Run::start(monitor, move || {
        let (rows, report) = match (writes, mentions) {
            (true, _) => (None, scan.run()),
            (false, true) => rows(fields, |rows| {
                scan.for_each_mention(|row| rows.push(|field| row.value_of(field)))
            }),
            (false, false) => rows(fields, |rows| {
                scan.for_each_record(|row| rows.push(|field| row.value_of(field)))
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
        let mut frame = Frame::new(&REFERENCE);
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

/// Collects the rows of a scan.
struct Rows {
    fields: Vec<&'static str>,
    frame: Frame,
}

impl Rows {
    fn push<'r>(&mut self, value: impl Fn(&str) -> Option<FieldValue<'r>>) -> ControlFlow<()> {
        let forms = value("forms").map(joined).unwrap_or_default();
        let row = self.fields.iter().map(|field| cell(value(field), &forms));
        self.frame.push(row);
        ControlFlow::Continue(())
    }
}

fn rows(
    fields: Vec<&'static str>,
    run: impl FnOnce(&mut Rows) -> std::result::Result<ScanReport, Error>,
) -> (Option<Frame>, std::result::Result<ScanReport, Error>) {
    let columns: Vec<_> = fields.iter().map(|field| (*field, kind(field))).collect();
    let frame = Frame::new(&columns);
    let mut rows = Rows { fields, frame };
    let report = run(&mut rows);
    (Some(rows.frame), report)
}

fn kind(field: &str) -> Kind {
    match FieldValue::empty(field) {
        Some(FieldValue::Number(_) | FieldValue::NullableNumber(_)) => Kind::Number,
        Some(FieldValue::Flag(_) | FieldValue::NullableFlag(_)) => Kind::Flag,
        _ => Kind::Text,
    }
}

/// Converts the value of a field. `forms` is the list of forms as in CSV.
fn cell<'v>(value: Option<FieldValue<'v>>, forms: &'v str) -> Value<'v> {
    match value {
        Some(FieldValue::Text(text)) => text.into(),
        Some(FieldValue::Nullable(text)) => text.into(),
        Some(FieldValue::Number(number)) => Some(number).into(),
        Some(FieldValue::NullableNumber(number)) => number.into(),
        Some(FieldValue::Flag(flag)) => flag.into(),
        Some(FieldValue::NullableFlag(flag)) => flag.into(),
        Some(FieldValue::Forms(_)) => forms.into(),
        _ => Value::Text(None),
    }
}

fn joined(forms: FieldValue<'_>) -> String {
    let names = |forms: Forms| forms.iter().map(Form::name).collect::<Vec<_>>();
    match forms {
        FieldValue::Forms(forms) => names(forms).join("|"),
        _ => String::new(),
    }
}

const REFERENCE: [(&str, Kind); 12] = [
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
    ]
}
