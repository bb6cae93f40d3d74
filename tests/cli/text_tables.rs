//! Columns of text tables, and options that have no effect on a run.

use std::fmt::Write as _;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::containers::tar;
use crate::place::Place;
use crate::tables::{FIELDS, rows, scan_on_threads};

/// A table with delimiters and line ends in cells, and with blank and short rows.
const CSV: &str = "\u{feff}id,\"title\",doi,refs\r\n\
    1,\"a 10.5555/t1, \"\"x\"\"\nb\",10.5555/ONE,10.5555/r1; 10.5555/r2\r\n\r\n\
    x2,\"10.5555/T2\n10.5555/t3\",\"10.5555/two\",\r\n\
    ,none,10.5555/three,10.5555/r3\r\n4,10.5555/t4\r\n";

/// The table as JSON Lines, with lists and objects.
const JSONL: &str = r#"{"id":1,"title":"a 10.5555/t1, \"x\"\nb","doi":"10.5555/ONE","refs":[{"doi":"10.5555/r1"},{"doi":"10.5555\/r2"}]}

{"refs":null,"doi":"10.5555/two","title":"10.5555/T2\n10.5555/t3","id":"x2"}
{"id":null,"n":10.5555,"title":"none","doi":"10.5555/three","refs":[{"doi":"10.5555/r3"}],"a/b":{"~c":["","10.5555/\u0064eep"]}}
{"title":"10.5555/t4"}"#;

/// The mentions of the column `doi`, in rows that `id` names.
const BY_ID: &str = "1,doi,10.5555/one\nx2,doi,10.5555/two\n#row=3,doi,10.5555/three\n";

fn found(place: &Place, line: &str) -> String {
    let seen = scan_on_threads(place, &format!("{line} {FIELDS}"));
    assert_eq!(seen.code, Some(0), "{line}: {}", seen.err);
    rows(&seen.out).to_owned()
}

#[test]
fn columns_of_delimited_tables_and_json_lines_are_chosen_and_name_rows() {
    let place = Place::new();
    for (name, text) in [
        ("t.csv", CSV.to_owned()),
        ("t.txt", CSV.replace("; ", " ").replace(',', ";")),
        ("t.tsv", CSV.replace(',', "\t")),
        ("t.psv", format!("sep=|\n{}", &CSV[3..].replace(',', "|"))),
        ("t.jsonl", JSONL.to_owned()),
    ] {
        place.file(name, text);
        let line = |options: &str| found(&place, &format!("{name} {options}"));
        assert_eq!(line("--columns doi --id-column id"), BY_ID, "{name}");
        let refs = line("--columns refs,doi");
        assert_eq!(refs.lines().count(), 6, "{name}: {refs}");
        let all = line("--id-column id");
        let names: Vec<_> = all
            .lines()
            .map(|row| &row[row.rfind(',').unwrap()..])
            .collect();
        assert!(names.contains(&",10.5555/t3") && all.contains("4,title,10.5555/t4"));
        assert_eq!(
            names.len(),
            if name == "t.jsonl" { 11 } else { 10 },
            "{name}: {all}"
        );
    }
}

#[test]
fn members_of_json_are_named_as_nested_columns_are() {
    let place = Place::new();
    place.file("t.jsonl", JSONL);
    assert_eq!(
        found(&place, "t.jsonl --columns refs.doi,a/b"),
        "#row=1,refs[0].doi,10.5555/r1\n#row=1,refs[1].doi,10.5555/r2\n\
        #row=3,refs[0].doi,10.5555/r3\n#row=3,a/b.~c[1],10.5555/deep\n"
    );
    let line =
        "t.jsonl --edges -f csv --fields record,path,role,doi --columns refs,a/b --id-column id";
    let seen = scan_on_threads(&place, line).quiet();
    assert!(seen.out.contains("\n1,/refs/1/doi,other,10.5555/r2\n"));
    assert!(seen.out.contains(",/a~1b/~0c/1,other,10.5555/deep\n"));
}

#[test]
fn tables_are_read_in_archives_and_from_standard_input() {
    let place = Place::new();
    place.file(
        "a.tar",
        tar(&[("d/t.csv", CSV.as_bytes()), ("e.txt", b"See 10.5555/e.")]),
    );
    let seen = place.scan(&format!("a.tar {FIELDS} --columns doi --id-column id"));
    let wanted: String = BY_ID
        .lines()
        .map(|row| format!("d/t.csv!/{row}\n"))
        .collect();
    assert_eq!(rows(&seen.out), format!("{wanted}e.txt,,10.5555/e\n"));
    let said = "other texts were read whole: 1";
    assert!(seen.err.contains(said), "{}", seen.err);
    let line = format!("- {FIELDS} --columns doi --id-column id");
    let seen = place.scan_stdin(&line, CSV.as_bytes());
    assert_eq!(rows(&seen.out), BY_ID);
}

