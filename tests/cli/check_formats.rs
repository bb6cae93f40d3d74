//! The formats of a check for code hosts, test runners and people.

use serde_json::Value;

use crate::place::{Place, Seen};

/// Entries with a finding, a good name, a note, and texts that mean something in each format.
const ENTRIES: &str = "@a{wrong, doi={10.1186/s40981-020-0361-0}}\n@a{good, doi={10.7777/a}}\n@a{none, title={x}}\n\
    @a{100%\u{7}|<b>, doi={see `@you`|</code>, \"::error::\"\n100%}}\n@a{wrong, doi={10.1186/s40981-020-0361-0}}\n";

/// Checks the entries in `format`, in a folder whose path is written with `./`.
fn checked(format: &str, more: &str) -> Seen {
    let place = Place::new();
    place.file("a b/refs,1.bib", ENTRIES);
    let args = ["check", "./a b/refs,1.bib", "-f", format];
    Seen::of(place.command(args).args(more.split_whitespace()))
}

#[test]
fn workflow_commands_are_one_line_each_and_escaped() {
    let seen = checked("github", "");
    assert_eq!(seen.code, Some(1));
    let wanted = [
        "::error file=a b/refs%2C1.bib,line=1,col=16,endColumn=40,title=doisift%3A wrong_check_digit::wrong 10.1186/s40981-020-0361-0: \
         wrong_check_digit: its last character does not agree with the others",
        "::notice file=a b/refs%2C1.bib,line=3,col=1,title=doisift%3A no_doi::none: no_doi",
        "::error file=a b/refs%2C1.bib,line=4,col=20,title=doisift%3A not_a_doi::100%25\u{7}|<b> see `@you`|</code>, \"::error::\"%0A100%25: \
         not_a_doi: N1: no directory indicator \"10.\", at byte 0",
        "::error file=a b/refs%2C1.bib,line=6,col=16,endColumn=40,title=doisift%3A wrong_check_digit::wrong 10.1186/s40981-020-0361-0: \
         wrong_check_digit: its last character does not agree with the others; the same name as ./a b/refs,1.bib:1",
    ];
    assert_eq!(seen.out.lines().collect::<Vec<_>>(), wanted);
    let chosen = checked("github", "--fail-on no_doi").out;
    let levels: Vec<_> = chosen.lines().map(|line| line.split(' ').next()).collect();
    assert_eq!(
        levels,
        ["::warning", "::error", "::warning", "::warning"].map(Some)
    );
}

#[test]
fn a_code_quality_report_has_an_issue_for_each_row_that_is_not_good() {
    let issues: Value = serde_json::from_str(&checked("gitlab", "").out).unwrap();
    let issues = issues.as_array().unwrap();
    assert_eq!(issues.len(), 4);
    let first = &issues[0];
    assert_eq!(first["check_name"], "wrong_check_digit");
    assert_eq!(first["severity"], "major");
    assert_eq!(first["location"]["path"], "a b/refs,1.bib");
    assert_eq!(first["location"]["lines"]["begin"], 1);
    assert_eq!(issues[1]["severity"], "info");
    let mut prints: Vec<_> = issues
        .iter()
        .map(|issue| issue["fingerprint"].as_str())
        .collect();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), 4, "two equal rows have two fingerprints");
    let none: Value = serde_json::from_str(&empty("gitlab")).unwrap();
    assert_eq!(none, Value::Array(Vec::new()));
}

#[test]
fn sarif_has_the_same_fingerprints_wherever_the_lines_are() {
    let prints = |text: String| -> Vec<Value> {
        let place = Place::new();
        place.file("a.bib", text);
        let seen = Seen::of(&mut place.command(["check", "a.bib", "-f", "sarif"]));
        let log: Value = serde_json::from_str(&seen.out).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        let print = |result: &Value| result["partialFingerprints"]["doisift/v1"].clone();
        results.iter().map(print).collect()
    };
    let first = prints(ENTRIES.to_owned());
    assert_eq!(first.len(), 4);
    assert_eq!(
        first,
        prints(format!("@a{{new, doi={{10.7777/b}}}}\n\n{ENTRIES}"))
    );
    assert!(
        first
            .iter()
            .all(|print| print.as_str().unwrap().len() == 32)
    );
}

#[test]
fn each_document_is_a_suite_and_each_finding_a_failure() {
    let out = checked("junit", "").out;
    let of = |start: &str| -> Vec<String> {
        let parts = out.split(start).skip(1);
        parts
            .map(|part| part.split('"').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of("<testsuite name=\""), ["a b/refs,1.bib"]);
    let names = ["wrong", "good", "none", "100%\u{fffd}|&lt;b&gt;", "wrong"];
    assert_eq!(of("\" name=\""), names);
    assert_eq!(of(" line=\""), ["1", "2", "3", "4", "6"]);
    let types = ["wrong_check_digit", "not_a_doi", "wrong_check_digit"];
    assert_eq!(of("<failure type=\""), types);
    assert!(
        out.contains("see `@you`|&lt;/code&gt;, &quot;::error::&quot;&#10;100%: not_a_doi"),
        "{out}"
    );
    let place = Place::new();
    place.file("f/a.bib", ENTRIES).file("f/b.bib", ENTRIES);
    let out = Seen::of(&mut place.command(["check", "f", "-f", "junit"])).out;
    for part in ["<testsuite ", "</testsuite>"] {
        assert_eq!(out.matches(part).count(), 2);
    }
    let start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"doisift check\">\n";
    assert_eq!(empty("junit"), format!("{start}</testsuites>\n"));
}

#[test]
fn markdown_has_counts_and_findings_and_no_markup_of_others() {
    let out = checked("markdown", "").out;
    assert!(
        out.starts_with("**3 findings** in 5 references.\n\n| place |"),
        "{out}"
    );
    let rows: Vec<_> = out.lines().filter(|line| line.contains("bib")).collect();
    assert_eq!(rows.len(), 3, "{out}");
    let cells = |row: &str| row.matches('|').count();
    assert!(rows.iter().all(|row| cells(row) == 6), "{out}");
    assert!(
        !out.contains("@you") && !out.contains("<b>") && !out.contains('`'),
        "{out}"
    );
    assert!(
        out.ends_with("| <code>not&#95;a&#95;doi</code> | 1 |\n| <code>no&#95;doi</code> | 1 |\n"),
        "{out}"
    );
    assert_eq!(empty("markdown"), "**0 findings** in 0 references.\n");
}

#[test]
fn markdown_for_a_summary_is_bounded_and_says_so() {
    let place = Place::new();
    let entry = |number| format!("@a{{k{number}, doi={{see the web}}}}\n");
    place.file("a.bib", (0..5000).map(entry).collect::<String>());
    Seen::of(&mut place.command(["check", "a.bib", "-o", "a.md"]));
    let out = place.read("a.md");
    assert!(out.len() < 600 << 10 && out.starts_with("**5000 findings**"));
    let shown = out.lines().filter(|line| line.contains("bib")).count();
    assert!(out.contains(&format!("\n{} more are not shown.\n", 5000 - shown)));
}

/// Returns the output for a text without references.
fn empty(format: &str) -> String {
    let place = Place::new();
    place.file("a.txt", "No names.\n");
    let seen = Seen::of(&mut place.command(["check", "a.txt", "-f", format]));
    assert_eq!(seen.code, Some(0));
    seen.out
}
