//! Merges of files of edges, mentions and nodes.

use crate::place::{Place, Seen};

/// The formats of files to merge.
const FORMATS: &[&str] = &["jsonl", "csv.gz", "tsv", "parquet"];

/// Creates files of works with references, some without a name, and a file without works.
fn works() -> Place {
    let place = Place::new();
    for file in 0..9 {
        let work = |n: usize| {
            format!(
                "{{\"DOI\":\"10.5555/w-{file}-{n}\",\"type\":\"article\",\"reference\":[{{\"DOI\":\"10.5555/r-{n}\"}},{{\"unstructured\":\"doi:10.5555/u-{n}\"}},{{\"year\":\"1999\"}}]}}\n"
            )
        };
        let lines: String = (0..5).map(work).collect();
        place.file(format!("in/{file}.jsonl"), lines);
    }
    place.file("in/none.txt", "no name");
    place
}

impl Place {
    fn run_line(&self, line: &str) -> Seen {
        Seen::of(&mut self.command(line.split_whitespace()))
    }
}

/// Fields with which rows have a known order of sources.
const WITH_SOURCE: &str = "record,doi,ref_index,role,asserted,source";

#[test]
fn files_with_sources_give_the_rows_of_one_scan() {
    let place = works();
    for format in FORMATS {
        for rows in [
            "--mentions".to_owned(),
            format!("--edges --fields {WITH_SOURCE}"),
            format!("--edges --record-fields type,n=/reference/0/DOI --fields {WITH_SOURCE}"),
            format!("--edges --all-references --fields {WITH_SOURCE},text"),
        ] {
            let shard = |shard: &str, output: &str| {
                place
                    .scan(&format!("in {rows} {shard} -o {output}"))
                    .quiet();
            };
            shard("", &format!("whole.{format}"));
            let ending = format.trim_end_matches(".gz");
            shard("--shard 0/3", &format!("one.{ending}"));
            shard("--shard 1/3", &format!("two.{format}"));
            shard("--shard 2/3", "three/");
            for inputs in [
                format!("one.{ending} two.{format} three"),
                format!("three two.{format} one.{ending}"),
            ] {
                place.merge(&format!("{inputs} -o m.{format}")).quiet();
                let read = |name: &str| std::fs::read(place.path(name)).unwrap();
                let whole = read(&format!("whole.{format}"));
                assert!(read(&format!("m.{format}")) == whole, "{format} {rows}");
            }
            std::fs::remove_dir_all(place.path("three")).unwrap();
        }
    }
}

