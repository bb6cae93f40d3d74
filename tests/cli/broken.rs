//! Damaged input: what is reported, which names are still found, and the exit code.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;

use crate::place::{Place, Seen, bzip2, gzip, lz4, names, xz, zstd};

/// Checks the names in the readable bytes of a damaged file.
fn check_damage(packed: Vec<u8>, what: &str) {
    let place = Place::new();
    place.file("bad", packed).file("good", "10.5555/good\n");
    for options in ["-j1", "-j2", "-j2 --chunk 64", "-j1 --chunk 4096"] {
        let seen = place.scan(&format!("bad good {options} --report r.json"));
        assert_eq!(seen.code, Some(1), "{options}");
        let reported = seen
            .err
            .strip_prefix("doisift: bad: at byte ")
            .expect(&seen.err);
        let (offset, reason) = reported.trim_end().split_once(": ").expect(reported);
        let offset: usize = offset.parse().expect(reported);
        assert!(
            reason.starts_with(&format!("the {what} data is damaged")),
            "{reason}"
        );
        assert_eq!(seen.err.lines().count(), 1);

        let text = names(10_000);
        let whole = text[..offset]
            .rmatch_indices(" for")
            .next()
            .map_or(0, |(at, _)| at);
        let wanted = text[..whole].matches("10.5555/").count();
        assert!(
            wanted > 100,
            "too few bytes come before the damage for this test: {offset}"
        );
        assert_eq!(seen.field("doi").len(), wanted + 1, "{options}");
        let error = &place.json("r.json")["errors"];
        assert_eq!(
            (&error["count"], &error["list"][0]["offset"]),
            (&1.into(), &offset.into())
        );
        assert_eq!(error["list"][0]["source"], "bad");
    }
}

#[test]
fn a_truncated_gzip_keeps_what_came_before() {
    let packed = gzip(names(10_000));
    check_damage(packed[..packed.len() / 2].to_vec(), "gzip");
}

#[test]
fn a_corrupt_gzip_member_keeps_what_came_before() {
    let text = names(10_000);
    let (first, second) = text.split_at(text.len() / 2);
    let mut second = gzip(second);
    // The only method of gzip is 8.
    second[2] = 7;
    check_damage([gzip(first), second].concat(), "gzip");
}

#[test]
fn a_wrong_checksum_is_reported_and_all_names_kept() {
    let mut packed = gzip(names(10_000));
    let checksum = packed.len() - 8;
    packed[checksum] ^= 1;
    check_damage(packed, "gzip");
}

#[test]
fn a_truncated_zstd_keeps_what_came_before() {
    let text = names(10_000);
    let (first, second) = text.split_at(text.len() / 2);
    let packed = [zstd(first), zstd(second)].concat();
    check_damage(packed[..packed.len() - 20].to_vec(), "zstd");
}

#[test]
fn a_corrupt_zstd_keeps_what_came_before() {
    let text = names(10_000);
    let (first, second) = text.split_at(text.len() / 2);
    let mut second = zstd(second);
    let middle = second.len() / 2;
    second[middle..middle + 200].fill(0xff);
    check_damage([zstd(first), second].concat(), "zstd");
}

#[test]
fn a_name_that_damage_cuts_through_is_not_given() {
    let place = Place::new();
    // Stored, not compressed, so that the cut is at a known byte.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed
        .write_all(b"10.5555/whole 10.5555/half-of-it ")
        .unwrap();
    let packed = packed.finish().unwrap();
    let cut = packed.len() - 8 - "-of-it ".len();
    place.file("bad.gz", &packed[..cut]);
    for options in [
        "-j1",
        "-j2",
        "-j2 --chunk 1",
        "-j2 --mentions",
        "-j1 --lines",
    ] {
        let seen = place.scan(&format!("bad.gz {options}"));
        assert_eq!(
            (seen.code, seen.field("doi")),
            (Some(1), vec!["10.5555/whole".to_owned()]),
            "{options}"
        );
    }
}

