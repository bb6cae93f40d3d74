//! Generates the JSON Schema of rows and reports, `docs/schemas/doisift.json`.
//!
//! The fields of rows come from the library, and their meanings from the reference. The members of reports are listed here; a test
//! compares both with the outputs of all commands.

use std::io::{self, Write};

use doisift::CheckVerdict;
use doisift::internal::{REPORT_SCHEMA_VERSION, row_schemas};
use serde_json::{Map, Value, json};

use crate::reference::{self, Definition};

/// Writes the schema. Its parts, in `$defs`, are the kinds of rows, the report of each command, and SARIF as `check` writes it.
pub(crate) fn page(out: &mut impl Write) -> io::Result<()> {
    let mut parts = Map::new();
    for rows in row_schemas() {
        let fields = rows.fields.iter().map(|field| {
            let mut schema = typed(field.types, meaning(rows.rows, field.name));
            if field.name == "verdict" {
                let words = CheckVerdict::ALL.iter().map(|verdict| verdict.name());
                schema["examples"] = words.collect();
            }
            (field.name, schema)
        });
        // No field of a reference is chosen.
        let required: Vec<&str> = match rows.rows {
            "references" => rows.fields.iter().map(|field| field.name).collect(),
            _ => Vec::new(),
        };
        parts.insert(rows.rows.to_owned(), object(fields, &required));
    }
    parts.insert("report".to_owned(), common_report());
    for (task, members) in REPORTS {
        parts.insert(format!("report_{task}"), report(members));
    }
    parts.extend(report_parts());
    parts.insert("sarif".to_owned(), sarif());
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": concat!(env!("CARGO_PKG_HOMEPAGE"), "/schemas/doisift.json"),
        "title": "Rows and reports of doisift",
        "description": "Each part describes a row of JSON Lines, a report or a document. Later versions may add members and words.",
        "$defs": parts,
    });
    serde_json::to_writer_pretty(&mut *out, &schema)?;
    out.write_all(b"\n")
}

/// Returns the meaning of a field in rows of a kind.
fn meaning(rows: &str, field: &str) -> &'static str {
    use reference::{ANSWER, CHANGE, CHECK, COUNTS, EDGE, KNOWN, MENTION, NODE, PAIR, RECORD};
    let own: &[Definition] = match rows {
        "mentions" => &MENTION,
        "pairs" => &PAIR,
        "edges" => &EDGE,
        "nodes" => &NODE,
        "counts" | "prefixes" => &COUNTS,
        "answers" => &ANSWER,
        "changes" => &CHANGE,
        "references" => &CHECK,
        _ => &[],
    };
    let all = own.iter().chain(&RECORD).chain(&MENTION).chain(&EDGE);
    let found = all.chain(&KNOWN).find(|(word, _)| *word == field);
    found.map_or("", |(_, meaning)| meaning)
}

