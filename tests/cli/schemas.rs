//! Rows and reports of all commands, checked against the schema of `--generate schemas`.

use serde_json::Value;

use crate::place::{Place, Seen};

/// Returns the faults of a value by a schema that has the keywords which the generator writes. Members that the schema lacks are
/// faults too, unless it has no members at all or says what others are.
fn faults(value: &Value, schema: &Value, whole: &Value) -> Vec<String> {
    if let Some(part) = schema["$ref"].as_str() {
        return faults(
            value,
            &whole["$defs"][part.rsplit('/').next().unwrap()],
            whole,
        );
    }
    let mut found = Vec::new();
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is_real = types == ["number"] && value.is_number();
    let is_typed = types.is_empty() || types.contains(&type_of(value)) || is_real;
    if !is_typed {
        found.push(format!("{value} is not {types:?}"));
    }
    if schema.get("const").is_some_and(|one| one != value) {
        found.push(format!("{value} is not {}", schema["const"]));
    }
    for element in value.as_array().into_iter().flatten() {
        found.extend(faults(element, &schema["items"], whole));
    }
    let Some(members) = value.as_object() else {
        return found;
    };
    let parents = schema["allOf"].as_array().into_iter().flatten();
    let parents: Vec<&Value> = parents
        .map(|parent| &whole["$defs"][parent["$ref"].as_str().unwrap().rsplit('/').next().unwrap()])
        .collect();
    let all = || [schema].into_iter().chain(parents.iter().copied());
    for required in all().flat_map(|schema| schema["required"].as_array().into_iter().flatten()) {
        if !members.contains_key(required.as_str().unwrap()) {
            found.push(format!("{required} is missing"));
        }
    }
    let is_open = schema.get("properties").is_none();
    for (name, member) in members {
        match all().find_map(|schema| schema["properties"].get(name)) {
            Some(schema) => found.extend(faults(member, schema, whole)),
            None if schema.get("additionalProperties").is_some() => {
                found.extend(faults(member, &schema["additionalProperties"], whole));
            }
            None if is_open => {}
            None => found.push(format!("{name} is not in the schema")),
        }
    }
    found
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn place() -> Place {
    let place = Place::new();
    place
        .file("a.json", r#"{"DOI":"10.1000/a","reference":[{"key":"r","DOI":"10.1000/b"},{"unstructured":"see 10.1000/c"}]}"#)
        .file("b.txt", "See 10.1000/a, 10.1000/d and https://doi.org/10.1000/e.\n")
        .file("bad.gz", &crate::place::gzip("10.1000/e ".repeat(99))[..40])
        .file("refs.bib", "@a{k, doi = {10.1000/a}}\n@a{l, doi = {10.1000/a.}}\n@a{m, doi = {web}}\n@a{n, title = {N}}\n")
        .file("table.csv", "doi,x\n10.1000/a.,1\nno,2\n")
        .file("names.txt", "10.1000/a\n")
        .file("watch.csv", "Record ID,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature\n1,5/31/2021 0:00,,10.1000/a,Retraction\n");
    place
}

/// Commands, each with the parts of the schema for its rows and its report. Later ones read what earlier ones wrote.
const COMMANDS: [(&str, &str, &str); 17] = [
    (
        "index names.txt watch.csv --date 2024 -o known.doix",
        "",
        "index",
    ),
    ("index --prefixes names.txt -o prefixes.doix", "", "index"),
    (
        "scan a.json b.txt bad.gz --known known.doix -o records.jsonl",
        "records",
        "scan",
    ),
    ("scan a.json b.txt -o records2.jsonl", "records", "scan"),
    (
        "scan a.json b.txt --mentions --context 9 --known known.doix -f jsonl -o mentions.jsonl",
        "mentions",
        "scan",
    ),
    (
        "scan a.json --edges --fields record,doi,ref_index,role,asserted,path,asserted_by,ref_key,relation,update_type,value,doi_clean,changed,form,source,document,offset,length,text,guessed,check_digit --nodes-to nodes.jsonl -o edges.jsonl",
        "edges",
        "scan",
    ),
    ("scan b.txt --pairs -o pairs.jsonl", "pairs", "scan"),
    (
        "scan b.txt --count -f jsonl -o count.jsonl",
        "counts",
        "scan",
    ),
    (
        "scan b.txt --top-prefixes 3 -f jsonl -o top.jsonl",
        "prefixes",
        "scan",
    ),
    (
        "merge records2.jsonl records2.jsonl -o merged.jsonl",
        "records",
        "merge",
    ),
    (
        "diff names.txt records2.jsonl -o diff.jsonl",
        "changes",
        "diff",
    ),
    (
        "diff edges.jsonl edges.jsonl -o edges-diff.jsonl",
        "changes",
        "diff",
    ),
    (
        "normalize table.csv --column doi --clean -o clean.csv",
        "",
        "normalize",
    ),
    (
        "check refs.bib --known known.doix --retractions watch.csv -o checked.jsonl",
        "references",
        "check",
    ),
    (
        "check refs.bib --known prefixes.doix -f jsonl -o prefixed.jsonl",
        "references",
        "check",
    ),
    (
        "check refs.bib --known known.doix -o checked.sarif",
        "sarif",
        "check",
    ),
    (
        "resolve 10.1000/a --endpoint http://127.0.0.1:1/ --contact a@example.org --attempts 1 -f jsonl -o answers.jsonl",
        "answers",
        "resolve",
    ),
];

#[test]
fn rows_and_reports_are_as_the_schema_says() {
    let place = place();
    let schema = Seen::of(&mut place.command(["--generate", "schemas"])).out;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let check = |value: &Value, part: &str, which: &str| {
        assert!(schema["$defs"][part].is_object(), "{part}");
        let faults = faults(value, &schema["$defs"][part], &schema);
        assert!(faults.is_empty(), "{which}: {part}: {}", faults.join("; "));
    };
    for (command, rows, report) in COMMANDS {
        let line = format!("{command} --report report.json");
        let seen = Seen::of(&mut place.command(line.split_whitespace()));
        assert!(matches!(seen.code, Some(0..=2)), "{command}: {}", seen.err);
        check(
            &place.json("report.json"),
            &format!("report_{report}"),
            command,
        );
        let output = command.rsplit(' ').next().unwrap();
        match rows {
            "" => {}
            "sarif" => check(&place.json(output), rows, command),
            rows => {
                let text = place.read(output);
                let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
                let lines: Vec<Value> = lines.collect();
                assert!(
                    !lines.is_empty() || command.starts_with("diff edges"),
                    "{command}"
                );
                lines.iter().for_each(|row| check(row, rows, command));
            }
        }
    }
    let nodes = place.read("nodes.jsonl");
    check(
        &serde_json::from_str(nodes.lines().next().unwrap()).unwrap(),
        "nodes",
        "nodes",
    );
    let failed = place.command(["check", "bad.gz", "--report", "failed.json"]);
    let mut failed = failed;
    Seen::of(&mut failed);
    check(&place.json("failed.json"), "report", "failed");
}

#[test]
fn wrong_values_are_faults() {
    let whole = serde_json::json!({"$defs": {"a": {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}, "required": ["n"]}}});
    let of = |value: Value| faults(&value, &whole["$defs"]["a"], &whole).len();
    assert_eq!(of(serde_json::json!({"n": 1})), 0);
    assert_eq!(of(serde_json::json!({"n": null})), 0);
    assert_eq!(of(serde_json::json!({"n": "1"})), 1);
    assert_eq!(of(serde_json::json!({"x": 1})), 2);
    assert_eq!(of(serde_json::json!([])), 1);
}
