//! Texts and lines that `doisift normalize` reads.

use std::process::Stdio;

use crate::place::{Place, Seen, bzip2, gzip, zstd};

/// Runs `normalize` with `line` split at blanks, and bytes on standard input.
fn with_stdin(place: &Place, line: &str, stdin: &[u8]) -> Seen {
    place.file("stdin", stdin);
    let stdin = std::fs::File::open(place.path("stdin")).unwrap();
    let mut command = place.command(["normalize"]);
    command.args(line.split_whitespace()).stdin(stdin);
    Seen::of(&mut command)
}

fn texts(args: &[&str]) -> Seen {
    Seen::of(Place::new().command(["normalize"]).args(args))
}

#[test]
fn lines_of_any_form_come_out_as_keys() {
    let stdin = b"10.1000/ABC\nhttps://doi.org/10.1000/456%23789?a=b\r\nurn:doi:10.123:456";
    let seen = with_stdin(&Place::new(), "", stdin).quiet();
    assert_eq!(seen.out, "10.1000/abc\n10.1000/456#789\n10.123/456\n");
    let seen = with_stdin(&Place::new(), "-", stdin).quiet();
    assert_eq!(seen.out, "10.1000/abc\n10.1000/456#789\n10.123/456\n");
}

#[test]
fn texts_as_arguments_leave_standard_input_alone() {
    let place = Place::new();
    let seen = with_stdin(&place, "doi:10.1000/A x", b"10.1000/unread\n");
    assert_eq!(seen.out, "10.1000/a\n\n");
    let wanted = "doisift: argument 2: \"x\": no directory indicator \"10.\", at byte 0\n";
    assert_eq!((seen.err.as_str(), seen.code), (wanted, Some(1)));
}

#[test]
fn each_form_is_written_on_request() {
    let name = "https://dx.doi.org/10.1000/A%3Cb/c";
    for (to, wanted) in [
        ("name", "10.1000/A<b/c"),
        ("key", "10.1000/a<b/c"),
        ("doi-uri", "doi:10.1000/A%3Cb%2Fc"),
        ("url", "https://doi.org/10.1000/A<b/c"),
        ("urn", "urn:doi:10.1000:A%3Cb%2Fc"),
        ("api", "https://doi.org/api/handles/10.1000/A%3Cb%2Fc"),
    ] {
        let seen = texts(&["--to", to, name]).quiet();
        assert_eq!(seen.out, format!("{wanted}\n"), "--to {to}");
    }
    let seen = texts(&["--to=url", "--encode=recommended", "10.1000/a<../../b+"]).quiet();
    assert_eq!(seen.out, "https://doi.org/10.1000/a%3C../..%2Fb%2B\n");
}

#[test]
fn a_line_that_is_no_name_is_an_empty_line_and_a_numbered_reason() {
    let stdin =
        b"10.1000/1\n\n10.1000/a b\n \t\r\n10.1000/caf\xe9\ndoi:10.1000\n10.1000/ab1 (2006)";
    let seen = with_stdin(&Place::new(), "", stdin);
    assert_eq!(seen.out, "10.1000/1\n\n\n\n\n\n\n");
    let reasons: Vec<_> = seen.err.lines().collect();
    let wanted = [
        "doisift: line 3: \"10.1000/a b\": raw white space, at byte 9; --clean takes it as 10.1000/a",
        "doisift: line 5: \"10.1000/caf\\xE9\": not UTF-8, at byte 11",
        "doisift: line 6: \"doi:10.1000\": no \"/\" after the prefix, at byte 11",
        "doisift: line 7: \"10.1000/ab1 (2006)\": raw white space, at byte 11; --clean takes it as 10.1000/ab1",
    ];
    assert_eq!(reasons, wanted);
    assert_eq!(seen.code, Some(1));
}

#[test]
fn empty_lines_alone_are_no_refusals() {
    let seen = with_stdin(&Place::new(), "", b"\n\r\n  \n").quiet();
    assert_eq!(seen.out, "\n\n\n");
    assert_eq!(texts(&["", " "]).quiet().out, "\n\n");
}

#[test]
fn reserved_suffixes_are_refused_only_when_strict() {
    assert_eq!(texts(&["10.5555/a/b"]).quiet().out, "10.5555/a/b\n");
    let seen = texts(&["--strict", "10.5555/a/b", "10.5555/ab/c"]);
    assert_eq!(
        (seen.code, seen.out.as_str()),
        (Some(1), "\n10.5555/ab/c\n")
    );
    let wanted = "doisift: argument 1: \"10.5555/a/b\": reserved";
    assert!(seen.err.starts_with(wanted), "{}", seen.err);
}

#[test]
fn a_byte_order_mark_belongs_to_the_stream() {
    let stdin = "\u{feff}10.1000/1\n\u{feff}10.1000/2\n".as_bytes();
    let seen = with_stdin(&Place::new(), "", stdin);
    assert_eq!(seen.out, "10.1000/1\n\n");
    assert!(seen.err.starts_with("doisift: line 2: "), "{}", seen.err);
}

