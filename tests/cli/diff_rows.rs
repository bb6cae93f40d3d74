//! Comparisons of edges, mentions, nodes and pairs.

use crate::place::{Place, Seen};

impl Place {
    /// Runs `doisift` with `line` split at blanks.
    fn doisift(&self, line: &str) -> Seen {
        Seen::of(&mut self.command(line.split_whitespace()))
    }
}

/// Returns a work with references. An empty name is a reference without a name.
fn work(name: &str, references: &[&str]) -> String {
    let references: Vec<String> = references
        .iter()
        .map(|reference| match *reference {
            "" => "{\"year\":\"1999\"}".to_owned(),
            name => format!("{{\"DOI\":\"10.5555/{name}\"}}"),
        })
        .collect();
    let references = references.join(",");
    format!("{{\"DOI\":\"10.5555/{name}\",\"type\":\"article\",\"reference\":[{references}]}}\n")
}

/// Writes two versions of a dump: `a` lost a reference and got one before the others, `b` is gone, `c` is new, `d` is unchanged.
fn dumps() -> Place {
    let place = Place::new();
    place.file(
        "old.json",
        work("a", &["x", "y", "z"]) + &work("b", &["x"]) + &work("d", &["", "q"]),
    );
    place.file(
        "new.json",
        work("d", &["", "q", "q"]) + &work("c", &["x"]) + &work("a", &["new", "z", "x"]),
    );
    place
}

/// The formats of files, and a folder of parts.
const FORMATS: &[&str] = &["jsonl", "csv.zst", "tsv", "parts.jsonl/", "parquet"];

#[test]
fn edges_are_compared_by_record_name_and_role() {
    let place = dumps();
    let wanted = "change,doi,record,role\n\
        vanished,10.5555/b,10.5555/b,self\n\
        appeared,10.5555/c,10.5555/c,self\n\
        appeared,10.5555/new,10.5555/a,reference\n\
        vanished,10.5555/x,10.5555/b,reference\n\
        appeared,10.5555/x,10.5555/c,reference\n\
        vanished,10.5555/y,10.5555/a,reference\n";
    for format in FORMATS {
        for more in ["", "--all-references", "--record-fields type,n:int=/none"] {
            for side in ["old", "new"] {
                place
                    .scan(&format!("{side}.json --edges {more} -o {side}.{format}"))
                    .quiet();
            }
            let line = format!("diff old.{format} new.{format}");
            let seen = place.doisift(&format!("{line} -f csv")).quiet();
            assert_eq!(seen.out, wanted, "{format} {more}");
            let seen = place.doisift(&format!(
                "{line} --exit-code --fields change,doi -o c.tsv --report r.json --stats"
            ));
            assert_eq!(seen.code, Some(1));
            assert!(
                seen.err
                    .contains("edges: 8 old, 8 new; appeared 3, vanished 3"),
                "{}",
                seen.err
            );
            assert!(
                place
                    .read("c.tsv")
                    .starts_with("change\tdoi\nvanished\t10.5555/b\n")
            );
            assert_eq!(place.json("r.json")["compared"], "edges");
            let same = place
                .doisift(&format!("diff new.{format} new.{format} --exit-code"))
                .quiet();
            assert_eq!(same.out, "");
            for side in ["old", "new"] {
                let _ = std::fs::remove_dir_all(place.path(format!("{side}.parts.jsonl")));
            }
        }
    }
}

#[test]
fn nodes_mentions_and_pairs_are_compared_by_what_identifies_them() {
    let place = dumps();
    for side in ["old", "new"] {
        place.file("s.json", place.read(&format!("{side}.json")));
        let outputs = format!("-o {side}.e.csv --nodes-to {side}.n.jsonl");
        place
            .scan(&format!("{side}.json --edges {outputs}"))
            .quiet();
        for rows in ["mentions", "pairs"] {
            place
                .scan(&format!("s.json --{rows} -o {side}.{rows}.csv"))
                .quiet();
        }
    }
    let nodes = place.doisift("diff old.n.jsonl new.n.jsonl -f csv").quiet();
    assert_eq!(
        nodes.out,
        "change,record\nvanished,10.5555/b\nappeared,10.5555/c\n"
    );
    for rows in ["mentions", "pairs"] {
        let seen = place
            .doisift(&format!("diff old.{rows}.csv new.{rows}.csv -f csv"))
            .quiet();
        let wanted = "change,doi,source,document\nvanished,10.5555/b,s.json,\nappeared,10.5555/c,s.json,\n\
            appeared,10.5555/new,s.json,\nvanished,10.5555/y,s.json,\n";
        assert_eq!(seen.out, wanted, "{rows}");
    }
    place.file("none.jsonl", "");
    let seen = place
        .doisift("diff none.jsonl new.n.jsonl -f jsonl")
        .quiet();
    assert_eq!(seen.field("change"), ["appeared"; 3]);
}

