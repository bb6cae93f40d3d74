//! The rows of a check as SARIF 2.1.0, the format of code hosts and editors for the findings of checkers.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::row::CheckedReference;
use super::verdict::CheckVerdict;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the start of the document, up to its results.
pub(super) fn start(out: &mut impl Write) -> io::Result<()> {
    let rule = |verdict: CheckVerdict| {
        json!({
            "id": verdict.name(),
            "shortDescription": {"text": verdict.meaning()},
            "fullDescription": {"text": format!("{}.", verdict.meaning())},
            "defaultConfiguration": {"level": level(verdict.is_finding())},
        })
    };
    let rules: Vec<Value> = CheckVerdict::ALL.iter().copied().map(rule).collect();
    let tool = json!({"driver": {"name": "doisift", "version": env!("CARGO_PKG_VERSION"), "rules": rules}});
    write!(
        out,
        "{{\n\"$schema\": \"{SCHEMA}\",\n\"version\": \"2.1.0\",\n\"runs\": [{{\n\"tool\": {tool},\n\
         \"columnKind\": \"unicodeCodePoints\",\n\"results\": ["
    )
}

/// Writes a result after others.
pub(super) fn add(out: &mut impl Write, result: &Value, is_first: bool) -> io::Result<()> {
    let between = if is_first { "" } else { "," };
    write!(out, "{between}\n{result}")
}

/// Writes the end of the document.
pub(super) fn end(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\n]\n}]\n}\n")
}

/// Returns the result of a row, or `None` for a good name, unless it is a finding.
pub(super) fn result(row: &CheckedReference, is_finding: bool) -> Option<Value> {
    let is_good = matches!(row.verdict, CheckVerdict::Known | CheckVerdict::WellFormed);
    if is_good && !is_finding {
        return None;
    }
    Some(json!({
        "ruleId": row.verdict.name(),
        "level": level(is_finding),
        "message": {"text": message(row)},
        "locations": [{"physicalLocation": location(row)}],
    }))
}

fn level(is_finding: bool) -> &'static str {
    if is_finding { "error" } else { "note" }
}

fn message(row: &CheckedReference) -> String {
    let parts = [&row.key, &row.doi, &row.text];
    let named: Vec<&str> = parts
        .into_iter()
        .flatten()
        .take(2)
        .map(String::as_str)
        .collect();
    let mut text = format!("{}: {}", named.join(" "), row.verdict.name());
    if named.is_empty() {
        text = row.verdict.name().to_owned();
    }
    if let Some(detail) = &row.detail {
        text += &format!(": {detail}");
    }
    text
}

fn location(row: &CheckedReference) -> Value {
    let mut location = json!({"artifactLocation": {"uri": uri(&row.source)}});
    if let (Some(line), Some(column)) = (row.line, row.column) {
        let text = row.text.as_deref().unwrap_or_default();
        let mut region = json!({"startLine": line, "startColumn": column});
        if !text.contains(['\n', '\r']) {
            region["endColumn"] = json!(column + text.chars().count() as u64);
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