#[test]
fn files_without_sources_come_in_the_order_of_their_names() {
    let place = works();
    place.file(
        "more/a.jsonl",
        "{\"DOI\":\"10.5555/x\",\"reference\":[{\"DOI\":\"10.5555/y\"}]}",
    );
    for format in FORMATS {
        let outputs = |name: &str| format!("-o {name}.{format} --nodes-to {name}-n.{format}");
        place.scan(&format!("in --edges {}", outputs("b"))).quiet();
        place
            .scan(&format!("more --edges {}", outputs("a")))
            .quiet();
        place
            .scan(&format!("in/none.txt --edges {}", outputs("c")))
            .quiet();
        for rows in ["", "-n"] {
            let [a, b, c] = ["a", "b", "c"].map(|name| format!("{name}{rows}.{format}"));
            for inputs in [format!("{c} {b} {a}"), format!("{a} {c} {b}")] {
                let seen = place.merge(&format!("{inputs} -o m.jsonl"));
                assert_eq!(seen.code, Some(0), "{}", seen.err);
                let why = "column `source` is missing, so rows of such files are in the order of file names";
                assert_eq!(seen.err.matches(why).count(), 1, "{}", seen.err);
                let merged = place.read("m.jsonl");
                let rows = [a.as_str(), b.as_str()].map(|name| {
                    place.merge(&format!("{name} -o one.jsonl")).quiet();
                    place.read("one.jsonl")
                });
                assert_eq!(merged, rows.concat());
            }
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_the_column_that_is_missing() {
    let place = works();
    place.scan("in -o records.csv").quiet();
    place.scan("in --pairs -o pairs.csv").quiet();
    place.scan("in --mentions -o mentions.csv").quiet();
    place.scan("in --count -f csv -o counts.csv").quiet();
    place.scan("in -o names.names").quiet();
    place
        .scan("in --edges -o edges.jsonl --nodes-to nodes.csv")
        .quiet();
    place
        .scan(&format!("in --edges --fields {WITH_SOURCE} -o sourced.csv"))
        .quiet();
    let sourced = place.read("sourced.csv");
    let mut rows: Vec<&str> = sourced.lines().collect();
    rows[1..].reverse();
    place.file("turned.csv", rows.join("\n") + "\n");
    place.file("cut.jsonl", "{\"doi\":\"10.5555/a\",\"record\":null,\"role\":\"text\"}\n{\"doi\":\"10.5555/a\",\"record\":null}\n");
    for (line, why) in [
        (
            "edges.jsonl records.csv",
            "records.csv: these are records, without the column record; edges.jsonl has edges",
        ),
        (
            "records.csv edges.jsonl",
            "edges.jsonl: these are edges, without the column mentions; records.csv has records",
        ),
        (
            "edges.jsonl nodes.csv",
            "nodes.csv: these are nodes, the records of documents, without the column doi; edges.jsonl has edges",
        ),
        (
            "nodes.csv edges.jsonl",
            "edges.jsonl: these are edges, without the column reference_count; nodes.csv has nodes",
        ),
        (
            "mentions.csv pairs.csv",
            "pairs.csv: these are pairs, without the column form; mentions.csv has mentions",
        ),
        (
            "edges.jsonl sourced.csv",
            "edges.jsonl: column `source` is missing, which sourced.csv has",
        ),
        (
            "sourced.csv edges.jsonl",
            "edges.jsonl: column `source` is missing, which sourced.csv has",
        ),
        (
            "edges.jsonl --fields doi,source",
            "edges.jsonl: column `source` is missing, which --fields names",
        ),
        (
            "edges.jsonl names.names",
            "names.names: these are bare names, without the column mentions",
        ),
        (
            "edges.jsonl --pairs",
            "edges.jsonl: these are edges, without the column mentions; merge them without --pairs",
        ),
        (
            "edges.jsonl -",
            "-: edges are read from files and folders, not from a stream",
        ),
        (
            "- -f csv",
            "-: line 1: these are edges, without the column mentions; they are read from files",
        ),
        (
            "counts.csv",
            "counts.csv: these are counts, without the column doi; scan without --count",
        ),
        (
            "turned.csv",
            "turned.csv: its rows are not sorted by the column source: in/7.jsonl comes after in/8.jsonl",
        ),
        (
            "cut.jsonl",
            "cut.jsonl: line 2: invalid edge: the field role must be in all rows or in none",
        ),
    ] {
        let mut command = place.command(["merge"]);
        let edges = std::fs::File::open(place.path("edges.jsonl")).unwrap();
        let output = command.args(line.split_whitespace()).stdin(edges);
        let seen = match line.contains("-f") {
            true => Seen::of(output),
            false => Seen::of(output.args(["-o", "out.csv"])),
        };
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{line}");
        let why = format!("doisift: {why}");
        assert!(seen.err.starts_with(&why), "{line}: {}", seen.err);
        assert!(!place.path("out.csv").exists(), "{line}");
    }
}

#[test]
fn fields_that_all_files_have_can_be_chosen() {
    let place = works();
    place
        .scan("in/1.jsonl --edges --fields doi,record,source -o a.csv")
        .quiet();
    place
        .scan("in/2.jsonl --edges --fields source,doi,role -o b.jsonl")
        .quiet();
    place
        .scan("in/1.jsonl in/2.jsonl --edges --fields doi,source -o whole.tsv")
        .quiet();
    let seen = place
        .run_line("merge a.csv b.jsonl --fields doi,source -o m.tsv")
        .quiet();
    assert_eq!(seen.out, "");
    assert_eq!(place.read("m.tsv"), place.read("whole.tsv"));
}
