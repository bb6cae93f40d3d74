//! Runs whose standard output or error is a terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::place::Place;

/// Opens both ends of a terminal of 60 columns and 10 lines.
fn terminal() -> (File, OwnedFd) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let path = ptsname(&ours, Vec::new()).unwrap();
    let path = Path::new(std::ffi::OsStr::from_bytes(path.as_bytes()));
    let theirs = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let size = Winsize {
        ws_row: 10,
        ws_col: 60,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&theirs, size).unwrap();
    (ours.into(), theirs.into())
}

/// Reads the output of a terminal. Linux reports its end as an error.
fn screen(mut ours: File) -> String {
    let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = ours.read(&mut buffer) {
        text.extend_from_slice(&buffer[..length]);
    }
    String::from_utf8(text).unwrap().replace("\r\n", "\n")
}

/// Runs the command with a terminal as standard output. Returns the exit code and the terminal's output.
fn shown(place: &Place, line: &str) -> (Option<i32>, String) {
    let (ours, theirs) = terminal();
    let mut command = place.command(line.split_whitespace());
    command.stdout(theirs).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(command);
    let screen = screen(ours);
    (child.wait().unwrap().code(), screen)
}

fn place() -> Place {
    let place = Place::new();
    let names: String = (10..30).map(|n| format!("See 10.5555/n{n}.\n")).collect();
    place.file("names.txt", names).file(
        "d/some/long/path/to/a/file/with/references.txt",
        "10.5555/a, 10.5555/b-\n10.5555/A; doi:10.5555/wir\u{5}",
    );
    place
}

#[test]
fn without_arguments_it_shows_in_a_few_lines_what_it_can_do() {
    let place = Place::new();
    let (code, screen) = shown(&place, "");
    assert_eq!(code, Some(0));
    assert!(screen.lines().count() < 8, "{screen}");
    for command in ["scan", "normalize", "check", "explain", "--help"] {
        assert!(screen.contains(&format!("doisift {command}")), "{screen}");
    }
    let seen = crate::place::Seen::of(&mut place.command([""; 0]));
    assert_eq!(
        (seen.code, seen.err.as_str()),
        (Some(2), "doisift: nothing to do; see doisift --help\n")
    );
}

#[test]
fn a_terminal_shows_an_aligned_table() {
    let wanted = "\
        name         mentions  documents  at byte  first found in\n\
        10.5555/a           2          1        0  …h/references.txt\n\
        10.5555/b           1          1       11  …h/references.txt\n\
        10.5555/wir         1          1       37  …h/references.txt\n";
    let place = place();
    for line in ["d", "scan d", "scan d -o -", "-j1 d"] {
        assert_eq!(shown(&place, line), (Some(0), wanted.into()), "{line}");
    }
    let (code, mentions) = shown(&place, "d --mentions");
    assert_eq!(code, Some(0));
    let head = "\
        name         form  at byte  found in\n\
        10.5555/a    bare        0  …h/to/a/file/with/references.txt\n";
    assert!(mentions.starts_with(head), "{mentions}");
    assert_eq!(mentions.lines().count(), 5, "{mentions}");
}

#[test]
fn a_screenful_is_shown_and_the_rest_is_counted() {
    let place = place();
    let (_, page) = shown(&place, "scan names.txt");
    let lines: Vec<_> = page.lines().collect();
    assert_eq!(lines.len(), 7, "{page}");
    assert!(lines[5].starts_with("10.5555/n14"), "{page}");
    assert!(lines[6].starts_with("15 more rows; --all "), "{page}");
    let (_, all) = shown(&place, "scan names.txt --all");
    assert_eq!(all.lines().count(), 21, "{all}");
}

#[test]
fn a_format_that_was_asked_for_is_written_to_a_terminal_too() {
    let place = place();
    let (_, rows) = shown(&place, "scan d -f names");
    assert_eq!(rows, "10.5555/a\n10.5555/b\n10.5555/wir\n");
    let (_, rows) = shown(&place, "scan d --fields doi");
    assert!(rows.starts_with("{\"doi\":\"10.5555/a\"}\n"), "{rows}");
    assert!(place.scan("d").out.starts_with("{\"doi\""));
    let useless = place.scan("d --all");
    assert!(
        useless.err.contains("--all has no effect"),
        "{}",
        useless.err
    );
}

#[test]
fn a_run_of_normalize_on_a_terminal_ends_with_its_summary() {
    let place = Place::new();
    place.file("t.csv", "doi\n10.5555/A\n");
    let (ours, theirs) = terminal();
    let mut command = place.command(["normalize", "t.csv", "--column", "doi", "-o", "out.csv"]);
    let mut child = command.stderr(theirs).spawn().unwrap();
    drop(command);
    let summary = screen(ours);
    assert!(child.wait().unwrap().success());
    assert!(summary.contains("1 rows of 1 documents"), "{summary}");
}

