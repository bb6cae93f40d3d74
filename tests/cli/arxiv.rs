//! Identifiers of arXiv as DOI names.

use crate::place::{Place, Seen};

const TEXT: &str = "See arXiv:2101.00001v2, arXiv:hep-th/9901001 (https://arxiv.org/abs/2101.00001v1) and \
    https://doi.org/10.48550/arXiv.2101.00001, not arXiv:2113.00001.";

#[test]
fn they_are_mentions_only_if_they_are_asked_for() {
    let place = Place::new();
    place.file("text.txt", TEXT);
    let plain = place.scan("text.txt --mentions").quiet();
    assert_eq!(plain.field("form"), ["url"]);
    let seen = place.scan("text.txt --mentions --arxiv").quiet();
    let [new, old] = ["10.48550/arxiv.2101.00001", "10.48550/arxiv.hep-th/9901001"];
    assert_eq!(seen.field("doi"), [new, old, new, new]);
    assert_eq!(seen.field("form"), ["arxiv", "arxiv", "arxiv", "url"]);
    let texts = [
        "2101.00001v2",
        "hep-th/9901001",
        "2101.00001v1",
        "10.48550/arXiv.2101.00001",
    ];
    assert_eq!(seen.field("text"), texts);
    for (offset, text) in seen.field("offset").iter().zip(texts) {
        assert!(
            TEXT[offset.parse().unwrap()..].starts_with(text),
            "{offset}"
        );
    }
}

#[test]
fn records_of_every_format_have_the_form_and_merge() {
    let place = Place::new();
    place.file("a.txt", TEXT).file(
        "b.csv",
        "id,text\n1,arXiv:2101.00001\n2,\"arXiv:math.GT/0309136\"\n",
    );
    let wanted = place.scan("a.txt b.csv --arxiv -f csv").quiet().out;
    assert!(
        wanted.contains("10.48550/arxiv.2101.00001,4,2,2,arxiv|url,"),
        "{wanted}"
    );
    assert!(
        wanted.contains("10.48550/arxiv.math/0309136,1,1,1,arxiv,"),
        "{wanted}"
    );
    for output in ["r.jsonl", "r.tsv", "r.parquet"] {
        place
            .scan(&format!("a.txt b.csv --arxiv -o {output} -j2 --chunk 7"))
            .quiet();
        let merged = Seen::of(&mut place.command(["merge", output, "-f", "csv"])).quiet();
        assert_eq!(merged.out, wanted, "{output}");
    }
}

#[test]
fn cells_of_columns_are_searched() {
    let place = Place::new();
    place.file("a.txt", TEXT);
    place.scan("a.txt --arxiv --mentions -o m.parquet").quiet();
    // The texts of mentions lack the words that announce an identifier.
    let seen = place
        .scan("m.parquet --arxiv --columns text --mentions")
        .quiet();
    assert_eq!(seen.field("form"), ["bare"]);
}

#[test]
fn normalize_takes_them_as_names() {
    let place = Place::new();
    let normalize = |more: &[&str]| {
        let texts = [
            "arXiv:2101.00001v2",
            "https://arxiv.org/pdf/hep-th/9901001.pdf",
            "10.5555/A",
            "arXiv:1",
        ];
        Seen::of(place.command(["normalize"]).args(more).args(texts))
    };
    let names = "10.48550/arxiv.2101.00001\n10.48550/arxiv.hep-th/9901001\n10.5555/a\n\n";
    let seen = normalize(&["--arxiv"]);
    assert_eq!((seen.out.as_str(), seen.code), (names, Some(1)));
    assert_eq!(normalize(&["--arxiv", "--clean"]).out, names);
    assert_eq!(normalize(&[]).out, "\n\n10.5555/a\n\n");
    place.file("t.csv", "id\narXiv:2101.00001v2\n");
    let seen =
        Seen::of(&mut place.command(["normalize", "--column", "id", "t.csv", "--arxiv"])).quiet();
    assert_eq!(
        seen.out,
        "id,doi_clean,doi_status,doi_reason\narXiv:2101.00001v2,10.48550/arxiv.2101.00001,normalized,form; case\n"
    );
}
