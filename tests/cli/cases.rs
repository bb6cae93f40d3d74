//! Runs every case of `tests/cases/scan-*.toml` through the command, each in its own file.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Found, cases};
use crate::place::Place;

/// Returns the mention of a row. The bytes come from the case, since invalid UTF-8 is replaced in outputs.
fn found(row: &Value, bytes: &[u8]) -> Found {
    let number = |field: &str| row[field].as_u64().unwrap() as usize;
    let text = |field: &str| row[field].as_str().unwrap().to_owned();
    let (offset, length) = (number("offset"), number("length"));
    let written = bytes[offset..offset + length].to_vec();
    assert_eq!(text("text"), String::from_utf8_lossy(&written));
    Found {
        key: text("doi"),
        form: text("form"),
        text: written,
        offset: offset as u64,
        guessed: row["guessed"].as_bool().unwrap(),
    }
}

#[test]
fn the_command_finds_in_every_case_what_the_library_finds() {
    let place = Place::new();
    let cases = cases();
    for (number, case) in cases.iter().enumerate() {
        place.file(format!("cases/{number:04}"), &case.bytes);
    }
    for threads in ["1", "2"] {
        let seen = place
            .scan(&format!("cases --mentions -j {threads}"))
            .quiet();
        let mut by_source: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for row in seen.rows() {
            let source = row["source"].as_str().unwrap().to_owned();
            by_source.entry(source).or_default().push(row);
        }
        for (number, case) in cases.iter().enumerate() {
            let rows = by_source
                .remove(&format!("cases/{number:04}"))
                .unwrap_or_default();
            let all: Vec<_> = rows.iter().map(|row| found(row, &case.bytes)).collect();
            let wrong = case.difference(&all);
            assert!(
                wrong.is_none(),
                "{}, -j {threads}: {}",
                case.class,
                wrong.unwrap()
            );
        }
    }
}