/// The kind of the value of a member of a report.
#[derive(Clone, Copy)]
enum Member {
    Count,
    Text,
    /// An object of counts.
    Counts,
    /// A part of the schema.
    Part(&'static str),
    /// As before, but only in some reports.
    Some(&'static Member),
}

use Member::{Count, Counts, Part, Text};

/// Members of the reports of complete runs, besides those of all reports.
const REPORTS: [(&str, &[(&str, Member)]); 7] = [
    (
        "scan",
        &[
            ("resumed", Member::Some(&Counts)),
            ("sources", Count),
            ("documents", Count),
            ("cut_names", Count),
            ("bytes_read", Count),
            ("bytes_decoded", Count),
            ("candidates", Count),
            ("mentions", Count),
            ("filtered", Count),
            ("rejections", Counts),
            ("records", Count),
            ("names", Member::Some(&Count)),
            ("edges", Member::Some(&Counts)),
            ("known", Member::Some(&Part("known"))),
            ("runs", Count),
            ("spilled_bytes", Count),
            ("links", Count),
            ("skipped", Counts),
            ("errors", Part("losses")),
        ],
    ),
    (
        "merge",
        &[
            ("rows", Count),
            ("records", Count),
            ("mentions", Count),
            ("sorted", Count),
            ("runs", Count),
            ("spilled_bytes", Count),
        ],
    ),
    (
        "diff",
        &[
            ("compared", Text),
            ("old", Count),
            ("new", Count),
            ("appeared", Count),
            ("vanished", Count),
            ("retracted", Count),
        ],
    ),
    (
        "normalize",
        &[
            ("documents", Count),
            ("rows", Count),
            ("statuses", Counts),
            ("rules", Counts),
            ("ragged", Count),
            ("broken", Count),
            ("known", Member::Some(&Part("known"))),
            ("errors", Part("losses")),
            ("bytes_read", Count),
        ],
    ),
    (
        "index",
        &[
            ("sources", Count),
            ("resumed", Member::Some(&Counts)),
            ("documents", Count),
            ("names", Count),
            ("notices", Count),
            ("refused", Count),
            ("drafts", Count),
            ("known", Count),
            ("noted", Count),
            ("prefixes", Count),
            ("errors", Part("losses")),
            ("bytes_read", Count),
        ],
    ),
    (
        "check",
        &[
            ("sources", Count),
            ("documents", Count),
            ("references", Count),
            ("verdicts", Counts),
            ("findings", Count),
            ("fixed", Count),
            ("accepted", Count),
            ("unused_baseline", Count),
            ("unused_comments", Count),
            ("not_compared", Count),
            ("skipped", Counts),
            ("errors", Part("losses")),
            ("known", Member::Some(&Part("known"))),
            ("retractions", Member::Some(&Part("retractions"))),
            ("outdated", Member::Some(&Part("outdated"))),
            ("registry", Member::Some(&Counts)),
            ("bytes_read", Count),
        ],
    ),
    (
        "resolve",
        &[
            ("rows", Count),
            ("known", Count),
            ("unknown", Count),
            ("could_not_ask", Count),
            ("refused", Count),
            ("in_part", Count),
            ("cached", Count),
            ("asked", Count),
            ("errors", Part("losses")),
        ],
    ),
];

impl Member {
    fn schema(self) -> Value {
        match self {
            Member::Count => json!({"type": "integer", "minimum": 0}),
            Member::Text => json!({"type": "string"}),
            Member::Counts => {
                json!({"type": "object", "additionalProperties": Member::Count.schema()})
            }
            Member::Part(name) => json!({"$ref": format!("#/$defs/{name}")}),
            Member::Some(member) => member.schema(),
        }
    }

    fn is_required(&self) -> bool {
        !matches!(self, Member::Some(_))
    }
}

/// Members that every report has, also that of a run that failed.
fn common_report() -> Value {
    let members = [
        (
            "schema_version",
            json!({"const": REPORT_SCHEMA_VERSION, "description": "the version of the form of reports and rows"}),
        ),
        (
            "status",
            json!({"type": "string", "examples": ["complete", "failed", "interrupted", "closed"]}),
        ),
        ("exit_code", Member::Count.schema()),
        ("started", json!({"type": "string", "format": "date-time"})),
        (
            "failure",
            typed(&["string", "null"], "why the run is not complete"),
        ),
        ("version", Member::Text.schema()),
        ("seconds", json!({"type": "number", "minimum": 0})),
    ];
    let required = members.each_ref().map(|(name, _)| *name);
    object(members, &required)
}

fn report(members: &[(&str, Member)]) -> Value {
    let options = ("options", json!({"type": "object"}));
    let fields = members
        .iter()
        .map(|(name, member)| (*name, member.schema()));
    let required = members.iter().filter(|(_, member)| member.is_required());
    let required: Vec<_> = required.map(|(name, _)| *name).chain(["options"]).collect();
    let mut schema = object(fields.chain([options]), &required);
    schema["allOf"] = json!([{"$ref": "#/$defs/report"}]);
    schema
}

/// Returns the parts of reports that have members of their own.
fn report_parts() -> [(String, Value); 5] {
    let text_or_null = || typed(&["string", "null"], "");
    let source = [
        ("name", Text.schema()),
        ("agency", text_or_null()),
        ("date", text_or_null()),
        ("names", Count.schema()),
    ];
    let loss = [
        ("source", text_or_null()),
        ("document", text_or_null()),
        ("offset", typed(&["integer", "null"], "")),
        ("message", Text.schema()),
    ];
    let old = [("source", Text.schema()), ("date", Text.schema())];
    let known = [
        ("names", Count.schema()),
        ("sources", array(object(source, &["name", "names"]))),
        ("ends_changed", Count.schema()),
        ("rows", Counts.schema()),
    ];
    let losses = [
        ("count", Count.schema()),
        ("list", array(Part("loss").schema())),
    ];
    let retractions = [
        ("source", Text.schema()),
        ("notices", Count.schema()),
        ("names", Count.schema()),
        ("refused", Count.schema()),
        ("date", text_or_null()),
    ];
    [
        ("known", object(known, &["names", "sources"])),
        ("loss", object(loss, &["message"])),
        ("losses", object(losses, &["count", "list"])),
        ("retractions", object(retractions, &["source", "notices"])),
        ("outdated", array(object(old, &["source", "date"]))),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
}

/// What a check writes of SARIF 2.1.0. Its own schema is that of OASIS.
fn sarif() -> Value {
    let text = || Text.schema();
    let message = || object([("text", text())], &["text"]);
    let result = [
        ("ruleId", text()),
        (
            "level",
            json!({"type": "string", "examples": ["error", "warning", "note"]}),
        ),
        ("message", message()),
        ("locations", array(json!({"type": "object"}))),
        ("partialFingerprints", json!({"type": "object"})),
        ("suppressions", array(json!({"type": "object"}))),
    ];
    let rule = [
        ("id", text()),
        ("shortDescription", message()),
        ("fullDescription", message()),
        ("helpUri", text()),
        ("defaultConfiguration", json!({"type": "object"})),
    ];
    let driver = [
        ("name", json!({"const": "doisift"})),
        ("version", text()),
        ("informationUri", text()),
        ("rules", array(object(rule, &["id", "shortDescription"]))),
    ];
    let driver = object(driver, &["name", "version", "rules"]);
    let run = [
        ("tool", object([("driver", driver)], &["driver"])),
        ("columnKind", json!({"const": "unicodeCodePoints"})),
        (
            "results",
            array(object(result, &["ruleId", "level", "message", "locations"])),
        ),
    ];
    let document = [
        ("$schema", text()),
        ("version", json!({"const": "2.1.0"})),
        ("runs", array(object(run, &["tool", "results"]))),
    ];
    object(document, &["version", "runs"])
}

fn array(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

/// Returns the schema of values of some types. Numbers are counts, and elements of arrays are texts.
fn typed(types: &[&str], meaning: &str) -> Value {
    let mut schema = match types {
        [one] => json!({"type": one}),
        several => json!({"type": several}),
    };
    if types.contains(&"integer") {
        schema["minimum"] = json!(0);
    }
    if types.contains(&"array") {
        schema["items"] = Text.schema();
    }
    if !meaning.is_empty() {
        schema["description"] = json!(meaning);
    }
    schema
}

fn object<'n>(fields: impl IntoIterator<Item = (&'n str, Value)>, required: &[&str]) -> Value {
    let fields: Map<String, Value> = fields
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    let mut schema = json!({"type": "object", "properties": fields});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}
