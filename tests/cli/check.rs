//! Checks of references.

use std::fs;

use serde_json::Value;

use crate::place::{Place, Seen, gzip};

const NAMES: &str = "10.1038/nature12373\n10.1371/journal.pone.0000217\n10.1186/s40981-020-0316-0\n10.5555/Known\n10.5555/corrected\n\
    10.5555/concern\n10.5555/again\n10.5555/two\n";
const WORKS: &str = r#"{"DOI":"10.5555/retracted","updated-by":[{"DOI":"10.5555/notice","type":"retraction","source":"publisher","updated":{"date-parts":[[2021,5,1]]}}]}
{"DOI":"10.5555/notice,2","update-to":[{"DOI":"10.5555/two","type":"withdrawal","updated":{"date-parts":[[2020,1,1]]}}]}
{"DOI":"10.5555/n3","update-to":[{"DOI":"10.5555/corrected","type":"correction"},{"DOI":"10.5555/concern","type":"expression_of_concern"},{"DOI":"10.7777/unlisted","type":"expression_of_concern"}]}
"#;

impl Place {
    /// Creates a folder with an index.
    fn with_index() -> Place {
        let place = Place::new();
        place.file("names.txt", NAMES).file("works.jsonl", WORKS);
        let args = "index names.txt works.jsonl --date 2026-03 --agency crossref -o known.doix";
        Seen::of(&mut place.command(args.split_whitespace())).quiet();
        place
    }

    /// Runs `doisift check` with `line` split at blanks.
    fn check(&self, line: &str) -> Seen {
        Seen::of(self.command(["check"]).args(line.split_whitespace()))
    }

    /// Returns the rows of a check with the index.
    fn checked(&self, line: &str) -> Vec<Value> {
        let seen = self.check(&format!("{line} --known known.doix -f jsonl"));
        assert!(matches!(seen.code, Some(0 | 1)), "{}", seen.err);
        seen.rows()
    }

    fn bytes_of(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }
}

/// Returns the fields of each row, joined by commas.
fn shown(rows: &[Value], fields: &str) -> Vec<String> {
    let cell = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let row = |row: &Value| {
        let cells = fields.split(',').map(|field| cell(&row[field]));
        cells.collect::<Vec<_>>().join(",")
    };
    rows.iter().map(row).collect()
}

/// Returns verdict and detail of names, each on a line.
fn of_names(names: &[&str]) -> Vec<String> {
    let place = Place::with_index();
    place.file("list.txt", names.join("\n"));
    shown(&place.checked("list.txt"), "verdict,detail")
}

#[test]
fn escapes_that_were_encoded_twice_are_seen_by_the_index() {
    let place = Place::new();
    place.file("names.txt", "10.5555/3:4<5::aid>\n");
    Seen::of(
        place
            .command(["index"])
            .args(["names.txt", "-o", "known.doix"]),
    )
    .quiet();
    let names = [
        "10.5555/3:4%3C5::AID%3E",
        "https://doi.org/10.5555/3:4%253C5::AID%253E",
        "https://doi.org/10.7777/7%253C5",
    ];
    place.file("list.txt", names.join("\n"));
    let rows = place.checked("list.txt");
    let slip = "10.5555/3:4<5::AID> (escapes encoded twice)";
    let wanted = [
        "known,null".to_owned(),
        format!("did_you_mean,{slip}"),
        "not_in_index,names.txt; it has no name of 10.7777".to_owned(),
    ];
    let shown = shown(&rows, "verdict,detail");
    assert_eq!(shown, wanted);
}

