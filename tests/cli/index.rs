//! Indexes of known names.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::place::{Place, Seen, binary, fifo, gzip, signal};
use crate::small_table::TableColumn;
use crate::table_writers::{arrow, arrow_style};

const WORKS: &str = r#"{"DOI":"10.5555/Work.1","updated-by":[{"DOI":"10.5555/notice","type":"retraction","source":"publisher","updated":{"date-parts":[[2021,5,1]]}}],"reference":[{"DOI":"10.5555/cited"}]}
{"DOI":"10.5555/work.2"}
"#;
const ITEMS: &str = r#"{"items":[{"title":["a \"}{\" b"],"DOI":"10.5555/item.1","author":[{"given":"A"}]},
 {"DOI":"10.5555/item.2","reference":[{"DOI":"10.5555/cited"}]}]}"#;
const DATACITE: &str = "doi,state,client_id,updated\n10.5072/a,findable,x.y,2026\n10.5072/b,registered,x.y,2026\n10.5072/c,draft,x.y,2026\n";
const WATCH: &str = "Record ID,Title,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature\n\
    1,\"A, b\nc\",3/9/2026 0:00,unavailable,10.5555/watched,Retraction\n2,x,3/9/2026 0:00,10.5555/n,unavailable,Retraction\n";

impl Place {
    /// Runs `doisift index` with `line` split at blanks.
    fn index(&self, line: &str) -> Seen {
        Seen::of(self.command(["index"]).args(line.split_whitespace()))
    }

    /// Returns the output of `--show` for an index.
    fn shown(&self, file: &str) -> String {
        let seen = self.index(&format!("--show {file}"));
        assert_eq!(seen.code, Some(0), "{}", seen.err);
        seen.out
    }

    /// Builds an index of a source. Returns the output of `--show`.
    fn shown_of(&self, line: &str) -> String {
        self.index(&format!("{line} -o k.doix")).quiet();
        self.shown("k.doix")
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
}

/// Returns a list of names.
fn list(count: usize) -> String {
    (0..count)
        .map(|number| format!("10.5555/name-{number:07}\n"))
        .collect()
}

/// Returns a tar of files with these names.
fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes).unwrap();
    }
    tar.into_inner().unwrap()
}

fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(
            text.lines().any(|shown| shown.trim() == *line),
            "{line}\n{text}"
        );
    }
}

#[test]
fn a_list_holds_a_name_on_each_line_in_any_form() {
    let place = Place::new();
    place.file(
        "list.txt",
        "10.5555/A\n\nhttps://doi.org/10.5555/b%3C\r\ndoi:10.5555/a\nno name\n",
    );
    let seen = place.index("list.txt -o k.doix --agency medra --date 2026-03-09");
    assert_eq!(seen.code, Some(1));
    assert!(
        seen.err.contains("list.txt: at byte 55: not a DOI name"),
        "{}",
        seen.err
    );
    has(
        &place.shown("k.doix"),
        &[
            "version: 1",
            "names: 2",
            "list.txt: medra, 2026-03-09, names: 2",
        ],
    );
}

#[test]
fn only_the_first_texts_that_are_no_names_are_reported() {
    let place = Place::new();
    place.file("list.txt", "nothing\n".repeat(9));
    let seen = place.index("list.txt -o k.doix");
    assert_eq!(
        (seen.code, seen.err.matches("not a DOI name").count()),
        (Some(1), 5)
    );
    assert!(
        seen.err.contains("9 texts or objects hold no DOI name"),
        "{}",
        seen.err
    );
}

#[test]
fn works_of_crossref_give_their_own_names_and_notices() {
    let place = Place::new();
    let packed = gzip(WORKS);
    place
        .file("works.jsonl", WORKS)
        .file("dump/1.json.gz", gzip(ITEMS))
        .file("dump/2.jsonl.gz", &packed)
        .file(
            "dump.tar",
            tar(&[("d/1.json", ITEMS.as_bytes()), ("d/2.jsonl.gz", &packed)]),
        );
    let shown = place.shown_of("works.jsonl");
    let listed = "works.jsonl: crossref, unknown date, names: 2";
    has(&shown, &["names: 2", "names with notices: 1", listed]);
    place.file("dump/README", "Text\n").file("dump/empty", "");
    let seen = place.index("dump -o readme.doix");
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    assert_eq!(place.shown("readme.doix").matches("dump: ").count(), 1);
    std::fs::remove_file(place.path("dump/README")).unwrap();
    for source in ["dump", "dump.tar"] {
        let listed = format!("{source}: crossref, unknown date, names: 4");
        has(
            &place.shown_of(source),
            &["names: 4", "names with notices: 1", &listed],
        );
    }
}

