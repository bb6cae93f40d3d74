//! An input that is also an output, and two outputs of one name: nothing is overwritten.

use std::fs::{self, File, hard_link};
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::place::{Place, Seen, fifo};

const TABLE: &str = "id,doi\n1,10.5555/keep\n";

/// Asserts a refusal: exit code 2, a message with its cause and a remedy, and no new file.
#[track_caller]
fn refused(place: &Place, seen: &Seen, before: &[String], reported: &[&str]) {
    assert_eq!(
        (seen.code, seen.out.as_str()),
        (Some(2), ""),
        "{}",
        seen.err
    );
    for part in reported {
        assert!(seen.err.contains(part), "{part}: {}", seen.err);
    }
    assert_eq!(seen.err.lines().count(), 1, "{}", seen.err);
    assert_eq!(place.entries(), before);
}

#[test]
fn a_named_source_is_not_overwritten_by_an_output() {
    let place = Place::new();
    place
        .file("n.csv", TABLE)
        .file("list", "n.csv\n")
        .file("other", "10.5555/other\n");
    symlink("n.csv", place.path("link.csv")).unwrap();
    hard_link(place.path("n.csv"), place.path("hard.csv")).unwrap();
    let before = place.entries();
    for line in [
        "n.csv -o n.csv",
        "n.csv -o ./n.csv",
        "n.csv other -o link.csv",
        "link.csv -o n.csv",
        "hard.csv -o n.csv",
        "other n.csv --report n.csv -o o.csv",
        "n.csv --report hard.csv",
        "--files-from list -o n.csv",
        "--files-from list -o list -f names",
        "n.csv -o n.csv -j1",
        "n.csv -o n.csv --checkpoint ck",
        "n.csv -o n.csv --shard 0/1 --on-error skip",
    ] {
        let seen = place.scan(line);
        refused(
            &place,
            &seen,
            &before,
            &["is read", "write to another file"],
        );
        assert_eq!(place.read("n.csv"), TABLE, "{line}");
        assert_eq!(place.read("list"), "n.csv\n", "{line}");
    }
}

#[test]
fn standard_input_is_not_overwritten_by_an_output() {
    let place = Place::new();
    place.file("n.csv", TABLE).file("list", "n.csv\n");
    let before = place.entries();
    for (line, input) in [
        ("-o n.csv", "n.csv"),
        ("- -o n.csv", "n.csv"),
        ("- --report n.csv", "n.csv"),
        ("--files-from - -o list -f names", "list"),
    ] {
        let stdin = File::open(place.path(input)).unwrap();
        let mut command = place.command(["scan"]);
        let seen = Seen::of(command.args(line.split(' ')).stdin(stdin));
        refused(
            &place,
            &seen,
            &before,
            &["standard input", "write to another file"],
        );
        assert_eq!(place.read("n.csv"), TABLE, "{line}");
        assert_eq!(place.read("list"), "n.csv\n", "{line}");
    }
}

#[test]
fn standard_output_that_is_a_named_source_is_refused() {
    let place = Place::new();
    place.file("n.csv", TABLE);
    let before = place.entries();
    for line in [
        "n.csv",
        "n.csv -o -",
        "n.csv -o /dev/stdout -f csv",
        "n.csv --mentions",
    ] {
        let out = File::options().append(true).open(place.path("n.csv"));
        let mut command = place.command(["scan"]);
        let seen = Seen::of(command.args(line.split(' ')).stdout(out.unwrap()));
        refused(
            &place,
            &seen,
            &before,
            &["n.csv is read", "write to another file"],
        );
        assert_eq!(place.read("n.csv"), TABLE, "{line}");
    }
}

