//! Selection of rows and fields.

use crate::place::{Place, Seen, gzip};

impl Place {
    /// Runs `doisift` with `line` split at blanks.
    fn run(&self, line: &str) -> Seen {
        Seen::of(&mut self.command(line.split_whitespace()))
    }

    /// Creates two plain files and a packed one, with names that repeat.
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
    let records = "the fields of records are doi, mentions, documents, sources, forms, first_source, first_document, first_offset, \
                   first_text, guessed, check_digit, known, agency, retracted\n";
    let mentions = "the fields of mentions are doi, form, source, document, offset, length, text, guessed, check_digit";
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
    let all = "guessed,first_text,first_offset,first_document,first_source,forms,sources,documents,mentions,doi";
    let endings = ["csv", "tsv", "jsonl", "parquet"];
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

#[test]
fn the_text_around_a_mention_is_the_same_for_every_chunk_and_thread() {
    let place = Place::new();
    let mut text = String::new();
    for number in 0..3_000 {
        text +=
            &format!("été {number}\t<b>doi:10.5555/Name-{number}</b>,\r\n\r\n日本語 \u{1b}x.\n");
    }
    place
        .file("in/a.txt", &text)
        .file("in/b.gz", gzip(&text))
        .file("in/c.txt", "10.5555/short");
    for context in [1, 40, 1024] {
        for lines in ["", "--lines"] {
            let scan = |more: &str| {
                let line = format!("scan in --mentions --context {context} {lines} {more}");
                place.run(&line).quiet().out
            };
            let whole = scan("-j 1");
            assert_eq!(whole.lines().count(), 6_001);
            for more in ["-j 1 --chunk 4999", "-j 2 --chunk 4999", "-j 4 --memory 1M"] {
                assert!(scan(more) == whole, "{context} {lines} {more}");
            }
        }
    }
    let seen = place
        .run("scan in/a.txt --mentions --context 20 --fields before,after")
        .quiet();
    assert_eq!(seen.field("before")[7], " x. été 7 <b>doi:");
    assert_eq!(seen.field("after")[7], "</b>, 日本語 ");
    let seen = place
        .run("scan in/a.txt --mentions --context 30 --lines --fields before,after")
        .quiet();
    assert_eq!(seen.field("before")[7], "été 7 <b>doi:");
    assert_eq!(seen.field("after")[7], "</b>, ");
    let header = place
        .run("scan in --mentions --context 3 -f csv")
        .quiet()
        .out;
    let header = header.lines().next().unwrap();
    assert_eq!(
        header,
        "doi,form,source,document,offset,length,text,guessed,check_digit,before,after"
    );
}

#[test]
fn a_context_that_no_row_could_have_is_refused() {
    let place = Place::with_texts();
    for (line, why) in [
        ("--context 10", "only mentions have text around them"),
        (
            "--mentions -f names --context 10",
            "only mentions have text",
        ),
        ("--mentions --context 1025", "at most 1024 bytes"),
        (
            "--mentions --context 9 --fields doi",
            "in the fields before and after",
        ),
        (
            "--mentions --fields doi,after",
            "need a number of bytes, such as --context 100",
        ),
    ] {
        let seen = place.run(&format!("scan in {line}"));
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""));
        assert!(seen.err.contains(why), "{}", seen.err);
    }
}

/// Returns a WARC record with more header lines.
fn warc(more: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/\r\n{more}Content-Length: {}\r\n\r\n",
        content.len()
    );
    [head.as_bytes(), content, b"\r\n\r\n"].concat()
}

