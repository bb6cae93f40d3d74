//! `scan --edges` with further data for graphs: fields of references and relations, fields of records, records, and references
//! without a name.

use crate::place::{Place, Seen};

fn scan(place: &Place, arguments: &str) -> Seen {
    Seen::of(&mut place.command(format!("scan {arguments}").split_whitespace()))
}

/// Returns the rows of a document and of its records, as tables with `|`. Asserts that they are the same for all threads and
/// sizes of chunks.
fn written(name: &str, text: &str, options: &str) -> (Vec<String>, Vec<String>) {
    let place = Place::new();
    place.file(name, text);
    let run = |more: &str| {
        let line = format!("{name} --edges -o e.tsv --nodes-to n.tsv {options} {more}");
        let seen = scan(&place, &line);
        assert_eq!(seen.code, Some(0), "{}", seen.err);
        ["e.tsv", "n.tsv"].map(|file| std::fs::read_to_string(place.path(file)).unwrap())
    };
    let whole = run("-j1");
    for more in ["-j1 --chunk 64", "-j2 --chunk 7", "-j3 --chunk 1000"] {
        assert_eq!(run(more), whole, "{more}");
    }
    let [edges, nodes] = whole.map(|text| {
        let rows = text.lines().skip(1).map(|line| line.replace('\t', "|"));
        rows.collect()
    });
    (edges, nodes)
}

/// A work of Crossref whose own fields come last.
const WORK: &str = r#"{"reference":[{"key":"k1","doi-asserted-by":"crossref","DOI":"10.5555/b"},{"unstructured":"in 10.5555/c.","key":"k2"},
    {"key":"10.5555/a-k3","author":"Sm\u00efth","pages":[1,2],"none":null},{"DOI":"10.5555/d","doi-asserted-by":"publisher","key":"k4"},
    {"key":"k5","year":"2000","unstructured":"No \"name\""}],"relation":{"is-preprint-of":[{"id-type":"doi","id":"10.5555/e"}]},
    "update-to":[{"DOI":"10.5555/u","type":"correction"}],"updated-by":[{"type":"retraction","DOI":"10.5555/v"}],
    "type":"article","member":78,"issued":{"date-parts":[[2020,1]]},"title":["A","B"],"author":[{"a":"b"}],"DOI":"10.5555/A"}"#;

#[test]
fn references_and_relations_say_what_their_names_are() {
    let fields = "--fields doi,ref_index,asserted_by,ref_key,relation,update_type";
    let (edges, _) = written("a.json", WORK, fields);
    let wanted = [
        "10.5555/b|0|crossref|k1||",
        "10.5555/c|1||k2||",
        "10.5555/d|3|publisher|k4||",
        "10.5555/e||||is-preprint-of|",
        "10.5555/u|||||correction",
        "10.5555/v|||||retraction",
        "10.5555/a|||||",
    ];
    assert_eq!(edges, wanted);
    let datacite = r#"{"data":[{"id":"x","attributes":{"doi":"10.5555/a","relatedIdentifiers":[
        {"relatedIdentifier":"10.5555/b","relationType":"Cites"},{"relationType":"IsPartOf","relatedIdentifier":"10.5555/c"}]}}]}"#;
    let (edges, nodes) = written("d.json", datacite, "--fields record,doi,role,relation");
    let wanted = [
        "10.5555/a|10.5555/a|self|",
        "10.5555/a|10.5555/b|reference|Cites",
        "10.5555/a|10.5555/c|other|IsPartOf",
    ];
    assert_eq!(edges, wanted);
    assert_eq!(nodes, ["10.5555/a|10.5555/a|1|1|0"]);
}

