//! Scans that ask an index of known names.

use crate::place::{Place, Seen};

const WORKS: &str = r#"{"DOI":"10.5555/good"}
{"DOI":"10.5555/bad","updated-by":[{"DOI":"10.5555/notice","type":"retraction","source":"publisher"}]}
"#;
const MORE: &str = r#"{"DOI":"10.5555/also,bad"}
{"DOI":"10.5555/notice","update-to":[{"DOI":"10.5555/also,bad","type":"withdrawal"}]}
{"DOI":"10.5555/corrected","updated-by":[{"DOI":"10.5555/notice","type":"correction"}]}
{"DOI":"10.5555/doubted","updated-by":[{"DOI":"10.5555/notice","type":"expression_of_concern"}]}
"#;
const DATACITE: &str = "doi,state,client_id,updated\n10.5072/data,findable,x.y,2026\n";
const WATCH: &str = "Record ID,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature\n\
    1,3/9/2026 0:00,unavailable,10.7777/watched,Retraction\n\
    2,3/9/2026 0:00,unavailable,10.5555/missed,Retraction\n";

/// Names of all kinds, each with the answer of the index of `all_kinds`: known, agency, retracted.
const KINDS: [(&str, &str); 9] = [
    ("10.5072/data", "true,datacite,false"),
    ("10.5555/also,bad", "true,crossref,true"),
    ("10.5555/bad", "true,crossref,true"),
    ("10.5555/corrected", "true,crossref,false"),
    ("10.5555/doubted", "true,crossref,false"),
    ("10.5555/missed", "false,,true"),
    ("10.5555/none", "false,,false"),
    ("10.7777/other", ",,"),
    ("10.7777/watched", ",,true"),
];

impl Place {
    /// Writes a source and builds an index of it.
    fn index_of(&self, source: &str, content: &str, options: &str) -> &Place {
        self.file(source, content);
        let mut command = self.command(["index", source]);
        Seen::of(command.args(options.split_whitespace())).quiet();
        self
    }
}

/// Creates some texts and an index `k.doix`.
fn place() -> Place {
    let place = Place::new();
    place.index_of("works.jsonl", WORKS, "--date 2026-03-09 -o k.doix");
    place.file(
        "in/a",
        "10.5555/good 10.5555/bad 10.5555/none 10.7777/other",
    );
    place
}

#[test]
fn the_report_says_which_index_was_asked() {
    let place = place();
    place
        .scan("in --known k.doix -o out.csv --report r.json")
        .quiet();
    let known = &place.json("r.json")["known"];
    assert_eq!(known["names"], 2);
    let source = serde_json::json!(
        {"name": "works.jsonl", "agency": "crossref", "date": "2026-03-09", "names": 2}
    );
    assert_eq!(known["sources"][0], source);
    place.scan("in -o out.csv --report r.json").quiet();
    assert!(place.json("r.json").get("known").is_none());
}

#[test]
fn an_index_that_cannot_be_read_stops_the_run_and_is_named() {
    let place = place();
    place.file("foreign.doix", "no index, but a text that is long enough");
    let whole = std::fs::read(place.path("k.doix")).unwrap();
    place.file("cut.doix", &whole[..whole.len() - 9]);
    for (file, reason) in [
        ("none.doix", "No such file"),
        ("foreign.doix", "this is not an index"),
        ("cut.doix", "cut or damaged"),
    ] {
        for task in [
            "scan in -o out.csv",
            "normalize in/a --column 1 --no-header -o out.csv",
        ] {
            let mut command = place.command(task.split_whitespace());
            let seen = Seen::of(command.args(["--known", file]));
            assert_eq!(seen.code, Some(2), "{file}: {}", seen.err);
            assert!(
                seen.err.contains(file) && seen.err.contains(reason),
                "{}",
                seen.err
            );
            assert!(!place.path("out.csv").exists());
        }
    }
}

#[test]
fn an_output_must_not_overwrite_the_index() {
    let place = place();
    let before = std::fs::read(place.path("k.doix")).unwrap();
    let seen = place.scan("in --known k.doix -f csv -o ./k.doix");
    assert_eq!(seen.code, Some(2), "{}", seen.err);
    assert!(seen.err.contains("k.doix"), "{}", seen.err);
    assert_eq!(std::fs::read(place.path("k.doix")).unwrap(), before);
}

