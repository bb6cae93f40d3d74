//! Sources: their selection, names and order.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use crate::place::{Place, bzip2, fifo, gzip, lz4, xz, zlib, zstd};

#[test]
fn a_file_gives_its_names_sorted() {
    let place = Place::new();
    place.file(
        "a.txt",
        "See 10.5555/B and 10.5555/a and 10.5555/b again.\n",
    );
    let seen = place.scan("a.txt").quiet();
    assert_eq!(seen.field("doi"), ["10.5555/a", "10.5555/b"]);
    assert_eq!(seen.field("mentions"), ["1", "2"]);
    assert_eq!(seen.field("documents"), ["1", "1"]);
    assert_eq!(seen.field("first_source"), ["a.txt", "a.txt"]);
    assert_eq!(seen.field("first_document"), ["null", "null"]);
    assert_eq!(seen.field("first_offset"), ["18", "4"]);
    assert_eq!(seen.field("first_text"), ["10.5555/a", "10.5555/B"]);
}

#[test]
fn packed_files_are_reported_by_their_bytes_not_their_names() {
    let place = Place::new();
    let members = [gzip("10.5555/one \n"), gzip(""), gzip("10.5555/two \n")].concat();
    let frames = [zstd("10.5555/three \n"), zstd("10.5555/four \n")].concat();
    place
        .file("a.txt", members)
        .file("b", frames)
        .file("c.gz", "10.5555/plain \n");
    let seen = place.scan("a.txt b c.gz --mentions -q").quiet();
    let found = [
        "10.5555/one",
        "10.5555/two",
        "10.5555/three",
        "10.5555/four",
        "10.5555/plain",
    ];
    assert_eq!(seen.field("doi"), found);
    assert_eq!(seen.field("offset"), ["0", "13", "0", "15", "0"]);
}

#[test]
fn every_packing_gives_the_same_names_at_the_same_places() {
    let text = "Some text, 10.5555/one and 10.5555/two more \n".repeat(100);
    let place = Place::new();
    place.file("plain", &text);
    for pack in [gzip, zlib, zstd, bzip2, xz, lz4] {
        place.file("packed", pack(text.as_bytes()));
        for threads in ["-j1", "-j2"] {
            let plain = place.scan(&format!("plain --mentions {threads}")).quiet();
            let packed = place.scan(&format!("packed --mentions {threads}")).quiet();
            assert_eq!(packed.out.replace("\"packed\"", "\"plain\""), plain.out);
        }
    }
}

#[test]
fn a_byte_order_mark_shows_utf16_and_offsets_count_utf8() {
    let place = Place::new();
    let text = "\u{feff}\u{e9}\u{20ac} 10.5555/\u{e9} \n";
    let units = text.encode_utf16();
    let chars = text.chars().map(u32::from);
    place
        .file(
            "a",
            units.clone().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        )
        .file("b", units.flat_map(u16::to_be_bytes).collect::<Vec<_>>())
        .file(
            "c",
            chars.clone().flat_map(u32::to_le_bytes).collect::<Vec<_>>(),
        )
        .file(
            "d",
            gzip(chars.flat_map(u32::to_be_bytes).collect::<Vec<_>>()),
        );
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!("a b c d --mentions {threads}")).quiet();
        assert_eq!(seen.field("doi"), ["10.5555/\u{e9}"; 4]);
        assert_eq!(seen.field("offset"), ["6"; 4]);
        assert_eq!(seen.field("length"), ["10"; 4]);
    }
}

#[test]
fn what_is_no_text_is_passed_over_counted_and_named_when_asked() {
    let place = Place::new();
    place
        .file("a.ogg", "OggS\x0010.5555/a\n")
        .file("b.gz", gzip("\u{7f}ELF 10.5555/b\n"))
        .file("c", "10.5555/c\n");
    for threads in ["-j1", "-j2"] {
        let line = format!("a.ogg b.gz c -f names --report r.json {threads}");
        assert_eq!(place.scan(&format!("{line} -q")).quiet().out, "10.5555/c\n");
        let skipped = &place.json("r.json")["skipped"];
        assert_eq!(*skipped, serde_json::json!({"elf": 1, "ogg": 1}));
        let seen = place.scan(&format!("{line} -vv"));
        assert_eq!(seen.code, Some(0));
        for reported in ["a.ogg: skipped: ogg\n", "b.gz: skipped: elf\n"] {
            assert!(seen.err.contains(reported), "{}", seen.err);
        }
    }
}

