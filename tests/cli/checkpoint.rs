//! Runs that are killed, interrupted or fail, and are resumed from their checkpoint.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use crate::place::{Place, fifo, gzip, names, signal};

/// Options with which a checkpoint is written after each source.
const SCAN: &str = "in -o out.csv --checkpoint ck --checkpoint-interval 0";

/// Some sources, of which the last is damaged.
fn place() -> Place {
    let place = Place::new();
    for number in 0..3 {
        let text =
            format!("doi:10.5555/a-{number} https://doi.org/10.5555/B%2F{number} 10.5555/all");
        place.file(format!("in/{number}"), text);
    }
    let packed = gzip(names(100));
    place.file("in/broken.gz", &packed[..packed.len() / 2]);
    place
}

/// Leaves a checkpoint of all sources except the damaged one.
fn break_off(place: &Place, options: &str) {
    let seen = place.scan(&format!("{SCAN} --on-error fail {options}"));
    assert_eq!(seen.code, Some(2), "{}", seen.err);
    assert_eq!(place.entries(), ["ck", "in"]);
}

fn runs(place: &Place) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.path("ck")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut runs: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "run"))
        .collect();
    runs.sort();
    runs
}

/// Waits until `holds`, while the run continues.
fn wait_until(child: &mut Child, holds: impl Fn() -> bool) {
    while !holds() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_run_that_failed_goes_on_once_its_cause_is_gone() {
    let place = place();
    break_off(&place, "");
    place.file("in/broken.gz", gzip("10.5555/mended"));
    let wanted = place.scan("in -f csv").quiet().out;
    place.scan(SCAN).quiet();
    assert_eq!(place.read("out.csv"), wanted);
    assert_eq!(place.entries(), ["in", "out.csv"]);
}

#[test]
fn a_flipped_byte_anywhere_in_a_run_is_refused_with_its_name() {
    for options in ["-j1", "-j2 -f names"] {
        let place = place();
        break_off(&place, options);
        let path = &runs(&place)[1];
        let content = fs::read(path).unwrap();
        for position in (0..content.len()).step_by(5) {
            let mut flipped = content.clone();
            flipped[position] ^= 0x10;
            fs::write(path, flipped).unwrap();
            let seen = place.scan(&format!("{SCAN} {options}"));
            assert_eq!(seen.code, Some(2), "byte {position}");
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(
                seen.err.contains(name) && seen.err.contains("damaged"),
                "{}",
                seen.err
            );
            assert_eq!(place.entries(), ["ck", "in"]);
        }
        fs::write(path, content).unwrap();
        assert_eq!(place.scan(&format!("{SCAN} {options}")).code, Some(1));
        assert_eq!(place.entries(), ["in", "out.csv"]);
    }
}

/// Sources that take some time, so that a run can be interrupted while it reads them.
fn slow_place() -> Place {
    let place = Place::new();
    for number in 0..20 {
        place.file(format!("in/{number:02}"), names(4000));
    }
    place
}

fn start(place: &Place, options: &[&str]) -> Child {
    let mut command = place.command(["scan"]);
    command.args(SCAN.split_whitespace()).args(options);
    command.stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_killed_run_shows_nothing_and_the_next_removes_what_it_left() {
    let place = slow_place();
    let wanted = place.scan("in -f csv").quiet().out;
    let mut killed = start(&place, &["-j2", "--report", "r.json"]);
    wait_until(&mut killed, || {
        place.path("ck/doisift-manifest.jsonl").exists()
    });
    signal(&killed, "-KILL");
    killed.wait().unwrap();
    let temporary = |name: &String| name.ends_with(".tmp");
    assert_eq!(
        place
            .entries()
            .iter()
            .filter(|name| temporary(name))
            .count(),
        2
    );
    assert!(!place.path("out.csv").exists());
    place
        .scan(&format!("{SCAN} -j1 --report other.json"))
        .quiet();
    assert!(place.read("out.csv") == wanted);
    assert_eq!(place.entries(), ["in", "other.json", "out.csv"]);
}

#[test]
fn an_interrupted_run_says_how_to_go_on_and_keeps_what_was_read() {
    let place = slow_place();
    let wanted = place.scan("in -f csv").quiet().out;
    for (kind, threads, code) in [
        ("-INT", "-j1", 130),
        ("-TERM", "-j2", 143),
        ("-HUP", "-j8", 129),
    ] {
        let mut child = start(&place, &[threads]);
        let begun = |name: &String| name.ends_with(".tmp");
        wait_until(&mut child, || {
            place.entries().iter().any(begun) && place.path("ck/doisift-manifest.jsonl").exists()
        });
        signal(&child, kind);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{kind}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("resumes from ck"), "{said}");
        assert_eq!(place.entries(), ["ck", "in"], "{kind}");
        assert!(!runs(&place).is_empty());
    }
    place.scan(SCAN).quiet();
    assert!(place.read("out.csv") == wanted);
}

#[test]
fn a_second_run_with_the_same_folder_is_refused() {
    let place = place();
    // The first run blocks until its report is read.
    fifo(&place.path("report"));
    let mut first = start(&place, &["--report", "report", "-q"]);
    wait_until(&mut first, || {
        place.path("ck/doisift-remains.json").exists()
    });
    let seen = place.scan(SCAN);
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err
            .contains("checkpoint in ck: another run is using it"),
        "{}",
        seen.err
    );
    fs::read_to_string(place.path("report")).unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(1));
    assert_eq!(place.entries(), ["in", "out.csv", "report"]);
}

