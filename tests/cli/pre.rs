//! Commands that are run for files, whose output is read instead.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::{Place, Seen, gzip, names, signal};

/// Writes a shell script. A child writes it, so that no other test can have it open while it is run.
fn script(place: &Place, name: &str, lines: &str) {
    let write = format!("cat > {name} && chmod +x {name}");
    let mut shell = Command::new("sh");
    place.file("lines", format!("#!/bin/sh\n{lines}\n"));
    let lines = fs::File::open(place.path("lines")).unwrap();
    shell.args(["-c", &write]).current_dir(place.path("."));
    assert!(shell.stdin(lines).status().unwrap().success());
    fs::remove_file(place.path("lines")).unwrap();
}

#[test]
fn a_command_gets_the_path_and_the_file_and_its_output_is_read() {
    let place = Place::new();
    script(
        &place,
        "pre",
        r#"echo "$#: 10.5555/of-$1 and"; tr a-z b-za"#,
    );
    place
        .file("d/x.doc", "zzz 10.5555/zaa \n")
        .file("d/y.txt", "10.5555/yyy\n");
    for threads in ["-j1", "-j2", "-j4 --chunk 100"] {
        let seen = place.scan(&format!("d --pre ./pre --mentions {threads}"));
        let seen = seen.quiet();
        assert_eq!(
            seen.field("doi"),
            [
                "10.5555/of-d/x.doc",
                "10.5555/abb",
                "10.5555/of-d/y.txt",
                "10.5555/zzz"
            ]
        );
        assert_eq!(seen.field("source")[1], "d/x.doc");
        assert_eq!(seen.field("offset")[0], "3");
        assert_eq!(seen.field("document")[0], "null");
        let seen = place.scan(&format!(
            "d --pre ./pre --pre-glob *.doc -f names {threads}"
        ));
        assert_eq!(
            seen.quiet().out,
            "10.5555/abb\n10.5555/of-d/x.doc\n10.5555/yyy\n"
        );
        let seen = place.scan(&format!("d --pre ./pre --pre-glob !x.* -f names {threads}"));
        assert_eq!(
            seen.quiet().out,
            "10.5555/of-d/y.txt\n10.5555/zaa\n10.5555/zzz\n"
        );
    }
}

#[test]
fn sources_without_a_path_and_members_are_read_as_they_are() {
    let place = Place::new();
    script(&place, "pre", "echo 10.5555/pre");
    let is_warned = |seen: &Seen| seen.err.contains("--pre has no effect");
    let seen = place.scan_stdin("--pre ./pre -f names", b"10.5555/stdin\n");
    assert_eq!(seen.out, "10.5555/stdin\n");
    assert!(is_warned(&seen), "{}", seen.err);
    place
        .file("a.gz", gzip("10.5555/member\n"))
        .file("list", "a.gz\n");
    let seen = place.scan("--files-from list --pre ./pre -f names");
    assert_eq!(seen.quiet().out, "10.5555/pre\n");
    for off in ["--pre=", "--pre ./pre --pre-glob *.txt"] {
        let seen = place.scan(&format!("a.gz {off} -f names"));
        assert_eq!(seen.out, "10.5555/member\n");
        assert_eq!(is_warned(&seen), off != "--pre=", "{}", seen.err);
    }
    let seen = place.scan("a.gz --pre-glob *.gz");
    assert_eq!(seen.code, Some(2));
}

#[test]
fn the_output_may_be_packed_and_the_name_claims_nothing() {
    let place = Place::new();
    script(&place, "pre", "gzip -c");
    place
        .file("a.pdf", "10.5555/a\n")
        .file("b.gz", "10.5555/b\n");
    let seen = place.scan("a.pdf b.gz --pre ./pre --mentions --report r.json");
    assert_eq!(seen.quiet().field("doi"), ["10.5555/a", "10.5555/b"]);
    let report = place.json("r.json");
    assert_eq!(
        (&report["bytes_read"], &report["sources"]),
        (&20.into(), &2.into())
    );
    assert_eq!(report["options"]["pre"], "./pre");
}