#[test]
fn zeros_after_a_gzip_are_padding() {
    let place = Place::new();
    place.file("a.gz", [gzip("10.5555/one \n"), vec![0; 5000]].concat());
    assert_eq!(place.scan("a.gz -f names").quiet().out, "10.5555/one\n");
}

#[test]
fn a_folder_is_walked_hidden_and_git_ignored_files_too() {
    let place = Place::new();
    for name in [
        "d/b/x",
        "d/a",
        "d/.hidden",
        "d/ignored.log",
        "d/B",
        "d/b.txt",
    ] {
        place.file(name, "10.5555/a\n");
    }
    place.file("d/.gitignore", "*.log\n");
    let seen = place.scan("./d/ --mentions").quiet();
    assert_eq!(
        seen.field("source"),
        [
            "d/.hidden",
            "d/B",
            "d/a",
            "d/b.txt",
            "d/b/x",
            "d/ignored.log"
        ]
    );
}

#[test]
fn sources_come_in_bytewise_order_of_their_names_and_once() {
    let place = Place::new();
    for name in ["d/a", "e", "é", "Z"] {
        place.file(name, "10.5555/a\n");
    }
    let seen = place.scan("é e d d/ ./d d/a Z e --mentions").quiet();
    assert_eq!(seen.field("source"), ["Z", "d/a", "e", "é"]);
}

#[test]
fn the_current_folder_keeps_its_dot() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    assert_eq!(place.scan(".").quiet().field("first_source"), ["./a"]);
    assert_eq!(place.scan("./").quiet().field("first_source"), ["./a"]);
}

#[test]
fn links_below_a_folder_are_passed_over_and_named_ones_read() {
    let place = Place::new();
    place
        .file("real", "10.5555/a\n")
        .file("d/own", "10.5555/b\n")
        .file("e/f", "10.5555/c\n");
    symlink(place.path("real"), place.path("d/link")).unwrap();
    symlink(place.path("e"), place.path("d/folder")).unwrap();
    fifo(&place.path("d/fifo"));
    assert_eq!(place.scan("d -q").quiet().field("doi"), ["10.5555/b"]);
    let seen = place.scan("d/link d/folder --mentions").quiet();
    assert_eq!(seen.field("source"), ["d/folder/f", "d/link"]);
}

#[test]
fn globs_choose_files_below_folders_only() {
    let place = Place::new();
    for name in ["d/a.txt", "d/b.xml", "d/sub/c.txt", "d/skip/d.txt", "e.xml"] {
        place.file(name, "10.5555/a\n");
    }
    let sources = |options: &str| {
        place
            .scan(&format!("d e.xml --mentions {options}"))
            .quiet()
            .field("source")
    };
    assert_eq!(
        sources("--include *.txt"),
        ["d/a.txt", "d/skip/d.txt", "d/sub/c.txt", "e.xml"]
    );
    assert_eq!(
        sources("--include *.txt --exclude skip"),
        ["d/a.txt", "d/sub/c.txt", "e.xml"]
    );
    assert_eq!(
        sources("--include sub/* --include b.*"),
        ["d/b.xml", "d/sub/c.txt", "e.xml"]
    );
    assert_eq!(sources("--exclude **/*.txt"), ["d/b.xml", "e.xml"]);
}

#[test]
fn standard_input_is_read_when_named_or_when_nothing_is() {
    let place = Place::new();
    for line in ["-", "", "- -"] {
        let seen = place.scan_stdin(line, &gzip("10.5555/a\n")).quiet();
        assert_eq!(seen.field("doi"), ["10.5555/a"], "scan {line}");
        assert_eq!(seen.field("first_source"), ["-"], "scan {line}");
    }
}

#[test]
fn a_named_fifo_is_read() {
    let place = Place::new();
    let path = place.path("fifo");
    fifo(&path);
    for threads in ["-j1", "-j2"] {
        let fifo = path.clone();
        let writer = std::thread::spawn(move || std::fs::write(fifo, "10.5555/a\n"));
        let seen = place.scan(&format!("fifo {threads}")).quiet();
        writer.join().unwrap().unwrap();
        assert_eq!(seen.field("first_source"), ["fifo"]);
    }
}