#[test]
fn garbage_after_a_gzip_is_reported_and_all_before_kept() {
    let place = Place::new();
    place.file("a.gz", [gzip("10.5555/a \n"), b"garbage".to_vec()].concat());
    let seen = place.scan("a.gz -f names");
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/a\n"));
    assert_eq!(
        seen.err,
        "doisift: a.gz: at byte 11: bytes after the gzip data were ignored\n"
    );
}

#[test]
fn with_on_error_fail_the_run_stops_and_no_output_appears() {
    let place = Place::new();
    let packed = gzip(names(1000));
    place
        .file("bad.gz", &packed[..packed.len() - 10])
        .file("good", "10.5555/good\n");
    for options in ["-j1", "-j2", "-j2 --mentions"] {
        let seen = place.scan(&format!(
            "bad.gz good missing --on-error fail -o out.jsonl --report r.json {options}"
        ));
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{options}");
        assert_eq!(seen.err.lines().count(), 1, "{}", seen.err);
        assert_eq!(place.entries(), ["bad.gz", "good", "r.json"], "{options}");
        let failure = place.json("r.json")["failure"].as_str().unwrap().to_owned();
        assert_eq!(seen.err, format!("doisift: {failure}\n"), "{options}");
    }
}

#[test]
fn a_missing_file_is_named_and_the_rest_read() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!("a missing -f names --on-error skip {threads}"));
        assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/a\n"));
        assert_eq!(
            seen.err,
            "doisift: missing: No such file or directory (os error 2)\n"
        );
    }
}

#[test]
fn a_folder_or_file_without_rights_is_named_and_the_rest_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place
        .file("d/closed/b", "10.5555/b\n")
        .file("d/a", "10.5555/a\n")
        .file("d/file", "10.5555/c\n");
    let close = |name, mode| {
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    close("d/closed", 0o000);
    close("d/file", 0o000);
    let seen = place.scan_without_rights("d -f names");
    close("d/closed", 0o755);
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/a\n"));
    let mut lines: Vec<_> = seen.err.lines().collect();
    lines.sort();
    let denied = "Permission denied (os error 13)";
    assert_eq!(
        lines,
        [
            format!("doisift: d/closed: {denied}"),
            format!("doisift: d/file: {denied}")
        ]
    );
}

#[test]
fn an_archive_that_cannot_be_opened_is_an_error() {
    let place = Place::new();
    let cases: [(&str, &[u8]); 2] = [
        ("rar", b"Rar!\x1a\x07 10.5555/a"),
        ("lzip", b"LZIP\x01\x0c 10.5555/a"),
    ];
    for (name, bytes) in cases {
        place.file("a", bytes);
        let seen = place.scan("a -f names");
        assert_eq!((seen.code, seen.out.as_str()), (Some(1), ""), "{name}");
        let wanted = format!("doisift: a: at byte 0: {name} is recognised but cannot be opened; ");
        assert!(seen.err.starts_with(&wanted), "{}", seen.err);
        assert!(seen.err.contains("unpack it first: "), "{}", seen.err);
    }
}

#[test]
fn damage_in_any_packing_keeps_what_came_before() {
    let text = names(10_000);
    let (first, second) = text.split_at(text.len() / 2);
    for pack in [bzip2, xz, lz4] {
        let mut second = pack(second.as_bytes());
        let middle = second.len() / 2;
        second[middle..middle + 200].fill(0xff);
        let place = Place::new();
        place.file("bad", [pack(first.as_bytes()), second].concat());
        let seen = place.scan("bad -f names");
        assert_eq!((seen.code, seen.err.lines().count()), (Some(1), 1));
        assert!(seen.out.starts_with("10.5555/name-0000000\n"));
        assert!(seen.out.lines().count() >= 5_000);
    }
}

#[test]
fn a_bomb_is_stopped_and_reported_with_the_option_that_lets_it_pass() {
    let place = Place::new();
    let mut bomb = b"10.5555/first \n".to_vec();
    bomb.resize(64 << 20, b' ');
    bomb.extend(b"10.5555/last \n");
    place.file("a.zst", zstd(bomb));
    let seen = place.scan("a.zst -f names");
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/first\n"));
    assert_eq!(
        seen.err,
        "doisift: a.zst: at byte 67108864: it unpacks to more than 1000 times its size; --max-expansion allows more\n"
    );
    let seen = place.scan("a.zst -f names --max-expansion 1000000").quiet();
    assert_eq!(seen.out, "10.5555/first\n10.5555/last\n");
}