#[test]
fn a_run_is_resumed_with_an_index_of_the_same_content_only() {
    let place = place();
    place.index_of("more.jsonl", r#"{"DOI":"10.5555/more"}"#, "-o other.doix");
    std::fs::copy(place.path("k.doix"), place.path("copy.doix")).unwrap();
    place.file("in/b.gz", crate::place::gzip("10.5555/mended"));
    let wanted = place.scan("in --known k.doix -f csv").quiet().out;
    let packed = crate::place::gzip(crate::place::names(100));
    place.file("in/b.gz", &packed[..packed.len() / 2]);
    let scan = "in -o out.csv --checkpoint ck --checkpoint-interval 0";
    let broken = place.scan(&format!("{scan} --known k.doix --on-error fail"));
    assert_eq!(broken.code, Some(2), "{}", broken.err);
    place.file("in/b.gz", crate::place::gzip("10.5555/mended"));
    for other in ["", "--known other.doix"] {
        let seen = place.scan(&format!("{scan} {other}"));
        assert_eq!(seen.code, Some(2), "{}", seen.err);
        let then = "known was an index of 2 names";
        assert!(seen.err.contains(then), "{}", seen.err);
    }
    place.scan(&format!("{scan} --known copy.doix")).quiet();
    assert_eq!(place.read("out.csv"), wanted);
}

/// Creates a text with names of all kinds, and an index `k.doix`.
fn all_kinds() -> Place {
    let place = Place::new();
    place
        .file("works.jsonl", format!("{WORKS}{MORE}"))
        .file("data.csv", DATACITE)
        .file("watch.csv", WATCH);
    let sources = "works.jsonl data.csv watch.csv -o k.doix";
    Seen::of(place.command(["index"]).args(sources.split_whitespace())).quiet();
    let mut names = KINDS.map(|(name, _)| format!("<a href=\"https://doi.org/{name}\">x</a>\n"));
    names.reverse();
    place.file("in/a.html", names.concat());
    place
}

/// Returns the rows for `all_kinds` in the order of names. Names with commas are quoted.
fn wanted() -> String {
    let quoted = |name: &str| match name.contains(',') {
        true => format!("\"{name}\""),
        false => name.to_owned(),
    };
    let rows = KINDS.map(|(name, said)| format!("{},{said}\n", quoted(name)));
    format!("doi,known,agency,retracted\n{}", rows.concat())
}

#[test]
fn rows_say_what_the_index_says_of_their_names() {
    let place = all_kinds();
    let fields = "--fields doi,known,agency,retracted -f csv";
    let records = place
        .scan(&format!("in --known k.doix {fields}"))
        .quiet()
        .out;
    assert_eq!(records, wanted());
    {
        place.scan("in --known k.doix -o all.parquet").quiet();
        let merged = place.merge(&format!("all.parquet {fields}"));
        assert_eq!(merged.quiet().out, wanted());
    }
    for rows in ["--mentions", "--edges"] {
        let out = place
            .scan(&format!("in --known k.doix {rows} {fields}"))
            .quiet()
            .out;
        let mut lines: Vec<_> = out.lines().collect();
        lines[1..].reverse();
        assert_eq!(lines, wanted().lines().collect::<Vec<_>>(), "{rows}");
    }
    let out = place.scan("in/a.html --known k.doix -f jsonl").quiet().out;
    let watched = out.lines().last().unwrap();
    let end = r#""check_digit":null,"known":null,"agency":null,"retracted":true}"#;
    assert!(watched.ends_with(end), "{watched}");
    let header = place
        .scan("in --known k.doix --mentions --context 3 -f csv")
        .quiet()
        .out;
    let end = "guessed,check_digit,before,after,known,agency,retracted\n";
    assert!(header.split_inclusive('\n').next().unwrap().ends_with(end));
}

#[test]
fn rows_without_these_fields_are_as_without_the_index() {
    let place = all_kinds();
    for options in [
        "-f names",
        "--mentions -f names",
        "--pairs",
        "--count",
        "--top-prefixes 3",
    ] {
        let with = place
            .scan(&format!("in {options} --known k.doix"))
            .quiet()
            .out;
        assert_eq!(
            with,
            place.scan(&format!("in {options}")).quiet().out,
            "{options}"
        );
    }
}

#[test]
fn the_report_counts_what_the_index_says_of_rows() {
    let place = all_kinds();
    for rows in ["", "--mentions", "--fields doi,retracted"] {
        place
            .scan(&format!(
                "in --known k.doix {rows} -o o.csv --report r.json"
            ))
            .quiet();
        let counts = serde_json::json!({"known": 5, "unknown": 2, "untold": 2, "retracted": 4});
        assert_eq!(place.json("r.json")["known"]["rows"], counts, "{rows}");
    }
    place
        .scan("in --known k.doix --count -o o.csv --report r.json")
        .quiet();
    assert!(place.json("r.json")["known"].get("rows").is_none());
}

#[test]
fn fields_of_an_index_need_one() {
    let place = all_kinds();
    let seen = place.scan("in --fields doi,retracted");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("need an index, such as --known"),
        "{}",
        seen.err
    );
}

