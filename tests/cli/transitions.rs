//! Runs in parts that resume with other threads and another budget, which decide how sources are read.
//!
//! A limit of the file size stops each run: the sources contain longer and longer names, and a part with one of them exceeds the
//! limit. So each run dies at a known row, at any speed.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use crate::containers::tar;
use crate::parts::files;
use crate::place::{Place, Seen, gzip};

/// Bytes of the long names. Each is longer than all other files that a run writes.
const LONG: [usize; 6] = [20_000, 28_000, 36_000, 44_000, 52_000, 60_000];
/// Bytes between the length of a name and the limit at which it stops a run.
const BELOW: usize = 4_000;
/// Bytes of the unit of `ulimit -f`.
const BLOCK: usize = 512;

/// Returns works with references, as JSON Lines, and a name of `long` bytes.
fn works(start: usize, long: usize) -> String {
    let work = |n: usize| {
        format!(
            "{{\"DOI\":\"10.5555/work-{n}\",\"reference\":[{{\"DOI\":\"10.5555/ref-{n}\"}}]}}\n"
        )
    };
    let name = "a1".repeat(long / 2);
    let long =
        format!("{{\"DOI\":\"10.5555/long\",\"reference\":[{{\"DOI\":\"10.5555/{name}\"}}]}}\n");
    let before: String = (start..start + 60).map(work).collect();
    before + &long + &(start + 60..start + 90).map(work).collect::<String>()
}

/// Creates small files, an archive, a plain file and a packed one, each with one or two long names.
fn place() -> Place {
    let place = Place::new();
    for number in 0..4 {
        let long = if number == 2 { LONG[0] } else { 2 };
        place.file(format!("in/a/{number}.jsonl"), works(number * 100, long));
    }
    let members: Vec<_> = (0..6)
        .map(|number| works(1000 + number * 100, if number == 3 { LONG[1] } else { 2 }))
        .collect();
    let named: Vec<_> = (0..6).map(|number| format!("{number}.jsonl")).collect();
    let members = named.iter().zip(&members);
    let members: Vec<(&str, &[u8])> = members.map(|(n, m)| (&**n, m.as_bytes())).collect();
    place.file("in/b.tar", tar(&members));
    place.file("in/c.jsonl", works(2000, LONG[2]) + &works(2500, LONG[3]));
    place.file(
        "in/d.gz",
        gzip(works(3000, LONG[4]) + &works(3500, LONG[5])),
    );
    place
}

/// Returns the combinations of threads and budgets.
fn ways(budgets: &[&str]) -> Vec<String> {
    let threads = [1, 2, 5].into_iter();
    let ways =
        threads.flat_map(|threads| budgets.iter().map(move |way| format!("-j{threads} {way}")));
    ways.collect()
}

/// Returns the parts with their names, and the report without the members that differ from run to run.
fn outcome(place: &Place, out: &str) -> (Vec<(String, Vec<u8>)>, Value) {
    let mut parts = Vec::new();
    for folder in [out.to_owned(), format!("{out}-nodes")] {
        if place.path(&folder).exists() {
            assert!(place.path(format!("{folder}/_SUCCESS")).exists());
            let found = files(place, &folder).into_iter();
            parts.extend(found.filter(|(name, _)| name.starts_with("part-")));
        }
    }
    let mut report = place.json(&format!("{out}.json"));
    for name in ["seconds", "options", "started", "resumed"] {
        report.as_object_mut().unwrap().remove(name);
    }
    (parts, report)
}

/// Returns the numbers of ways in an order in which each follows each way once, itself too: always the largest number that has not
/// followed the last one (a de Bruijn sequence by Martin's algorithm).
fn each_after_each(ways: usize) -> Vec<usize> {
    let mut order = vec![0];
    let mut seen = HashSet::new();
    let mut last = 0;
    while let Some(next) = (0..ways).rev().find(|next| seen.insert((last, *next))) {
        order.push(next);
        last = next;
    }
    assert_eq!(order.len(), ways * ways + 1);
    order
}