#[test]
fn what_wants_too_much_memory_is_reported_with_the_option_that_lets_it_pass() {
    let place = Place::new();
    let mut packed = zstd::Encoder::new(Vec::new(), 1).unwrap();
    packed.window_log(21).unwrap();
    packed.write_all(b"10.5555/a").unwrap();
    place.file("a.zst", packed.finish().unwrap());
    let seen = place.scan("a.zst -f names --max-window 1M");
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), ""));
    assert_eq!(
        seen.err,
        "doisift: a.zst: at byte 0: the zstd data needs more than 1048576 bytes of memory; --max-window allows more\n"
    );
    place.scan("a.zst -f names --max-window 2M").quiet();
}

#[test]
fn invalid_utf8_and_nuls_stop_nothing() {
    let place = Place::new();
    place.file("a", b"\xff\xfd\0\0\x80 10.5555/a \0\0 10.5555/b \xc3");
    assert_eq!(
        place.scan("a -f names").quiet().out,
        "10.5555/a\n10.5555/b\n"
    );
}

#[test]
fn a_list_that_cannot_be_read_stops_the_run() {
    let place = Place::new();
    let seen = place.scan("--files-from missing");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err
            .starts_with("doisift: missing: cannot read the list of sources: No such file"),
        "{}",
        seen.err
    );
}

/// Scans `file` and cuts it to `size` bytes after the first row was written, while the scan is blocked.
fn seen_while_cut(place: &Place, file: &str, size: u64, options: &str) -> Seen {
    let mut child = place
        .command(["scan", file, "--mentions", "--chunk", "16384"])
        .args(options.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0];
    let out = child.stdout.as_mut().unwrap();
    out.read_exact(&mut first).unwrap();
    let cut = File::options().write(true).open(place.path(file)).unwrap();
    cut.set_len(size).unwrap();
    let mut seen = Seen::from(child.wait_with_output().unwrap());
    seen.out.insert_str(0, str::from_utf8(&first).unwrap());
    seen
}

#[test]
fn a_file_that_becomes_shorter_is_reported_once() {
    let place = Place::new();
    let text = names(40_000);
    // The cut is within a name.
    let cut = text.len() / 2 + 20;
    for options in ["-j1", "-j2", "-j3", "-j1 --lines"] {
        place.file("in", &text);
        let seen = seen_while_cut(&place, "in", cut as u64, options);
        assert_eq!((seen.code, seen.err.lines().count()), (Some(1), 1));
        let offset = format!("in: at byte {cut}: ");
        let is_named = options.contains("lines") || seen.err.contains(&offset);
        assert!(is_named && seen.err.contains("shorter"), "{}", seen.err);
        assert_eq!(seen.out.lines().count(), 20_000, "{options}");
    }
    let stored = flate2::Compression::none();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), stored);
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    // With more memory, the whole file is read before a row is written.
    for options in ["-j1 --memory 1M", "-j2 --memory 1M"] {
        place.file("in", &packed);
        let size = packed.len() as u64 - 100;
        let seen = seen_while_cut(&place, "in", size, options);
        assert_eq!((seen.code, seen.err.lines().count()), (Some(1), 1));
        assert!(seen.err.contains("shorter"), "{}", seen.err);
    }
}

#[test]
fn quiet_hides_what_was_lost_but_not_that_it_was() {
    let place = Place::new();
    let seen = place.scan("missing -q --on-error skip");
    assert_eq!((seen.code, seen.err.as_str()), (Some(1), ""));
    let seen = Seen::of(
        place
            .command(["scan", "missing", "-q", "--on-error", "fail"])
            .env("NO_COLOR", "1"),
    );
    assert_eq!(seen.code, Some(2));
    assert_eq!(
        seen.err,
        "doisift: missing: No such file or directory (os error 2)\n"
    );
}