/// Creates many names. The index has every other one.
fn many() -> Place {
    let place = Place::new();
    let names: String = (0..30_000)
        .map(|n| format!("10.5555/{:07}\n", n * 7919 % 100_003))
        .collect();
    let half: String = names
        .lines()
        .step_by(2)
        .map(|name| format!("{name}\n"))
        .collect();
    place.index_of("list.txt", &half, "--agency medra -o k.doix");
    for (number, part) in names.lines().collect::<Vec<_>>().chunks(5000).enumerate() {
        place.file(format!("in/{number}.txt"), part.join(" \n"));
    }
    place
}

#[test]
fn threads_memory_and_shards_change_no_byte() {
    let place = many();
    let wanted = place.scan("in --known k.doix -f csv -j1").quiet().out;
    assert_eq!(wanted.matches(",true,medra,false\n").count(), 15_000);
    assert_eq!(wanted.matches(",false,,false\n").count(), 15_000);
    for options in [
        "-j2",
        "-j3 --chunk 70000",
        "-j2 --memory 1M",
        "-j1 --memory 1M",
    ] {
        let seen = place.scan(&format!(
            "in --known k.doix -f csv {options} --report r.json -o o.csv"
        ));
        seen.quiet();
        assert!(place.read("o.csv") == wanted, "{options}");
        let runs = place.json("r.json")["runs"].as_u64();
        assert_eq!(runs > Some(0), options.contains("1M"), "{options}");
    }
    let endings = ["csv", "tsv.gz", "jsonl", "parquet"];
    for ending in endings {
        for shard in 0..2 {
            place
                .scan(&format!(
                    "in --known k.doix --shard {shard}/2 -o {shard}.{ending}"
                ))
                .quiet();
        }
        let merged = place
            .merge(&format!("1.{ending} 0.{ending} -f csv"))
            .quiet()
            .out;
        assert!(merged == wanted, "{ending}");
    }
    let mentions = place
        .scan("in --mentions --known k.doix -f csv -j1")
        .quiet()
        .out;
    assert!(
        place
            .scan("in --mentions --known k.doix -f csv -j3")
            .quiet()
            .out
            == mentions
    );
}

#[test]
fn a_merge_keeps_what_indexes_say_if_all_inputs_have_it() {
    let place = all_kinds();
    place.file("in/b.txt", "10.5555/good 10.5555/new");
    place.index_of("new.txt", "10.5555/new\n10.7777/other\n", "-o new.doix");
    place.scan("in/a.html --known k.doix -o a.csv").quiet();
    place
        .scan("in/a.html in/b.txt --known new.doix -o b.csv")
        .quiet();
    place.scan("in/b.txt -o c.jsonl").quiet();
    // A name that one of two indexes knows is known.
    let both = place
        .merge("b.csv a.csv -f csv --fields doi,known,agency,retracted")
        .quiet()
        .out;
    let both: Vec<_> = both
        .lines()
        .filter(|line| line.contains("/other") || line.contains("/bad"))
        .collect();
    assert_eq!(
        both,
        [
            "10.5555/bad,true,crossref,true",
            "10.7777/other,true,,false"
        ]
    );
    for inputs in ["a.csv c.jsonl", "c.jsonl a.csv"] {
        let seen = place.merge(&format!("{inputs} -o o.csv"));
        assert_eq!(seen.code, Some(2));
        assert!(
            seen.err
                .contains("c.jsonl: the fields known, agency and retracted are missing"),
            "{}",
            seen.err
        );
        assert!(!place.path("o.csv").exists());
        place.merge(&format!("{inputs} -f names")).quiet();
        place
            .merge(&format!("{inputs} -f csv --fields doi,mentions"))
            .quiet();
    }
    let seen = place.merge("c.jsonl -f csv --fields doi,known");
    assert!(
        seen.err
            .contains("c.jsonl: the fields known, agency and retracted are missing"),
        "{}",
        seen.err
    );
    place.scan("in/b.txt --known k.doix -o d.jsonl").quiet();
    place.file(
        "mixed.jsonl",
        place.read("d.jsonl") + &place.read("c.jsonl"),
    );
    let seen = place.merge("mixed.jsonl -f csv");
    assert!(
        seen.err.contains("must be in all rows or in none"),
        "{}",
        seen.err
    );
}

#[test]
fn a_part_of_the_index_that_is_damaged_stops_the_run() {
    let place = all_kinds();
    let mut bytes = std::fs::read(place.path("k.doix")).unwrap();
    bytes[20] ^= 1;
    place.file("flipped.doix", bytes);
    for rows in ["", "--mentions"] {
        let seen = place.scan(&format!("in --known flipped.doix {rows} -o o.csv"));
        assert_eq!(seen.code, Some(2), "{}", seen.err);
        assert!(
            seen.err
                .contains("flipped.doix, section names: the file is cut or damaged"),
            "{}",
            seen.err
        );
        assert!(!place.path("o.csv").exists());
    }
}