#[test]
fn every_verdict_comes_with_its_reason() {
    let place = Place::with_index();
    let values = [
        ("10.5555/KNOWN", "known,10.5555/known,null"),
        (
            "https://doi.org/10.5555/known",
            "written_wrongly,10.5555/known,the field holds more than the name: 'https://doi.org/'; the same name as a.bib:1",
        ),
        (
            "10.5555/retracted",
            "retracted,10.5555/retracted,retraction 2021-05-01 by 10.5555/notice (publisher)",
        ),
        (
            "10.1038/nature1237",
            "cut_short,10.1038/nature1237,known names go on, such as 10.1038/nature12373",
        ),
        (
            "10.1186/s40981-020-0399-0",
            "wrong_check_digit,10.1186/s40981-020-0399-0,its last character does not agree with the others",
        ),
        (
            "10.1371/journa.pone.0000217",
            "did_you_mean,10.1371/journa.pone.0000217,10.1371/journal.pone.0000217 (misspelt word)",
        ),
        (
            "10.5555/known.",
            "written_wrongly,10.5555/known,tail.stop-alone: '.'; the same name as a.bib:1",
        ),
        (
            "10.5555/unknown7.",
            "written_wrongly,10.5555/unknown7,tail.stop-alone: '.'; not in crossref 2026-03",
        ),
        (
            "10.1371/unknown7",
            "not_in_index,10.1371/unknown7,crossref 2026-03",
        ),
        (
            "10.5555/unknown8",
            "placeholder,10.5555/unknown8,a prefix that Crossref reserves for tests; ACM writes it for works without a DOI name; \
             not in crossref 2026-03",
        ),
        (
            "10.9999/x",
            "not_in_index,10.9999/x,crossref 2026-03; it has no name of 10.9999",
        ),
        (
            "see web",
            "not_a_doi,null,N1: no directory indicator \"10.\", at byte 0",
        ),
        (
            "10.5555/abc...",
            "not_a_doi,null,dirt.cut-short: cut short by an ellipsis, at byte 11",
        ),
        ("", "no_doi,null,null"),
    ];
    let entry = |(value, _): &(&str, &str)| format!("@misc{{k, doi = {{{value}}}}}\n");
    place.file("a.bib", values.iter().map(entry).collect::<String>());
    let rows = shown(&place.checked("a.bib"), "verdict,doi,detail");
    for (row, (value, wanted)) in rows.iter().zip(values) {
        assert_eq!(row, wanted, "{value}");
    }
    assert_eq!(rows.len(), values.len());
}

#[test]
fn notices_of_either_direction_retract_and_others_are_notes() {
    let verdicts = of_names(&[
        "10.5555/two",
        "10.5555/corrected",
        "10.5555/concern",
        "10.7777/unlisted",
        "10.5555/n3",
    ]);
    let wanted = [
        "retracted,withdrawal 2020-01-01 by 10.5555/notice,2 (publisher)",
        "known,correction by 10.5555/n3 (publisher)",
        "known,expression of concern by 10.5555/n3 (publisher)",
        "not_in_index,crossref 2026-03; it has no name of 10.7777; expression of concern by 10.5555/n3 (publisher)",
        "known,null",
    ];
    assert_eq!(verdicts, wanted);
}

#[test]
fn a_known_name_is_not_repaired() {
    let place = Place::new();
    place.file("names.txt", "10.5555/a.\n10.5555/b\n");
    Seen::of(&mut place.command(["index", "names.txt", "-o", "known.doix"])).quiet();
    place.file("a.bib", "@a{k,doi={10.5555/a.}}\n@a{k,doi={10.5555/b.}}\n");
    let rows = place.checked("a.bib");
    let wanted = ["known,10.5555/a.", "written_wrongly,10.5555/b"];
    assert_eq!(shown(&rows, "verdict,doi"), wanted);
}

#[test]
fn slips_are_corrected_only_where_one_name_fits() {
    let place = Place::new();
    place.file(
        "names.txt",
        "10.7777/abcd1\n10.1371/journal.pone.0000217\n10.7777/w-x1\n10.7777/medicine7\n10.7777/medicina9\n10.7777/fig-77\n10.7777/fig-77.s001\n10.7777/8.s1\n",
    );
    Seen::of(&mut place.command(["index", "names.txt", "-o", "known.doix"])).quiet();
    let slips = [
        ("10.7777/abcD1", "known,null"),
        // A wrong letter in a word, and one in a code.
        (
            "10.1371/jouxnal.pone.0000217",
            "did_you_mean,10.1371/journal.pone.0000217",
        ),
        ("10.1371/journal.pome.0000217", "not_in_index,null"),
        // Other known names have this letter.
        ("10.7777/medicina7", "not_in_index,null"),
        // Another digit may make another registered name.
        ("10.1371/journal.pone.0000218", "not_in_index,null"),
        (
            "10.1371/journal.pone.00002l7",
            "did_you_mean,10.1371/journal.pone.0000217",
        ),
        ("10.7777/W.X1", "did_you_mean,10.7777/W-X1"),
        ("10.7787/medicine7", "did_you_mean,10.7777/medicine7"),
        ("10.7787/w-x1", "not_in_index,null"),
        // The name of a work; a part of the work is known.
        ("10.7777/8", "not_in_index,null"),
        ("10.7777/w-x", "cut_short,null"),
        ("10.7777/w-xx", "not_in_index,null"),
    ];
    let list: String = slips.iter().map(|(name, _)| format!("{name}\n")).collect();
    place.file("list.txt", list);
    let rows = shown(&place.checked("list.txt"), "verdict,repair");
    for (row, (name, wanted)) in rows.iter().zip(slips) {
        assert_eq!(row, wanted, "{name}");
    }
}

