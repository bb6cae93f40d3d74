//! `scan --edges`: mentions with their place in the structure of a document.

use serde_json::{Value, json};

use crate::common::root;
use crate::place::{Place, Seen, gzip};

/// The fields of an edge that a mention does not have.
const PLACE: [&str; 5] = ["record", "path", "ref_index", "role", "asserted"];

fn scan(place: &Place, arguments: &str) -> Seen {
    Seen::of(&mut place.command(format!("scan {arguments}").split_whitespace())).quiet()
}

fn rows(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The fields of a mention, then the fields of its place.
const ALL: &str = "doi,form,source,document,offset,length,text,guessed,check_digit,record,path,ref_index,role,asserted";

/// A record with a reference that comes before the record's name, as JSON Lines.
const CITING: &str =
    r#"{"reference":[{"DOI":"10.5555/b"},{"unstructured":"in 10.5555/c."}],"DOI":"10.5555/A"}"#;

#[test]
fn each_mention_of_the_corpora_is_an_edge_in_the_same_order() {
    let place = Place::new();
    let corpora = root().join("corpora");
    let corpora = corpora.to_str().unwrap();
    let mentions = rows(&scan(&place, &format!("{corpora} --mentions")).out);
    let edges = scan(
        &place,
        &format!("{corpora} --edges --fields {ALL} --report r.json"),
    )
    .out;
    let bare: Vec<_> = rows(&edges)
        .into_iter()
        .map(|mut row| {
            let fields = row.as_object_mut().unwrap();
            PLACE
                .iter()
                .for_each(|field| drop(fields.remove(*field).unwrap()));
            row
        })
        .collect();
    assert_eq!(bare, mentions);
    for threads in ["-j1", "-j3", "--memory 1M -j4"] {
        assert_eq!(
            scan(
                &place,
                &format!("{corpora} --edges --fields {ALL} {threads}")
            )
            .out,
            edges,
            "{threads}"
        );
    }
    let report = place.json("r.json");
    assert_eq!(report["options"]["rows"], "edges");
    let counts = ["self", "reference", "other"].map(|role| report["edges"][role].as_u64().unwrap());
    assert_eq!(counts.iter().sum::<u64>(), report["mentions"]);
    assert_eq!(report["records"], report["mentions"]);
}

#[test]
fn every_format_has_the_place() {
    let place = Place::new();
    place.file("a.json", CITING);
    let seen = scan(
        &place,
        "a.json --edges --fields doi,record,path,ref_index,role,asserted -f csv",
    );
    let wanted = "doi,record,path,ref_index,role,asserted\n\
        10.5555/b,10.5555/a,/reference/0/DOI,0,reference,true\n\
        10.5555/c,10.5555/a,/reference/1/unstructured,1,reference,false\n\
        10.5555/a,10.5555/a,/DOI,,self,true\n";
    assert_eq!(seen.out, wanted);
    let first = rows(&scan(&place, &format!("a.json --edges --fields {ALL}")).out)[0].clone();
    let wanted = json!({"doi": "10.5555/b", "form": "label", "source": "a.json", "document": null, "offset": 22, "length": 9,
        "text": "10.5555/b", "guessed": false, "record": "10.5555/a", "path": "/reference/0/DOI", "ref_index": 0,
        "role": "reference", "asserted": true, "check_digit": null});
    assert_eq!(first, wanted);
    let usual = &rows(&scan(&place, "a.json --edges").out)[0];
    let wanted = json!({"record": "10.5555/a", "doi": "10.5555/b", "ref_index": 0, "role": "reference", "asserted": true});
    assert_eq!(*usual, wanted);
    place.file("t.txt", "10.5555/x");
    let row = &rows(&scan(&place, &format!("t.txt --edges --fields {ALL}")).out)[0];
    assert_eq!(
        PLACE.map(|field| row[field].clone()),
        [
            Value::Null,
            Value::Null,
            Value::Null,
            json!("other"),
            json!(false)
        ]
    );
    {
        scan(&place, "a.json t.txt --edges -o e.parquet");
        let written = std::fs::read(place.path("e.parquet")).unwrap();
        assert!(written.starts_with(b"PAR1"));
    }
}

/// Returns the rows of a document. Asserts that they are the same for all threads and sizes of chunks.
fn stated(name: &str, text: &str, fields: &str) -> Vec<String> {
    let place = Place::new();
    place.file(name, text);
    let written = |options: &str| {
        let line = format!("{name} --edges --fields {fields} -f tsv {options}");
        scan(&place, &line).out
    };
    let whole = written("-j1");
    for options in ["-j1 --chunk 64", "-j2 --chunk 7", "-j3 --chunk 1000"] {
        assert_eq!(written(options), whole, "{options}");
    }
    whole
        .lines()
        .skip(1)
        .map(|line| line.replace('\t', "|"))
        .collect()
}

#[test]
fn the_value_of_a_field_for_identifiers_is_one_name_as_a_whole() {
    let values = [
        ("10.2976/1.2422707/10.2976/1", "10.2976/1.2422707/10.2976/1"),
        (
            "10.1016/00380-92X9(50)0031L-",
            "10.1016/00380-92x9(50)0031l-",
        ),
        ("10.5555/x y", "10.5555/x y"),
        ("10.1242/?bio.201410363", "10.1242/?bio.201410363"),
        (" https:\\/\\/doi.org\\/10.5555\\/A%28b%29 ", "10.5555/a(b)"),
        ("DOI: 10.5555/d; 10.5555/d", "10.5555/d; 10.5555/d"),
        ("10.21/a", "10.21/a"),
        ("10.5555/a&lt;b", "10.5555/a&lt;b"),
        ("10.1016/ j.cell.2011.05.66", "10.1016/ j.cell.2011.05.66"),
        ("10.1016/J. cell.2011", "10.1016/j. cell.2011"),
        (
            "10.5555/S(1999)1&lt;2::AID>3",
            "10.5555/s(1999)1&lt;2::aid>3",
        ),
    ];
    let references = values.map(|(value, _)| format!("{{\"DOI\":\"{value}\"}}"));
    let text = format!(
        "{{\"reference\":[{}],\"DOI\":\"10.1649/0010-065X(2007)61[165\"}}\n",
        references.join(",")
    );
    let wanted: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(at, (_, key))| format!("10.1649/0010-065x(2007)61[165|{key}|{at}|reference|true"))
        .collect();
    // The other fields of rows do not change names.
    for more in ["", ",text", ",value"] {
        let rows = stated(
            "a.jsonl",
            &text,
            &format!("record,doi,ref_index,role,asserted{more}"),
        );
        let rows: Vec<_> = rows
            .iter()
            .map(|row| row.split('|').take(5).collect::<Vec<_>>().join("|"))
            .collect();
        assert_eq!(rows[..values.len()], wanted, "{more}");
        assert_eq!(rows.len(), values.len() + 1, "{more}");
    }
}

