//! Which rows are written, and with which fields.

use crate::place::{Place, Seen, gzip};

impl Place {
    /// Runs `doisift` with `line` split at blanks.
    fn run(&self, line: &str) -> Seen {
        Seen::of(&mut self.command(line.split_whitespace()))
    }

    /// Two plain files and a packed one, with names that repeat.
    fn with_texts() -> Place {
        let place = Place::new();
        place
            .file("in/a.txt", "See doi:10.5555/A, 10.1038/b and 10.5555/a.\n")
            .file("in/b.txt", "https://doi.org/10.5555/a; 10.1038.5/c\n")
            .file(
                "in/c.gz",
                gzip("10.1016/d, \"10.5555/tab\tor\" 10.1038/B\n"),
            );
        place
    }
}

#[test]
fn fields_are_written_in_the_order_they_are_named() {
    let place = Place::with_texts();
    let seen = place.run("scan in -f csv --fields mentions,doi").quiet();
    let rows =
        "mentions,doi\n1,10.1016/d\n2,10.1038/b\n1,10.1038.5/c\n3,10.5555/a\n1,10.5555/tab\n";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&seen.out), sorted(rows));
    let seen = place
        .run("scan in/b.txt --mentions --fields offset,doi")
        .quiet();
    assert_eq!(
        seen.out,
        "{\"offset\":16,\"doi\":\"10.5555/a\"}\n{\"offset\":27,\"doi\":\"10.1038.5/c\"}\n"
    );
    let report = place
        .run("scan in -o o.tsv --fields doi --report r.json")
        .quiet();
    assert_eq!(report.out, "");
    assert_eq!(
        place.json("r.json")["options"]["fields"],
        serde_json::json!(["doi"])
    );
    assert!(place.read("o.tsv").starts_with("doi\n10.1016/d\n"));
}

#[test]
fn a_field_that_rows_do_not_have_or_that_is_named_twice_is_refused_with_the_list_of_fields() {
    let place = Place::with_texts();
    let records = "the fields of records are doi, mentions, documents, forms, first_source, first_document, first_offset, \
                   first_text, guessed\n";
    let mentions =
        "the fields of mentions are doi, form, source, document, offset, length, text, guessed";
    for (line, why, fields) in [
        ("--fields offset", "there is no field \"offset\"", records),
        ("--fields doi,DOI", "there is no field \"DOI\"", records),
        (
            "--fields doi,guessed,doi",
            "the field doi is named twice",
            records,
        ),
        (
            "--fields mentions --mentions",
            "there is no field \"mentions\"",
            mentions,
        ),
        ("--fields doi -f names", "bare names", records),
    ] {
        let seen = place.run(&format!("scan in {line}"));
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""));
        assert!(seen.err.contains(why), "{}", seen.err);
        assert!(seen.err.contains(fields), "{}", seen.err);
    }
}

#[test]
fn tsv_is_read_back_by_merge() {
    let place = Place::with_texts();
    place.file("tab\tin\"name.txt", "10.5555/x \n");
    let seen = Seen::of(&mut place.command(["scan", "tab\tin\"name.txt", "in", "-o", "all.tsv"]));
    seen.quiet();
    let first = place.read("all.tsv");
    assert!(first.starts_with("doi\tmentions\tdocuments\t"), "{first}");
    assert!(first.contains("\t\"tab\tin\"\"name.txt\"\t"), "{first}");
    Seen::of(&mut place.command(["scan", "tab\tin\"name.txt", "in", "-o", "all.csv"])).quiet();
    place.run("merge all.tsv -o again.csv").quiet();
    assert!(place.read("again.csv") == place.read("all.csv"));
    place.run("scan in --shard 0/2 -o 0.tsv.gz").quiet();
    place.run("scan in --shard 1/2 -o 1.tsv.zst").quiet();
    place.run("merge 0.tsv.gz 1.tsv.zst -o m.tsv").quiet();
    place.run("scan in -o in.tsv").quiet();
    assert!(place.read("m.tsv") == place.read("in.tsv"));
}

#[test]
fn merge_takes_all_fields_in_any_order_and_names_one_that_is_missing() {
    let place = Place::with_texts();
    place.run("scan in -o all.jsonl").quiet();
    let all =
        "guessed,first_text,first_offset,first_document,first_source,forms,documents,mentions,doi";
    let mut endings = vec!["csv", "tsv", "jsonl"];
    endings.extend(cfg!(feature = "parquet").then_some("parquet"));
    for ending in endings {
        place
            .run(&format!("scan in -o some.{ending} --fields {all}"))
            .quiet();
        place
            .run(&format!("merge some.{ending} -o m.jsonl"))
            .quiet();
        assert!(place.read("m.jsonl") == place.read("all.jsonl"), "{ending}");
        place
            .run(&format!(
                "scan in -o some.{ending} --fields mentions,doi,documents"
            ))
            .quiet();
        let seen = place.run(&format!("merge some.{ending} -o m.jsonl"));
        assert_eq!(seen.code, Some(2));
        let wanted = format!("doisift: some.{ending}: ");
        assert!(seen.err.starts_with(&wanted), "{}", seen.err);
        assert!(seen.err.contains("forms"), "{}", seen.err);
    }
    place
        .run("merge all.jsonl -o few.csv --fields doi,documents")
        .quiet();
    assert!(
        place
            .read("few.csv")
            .starts_with("doi,documents\n10.1016/d,1\n")
    );
    let seen = place.run("merge all.jsonl --fields offset");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("the fields of records are doi, "),
        "{}",
        seen.err
    );
}