/// A blocked read does not end by itself.
#[test]
fn interrupted_twice_it_ends_at_once_and_leaves_nothing() {
    let place = Place::new();
    let mut command = place.command(["scan", "-", "-o", "out.csv", "--memory", "1M"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(names(50_000).as_bytes()).unwrap();
    wait_until(&mut child, || {
        place
            .entries()
            .iter()
            .any(|name| name.contains("doisift-run"))
    });
    signal(&child, "-INT");
    // Signals are looked for every 50 ms, and those of one time count as one. Nothing shows that the first was seen.
    thread::sleep(Duration::from_millis(150));
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(input);
    assert_eq!(place.entries(), Vec::<String>::new());
}

#[test]
fn a_checkpoint_without_use_is_a_usage_error_that_says_why() {
    let place = place();
    fifo(&place.path("fifo"));
    for (options, why) in [
        (
            "in --mentions",
            "a run with --mentions or --edges can be resumed only if its rows are in parts",
        ),
        (
            "in --edges",
            "a run with --mentions or --edges can be resumed only",
        ),
        ("in -", "standard input can be read only once"),
        ("in fifo", "fifo can be read only once"),
    ] {
        let seen = place.scan(&format!("{options} -o out.csv --checkpoint ck"));
        assert_eq!(seen.code, Some(2));
        assert!(seen.err.contains(why), "{}", seen.err);
        assert_eq!(place.entries(), ["fifo", "in"], "{options}");
    }
}

#[test]
fn a_report_that_finds_no_room_keeps_the_output_from_its_name() {
    let place = Place::new();
    place.file("a", "10.5555/a");
    let seen = place.scan("a -o out.csv --report /dev/full");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("/dev/full"), "{}", seen.err);
    assert_eq!(place.entries(), ["a"]);
}

#[test]
fn a_gzip_has_the_same_bytes_however_its_rows_were_kept() {
    let place = Place::new();
    for number in 0..8 {
        let text = names(300 * (number + 1)).replace("name-", &format!("{number}-"));
        place.file(format!("in/{number}"), text);
    }
    for ending in ["names.gz", "csv.gz", "jsonl.gz"] {
        place.scan(&format!("in -o once.{ending} -j2")).quiet();
        let wanted = fs::read(place.path(format!("once.{ending}"))).unwrap();
        for options in ["--checkpoint ck --checkpoint-interval 0", "--memory 1M -j1"] {
            place
                .scan(&format!("in -o kept.{ending} {options}"))
                .quiet();
            let kept = fs::read(place.path(format!("kept.{ending}"))).unwrap();
            assert!(kept == wanted, "{ending} {options}");
        }
    }
}

#[test]
fn links_planted_in_the_folder_are_not_followed_and_nothing_of_others_is_removed() {
    let planted = [
        "doisift-new.tmp",
        "doisift-lock",
        "doisift-manifest.jsonl",
        "doisift-remains.json",
    ];
    for name in planted {
        let place = place();
        place.file("precious", "precious\n");
        fs::create_dir(place.path("ck")).unwrap();
        let link = place.path("ck").join(name);
        for target in ["../precious", "../missing", "../in", "fifo"] {
            match target {
                "fifo" => fifo(&link),
                target => symlink(target, &link).unwrap(),
            }
            let seen = place.scan(SCAN);
            assert_eq!(seen.code, Some(2), "{name} to {target}: {}", seen.err);
            let expected = format!("ck/{name} was not made by doisift; remove it");
            assert!(seen.err.contains(&expected), "{}", seen.err);
            assert_eq!(place.entries(), ["ck", "in", "precious"], "{name}");
            assert_eq!(place.read("precious"), "precious\n", "{name}");
            fs::remove_file(&link).unwrap();
        }
        assert_eq!(place.scan(SCAN).code, Some(1));
        assert_eq!(place.entries(), ["ck", "in", "out.csv", "precious"]);
        assert_eq!(fs::read_dir(place.path("ck")).unwrap().count(), 0);
    }
}

#[test]
fn a_file_under_the_name_of_one_of_ours_is_not_taken_for_proof_that_the_folder_is() {
    let place = place();
    place
        .file("ck/.notes.tmp", "notes\n")
        .file("precious", "precious\n");
    let notes = format!(
        "{:?}",
        place.path("ck/.notes.tmp").as_os_str().as_encoded_bytes()
    );
    let remains = format!("{{\"temporaries\":[{{\"Unix\":{notes}}}]}}");
    place.file("ck/doisift-remains.json", remains);
    // A hard link to a file of the checkpoint that will be replaced.
    fs::hard_link(place.path("precious"), place.path("ck/doisift-new.tmp")).unwrap();
    assert_eq!(place.scan(SCAN).code, Some(1));
    assert_eq!(place.entries(), ["ck", "in", "out.csv", "precious"]);
    assert_eq!(place.read("ck/.notes.tmp"), "notes\n");
    assert_eq!(place.read("precious"), "precious\n");
    // Nor does a lock file alone prove that doisift made the folder.
    let place = self::place();
    place.file("ck/doisift-lock", "not ours\n");
    let seen = place.scan(SCAN);
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("was not made by doisift"), "{}", seen.err);
    assert_eq!(place.read("ck/doisift-lock"), "not ours\n");
    assert_eq!(place.entries(), ["ck", "in"]);
}