#[test]
fn every_syntax_has_whole_values() {
    let xml = "<article><front><article-meta><article-id pub-id-type=\"doi\">10.5555/r[1</article-id></article-meta></front>\
        <back><ref-list><ref><pub-id pub-id-type=\"doi\"> 10.5555/a.&lt;b </pub-id></ref>\
        <ref><pub-id pub-id-type=\"doi\"><![CDATA[10.5555/c.]]></pub-id></ref></ref-list></back></article>";
    let rows = stated("a.xml", xml, "record,doi,value");
    let wanted = [
        "10.5555/r[1|10.5555/r[1|10.5555/r[1",
        "10.5555/r[1|10.5555/a.<b| 10.5555/a.<b ",
        "10.5555/r[1|10.5555/c.|10.5555/c.",
    ];
    assert_eq!(rows, wanted);
    let bibtex =
        "@article{k,\n doi = {10.5555/a\\_b.},\n url = \"https://doi.org/10.5555/c.\",\n}\n";
    let rows = stated("a.bib", bibtex, "record,doi,form,value");
    let wanted = [
        "k|10.5555/a_b.|label|10.5555/a_b.",
        "k|10.5555/c.|url|https://doi.org/10.5555/c.",
    ];
    assert_eq!(rows, wanted);
    let ris = "TY  - JOUR\nDO  - 10.5555/x y.\nER  - \n";
    let rows = stated("a.ris", ris, "record,doi,offset,length,text");
    assert_eq!(rows, ["10.5555/x y.|10.5555/x y.|17|12|10.5555/x y."]);
}

