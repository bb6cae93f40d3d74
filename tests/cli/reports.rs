//! The status of a run in its report.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::place::{self, Place, Seen, full, gzip, names};

/// Checks the members that all reports have. Returns the report.
fn ended(place: &Place, status: &str, exit_code: i32) -> Value {
    let report = place.json("r.json");
    assert_eq!(report["status"], status, "{report}");
    assert_eq!(report["exit_code"], exit_code, "{report}");
    let started = report["started"].as_str().unwrap();
    let shape: String = started
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00T00:00:00Z");
    assert!(
        report["version"].is_string() && report["seconds"].is_f64(),
        "{report}"
    );
    assert_eq!(
        report["failure"].is_null(),
        status == "complete",
        "{report}"
    );
    report
}

#[test]
fn a_run_that_fails_says_so_in_its_report() {
    let place = Place::new();
    place
        .file("bad.gz", &gzip(names(1000))[..900])
        .file("a.csv", "no records\n")
        .file("t.csv", "doi\n10.5555/a\n")
        .file("ok.names", "10.5555/a\n")
        .file("late.names", "10.5555/b\n10.5555/a\n");
    for line in [
        "scan bad.gz -o out.csv --report r.json --on-error fail",
        "scan bad.gz -o out.jsonl --mentions -j2 --report r.json --on-error fail",
        "merge a.csv -o out.csv --report r.json",
        "diff ok.names late.names -o out.csv --report r.json",
        "index bad.gz -o out.doix --report r.json --on-error fail",
    ] {
        let line: Vec<_> = line.split(' ').collect();
        // The report of an earlier run is replaced.
        place.file("r.json", r#"{"status":"complete"}"#);
        let seen = Seen::of(&mut place.command(&line));
        assert_eq!(seen.code, Some(2), "{line:?}: {}", seen.err);
        let report = ended(&place, "failed", 2);
        let failure = report["failure"].as_str().unwrap();
        assert!(
            seen.err.ends_with(&format!("doisift: {failure}\n")),
            "{}",
            seen.err
        );
        assert!(
            !place
                .entries()
                .iter()
                .any(|name| name.contains("out") || name.contains(".tmp"))
        );
    }
}

#[test]
fn a_full_device_is_the_failure_that_the_report_gives() {
    let place = Place::new();
    place.file("a", names(10_000));
    let mut command = place.command(["scan", "a", "--report", "r.json", "-f", "csv"]);
    let seen = Seen::of(command.stdout(full()));
    assert_eq!(seen.code, Some(2), "{}", seen.err);
    let report = ended(&place, "failed", 2);
    let failure = report["failure"].as_str().unwrap();
    assert!(failure.contains("space"), "{failure}");
}

#[test]
fn the_report_of_a_complete_run_has_its_exit_code() {
    let place = Place::new();
    place
        .file("bad.gz", &gzip(names(1000))[..900])
        .file("t.csv", "doi\n10.5555/a\nnone of ours\n")
        .file("old.names", "10.5555/a\n")
        .file("new.names", "10.5555/b\n")
        .file("a", names(10));
    place.scan("a -o a.csv").quiet();
    for (line, code) in [
        ("scan a -o out.csv --report r.json", 0),
        ("scan bad.gz -o out.csv --report r.json", 1),
        ("merge a.csv -o out.csv --report r.json", 0),
        ("normalize t.csv --column doi -o out --report r.json", 1),
        ("diff old.names new.names -o out.csv --report r.json", 0),
        (
            "diff old.names new.names -o out.csv --report r.json --exit-code",
            1,
        ),
    ] {
        let seen = Seen::of(&mut place.command(line.split(' ')));
        assert_eq!(seen.code, Some(code), "{line}: {}", seen.err);
        ended(&place, "complete", code);
    }
}

#[test]
fn a_run_that_is_interrupted_while_it_reads_writes_its_report() {
    let place = Place::new();
    let mut command = place.command(["scan", "-", "-o", "out.csv", "--report", "r.json"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    while !place.entries().iter().any(|name| name.ends_with(".tmp")) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was interrupted"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    place::signal(&child, "-TERM");
    let input = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    drop(input);
    ended(&place, "interrupted", 143);
    assert_eq!(place.entries(), ["r.json"]);
}
