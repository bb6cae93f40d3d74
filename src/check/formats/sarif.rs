//! SARIF 2.1.0, the format of code hosts and editors for the findings of checkers.

use std::io;

use serde_json::{Value, json};

use super::json_array::JsonArray;
use super::{LevelledRow, RowFormat, RowLevel};
use crate::check::fingerprint::Fingerprint;
use crate::check::verdict::CheckVerdict;
use crate::records::Output;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The page of the book that explains the verdicts, at an anchor for each.
const VERDICTS: &str = concat!(env!("CARGO_PKG_HOMEPAGE"), "/guide/check.html");

struct Sarif(JsonArray);

pub(super) fn start(out: Output) -> Box<dyn RowFormat> {
    let rules: Vec<Value> = CheckVerdict::ALL.iter().copied().map(rule).collect();
    let tool = json!({"driver": {
        "name": "doisift",
        "version": env!("CARGO_PKG_VERSION"),
        "informationUri": env!("CARGO_PKG_HOMEPAGE"),
        "rules": rules,
    }});
    let before = format!(
        "{{\n\"$schema\": \"{SCHEMA}\",\n\"version\": \"2.1.0\",\n\"runs\": [{{\n\"tool\": {tool},\n\
         \"columnKind\": \"unicodeCodePoints\",\n\"results\": "
    );
    Box::new(Sarif(JsonArray::new(out, before)))
}

fn rule(verdict: CheckVerdict) -> Value {
    let is_finding = verdict.is_finding();
    json!({
        "id": verdict.name(),
        "shortDescription": {"text": verdict.meaning()},
        "fullDescription": {"text": format!("{}.", verdict.meaning())},
        "helpUri": format!("{VERDICTS}#{}", verdict.name()),
        "defaultConfiguration": {"level": if is_finding { "error" } else { "note" }},
    })
}

impl RowFormat for Sarif {
    /// Writes the result of a row with a level.
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()> {
        row.level.map_or(Ok(()), |(level, print)| {
            self.0.add(&result(row, level, print))
        })
    }

    fn end(self: Box<Self>) -> io::Result<Output> {
        self.0.end("\n}]\n}")
    }
}

fn result(row: &LevelledRow<'_>, level: RowLevel, print: Fingerprint) -> Value {
    let level = match level {
        RowLevel::Error => "error",
        RowLevel::Warning => "warning",
        RowLevel::Note => "note",
    };
    let mut result = json!({
        "ruleId": row.row.verdict.name(),
        "level": level,
        "message": {"text": row.message()},
        "locations": [{"physicalLocation": location(row)}],
        "partialFingerprints": {"doisift/v1": print.to_string()},
    });
    if row.row.accepted {
        let kind = if row.by_comment {
            "inSource"
        } else {
            "external"
        };
        result["suppressions"] = json!([{"kind": kind}]);
    }
    result
}

fn location(row: &LevelledRow<'_>) -> Value {
    let path = row.path();
    let mut location = json!({"artifactLocation": {"uri": uri(path.as_deref().unwrap_or("-"))}});
    if let Some((line, column, end)) = row.region() {
        let mut region = json!({"startLine": line, "startColumn": column});
        if let Some(end) = end {
            region["endColumn"] = json!(end);
        }
        location["region"] = region;
    }
    location
}

/// A path as a reference of RFC 3986.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