#[test]
fn the_text_of_a_wiki_page_is_no_value() {
    let page = "<mediawiki><page><title>T</title><revision><text>See {{doi|10.5555/a}}, and more.</text></revision></page></mediawiki>";
    let rows = stated("a.xml", page, "record,doi,asserted,value,changed");
    assert_eq!(rows, ["T|10.5555/a|true||"]);
}

#[test]
fn what_is_dirty_is_cleaned_beside_the_value() {
    let text = r#"{"DOI":"10.5555/r","reference":[{"DOI":"10.5555/a."},{"DOI":"see 10.5555/b (pdf)"},{"DOI":"n/a"},{"unstructured":"10.5555/c."}]}"#;
    let rows = stated("a.json", text, "doi,value,doi_clean,changed");
    let wanted = [
        "10.5555/r|10.5555/r||",
        "10.5555/a.|10.5555/a.|10.5555/a|tail.stop-alone: '.'",
        "10.5555/b|see 10.5555/b (pdf)|10.5555/b|dirt.lead: 'see '; suffix.mark: ' (pdf)'",
        "10.5555/c|||",
    ];
    assert_eq!(rows, wanted);
}

#[test]
fn a_name_that_a_reference_states_is_not_repeated() {
    let text = r#"{"DOI":"10.5555/r","reference":[{"unstructured":"10.5555/B and 10.5555/c.","DOI":"10.5555/b"}]}"#;
    let rows = stated("a.json", text, "doi,ref_index,asserted");
    assert_eq!(
        rows,
        ["10.5555/r||true", "10.5555/c|0|false", "10.5555/b|0|true"]
    );
}

#[test]
fn roles_select_edges() {
    let place = Place::new();
    place.file("a.json", CITING);
    let seen = scan(
        &place,
        "a.json --edges --role reference -f csv --fields doi",
    );
    assert_eq!(seen.out, "doi\n10.5555/b\n10.5555/c\n");
    let seen = scan(
        &place,
        "a.json --edges --role self,other -f csv --fields doi",
    );
    assert_eq!(seen.out, "doi\n10.5555/a\n");
    for (line, word) in [
        ("--edges --role cites", "cites"),
        ("--role self", "--edges"),
    ] {
        let line = format!("scan a.json {line}");
        let seen = Seen::of(&mut place.command(line.split_whitespace()));
        assert_eq!(seen.code, Some(2));
        assert!(seen.err.contains(word), "{}", seen.err);
    }
}

#[test]
fn long_documents_and_packed_ones_are_read_in_order() {
    let place = Place::new();
    let lines: String = (0..20_000)
        .map(|n| format!("{{\"reference\":[{{\"DOI\":\"10.5555/r{n}\"}}],\"pad\":\"{}\",\"DOI\":\"10.5555/{n}\"}}\n", "x".repeat(n % 90)))
        .collect();
    place
        .file("a.jsonl", &lines)
        .file("b.jsonl.gz", gzip(&lines))
        .file("c.jsonl", CITING);
    let one = scan(&place, "a.jsonl b.jsonl.gz c.jsonl --edges -j1").out;
    assert_eq!(
        scan(&place, "a.jsonl b.jsonl.gz c.jsonl --edges -j4").out,
        one
    );
    let rows = rows(&one);
    assert_eq!(rows.len(), 80_003);
    for (at, row) in rows[..80_000].iter().enumerate() {
        let n = at / 2 % 20_000;
        assert_eq!(row["record"], format!("10.5555/{n}"));
        assert_eq!(row["role"], if at % 2 == 0 { "reference" } else { "self" });
    }
}