#[test]
fn a_work_that_is_no_json_is_reported_and_the_others_are_read() {
    let place = Place::new();
    place.file(
        "works.jsonl",
        format!("{{\"DOI\":\"10.5555/x\",\"a\":{{\n{WORKS}"),
    );
    let seen = place.index("works.jsonl -o k.doix");
    assert_eq!(seen.code, Some(1));
    assert!(
        seen.err
            .contains("works.jsonl: at byte 0: this is not the JSON"),
        "{}",
        seen.err
    );
    has(&place.shown("k.doix"), &["names: 2"]);
    let seen = place.index("works.jsonl -o other.doix --on-error fail");
    assert_eq!(seen.code, Some(2));
    assert_eq!(place.entries(), ["k.doix", "works.jsonl"]);
}

#[test]
fn monthly_files_of_datacite_give_the_names_that_are_registered() {
    let place = Place::new();
    let month = gzip(DATACITE);
    place.file(
        "datacite.tar",
        tar(&[("dois/updated_2026-01/2026-01.csv.gz", &month)]),
    );
    let listed = "datacite.tar: datacite, 2026-01, names: 2";
    has(
        &place.shown_of("datacite.tar --date 2026-01"),
        &["names: 2", listed],
    );
}

#[test]
fn the_database_of_retraction_watch_gives_notices_alone() {
    let place = Place::new();
    place.file("rw.csv", WATCH);
    let seen = place.index("rw.csv -o k.doix");
    assert_eq!(seen.code, Some(0), "{}", seen.err);
    has(
        &place.shown("k.doix"),
        &["names: 0", "names with notices: 1"],
    );
}

#[test]
fn a_column_of_a_table_is_read_by_its_name_or_number() {
    let place = Place::new();
    place
        .file(
            "t.csv",
            "id,The DOI\n1,\"10.5555/a,b\"\n2,\n3,doi:10.5555/c\n",
        )
        .file(
            "t.jsonl",
            "{\"id\":1,\"The DOI\":\"10.5555/a,b\"}\n{\"id\":2,\"The DOI\":null}\n",
        );
    for (line, count) in [("t.csv -c 2", 2), ("t.csv --column=2", 2)] {
        has(&place.shown_of(line), &[&format!("names: {count}")]);
    }
    let of =
        |file| Seen::of(&mut place.command(["index", file, "--column", "The DOI", "-o", "k.doix"]));
    for (file, count) in [("t.csv", 2), ("t.jsonl", 1)] {
        assert_eq!(of(file).code, Some(0), "{}", of(file).err);
        has(&place.shown("k.doix"), &[&format!("names: {count}")]);
    }
    let seen = place.index("t.csv --column title -o k.doix");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err
            .contains("t.csv: the header has no column title; it has 1 id, 2 The DOI"),
        "{}",
        seen.err
    );
}

#[test]
fn a_column_of_an_arrow_file_is_read() {
    let place = Place::new();
    let names = TableColumn {
        name: "names",
        rows: ["10.5555/A", "", "doi:10.5555/b", "no name"]
            .map(|name| (!name.is_empty()).then(|| vec![name]))
            .into(),
        is_list: false,
    };
    for bits in 0..4 {
        let file = arrow(std::slice::from_ref(&names), arrow_style(bits)).bytes;
        place.file("t.arrow", file);
        let seen = place.index("t.arrow --column names --date 2026-03-09 -o k.doix");
        assert_eq!(seen.code, Some(1));
        assert!(
            seen.err.contains("t.arrow: at byte 4: not a DOI name"),
            "{}",
            seen.err
        );
        has(
            &place.shown("k.doix"),
            &["names: 2", "t.arrow: unknown agency, 2026-03-09, names: 2"],
        );
    }
    let seen = place.index("t.arrow -o k.doix");
    assert!(seen.err.contains("--column"), "{}", seen.err);
}

