//! Containers: the order and names of their documents, limits, and containers that cannot be opened.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::place::{Place, gzip, names, zstd};

pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = ::tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        out.append_data(&mut header, name, *bytes).unwrap();
    }
    out.into_inner().unwrap()
}

pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        out.start_file(*name, SimpleFileOptions::default()).unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

pub fn warc(records: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (uri, bytes) in records {
        let length = bytes.len();
        out.extend(format!("WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {uri}\r\nContent-Length: {length}\r\n\r\n").bytes());
        out.extend([bytes, &b"\r\n\r\n"[..]].concat());
    }
    out
}

type Pack = fn(&[(&str, &[u8])]) -> Vec<u8>;
const PACKERS: [Pack; 3] = [tar, zip, warc];
const MEMBERS: [(&str, &[u8]); 3] = [
    ("z", b"10.5555/one \n"),
    ("a/b", b"10.5555/two 10.5555/three \n"),
    ("n", b" 10.5555/four \n"),
];

#[test]
fn members_are_documents_in_the_order_they_stand() {
    let place = Place::new();
    for pack in PACKERS {
        for bytes in [pack(&MEMBERS), gzip(pack(&MEMBERS))] {
            place.file("in", &bytes);
            for seen in [
                place.scan("in --mentions -j1"),
                place.scan("in --mentions -j2"),
                place.scan_stdin("- --mentions", &bytes),
            ] {
                let seen = seen.quiet();
                assert_eq!(seen.field("document"), ["z", "a/b", "a/b", "n"]);
                assert_eq!(seen.field("offset"), ["0", "0", "12", "1"]);
            }
        }
    }
}

#[test]
fn what_is_packed_in_a_member_is_named_by_all_that_holds_it() {
    let place = Place::new();
    let inner = gzip(tar(&MEMBERS));
    place.file("in", zip(&[("x.tgz", &inner), ("y", b"10.5555/y \n")]));
    let seen = place.scan("in --mentions").quiet();
    let documents = ["x.tgz!/z", "x.tgz!/a/b", "x.tgz!/a/b", "x.tgz!/n", "y"];
    assert_eq!(seen.field("document"), documents);
}

#[test]
fn nesting_deeper_than_the_limit_is_reported_and_the_rest_read() {
    let place = Place::new();
    let nested = |depth| {
        let text = b"10.5555/in \n".to_vec();
        let inner = (1..depth).fold(text, |bytes, _| tar(&[("m", &bytes)]));
        tar(&[("deep", &inner), ("flat", b"10.5555/flat \n")])
    };
    let seen = place.file("in", nested(4)).scan("in -f names").quiet();
    assert_eq!(seen.out, "10.5555/flat\n10.5555/in\n");
    let seen = place.file("in", nested(5)).scan("in -f names");
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/flat\n"));
    let reported = "doisift: in: deep!/m!/m!/m: at byte 0: tar is nested deeper than the limit; --max-depth allows more\n";
    assert_eq!(seen.err, reported);
}

#[test]
fn a_bomb_in_a_member_is_stopped_and_reported_with_the_option() {
    let place = Place::new();
    let zeros = zstd(vec![b'0'; 65 << 20]);
    place.file("in", tar(&[("a", b"10.5555/a \n"), ("bomb", &zeros)]));
    let seen = place.scan("in -f names --max-expansion 100");
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/a\n"));
    assert!(
        seen.err.starts_with("doisift: in: bomb: at byte "),
        "{}",
        seen.err
    );
    assert!(seen.err.contains("--max-expansion"), "{}", seen.err);
}

#[test]
fn members_that_are_no_text_are_counted_and_named_when_asked() {
    let place = Place::new();
    let members: [(&str, &[u8]); 2] = [("a.png", b"\x89PNG\r\n\x1a\n10.5555/a\n"), MEMBERS[0]];
    place.file("in", zip(&members));
    let seen = place.scan("in -f names -vv --report r.json");
    assert_eq!((seen.code, seen.out.as_str()), (Some(0), "10.5555/one\n"));
    assert!(
        seen.err.contains("in: a.png: skipped: png\n"),
        "{}",
        seen.err
    );
    assert_eq!(
        place.json("r.json")["skipped"],
        serde_json::json!({"png": 1})
    );
}

#[test]
fn archives_that_cannot_be_opened_are_errors() {
    let place = Place::new();
    let mut locked = zip(&MEMBERS);
    let is_header = |at: &usize| locked[*at..].starts_with(b"PK\x03\x04");
    let second = (1..locked.len()).find(is_header).unwrap();
    locked[second + 6] |= 1;
    let is_entry = |at: &usize| locked[*at..].starts_with(b"PK\x01\x02");
    let entry = (0..locked.len()).filter(is_entry).nth(1).unwrap();
    locked[entry + 8] |= 1;
    for (bytes, reported) in [
        (locked, "in: a/b: at byte 0: the zip data is encrypted; "),
        (
            b"Rar!\x1a\x07\x01\0".to_vec(),
            "in: at byte 0: rar is recognised but cannot be opened; ",
        ),
    ] {
        let seen = place.file("in", bytes).scan("in");
        assert_eq!(seen.code, Some(1));
        let wanted = format!("doisift: {reported}unpack it ");
        assert!(seen.err.starts_with(&wanted), "{}", seen.err);
    }
}

