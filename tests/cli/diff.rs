//! Comparisons of two lists of names.

use crate::place::{Place, Seen};

impl Place {
    /// Runs `doisift diff` with `line` split at blanks.
    fn diff(&self, line: &str) -> Seen {
        Seen::of(self.command(["diff"]).args(line.split_whitespace()))
    }
}

/// Returns the output of `-f csv` for these changes of names.
fn csv(changes: &[(&str, &str)]) -> String {
    let rows = changes
        .iter()
        .map(|(change, name)| format!("{change},10.5555/{name},\n"));
    format!("change,doi,detail\n{}", rows.collect::<String>())
}

const CHANGES: [(&str, &str); 3] = [("vanished", "a"), ("appeared", "c"), ("appeared", "z")];

#[test]
fn records_of_any_format_are_compared() {
    let place = Place::new();
    place.file("old.txt", "10.5555/A 10.5555/b 10.5555/x");
    place.file(
        "new.txt",
        "10.5555/b 10.5555/c 10.5555/X 10.5555/z 10.5555/z",
    );
    let outputs = ["r.jsonl", "r.csv.zst", "r.tsv.gz", "r.names", "r.parquet"];
    for name in outputs {
        for side in ["old", "new"] {
            place.scan(&format!("{side}.txt -o {side}.{name}")).quiet();
        }
        let seen = place.diff(&format!("old.{name} new.{name} -f csv")).quiet();
        assert_eq!(seen.out, csv(&CHANGES), "{name}");
    }
    let seen = place
        .diff("old.r.jsonl new.r.names --report r.json")
        .quiet();
    assert_eq!(seen.field("change"), CHANGES.map(|(change, _)| change));
    let report = place.json("r.json");
    let counts = ["old", "new", "appeared", "vanished", "retracted"]
        .map(|name| report[name].as_u64().unwrap());
    assert_eq!(counts, [3, 4, 2, 1, 0]);
    let same = place.diff("old.r.csv.zst old.r.jsonl --exit-code").quiet();
    assert_eq!(same.out, "");
    let changed = place.diff("old.r.jsonl new.r.jsonl --exit-code --fields doi -o c.tsv");
    assert_eq!((changed.code, changed.err.as_str()), (Some(1), ""));
    assert_eq!(
        place.read("c.tsv"),
        "doi\n10.5555/a\n10.5555/c\n10.5555/z\n"
    );
}

#[test]
fn an_empty_list_has_no_names() {
    let place = Place::new();
    place
        .file("none.jsonl", "")
        .file("one.names", "10.5555/a\n");
    assert_eq!(
        place.diff("none.jsonl one.names -f csv").quiet().out,
        csv(&[("appeared", "a")])
    );
    assert_eq!(
        place.diff("one.names none.jsonl -f csv").quiet().out,
        csv(&[("vanished", "a")])
    );
}

#[test]
fn what_is_not_sorted_or_no_list_is_refused() {
    let place = Place::new();
    place.file("good.names", "10.5555/a\n");
    place.file("late.names", "10.5555/b\n10.5555/a\n");
    place.file("twice.names", "10.5555/b\n10.5555/B\n");
    place.file("text.names", "10.5555/b\nno name\n");
    place.file("table.csv", "id,name\n1,10.5555/a\n");
    for (file, message) in [
        (
            "late.names",
            "the names are not sorted: 10.5555/a comes too late",
        ),
        (
            "twice.names",
            "the names are not sorted: 10.5555/b comes too late or twice",
        ),
        ("text.names", "no name is not a bare name"),
        ("table.csv", "not a records file"),
        ("missing", "missing: "),
        ("missing.doix", "missing.doix"),
    ] {
        let seen = place.diff(&format!("good.names {file} -o out.csv"));
        assert_eq!(seen.code, Some(2), "{file}");
        assert!(seen.err.contains(message), "{}", seen.err);
        assert!(!place.path("out.csv").exists());
    }
    let seen = place.diff("good.names late.names -f names");
    assert!(seen.err.contains("not of changes"), "{}", seen.err);
}

