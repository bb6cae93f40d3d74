//! Outputs: their place and format, and failures to write them.

use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::process::{Command, Stdio};

use crate::place::{Place, Seen, full, names};

#[test]
fn the_ending_determines_format_and_compression() {
    let place = Place::new();
    place.file("a", "10.5555/a \n");
    place.scan("a -o o.csv").quiet();
    place.scan("a -o o.jsonl.gz").quiet();
    place.scan("a -o o.names.zst").quiet();
    place.scan("a -o other -f names").quiet();
    let csv = "doi,mentions,documents,sources,forms,first_source,first_document,first_offset,first_text,guessed,check_digit\n";
    assert!(
        place
            .read("o.csv")
            .starts_with(&format!("{csv}10.5555/a,1,1,1,")),
        "{}",
        place.read("o.csv")
    );
    let mut text = String::new();
    flate2::read::GzDecoder::new(&std::fs::read(place.path("o.jsonl.gz")).unwrap()[..])
        .read_to_string(&mut text)
        .unwrap();
    assert!(
        text.starts_with("{\"doi\":\"10.5555/a\",\"mentions\":1,"),
        "{text}"
    );
    let names = zstd::decode_all(&std::fs::read(place.path("o.names.zst")).unwrap()[..]).unwrap();
    assert_eq!(names, b"10.5555/a\n");
    assert_eq!(place.read("other"), "10.5555/a\n");
}

#[test]
fn a_dash_is_standard_output() {
    let place = Place::new();
    place.file("a", "10.5555/a \n");
    assert_eq!(place.scan("a -o - -f names").quiet().out, "10.5555/a\n");
    assert_eq!(place.entries(), ["a"]);
}

#[test]
fn mentions_are_in_source_order() {
    let place = Place::new();
    place
        .file("b", "10.5555/x 10.5555/A\n")
        .file("a", "10.5555/x\n");
    let seen = place.scan("b a --mentions").quiet();
    assert_eq!(seen.field("doi"), ["10.5555/x", "10.5555/x", "10.5555/a"]);
    assert_eq!(seen.field("source"), ["a", "b", "b"]);
    assert_eq!(seen.field("text"), ["10.5555/x", "10.5555/x", "10.5555/A"]);
    assert_eq!(seen.field("length"), ["9", "9", "9"]);
    let header = place.scan("a --mentions -f csv").quiet().out;
    assert!(
        header.starts_with("doi,form,source,document,offset,length,text,guessed,check_digit\n"),
        "{header}"
    );
}

#[test]
fn the_report_adds_up() {
    let place = Place::new();
    let text = "10.5555/a 10.5555/A 10.5555/ 10.5555/b\n";
    place.file("a", text).file("b", crate::place::gzip(text));
    place.scan("a b -f names -o out --report r.json").quiet();
    let report = place.json("r.json");
    let rejected: u64 = report["rejections"]
        .as_object()
        .unwrap()
        .values()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(
        report["candidates"].as_u64().unwrap(),
        report["mentions"].as_u64().unwrap() + rejected
    );
    assert_eq!(
        (&report["mentions"], &report["records"]),
        (&6.into(), &2.into())
    );
    assert_eq!(report["rejections"]["empty_suffix"], 2);
    assert_eq!(
        (&report["sources"], &report["documents"]),
        (&2.into(), &2.into())
    );
    assert_eq!(report["bytes_decoded"], 2 * text.len());
    let read = text.len() + std::fs::metadata(place.path("b")).unwrap().len() as usize;
    assert_eq!(report["bytes_read"], read);
    assert_eq!(report["errors"]["count"], 0);
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["options"]["format"], "names");
    assert!(report["seconds"].is_number());
}

