//! Common mistakes with the command. The message for each must state the fault, its place, and the remedy.

use std::io::Write;
use std::process::Stdio;

use crate::place::{Place, Seen, gzip};

/// A command line, the exit code, and parts of the message.
type Mistake = (&'static str, i32, &'static [&'static str]);

/// Arguments are separated by blanks; standard input is empty.
const MISTAKES: &[Mistake] = &[
    // The command.
    ("", 2, &["nothing to do; see doisift --help"]),
    ("scna good.txt", 2, &["'scna'", "similar", "'scan'"]),
    ("god.txt", 2, &["'god.txt'"]),
    (
        "clean good.txt",
        2,
        &["'clean'", "doisift normalize --clean"],
    ),
    ("extract good.txt", 2, &["'extract'", "doisift scan"]),
    ("dedup good.txt", 2, &["'dedup'", "doisift merge"]),
    (
        "scan --clean good.txt",
        2,
        &["--clean", "doisift normalize --clean"],
    ),
    ("scan --unique good.txt", 2, &["--unique", "unique already"]),
    ("good.txt --sort", 2, &["--sort", "sorted by name already"]),
    (
        "scan --outptu x.csv good.txt",
        2,
        &["'--outptu'", "'--output'"],
    ),
    (
        "scan --recursive folder",
        2,
        &["--recursive", "walked anyway"],
    ),
    (
        "scan good.txt -f json",
        2,
        &["'json'", "possible values", "jsonl"],
    ),
    (
        "scan good.txt -j 0",
        2,
        &["'0'", "--threads", "the minimum is 1"],
    ),
    (
        "scan good.txt --memory 512",
        2,
        &["--memory", "512 bytes", "512M"],
    ),
    (
        "scan good.txt --memory 1,5G",
        2,
        &["'1,5G'", "512M", "1.5G"],
    ),
    ("scan good.txt --shard 4/4", 2, &["'4/4'", "less than N"]),
    (
        "scan good.txt --include [a",
        2,
        &["glob [a ", "missing ']'"],
    ),
    (
        "scan good.txt -q -v",
        2,
        &["--quiet", "--verbose", "cannot be used with"],
    ),
    ("scan good.txt -0", 2, &["--files-from"]),
    // Sources.
    ("scan missing.txt", 2, &["missing.txt: No such file"]),
    (
        "scan https://example.org/dump.gz",
        2,
        &["curl -sL 'https://example.org/dump.gz' | doisift scan"],
    ),
    (
        "scan s3://bucket/dump.gz",
        2,
        &["aws s3 cp 's3://bucket/dump.gz' - | doisift scan"],
    ),
    (
        "scan gs://bucket/dump.gz",
        2,
        &["gcloud storage cat 'gs://bucket/dump.gz' | doisift scan"],
    ),
    (
        "scan file:///data/dump.gz",
        2,
        &["name the path alone: /data/dump.gz"],
    ),
    ("scan *.xml", 2, &["*.xml: No such file", "--include"]),
    ("scan ~/dump.gz", 2, &["~/dump.gz: ", "shell"]),
    (
        "scan --files-from missing.list",
        2,
        &["missing.list: ", "list of sources", "No such file"],
    ),
    (
        "scan --files-from - -",
        2,
        &["standard input", "put the list into a file"],
    ),
    ("scan -", 0, &["standard input: ", "empty"]),
    ("scan empty.txt", 0, &["empty.txt: ", "empty"]),
    ("scan nothing", 0, &["nothing: ", "no file in it"]),
    ("scan folder --include *.pdf", 0, &["folder: ", "--include"]),
    (
        "scan folder --include A",
        0,
        &["case of letters did not count: ", "the first is folder/a"],
    ),
    (
        "scan book.djvu",
        0,
        &["book.djvu: ", "djvutxt book.djvu | doisift scan"],
    ),
    (
        "scan table.parquet",
        1,
        &["table.parquet: ", "cut or damaged"],
    ),
    (
        "scan cache.sqlite",
        0,
        &[
            "cache.sqlite: ",
            "sqlite3 cache.sqlite .dump | doisift scan",
        ],
    ),
    ("scan page.png", 0, &["page.png: ", "tesseract page.png"]),
    (
        "scan wide.txt",
        0,
        &[
            "wide.txt: ",
            "UTF-16LE",
            "iconv -f UTF-16LE -t UTF-8 wide.txt",
        ],
    ),
    ("scan plain.gz", 0, &["plain.gz: ", "gzip (.gz)", "text"]),
    (
        "scan headless.gz",
        0,
        &["headless.gz: ", "gzip (.gz)", "get it again"],
    ),
    (
        "scan cut.gz",
        1,
        &["cut.gz: at byte ", "gzip data is damaged"],
    ),
    ("scan a.rar", 1, &["a.rar: ", "unrar x FILE"]),
    ("scan a.rar", 1, &["a.rar: ", "unrar x FILE"]),
    (
        "scan locked.zip",
        1,
        &["locked.zip: a.txt: ", "encrypted", "password"],
    ),
    // Outputs.
    (
        "scan good.txt -o out.json",
        2,
        &["out.json", "csv, jsonl, names", "-f"],
    ),
    (
        "scan good.txt -o out.jsonl.bz2",
        2,
        &["out.jsonl.bz2", ".gz and .zst"],
    ),
    (
        "scan good.txt -o folder",
        2,
        &["folder is a folder", "file in it"],
    ),
    (
        "scan good.txt -o no/out.csv",
        2,
        &["no/out.csv: No such file", "mkdir -p no"],
    ),
    (
        "scan good.txt --tmp-dir no",
        2,
        &["--tmp-dir", "the folder no does not exist", "create it"],
    ),
    (
        "scan good.txt --mentions --checkpoint cp",
        2,
        &["cp: ", "--mentions or --edges", "or leave out --checkpoint"],
    ),
    (
        "scan - --checkpoint cp",
        2,
        &["can be read only once", "put it into a file"],
    ),
    // Merging and normalizing.
    ("merge", 2, &["<ROWS>", "required"]),
    (
        "merge good.names",
        2,
        &["good.names: ", "bare names", "another format"],
    ),
    (
        "merge headless.csv",
        2,
        &["headless.csv: ", "column `doi` is missing"],
    ),
    (
        "merge folder",
        2,
        &[
            "folder: this folder has no _manifest.json",
            "name its files",
        ],
    ),
    ("merge - -", 2, &["standard input", "once"]),
    (
        "normalize --to uri 10.5555/a",
        2,
        &["'uri'", "possible values", "doi-uri"],
    ),
    ("normalize junk", 1, &["argument 1: ", "\"10.\""]),
];

fn place() -> Place {
    let place = Place::new();
    let packed = gzip("10.5555/a ".repeat(1000));
    let wide = "See 10.5555/wide for more.".encode_utf16();
    let mut locked = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    locked.start_file("a.txt", options).unwrap();
    locked.write_all(b"10.5555/a").unwrap();
    let mut locked = locked.finish().unwrap().into_inner();
    let entry = locked
        .windows(4)
        .position(|at| at == b"PK\x01\x02")
        .unwrap();
    locked[6] |= 1;
    locked[entry + 8] |= 1;
    place
        .file("good.txt", "See 10.5555/good.\n")
        .file("folder/a", "10.5555/a\n")
        .file("empty.txt", "")
        .file("book.djvu", "AT&TFORM\0\0\0\0DJVM")
        .file("table.parquet", b"PAR1\x15\x04")
        .file("cache.sqlite", "SQLite format 3\0")
        .file("page.png", b"\x89PNG\r\n\x1a\n")
        .file(
            "wide.txt",
            wide.flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        )
        .file("plain.gz", "10.5555/a\n")
        .file("headless.gz", &packed[4..])
        .file("cut.gz", &packed[..packed.len() - 10])
        .file("a.rar", b"Rar!\x1a\x07\x01\0")
        .file("a.rar", b"Rar!\x1a\x07\x01\0")
        .file("locked.zip", locked)
        .file("good.names", "10.5555/good\n")
        .file("headless.csv", "name,10.5555/good,1,1\n");
    std::fs::create_dir(place.path("nothing")).unwrap();
    place
}

#[test]
fn every_mistake_gets_a_message_that_says_what_to_do() {
    let place = place();
    assert!(MISTAKES.len() >= 40);
    for (line, code, parts) in MISTAKES {
        let before = place.entries();
        let seen = Seen::of(&mut place.command(line.split_whitespace()));
        assert_eq!(seen.code, Some(*code), "{line}: {}", seen.err);
        for part in *parts {
            assert!(seen.err.contains(part), "{line}: {part}: {}", seen.err);
        }
        assert_eq!(place.entries(), before, "{line} left something");
    }
}

/// Commands with a mistyped source `BAD` and an output `OUT`.
const MISTYPED: &[&str] = &[
    "scan good.txt BAD -o OUT",
    "scan BAD -o OUT --report OUT.json",
    "scan BAD --names-to OUT --mentions -o rows.csv",
    "scan BAD --edges -o edges.csv --nodes-to OUT",
    "scan BAD -f jsonl -o OUT/ --part-size 1M",
    "scan BAD -o OUT --checkpoint OUT.work",
    "scan BAD --shard 0/2 -o OUT",
    "normalize BAD --column doi -o OUT",
    "normalize good.csv BAD --column doi --in-place",
    "merge good.jsonl BAD -o OUT",
    "diff good.jsonl BAD -o OUT",
    "check good.csv BAD -o OUT --report OUT.json",
    "index good.csv BAD -o OUT",
    "resolve BAD -o OUT",
    "resolve BAD -c doi -o OUT",
];

#[test]
fn a_mistyped_source_costs_no_output() {
    let place = place();
    place
        .file("good.csv", "doi\nhttps://doi.org/10.5555/good\n")
        .file("good.jsonl", "");
    std::os::unix::fs::symlink("nowhere", place.path("broken")).unwrap();
    place.scan("good.txt -o good.jsonl").quiet();
    place.file("out.csv", "precious\n");
    let before = place.entries();
    for line in MISTYPED {
        // A name without a file, a broken link, a path through a file.
        for bad in ["typo", "broken", "good.txt/x"] {
            let line = line.replace("BAD", bad).replace("OUT/", "parts/");
            let line = line.replace("OUT", "out.csv");
            let seen = Seen::of(&mut place.command(line.split_whitespace()));
            assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{line}");
            assert!(seen.err.contains(bad), "{line}: {}", seen.err);
            assert_eq!(place.entries(), before, "{line}");
            assert_eq!(place.read("out.csv"), "precious\n", "{line}");
            assert!(place.read("good.csv").contains("https"), "{line}");
        }
    }
}

#[test]
fn a_source_that_may_be_missing_is_a_loss() {
    let place = place();
    place.file("list", "typo\ngood.txt\n");
    for line in [
        "scan good.txt typo --on-error skip -o out.names",
        "scan --files-from list -o out.names",
        "index good.txt typo --on-error skip -o out.doix",
    ] {
        let seen = Seen::of(&mut place.command(line.split_whitespace()));
        assert_eq!(seen.code, Some(1), "{line}");
        assert!(seen.err.contains("typo: No such file"), "{line}");
    }
    assert_eq!(place.read("out.names"), "10.5555/good\n");
}

#[test]
fn a_named_source_that_may_not_be_read_costs_no_output() {
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    place.file("out.csv", "precious\n");
    std::fs::set_permissions(place.path("good.txt"), PermissionsExt::from_mode(0o000)).unwrap();
    let seen = place.scan_without_rights("good.txt -o out.csv");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("good.txt: Permission denied"),
        "{}",
        seen.err
    );
    assert_eq!(place.read("out.csv"), "precious\n");
}

#[test]
fn no_message_names_a_hidden_option() {
    let place = place();
    for option in [
        "--chun",
        "--coun",
        "--chunks",
        "--checkpoint-int",
        "--checkpoint-interva",
    ] {
        let seen = place.scan(&format!("good.txt {option}"));
        assert_eq!(seen.code, Some(2));
        let message = seen.err.replace(&format!("'{option}'"), "");
        for hidden in ["--chunk", "--checkpoint-interval"] {
            assert!(!message.contains(hidden), "{message}");
        }
    }
}

#[test]
fn sizes_are_taken_as_people_write_them() {
    let place = place();
    for size in ["1GB", "1GiB", "1.5G", "512MB", "1g"] {
        place
            .scan(&format!("good.txt --memory {size} -o out.csv"))
            .quiet();
    }
    let spaced = Seen::of(
        place
            .command(["scan", "good.txt", "--memory", "1 G", "-o", "out.csv"])
            .stdin(Stdio::null()),
    );
    spaced.quiet();
}

#[test]
fn a_list_may_have_line_ends_of_windows() {
    let place = place();
    place.file("list", "good.txt\r\nfolder\r\n");
    let seen = place.scan("--files-from list -f names").quiet();
    assert_eq!(seen.out, "10.5555/a\n10.5555/good\n");
}