#[test]
fn a_line_far_past_the_longest_is_skipped() {
    const LONGEST: usize = 16 << 20;
    let place = Place::new();
    let longest = [b"10.1000/", "a".repeat(LONGEST - 8).as_bytes()].concat();
    let far = "1".repeat(3 * LONGEST).into_bytes();
    for threads in ["-j1", "-j3"] {
        let seen = with_stdin(&place, threads, &[&far[..], b"\n10.1000/1\n"].concat());
        assert_eq!(seen.out, "\n10.1000/1\n");
        assert_eq!(seen.err, "doisift: line 1: longer than 16777216 bytes\n");
        let stdin = [&longest[..], b"\n", &longest, b"a\n10.1000/2"].concat();
        let seen = with_stdin(&place, threads, &stdin);
        assert!(seen.out.as_bytes() == [&longest[..], b"\n\n10.1000/2\n"].concat());
        assert_eq!(seen.err, "doisift: line 2: longer than 16777216 bytes\n");
    }
}

#[test]
fn lines_of_files_are_read_in_the_order_of_the_arguments() {
    let place = Place::new();
    let utf16: Vec<u8> = "\u{feff}doi:10.5555/U\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    place
        .file("b.gz", gzip("10.5555/B\nno\n"))
        .file("a.zst", zstd("10.5555/A"));
    place.file("u", utf16).file("c.bz2", bzip2("10.5555/C\n"));
    let line = "--lines-from b.gz --lines-from a.zst --lines-from u --lines-from c.bz2";
    let mut command = place.command(["normalize", "-o", "out.gz", "--stats"]);
    let seen = Seen::of(command.args(line.split(' ')));
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), ""));
    let (first, stats) = seen.err.split_once('\n').unwrap();
    assert_eq!(
        first,
        "doisift: b.gz: line 2: \"no\": no directory indicator \"10.\", at byte 0"
    );
    assert!(
        stats.contains("5 rows of 4 documents") && stats.contains("(normalized 4, refused 1)"),
        "{stats}"
    );
    let out = place
        .command(["scan", "-f", "names", "out.gz"])
        .output()
        .unwrap()
        .stdout;
    assert_eq!(out, b"10.5555/a\n10.5555/b\n10.5555/c\n10.5555/u\n");
}

#[test]
fn what_contradicts_itself_is_refused() {
    for (line, why) in [
        ("- 10.5555/a", "standard input"),
        ("-o out 10.5555/a", "--lines-from"),
        ("--in-place 10.5555/a", "--column"),
        ("--lines-from a 10.5555/a", "cannot be used with"),
        ("a --column x --delimiter ;;", "one ASCII character"),
        ("a --column x --input-format xlsx", "csv, ssv"),
        ("a --column x --column x", "named twice"),
        (
            "a --column x --column y --new-column z",
            "one for each column",
        ),
        ("--lines-from missing", "missing: No such file"),
        ("--lines-from .", "Is a directory"),
    ] {
        let place = Place::new();
        let seen = Seen::of(place.command(["normalize"]).args(line.split(' ')));
        assert_eq!(seen.code, Some(2), "{line}: {}", seen.err);
        assert!(seen.err.contains(why), "{line}: {}", seen.err);
        assert!(place.entries().is_empty());
    }
}

#[test]
fn a_text_that_names_a_file_says_how_to_read_it() {
    let place = Place::new();
    place.file("refs.txt", "10.5555/a\n");
    let seen = Seen::of(&mut place.command(["normalize", "refs.txt"]));
    assert!(seen.err.contains("--lines-from"), "{}", seen.err);
    let seen = Seen::of(&mut place.command(["normalize", "-q", "refs.txt"]));
    assert_eq!((seen.code, seen.err.as_str()), (Some(1), ""));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::new();
    place.file("in", "10.5555/abc\n".repeat(200_000));
    for threads in ["-j1", "-j2"] {
        let mut command = place.command(["normalize", "--lines-from", "in", threads]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        Seen::from(child.wait_with_output().unwrap()).quiet();
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    let place = Place::new();
    place.file("in", "10.5555/abc\n".repeat(200_000));
    for args in [&["10.5555/a"][..], &["--lines-from", "in"]] {
        let mut command = place.command(["normalize"]);
        let child = command
            .args(args)
            .stdout(crate::place::full())
            .stderr(Stdio::piped());
        let seen = Seen::from(child.spawn().unwrap().wait_with_output().unwrap());
        assert_eq!(seen.code, Some(2));
        assert!(
            seen.err.contains("standard output") && seen.err.contains("space"),
            "{}",
            seen.err
        );
    }
}

#[test]
fn lines_may_end_with_a_carriage_return_alone() {
    let place = Place::new();
    place.file("list", "10.5555/A\r10.5555/B\rx\r");
    let seen = with_stdin(&place, "--lines-from list", b"");
    assert_eq!(
        (seen.out.as_str(), seen.code),
        ("10.5555/a\n10.5555/b\n\n", Some(1))
    );
    assert!(seen.err.contains("line 3"), "{}", seen.err);
    let seen = with_stdin(&place, "", b"10.5555/A\r10.5555/B").quiet();
    assert_eq!(seen.out, "10.5555/a\n10.5555/b\n");
}
