//! Unusual archives: sparse members in tar, zips after other content, split zips, damaged ends.

use crate::containers::{tar, zip};
use crate::place::{Place, gzip};

/// Returns a pax tar with a sparse member, which these records describe, and a plain member.
fn sparse_tar(records: &[(&str, &str)]) -> Vec<u8> {
    let mut out = ::tar::Builder::new(Vec::new());
    let records = records.iter().map(|(key, value)| (*key, value.as_bytes()));
    out.append_pax_extensions(records).unwrap();
    for (name, bytes) in [
        ("GNUSparseFile.1/holes", &b"see 10.5555/abcdef "[..]),
        ("after", b"10.5555/after "),
    ] {
        let mut header = ::tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        out.append_data(&mut header, name, bytes).unwrap();
    }
    out.into_inner().unwrap()
}

/// The holes are not in the archive. Without them, two names would become one.
#[test]
fn a_sparse_file_is_reported_and_what_follows_is_read() {
    let place = Place::new();
    for records in [
        [
            ("path", "holes"),
            ("GNU.sparse.size", "3000"),
            ("GNU.sparse.offset", "0"),
        ],
        [
            ("GNU.sparse.name", "holes"),
            ("GNU.sparse.size", "3000"),
            ("GNU.sparse.map", "0,15,1000,4"),
        ],
        [
            ("GNU.sparse.name", "holes"),
            ("GNU.sparse.major", "1"),
            ("GNU.sparse.minor", "0"),
        ],
    ] {
        place.file("in.tar", sparse_tar(&records));
        for options in ["-j1", "-j2"] {
            let seen = place.scan(&format!("in.tar -f names {options}"));
            assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/after\n"));
            let error = "doisift: in.tar: holes: at byte 0: this is a sparse file, with holes; it was not read; extract it with tar and scan the file\n";
            assert_eq!(seen.err, error);
        }
    }
}

const MEMBERS: [(&str, &[u8]); 2] = [
    ("a.txt", b"10.5555/one and 10.5555/one again and again\n"),
    ("b.txt", b"10.5555/two and 10.5555/two again and again\n"),
];
const SCRIPT: &str = "#!/bin/sh\n# see 10.5555/script \nexit 0\n";

/// Asserts the names that a run found, and whether it reported anything.
#[track_caller]
fn check(place: &Place, bytes: &[u8], names: &str) {
    place.file("in", bytes);
    for options in ["-j1", "-j2", "-j2 --chunk 64"] {
        let seen = place.scan(&format!("in -f names {options}")).quiet();
        assert_eq!(seen.out, names, "{options}");
    }
    let mentions = place.scan("in --mentions").quiet();
    assert!(place.scan("in --mentions -j2").quiet().out == mentions.out);
}

#[test]
fn a_zip_that_starts_with_a_split_marker_is_read() {
    let place = Place::new();
    for marker in [b"PK\x07\x08", b"PK00"] {
        let bytes = shifted(zip(&MEMBERS), 4);
        let bytes = [&marker[..], &bytes].concat();
        check(&place, &bytes, "10.5555/one\n10.5555/two\n");
        check(&place, &gzip(&bytes), "10.5555/one\n10.5555/two\n");
        let seen = place.scan_stdin("- -f names", &bytes).quiet();
        assert_eq!(seen.out, "10.5555/one\n10.5555/two\n");
    }
}

/// Returns an archive whose offsets are larger by `more`.
fn shifted(mut bytes: Vec<u8>, more: u32) -> Vec<u8> {
    let add = |bytes: &mut [u8]| {
        let number = u32::from_le_bytes(bytes.try_into().unwrap()) + more;
        bytes.copy_from_slice(&number.to_le_bytes());
    };
    for at in 0..bytes.len() - 4 {
        match &bytes[at..at + 4] {
            b"PK\x01\x02" => add(&mut bytes[at + 42..at + 46]),
            b"PK\x05\x06" => add(&mut bytes[at + 16..at + 20]),
            _ => {}
        }
    }
    bytes
}