#[test]
fn a_quote_that_is_not_closed_is_reported() {
    let place = Place::new();
    place.file("t.csv", "id,doi\n1,10.5555/a\n2,\"10.5555/b\n3,10.5555/c\n");
    let seen = place.index("t.csv --column doi -o k.doix");
    assert_eq!(seen.code, Some(1));
    assert!(
        seen.err
            .contains("t.csv: at byte 19: the quote that opens here is never closed"),
        "{}",
        seen.err
    );
    has(&place.shown("k.doix"), &["names: 1"]);
}

#[test]
fn lists_of_mentions_are_refused_unless_they_are_trusted() {
    let place = Place::new();
    place.file("text.txt", "See 10.5555/a and 10.5555/b.");
    let formats = ["csv", "jsonl", "tsv", "parquet"];
    for (format, rows) in formats
        .iter()
        .flat_map(|format| [(format, ""), (format, "--mentions")])
    {
        let file = format!("found.{format}");
        place.scan(&format!("text.txt {rows} -o {file}")).quiet();
        let seen = place.index(&format!("{file} --column doi -o k.doix"));
        assert_eq!(seen.code, Some(2), "{file} {rows}");
        assert!(
            seen.err.contains("this is a list of mentions"),
            "{}",
            seen.err
        );
        assert!(!place.path("k.doix").exists());
        has(
            &place.shown_of(&format!("{file} --column doi --trust")),
            &["names: 2"],
        );
        std::fs::remove_file(place.path("k.doix")).unwrap();
    }
}

#[test]
fn the_bytes_do_not_depend_on_threads_memory_and_order() {
    let place = Place::new();
    place
        .file("a/list.txt", list(50_000))
        .file("b/list.txt.gz", gzip(list(50_000)))
        .file("works.jsonl", WORKS)
        .file("items.json", ITEMS);
    let first = "a/list.txt works.jsonl items.json -j1";
    place.index(&format!("{first} -o 1.doix")).quiet();
    for (number, line) in [
        "items.json works.jsonl a/list.txt -j2",
        "works.jsonl a/list.txt items.json -j2 --memory 1M",
        "works.jsonl a/list.txt items.json -j1 --memory 1M",
    ]
    .iter()
    .enumerate()
    {
        place.index(&format!("{line} -o {number}.other")).quiet();
        assert!(
            place.bytes("1.doix") == place.bytes(&format!("{number}.other")),
            "{line}"
        );
    }
    has(
        &place.shown_of("b"),
        &["b: unknown agency, unknown date, names: 50000"],
    );
}

#[test]
fn an_index_is_added_and_may_be_replaced_by_the_output() {
    let place = Place::new();
    place
        .file("a.txt", "10.5555/a\n")
        .file("b.txt", "10.5555/b\n");
    place.index("a.txt b.txt -o both.doix").quiet();
    place.index("a.txt -o k.doix").quiet();
    place.index("b.txt --add k.doix -o k.doix").quiet();
    assert!(place.bytes("both.doix") == place.bytes("k.doix"));
    place.index("--add k.doix -o copy.doix").quiet();
    assert!(place.bytes("copy.doix") == place.bytes("k.doix"));
    let seen = place.index("k.doix -o other.doix");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err
            .contains("k.doix: this is an index already; give it with --add"),
        "{}",
        seen.err
    );
}

#[test]
fn an_index_that_is_cut_damaged_or_foreign_is_refused_by_name() {
    let place = Place::new();
    place
        .file("a.txt", list(200))
        .file("foreign.doix", "10.5555/a\n");
    place.index("a.txt -o k.doix").quiet();
    let whole = place.bytes("k.doix");
    let mut damaged = whole.clone();
    damaged[40] ^= 1;
    place
        .file("cut.doix", &whole[..whole.len() - 9])
        .file("damaged.doix", damaged);
    for (file, why) in [
        ("cut.doix", "cut or damaged"),
        ("damaged.doix", "cut or damaged"),
        ("foreign.doix", "not an index"),
        ("missing.doix", "No such file"),
    ] {
        for line in [
            format!("--show {file}"),
            format!("--add {file} -o out.doix"),
        ] {
            let seen = place.index(&line);
            assert_eq!(seen.code, Some(2), "{line}");
            assert!(
                seen.err.contains(file) && seen.err.contains(why),
                "{line}: {}",
                seen.err
            );
            assert!(!place.path("out.doix").exists());
        }
    }
}