#[test]
fn without_an_index_names_are_well_formed_and_check_digits_count() {
    let place = Place::new();
    place.file(
        "list.txt",
        "10.7777/unknown\n10.1186/s40981-020-0361-0\n10.1186/s40981-020-0316-0\n",
    );
    let seen = place.check("list.txt -f jsonl");
    assert_eq!(seen.code, Some(1));
    assert_eq!(
        seen.field("verdict"),
        ["well_formed", "wrong_check_digit", "well_formed"]
    );
}

#[test]
fn entries_are_rows_with_key_and_place_in_every_format() {
    let place = Place::with_index();
    let xml = "<xml><records><record><rec-number>4</rec-number><electronic-resource-num><style>10.5555&#x2F;known</style></electronic-resource-num></record></records></xml>";
    for (name, text, wanted) in [
        (
            "a.bib",
            "\n@article{key,\n  doi = {10.5555/known}\n}\n",
            "3,10,key,10.5555/known",
        ),
        (
            "a.ris",
            "TY  - JOUR\nID  - k\nDO  - 10.5555/known\nER  - \n",
            "3,7,k,10.5555/known",
        ),
        (
            "a.nbib",
            "PMID- 12\nLID - 10.5555/known [doi]\n",
            "2,7,12,10.5555/known",
        ),
        (
            "a.enw",
            "%0 Book\n%F k\n%R 10.5555/known\n",
            "3,4,k,10.5555/known",
        ),
        (
            "a.json",
            "[{\"id\": \"k\", \"type\": \"book\",\n \"DOI\": \"10.5555\\/known\"}]",
            "2,10,k,10.5555/known",
        ),
        ("a.xml", xml, "1,81,4,10.5555/known"),
        (
            "a.tex",
            "\\bibitem{k} A. \\url{https://doi.org/10.5555/known}.\n",
            "1,37,null,10.5555/known",
        ),
        (
            "a.md",
            "# Text\n\nSee [10.5555/known](https://doi.org/10.5555/known).\n",
            "3,6,null,10.5555/known",
        ),
        ("a.txt", "10.5555/known\n", "1,1,null,10.5555/known"),
    ] {
        place.file(name, text);
        let rows = place.checked(name);
        assert_eq!(shown(&rows, "line,column,key,doi"), [wanted], "{name}");
    }
}

#[test]
fn a_packed_bibliography_and_a_column_are_read() {
    let place = Place::with_index();
    place.file("a.bib.gz", gzip("@a{k, doi={10.5555/known}}"));
    assert_eq!(
        shown(&place.checked("a.bib.gz"), "key,verdict"),
        ["k,known"]
    );
    place.file(
        "t.csv",
        "id;DOI\n1;10.5555/known\n2;\n3;\"10.5555/known\"\n",
    );
    let rows = shown(&place.checked("t.csv --column doi"), "row,line,verdict");
    assert_eq!(rows, ["1,2,known", "2,3,no_doi", "3,4,known"]);
    let seen = place.check("t.csv --column name");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("t.csv"), "{}", seen.err);
}

