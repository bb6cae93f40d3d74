//! Temporary files of killed and of running commands in folders that are scanned.

use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};
use std::thread;
use std::time::Duration;

use crate::place::{Place, Seen, names};

/// Starts a run on standard input. When this returns, the run has written temporary files and waits for more input.
#[track_caller]
fn waiting(place: &Place, line: &str, has_begun: impl Fn(&Place) -> bool) -> (Child, ChildStdin) {
    let mut command = place.command(["scan", "-"]);
    command.args(line.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut run = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = run.stdin.take().unwrap();
    input.write_all(names(100_000).as_bytes()).unwrap();
    while !has_begun(place) {
        assert!(run.try_wait().unwrap().is_none());
        thread::sleep(Duration::from_millis(5));
    }
    (run, input)
}

fn has_runs(place: &Place) -> bool {
    let is_run = |name: &String| name.contains("doisift-run");
    place.entries().iter().any(is_run)
}

fn has_rows(place: &Place) -> bool {
    let size = |name: &String| std::fs::metadata(place.path(name)).map_or(0, |at| at.len());
    let is_output = |name: &String| name.ends_with(".tmp") && size(name) > 1000;
    place.entries().iter().any(is_output)
}

#[test]
fn what_a_killed_run_left_is_not_read_and_removed() {
    for (line, is_mentions) in [
        ("-o o.csv --mentions", true),
        ("-o o.csv --memory 1M", false),
    ] {
        let has_begun = |place: &Place| match is_mentions {
            true => has_rows(place),
            false => has_runs(place),
        };
        let place = Place::new();
        place.file("in/a", names(10));
        let (mut run, input) = waiting(&place, line, has_begun);
        run.kill().unwrap();
        run.wait().unwrap();
        drop(input);
        assert!(place.entries().len() > 1, "{line}");
        let seen = place.scan(". -f names --report r.json").quiet();
        assert_eq!(seen.out.lines().count(), 10, "{line}");
        assert_eq!(place.json("r.json")["sources"], 1, "{line}");
        assert_eq!(place.entries(), ["in", "r.json"], "{line}");
    }
}

#[test]
fn a_killed_runs_leftovers_go_when_the_output_is_written_again() {
    let place = Place::new();
    place.file("in/a", names(10));
    let (mut run, input) = waiting(&place, "-o o.csv --mentions", has_rows);
    run.kill().unwrap();
    run.wait().unwrap();
    drop(input);
    place.scan("in -o o.csv").quiet();
    assert_eq!(place.entries(), ["in", "o.csv"]);
}

#[test]
fn runs_in_one_folder_leave_each_other_alone() {
    let place = Place::new();
    place.file("in/a", names(10));
    let line = "-o first.csv --memory 1M -j2 --report first.json";
    let (run, input) = waiting(&place, line, has_runs);
    let seen = place.scan(". -o second.csv --memory 1M --report second.json");
    seen.quiet();
    assert_eq!(place.json("second.json")["mentions"], 10);
    assert_eq!(place.json("second.json")["sources"], 1);
    drop(input);
    Seen::from(run.wait_with_output().unwrap()).quiet();
    assert_eq!(place.json("first.json")["records"], 100_000);
    let left = ["first.csv", "first.json", "in", "second.csv", "second.json"];
    assert_eq!(place.entries(), left);
}

#[test]
fn a_users_file_with_a_temporary_name_is_read_and_stays() {
    let place = Place::new();
    let files = [".something.tmp", ".o.csv.a1B2c3.tmp", ".doisift-notes.tmp"];
    for file in files {
        place.file(file, format!("10.5555/{file}-x"));
    }
    assert_eq!(place.scan(". -f names").quiet().out.lines().count(), 3);
    assert_eq!(place.entries().len(), 3);
}

#[test]
fn a_checkpoint_in_the_folder_is_not_read_and_stays() {
    let place = Place::new();
    place
        .file("in/a", names(10))
        .file("in/cp/doisift-lock", "")
        .file("in/cp/doisift-manifest.jsonl", names(3))
        .file("in/cp/doisift-0123456789abcdef.run", names(4))
        .file("in/cp/notes", names(1))
        .file("in/doisift-0123456789abcdef.run", "10.5555/mine");
    let seen = place.scan("in -f names --report r.json").quiet();
    assert_eq!(seen.out.lines().count(), 11);
    assert_eq!(place.json("r.json")["sources"], 3);
    assert!(place.path("in/cp/doisift-manifest.jsonl").exists());
}

#[test]
fn a_temporary_file_that_is_named_is_passed_over_with_a_warning() {
    let place = Place::new();
    let file = ".doisift-output.o.csv.00000000-a1B2c3.tmp";
    place.file(file, names(1));
    let seen = place.scan(&format!("{file} -f names"));
    assert_eq!((seen.code, seen.out.as_str()), (Some(0), ""));
    assert!(
        seen.err
            .contains("temporary files of doisift are not read: 1"),
        "{}",
        seen.err
    );
}
