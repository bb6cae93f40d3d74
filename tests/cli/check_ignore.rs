//! Comments in documents that accept findings.

use std::fs;

use crate::place::{Place, Seen, gzip};

impl Place {
    fn ignoring(&self, line: &str) -> Seen {
        Seen::of(self.command(["check"]).args(line.split_whitespace()))
    }
}

/// Returns verdict and `accepted` of each row.
fn accepted(seen: &Seen) -> Vec<(String, bool)> {
    let rows = seen.rows().into_iter();
    rows.map(|row| {
        let verdict = row["verdict"].as_str().unwrap().to_owned();
        (verdict, row["accepted"] == true)
    })
    .collect()
}

const WRONG: &str = "10.1186/s40981-020-0361-0";

#[test]
fn a_comment_accepts_the_verdict_of_the_entry_or_text_on_the_next_line() {
    for (name, text) in [
        (
            "a.bib",
            format!(
                "% doisift: ignore wrong-check-digit\n@misc{{a, doi = {{{WRONG}}}}}\n@misc{{b,\n doi = {{{WRONG}}}}}\n"
            ),
        ),
        (
            "CITATION.cff",
            format!(
                "cff-version: 1.2.0\ntitle: a\nreferences:\n  # doisift: ignore wrong-check-digit\n  - doi: {WRONG}\n  - doi: {WRONG}\n"
            ),
        ),
        (
            "a.txt",
            format!("# doisift: ignore wrong-check-digit\n{WRONG}\n{WRONG}\n"),
        ),
        (
            "a.xml",
            format!(
                "<article><back><ref-list>\n<!-- doisift: ignore wrong-check-digit -->\n<ref id=\"a\"><element-citation>\n<pub-id pub-id-type=\"doi\">{WRONG}</pub-id>\
                 </element-citation></ref>\n<ref id=\"b\"><element-citation><pub-id pub-id-type=\"doi\">{WRONG}</pub-id></element-citation></ref></ref-list></back></article>"
            ),
        ),
    ] {
        let place = Place::new();
        place.file(name, text);
        let seen = place.ignoring(&format!("{name} -f jsonl --report report.json"));
        let wrong = |accepted| ("wrong_check_digit".to_owned(), accepted);
        assert_eq!(accepted(&seen), [wrong(true), wrong(false)], "{name}");
        assert_eq!((seen.code, seen.err.as_str()), (Some(1), ""), "{name}");
        let report = place.json("report.json");
        let counts =
            ["findings", "accepted", "unused_comments"].map(|count| report[count].as_u64());
        assert_eq!(counts, [Some(1), Some(1), Some(0)], "{name}");
        let sarif = place.ignoring(&format!("{name} -f sarif")).out;
        assert_eq!(sarif.matches("inSource").count(), 1, "{name}");
    }
}

#[test]
fn a_comment_that_accepts_nothing_is_reported() {
    let place = Place::new();
    place.file(
        "a.bib",
        format!("% doisift: ignore retracted, everything\n@misc{{a, doi = {{{WRONG}}}}}\n% doisift: ignore no-doi\n"),
    );
    let seen = place.ignoring("a.bib -f jsonl --report report.json");
    let wanted = "doisift: a.bib:1: this comment has everything, which is no verdict\n\
        doisift: a.bib:1: this comment accepts nothing on the next line\n\
        doisift: a.bib:3: this comment accepts nothing on the next line\n";
    assert_eq!((seen.code, seen.err.as_str()), (Some(1), wanted));
    assert_eq!(place.json("report.json")["unused_comments"], 2);
}

#[test]
fn an_accepted_finding_is_neither_repaired_nor_written_as_one() {
    let place = Place::new();
    let text = "% doisift: ignore written-wrongly\n@misc{a, doi = {10.5555/a.}}\n@misc{b, doi = {10.5555/b.}}\n";
    place.file("a.bib", text);
    let seen = place.ignoring("a.bib --write-baseline accepted.json -f jsonl");
    assert_eq!(seen.code, Some(0), "{}", seen.err);
    let written = fs::read_to_string(place.path("accepted.json")).unwrap();
    assert_eq!(written.matches("fingerprint").count(), 1);
    place.ignoring("a.bib --fix -f jsonl");
    let fixed = fs::read_to_string(place.path("a.bib")).unwrap();
    assert_eq!(fixed, text.replace("10.5555/b.", "10.5555/b"));
}

#[test]
fn comments_count_in_whatever_parts_a_document_is_read() {
    let place = Place::new();
    let entry = |number: usize| {
        let comment = if number.is_multiple_of(3) {
            "% doisift: ignore wrong-check-digit\n"
        } else {
            ""
        };
        format!(
            "{comment}@misc{{k{number}, title = {{{}}}, doi = {{{WRONG}}}}}\n",
            "a ".repeat(number % 701)
        )
    };
    let text: String = (0..6_000).map(entry).collect();
    place.file("a.bib", &text);
    place.file("a.bib.gz", gzip(text.as_bytes()));
    for line in ["a.bib", "a.bib --memory 1M", "a.bib.gz -j 4"] {
        let seen = place.ignoring(&format!("{line} -f jsonl --report report.json"));
        let report = place.json("report.json");
        let counts =
            ["references", "accepted", "unused_comments"].map(|count| report[count].as_u64());
        assert_eq!(
            counts,
            [Some(6_000), Some(2_000), Some(0)],
            "{line}: {}",
            seen.err
        );
        let rows = accepted(&seen);
        assert!(
            rows.iter()
                .enumerate()
                .all(|(at, (_, accepted))| *accepted == at.is_multiple_of(3))
        );
    }
}