#[test]
fn a_zip_after_a_script_is_read_and_the_script_too() {
    let place = Place::new();
    let names = "10.5555/one\n10.5555/script\n10.5555/two\n";
    let long = SCRIPT.replace("exit", &"# a comment\n".repeat(1000)) + "exit 0\n";
    for script in [SCRIPT, &long] {
        for inner in [zip(&MEMBERS), shifted(zip(&MEMBERS), script.len() as u32)] {
            let bytes = [script.as_bytes(), &inner].concat();
            check(&place, &bytes, names);
            check(&place, &gzip(&bytes), names);
            check(&place, &tar(&[("x", &bytes)]), names);
            check(&place, &zip(&[("x", &bytes)]), names);
            let seen = place.scan_stdin("- -f names", &bytes).quiet();
            assert_eq!(seen.out, names);
        }
    }
    let bytes = [long.as_bytes(), &zip(&MEMBERS)].concat();
    let seen = place.file("in", &bytes).scan("in --mentions").quiet();
    assert_eq!(
        seen.field("document"),
        ["null", "a.txt", "a.txt", "b.txt", "b.txt"]
    );
    assert_eq!(seen.field("offset"), ["16", "0", "16", "0", "16"]);
}

#[test]
fn a_zip_after_a_program_or_any_text_is_read() {
    let place = Place::new();
    let program = [&b"\x7fELF\x02\x01\x01"[..], &[0; 70_000]].concat();
    let dos = [&b"MZ\x90\0\x03\0\0\0"[..], &[0xe8; 9000]].concat();
    let comment = b" and a comment that is long".repeat(100);
    for prefix in [&program[..], &dos] {
        let mut bytes = [prefix, &zip(&MEMBERS)].concat();
        check(&place, &bytes, "10.5555/one\n10.5555/two\n");
        let length = bytes.len();
        bytes[length - 2..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
        bytes.extend(&comment);
        check(&place, &bytes, "10.5555/one\n10.5555/two\n");
    }
    let in_stream = [&program[..], &zip(&MEMBERS)].concat();
    check(&place, &gzip(&in_stream), "10.5555/one\n10.5555/two\n");
    check(
        &place,
        &tar(&[("x.exe", &in_stream)]),
        "10.5555/one\n10.5555/two\n",
    );
    let text = "Some words before 10.5555/text of any kind.\n".repeat(500);
    let bytes = [text.as_bytes(), &zip(&MEMBERS)].concat();
    check(&place, &bytes, "10.5555/one\n10.5555/text\n10.5555/two\n");
}

#[test]
fn a_zip_after_a_text_is_read_whatever_the_size_of_the_file() {
    let place = Place::new();
    let archive = zip(&MEMBERS);
    // Sizes around that of the first read, of a file that is read at once, and of a larger one.
    for length in [4095, 4096, 4097, 8192, 12_287, 12_288, 12_289, 40_000] {
        let line = "Some words before 10.5555/text of any kind.\n";
        let before = length - archive.len();
        let mut bytes = line.repeat(before / line.len()).into_bytes();
        bytes.resize(before, b' ');
        bytes.extend(&archive);
        assert_eq!(bytes.len(), length);
        check(&place, &bytes, "10.5555/one\n10.5555/text\n10.5555/two\n");
    }
}

#[test]
fn a_damaged_zip_after_a_script_loses_nothing_in_silence() {
    let place = Place::new();
    let bytes = [SCRIPT.as_bytes(), &zip(&MEMBERS)].concat();
    let end = bytes.len() - 22;
    for at in end..bytes.len() {
        for value in [0, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            let seen = place.file("in", bytes).scan("in -f names");
            assert_eq!(
                seen.out, "10.5555/one\n10.5555/script\n10.5555/two\n",
                "byte {at}"
            );
        }
    }
    for cut in [end, end - 60, end - 150] {
        let seen = place.file("in", &bytes[..cut]).scan("in -f names");
        assert_eq!(seen.code, Some(1), "cut at {cut}");
        assert!(
            seen.out.starts_with("10.5555/one\n10.5555/script\n"),
            "cut at {cut}"
        );
    }
}

#[test]
fn the_parts_of_a_split_zip_are_reported_with_the_remedy() {
    let place = Place::new();
    let noise: Vec<u8> = (0..40_000_u32)
        .flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes())
        .collect();
    let members = [MEMBERS[0], ("noise", &noise), MEMBERS[1]];
    let mut whole = [&b"PK\x07\x08"[..], &shifted(zip(&members), 4)].concat();
    let end = whole.len() - 22;
    // The last of three parts has the directory.
    whole[end + 4..end + 8].copy_from_slice(&[2, 0, 2, 0]);
    let parts = whole.chunks(60_000);
    for (bytes, name) in parts.zip(["x.z01", "x.z02", "x.zip"]) {
        place.file(name, bytes);
        let seen = place.scan(&format!("{name} -f names -j2"));
        assert_eq!(
            place.scan(&format!("{name} -f names --chunk 64 -j2")).err,
            seen.err
        );
        let part =
            "this is one part of a split zip archive; join the parts and scan the whole: zip -s 0 ";
        let line = seen.err.lines().next().unwrap_or_default();
        assert!(
            line.starts_with(&format!("doisift: {name}: at byte 0: {part}")),
            "{}",
            seen.err
        );
        assert_eq!(seen.code, Some(1));
    }
    // 7-Zip cuts a whole archive.
    for (number, bytes) in zip(&members).chunks(60_000).enumerate() {
        let name = format!("w.zip.00{number}");
        let seen = place.file(&name, bytes).scan(&name);
        let line = format!("doisift: {name}: at byte 0: this is one part of a split zip archive");
        assert!(seen.err.starts_with(&line), "{}", seen.err);
    }
    // Members that are whole in their part.
    let seen = place.scan("x.z01 x.z02 x.zip -f names");
    assert_eq!(seen.out, "10.5555/one\n10.5555/two\n");
    place.file("y.z02", "a text that has 10.5555/such a name");
    assert_eq!(place.scan("y.z02 -f names").quiet().out, "10.5555/such\n");
}

