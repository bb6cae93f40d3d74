//! Warnings about sources without documents or rows, or whose names do not fit their content. None is a failure.

use std::os::unix::fs::symlink;

use crate::place::{Place, bzip2, fifo, gzip, zstd};

/// Returns the messages of a successful scan, without the name of the command.
#[track_caller]
fn warnings(place: &Place, line: &str) -> Vec<String> {
    let seen = place.scan(line);
    assert_eq!(seen.code, Some(0), "{line}: {}", seen.err);
    let lines = seen.err.lines();
    lines
        .map(|line| line.strip_prefix("doisift: ").expect(line).to_owned())
        .collect()
}

#[track_caller]
fn is_reported(place: &Place, line: &str, parts: &[&str]) {
    let lines = warnings(place, line);
    assert_eq!(lines.len(), 1, "{line}: {lines:?}");
    for part in parts {
        assert!(lines[0].contains(part), "{line}: {lines:?}");
    }
    assert_eq!(warnings(place, &format!("{line} -q")), [""; 0]);
}

#[test]
fn a_named_source_without_text_is_reported_with_a_remedy() {
    let place = Place::new();
    place
        .file("a.djvu", "AT&TFORM\0\0\0\0DJVM")
        .file("b.db", "SQLite format 3\0")
        .file("c.parquet", b"PAR1\x15\x04")
        .file("d.png", b"\x89PNG\r\n\x1a\n")
        .file("e.djvu.gz", gzip("AT&TFORM\0\0\0\0DJVM"))
        .file("f", "10.5555/f\n");
    for threads in ["-j1", "-j2"] {
        let line = |name: &str| format!("{name} f -o out.csv {threads}");
        is_reported(
            &place,
            &line("a.djvu"),
            &["a.djvu: ", "djvutxt a.djvu | doisift scan"],
        );
        is_reported(
            &place,
            &line("b.db"),
            &["b.db: ", "sqlite3 b.db .dump | doisift scan"],
        );
        is_reported(&place, &line("d.png"), &["d.png: ", "tesseract d.png"]);
        is_reported(
            &place,
            &line("e.djvu.gz"),
            &["e.djvu.gz: ", "djvu, not text"],
        );
        place.file("list", "a.djvu\nf\n");
        is_reported(
            &place,
            &format!("--files-from list -o out.csv {threads}"),
            &["a.djvu: "],
        );
    }
    assert_eq!(place.read("out.csv").lines().count(), 2);
}

#[test]
fn files_below_a_folder_that_are_no_text_are_reported_in_the_summary_alone() {
    let place = Place::new();
    place.file("d/a.ogg", "OggS\0").file("d/b", "10.5555/b\n");
    assert_eq!(warnings(&place, "d"), [""; 0]);
    let lines = warnings(&place, "d -v").join("\n");
    assert!(
        lines.contains("skipped: 1 (ogg 1)") && !lines.contains("a.ogg"),
        "{lines}"
    );
    let lines = warnings(&place, "d -vv").join("\n");
    assert!(lines.contains("d/a.ogg: skipped: ogg"), "{lines}");
}

#[test]
fn an_archive_that_holds_no_text_is_reported() {
    let place = Place::new();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["a.ogg", "b.ogg"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        std::io::Write::write_all(&mut zip, b"OggS\0").unwrap();
    }
    let warc = "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 9\r\n\r\n10.5555/a\r\n\r\n";
    place
        .file("a.zip", zip.finish().unwrap().into_inner())
        .file("b.warc", warc);
    is_reported(&place, "a.zip", &["a.zip: ", "2 documents", "ogg"]);
    is_reported(&place, "b.warc", &["b.warc: ", "no documents"]);
}

#[test]
fn an_empty_source_is_reported() {
    let place = Place::new();
    place.file("a", "").file("b", gzip("")).file("d/c", "");
    for name in ["a", "b"] {
        is_reported(&place, name, &[&format!("{name}: "), "empty"]);
    }
    is_reported(&place, "-", &["standard input: ", "empty"]);
    assert_eq!(warnings(&place, "d"), [""; 0]);
}