#[test]
fn xml_has_the_same() {
    let crossref = "<journal_article><doi_data><doi>10.5555/R</doi></doi_data><citation_list><citation key=\"c1\"><doi provider=\"crossref\">10.5555/a</doi></citation>\
        <citation key='c2'><unstructured_citation>A &amp; <i>B</i></unstructured_citation></citation></citation_list>\
        <program><related_item><inter_work_relation relationship-type=\"isDerivedFrom\">10.5555/w</inter_work_relation></related_item></program>\
        <updates><update type=\"retraction\">10.5555/u</update></updates></journal_article>";
    let fields = "--fields doi,asserted_by,ref_key,relation,update_type,text --all-references";
    let (edges, nodes) = written("a.xml", crossref, fields);
    let wanted = [
        "10.5555/r|||||10.5555/R",
        "10.5555/a|crossref|c1|||10.5555/a",
        "||c2|||A & B",
        "10.5555/w|||isDerivedFrom||10.5555/w",
        "10.5555/u||||retraction|10.5555/u",
    ];
    assert_eq!(edges, wanted);
    assert_eq!(nodes, ["10.5555/r|10.5555/R|2|1|1"]);
    let jats = "<article article-type=\"letter\"><front><article-meta><article-id pub-id-type=\"doi\">10.5555/j</article-id>\
        <article-id pub-id-type=\"pmid\">77</article-id><title-group><article-title>On <i>H<sub>2</sub>O</i></article-title></title-group>\
        <pub-date><year>2001</year></pub-date></article-meta></front><back><ref-list><ref id=\"r1\"><pub-id pub-id-type=\"doi\">10.5555/a</pub-id></ref>\
        <ref id=\"r2\"><name><surname>A</surname></name><year>2000</year> H<sub>2</sub>O<x/></ref><ref/></ref-list></back></article>";
    let options = "--fields doi,ref_key,path,offset,length --all-references --record-fields \
        @article-type,front/article-meta/article-id[pub-id-type=pmid],/front/article-meta/title-group/article-title,front/article-meta/pub-date/year";
    let (edges, nodes) = written("j.xml", jats, options);
    let fields = "letter|77|On H2O|2001";
    let start = jats.find("<ref id=\"r2\"").unwrap();
    let wanted = [
        format!(
            "10.5555/j||/article/front/article-meta/article-id|{}|9|{fields}",
            jats.find("10.5555/j").unwrap()
        ),
        format!(
            "10.5555/a|r1|/article/back/ref-list/ref/pub-id|{}|9|{fields}",
            jats.find("10.5555/a").unwrap()
        ),
        format!(
            "|r2|/article/back/ref-list/ref|{start}|{}|{fields}",
            jats.find("<ref/>").unwrap() - start
        ),
        format!(
            "||/article/back/ref-list/ref|{}|6|{fields}",
            jats.find("<ref/>").unwrap()
        ),
    ];
    assert_eq!(edges, wanted);
    assert_eq!(nodes, [format!("10.5555/j|10.5555/j|3|1|2|{fields}")]);
}

/// Escapes the first letter of each member's name in `json`.
fn with_escaped_names(json: &str) -> String {
    let mut parts: Vec<String> = json.split("\":").map(str::to_owned).collect();
    let values = parts.len() - 1;
    for part in &mut parts[..values] {
        let start = part.rfind('"').unwrap() + 1;
        let letter = u32::from(part[start..].chars().next().unwrap());
        part.replace_range(start..=start, &format!("\\u{letter:04x}"));
    }
    parts.join("\":")
}

#[test]
fn names_of_members_that_are_written_as_escapes_are_the_same_names() {
    let options = "--fields record,doi,role,asserted,path,ref_index,ref_key,asserted_by,relation,text --all-references \
        --record-fields type,year=/issued/date-parts/0/0,title/*";
    let data_cite = r#"{"data":{"id":"10.5555/r","attributes":{"relatedIdentifiers":[{"relationType":"References",
        "relatedIdentifier":"10.5555/s","relatedIdentifierType":"DOI"}],"doi":"10.5555/r"}}}"#;
    // A name in a key is recognised only by the bytes before it.
    let work = WORK.replace("10.5555/a-k3", "k3");
    for work in [&work, data_cite] {
        let escaped = with_escaped_names(work).replace("\"References", "\"\\u0052eferences");
        assert!(!escaped.contains("DOI\":"), "{escaped}");
        let rows = written("a.json", &escaped, options);
        assert_eq!(rows, written("a.json", work, options));
        assert!(
            rows.0.iter().any(|row| row.contains("|reference|")),
            "{rows:?}"
        );
    }
}