#[test]
fn a_command_that_fails_is_an_error_of_its_source_and_the_rest_is_read() {
    let place = Place::new();
    script(
        &place,
        "pre",
        r#"cat; case $1 in *bad) echo "cannot
 open it" >&2; exit 3;; *killed) kill -9 $$;; *empty) exit 4;; esac"#,
    );
    place
        .file("d/1.bad", "10.5555/one \n")
        .file("d/2.good", "10.5555/two \n")
        .file("d/3.killed", "10.5555/three \n")
        .file("d/4.empty", "")
        .file("d/5.bad.gz", gzip("10.5555/five \n"));
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!("d --pre ./pre -f names {threads}"));
        assert_eq!(seen.code, Some(1));
        let mut lines: Vec<_> = seen.err.lines().collect();
        lines.sort();
        assert_eq!(
            lines,
            [
                "doisift: d/1.bad: at byte 13: ./pre ended with exit status 3: cannot open it",
                "doisift: d/3.killed: at byte 15: ./pre ended with signal 9",
                "doisift: d/4.empty: at byte 0: ./pre ended with exit status 4",
            ]
        );
        assert_eq!(seen.out.lines().count(), 4);
    }
    let seen = place.scan("d --pre ./pre --on-error fail -o out.csv");
    assert_eq!(seen.code, Some(2));
    // Any of the three may be the first.
    assert!(seen.err.contains("./pre ended with"), "{}", seen.err);
}

#[test]
fn a_command_that_does_not_exist_ends_the_run() {
    let place = Place::new();
    place.file("a", "10.5555/a\n").file("no-program", "x");
    for command in ["no-such-command", "./no-program", "./missing"] {
        let seen = place.scan(&format!("a --pre {command} -o out.csv"));
        assert_eq!(seen.code, Some(2), "{}", seen.err);
        let what = format!("doisift: a: cannot run {command}: ");
        assert!(seen.err.starts_with(&what), "{}", seen.err);
        assert_eq!(place.entries(), ["a", "no-program"]);
    }
}

#[test]
fn much_output_and_many_complaints_do_not_block() {
    let place = Place::new();
    script(
        &place,
        "pre",
        "cat; i=0; while [ $i -lt 3000 ]; do echo 'a complaint of some forty bytes, and more' >&2; i=$((i+1)); done; cat $1",
    );
    let text = names(20_000);
    place.file("a", &text);
    for threads in ["-j1", "-j2"] {
        let line = format!("a --pre ./pre --count -f csv {threads} --memory 1M");
        assert_eq!(
            place.scan(&line).quiet().out.lines().last(),
            Some("20000,40000,1,1")
        );
    }
}

#[test]
fn a_checkpoint_is_not_resumed_with_another_command() {
    let place = Place::new();
    script(&place, "pre", "cat");
    script(&place, "fail", "exit 1");
    place.file("d/a", "10.5555/a\n").file("d/b", "10.5555/b\n");
    let line = "d -o out.csv --checkpoint cp --checkpoint-interval 0 --on-error fail";
    let seen = place.scan(&format!("{line} --pre ./fail --pre-glob b"));
    assert_eq!(seen.code, Some(2), "{}", seen.err);
    let seen = place.scan(&format!("{line} --pre ./pre --pre-glob b"));
    assert!(
        seen.err.contains("pre was ./fail in the interrupted run"),
        "{}",
        seen.err
    );
}

/// Processes whose command line holds `text`.
fn running(text: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| String::from_utf8_lossy(line).contains(text))
        .count()
}

#[test]
fn an_interrupted_run_leaves_no_command_behind() {
    let place = Place::new();
    let mark = format!("{}.5", 100_000 + std::process::id());
    // The pipe of the output stays open in a child of the command.
    script(&place, "pre", &format!("sleep {mark}; echo 10.5555/late"));
    place.file("a", "x").file("b", "y");
    for threads in ["-j1", "-j2"] {
        let mut command =
            place.command(["scan", "a", "b", "--pre", "./pre", threads, "-o", "o.csv"]);
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        while running(&mark) == 0 && started.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(running(&mark) > 0);
        signal(&child, "-INT");
        let seen = Seen::from(child.wait_with_output().unwrap());
        assert_eq!(seen.code, Some(130), "{}", seen.err);
        let ended = Instant::now();
        while running(&mark) > 0 && ended.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(running(&mark), 0);
    }
}