#[test]
fn a_damaged_end_record_of_a_zip_costs_no_member_and_is_reported() {
    let place = Place::new();
    let whole = zip(&MEMBERS);
    let end = whole.len() - 22;
    // The count, the size of the directory, and where it starts.
    for (field, length) in [(10, 2), (12, 4), (16, 4)] {
        for value in [0, 1, 0xff] {
            let mut bytes = whole.clone();
            bytes[end + field..end + field + length].fill(value);
            let seen = place.file("in", bytes).scan("in -f names");
            assert_eq!(seen.out, "10.5555/one\n10.5555/two\n", "{field}: {value}");
            assert_eq!(seen.code, Some(1), "{field}: {value}");
            assert!(
                seen.err.contains(": the zip data is damaged: "),
                "{}",
                seen.err
            );
        }
    }
}

#[test]
fn zeros_after_a_zip_are_no_error() {
    let place = Place::new();
    let mut bytes = zip(&MEMBERS);
    bytes.resize(bytes.len().next_multiple_of(10_240), 0);
    check(&place, &bytes, "10.5555/one\n10.5555/two\n");
    check(&place, &gzip(&bytes), "10.5555/one\n10.5555/two\n");
    bytes.resize(1 << 20, 0);
    check(&place, &bytes, "10.5555/one\n10.5555/two\n");
}

#[test]
fn text_that_names_the_marks_of_a_zip_is_text() {
    let place = Place::new();
    let words = "PK PK00PK and PK00 are marks, PK\\x03\\x04 too, says 10.5555/one .\n";
    for text in [
        words.to_owned(),
        words.repeat(100),
        words.to_owned() + "PK\x05\x06 and no more than that",
    ] {
        check(&place, text.as_bytes(), "10.5555/one\n");
        check(&place, &gzip(&text), "10.5555/one\n");
        check(&place, &[b"#!", text.as_bytes()].concat(), "10.5555/one\n");
    }
}