#[test]
fn mentions_in_warc_files_have_the_id_and_the_date_of_their_record() {
    let place = Place::new();
    let ids = "WARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n";
    let long = format!("WARC-Record-ID: <urn:{}>\r\n", "x".repeat(300));
    place.file(
        "a.warc",
        [
            warc(ids, b"10.5555/a 10.5555/b "),
            warc(ids, &gzip("10.5555/c ")),
            warc("WARC-Date: 2027\r\n", b"10.5555/d "),
            warc(&long, b"10.5555/e "),
        ]
        .concat(),
    );
    place.file("b.txt", "10.5555/f ");
    let seen = place
        .run("scan a.warc b.txt --mentions --fields doi,record_id,date --on-error fail")
        .quiet();
    let rows = [
        ["10.5555/a", "urn:uuid:1", "2026-01-02T03:04:05Z"],
        ["10.5555/b", "urn:uuid:1", "2026-01-02T03:04:05Z"],
        ["10.5555/c", "urn:uuid:1", "2026-01-02T03:04:05Z"],
        ["10.5555/d", "null", "2027"],
        ["10.5555/e", "null", "null"],
        ["10.5555/f", "null", "null"],
    ];
    for (at, field) in ["doi", "record_id", "date"].into_iter().enumerate() {
        let column = rows.map(|row| row[at]);
        assert_eq!(seen.field(field), column);
    }
    for more in ["-j 1", "--lines"] {
        let again = place
            .run(&format!(
                "scan a.warc b.txt --mentions --fields doi,record_id,date {more}"
            ))
            .quiet();
        assert_eq!(again.out, seen.out);
    }
    let seen = place.run("scan a.warc --fields date");
    assert_eq!(seen.code, Some(2));
}

#[test]
fn standard_input_has_the_name_that_it_is_given() {
    let place = Place::with_texts();
    place.file("-", "10.5555/dash ");
    let text = b"10.5555/x and 10.5555/a ";
    let seen = place.scan_stdin(
        "- in --mentions --source-name in/b --fields source,doi",
        text,
    );
    let seen = seen.quiet();
    assert_eq!(seen.field("source")[3..6], ["in/b", "in/b", "in/b.txt"]);
    let seen = place.scan_stdin("--mentions --source-name out.csv -o out.csv", text);
    seen.quiet();
    assert!(place.read("out.csv").contains("10.5555/x,bare,out.csv,,0,"));
    // The name determines the shard.
    place.file("n", text);
    place.file("other", "10.5555/other ");
    for shard in ["0/2", "1/2"] {
        let named = place.scan_stdin(&format!("- other --shard {shard} --source-name n"), text);
        let file = place.run(&format!("scan n other --shard {shard}"));
        assert_eq!(named.quiet().out, file.quiet().out);
    }
    let seen = place.scan_stdin("- in/b.txt --source-name in/b.txt", text);
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("is also the name of another source"),
        "{}",
        seen.err
    );
    let seen = place.run("scan in --source-name x");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("which is not a source"), "{}", seen.err);
    let seen = place.scan_stdin("--source-name x --checkpoint c -o o.csv", text);
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("can be read only once"), "{}", seen.err);
}

#[test]
fn names_are_kept_or_left_out_by_their_whole_prefix() {
    let place = Place::with_texts();
    let names = |options: &str| {
        let seen = place
            .run(&format!("scan in -f names --report r.json {options}"))
            .quiet();
        let report = place.json("r.json");
        let count = |name: &str| report[name].as_u64().unwrap();
        let rejected: u64 = report["rejections"]
            .as_object()
            .unwrap()
            .values()
            .map(|count| count.as_u64().unwrap())
            .sum();
        assert_eq!(
            count("candidates"),
            count("mentions") + count("filtered") + rejected
        );
        let names: Vec<String> = seen.out.lines().map(str::to_owned).collect();
        (names.join(" "), count("mentions"), count("filtered"))
    };
    let wanted = |names: &str, mentions, filtered| (names.to_owned(), mentions, filtered);
    assert_eq!(
        names("--prefix 10.1038,10.1016"),
        wanted("10.1016/d 10.1038/b", 3, 5)
    );
    assert_eq!(
        names("--prefix 10.1038 --prefix 10.1038.5"),
        wanted("10.1038.5/c 10.1038/b", 3, 5)
    );
    assert_eq!(
        names("--exclude-prefix 10.5555,10.1038"),
        wanted("10.1016/d 10.1038.5/c", 2, 6)
    );
    assert_eq!(
        names("--prefix 10.5555,10.1016 --exclude-prefix 10.5555"),
        wanted("10.1016/d", 1, 7)
    );
    assert_eq!(names("--prefix 10.9999"), wanted("", 0, 8));
    let options = &place.json("r.json")["options"];
    assert_eq!(options["prefix"], serde_json::json!(["10.9999"]));
    let seen = place
        .run("scan in --mentions --prefix 10.1016 --fields doi --stats")
        .out;
    assert_eq!(seen, "{\"doi\":\"10.1016/d\"}\n");
    for wrong in ["10.1038/b", "1038", "10.1038,", "doi:10.1038"] {
        let seen = place.run(&format!("scan in --exclude-prefix {wrong}"));
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""));
        assert!(seen.err.contains("is not a DOI prefix"), "{}", seen.err);
    }
}

