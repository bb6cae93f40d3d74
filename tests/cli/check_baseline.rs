//! Findings that a file of accepted findings has.

use serde_json::Value;

use crate::place::{Place, Seen};

const WRONG: &str = "@a{wrong, doi={10.1186/s40981-020-0361-0}}\n@a{good, doi={10.7777/a}}\n";
const WEB: &str = "@a{web, doi={see the web}}\n";

impl Place {
    /// Runs `doisift check` with `line` split at blanks.
    fn accepting(&self, line: &str) -> Seen {
        Seen::of(self.command(["check"]).args(line.split_whitespace()))
    }

    /// Creates two bibliographies and a file of their findings.
    fn with_baseline() -> Place {
        let place = Place::new();
        place.file("f/a.bib", WRONG).file("f/b.bib", WEB);
        let seen = place.accepting("f --write-baseline accepted.json");
        assert_eq!(seen.code, Some(0), "{}", seen.err);
        place
    }
}

#[test]
fn all_findings_are_written_as_lines_and_accepted_from_then_on() {
    let place = Place::with_baseline();
    let written = place.read("accepted.json");
    let lines: Vec<_> = written.lines().collect();
    assert_eq!(lines.len(), 4, "{written}");
    assert!(
        lines[1].contains("\"source\":\"f/a.bib\"")
            && lines[1].contains("\"verdict\":\"wrong_check_digit\""),
        "{written}"
    );
    assert!(lines[2].contains("\"text\":\"see the web\""), "{written}");
    for folder in ["f", "./f"] {
        let line = format!("{folder} --baseline accepted.json -f jsonl --report report.json");
        let seen = place.accepting(&line);
        assert_eq!((seen.code, seen.err.as_str()), (Some(0), ""));
        let accepted: Vec<_> = seen
            .rows()
            .iter()
            .map(|row| row["accepted"] == true)
            .collect();
        assert_eq!(accepted, [true, false, true]);
        let report = place.json("report.json");
        assert_eq!(
            (&report["findings"], &report["accepted"]),
            (&0.into(), &2.into())
        );
        assert_eq!(report["unused_baseline"], 0);
    }
    let table = place.accepting("f --baseline accepted.json --stats");
    assert!(
        table.out.contains("accepted: its last character"),
        "{}",
        table.out
    );
    assert!(
        table.err.contains("; findings: 0; accepted: 2;"),
        "{}",
        table.err
    );
}

#[test]
fn a_finding_stays_accepted_on_another_line_but_not_with_another_text() {
    let place = Place::with_baseline();
    place.file("f/a.bib", format!("% A comment.\n\n{WRONG}"));
    assert_eq!(place.accepting("f --baseline accepted.json").code, Some(0));
    place.file("f/b.bib", WEB.replace("see the web", "see the other web"));
    let seen = place.accepting("f --baseline accepted.json -f jsonl");
    assert_eq!(seen.code, Some(1));
    assert_eq!(
        seen.err,
        "doisift: f/b.bib: web: not_a_doi: accepted, but found no longer\n"
    );
    // A second finding that is the same is a new one.
    place.file("f/b.bib", [WEB, WEB].concat());
    let seen = place.accepting("f --baseline accepted.json -f jsonl");
    let accepted: Vec<_> = seen
        .rows()
        .iter()
        .map(|row| row["accepted"] == true)
        .collect();
    assert_eq!(
        (seen.code, accepted),
        (Some(1), vec![true, false, true, false])
    );
}

#[test]
fn a_rewritten_file_keeps_what_was_not_read_and_drops_what_is_gone() {
    let place = Place::with_baseline();
    let before = place.read("accepted.json");
    let both = "--baseline accepted.json --write-baseline accepted.json";
    place.accepting(&format!("f/a.bib {both}")).quiet();
    assert_eq!(place.read("accepted.json"), before);
    place.file("f/a.bib", "@a{good, doi={10.7777/a}}\n");
    let seen = place.accepting(&format!("f {both} -f jsonl --report report.json"));
    assert!(
        seen.err
            .contains("f/a.bib: wrong: wrong_check_digit: accepted, but found no longer")
    );
    assert_eq!(place.json("report.json")["unused_baseline"], 1);
    let after = place.read("accepted.json");
    assert!(
        !after.contains("a.bib") && after.contains("b.bib"),
        "{after}"
    );
}

#[test]
fn a_file_of_accepted_findings_is_never_a_source() {
    let place = Place::with_baseline();
    place
        .accepting("f --write-baseline f/accepted.json")
        .quiet();
    let line = "f --baseline f/accepted.json --write-baseline f/accepted.json -f jsonl --report report.json";
    let before = place.read("f/accepted.json");
    let seen = place.accepting(line);
    assert_eq!((seen.code, seen.rows().len()), (Some(0), 3), "{}", seen.err);
    assert_eq!(place.json("report.json")["sources"], 2);
    assert_eq!(place.read("f/accepted.json"), before);
    let seen = place.accepting("f --baseline f/accepted.json -o f/accepted.json -f jsonl");
    assert_eq!(seen.code, Some(2));
    assert_eq!(place.read("f/accepted.json"), before);
}

#[test]
fn a_failed_run_writes_none_and_a_damaged_file_is_refused_with_its_place() {
    let place = Place::with_baseline();
    let before = place.read("accepted.json");
    let seen = place.accepting("f/a.bib missing.bib --write-baseline accepted.json");
    assert_eq!(
        (seen.code, place.read("accepted.json")),
        (Some(2), before.clone())
    );
    let cases = [
        (
            before.replace("]}", "]"),
            "damaged.json: not a file of accepted findings: EOF while parsing an object at line 5 column 0",
        ),
        (
            before.replace("see the web", "\",\"x\":\""),
            "damaged.json: not a file of accepted findings: unknown field `x`",
        ),
        (before.replace("not_a_doi", "bad"), "at line 3 column"),
        (
            before.replace("\"version\": 1", "\"version\": 7"),
            "accepted findings of version 7",
        ),
    ];
    for (text, wanted) in cases {
        place.file("damaged.json", &text);
        let seen = place.accepting("f --baseline damaged.json -o rows.jsonl");
        assert_eq!(seen.code, Some(2), "{text}");
        assert!(seen.err.contains(wanted), "{}", seen.err);
        assert!(!place.entries().contains(&"rows.jsonl".to_owned()));
    }
    let seen = place.accepting("f --baseline none.json");
    assert!(
        seen.code == Some(2) && seen.err.contains("none.json: cannot read"),
        "{}",
        seen.err
    );
}

#[test]
fn code_hosts_do_not_see_what_is_accepted() {
    let place = Place::with_baseline();
    let out = |format: &str| {
        place
            .accepting(&format!("f --baseline accepted.json -f {format}"))
            .out
    };
    assert_eq!(out("github"), "");
    assert_eq!(out("gitlab"), "[\n]\n");
    assert!(
        out("markdown").starts_with("**0 findings** in 3 references, 2 accepted.\n\n| verdict")
    );
    assert_eq!(
        out("junit")
            .matches("<skipped message=\"accepted\"/>")
            .count(),
        2
    );
    let log: Value = serde_json::from_str(&out("sarif")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        assert_eq!(result["suppressions"][0]["kind"], "external");
        assert_eq!(result["level"], "error");
    }
}
