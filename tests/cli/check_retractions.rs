//! Checks with notices of retraction, and the data of the default places.

use std::fs;

use serde_json::{Value, json};

use crate::place::{Place, Seen, gzip};

const REFS: &str = "@misc{a, doi = {10.1000/retracted}}\n@misc{b, doi = {10.1000/fine}}\n@misc{c, doi = {10.1000/reinstated}}\n\
    @misc{d, doi = {10.1000/concern}}\n@misc{e, doi = {https://doi.org/10.1000/Retracted}}\n";
const WATCH: &str = "Record ID,Title,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature\n\
    1,\"A, b\nc\",3/19/2024 0:00,10.1000/notice,10.1000/Retracted,Retraction\n\
    2,x,3/9/2023 0:00,unavailable,10.1000/reinstated,Retraction\n\
    3,x,3/9/2024 0:00,unavailable,10.1000/reinstated,Reinstatement\n\
    4,x,3/9/2024 0:00,unavailable,10.1000/concern,Expression of concern\n";
const OLD: &str = "doisift: the data of watch.csv are of 2024-03-19, older than --stale-after; names and notices since then are missing\n";
const WORKS: &str = r#"{"DOI":"10.1000/fine","updated-by":[{"DOI":"10.1000/n","type":"retraction","source":"publisher","updated":{"date-parts":[[2024,5,1]]}}]}
{"DOI":"10.1000/retracted"}
"#;

fn place() -> Place {
    let place = Place::new();
    place.file("refs.bib", REFS).file("watch.csv", WATCH);
    place
}

impl Place {
    fn check_refs(&self, line: &str) -> Seen {
        let line = format!("refs.bib {line}");
        Seen::of(self.command(["check"]).args(line.split_whitespace()))
    }
}

/// Returns verdict and detail of each row.
fn verdicts(seen: &Seen) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = seen.rows();
    let row = |row: &Value| [text(&row["verdict"]), text(&row["detail"])].join("|");
    rows.iter().map(row).collect()
}

const RETRACTED: &str = "retracted|retraction 2024-03-19 by 10.1000/notice (retraction-watch)";

#[test]
fn notices_need_no_index_of_names() {
    let place = place();
    let seen = place.check_refs("--retractions watch.csv -f jsonl --report report.json");
    let wanted = [
        RETRACTED.to_owned(),
        "well_formed|".to_owned(),
        "well_formed|retraction 2023-03-09 (retraction-watch); reinstatement 2024-03-09 (retraction-watch)".to_owned(),
        "well_formed|expression of concern 2024-03-09 (retraction-watch)".to_owned(),
        format!(
            "{RETRACTED}; the field holds more than the name: 'https://doi.org/'; the same name as refs.bib:1"
        ),
    ];
    assert_eq!(verdicts(&seen), wanted);
    assert_eq!((seen.code, seen.err.as_str()), (Some(1), OLD));
    let report = place.json("report.json");
    let wanted = json!({"source": "watch.csv", "notices": 4, "names": 3, "refused": 0, "date": "2024-03-19"});
    assert_eq!(report["retractions"], wanted);
    assert_eq!(
        report["outdated"],
        json!([{"source": "watch.csv", "date": "2024-03-19"}])
    );
    assert_eq!(place.entries(), ["refs.bib", "report.json", "watch.csv"]);
}

#[test]
fn notices_of_the_index_and_of_the_file_are_united() {
    let place = place();
    place.file("works.jsonl", WORKS);
    let index = "index works.jsonl --date 2024 -o known.doix".split(' ');
    Seen::of(&mut place.command(index)).quiet();
    let seen = place.check_refs("--known known.doix --retractions watch.csv -f jsonl");
    let wanted = [
        RETRACTED,
        "retracted|retraction 2024-05-01 by 10.1000/n (publisher)",
        "not_in_index|crossref 2024; retraction 2023-03-09 (retraction-watch); reinstatement 2024-03-09 (retraction-watch)",
        "not_in_index|crossref 2024; expression of concern 2024-03-09 (retraction-watch)",
    ];
    assert_eq!(verdicts(&seen)[..4], wanted);
    let of_index = "doisift: the data of crossref are of 2024, older than --stale-after; names and notices since then are missing\n";
    assert_eq!(seen.err, format!("{of_index}{OLD}"));
    let young = place
        .check_refs("--known known.doix --retractions watch.csv --stale-after 36500d -f jsonl");
    assert_eq!((young.out, young.err.as_str()), (seen.out, ""));
}