#[test]
fn two_outputs_of_one_name_are_refused() {
    let place = Place::new();
    place
        .file("a", "10.5555/a\n")
        .file("old.csv", "old\n")
        .file("d/x", "");
    symlink("d", place.path("e")).unwrap();
    symlink("old.csv", place.path("link.csv")).unwrap();
    let before = place.entries();
    for line in [
        "a -o new.csv --report new.csv",
        "a -o new.csv --report ./d/../new.csv",
        "a -o d/new.csv --report e/new.csv",
        "a -o old.csv --report old.csv",
        "a -o old.csv --report link.csv",
        "a --report /dev/stdout",
        "a -o - --report -",
    ] {
        let seen = place.scan(line);
        refused(
            &place,
            &seen,
            &before,
            &["would both go to", "another file"],
        );
        assert_eq!(place.read("old.csv"), "old\n");
    }
    let line = "old.csv -o new.csv --report new.csv";
    let seen = Seen::of(place.command(["merge"]).args(line.split(' ')));
    refused(&place, &seen, &before, &["would both go to new.csv"]);
}

#[test]
fn an_older_output_below_a_folder_is_refused_with_how_to_leave_it_out() {
    let place = Place::new();
    place
        .file("d/a", "10.5555/a\n")
        .file("d/sub/b", "10.5555/b\n");
    place.scan("d -o d/sub/names.csv --report d/r.json").quiet();
    let first = place.read("d/sub/names.csv");
    let before = place.entries();
    for line in [
        "d -o d/sub/names.csv",
        "./d/sub/ -o d/sub/names.csv -j1",
        "d -o new.csv --report d/sub/names.csv",
        "d/a d -o d/sub/names.csv --checkpoint ck",
    ] {
        let seen = place.scan(line);
        let reported = ["is in a folder that is read", "--exclude 'names.csv'"];
        refused(&place, &seen, &before, &reported);
        assert_eq!(place.read("d/sub/names.csv"), first, "{line}");
    }
    // The proposed remedy works, and so do other ways to exclude the file.
    let all = "--exclude names.csv --exclude r.json --report d/r.json";
    place.scan(&format!("d -o d/sub/names.csv {all}")).quiet();
    assert_eq!(place.read("d/sub/names.csv"), first);
    place.scan("d --include ? -o d/sub/names.csv").quiet();
    assert_eq!(place.read("d/sub/names.csv"), first);
}

#[test]
fn a_hard_link_to_an_older_output_below_a_folder_is_not_passed_over() {
    let place = Place::new();
    place.file("d/a", "10.5555/a\n").file("o.csv", TABLE);
    hard_link(place.path("o.csv"), place.path("d/source")).unwrap();
    let before = place.entries();
    let seen = place.scan("d -o o.csv");
    refused(
        &place,
        &seen,
        &before,
        &["d/source", "o.csv", "--exclude 'source'"],
    );
    assert_eq!(place.read("o.csv"), TABLE);
}

#[test]
fn standard_output_below_a_folder_is_read_by_nobody_if_it_was_empty() {
    let place = Place::new();
    place.file("d/a", "10.5555/a\n").file("d/out", "");
    for line in ["d -f names", "d -f names -j1"] {
        let out = File::create(place.path("d/out")).unwrap();
        let seen = Seen::of(place.command(["scan"]).args(line.split(' ')).stdout(out));
        seen.quiet();
        assert_eq!(place.read("d/out"), "10.5555/a\n");
    }
    let out = File::options().append(true).open(place.path("d/out"));
    let seen = Seen::of(place.command(["scan", "d"]).stdout(out.unwrap()));
    refused(
        &place,
        &seen,
        &place.entries(),
        &["standard output", "--exclude 'out'"],
    );
    assert_eq!(place.read("d/out"), "10.5555/a\n");
}