#[test]
fn counts_are_one_row() {
    let place = Place::with_texts();
    let seen = place.run("scan in --count").quiet();
    assert_eq!(
        seen.out,
        "{\"names\":5,\"mentions\":8,\"documents\":3,\"sources\":3}\n"
    );
    for more in ["-j 1", "--memory 1M", "--lines --shard 0/1"] {
        let again = place
            .run(&format!("scan in --count --fields mentions,names {more}"))
            .quiet();
        assert_eq!(again.out, "{\"mentions\":8,\"names\":5}\n", "{more}");
    }
    let seen = place.run("scan in --count --prefix 10.1038 -f csv").quiet();
    assert_eq!(seen.out, "names,mentions,documents,sources\n1,2,3,3\n");
    place.file("none", "nothing");
    let seen = place.run("scan none --count -f tsv --fields names").quiet();
    assert_eq!(seen.out, "names\n0\n");
    place
        .run("scan in --count -o c.jsonl --checkpoint ck")
        .quiet();
    assert_eq!(place.json("c.jsonl")["names"], 5);
    let seen = place.run("merge c.jsonl");
    assert_eq!(seen.code, Some(2));
}

#[test]
fn the_prefixes_with_the_most_names_are_ranked() {
    let place = Place::new();
    let mut text = String::new();
    for prefix in 1000..1400 {
        for name in 0..prefix % 7 {
            text += &format!("10.{prefix}/{name} 10.{prefix}/{name}\n");
        }
    }
    place.file("in/a", &text).file("in/b", &text);
    let wanted = "prefix\tnames\tmentions\n10.1000\t6\t24\n10.1007\t6\t24\n10.1014\t6\t24\n";
    for more in ["", "-j 1", "--memory 1M", "--checkpoint ck"] {
        let seen = place
            .run(&format!("scan in -o o.tsv --top-prefixes 3 {more}"))
            .quiet();
        assert_eq!(seen.out, "");
        assert_eq!(place.read("o.tsv"), wanted, "{more}");
    }
    let seen = place
        .run("scan in --top-prefixes 1000 --exclude-prefix 10.1000 -f csv")
        .quiet();
    assert_eq!(seen.out.lines().count(), 343);
    assert!(seen.out.ends_with("\n10.1394,1,4\n"), "{}", seen.out);
    for (line, why) in [
        ("--top-prefixes 3 --count", "counts or prefixes, not both"),
        ("--mentions --count", "mentions or counts, not both"),
        ("--count -f names", "not of counts"),
        ("--top-prefixes 3 -f names", "not of prefixes"),
        ("--top-prefixes 0", "--top-prefixes"),
    ] {
        let seen = place.run(&format!("scan in {line}"));
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""));
        assert!(seen.err.contains(why), "{}", seen.err);
    }
}

#[test]
fn a_checkpoint_is_resumed_only_with_the_same_prefixes_and_rows() {
    let place = Place::with_texts();
    place.file("in/broken.gz", &gzip("10.5555/z")[..15]);
    // Fails at the last source, after a checkpoint before each.
    let first = "scan in -o o.csv --checkpoint ck --checkpoint-interval 0 --prefix 10.5555";
    let seen = place.run(&format!("{first} --on-error fail"));
    assert_eq!(seen.code, Some(2));
    assert!(place.path("ck").exists(), "{}", seen.err);
    for (options, why) in [
        (
            "",
            "prefix was 10.5555 in the interrupted run and is none now",
        ),
        (
            "--prefix 10.5555 --exclude-prefix 10.1016",
            "exclude-prefix was none",
        ),
        ("--prefix 10.5555 --count", "is names now"),
    ] {
        let seen = place.run(&format!("scan in -o o.csv --checkpoint ck {options}"));
        assert_eq!(seen.code, Some(2));
        assert!(seen.err.contains(why), "{}", seen.err);
    }
    let seen = place.run(first);
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    let resumed = place.read("o.csv");
    place.run("scan in -o o.csv --prefix 10.5555");
    assert_eq!(resumed, place.read("o.csv"));
}