#[test]
fn a_list_names_sources_by_line_or_by_nul() {
    let place = Place::new();
    place
        .file("a b", "10.5555/a\n")
        .file("c\nd", "10.5555/b\n")
        .file("e/f", "10.5555/c\n");
    place
        .file("lines", "a b\n\n./e/\n")
        .file("nuls", "a b\0c\nd\0");
    assert_eq!(
        place
            .scan("--files-from lines --mentions")
            .quiet()
            .field("source"),
        ["a b", "e/f"]
    );
    assert_eq!(
        place
            .scan("--files-from nuls -0 --mentions")
            .quiet()
            .field("source"),
        ["a b", "c\nd"]
    );
    let seen = place
        .scan_stdin("--files-from - -0 e --mentions", b"c\nd")
        .quiet();
    assert_eq!(seen.field("source"), ["c\nd", "e/f"]);
}

#[test]
fn a_list_that_names_nothing_is_not_standard_input() {
    let place = Place::new();
    place.file("none", "");
    assert_eq!(
        place
            .scan_stdin("--files-from none", b"10.5555/a\n")
            .quiet()
            .out,
        ""
    );
}

#[test]
fn bytes_of_a_path_that_are_no_utf8_are_written_in_hexadecimal() {
    let place = Place::new();
    place.file(OsStr::from_bytes(b"d/caf\xe9"), "10.5555/a\n");
    assert_eq!(
        place.scan("d").quiet().field("first_source"),
        ["d/caf\\xE9"]
    );
    place.file("list", b"d/caf\xe9\n");
    assert_eq!(
        place
            .scan("--files-from list")
            .quiet()
            .field("first_source"),
        ["d/caf\\xE9"]
    );
}

#[test]
fn each_line_is_a_document_named_by_its_number() {
    let place = Place::new();
    place.file("a", "10.5555/a 10.5555/a\n\nx 10.5555/a\r\n10.5555/b");
    let seen = place.scan("a --lines --mentions").quiet();
    assert_eq!(seen.field("document"), ["1", "1", "3", "4"]);
    assert_eq!(seen.field("offset"), ["0", "10", "2", "0"]);
    let seen = place.scan("a --lines --report r.json").quiet();
    assert_eq!(seen.field("documents"), ["2", "1"]);
    assert_eq!(seen.field("first_document"), ["1", "4"]);
    assert_eq!(place.json("r.json")["documents"], 4);
}

#[test]
fn an_empty_file_is_a_document_and_no_failure() {
    let place = Place::new();
    place.file("a", "");
    assert_eq!(place.scan("a --report r.json -q").quiet().out, "");
    let report = place.json("r.json");
    assert_eq!(
        (&report["sources"], &report["documents"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn the_kind_of_a_text_is_read_from_its_head_however_it_is_cut_and_can_be_given() {
    let place = Place::new();
    let table = "id;doi;year\n".to_owned() + &"1;DOI: 10.5555/ab_5;1958\n".repeat(30_000);
    place.file("t", &table).file("small", &table[..60]);
    for options in [
        "-j 1",
        "-j 4",
        "-j 4 --chunk 700",
        "-j 2 --lines",
        "--mentions -j 4",
    ] {
        for source in ["t", "small"] {
            let line = format!("{source} {options}");
            let seen = place.scan(&line).quiet();
            assert!(
                seen.field("doi").iter().all(|doi| doi == "10.5555/ab_5"),
                "{line}"
            );
            assert!(
                seen.field("guessed")
                    .iter()
                    .all(|guessed| guessed == "false"),
                "{line}"
            );
        }
    }
    let seen = place.scan("small --input-kind unknown -f names").quiet();
    assert_ne!(seen.out, "10.5555/ab_5\n");
    let seen = place.scan("small --input-kind wrong");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("possible values: unknown, csv"),
        "{}",
        seen.err
    );
}

#[test]
fn a_packed_list_names_sources_below_its_base() {
    let place = Place::new();
    place
        .file("paths.gz", gzip("a.txt\nb/c.txt\n"))
        .file("dump/a.txt", "10.5555/a \n")
        .file("dump/b/c.txt", "10.5555/c \n")
        .file("a.txt", "10.5555/other \n");
    let seen = place.scan("--files-from paths.gz --base dump/").quiet();
    assert_eq!(seen.field("doi"), ["10.5555/a", "10.5555/c"]);
    assert_eq!(seen.field("first_source"), ["dump/a.txt", "dump/b/c.txt"]);
    let refused = place.scan("a.txt --base dump/");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--files-from"), "{}", refused.err);
}
