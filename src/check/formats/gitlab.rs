//! The code quality report of GitLab: an array of issues.

use std::io;

use serde_json::{Value, json};

use super::json_array::JsonArray;
use super::{LevelledRow, RowFormat, RowLevel};
use crate::check::fingerprint::Fingerprint;
use crate::records::Output;

struct Gitlab(JsonArray);

pub(super) fn start(out: Output) -> Box<dyn RowFormat> {
    Box::new(Gitlab(JsonArray::new(out, String::new())))
}

impl RowFormat for Gitlab {
    /// Writes the issue of a row with a level that is not accepted.
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()> {
        row.open_level().map_or(Ok(()), |(level, print)| {
            self.0.add(&issue(row, level, print))
        })
    }

    fn end(self: Box<Self>) -> io::Result<Output> {
        self.0.end("")
    }
}

fn issue(row: &LevelledRow<'_>, level: RowLevel, print: Fingerprint) -> Value {
    let severity = match level {
        RowLevel::Error => "major",
        RowLevel::Warning => "minor",
        RowLevel::Note => "info",
    };
    // A line must be given.
    let line = row.region().map_or(1, |(line, ..)| line);
    json!({
        "description": row.message(),
        "check_name": row.row.verdict.name(),
        "fingerprint": print.to_string(),
        "severity": severity,
        "location": {
            "path": row.path().unwrap_or_else(|| "-".to_owned()),
            "lines": {"begin": line},
        },
    })
}