#[test]
fn the_exit_code_says_whether_there_are_findings() {
    let place = Place::with_index();
    place.file(
        "a.bib",
        "@a{a, doi={10.5555/known}}\n@a{b, title={x}}\n@a{c, doi={10.7777/unknown7}}\n",
    );
    let code = |line: &str| {
        place
            .check(&format!("a.bib --known known.doix {line}"))
            .code
    };
    assert_eq!(code(""), Some(0));
    assert_eq!(code("--fail-on no_doi,retracted"), Some(1));
    assert_eq!(code("--fail-on not_in_index"), Some(1));
    assert_eq!(code("--fail-on invented"), Some(2));
    assert_eq!(code("-o a.text"), Some(2));
    place.file("a.bib", "@a{a, doi={10.5555/retracted}}\n");
    assert_eq!(code(""), Some(1));
    assert_eq!(code("--fail-on none"), Some(0));
    assert_eq!(place.check("missing.bib").code, Some(2));
    assert_eq!(place.check("").code, Some(2));
    place.file(
        "damaged.bib.gz",
        &gzip("@a{a, doi={10.5555/known}}\n")[..20],
    );
    let seen = place.check("damaged.bib.gz");
    assert_eq!(seen.code, Some(2), "{}", seen.out);
    assert!(seen.err.contains("damaged.bib.gz"), "{}", seen.err);
}

/// Returns the exit code, the sources of rows without repetitions, and the messages.
fn sources(place: &Place, args: &[&str]) -> (Option<i32>, Vec<String>, String) {
    let seen = Seen::of(place.command(["check", "-f", "jsonl"]).args(args));
    let mut sources = shown(&seen.rows(), "source");
    sources.dedup();
    (seen.code, sources, seen.err)
}

#[test]
fn files_below_folders_are_checked_and_others_counted() {
    let place = Place::new();
    place
        .file("d/refs.bib", "@a{k, doi={10.7777/a}}\n")
        .file("d/sub/list.txt", "10.7777/b\n10.7777/c\n")
        .file("d/sub/paper.tex", "See \\url{https://doi.org/10.7777/d}.\n")
        .file("d/table.csv", "id,doi\n1,10.7777/e\n")
        .file("d/picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        .file("d/damaged.bib.gz", &gzip("@a{a, doi={10.7777/f}}\n")[..20]);
    let (code, names, err) = sources(&place, &["d", "--report", "r.json"]);
    assert_eq!(code, Some(2), "a file below it is damaged");
    assert!(err.contains("d/damaged.bib.gz"), "{err}");
    let wanted = [
        "d/refs.bib",
        "d/sub/list.txt",
        "d/sub/paper.tex",
        "d/table.csv",
    ];
    assert_eq!(names, wanted);
    let report = place.json("r.json");
    assert_eq!(report["skipped"]["png"], 1);
    assert_eq!(
        (&report["errors"]["count"], &report["sources"]),
        (&1.into(), &5.into())
    );

    let (code, names, _) = sources(&place, &["d", "--exclude", "*.gz", "--include", "*.bib*"]);
    assert_eq!((code, names), (Some(0), vec!["d/refs.bib".to_owned()]));
    let args = [
        "d",
        "--exclude",
        "*.gz",
        "--column",
        "doi",
        "--report",
        "c.json",
    ];
    let (code, names, _) = sources(&place, &args);
    assert_eq!((code, names), (Some(0), vec!["d/table.csv".to_owned()]));
    assert!(place.json("c.json")["skipped"]["no_column"].as_u64() >= Some(2));
}

#[test]
fn a_fix_below_a_folder_leaves_what_it_cannot_write_back() {
    let place = Place::new();
    let packed = gzip("@a{k, doi={10.7777/a.}}\n");
    place
        .file("d/a.bib", "@a{k, doi={10.7777/b.}}\n")
        .file("d/b.bib.gz", &packed);
    let seen = place.check("d --fix -f jsonl");
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    assert_eq!(seen.field("fixed"), ["true", "false"]);
    assert_eq!(place.read("d/a.bib"), "@a{k, doi={10.7777/b}}\n");
    assert_eq!(place.bytes_of("d/b.bib.gz"), packed);
}

#[test]
fn patterns_that_no_shell_expanded_are_expanded() {
    let place = Place::new();
    let entry = "@a{k, title={x}}\n";
    for name in ["b.bib", "a.bib", "d/c.bib", ".h.bib", "[x]*.ris"] {
        place.file(name, entry);
    }
    let of = |pattern| sources(&place, &[pattern]);
    assert_eq!(of("*.bib").1, ["a.bib", "b.bib"]);
    assert_eq!(of("?.bib").1, ["a.bib", "b.bib"]);
    assert_eq!(of("*/c.bib").1, ["d/c.bib"]);
    // A file of this name comes first.
    assert_eq!(of("[x]*.ris").1, ["[x]*.ris"]);
    let (code, names, err) = of("*.nbib");
    assert_eq!((code, names.len()), (Some(2), 0));
    assert!(err.contains("*.nbib: No such file"), "{err}");
    assert!(err.contains("--include"), "{err}");
}

#[test]
fn what_is_empty_is_null_and_verdicts_are_spelled_as_in_options() {
    let place = Place::new();
    place.file(
        "a.bib",
        "@a{, doi={}}\n@a{l, doi={10.7777/a}}\n@a{m, doi={10.7777/a.}}\n@a{n}\n",
    );
    let seen = place.check("a.bib -f jsonl");
    for (number, row) in seen.rows().iter().enumerate() {
        let empty = row
            .as_object()
            .unwrap()
            .iter()
            .find(|(_, value)| **value == "");
        assert_eq!(empty, None, "row {number}");
    }
    let table = place.check("a.bib").out;
    for (line, verdict) in table.lines().zip(seen.field("verdict")) {
        assert!(line.contains(&format!("  {verdict}")), "{line}");
    }
    let sarif = place.check("a.bib -f sarif --fail-on well_formed").out;
    assert!(sarif.contains("10.7777/a: well_formed"), "{sarif}");
}

#[test]
fn the_table_for_people_has_a_line_for_each_reference() {
    let place = Place::with_index();
    place.file(
        "a.bib",
        "@a{key1, doi={10.5555/known}}\n@a{k2, title={x}}\n",
    );
    let seen = place.check("a.bib --known known.doix --stats --stale-after 36500d");
    let wanted = "a.bib:1:15  key1  known   10.5555/known\na.bib:2:1   k2    no_doi\n";
    assert_eq!(seen.out, wanted);
    let counts = "doisift: references: 2 (known 1, no_doi 1); by known.doix; findings: 0; fixed: 0; skipped: 0; errors: 0;";
    assert!(seen.err.starts_with(counts), "{}", seen.err);
}

#[test]
fn rows_are_csv_and_counts_are_in_the_report() {
    let place = Place::with_index();
    place.file("a.bib", "@a{k, doi={10.5555/known.}}\n");
    let seen = place.check("a.bib --known known.doix -o a.csv --report r.json");
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), ""));
    let wanted = "source,document,line,column,row,key,text,doi,verdict,detail,repair,fixed,accepted,title,authors,year\n\
        a.bib,,1,12,,k,10.5555/known.,10.5555/known,written_wrongly,tail.stop-alone: '.',10.5555/known,false,false,,,\n";
    assert_eq!(place.read("a.csv"), wanted);
    let report = place.json("r.json");
    assert_eq!(report["verdicts"]["written_wrongly"], 1);
    assert_eq!(report["findings"], 1);
    assert_eq!(report["known"]["names"], 11);
}