#[test]
fn many_edges_are_sorted_within_the_memory() {
    let place = Place::new();
    let row = |n: usize| format!("10.5555/r-{},10.5555/c-{n:06},reference\n", n % 97);
    let header = "record,doi,role\n".to_owned();
    let old: String = (0..30_000).rev().map(row).collect();
    let new: String = (0..30_000).map(|n| (n * 7) % 30_000 + 1).map(row).collect();
    place
        .file("old.csv", header.clone() + &old)
        .file("new.csv", header + &new);
    let wanted = "change,doi,record,role\n\
        vanished,10.5555/c-000000,10.5555/r-0,reference\nappeared,10.5555/c-030000,10.5555/r-27,reference\n";
    for memory in ["1M", "1G"] {
        let line = format!("diff old.csv new.csv -o c.csv --memory {memory}");
        place.doisift(&line).quiet();
        assert_eq!(place.read("c.csv"), wanted, "{memory}");
    }
    assert_eq!(place.entries(), ["c.csv", "new.csv", "old.csv"]);
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_column_that_is_missing() {
    let place = dumps();
    place
        .scan("old.json --edges -o e.csv --nodes-to n.jsonl")
        .quiet();
    place.scan("old.json -o r.csv").quiet();
    place.scan("old.json -o l.names").quiet();
    place.scan("old.json --mentions -o m.csv").quiet();
    place
        .scan("old.json --edges --fields doi,role -o short.csv")
        .quiet();
    place
        .scan("old.json --mentions --fields doi,offset -o place.csv")
        .quiet();
    place
        .scan("old.json --edges --fields record,role -o nameless.csv")
        .quiet();
    for (line, why) in [
        (
            "e.csv r.csv",
            "r.csv: these are records, without the column record; e.csv has edges",
        ),
        (
            "r.csv e.csv",
            "e.csv: these are edges, without the column mentions; r.csv has records",
        ),
        (
            "e.csv n.jsonl",
            "n.jsonl: these are nodes, the records of documents, without the column doi; e.csv has edges",
        ),
        (
            "e.csv l.names",
            "l.names: these are bare names, without the column mentions",
        ),
        (
            "e.csv short.csv",
            "short.csv: column `record` is missing, by which edges are compared; scan again with it",
        ),
        (
            "short.csv short.csv",
            "short.csv: column `record` is missing, by which edges",
        ),
        (
            "place.csv place.csv",
            "place.csv: column `source` is missing, by which mentions are compared",
        ),
        (
            "e.csv nameless.csv",
            "nameless.csv: column `doi` is missing, by which edges are compared",
        ),
        (
            "e.csv m.csv",
            "m.csv: column `record` is missing, by which edges are compared",
        ),
        (
            "e.csv -",
            "-: edges are read from files and folders, not from a stream",
        ),
        (
            "e.csv e.csv --fields change,detail",
            "e.csv: column `detail` is missing, which --fields names",
        ),
        (
            "r.csv r.csv --fields change,record",
            "r.csv: column `record` is missing, which --fields names",
        ),
        ("e.csv missing", "missing: "),
    ] {
        let seen = place.doisift(&format!("diff {line} -o out.csv"));
        assert_eq!(seen.code, Some(2), "{line}");
        assert!(
            seen.err.starts_with(&format!("doisift: {why}")),
            "{line}: {}",
            seen.err
        );
        assert!(!place.path("out.csv").exists(), "{line}");
    }
    place
        .scan("new.json --edges --fields doi,record -o fewer.jsonl")
        .quiet();
    let seen = place.doisift("diff e.csv fewer.jsonl -f csv");
    assert_eq!(seen.code, Some(0));
    let why = "fewer.jsonl: column `role` is missing, so edges are compared without it";
    assert!(seen.err.contains(why), "{}", seen.err);
    assert!(seen.out.starts_with("change,doi,record\n"), "{}", seen.out);
}