/// Creates sources in which documents and names repeat: a tar with two members of one name, lines, and plain files.
fn with_documents() -> Place {
    let place = Place::with_texts();
    let mut tar = tar::Builder::new(Vec::new());
    let members: [(&str, &str); 4] = [
        ("m/a", "10.5555/x 10.5555/X 10.5555/y "),
        ("m/\u{1}odd", "10.5555/x "),
        ("m/a", "10.5555/x "),
        ("m", "10.5555/y "),
    ];
    for (name, text) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        tar.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    place.file("in/d.tar", tar.into_inner().unwrap());
    for number in 0..12_u64 {
        let line =
            |line: u64| format!("doi:10.5555/{} 10.1000/{}.\n", number * line % 97, line % 7);
        let text: String = (0..400).map(line).collect();
        place.file(format!("in/more/{number}.txt"), text);
    }
    place
}

/// Reduces the mentions of a run to pairs: a line for each, with its fields as JSON.
fn reduced(mentions: &Seen) -> Vec<String> {
    let mut pairs = std::collections::BTreeMap::new();
    for row in mentions.rows() {
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let key = (text("source"), text("document"), text("doi"));
        *pairs.entry(key).or_insert(0_u64) += 1;
    }
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let line = |((source, document, doi), mentions): (&(String, String, String), &u64)| {
        let document = match document.as_str() {
            "" => "null".to_owned(),
            name => json(name),
        };
        format!(
            "{{\"source\":{},\"document\":{document},\"doi\":{},\"mentions\":{mentions}}}",
            json(source),
            json(doi)
        )
    };
    pairs.iter().map(line).collect()
}

#[test]
fn records_count_their_sources_however_they_are_read() {
    let place = with_documents();
    for lines in ["", "--lines"] {
        let mentions = place.run(&format!("scan in --mentions {lines}")).quiet();
        let mut wanted = std::collections::BTreeMap::<_, std::collections::BTreeSet<_>>::new();
        for row in mentions.rows() {
            let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
            wanted
                .entry(text("doi"))
                .or_default()
                .insert(text("source"));
        }
        let wanted: Vec<_> = wanted
            .iter()
            .map(|(doi, all)| (doi.as_str(), all.len()))
            .collect();
        assert!(wanted.iter().any(|(_, sources)| *sources > 10));
        for more in [
            "-j 1",
            "-j 4 --chunk 100",
            "-j 2 --memory 1M",
            "-j 1 --memory 1M",
            "-j 2 --checkpoint ck",
        ] {
            place
                .run(&format!("scan in {lines} -o r.jsonl {more}"))
                .quiet();
            let rows = place.read("r.jsonl");
            let rows: Vec<serde_json::Value> = rows
                .lines()
                .map(|row| serde_json::from_str(row).unwrap())
                .collect();
            let seen: Vec<_> = rows
                .iter()
                .map(|row| {
                    (
                        row["doi"].as_str().unwrap(),
                        row["sources"].as_u64().unwrap() as usize,
                    )
                })
                .collect();
            assert_eq!(seen, wanted, "{lines} {more}");
        }
    }
}

#[test]
fn pairs_are_mentions_reduced() {
    let place = with_documents();
    for lines in ["", "--lines"] {
        let mentions = place.run(&format!("scan in --mentions {lines}")).quiet();
        let wanted = reduced(&mentions);
        assert!(wanted.len() > 900, "{}", wanted.len());
        for more in [
            "",
            "-j 1",
            "-j 4 --chunk 100",
            "-j 2 --memory 1M",
            "--checkpoint ck",
        ] {
            place
                .run(&format!("scan in --pairs {lines} -o p.jsonl {more}"))
                .quiet();
            let seen = place.read("p.jsonl");
            let seen: Vec<&str> = seen.lines().collect();
            assert_eq!(seen, wanted, "{lines} {more}");
        }
    }
    let seen = place.run("scan in/d.tar --pairs -f csv").quiet().out;
    assert_eq!(
        seen,
        "source,document,doi,mentions\nin/d.tar,m,10.5555/y,1\nin/d.tar,m/\u{1}odd,10.5555/x,1\n\
         in/d.tar,m/a,10.5555/x,3\nin/d.tar,m/a,10.5555/y,1\n"
    );
    let seen = place
        .run("scan in/d.tar --pairs -f tsv --fields doi,mentions --prefix 10.5555")
        .quiet();
    assert_eq!(seen.out.lines().nth(3), Some("10.5555/x\t3"));
    let seen = place.run("scan in --pairs --mentions");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("mentions or pairs, not both"),
        "{}",
        seen.err
    );
}