#[test]
fn a_record_with_too_many_names_before_its_identifier_is_reported() {
    let place = Place::new();
    let names = "\"10.5555/x\",".repeat(262_145);
    let text = format!("{{\"a\":[{names}1],\"DOI\":\"10.5555/y\"}}");
    place.file("a.json", text);
    let mut outputs = ["1", "3"].map(|threads| {
        let line = format!("scan a.json --edges -f csv --fields record -j{threads}");
        let seen = Seen::of(&mut place.command(line.split_whitespace()));
        assert_eq!(seen.code, Some(0));
        let reported = "a.json: a record has too many names before its identifier";
        assert!(seen.err.contains(reported), "{}", seen.err);
        seen.out
    });
    assert_eq!(outputs[0], outputs[1]);
    let rows = outputs[0].split_off("record\n".len());
    let known = rows.trim_start_matches("\"\"\n").trim_start_matches('\n');
    assert_eq!(known, "10.5555/y\n10.5555/y\n");
}

#[test]
fn the_names_that_a_prefix_leaves_out_still_name_records() {
    let place = Place::new();
    place.file(
        "a.json",
        r#"{"reference":[{"DOI":"10.5555/b"}],"DOI":"https://doi.org/10.1000/A"}"#,
    );
    let rows = rows(&scan(&place, "a.json --edges --prefix 10.5555").out);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["record"], "10.1000/a");
}

#[test]
fn broken_structure_is_reported_and_loses_no_name() {
    let place = Place::new();
    place.file(
        "a.jsonl",
        "{\"DOI\":\"10.5555/a\"}\n{\"reference\":[{\"DOI\":\"10.5555/b\n{\"DOI\":\"10.5555/c\"}\n",
    );
    let seen = Seen::of(&mut place.command([
        "scan",
        "a.jsonl",
        "--edges",
        "--fields",
        "doi,record",
        "--report",
        "r.json",
    ]));
    assert_eq!(seen.code, Some(0));
    let wanted = "{\"doi\":\"10.5555/a\",\"record\":\"10.5555/a\"}\n{\"doi\":\"10.5555/b\",\"record\":null}\n{\"doi\":\"10.5555/c\",\"record\":\"10.5555/c\"}\n";
    assert_eq!(seen.out, wanted);
    assert!(
        seen.err
            .contains("a.jsonl: offset 51: the structure is broken"),
        "{}",
        seen.err
    );
    assert_eq!(place.json("r.json")["edges"]["broken"], 1);
}

#[test]
fn options_that_contradict_edges_are_usage_errors() {
    let place = Place::new();
    place.file("a.json", CITING);
    let cases = [
        ("--edges --mentions", "not both"),
        ("--edges --lines", "leave out --lines"),
        ("--mentions --record-id /id", "add --edges"),
        (
            "--edges --record-id id",
            "not a path from a record to its identifier",
        ),
        ("--edges -f names", "choose another format"),
        ("--edges --checkpoint c", "checkpoint"),
    ];
    for (options, wanted) in cases {
        let line = format!("scan a.json {options}");
        let seen = Seen::of(&mut place.command(line.split_whitespace()));
        assert_eq!(seen.code, Some(2), "{options}");
        assert!(seen.err.contains(wanted), "{options}: {}", seen.err);
    }
    let row = &rows(&scan(&place, "a.json --edges --record-id /reference/*/DOI").out)[2];
    assert_eq!(
        (&row["record"], &row["role"]),
        (&json!("10.5555/b"), &json!("self"))
    );
}