#[test]
fn an_old_output_stays_until_the_new_one_is_whole() {
    let place = Place::new();
    place.file("out.names", "old\n").file("a", "10.5555/a\n");
    assert_eq!(
        place.scan("a missing --on-error fail -o out.names").code,
        Some(2)
    );
    assert_eq!(place.read("out.names"), "old\n");
    place.scan("a -o out.names").quiet();
    assert_eq!(place.read("out.names"), "10.5555/a\n");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::new();
    place.file("a", names(20_000));
    for options in ["-j1", "-j2", "-j1 --mentions", "-j2 --mentions"] {
        let mut command = place.command(["scan", "a"]);
        command
            .args(options.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let seen = Seen::from(child.wait_with_output().unwrap());
        assert_eq!((seen.code, seen.err.as_str()), (Some(0), ""), "{options}");
    }
}

/// Runs the command with a closed pipe as standard output.
fn closed(place: &Place, line: &str) -> Seen {
    let mut command = place.command(line.split(' '));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    Seen::from(child.wait_with_output().unwrap())
}

#[test]
fn a_reader_that_goes_away_is_no_failure_in_any_format() {
    let place = Place::new();
    place.file("a", names(20_000));
    place.scan("a -o a.csv").quiet();
    for format in ["csv", "jsonl", "names", "parquet"] {
        for run in ["scan a", "scan a --mentions", "merge a.csv"] {
            let line = format!("{run} -f {format}");
            let seen = closed(&place, &line);
            assert_eq!((seen.code, seen.err.as_str()), (Some(0), ""), "{line}");
        }
    }
    for line in [
        "--generate man",
        "--help",
        "scan --help",
        "normalize 10.5555/a",
    ] {
        let seen = closed(&place, line);
        assert_eq!((seen.code, seen.err.as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn a_reader_of_the_report_that_goes_away_does_not_take_the_rows_with_it() {
    let place = Place::new();
    place.file("a", names(10));
    for line in [
        "scan a -o o.names --report /dev/stdout",
        "scan a -o o.names --report -",
    ] {
        let seen = closed(&place, line);
        assert_eq!((seen.code, seen.err.as_str()), (Some(0), ""), "{line}");
        assert_eq!(place.read("o.names").lines().count(), 10);
        std::fs::remove_file(place.path("o.names")).unwrap();
    }
    // The report of a run that did not end has no counts, since they would be wrong.
    place.file("b", names(20_000));
    let seen = closed(&place, "scan b --mentions --report r.json");
    assert_eq!((seen.code, seen.err.as_str()), (Some(0), ""));
    let report = place.json("r.json");
    assert_eq!(
        (&report["status"], &report["exit_code"]),
        (&"closed".into(), &0.into())
    );
    assert!(report.get("mentions").is_none(), "{report}");
}

#[test]
fn a_full_device_is_a_failure() {
    let place = Place::new();
    place.file("a", names(5000)).file("one", "10.5555/a\n");
    for line in [
        "a -j1",
        "a -j2",
        "a -j2 --mentions",
        "a -j1 --mentions",
        "one",
    ] {
        let seen = Seen::of(
            place
                .command(["scan"])
                .args(line.split_whitespace())
                .stdout(full()),
        );
        assert_eq!(seen.code, Some(2), "{line}");
        assert!(seen.err.contains("No space left"), "{}", seen.err);
        assert_eq!(seen.err.lines().count(), 1);
    }
    assert_eq!(place.scan("a -o /dev/full -f names").code, Some(2));
    assert!(
        std::fs::metadata("/dev/full")
            .unwrap()
            .file_type()
            .is_char_device()
    );
}

#[test]
fn a_full_disk_leaves_no_half_file() {
    let place = Place::new();
    place.file("a", names(50_000));
    for mentions in ["", "--mentions"] {
        // A limit on the size of files, whose signal is ignored, so that writing fails.
        let script =
            format!("trap '' XFSZ; ulimit -f 100; exec \"$0\" scan a -o out.jsonl {mentions}");
        let mut command = Command::new("bash");
        command
            .arg("-c")
            .arg(script)
            .arg(crate::place::binary())
            .current_dir(place.path(""));
        let seen = Seen::of(&mut command);
        assert_eq!(seen.code, Some(2), "{}", seen.err);
        assert!(
            seen.err.contains("out.jsonl: File too large"),
            "{}",
            seen.err
        );
        assert_eq!(place.entries(), ["a"]);
    }
}

#[test]
fn standard_output_by_its_path_is_not_cut_off() {
    let place = Place::new();
    place.file("a", "10.5555/a \n").file("out", "before\n");
    let out = std::fs::File::options()
        .append(true)
        .open(place.path("out"))
        .unwrap();
    let seen = Seen::of(
        place
            .command(["scan", "a", "-o", "/dev/stdout", "-f", "names"])
            .stdout(Stdio::from(out)),
    );
    assert_eq!(seen.quiet().out, "");
    assert_eq!(place.read("out"), "before\n10.5555/a\n");
}

#[test]
fn an_output_in_no_folder_is_a_failure_that_names_it() {
    let place = Place::new();
    place.file("a", "10.5555/a \n");
    let seen = place.scan("a -o no/out.csv");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.starts_with("doisift: cannot write: no/out.csv: "),
        "{}",
        seen.err
    );
}

#[test]
fn progress_is_shown_where_it_is_asked_for() {
    let place = Place::new();
    place.file("a", "10.5555/a \n");
    let seen = place.scan("a --progress always -f names");
    assert_eq!((seen.code, seen.out.as_str()), (Some(0), "10.5555/a\n"));
    assert!(
        seen.err.starts_with("doisift: 11 B of 11 B (100 %), "),
        "{}",
        seen.err
    );
    assert!(seen.err.ends_with("/s, 1 mentions\n"), "{}", seen.err);
    place.scan("a --progress auto").quiet();
    place.scan("a --progress never").quiet();
}

#[test]
fn verbose_reports_what_was_done() {
    let place = Place::new();
    place.file("a", "10.5555/a 10.5555/a\n");
    let seen = place.scan("a -v");
    assert_eq!(seen.code, Some(0));
    assert!(
        seen.err
            .contains("doisift: 1 documents of 1 sources, 20 B read; 2 mentions of 1 names; "),
        "{}",
        seen.err
    );
}

/// Runs the command in a shell, with redirections.
fn redirected(place: &Place, line: &str) -> Seen {
    let mut command = place.command([""; 0]);
    let program = command.get_program().to_owned();
    command = Command::new("sh");
    command.current_dir(place.path("."));
    command.args(["-c", &format!("\"$0\" {line}")]).arg(program);
    Seen::of(&mut command)
}

#[test]
fn a_closed_standard_output_is_a_failure() {
    let place = Place::new();
    place.file("a.txt", "10.5555/a");
    place.scan("a.txt -o a.csv").quiet();
    let commands = [
        "scan a.txt",
        "scan a.txt --count",
        "scan a.txt -o - ",
        "scan a.txt -o /dev/stdout -f csv",
        "scan a.txt -o b.csv --report -",
        "normalize 10.5555/a",
        "normalize a.csv --column doi",
        "merge a.csv",
        "explain 10.5555/a",
    ];
    for command in commands {
        let seen = redirected(&place, &format!("{command} >&-"));
        assert_eq!(seen.code, Some(2), "{command}: {}", seen.err);
        assert!(
            seen.err.contains("standard output is closed"),
            "{}",
            seen.err
        );
        for allowed in [">/dev/null", "1<>/dev/null"] {
            let seen = redirected(&place, &format!("{command} {allowed}"));
            assert_eq!(seen.code, Some(0), "{command} {allowed}: {}", seen.err);
        }
    }
    for command in ["scan a.txt -o b.csv", "merge a.csv -o b.csv"] {
        let seen = redirected(&place, &format!("{command} >&-"));
        assert_eq!(seen.code, Some(0), "{command}: {}", seen.err);
    }
}