#[test]
fn shards_of_pairs_merged_are_the_whole() {
    let place = with_documents();
    let formats = ["csv", "tsv.gz", "jsonl.zst", "parquet"];
    for format in &formats {
        place
            .run(&format!("scan in --pairs -o all.{format}"))
            .quiet();
        let mut parts = String::new();
        for (index, format) in formats.iter().enumerate() {
            let part = format!("part-{index}.{format}");
            place
                .run(&format!("scan in --pairs --shard {index}/4 -o {part}"))
                .quiet();
            parts = format!("{part} {parts}");
        }
        for more in ["", "--memory 1M"] {
            place
                .run(&format!("merge --pairs {parts} -o m.{format} {more}"))
                .quiet();
            let bytes = |name: String| std::fs::read(place.path(name)).unwrap();
            assert!(
                bytes(format!("m.{format}")) == bytes(format!("all.{format}")),
                "{format} {more}"
            );
        }
    }
    // Rows in any order, and twice.
    place.run("scan in --pairs -o all.csv").quiet();
    let all = place.read("all.csv");
    let (header, rows) = all.split_once('\n').unwrap();
    let turned: Vec<&str> = rows.lines().rev().collect();
    place.file("turned.csv", format!("{header}\n{}\n", turned.join("\n")));
    place
        .run("merge --pairs turned.csv all.csv -o twice.csv")
        .quiet();
    let twice = |line: &str| {
        let (pair, mentions) = line.rsplit_once(',').unwrap();
        format!("{pair},{}", 2 * mentions.parse::<u64>().unwrap())
    };
    let wanted: Vec<String> = rows.lines().map(twice).collect();
    assert_eq!(
        place.read("twice.csv"),
        format!("{header}\n{}\n", wanted.join("\n"))
    );
}

#[test]
fn rows_of_another_kind_are_not_merged() {
    let place = Place::with_texts();
    let endings = ["csv", "jsonl", "tsv", "parquet"];
    for ending in endings {
        place.run(&format!("scan in -o r.{ending}")).quiet();
        place.run(&format!("scan in --pairs -o p.{ending}")).quiet();
        place
            .run(&format!("scan in --mentions -o m.{ending}"))
            .quiet();
        place
            .run(&format!(
                "scan in --pairs --fields doi,source -o f.{ending}"
            ))
            .quiet();
        for (line, why) in [
            (
                "merge p",
                "these are pairs, without the column documents; merge them with --pairs",
            ),
            (
                "merge --pairs r",
                "these are records, without the column source; merge records without --pairs",
            ),
            (
                "merge --pairs m",
                "these are mentions, without the column mentions; merge them without --pairs",
            ),
        ] {
            let seen = place.run(&format!("{line}.{ending} -o o.csv"));
            assert_eq!(seen.code, Some(2));
            assert!(seen.err.contains(why), "{ending}: {}", seen.err);
        }
        let seen = place.run(&format!("merge --pairs f.{ending} -o o.csv"));
        assert_eq!(seen.code, Some(2));
    }
    let wrong = "source,document,doi,mentions\n,x,10.5555/a,1\n";
    place.file("w.csv", wrong);
    let seen = place.run("merge --pairs w.csv");
    let start = "doisift: w.csv: line 2: source is \"\", but must be some text";
    assert!(seen.err.starts_with(start), "{}", seen.err);
    let seen = place.run("merge --pairs p.csv -f names");
    assert_eq!(seen.code, Some(2));
}

#[test]
fn pairs_are_resumed_from_a_checkpoint() {
    let place = with_documents();
    place.run("scan in --pairs -o whole.csv").quiet();
    let whole = gzip(place.read("in/more/7.txt"));
    place.file("in/zz.gz", &whole[..whole.len() / 2]);
    let first = "scan in --pairs -o o.csv --checkpoint ck --checkpoint-interval 0";
    assert_eq!(place.run(&format!("{first} --on-error fail")).code, Some(2));
    let seen = place.run("scan in -o o.csv --checkpoint ck");
    assert!(
        seen.err
            .contains("was pairs in the interrupted run and is records now"),
        "{}",
        seen.err
    );
    assert_eq!(place.run(first).code, Some(1));
    let resumed = place.read("o.csv");
    assert_eq!(place.run("scan in --pairs -o again.csv").code, Some(1));
    assert!(resumed == place.read("again.csv"));
    assert!(resumed.len() > place.read("whole.csv").len());
}