#[test]
fn a_source_that_is_cut_or_missing_is_reported_and_the_rest_indexed() {
    let place = Place::new();
    let packed = gzip(list(20_000));
    place
        .file("list.gz", &packed[..packed.len() / 2])
        .file("a.txt", "10.5555/whole\n");
    let seen = place.index("list.gz a.txt gone.txt -o k.doix --on-error skip --report r.json");
    assert_eq!(seen.code, Some(1));
    assert!(
        seen.err.contains("list.gz") && seen.err.contains("gone.txt"),
        "{}",
        seen.err
    );
    let report = place.json("r.json");
    assert_eq!(report["errors"]["count"], 2);
    assert_eq!(report["refused"], 0);
    assert!(report["known"].as_u64().unwrap() > 1000);
}

#[test]
fn an_index_needs_a_file_and_a_source() {
    let place = Place::new();
    place.file("a.txt", "10.5555/a\n");
    for (line, why) in [
        ("a.txt", "with -o, such as -o known.doix"),
        ("a.txt -o k.doix.gz", "not compressed"),
        ("-o k.doix", "nothing to read"),
        ("a.txt -o k.doix --date 2026-13-01", "not a date"),
        ("a.txt -o a.txt", "would be overwritten"),
    ] {
        let seen = place.index(line);
        assert_eq!(seen.code, Some(2), "{line}");
        assert!(seen.err.contains(why), "{line}: {}", seen.err);
    }
    assert_eq!(place.entries(), ["a.txt"]);
}

#[test]
fn an_interrupted_run_leaves_no_index() {
    let place = Place::new();
    fifo(&place.path("fifo"));
    let mut command: Command = place.command(["index", "fifo", "-o", "k.doix"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    while !place.entries().iter().any(|name| name.ends_with(".tmp")) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was interrupted"
        );
        thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "-INT");
    let seen = Seen::from(child.wait_with_output().unwrap());
    assert_eq!(seen.code, Some(130));
    assert!(
        seen.err.contains("interrupted; k.doix was not written"),
        "{}",
        seen.err
    );
    assert_eq!(place.entries(), ["fifo"]);
}

#[test]
fn standard_input_is_a_source_and_an_index_below_a_folder_is_none() {
    let place = Place::new();
    place.file("in/list.txt", "10.5555/a\n");
    for _ in 0..2 {
        place
            .index("in -o in/known.doix --exclude known.doix")
            .quiet();
    }
    let seen = place.index("in -o k.doix");
    assert_eq!(seen.code, Some(0));
    assert_eq!(
        seen.err,
        "doisift: in/known.doix: skipped, since it is an index; add its names with --add\n"
    );
    has(
        &place.shown("k.doix"),
        &["names: 1", "in: unknown agency, unknown date, names: 1"],
    );
    let script = "printf 10.5555/b | \"$0\" index - -o k.doix";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(binary());
    Seen::of(shell.current_dir(place.path("."))).quiet();
    has(
        &place.shown("k.doix"),
        &["-: unknown agency, unknown date, names: 1"],
    );
}

#[test]
fn all_pages_in_a_file_are_read() {
    let place = Place::new();
    let second = r#"{"message":{"items":[{"DOI":"10.5555/second"}],"items-per-page":20}}"#;
    for between in ["", "\n", "\n\n"] {
        place.file("pages.json", format!("{ITEMS}{between}{second}\n"));
        has(&place.shown_of("pages.json"), &["names: 3"]);
    }
    place.file(
        "pages.json",
        format!("{ITEMS}\n{{\"status\":\"failed\"}}\n"),
    );
    let seen = place.index("pages.json -o k.doix");
    let said = format!(
        "pages.json: at byte {}: a page without an array",
        ITEMS.len() + 1
    );
    assert_eq!(seen.code, Some(1));
    assert!(seen.err.contains(&said), "{}", seen.err);
}

/// Options with which a run writes a checkpoint after each document.
const KEPT: &str = "--checkpoint work --checkpoint-interval 0 --report report.json";

/// The counts of a report.
fn counts(place: &Place) -> Vec<serde_json::Value> {
    let report: serde_json::Value = serde_json::from_slice(&place.bytes("report.json")).unwrap();
    let counts = [
        "sources",
        "documents",
        "names",
        "notices",
        "refused",
        "drafts",
        "known",
        "errors",
    ];
    counts.map(|count| report[count].clone()).to_vec()
}

/// The bytes that were read, and those of them that an interrupted run had read, in a report.
fn bytes_read(place: &Place) -> (u64, Option<u64>) {
    let report: serde_json::Value = serde_json::from_slice(&place.bytes("report.json")).unwrap();
    let read = report["bytes_read"].as_u64().unwrap();
    (read, report["resumed"]["bytes_read"].as_u64())
}