#[test]
fn indexes_show_what_was_retracted_since() {
    let place = Place::new();
    let work = |name: &str, kind: &str| {
        format!(
            "{{\"DOI\":\"10.5555/{name}\",\"updated-by\":[{{\"DOI\":\"10.5555/n\",\"type\":\"{kind}\",\"updated\":{{\"date-parts\":[[2021,5,1]]}}}}]}}\n"
        )
    };
    let plain = |name: &str| format!("{{\"DOI\":\"10.5555/{name}\"}}\n");
    let many: String = (0..5000)
        .map(|number| plain(&format!("m{number:04}")))
        .collect();
    place.file(
        "old.jsonl",
        plain("a")
            + &plain("b")
            + &work("c", "retraction")
            + &work("d", "correction")
            + &plain("e")
            + &many,
    );
    place.file(
        "new.jsonl",
        work("b", "withdrawal")
            + &work("c", "retraction")
            + &work("d", "correction")
            // A retraction that is undone on the same day.
            + &work("e", "retraction")
            + &work("e", "reinstatement")
            + &many
            + &work("z", "retraction"),
    );
    for side in ["old", "new"] {
        let line = [
            "index".to_owned(),
            format!("{side}.jsonl"),
            "-o".to_owned(),
            format!("{side}.doix"),
        ];
        Seen::of(&mut place.command(line)).quiet();
    }
    let seen = place.diff("old.doix new.doix -f csv").quiet();
    let wanted = "change,doi,detail\n\
        vanished,10.5555/a,\n\
        retracted,10.5555/b,\"withdrawal, 2021-05-01, 10.5555/n\"\n\
        appeared,10.5555/z,\n\
        retracted,10.5555/z,\"retraction, 2021-05-01, 10.5555/n\"\n";
    assert_eq!(seen.out, wanted);
    place.file("list.names", "10.5555/a\n10.5555/b\n");
    let seen = place.diff("list.names new.doix --stats -o changes.jsonl");
    assert!(
        seen.err.contains("appeared 5,004, vanished 1, retracted 0"),
        "{}",
        seen.err
    );
}

#[test]
fn records_show_what_was_retracted_since() {
    let place = Place::new();
    let work = |name: &str, more: &str| format!("{{\"DOI\":\"10.5555/{name}\"{more}}}\n");
    let notice = r#","updated-by":[{"DOI":"10.5555/n","type":"retraction"}]"#;
    let plain: String = ["a", "b", "c"].map(|name| work(name, "")).concat();
    place.file("old.jsonl", plain + &work("d", notice));
    let retracted: String = ["b", "c", "d", "e"].map(|name| work(name, notice)).concat();
    place.file("new.jsonl", work("a", "") + &retracted);
    // b and c were not retracted, d was, e appears, and f is in neither index.
    place.file("old.txt", "10.5555/a 10.5555/b 10.5555/c 10.5555/d");
    place.file(
        "new.txt",
        "10.5555/a 10.5555/b 10.5555/c 10.5555/d 10.5555/e 10.9999/f",
    );
    for side in ["old", "new"] {
        Seen::of(&mut place.command(["index", &format!("{side}.jsonl"), "-o", "known.doix"]))
            .quiet();
        for ending in ["jsonl", "csv", "names"] {
            place
                .scan(&format!(
                    "{side}.txt --known known.doix -o {side}.r.{ending}"
                ))
                .quiet();
        }
        place
            .scan(&format!("{side}.txt -o {side}.plain.jsonl"))
            .quiet();
    }
    let appeared = ["appeared,10.5555/e,", "appeared,10.9999/f,"];
    let retracted = ["b", "c", "e"].map(|name| format!("retracted,10.5555/{name},"));
    let mut all: Vec<String> = appeared
        .map(str::to_owned)
        .into_iter()
        .chain(retracted)
        .collect();
    all.sort_by_key(|row| row.split(',').nth(1).unwrap().to_owned());
    for (old, new) in [("r.jsonl", "r.csv"), ("r.csv", "r.jsonl")] {
        let seen = place.diff(&format!("old.{old} new.{new} -f csv")).quiet();
        assert_eq!(seen.out, format!("change,doi,detail\n{}\n", all.join("\n")));
    }
    // If only one side has retractions, only names are compared.
    for (old, new) in [
        ("plain.jsonl", "r.jsonl"),
        ("r.jsonl", "plain.jsonl"),
        ("r.names", "r.csv"),
    ] {
        let seen = place.diff(&format!("old.{old} new.{new} -f csv")).quiet();
        assert_eq!(
            seen.out,
            format!("change,doi,detail\n{}\n", appeared.join("\n")),
            "{old} {new}"
        );
    }
}
