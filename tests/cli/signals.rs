//! Interrupted runs.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::place::{self, Place, Seen, fifo, gzip, names};
use crate::process::holds;

/// Interrupts a run once its temporary output exists, and waits for its end.
fn interrupt(place: &Place, mut child: Child, signal: &str) -> Option<i32> {
    while !place.entries().iter().any(|name| name.ends_with(".tmp")) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was interrupted"
        );
        thread::sleep(Duration::from_millis(5));
    }
    place::signal(&child, signal);
    // Standard input stays open until then.
    let input = child.stdin.take();
    let code = child.wait().unwrap().code();
    drop(input);
    code
}

fn code(signal: &str) -> i32 {
    match signal {
        "-HUP" => 129,
        "-INT" => 130,
        "-TERM" => 143,
        other => panic!("{other}"),
    }
}

#[test]
fn an_interrupted_run_leaves_nothing_and_exits_with_128_and_the_signal() {
    for (line, signal) in [
        ("- -j1 -o out.csv", "-INT"),
        ("- -j2 -o out.csv", "-INT"),
        ("- -j2 -o out.jsonl --mentions --report r.json", "-INT"),
        ("- -j2 -o out.csv", "-TERM"),
        ("fifo -j1 -o out.csv", "-INT"),
        ("fifo -j2 -o out.csv", "-INT"),
    ] {
        let place = Place::new();
        fifo(&place.path("fifo"));
        let mut command = place.command(["scan"]);
        let child = command
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        assert_eq!(
            interrupt(&place, child, signal),
            Some(code(signal)),
            "{line}"
        );
        if line.contains("--report") {
            let report = place.json("r.json");
            assert_eq!(report["status"], "interrupted", "{line}");
            assert_eq!(report["exit_code"], code(signal), "{line}");
            std::fs::remove_file(place.path("r.json")).unwrap();
        }
        assert_eq!(place.entries(), ["fifo"], "{line}");
    }
}

/// Waits until a process handles SIGINT and the signals that it registers later, and then some time for it to read input.
fn wait_until_watching(id: u32) {
    let caught = || Some(holds(id, "SigCgt", 2)? && holds(id, "SigCgt", 15)?);
    // Where the system does not show this, the test waits longer.
    while caught() == Some(false) {
        thread::sleep(Duration::from_millis(5));
    }
    let rest = if caught().is_some() { 50 } else { 500 };
    thread::sleep(Duration::from_millis(rest));
}

/// Interrupts a shell pipeline: the first program dies, and `line` reads only the bytes that it wrote before.
fn interrupt_pipeline(place: &Place, line: &str, bytes: &[u8], signal: &str) -> Seen {
    let (theirs, ours) = std::io::pipe().unwrap();
    let mut last = place.command(line.split(' '));
    last.stdin(theirs)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let last = last.process_group(0).spawn().unwrap();
    let group = i32::try_from(last.id()).unwrap();
    let mut first = Command::new("cat");
    first
        .stdin(Stdio::piped())
        .stdout(ours)
        .process_group(group);
    let mut first_child = first.spawn().unwrap();
    drop(first);
    let mut input = first_child.stdin.take().unwrap();
    input.write_all(bytes).unwrap();
    wait_until_watching(last.id());
    let kill = Command::new("kill")
        .args([signal, "--", &format!("-{group}")])
        .status();
    assert!(kill.unwrap().success());
    let seen = Seen::from(last.wait_with_output().unwrap());
    first_child.wait().unwrap();
    seen
}

#[test]
fn the_end_of_a_pipe_whose_writer_was_interrupted_is_not_the_end_of_the_data() {
    let text = names(3000);
    let record = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
        text.len()
    );
    let packed = gzip(&text);
    let half = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let cut = [
        half(text.as_bytes()),
        half(&packed),
        half(record.as_bytes()),
    ];
    let signals = ["-INT", "-TERM", "-HUP"];
    for (number, bytes) in cut.iter().enumerate() {
        for line in [
            "scan - -o out.csv -j1",
            "scan - -o out.names.gz -j2 --report r.json",
            "scan - -o out.jsonl -j2 --mentions --on-error fail",
        ] {
            let signal = signals[number % signals.len()];
            let place = Place::new();
            let seen = interrupt_pipeline(&place, line, bytes, signal);
            assert_eq!(seen.code, Some(code(signal)), "{line}: {}", seen.err);
            let reports: &[&str] = if line.contains("--report") {
                &["r.json"]
            } else {
                &[]
            };
            assert_eq!(place.entries(), reports, "{line}");
        }
    }
}

#[test]
fn a_list_or_records_cut_off_by_an_interruption_are_not_the_whole() {
    let place = Place::new();
    place.file("a", names(10));
    place.scan("a -o a.csv").quiet();
    let csv = place.read("a.csv");
    for (line, bytes) in [
        ("scan --files-from - -o out.csv -j1", "a\n"),
        ("merge - a.csv -o out.csv", &csv[..csv.len() - 20]),
        ("scan - -f names", &names(100)),
        ("merge - a.csv -f names", &csv[..csv.len() / 2]),
    ] {
        let seen = interrupt_pipeline(&place, line, bytes.as_bytes(), "-INT");
        assert_eq!(seen.code, Some(130), "{line}: {}", seen.err);
        assert_eq!(seen.out, "", "{line}");
        assert_eq!(place.entries(), ["a", "a.csv"], "{line}");
    }
}

#[test]
fn an_interrupted_run_reports_what_it_leaves_and_how_it_could_resume() {
    for (line, wanted) in [
        (
            "fifo -o out.csv",
            "interrupted; out.csv was not written; with --checkpoint DIR the same command would resume",
        ),
        (
            "fifo -o out.csv --mentions",
            "interrupted; out.csv was not written",
        ),
        ("- -o out.csv", "interrupted; out.csv was not written"),
        ("fifo -o out.csv -q", ""),
    ] {
        let place = Place::new();
        fifo(&place.path("fifo"));
        let mut command = place.command(["scan"]);
        command
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut err = child.stderr.take().unwrap();
        assert_eq!(interrupt(&place, child, "-INT"), Some(130), "{line}");
        let mut seen = String::new();
        std::io::Read::read_to_string(&mut err, &mut seen).unwrap();
        let wanted = if wanted.is_empty() {
            String::new()
        } else {
            format!("doisift: {wanted}\n")
        };
        assert_eq!(seen, wanted, "{line}");
    }
}