/// Large enough for several reads and batches, with quoted line ends at all of their borders.
#[test]
fn a_large_table_is_the_same_for_all_threads_chunks_and_budgets() {
    let place = Place::new();
    let (mut csv, mut jsonl, mut wanted) = (String::from("k,a,b\n"), String::new(), String::new());
    for row in 0..30_000 {
        let fill = "x\"\"\n,".repeat(row % 7);
        writeln!(csv, "k{row},\"{fill}10.5555/no\",\"{fill}10.5555/b{row}\"").unwrap();
        let fill = r#"x\"\n,"#.repeat(row % 7);
        writeln!(
            jsonl,
            r#"{{"a":"10.5555/no","k":"k{row}","b":["{fill}10.5555/b{row}"]}}"#
        )
        .unwrap();
        writeln!(wanted, "k{row},10.5555/b{row}").unwrap();
    }
    place.file("t.csv", csv).file("t.jsonl", jsonl);
    for name in ["t.csv", "t.jsonl"] {
        for options in [
            "-j1",
            "-j2",
            "-j8 --memory 64M",
            "-j2 --chunk 1000",
            "--input-kind csv",
        ] {
            let options = match (name, options) {
                ("t.jsonl", "--input-kind csv") => "-j3",
                _ => options,
            };
            let line = format!(
                "{name} --mentions -f csv --fields document,doi --columns b --id-column k {options}"
            );
            assert_eq!(rows(&place.scan(&line).quiet().out), wanted, "{line}");
        }
    }
}

#[test]
fn a_column_that_a_table_lacks_is_an_error() {
    let place = Place::new();
    place.file("t.csv", CSV).file("t.jsonl", JSONL);
    for name in ["t.csv", "t.jsonl"] {
        let seen = scan_on_threads(&place, &format!("{name} -f names --columns doi,none"));
        assert_eq!(
            (seen.code, seen.out.lines().count()),
            (Some(1), 3),
            "{name}"
        );
        let said = "column none is missing, or not of the required kind; the table has: id, title, doi, refs";
        assert!(seen.err.contains(said), "{}", seen.err);
    }
    place.file("t.csv", "id,doi\n1,10.5555/a\n2,10.5555/b\n");
    for name in ["t.csv", "t.jsonl"] {
        let seen = scan_on_threads(&place, &format!("{name} --count --id-column none"));
        assert_eq!(seen.code, Some(1), "{name}");
        assert!(seen.err.contains("column none is missing"), "{}", seen.err);
    }
}

#[test]
fn what_is_wrong_with_rows_is_reported() {
    let place = Place::new();
    let long = "x".repeat(2 << 20);
    for (text, options, said, names) in [
        (
            "a,b\n10.5555/1,\n10.5555/2,3,4\n",
            "",
            "header, in which names may be in other columns: 1",
            2,
        ),
        (
            "a,b\n10.5555/1,\"2\n10.5555/3,4\n",
            "",
            "has a quote that is not closed",
            1,
        ),
        (
            "{\"a\":\"10.5555/1\"}\n{\"a\":\"10.5555/2\",\nx\n",
            "",
            "rows that are not JSON objects",
            2,
        ),
        (
            &format!("a,b\n10.5555/1,{long}\n10.5555/2,\"{long}\n10.5555/3,x\n"),
            "--memory 64M",
            "which were not read; the first is here: 2",
            1,
        ),
    ] {
        place.file("t.txt", text);
        let seen = scan_on_threads(&place, &format!("t.txt -f names --columns a {options}"));
        assert!(seen.err.contains(said), "{said}: {}", seen.err);
        assert_eq!(seen.out.lines().count(), names, "{said}");
        assert_eq!(
            seen.code,
            Some(i32::from(!said.contains("header"))),
            "{said}"
        );
    }
}

/// The last row before the damage may be cut, so it is not read.
#[test]
fn damage_cuts_no_cell() {
    let place = Place::new();
    let mut csv = String::from("doi\n");
    for row in 0..5_000_u64 {
        writeln!(
            csv,
            "10.5555/{:016x}{row}",
            row.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        )
        .unwrap();
    }
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(csv.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    for cut in 0..20 {
        place.file("t.csv.gz", &packed[..packed.len() / 2 + cut]);
        let seen = scan_on_threads(&place, "t.csv.gz --mentions -f names --columns doi");
        assert_eq!(seen.code, Some(1));
        let lines: Vec<_> = csv.lines().skip(1).collect();
        let found: Vec<_> = seen.out.lines().collect();
        assert!(found.len() > 1000 && lines.starts_with(&found), "{cut}");
    }
}

#[test]
fn options_without_effect_are_named() {
    let place = Place::new();
    place
        .file("t.txt", "See 10.5555/a.")
        .file("t.csv", CSV)
        .file("d/t.txt", "10.5555/b");
    for (line, said) in [
        ("t.txt --columns doi", "--columns"),
        ("t.txt --id-column id", "--id-column"),
        ("t.txt --include *.txt", "--include"),
        ("t.txt --exclude *.csv", "--exclude"),
        ("t.txt -L", "--follow"),
        ("- --pre cat", "--pre"),
        ("t.txt --pre cat --pre-glob *.pdf", "--pre"),
        ("t.csv --columns doi --lines", "--lines"),
        (
            "t.csv --columns doi --edges --record-id /DOI",
            "--record-id",
        ),
    ] {
        for threads in ["-j1", "-j2"] {
            let seen = place.scan_stdin(&format!("{line} {threads}"), b"10.5555/a");
            let said = format!("doisift: {said} has no effect: ");
            assert!(seen.err.contains(&said), "{line}: {}", seen.err);
            assert_eq!(seen.code, Some(0), "{line}");
        }
    }
    for line in [
        "t.txt d --include *.txt --exclude x -L --input-kind unknown --lines",
        "t.csv --columns doi --id-column id --input-kind csv",
        "t.txt --pre cat --pre-glob *.txt",
        "t.txt --edges --record-id /DOI",
    ] {
        let seen = place.scan(line);
        assert!(!seen.err.contains("no effect"), "{line}: {}", seen.err);
    }
}