/// Creates a folder of sources, the last of which is damaged.
fn with_damage() -> (Place, Vec<u8>) {
    let place = Place::new();
    let months = [
        ("2026-01.csv.gz", gzip(DATACITE.as_bytes())),
        ("2026-02.csv.gz", gzip(b"doi,state\n10.5072/d,findable\n")),
    ];
    let months: Vec<(&str, &[u8])> = months
        .iter()
        .map(|(name, bytes)| (*name, &bytes[..]))
        .collect();
    let last = gzip(list(5000).as_bytes());
    for (name, bytes) in [
        ("dump/1-list.txt", &b"10.5555/a\nno name\n"[..]),
        ("dump/2-works.jsonl", WORKS.as_bytes()),
        ("dump/3-datacite.tar", &tar(&months)),
        ("dump/4-list.txt.gz", &last[..last.len() / 2]),
    ] {
        place.file(name, bytes);
    }
    (place, last)
}

#[test]
fn a_run_that_failed_is_resumed_and_gives_the_bytes_and_counts_of_one_run() {
    let (place, last) = with_damage();
    let failed = place.index(&format!("dump -o k.doix --on-error fail {KEPT}"));
    assert_eq!(failed.code, Some(2), "{}", failed.err);
    let manifest = String::from_utf8(place.bytes("work/doisift-manifest.jsonl")).unwrap();
    assert!(
        manifest.contains(r#""read":{"sources":3,"pieces":0}"#),
        "{manifest}"
    );

    place.file("dump/4-list.txt.gz", &last);
    let resumed = place.index(&format!(
        "dump -o k.doix --on-error fail -j 1 --memory 1M {KEPT}"
    ));
    assert_eq!(resumed.code, Some(1), "{}", resumed.err);
    assert!(!place.path("work").exists());
    let resumed = counts(&place);
    let whole = place.index("dump -o whole.doix --report report.json");
    assert_eq!(whole.code, Some(1), "{}", whole.err);
    assert_eq!(resumed, counts(&place));
    assert!(place.bytes("k.doix") == place.bytes("whole.doix"));
}

#[test]
fn a_run_is_resumed_within_an_archive() {
    let place = Place::new();
    let long = list(50_000);
    let cut = gzip(list(5000).as_bytes());
    let bytes = tar(&[
        ("a.txt", b"10.5555/a\n"),
        ("b.txt", long.as_bytes()),
        ("c.txt.gz", &cut[..cut.len() / 2]),
        ("d.txt", long.as_bytes()),
    ]);
    place.file("dump.tar", &bytes);
    let failed = place.index(&format!("dump.tar -o k.doix --on-error fail {KEPT}"));
    assert_eq!(failed.code, Some(2), "{}", failed.err);
    let manifest = String::from_utf8(place.bytes("work/doisift-manifest.jsonl")).unwrap();
    assert!(
        manifest.contains(r#""read":{"sources":0,"pieces":2}"#),
        "{manifest}"
    );

    let resumed = place.index(&format!("dump.tar -o k.doix {KEPT}"));
    assert_eq!(resumed.code, Some(1), "{}", resumed.err);
    let resumed = counts(&place);
    let read = bytes_read(&place);
    let whole = place.index("dump.tar -o whole.doix --report report.json");
    assert_eq!(whole.code, Some(1), "{}", whole.err);
    assert_eq!(resumed, counts(&place));
    // The members before the damaged one were not read again, and count as resumed.
    let (all, skipped) = (bytes.len() as u64, long.len() as u64);
    assert_eq!(bytes_read(&place), (all, None));
    assert_eq!(read.0, all);
    assert!(
        read.1
            .is_some_and(|read| (skipped..all - skipped).contains(&read)),
        "{read:?}"
    );
    assert!(place.bytes("k.doix") == place.bytes("whole.doix"));
}

#[test]
fn a_run_whose_kept_names_were_changed_is_not_resumed() {
    let (place, _) = with_damage();
    let line = format!("dump -o k.doix --on-error fail {KEPT}");
    assert_eq!(place.index(&line).code, Some(2));
    let entries = std::fs::read_dir(place.path("work")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_run = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "run");
    let runs: Vec<_> = paths.filter(is_run).collect();
    assert_eq!(runs.len(), 2);
    for path in runs {
        let good = std::fs::read(&path).unwrap();
        assert!(!good.is_empty());
        for at in (0..good.len()).step_by(good.len() / 20 + 1) {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            std::fs::write(&path, bad).unwrap();
            let seen = place.index(&format!("dump -o k.doix {KEPT}"));
            assert_eq!(seen.code, Some(2), "byte {at}: {}", seen.err);
            assert!(seen.err.contains("damaged"), "byte {at}: {}", seen.err);
            assert!(!place.path("k.doix").exists());
        }
        std::fs::write(&path, good).unwrap();
    }
}

#[test]
fn a_run_is_not_resumed_with_other_sources_or_options() {
    let (place, _) = with_damage();
    let line = format!("dump -o k.doix --on-error fail {KEPT}");
    assert_eq!(place.index(&line).code, Some(2));
    for (more, reason) in [
        ("--agency x", "agency was"),
        ("--add other.doix", "add was"),
        (
            "other.txt",
            "other.txt was not a source of the interrupted run",
        ),
    ] {
        place.file("other.txt", b"10.5555/other\n");
        place.index("other.txt -o other.doix").quiet();
        let refused = place.index(&format!("{more} {line}"));
        assert_eq!(refused.code, Some(2), "{more}");
        assert!(refused.err.contains(reason), "{more}: {}", refused.err);
    }
    place.file("dump/1-list.txt", b"10.5555/changed\n");
    let refused = place.index(&line);
    assert!(
        refused
            .err
            .contains("dump/1-list.txt has changed since it was read"),
        "{}",
        refused.err
    );
    place.file("list.txt", b"10.5555/a\n");
    let stream = place.index("- list.txt -o k.doix --checkpoint other");
    assert!(
        stream.err.contains("can be read only once"),
        "{}",
        stream.err
    );
}

#[test]
fn a_killed_run_is_resumed_with_what_it_had_finished() {
    let place = Place::new();
    place.file("1.txt", list(2000).as_bytes());
    fifo(&place.path("2.txt"));
    place.file("3.txt", b"10.5555/last\n");
    let line = "1.txt 2.txt 3.txt -o k.doix --checkpoint work --checkpoint-interval 0";
    // A FIFO cannot be read again, so the run ends at once. A file with the same content is read.
    let refused = place.index(line);
    assert!(
        refused.err.contains("can be read only once"),
        "{}",
        refused.err
    );
    std::fs::remove_file(place.path("2.txt")).unwrap();
    place.file("2.txt", list(400_000).as_bytes());
    let mut run = Command::new(binary())
        .arg("index")
        .args(line.split(' '))
        .current_dir(place.path(""))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let manifest = place.path("work/doisift-manifest.jsonl");
    while !manifest.exists() && run.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    place.index(line).quiet();
    place.index("1.txt 2.txt 3.txt -o whole.doix").quiet();
    assert!(place.bytes("k.doix") == place.bytes("whole.doix"));
    assert!(!place.path("work").exists());
}

#[test]
fn dates_of_retractions_are_read_as_the_table_shows_or_refused() {
    let place = Place::new();
    let verdict = |retracted: &str, reinstated: &str| {
        let rows = format!(
            "Record ID,Title,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature\n\
             1,a,{reinstated},,10.1000/a,Reinstatement\n2,a,{retracted},,10.1000/a,Retraction\n"
        );
        place.file("watch.csv", rows);
        let made = place.index("watch.csv -o known.doix");
        if made.code != Some(0) {
            return made.err;
        }
        place.file("a.bib", "@misc{a, doi = {10.1000/a}}\n");
        let args = ["check", "a.bib", "--known", "known.doix", "-f", "jsonl"];
        Seen::of(&mut place.command(args)).field("verdict").concat()
    };
    for (retracted, reinstated, wanted) in [
        ("2024-03-01", "2023-05-01", "retracted"),
        ("2022-03-01", "2023-05-01", "well_formed"),
        // One date shows that the month comes first, which decides the other.
        ("03/04/2024", "01/15/2024", "retracted"),
        ("03/01/2024", "15/01/2024", "well_formed"),
    ] {
        let seen = verdict(retracted, reinstated);
        assert_eq!(seen, wanted, "{retracted} {reinstated}");
    }
    let refused = verdict("03/04/2024", "02/05/2024");
    assert!(
        refused.contains("RetractionDate") && refused.contains("watch.csv"),
        "{refused}"
    );
}