#[test]
fn sarif_has_a_rule_and_a_region_for_each_finding() {
    let place = Place::with_index();
    place.file(
        "a b.bib",
        "@a{k, title={\u{e9}}, doi={10.5555/retracted}}\n@a{l, doi={10.5555/known}}\n@a{m}\n",
    );
    let seen =
        Seen::of(&mut place.command(["check", "a b.bib", "--known", "known.doix", "-f", "sarif"]));
    let log: Value = serde_json::from_str(&seen.out).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "doisift");
    let rules: Vec<_> = driver["rules"].as_array().unwrap().iter().collect();
    let results: Vec<_> = run["results"].as_array().unwrap().iter().collect();
    assert_eq!(results.len(), 2);
    for result in &results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
        assert!(result["message"]["text"].is_string());
    }
    let first = &results[0];
    assert_eq!(
        (&first["ruleId"], &first["level"]),
        (&"retracted".into(), &"error".into())
    );
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b.bib");
    let region = &place["region"];
    assert_eq!(region["startLine"], 1);
    assert_eq!(region["startColumn"], 23);
    assert_eq!(region["endColumn"], 40);
    assert_eq!(results[1]["level"], "note");
}

/// Returns the bytes of a file after `--fix`, and whether each row was fixed.
fn fixed(name: &str, before: &[u8], known: bool) -> (Vec<u8>, Vec<bool>) {
    let place = Place::with_index();
    place.file(name, before);
    let known = if known { "--known known.doix" } else { "" };
    let seen = place.check(&format!("{name} --fix -f jsonl {known}"));
    let flags = seen.rows().iter().map(|row| row["fixed"] == true).collect();
    let names = ["known.doix", "names.txt", "works.jsonl", name].map(str::to_owned);
    let mut entries = place.entries();
    entries.retain(|entry| !names.contains(entry));
    assert!(entries.is_empty(), "{entries:?}");
    (place.bytes_of(name), flags)
}