#[test]
fn a_folder_without_a_file_is_reported() {
    let place = Place::new();
    place.file("d/e/f", "").file("g", "10.5555/g\n");
    std::fs::create_dir(place.path("empty")).unwrap();
    is_reported(&place, "empty g", &["empty: ", "no file"]);
    is_reported(
        &place,
        "d --include *.txt",
        &["d: ", "no file", "--include"],
    );
    assert_eq!(warnings(&place, "d"), [""; 0]);
}

#[test]
fn links_that_are_not_followed_are_counted() {
    let place = Place::new();
    place.file("d/a", "10.5555/a\n").file("e/b", "10.5555/b\n");
    for name in ["x", "y"] {
        symlink(place.path("e"), place.path(format!("d/{name}"))).unwrap();
    }
    is_reported(
        &place,
        "d",
        &["symbolic links", ": 2, the first is d/x; -L"],
    );
    fifo(&place.path("e/pipe"));
    is_reported(&place, "e", &["pipes", ": 1, the first is e/pipe;"]);
}

#[test]
fn what_is_named_as_packed_and_is_not_is_reported() {
    let place = Place::new();
    let headless = gzip("10.5555/a ".repeat(100))[4..].to_vec();
    for ending in "gz bz2 xz zst lz4 lzma lz zip tar tgz warc 7z rar Z pdf parquet orc".split(' ') {
        let name = format!("a.{ending}");
        place.file(&name, "see 10.5555/a\n");
        let lower = format!("(.{})", ending.to_lowercase());
        is_reported(&place, &name, &[&name, &lower, "text"]);
        let seen = place.scan(&format!("{name} -f names"));
        assert_eq!(seen.out, "10.5555/a\n");
    }
    for name in ["b.gz", "b.warc.gz", "b.zip", "b.br"] {
        place.file(name, &headless);
        is_reported(&place, name, &[name, "found"]);
    }
    place.file("c.gz", "").file("d.gz", b"\x89PNG\r\n\x1a\n");
    is_reported(&place, "c.gz", &["c.gz: ", "gzip (.gz)", "empty"]);
    is_reported(&place, "d.gz", &["d.gz: ", "gzip (.gz)", "png"]);
    place
        .file("e.warc.gz", gzip("no record"))
        .file("f.tar.zst", zstd("text"));
    is_reported(&place, "e.warc.gz", &["e.warc.gz: ", "WARC (.warc)"]);
    is_reported(&place, "f.tar.zst", &["f.tar.zst: ", "tar (.tar)"]);
    place.file("folder/g.gz", "10.5555/g\n");
    is_reported(&place, "folder", &["folder/g.gz: "]);
    let large = format!("10.5555/a{:90}\n", "").repeat(44_000);
    place.file("h.gz", large);
    for threads in ["-j1", "-j2"] {
        is_reported(
            &place,
            &format!("h.gz {threads} -o x.csv"),
            &["h.gz: ", "gzip (.gz)"],
        );
    }
}

#[test]
fn what_is_named_right_is_not_reported() {
    let place = Place::new();
    place
        .file("a.txt.gz", gzip("10.5555/a\n"))
        .file("b.gz", bzip2("10.5555/b\n"))
        .file("c.pdf", b"\xff\xd8\xff\xe0");
    assert_eq!(warnings(&place, "a.txt.gz b.gz"), [""; 0]);
    is_reported(&place, "c.pdf", &["c.pdf: this is jpeg"]);
    // The ending of a URI is not checked: servers often answer with a web page instead of the file.
    let warc = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://x/a.gz\r\n\
        Content-Length: 9\r\n\r\n10.5555/a\r\n\r\n";
    place.file("d.warc", warc);
    assert_eq!(warnings(&place, "d.warc"), [""; 0]);
}

#[test]
fn many_warnings_of_a_kind_are_summed_up() {
    let place = Place::new();
    for number in 0..25 {
        place.file(format!("d/{number}.gz"), "text");
    }
    for threads in ["-j1", "-j2"] {
        let lines = warnings(&place, &format!("d {threads}"));
        assert_eq!(lines.len(), 11, "{lines:?}");
        assert!(
            lines[10].starts_with("15 more ") && lines[10].contains("-vv"),
            "{lines:?}"
        );
        let all = warnings(&place, &format!("d {threads} -vv")).join("\n");
        assert_eq!(all.matches("gzip (.gz)").count(), 25, "{all}");
    }
}