#[test]
fn edges_have_fields_of_their_record() {
    let options =
        "--fields doi --record-fields type,year=/issued/date-parts/0/0,member,title/*,author,none";
    let (edges, nodes) = written("a.json", WORK, options);
    assert_eq!(edges.len(), 7);
    for row in edges {
        assert!(row.ends_with("|article|2020|78|A||"), "{row}");
    }
    assert_eq!(nodes, ["10.5555/a|10.5555/A|5|3|2|article|2020|78|A||"]);
    let lines = "{\"DOI\":\"10.5555/a\",\"type\":\"x\"}\n{\"DOI\":\"10.5555/b\"}\n{\"a\":{\"type\":\"y\"}}\n";
    let (edges, nodes) = written("a.jsonl", lines, "--fields doi --record-fields type");
    assert_eq!(edges, ["10.5555/a|x", "10.5555/b|"]);
    let wanted = [
        "10.5555/a|10.5555/a|0|0|0|x",
        "10.5555/b|10.5555/b|0|0|0|",
        "||0|0|0|",
    ];
    assert_eq!(nodes, wanted);
    let entry = "@article{k,\n doi = {10.5555/a},\n title = {The {DNA} of it},\n year = 2001\n}\n@book{l, Title = \"T\"}\n";
    let (edges, nodes) = written(
        "a.bib",
        entry,
        "--fields record,doi --record-fields year,title",
    );
    assert_eq!(edges, ["k|10.5555/a|2001|The DNA of it"]);
    assert_eq!(nodes, ["k|k|0|0|0|2001|The DNA of it", "l|l|0|0|0||T"]);
    let ris = "TY  - JOUR\nPY  - 2001\nDO  - 10.5555/x\nAU  - A\nAU  - B\nER  - \n";
    let (edges, _) = written("a.ris", ris, "--fields doi --record-fields PY,au");
    assert_eq!(edges, ["10.5555/x|2001|A"]);
}

#[test]
fn references_without_a_name_have_rows() {
    let (edges, _) = written("a.json", WORK, "--all-references --role reference");
    let wanted = [
        "10.5555/a|10.5555/b|0|reference|true|10.5555/b",
        "10.5555/a|10.5555/c|1|reference|false|10.5555/c",
        "10.5555/a||2|reference|false|Smïth 1 2",
        "10.5555/a|10.5555/d|3|reference|true|10.5555/d",
        "10.5555/a||4|reference|false|\"No \"\"name\"\"\"",
    ];
    assert_eq!(edges, wanted);
    let texts = r#"{"references":["A 10.5555/x","B"],"DOI":"10.5555/a"}"#;
    let (edges, nodes) = written(
        "t.json",
        texts,
        "--all-references --fields doi,text,offset,length",
    );
    assert_eq!(
        edges,
        [
            "10.5555/x|10.5555/x|18|9",
            "|B|29|3",
            "10.5555/a|10.5555/a|41|9"
        ]
    );
    assert_eq!(nodes, ["10.5555/a|10.5555/a|2|1|1"]);
}