#[test]
fn a_first_record_that_is_damaged_costs_no_other() {
    let place = Place::new();
    let mut records = MEMBERS.map(|member| gzip(warc(&[member])));
    records[0][20] ^= 0xff;
    for first in [2, 20] {
        records[0][first] ^= 0xff;
        place.file("in", records.concat());
        for threads in ["-j1", "-j2"] {
            let seen = place.scan(&format!("in --mentions {threads}"));
            assert_eq!(seen.code, Some(1));
            assert_eq!(seen.field("document"), ["a/b", "a/b", "n"]);
        }
    }
}

#[test]
fn containers_and_small_files_give_the_same_on_every_number_of_threads() {
    let place = Place::new();
    let text = names(3000);
    for number in 0..40 {
        let small = format!("10.5555/small-{number} \n");
        place.file(format!("d/{number}.txt"), &small);
        let pack = PACKERS[number % 3];
        let members = [
            ("a", small.as_bytes()),
            ("long", text.as_bytes()),
            ("b", small.as_bytes()),
        ];
        place.file(format!("d/{number}.x"), pack(&members));
    }
    let one = place.scan("d --mentions -j1").quiet();
    assert_eq!(one.rows().len(), 40 * 3003);
    for options in ["-j2", "-j3 --chunk 4096"] {
        let more = place.scan(&format!("d --mentions {options}")).quiet();
        assert!(more.out == one.out, "{options}");
    }
}

/// Returns the errors of a scan of `bytes`, and the names found.
fn reported(bytes: &[u8]) -> (String, Vec<String>) {
    let place = Place::new();
    place.file("in", bytes);
    let seen = place.scan("in --mentions");
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    assert_eq!(place.scan("in --mentions -j2").err, seen.err);
    (seen.err.clone(), seen.field("document"))
}

#[test]
fn a_tar_that_ends_between_two_members_is_reported() {
    let (err, documents) = reported(&tar(&MEMBERS)[..2048]);
    let expected = "doisift: in: #3: at byte 2048: the tar data ends without its end mark\n";
    assert_eq!(err, expected);
    assert_eq!(documents, ["z", "a/b", "a/b"]);
}

#[test]
fn headers_of_a_zip_that_do_not_agree_are_reported_and_the_member_read() {
    let disagree = |name| {
        format!(
            "doisift: in: {name}: at byte 0: the zip directory and the header of member 1 do not agree\n"
        )
    };
    // The checksum of the first member, the length of its name, and its name.
    for (at, name) in [(14, "z"), (26, "z"), (30, "{")] {
        let mut bytes = zip(&MEMBERS);
        bytes[at] ^= 1;
        let (err, documents) = reported(&bytes);
        assert_eq!(err, disagree(name), "byte {at}");
        assert_eq!(documents, [name, "a/b", "a/b", "n"], "byte {at}");
    }
}

#[test]
fn damage_to_a_member_within_another_names_both() {
    let mut inner = gzip(tar(&MEMBERS));
    let end = inner.len();
    inner.truncate(end - 20);
    let (err, _) = reported(&zip(&[("x.tgz", &inner)]));
    assert!(err.starts_with("doisift: in: x.tgz"), "{err}");
    let mut inner = tar(&MEMBERS);
    inner[1024] ^= 1;
    let (err, documents) = reported(&zip(&[("x.tar", &inner)]));
    let expected = "doisift: in: x.tar: at byte 1024: the tar header of member 2 is damaged\n";
    assert_eq!(err, expected);
    assert_eq!(documents, ["x.tar!/z", "x.tar!/n"]);
}

#[test]
fn a_damaged_checksum_after_a_record_is_reported_for_that_record_and_a_damaged_header_of_the_next()
{
    let records = MEMBERS.map(|member| gzip(warc(&[member])));
    let second = records[0].len();
    for (at, name) in [(second - 8, "z"), (second + 2, "#2")] {
        let mut bytes = records.concat();
        bytes[at] ^= 1;
        let (err, documents) = reported(&bytes);
        assert!(
            err.starts_with(&format!("doisift: in: {name}: at byte ")),
            "{err}"
        );
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(documents.contains(&"z".into()) && documents.contains(&"n".into()));
    }
}

#[test]
fn wide_text_that_ends_in_a_character_is_reported_and_read() {
    let wide: Vec<u8> = "\u{feff}10.5555/a \u{1f600}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for cut in 1..4 {
        let (err, documents) = reported(&wide[..wide.len() - cut]);
        let expected = "doisift: in: at byte 10: this is not valid UTF-16; from here on, invalid characters are replaced by U+FFFD\n";
        assert_eq!(
            (err.as_str(), documents.len()),
            (expected, 1),
            "cut by {cut}"
        );
    }
}