#[test]
fn notices_may_be_packed_piped_or_works() {
    let place = place();
    let plain = place.check_refs("--retractions watch.csv -f jsonl").out;
    place.file("watch.csv.gz", gzip(WATCH));
    assert_eq!(
        place.check_refs("--retractions watch.csv.gz -f jsonl").out,
        plain
    );
    let piped = place.run_stdin(
        "check",
        "refs.bib --retractions - -f jsonl",
        WATCH.as_bytes(),
    );
    assert_eq!(piped.out, plain);
    fs::create_dir(place.path("dump")).unwrap();
    place.file("dump/0.jsonl", WORKS);
    let works = place.check_refs("--retractions dump -f jsonl");
    let retracted = "retracted|retraction 2024-05-01 by 10.1000/n (publisher)";
    assert_eq!(verdicts(&works)[..2], ["well_formed|", retracted]);
}

#[test]
fn a_file_without_notices_is_an_error_that_says_what_is_wanted() {
    let place = place();
    place
        .file("names.txt", "10.1000/fine\n")
        .file("records.csv", "doi,mentions\n10.1000/fine,1\n")
        .file("works.jsonl", "{\"DOI\":\"10.1000/fine\"}\n")
        .file("empty.csv", "");
    for file in ["names.txt", "records.csv", "works.jsonl", "empty.csv"] {
        let seen = place.check_refs(&format!("--retractions {file} -o rows.csv"));
        let start = format!(
            "{file}: no notices were found; --retractions takes the CSV of Retraction Watch"
        );
        assert!(seen.err.contains(&start), "{file}: {}", seen.err);
        assert_eq!(seen.code, Some(2), "{file}");
        assert!(!place.path("rows.csv").exists());
    }
    for (file, message) in [
        ("none.csv", "none.csv"),
        ("known.doix", "is an index already"),
    ] {
        Seen::of(&mut place.command("index names.txt -o known.doix".split(' '))).quiet();
        let seen = place.check_refs(&format!("--retractions {file}"));
        assert!(seen.err.contains(message), "{}", seen.err);
        assert_eq!(seen.code, Some(2));
    }
    let clash = place.check_refs("--retractions watch.csv -o watch.csv");
    assert_eq!(clash.code, Some(2));
    assert_eq!(place.read("watch.csv"), WATCH);
}

#[test]
fn lost_notices_are_counted_and_make_the_code_2() {
    let place = place();
    let packed = gzip(WATCH.repeat(400));
    place.file("watch.csv.gz", &packed[..packed.len() - 20]);
    let seen =
        place.check_refs("--retractions watch.csv.gz --fail-on none --report report.json -f jsonl");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("watch.csv.gz"), "{}", seen.err);
    assert_eq!(verdicts(&seen)[0], RETRACTED);
    assert_eq!(place.json("report.json")["errors"]["count"], 1);
}

#[test]
fn data_of_the_default_places_are_asked_and_named() {
    let place = place();
    place.file("names.txt", "10.1000/fine\n");
    fs::create_dir_all(place.path("data/doisift")).unwrap();
    fs::copy(
        place.path("watch.csv"),
        place.path("data/doisift/retractions.csv"),
    )
    .unwrap();
    let index = "index names.txt -o data/doisift/known.doix".split(' ');
    Seen::of(&mut place.command(index)).quiet();
    let check = |options: &str, known: Option<&str>| {
        let line = format!("check refs.bib --stats -f jsonl --report report.json {options}");
        let mut command = place.command(line.split_whitespace());
        command.env("XDG_DATA_HOME", place.path("data"));
        match known {
            Some(path) => command.env("DOISIFT_KNOWN", path),
            None => command.env_remove("DOISIFT_KNOWN"),
        };
        let seen = Seen::of(&mut command);
        let verdicts: Vec<_> = seen
            .rows()
            .iter()
            .map(|row| row["verdict"].to_string())
            .collect();
        let first = verdicts.iter().take(2).cloned();
        (first.collect::<Vec<_>>().join(","), seen.err)
    };
    let (verdicts, message) = check("", None);
    assert_eq!(verdicts, r#""retracted","known""#);
    let named = format!(
        "references: 5 (known 1, retracted 2, not_in_index 2); by {0}/known.doix and {0}/retractions.csv; findings",
        place.path("data/doisift").display()
    );
    assert!(message.contains(&named), "{message}");
    let options = place.json("report.json")["options"].clone();
    assert_eq!(
        options["known"],
        json!(place.path("data/doisift/known.doix"))
    );
    // An empty variable names no index, and another one is asked instead of the default.
    assert_eq!(check("", Some("")).0, r#""retracted","well_formed""#);
    Seen::of(&mut place.command("index names.txt --agency other -o other.doix".split(' '))).quiet();
    assert_eq!(check("", Some("other.doix")).0, r#""retracted","known""#);
    assert!(check("", Some("missing.doix")).1.contains("missing.doix"));
    assert_eq!(
        check("--no-default-data", None).0,
        r#""well_formed","well_formed""#
    );
    let own = check("--known other.doix", Some("missing.doix"));
    assert_eq!(own.0, r#""retracted","known""#);
}