#[test]
fn a_fix_changes_the_name_and_no_other_byte() {
    let bib: &[u8] = b"\xef\xbb\xbf% caf\xc3\xa9\r\n@a{k, title = {\tx },\r\n  DOI = \"10.5555/known.\" }\r\n@a{l,doi={10.5555/unknown7.}}";
    let latin1: &[u8] = b"@a{k, title={caf\xe9}, doi = {http://dx.doi.org/10.5555/known.}}\r\n";
    for (name, before, from, to) in [
        ("a.bib", bib, "10.5555/known.", "10.5555/known"),
        ("b.bib", latin1, "http://dx.doi.org/10.5555/known.", "10.5555/known"),
        ("c.bib", b"@a{k, doi = {10.1371/journa.pone.0000217}}\n", "journa.", "journal."),
        ("a.ris", b"TY  - JOUR\r\nDO  - 10.5555/known. \r\nER  - \r\n", "known.", "known"),
        ("a.nbib", b"PMID- 1\nLID - 10.5555/known. [doi]\n", "known.", "known"),
        ("a.enw", b"%0 Book\n%R 10.5555/known.\n", "known.", "known"),
        ("a.json", b"[ {\"id\":1,\"type\":\"book\", \"DOI\":\"10.5555\\/known.\"} ]", "known.", "known"),
        ("a.xml", b"<xml><records><record><electronic-resource-num>10.5555/known.</electronic-resource-num></record></records></xml>", "known.", "known"),
        ("a.txt", b"10.5555/known.\r\n\r\n10.5555/two", "known.", "known"),
    ] {
        let (after, flags) = fixed(name, before, true);
        let at = memchr::memmem::find(before, from.as_bytes()).unwrap();
        let wanted = [&before[..at], to.as_bytes(), &before[at + from.len()..]].concat();
        assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy(&wanted), "{name}");
        assert_eq!(after, wanted, "{name}");
        assert!(flags[0], "{name}");
    }
}

#[test]
fn utf_16_is_written_back_as_such() {
    let units = |text: &str| -> Vec<u8> {
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        units
            .collect::<Vec<_>>()
            .into_iter()
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    let (after, _) = fixed(
        "a.bib",
        &units("@a{\u{e9}, doi={10.5555/known.}}\r\n"),
        true,
    );
    assert_eq!(after, units("@a{\u{e9}, doi={10.5555/known}}\r\n"));
}

#[test]
fn with_an_index_only_repairs_with_a_known_result_are_written() {
    let unknown: &[u8] = b"@a{k, doi = {10.5555/a12/full}}\n@a{l, doi = {10.5555/b12.}}\n@a{m, doi = {10.5555/b12...}}\n";
    let (after, flags) = fixed("a.bib", unknown, false);
    let wanted =
        "@a{k, doi = {10.5555/a12}}\n@a{l, doi = {10.5555/b12}}\n@a{m, doi = {10.5555/b12...}}\n";
    assert_eq!(String::from_utf8(after).unwrap(), wanted);
    assert_eq!(flags, [true, true, false]);
    let (after, flags) = fixed("a.bib", unknown, true);
    assert_eq!(after, unknown);
    assert_eq!(flags, [false; 3]);
}

#[test]
fn a_fixed_name_is_no_finding_and_a_second_fix_changes_nothing() {
    let place = Place::with_index();
    place.file("a.bib", "@a{k, doi = {10.5555/known.}}\n");
    assert_eq!(place.check("a.bib --known known.doix").code, Some(1));
    assert_eq!(place.check("a.bib --known known.doix --fix").code, Some(0));
    let once = place.bytes_of("a.bib");
    let seen = place.check("a.bib --known known.doix --fix -f jsonl");
    assert_eq!(
        (seen.code, seen.field("verdict")),
        (Some(0), vec!["known".to_owned()])
    );
    assert_eq!(place.bytes_of("a.bib"), once);
}

#[test]
fn what_cannot_be_written_back_is_refused_and_stays() {
    let place = Place::new();
    let packed = gzip("@a{k, doi = {10.5555/a1.}}\n");
    place.file("a.bib.gz", &packed);
    let seen = place.check("a.bib.gz --fix");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("--fix cannot write back"), "{}", seen.err);
    assert_eq!(place.bytes_of("a.bib.gz"), packed);
    place.file("t.csv", "doi\n10.5555/a1.\n");
    let seen = place.check("t.csv --column doi --fix");
    assert!(seen.err.contains("normalize --column"), "{}", seen.err);
    let seen = place.check("- --fix");
    assert!(seen.err.contains("standard input"), "{}", seen.err);
}