#[test]
fn verdicts_are_coloured_on_a_terminal_unless_that_is_not_wanted() {
    let place = Place::new();
    place.file("a.bib", "@a{k, doi={10.7777/a}}\n@a{l, doi={none}}\n");
    let shown = |no_colour: &str| {
        let (ours, theirs) = terminal();
        let mut command = place.command(["check", "a.bib", "--all"]);
        command.env("NO_COLOR", no_colour).env("TERM", "xterm");
        command.stdout(theirs).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(command);
        let screen = screen(ours);
        child.wait().unwrap();
        screen
    };
    let coloured = shown("");
    assert!(
        coloured.contains("\x1b[32mwell_formed\x1b[0m"),
        "{coloured}"
    );
    assert!(coloured.contains("\x1b[31mnot_a_doi\x1b[0m"), "{coloured}");
    let plain = coloured.replace("\x1b[32m", "").replace("\x1b[31m", "");
    assert_eq!(shown("1"), plain.replace("\x1b[0m", ""));
}

#[test]
fn a_check_shows_its_findings_on_a_terminal_and_all_references_elsewhere() {
    let place = Place::new();
    place.file(
        "a.bib",
        "@a{k, doi={10.7777/a}}\n@a{l, doi={none}}\n@a{m, doi={10.7777/b}}\n",
    );
    let (code, findings) = shown(&place, "check a.bib");
    let lines: Vec<_> = findings.lines().collect();
    assert_eq!((code, lines.len()), (Some(1), 2), "{findings}");
    assert!(lines[0].starts_with("a.bib:2:12  l  "), "{findings}");
    assert_eq!(
        lines[1],
        "2 more references without findings; --all shows them"
    );
    let (_, all) = shown(&place, "check a.bib --all");
    assert_eq!(all.lines().count(), 3, "{all}");
    let piped = crate::place::Seen::of(&mut place.command(["check", "a.bib"]));
    assert_eq!(piped.out.lines().count(), 3, "{}", piped.out);
}

#[test]
fn counts_are_a_table_on_a_terminal_and_lines_of_json_in_a_pipe() {
    let place = place();
    let many: String = (0..1200).map(|n| format!("10.1000/{n}\n")).collect();
    place.file("many.txt", many);
    let table = "\
        prefix   names  mentions\n\
        10.1000  1,200     1,200\n\
        10.5555     20        20\n";
    assert_eq!(
        shown(&place, "names.txt many.txt --top-prefixes 5"),
        (Some(0), table.into())
    );
    let table = "\
        names  mentions  documents  sources\n\
        1,220     1,220          2        2\n";
    let line = "names.txt many.txt --count";
    assert_eq!(shown(&place, line), (Some(0), table.into()));
    let (_, rows) = shown(&place, "names.txt many.txt --count -f jsonl");
    let wanted = "{\"names\":1220,\"mentions\":1220,\"documents\":2,\"sources\":2}\n";
    assert_eq!(rows, wanted);
    assert_eq!(place.scan(line).quiet().out, wanted);
}

#[test]
fn mentions_and_names_that_are_written_at_once_are_no_table() {
    let place = place();
    let (code, screen) = shown(&place, "d --mentions --names-to names.csv");
    assert_eq!(code, Some(0));
    assert!(screen.starts_with("{\"doi\""), "{screen}");
    assert_eq!(place.read("names.csv").lines().count(), 4);
}

/// Runs the command with a terminal as both output streams, and ends its input after a while. Returns the terminal's output.
fn shown_slowly(place: &Place, line: &str) -> String {
    let (ours, theirs) = terminal();
    let mut command = place.command(line.split_whitespace());
    let errors = theirs.try_clone().unwrap();
    command.stdin(Stdio::piped()).stdout(theirs).stderr(errors);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"See 10.5555/a.\n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(400));
    drop(input);
    let screen = screen(ours);
    assert!(child.wait().unwrap().success());
    screen
}

#[test]
fn rows_on_a_terminal_are_not_mixed_with_a_bar() {
    let place = Place::new();
    for line in [
        "scan - -f names -q",
        "scan - -f names -q --mentions",
        "scan - -f names -q -o /dev/stdout",
    ] {
        assert_eq!(shown_slowly(&place, line), "10.5555/a\n", "{line}");
        let lines = shown_slowly(&place, &format!("{line} --progress always"));
        assert!(!lines.contains('\x1b'), "{lines:?}");
        assert!(
            lines.contains("\ndoisift: ") && lines.contains(" of 1 files, "),
            "{lines:?}"
        );
    }
    // A screenful and the summary follow when the bar is gone: the last thing before them clears its line.
    let table = shown_slowly(&place, "scan -");
    let (bar, rest) = table.rsplit_once("\x1b[2K").unwrap();
    assert!(bar.contains("of 1 files"), "{table:?}");
    assert!(rest.trim_start().starts_with("name "), "{table:?}");
}