#[test]
fn records_are_rows_also_without_names() {
    let answer = r#"{"status":"ok","message":{"items":[{"reference":[{"DOI":"10.5555/a"}]},{"DOI":"10.5555/b"}]}}"#;
    let (edges, nodes) = written("a.json", answer, "");
    assert_eq!(edges.len(), 2);
    assert_eq!(nodes, ["||1|1|0", "10.5555/b|10.5555/b|0|0|0"]);
    // A filter of names does not change the records.
    let (edges, nodes) = written("a.json", answer, "--exclude-prefix 10.5555");
    assert!(edges.is_empty());
    assert_eq!(nodes, ["||1|1|0", "10.5555/b|10.5555/b|0|0|0"]);
    let page = "<mediawiki><page><title>T</title><revision><text>{{doi|10.5555/a}} &lt;ref&gt;x&lt;/ref&gt;</text></revision></page></mediawiki>";
    let (_, nodes) = written("w.xml", page, "");
    assert_eq!(nodes, ["T|T|2|1|1"]);
    let (_, nodes) = written("t.txt", "10.5555/x", "");
    assert!(nodes.is_empty());
}

#[test]
fn every_format_has_records_and_their_fields() {
    let place = Place::new();
    place.file("a.json", WORK);
    scan(
        &place,
        "a.json --edges -o e.jsonl --record-fields /issued/date-parts/0/0 --nodes-to n/ --names-to k.names",
    )
    .quiet();
    let edges = std::fs::read_to_string(place.path("e.jsonl")).unwrap();
    assert!(
        edges
            .lines()
            .all(|line| line.ends_with(r#","/issued/date-parts/0/0":"2020"}"#)),
        "{edges}"
    );
    assert!(place.path("n/_SUCCESS").exists());
    let names = std::fs::read_to_string(place.path("k.names")).unwrap();
    assert_eq!(names.lines().count(), 7);
}

#[test]
fn what_cannot_be_is_refused_in_clear_words() {
    let place = Place::new();
    place.file("a.json", WORK);
    let cases = [
        (
            "--mentions --record-fields type",
            "add --edges, or leave out --record-fields",
        ),
        (
            "--all-references",
            "add --edges, or leave out --all-references",
        ),
        ("--nodes-to n.csv", "--nodes-to needs --edges; add it"),
        (
            "--edges --nodes-to n.names",
            "choose another ending than .names",
        ),
        (
            "--edges --record-fields a//b",
            "\"a//b\" is not the path of a field of records",
        ),
        (
            "--edges --record-fields doi",
            "two columns would be named doi",
        ),
        (
            "--edges --record-fields type,type=/a",
            "two columns would be named type",
        ),
        (
            "--edges --record-fields year=/a//b",
            "\"year=/a//b\" is not the path of a field of records",
        ),
        (
            "--edges --record-fields type,type",
            "two columns would be named type",
        ),
    ];
    for (options, wanted) in cases {
        let seen = scan(&place, &format!("a.json {options}"));
        assert_eq!(seen.code, Some(2), "{options}");
        assert!(seen.err.contains(wanted), "{options}: {}", seen.err);
    }
}

#[test]
fn merges_of_shards_give_the_rows_of_the_whole() {
    let place = Place::new();
    place.file("in/a.json", WORK);
    place.file("in/b.json", WORK.replace("10.5555/A", "10.5555/B"));
    place.file("in/c.json", WORK.replace("\"type\"", "\"kind\""));
    for format in ["jsonl", "csv", "parquet"] {
        let shard = |shard: &str, folder: &str| {
            let outputs =
                format!("-f {format} -o {folder}-{format}/ --nodes-to {folder}-n.{format}/");
            let options = format!("--all-references --record-fields type,/title/0 {outputs}");
            scan(&place, &format!("in --edges {options} {shard}")).quiet();
        };
        shard("", "whole");
        shard("--shard 0/2", "one");
        shard("--shard 1/2", "two");
        for rows in [format!("-{format}"), format!("-n.{format}")] {
            let line = format!("merge one{rows} two{rows} -f {format} -o merged{rows}/");
            Seen::of(&mut place.command(line.split_whitespace())).quiet();
            let part = |folder: &str| {
                std::fs::read(place.path(format!("{folder}{rows}/part-00000.{format}"))).unwrap()
            };
            assert!(part("merged") == part("whole"), "{rows}");
        }
    }
    let merge = |line: &str| Seen::of(&mut place.command(line.split_whitespace()));
    let mixed = merge("merge one-csv one-n.csv -o m.csv");
    assert_eq!(
        (mixed.code, mixed.out.as_str()),
        (Some(2), ""),
        "{}",
        mixed.err
    );
    let names = merge("merge one-n.csv -o m.names");
    assert!(
        names.err.contains("choose another ending than .names"),
        "{}",
        names.err
    );
}

#[test]
fn papers_at_arxiv_in_references_are_edges_if_that_is_asked_for() {
    let text = r#"{"DOI":"10.5555/a","reference":[{"unstructured":"A, arXiv:1501.00001v2, 2015"},{"DOI":"https://arxiv.org/abs/hep-th/9901001"}]}"#;
    let (edges, nodes) = written(
        "a.json",
        text,
        "--fields doi,ref_index,role,text --arxiv --role reference",
    );
    let wanted = [
        "10.48550/arxiv.1501.00001|0|reference|1501.00001v2",
        "10.48550/arxiv.hep-th/9901001|1|reference|hep-th/9901001",
    ];
    assert_eq!(edges, wanted);
    assert_eq!(nodes, ["10.5555/a|10.5555/a|2|2|0"]);
    let (edges, nodes) = written("a.json", text, "--role reference");
    assert!(edges.is_empty());
    assert_eq!(nodes, ["10.5555/a|10.5555/a|2|0|2"]);
}

#[test]
fn a_record_with_too_many_names_before_its_fields_is_reported() {
    let place = Place::new();
    let reference = "{\"DOI\":\"10.5555/a\"},".repeat((1 << 18) + 10);
    let text = format!("{{\"DOI\":\"10.5555/r\",\"reference\":[{reference}{{}}],\"type\":\"x\"}}");
    place.file("a.json", text);
    let seen = scan(
        &place,
        "a.json --edges --record-fields type -o e.csv --nodes-to n.csv",
    );
    assert_eq!(seen.code, Some(0));
    assert!(
        seen.err.contains("before its identifier or its fields"),
        "{}",
        seen.err
    );
    let edges = place.read("e.csv");
    let (with, without): (Vec<_>, Vec<_>) =
        edges.lines().skip(1).partition(|row| row.ends_with(",x"));
    assert_eq!((with.len(), without.len()), (11, 1 << 18));
    assert!(place.read("n.csv").ends_with(",262155,262154,1,x\n"));
}

#[test]
fn columns_of_record_fields_have_the_names_that_are_given() {
    let place = Place::new();
    place.file("a.json", WORK).file(
        "a.xml",
        "<article><front><article-meta><article-id pub-id-type=\"doi\">10.5555/a</article-id>\
         <article-id pub-id-type=\"pmid\">77</article-id></article-meta></front></article>",
    );
    let line = "a.json --edges --record-fields year=/issued/date-parts/0/0,/type --nodes-to n.csv -o e.csv";
    scan(&place, line).quiet();
    let header = |file: &str| {
        place
            .read(file)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(
        header("e.csv").ends_with(",year,/type"),
        "{}",
        header("e.csv")
    );
    assert_eq!(
        header("n.csv"),
        "record,value,reference_count,named,unnamed,year,/type"
    );
    // The equals sign of a condition does not end the name of a column.
    let path = "front/article-meta/article-id[pub-id-type=pmid]";
    let line =
        format!("a.xml --edges --record-fields {path},pmid={path} --nodes-to x.jsonl -o e.jsonl");
    scan(&place, &line).quiet();
    let row: serde_json::Value = serde_json::from_str(place.read("x.jsonl").trim()).unwrap();
    assert_eq!((&row[path], &row["pmid"]), (&"77".into(), &"77".into()));
}
