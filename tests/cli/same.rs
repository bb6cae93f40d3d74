//! Checks that the output does not depend on threads and chunks.

use std::fmt::Write;

use crate::place::Seen;
use crate::place::{Place, gzip, zstd};

/// Returns references with names across lines, long lines, and lines without names, from a fixed random sequence.
fn text(seed: u64, lines: usize) -> String {
    let mut state = seed;
    let mut next = |max: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % max
    };
    let mut text = String::new();
    for _ in 0..lines {
        let pad = "x ".repeat(next(40) as usize);
        let number = next(60);
        let _ = match next(5) {
            0 => writeln!(text, "{pad}doi:10.5555/Abc-{number}, and more."),
            1 => writeln!(text, "{pad}https://doi.org/10.5555/abc-{number}"),
            2 => write!(text, "{pad}\"10.1000/{number}\" "),
            3 => writeln!(text, "10.5555/ {pad}10.x"),
            _ => writeln!(text),
        };
    }
    text
}

fn fill(place: &Place) {
    place.file("in/plain", text(1, 60));
    place.file("in/packed.gz", gzip(text(2, 60)));
    place.file(
        "in/members",
        [gzip(text(3, 20)), gzip(text(4, 20))].concat(),
    );
    place.file(
        "in/frames.zst",
        [zstd(text(5, 20)), zstd(text(6, 20))].concat(),
    );
    for number in 0..20 {
        place.file(format!("in/small/{number}"), text(100 + number, 3));
    }
    place
        .file("in/empty", "")
        .file("in/end", "10.5555/at-the-end")
        .file("in/tiny", "1");
    let cut = gzip(text(7, 50));
    place.file("in/cut.gz", &cut[..cut.len() - 50]);
}

#[test]
fn threads_and_chunks_change_no_byte() {
    let place = Place::new();
    fill(&place);
    for options in [
        "-f csv",
        "-f jsonl --mentions",
        "-f names",
        "-f csv --lines",
        "-f csv --lines --mentions",
    ] {
        let wanted = place.scan(&format!("in {options} -j1 --report first.json"));
        assert_eq!(wanted.code, Some(1));
        assert!(wanted.out.lines().count() > 30);
        for (threads, chunks) in [
            (1, &["1", "7", "64", "4096"][..]),
            (2, &["1", "7", "64", "4096", "1048576"]),
            (8, &["64", "4096", "1048576"]),
        ] {
            for chunk in chunks {
                let what = format!("{options} -j{threads} --chunk {chunk}");
                let seen = place.scan(&format!("in {what} --report other.json"));
                assert_eq!((seen.code, &seen.err), (wanted.code, &wanted.err), "{what}");
                assert!(seen.out == wanted.out, "{what}");
                same_counts(&place, &what);
            }
        }
    }
}

fn same_counts(place: &Place, what: &str) {
    let (mut first, mut other) = (place.json("first.json"), place.json("other.json"));
    for report in [&mut first, &mut other] {
        report["options"] = 0.into();
        report["seconds"] = 0.into();
        report["started"] = 0.into();
    }
    assert_eq!(first, other, "{what}");
}

#[test]
fn a_stream_gives_the_same_as_the_file() {
    let place = Place::new();
    let text = text(9, 500);
    place.file("text", &text);
    let file = place.scan("text -f names -j1").quiet().out;
    for packed in [text.clone().into_bytes(), gzip(&text), zstd(&text)] {
        for options in ["-j1", "-j2", "-j2 --chunk 64", "-j1 --chunk 64"] {
            assert!(
                place
                    .scan_stdin(&format!("-f names {options}"), &packed)
                    .quiet()
                    .out
                    == file,
                "{options}"
            );
        }
    }
}

#[test]
fn parquet_has_the_same_bytes_for_all_threads_chunks_and_budgets() {
    let place = Place::new();
    place
        .file("in/text", text(8, 400))
        .file("in/more", text(9, 400));
    for options in ["-f parquet", "-f parquet --mentions"] {
        place.scan(&format!("in {options} -j 1 -o one")).quiet();
        let one = std::fs::read(place.path("one")).unwrap();
        assert!(one.starts_with(b"PAR1") && one.ends_with(b"PAR1"));
        for how in [
            "-j 2",
            "-j 8 --chunk 100",
            "-j 1 --memory 1M",
            "-j 2 --memory 1M",
        ] {
            place.scan(&format!("in {options} {how} -o other")).quiet();
            let other = std::fs::read(place.path("other")).unwrap();
            assert!(other == one, "{options} {how}");
        }
    }
}

#[test]
fn parquet_is_merged_as_other_formats_are() {
    let place = Place::new();
    place.file("a", text(8, 60)).file("b", text(9, 60));
    place.scan("a b -o all.csv").quiet();
    place.scan("a b -o all.parquet").quiet();
    place.scan("a -o a.parquet").quiet();
    place.scan("b -o b.jsonl.gz").quiet();
    for line in [
        "a.parquet b.jsonl.gz -o merged.csv",
        "b.jsonl.gz a.parquet -o merged.parquet",
    ] {
        let args = ["merge"].into_iter().chain(line.split(' '));
        Seen::of(&mut place.command(args)).quiet();
    }
    assert_eq!(place.read("merged.csv"), place.read("all.csv"));
    let bytes = |name| std::fs::read(place.path(name)).unwrap();
    assert!(bytes("merged.parquet") == bytes("all.parquet"));
}

#[test]
fn members_of_a_tar_give_the_same_on_any_number_of_threads() {
    let cut = gzip(text(3, 9000));
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("first.gz", gzip(text(1, 9000))),
        ("plain", text(2, 100).into_bytes()),
        ("cut.gz", cut[..cut.len() - 50].to_vec()),
        ("last.gz", gzip(text(4, 9000))),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, name, &bytes[..]).unwrap();
    }
    let place = Place::new();
    place.file("members.tar", tar.into_inner().unwrap());
    let wanted = place.scan("members.tar -f csv --mentions -j1");
    assert_eq!(wanted.code, Some(1));
    assert!(wanted.out.contains("last.gz"));
    for threads in [2, 3, 8] {
        let seen = place.scan(&format!("members.tar -f csv --mentions -j{threads}"));
        assert_eq!((seen.code, &seen.err), (wanted.code, &wanted.err));
        assert!(seen.out == wanted.out, "{threads} threads");
    }
}