#[test]
fn a_failed_run_fixes_no_file() {
    let place = Place::new();
    let text = "@a{k, doi = {10.5555/a1.}}\n";
    place.file("a.bib", text);
    let seen = place.check("a.bib missing.bib --fix");
    assert_eq!(seen.code, Some(2));
    assert_eq!(
        (place.read("a.bib").as_str(), place.entries()),
        (text, vec!["a.bib".to_owned()])
    );
}

#[test]
fn a_link_and_permissions_outlive_a_fix() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    place.file("real.bib", "@a{k, doi = {10.5555/a1.}}\n");
    fs::set_permissions(place.path("real.bib"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.bib", place.path("a.bib")).unwrap();
    assert_eq!(place.check("a.bib --fix").code, Some(0));
    assert_eq!(place.read("real.bib"), "@a{k, doi = {10.5555/a1}}\n");
    assert!(
        fs::symlink_metadata(place.path("a.bib"))
            .unwrap()
            .is_symlink()
    );
    let mode = fs::metadata(place.path("real.bib"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn names_that_are_reserved_for_tests_or_fill_templates_are_findings() {
    let place = Place::with_index();
    let names = [
        "10.5072/zenodo.1234",
        "10.5555/3295222.3295349",
        "10.1145/1122445.1122456",
        "10.1145/nnnnnnn.nnnnnnn",
        "10.1145/XXXXXXX.XXXXXXX",
        "10.1371/journal.pone.0000217",
    ];
    let entry = |name: &&str| format!("@misc{{k, doi = {{{name}}}}}\n");
    place.file("a.bib", names.iter().map(entry).collect::<String>());
    let seen = place.check("a.bib -f jsonl");
    assert_eq!(seen.code, Some(1));
    let mut wanted = vec!["placeholder"; 5];
    wanted.push("well_formed");
    assert_eq!(seen.field("verdict"), wanted);
    // The index knows a name for tests.
    place.file("b.bib", "@misc{k, doi = {10.5555/known}}\n");
    assert_eq!(shown(&place.checked("b.bib"), "verdict"), ["known"]);
}

#[test]
fn two_entries_with_one_name_are_a_finding_also_across_files() {
    let place = Place::new();
    place
        .file(
            "a.bib",
            "@misc{a, doi = {10.1000/X1}}\n@misc{b, doi = {10.1000/x2}}\n@misc{c, url = {https://doi.org/10.1000/x1}}\n",
        )
        .file("b.ris", "TY  - JOUR\nDO  - 10.1000/x2\nER  - \n")
        .file("c.txt", "10.1000/x1\n10.1000/x1\n");
    let seen = place.check("a.bib b.ris c.txt -f jsonl --report r.json");
    assert_eq!(seen.code, Some(1));
    let wanted = [
        "well_formed,null",
        "well_formed,null",
        "duplicate,the same name as a.bib:1",
        "duplicate,the same name as a.bib:2",
        "well_formed,null",
        "well_formed,null",
    ];
    assert_eq!(shown(&seen.rows(), "verdict,detail"), wanted);
    assert_eq!(place.json("r.json")["not_compared"], 0);
}

#[test]
fn threads_change_no_row_and_no_count() {
    let place = Place::new();
    fs::create_dir_all(place.path("refs/deep")).unwrap();
    for number in 0..60 {
        let entries: String = (0..number * 7 % 90)
            .map(|entry| {
                format!(
                    "@misc{{k{number}_{entry},\n doi = {{10.5555/{}.}}\n}}\n",
                    entry % 13
                )
            })
            .collect();
        place.file(format!("refs/deep/{number:02}.bib"), entries);
        place.file(
            format!("refs/{number:02}.txt"),
            format!("See 10.5555/{number} and 10.5555/x.\n"),
        );
    }
    let long = "@misc{long, doi = {10.5555/long}}\n".repeat(40_000);
    place.file("refs/long.bib", &long);
    place.file("refs/packed.bib.gz", gzip(long.as_bytes()));
    place.file("refs/damaged.gz", &gzip(long.as_bytes())[..200]);
    place.file("named.bib", "@misc{n, doi = {10.5555/n}}\n");
    let run = |options: &str| {
        let line = format!("named.bib refs refs/long.bib -f csv --report report.json {options}");
        let seen = place.check(&line);
        let mut report: Value = serde_json::from_slice(&place.bytes_of("report.json")).unwrap();
        for member in ["seconds", "options", "started", "memory"] {
            report.as_object_mut().unwrap().remove(member);
        }
        (seen.code, seen.out, seen.err, report.to_string())
    };
    let one = run("-j 1");
    assert_eq!(one.0, Some(2));
    assert!(
        one.1.lines().count() > 120_000 && one.3.contains("\"errors\":{\"count\":1"),
        "{}",
        one.3
    );
    for options in ["-j 2", "-j 7", "-j 3 --memory 64M", "-j 9 --memory 1M"] {
        assert_eq!(run(options), one, "{options}");
    }
    // A source that was named and fails ends the run after the rows before it.
    let fails = |threads| {
        let seen = place.check(&format!(
            "refs/00.txt refs/damaged.gz refs/01.txt -f csv -j {threads}"
        ));
        (seen.code, seen.out, seen.err)
    };
    assert_eq!(fails(4), fails(1));
}

#[test]
fn rows_in_shards_parts_and_parquet_are_the_rows_of_one_file() {
    let place = Place::new();
    fs::create_dir_all(place.path("refs")).unwrap();
    for number in 0..40 {
        let entry = format!("@misc{{k{number}, doi = {{10.5555/{number}.}}}}\n");
        place.file(format!("refs/{number:02}.bib"), entry.repeat(50));
    }
    let names = |seen: Seen| {
        assert_eq!(seen.code, Some(0), "{}", seen.err);
        seen.out
    };
    let whole = names(place.check("refs -f csv --fail-on none"));
    // The parts of all shards are the rows, and no shard has those of another.
    let mut rows: Vec<String> = Vec::new();
    for shard in 0..3 {
        let folder = format!("parts{shard}/");
        let line =
            format!("refs -o {folder} -f csv --part-size 4K --shard {shard}/3 --fail-on none");
        assert_eq!(names(place.check(&line)), "");
        let mut parts: Vec<_> = fs::read_dir(place.path(&folder))
            .unwrap()
            .map(|part| part.unwrap().path())
            .filter(|part| part.extension().is_some_and(|ending| ending == "csv"))
            .collect();
        parts.sort();
        assert!(parts.len() > 1);
        let manifest: Value =
            serde_json::from_slice(&place.bytes_of(&format!("{folder}_manifest.json"))).unwrap();
        assert_eq!(manifest["rows"], "references");
        for part in parts {
            let text = fs::read_to_string(part).unwrap();
            rows.extend(text.lines().skip(1).map(str::to_owned));
        }
    }
    let mut wanted: Vec<&str> = whole.lines().skip(1).collect();
    wanted.sort_unstable();
    rows.sort_unstable();
    assert_eq!(rows, wanted);

    // Parquet has the same names as the rows.
    names(place.check("refs -o refs.parquet --fail-on none"));
    let read = |line: &str| Seen::of(place.command(["scan"]).args(line.split_whitespace()));
    let parquet = read("refs.parquet --columns doi -f names");
    place.file("rows.csv", &whole);
    assert_eq!(parquet.out, read("rows.csv --columns doi -f names").out);
    let refused = place.check("refs -o other/ -f sarif");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("folder"), "{}", refused.err);
}