#[test]
fn names_end_where_the_index_knows_an_end() {
    let place = place();
    place.index_of(
        "list.txt",
        "10.5555/ab1\n10.5555/j.cd.2-x\n",
        "-o ends.doix",
    );
    place.file("in/a", "see 10.5555/ab1.pdf, doi:10.5555/j.cd.2- x");
    for threads in ["-j1", "-j2"] {
        let scan = format!("in -f names --known ends.doix --report r.json {threads}");
        let names = place.scan(&scan).quiet();
        assert_eq!(names.out, "10.5555/ab1\n10.5555/j.cd.2-x\n");
        assert_eq!(place.json("r.json")["known"]["ends_changed"], 2);
    }
    let names = place.scan("in -f names");
    assert_eq!(names.out, "10.5555/ab1.pdf\n10.5555/j.cd.2\n");
}

#[test]
fn an_index_that_is_damaged_where_a_scan_asks_it_stops_the_run() {
    let place = place();
    let mut index = std::fs::read(place.path("k.doix")).unwrap();
    // In the head of the first block of names.
    index[24] ^= 1;
    place.file("damaged.doix", &index);
    place.file("in/a", "see 10.5555/good.pdf");
    let seen = place.scan("in --known damaged.doix -o out.csv");
    assert_eq!(seen.code, Some(2), "{}", seen.err);
    assert!(seen.err.contains("damaged.doix"), "{}", seen.err);
    assert!(!place.path("out.csv").exists());
}

#[test]
fn a_cleaned_name_counts_only_if_it_is_known() {
    let place = place();
    let known = "10.5555/ab1\n10.5555/cd2\n10.5555/cd2/full\n10.5555/ef3.x\n";
    place.index_of("list.txt", known, "-o ends.doix");
    let cells = [
        ("10.5555/ab1", "10.5555/ab1,unchanged,"),
        ("10.5555/no9", "10.5555/no9,unchanged,"),
        (
            "10.5555/ab1/full",
            "10.5555/ab1,cleaned,tail.page-word: '/full'; the name is known",
        ),
        (
            "10.5555/no9/full",
            "10.5555/no9/full,unchanged,\"not read as 10.5555/no9, which is not known\"",
        ),
        (
            "10.5555/no9 (2006)",
            ",refused,\"10.5555/no9 would be left, which is not known\"",
        ),
        ("10.5555/cd2/full", "10.5555/cd2/full,unchanged,"),
        (
            "10.5555/cd2/full (2006)",
            ",refused,10.5555/cd2 and 10.5555/cd2/full are known; either may be meant",
        ),
        (
            "doi:10.5555/ef3. x",
            "10.5555/ef3.x,cleaned,dirt.break: ' '; the name is known",
        ),
        ("10.5555/ab1.pdf", "10.5555/ab1,cleaned,the name is known"),
        ("10.5555/no9.pdf", "10.5555/no9.pdf,unchanged,"),
    ];
    let texts = cells.map(|(cell, _)| format!("{cell}\n")).concat();
    place.file("cited.csv", format!("cited\n{texts}"));
    let task = "normalize cited.csv --column 1 --clean --known ends.doix -q";
    let seen = Seen::of(&mut place.command(task.split(' ')));
    for ((cell, wanted), row) in cells.iter().zip(seen.out.lines().skip(1)) {
        assert_eq!(row, format!("{cell},{wanted}"));
    }
    let mut texts = place.command("normalize --clean --known ends.doix".split(' '));
    let seen = Seen::of(texts.args(["10.5555/ab1/full", "10.5555/no9 (2006)"]));
    assert_eq!(seen.out, "10.5555/ab1\n\n");
    let reason = "10.5555/no9 would be left";
    assert!(seen.err.contains(reason), "{}", seen.err);
}

#[test]
fn explain_shows_what_the_index_says() {
    let place = place();
    let explained = |text: &str| {
        let mut command = place.command(["explain", "--known", "k.doix"]);
        Seen::of(command.arg(text)).quiet().out
    };
    let seen = explained("see 10.5555/good1.pdf");
    let unknown = "known     no name that could be meant is known";
    assert!(seen.contains(unknown), "{seen}");
    let seen = explained("see 10.5555/good.pdf");
    assert!(seen.contains("found: 10.5555/good\n"), "{seen}");
    assert!(
        seen.contains("known     \"10.5555/good\" is known"),
        "{seen}"
    );
}