#[test]
fn devices_and_pipes_are_input_and_output_at_once() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    place
        .scan("a -f csv -o /dev/null --report /dev/null")
        .quiet();
    place
        .scan("- a -q -f csv -o /dev/null --report /dev/null")
        .quiet();
    place.scan("/dev/null -q -f csv -o /dev/null").quiet();
    let null = || {
        File::options()
            .read(true)
            .write(true)
            .open("/dev/null")
            .unwrap()
    };
    let mut command = place.command(["scan", "-", "a", "-q"]);
    Seen::of(command.stdin(null()).stdout(null())).quiet();
    // Standard input and output are the same socket, as under some supervisors; or the same terminal.
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let fd = || Stdio::from(std::os::fd::OwnedFd::from(theirs.try_clone().unwrap()));
    let mut command = place.command(["scan", "-", "a", "-q", "-f", "names"]);
    let mut child = command.stdin(fd()).stdout(fd()).spawn().unwrap();
    drop((command, theirs));
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    let mut out = String::new();
    std::io::Read::read_to_string(&mut &ours, &mut out).unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), out.as_str()),
        (Some(0), "10.5555/a\n")
    );
    fifo(&place.path("fifo"));
    let reader = std::thread::spawn({
        let path = place.path("fifo");
        move || fs::read_to_string(path).unwrap()
    });
    place.scan("a -f names -o fifo").quiet();
    assert_eq!(reader.join().unwrap(), "10.5555/a\n");
}

#[test]
fn merging_into_an_input_works_but_overwriting_it_by_the_report_is_refused() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    place.scan("a -o a.csv").quiet();
    place.scan("a -o b.csv").quiet();
    let csv = place.read("a.csv");
    let merge = |line: &str| Seen::of(place.command(["merge"]).args(line.split(' ')));
    let before = place.entries();
    for line in [
        "a.csv b.csv -o o.csv --report b.csv",
        "a.csv --report a.csv",
    ] {
        refused(
            &place,
            &merge(line),
            &before,
            &["is read", "write to another file"],
        );
        assert_eq!(place.read("b.csv"), csv);
    }
    for (input, line) in [("a.csv", "a.csv -f csv"), ("a.csv", "- -f csv")] {
        let out = File::options()
            .append(true)
            .open(place.path(input))
            .unwrap();
        let stdin = File::open(place.path(input)).unwrap();
        let mut command = place.command(["merge"]);
        let seen = Seen::of(command.args(line.split(' ')).stdin(stdin).stdout(out));
        refused(&place, &seen, &before, &["is read", "standard output"]);
        assert_eq!(place.read("a.csv"), csv);
    }
    merge("a.csv b.csv -o a.csv").quiet();
    assert!(place.read("a.csv").contains("10.5555/a,2,2,"));
}

#[test]
fn an_output_in_the_checkpoint_with_the_name_of_its_file_is_refused() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    let seen = place.scan("a --checkpoint ck -f csv -o ck/doisift-manifest.jsonl");
    refused(&place, &seen, &["a".into()], &["a file of the checkpoint"]);
}

#[test]
fn a_dash_for_the_report_is_standard_output() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    let seen = place.scan("a -o o.csv --report -").quiet();
    let report: serde_json::Value = serde_json::from_str(&seen.out).unwrap();
    assert_eq!(report["mentions"], 1);
    assert_eq!(place.entries(), ["a", "o.csv"]);
    let mut command = place.command(["merge", "o.csv", "-o", "p.csv", "--report", "-"]);
    let report = Seen::of(&mut command).quiet().out;
    assert!(report.contains("\"records\": 1"), "{report}");
    let seen = place.scan("a --report -");
    refused(&place, &seen, &place.entries(), &["standard output"]);
    assert_eq!(place.entries(), ["a", "o.csv", "p.csv"]);
}

#[test]
fn a_list_on_standard_input_that_names_standard_input_is_refused() {
    let place = Place::new();
    place.file("list", "-\n").file("a", "10.5555/a\n");
    for (line, list) in [
        ("--files-from -", "-\n"),
        ("--files-from - a -o o.csv", "a\n-\n"),
        ("--files-from - -0", "-\0"),
    ] {
        let seen = place.scan_stdin(line, list.as_bytes());
        let reported = ["standard input can be read only once", "./-"];
        refused(&place, &seen, &["a".into(), "list".into()], &reported);
    }
    // Another list may name it.
    let seen = place
        .scan_stdin("--files-from list -f names", b"10.5555/b\n")
        .quiet();
    assert_eq!(seen.out, "10.5555/b\n");
}