/// Stops a run at each long name, resumes it in another way, and compares the result with a run that was not stopped. Runs are
/// stopped and resumed until each way has followed each.
fn check_transitions(rows: &str, budgets: &[&str]) {
    let place = place();
    let line = |out: &str| {
        let rows = rows.replace("nodes/", &format!("{out}-nodes/"));
        format!("scan in {rows} -f jsonl --part-size 3K -o {out}/ --report {out}.json")
    };
    let run = |line: &str, max: usize| -> Seen {
        place.with_limit(&format!("ulimit -c 0; ulimit -f {}", max / BLOCK), line)
    };
    let endless = usize::MAX >> 8;
    run(&line("whole"), endless).quiet();
    let wanted = outcome(&place, "whole");
    assert!(wanted.0.len() > 20, "{rows}: {} parts", wanted.0.len());
    let ways = ways(budgets);
    let order = each_after_each(ways.len());
    for start in (0..order.len() - 1).step_by(LONG.len()) {
        let line = format!("{} --checkpoint ck --checkpoint-interval 0", line("out"));
        let mut way = order[start..].iter().chain(&order).map(|way| &ways[*way]);
        let mut done = Vec::new();
        for (long, way) in LONG.into_iter().zip(&mut way) {
            let seen = run(&format!("{line} {way}"), long - BELOW);
            done.push(way);
            assert_eq!(seen.code, None, "{rows}: {done:?} at {long}: {}", seen.err);
        }
        let way = way.next().unwrap();
        run(&format!("{line} {way}"), endless).quiet();
        let seen = outcome(&place, "out");
        assert!(seen.0 == wanted.0, "{rows}: {done:?}, {way}: other parts");
        assert_eq!(seen.1, wanted.1, "{rows}: {done:?}, {way}");
        assert!(!place.path("ck").exists());
        for folder in ["out", "out-nodes"] {
            let _ = fs::remove_dir_all(place.path(folder));
        }
    }
}

/// A budget with few threads and small chunks, one with chunks of some lines, and one for which all files are small.
const BUDGETS: [&str; 3] = [
    "--memory 1M --chunk 3000",
    "--memory 1G --chunk 20000",
    "--memory 1G",
];

#[test]
fn mentions_go_on_with_any_threads_and_budget() {
    check_transitions("--mentions --fields doi,source,document,offset", &BUDGETS);
}

#[test]
fn mentions_of_lines_go_on_with_any_threads_and_budget() {
    check_transitions(
        "--mentions --lines --fields doi,source,document,offset",
        &BUDGETS[..2],
    );
}

#[test]
fn mentions_with_context_go_on_with_any_threads_and_budget() {
    check_transitions(
        "--mentions --context 100 --fields doi,source,document,offset,after",
        &BUDGETS[..2],
    );
}

#[test]
fn edges_and_nodes_go_on_with_any_threads_and_budget() {
    check_transitions(
        "--edges --nodes-to nodes/ --fields doi,source,document,offset",
        &BUDGETS[..2],
    );
}

#[test]
fn a_mistyped_value_before_a_mark_is_reported_by_the_run_that_resumes() {
    let place = Place::new();
    let row = |n: usize| format!("10.5555/row-{n},2020\n");
    let table = String::from("doi,year\n") + &(0..300).map(row).collect::<String>();
    let mistyped = "{\"DOI\":\"10.5555/typo\",\"year\":\"in press\"}\n";
    // An array is not a table.
    let array = |lines: &str| format!("[{}]", lines.trim_end().replace('\n', ",\n"));
    let typo = array(&(mistyped.to_owned() + &works(0, 2)));
    let mut members = vec![("0.csv", table), ("1.json", typo)];
    let names = ["2.json", "3.json", "4.json", "5.json"];
    members.extend(names.map(|name| (name, array(&works(100, 2)))));
    members.push(("6.json", array(&works(1000, LONG[0]))));
    let members: Vec<(&str, &[u8])> = members.iter().map(|(n, m)| (*n, m.as_bytes())).collect();
    place.file("in.tar", tar(&members));
    let line = |out: &str| {
        let rows = "--edges --columns doi --record-fields year:int=/year --fields doi,document";
        format!("scan in.tar {rows} -f jsonl --part-size 3K -o {out}/ --report {out}.json")
    };
    let whole = place.with_limit("true", &line("whole"));
    assert_eq!(whole.code, Some(1), "{}", whole.err);
    let wanted = outcome(&place, "whole");
    assert_eq!(wanted.1["errors"]["list"].as_array().map(Vec::len), Some(1));
    for way in ["-j1", "-j2"] {
        let line = format!(
            "{} --checkpoint ck --checkpoint-interval 0 {way}",
            line("out")
        );
        let limit = format!("ulimit -c 0; ulimit -f {}", (LONG[0] - BELOW) / BLOCK);
        assert_eq!(place.with_limit(&limit, &line).code, None, "{way}");
        // The later run does not read the value again.
        let resumed = place.with_limit("true", &line);
        assert_eq!(resumed.code, Some(1), "{way}: {}", resumed.err);
        assert_eq!(resumed.err, "", "{way}");
        assert_eq!(outcome(&place, "out"), wanted, "{way}");
        fs::remove_dir_all(place.path("out")).unwrap();
    }
}