/// Returns documents with many mentions and long names or paths of records: an identifier, nested names, nested records.
fn long_places() -> [(&'static str, String); 4] {
    let list = |from: usize| -> Vec<_> {
        let names = from..from + 5_000;
        names
            .map(|n| format!(r#"{{"DOI":"10.5555/{n}"}}"#))
            .collect()
    };
    let long = "y".repeat(60_000);
    let nested: String = (0..250)
        .map(|n| format!("{{\"{n}{}\":", "k".repeat(500)))
        .collect();
    let articles: String = (0..3_000)
        .map(|n| format!("<sub-article><p>10.5555/{n}</p>"))
        .collect();
    let identified = format!(
        r#"{{"reference":[{}],"DOI":"10.5555/{long}","more":{{"reference":[{}]}}}}"#,
        list(0).join(","),
        list(5_000).join(",")
    );
    let names: Vec<_> = (0..500).map(|n| format!("\"10.5555/{n}\"")).collect();
    let waiting: Vec<_> = (0..300)
        .map(|n| format!("\"10.5555/{n}{}\"", &long[..40_000]))
        .collect();
    [
        ("identified.json", identified),
        (
            "nested.json",
            format!("{nested}[{}]{}", names.join(","), "}".repeat(250)),
        ),
        ("articles.xml", format!("<article>{articles}")),
        (
            "waiting.json",
            format!(r#"{{"a":[{}],"DOI":"10.5555/y"}}"#, waiting.join(",")),
        ),
    ]
}

#[test]
#[cfg(target_os = "linux")]
fn long_identifiers_and_paths_keep_to_the_memory() {
    let place = Place::new();
    for (name, text) in long_places() {
        place.file(name, text);
        let run = |threads| {
            let line = format!("{name} --edges --fields record,doi,path --memory 64M -j{threads}");
            crate::memory::output_and_peak(&place, &line)
        };
        let (wanted, peak) = run(1);
        assert!(peak <= 120, "{name}: {peak} MiB");
        let (seen, peak) = run(8);
        assert!(seen == wanted, "{name}, 8 threads");
        assert!(peak <= 160, "{name}, 8 threads: {peak} MiB");
    }
}

#[test]
fn long_identifiers_and_paths_are_cut_and_reported() {
    let place = Place::new();
    let lost = [("identified.json", 1), ("nested.json", 500)];
    for (name, text) in long_places() {
        place.file(name, text);
        let line = ["scan", name, "--edges", "--fields", "record,doi,path,text"];
        let seen = Seen::of(&mut place.command(line));
        assert_eq!(seen.code, Some(0), "{name}");
        let cut = lost.iter().find(|(cut, _)| *cut == name);
        let message = cut.map(|(_, count)| {
            format!("{name}: identifiers and fields of records, and paths, with more than 4096 bytes, shortened in the middle: {count}\n")
        });
        assert!(
            seen.err.contains(&message.unwrap_or_default()),
            "{name}: {}",
            seen.err
        );
        for row in rows(&seen.out) {
            for field in ["record", "path"] {
                let length = row[field].as_str().map_or(0, str::len);
                assert!(length <= 4096, "{name}: {field} of {length} bytes");
            }
        }
        if name == "waiting.json" {
            let reported = "a record has too many names before its identifier";
            assert!(seen.err.contains(reported), "{}", seen.err);
            assert_eq!(rows(&seen.out)[299]["record"], "10.5555/y");
        }
    }
}

#[test]
fn the_summary_states_no_number_of_names() {
    let place = Place::new();
    place.file("a.txt", "10.5555/a 10.5555/a 10.5555/b");
    for (rows, wanted) in [
        ("--edges", "; 3 mentions; "),
        ("--mentions", "; 3 mentions; "),
        ("--pairs", "; 3 mentions in 2 pairs; "),
        ("", "; 3 mentions of 2 names; "),
    ] {
        let seen =
            Seen::of(&mut place.command(format!("scan a.txt --stats {rows}").split_whitespace()));
        assert!(seen.err.contains(wanted), "{rows}: {}", seen.err);
    }
}
