//! References of structured articles and metadata that are checked.

use serde_json::Value;

use crate::place::{Place, Seen};

/// Line, key, text and verdict of each row of a check.
fn rows(name: &str, text: &str) -> Vec<String> {
    let place = Place::new();
    place.file(name, text);
    let seen = Seen::of(&mut place.command(["check", name, "-f", "jsonl"]));
    assert!(matches!(seen.code, Some(0 | 1)), "{}", seen.err);
    let cell = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let fields = ["line", "key", "text", "verdict"];
    let row = |row: &Value| fields.map(|field| cell(&row[field])).join(",");
    seen.rows().iter().map(row).collect()
}

const JATS: &str = r#"<?xml version="1.0"?>
<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta>
<article-id pub-id-type="doi">10.1000/own</article-id></article-meta></front>
<body><p>See <ext-link ext-link-type="doi" xlink:href="10.1000/text">there</ext-link>.</p></body><back><ref-list>
<ref id="r1"><element-citation><pub-id pub-id-type="doi">10.1000/a.</pub-id></element-citation></ref>
<ref id="r2"><mixed-citation>A title without a name</mixed-citation></ref>
<ref id="r3"><mixed-citation>In text, doi:10.1000/c.</mixed-citation></ref>
<ref id="r4"><element-citation>
  <pub-id pub-id-type="doi">n/a</pub-id></element-citation></ref>
<ref id="r5"><element-citation><pub-id pub-id-type="doi">10.1000/<italic>e</italic>1</pub-id>
  <comment>https://doi.org/10.1000/e1</comment></element-citation></ref>
<ref id="r6"><element-citation><pub-id pub-id-type="doi">10.1000/c</pub-id><pub-id pub-id-type="pmid">1</pub-id></element-citation></ref>
</ref-list></back></article>
"#;

#[test]
fn each_reference_of_jats_is_an_entry_whose_name_is_judged_as_a_whole() {
    let wanted = [
        "3,null,10.1000/own,well_formed",
        "4,null,10.1000/text,well_formed",
        "5,r1,10.1000/a.,written_wrongly",
        "6,r2,null,no_doi",
        "7,r3,10.1000/c,well_formed",
        "9,r4,n/a,not_a_doi",
        "10,r5,10.1000/<italic>e</italic>1,well_formed",
        "12,r6,10.1000/c,duplicate",
    ];
    assert_eq!(rows("a.xml", JATS), wanted);
}

#[test]
fn each_cited_reference_of_web_of_science_is_an_entry() {
    let export = "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Miller, A\nCR Smith B, 2002, J, DOI 10.1000/c\n   \
        Jones C, 2001, BOOK\n   Brown D, 2003, J, DOI 10.1000/C\nDI 10.1000/own\nER\n\nEF\n";
    let wanted = [
        "5,null,10.1000/c,well_formed",
        "6,null,null,no_doi",
        "7,null,10.1000/C,duplicate",
        "8,null,10.1000/own,well_formed",
    ];
    assert_eq!(rows("savedrecs.txt", export), wanted);
}

#[test]
fn each_entry_of_a_document_in_parts_is_a_row() {
    let title = "A title of some length, so that the document is read in several parts. ".repeat(8);
    let all = |start: &str, entry: &dyn Fn(u32) -> String, end: &str| {
        start.to_owned() + &(0..2000).map(entry).collect::<String>() + end
    };
    for (name, text) in [
        (
            "a.bib",
            all("", &|n| format!("@misc{{k{n}, title = {{{title}}}}}\n"), ""),
        ),
        (
            "a.ris",
            all(
                "",
                &|n| format!("TY  - JOUR\nID  - k{n}\nTI  - {title}\nER  - \n"),
                "",
            ),
        ),
        (
            "a.xml",
            all(
                "<xml><records>",
                &|n| format!("<record><label>k{n}</label><title>{title}</title></record>"),
                "</records></xml>",
            ),
        ),
    ] {
        let place = Place::new();
        place.file(name, text);
        let seen = Seen::of(&mut place.command(["check", name, "-f", "jsonl", "--memory", "1M"]));
        let keys: Vec<_> = seen.rows().iter().map(|row| row["key"].clone()).collect();
        let wanted: Vec<Value> = (0..2000).map(|n| format!("k{n}").into()).collect();
        assert!(keys == wanted, "{name}: {} rows", keys.len());
    }
}

#[test]
fn references_of_tei_crossref_and_datacite_are_entries() {
    let tei = r#"<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><sourceDesc><biblStruct>
<idno type="DOI">10.1000/own</idno></biblStruct></sourceDesc></fileDesc></teiHeader><text><back><div><listBibl>
<biblStruct xml:id="b0"><analytic><idno type="DOI">10.1000/a.</idno></analytic></biblStruct>
<biblStruct xml:id="b1"><monogr><title>No name</title></monogr></biblStruct>
</listBibl></div></back></text></TEI>"#;
    let wanted = [
        "2,null,10.1000/own,well_formed",
        "3,b0,10.1000/a.,written_wrongly",
        "4,b1,null,no_doi",
    ];
    assert_eq!(rows("a.xml", tei), wanted);
    let deposit = r#"<doi_batch><body><journal><journal_article><doi_data><doi>10.1000/own</doi></doi_data><citation_list>
<citation key="c1"><doi>10.1000/a.</doi></citation>
<citation key="c2"><unstructured_citation>No name</unstructured_citation></citation></citation_list></journal_article></journal></body></doi_batch>"#;
    let wanted = [
        "1,null,10.1000/own,well_formed",
        "2,c1,10.1000/a.,written_wrongly",
        "3,c2,null,no_doi",
    ];
    assert_eq!(rows("a.xml", deposit), wanted);
    let crossref = "{\"DOI\":\"10.1000/own\",\"type\":\"journal-article\",\"title\":[\"x\"],\"reference\":[\n\
        {\"key\":\"k1\",\"DOI\":\"10.1000\\/a.\"},\n{\"key\":\"k2\",\"unstructured\":\"No name\"},\n\
        {\"key\":\"k3\",\"DOI\":\"10.1000/a\"}]}\n";
    let wanted = [
        "1,null,10.1000/own,well_formed",
        "2,k1,10.1000\\/a.,written_wrongly",
        "3,k2,null,no_doi",
        "4,k3,10.1000/a,duplicate",
    ];
    assert_eq!(rows("a.json", crossref), wanted);
    // The same name in two works is no duplicate.
    let verdicts = rows("a.json", &format!("[{0},{0}]", crossref.trim()));
    let duplicates = verdicts.iter().filter(|row| row.ends_with("duplicate"));
    assert_eq!(duplicates.count(), 2, "{verdicts:?}");
}

#[test]
fn related_identifiers_of_datacite_are_references_if_they_are_cited() {
    let xml = r#"<resource><identifier identifierType="DOI">10.1000/own</identifier><relatedIdentifiers>
<relatedIdentifier relatedIdentifierType="DOI" relationType="References">10.1000/a.</relatedIdentifier>
<relatedIdentifier relatedIdentifierType="URL" relationType="Cites">https://example.org</relatedIdentifier>
<relatedIdentifier relatedIdentifierType="DOI" relationType="IsPartOf">10.1000/b</relatedIdentifier>
</relatedIdentifiers></resource>"#;
    let wanted = [
        "1,null,10.1000/own,well_formed",
        "2,null,10.1000/a.,written_wrongly",
        "3,null,null,no_doi",
        "4,null,10.1000/b,well_formed",
    ];
    assert_eq!(rows("a.xml", xml), wanted);
    let json = "{\"id\":\"https://doi.org/10.1000/own\",\"relatedIdentifiers\":[\n\
        {\"relatedIdentifier\":\"10.1000/a.\",\"relatedIdentifierType\":\"DOI\",\"relationType\":\"Cites\"},\n\
        {\"relatedIdentifier\":\"978-3-16-148410-0\",\"relatedIdentifierType\":\"ISBN\",\"relationType\":\"References\"},\n\
        {\"relatedIdentifier\":\"10.1000/b\",\"relatedIdentifierType\":\"DOI\",\"relationType\":\"IsPartOf\"}]}\n";
    let wanted = [
        "1,null,10.1000/own,well_formed",
        "2,null,10.1000/a.,written_wrongly",
        "3,null,null,no_doi",
        "4,null,10.1000/b,well_formed",
    ];
    assert_eq!(rows("a.json", json), wanted);
}

#[test]
fn bibliographies_in_yaml_are_read_by_entry() {
    let cff = "# A comment\ncff-version: 1.2.0\ntitle: x\ndoi: 10.1000/own\npreferred-citation:\n  type: article\n  doi: 10.1000/own\n\
        references:\n  - type: article\n    doi: \"10.1000/a.\"\n  - type: book\n    title: No name\n  - type: book\n    url: https://doi.org/10.1000/\u{e9}\n\
        \x20 - type: article\n    identifiers:\n      - type: doi\n        value: 10.1000/a\n";
    let wanted = [
        "4,null,10.1000/own,well_formed",
        "7,null,10.1000/own,well_formed",
        "10,null,10.1000/a.,written_wrongly",
        "11,null,null,no_doi",
        "14,null,https://doi.org/10.1000/\u{e9},well_formed",
        "18,null,10.1000/a,duplicate",
    ];
    assert_eq!(rows("CITATION.cff", cff), wanted);
    let hayagriva = "harry:\n    type: Book\n    title: Harry\n    serial-number:\n        doi: 10.1000/a.\n\
        second:\n    type: article\n    title: \u{e9}\n    parent:\n        type: proceedings\n        serial-number: { doi: '10.1000/p.' }\n\
        third:\n    type: web\n    url: { value: 'https://doi.org/10.1000/c', date: 2020 }\n";
    let wanted = [
        "5,harry,10.1000/a.,written_wrongly",
        "7,second,null,no_doi",
        "11,null,10.1000/p.,written_wrongly",
        "14,third,https://doi.org/10.1000/c,well_formed",
    ];
    assert_eq!(rows("works.yml", hayagriva), wanted);
    let csl = "---\nreferences:\n- id: a\n  type: book\n  DOI: 10.1000/a.\n- id: b\n  type: book\n  note: 'DOI: 10.1000/b'\n- id: c\n  type: book\n";
    let wanted = [
        "5,a,10.1000/a.,written_wrongly",
        "8,b,10.1000/b,well_formed",
        "9,c,null,no_doi",
    ];
    assert_eq!(rows("refs.yaml", csl), wanted);
    assert_eq!(
        rows("refs.yaml", "- id: a\n  DOI: 10.1000/a.\n"),
        ["2,a,10.1000/a.,written_wrongly"]
    );
}

#[test]
fn yaml_that_is_broken_or_hostile_loses_no_name() {
    let broken = "cff-version: 1.2.0\ndoi: 10.1000/a.\nreferences: [}\nx: 10.1000/b\n";
    let wanted = [
        "2,null,10.1000/a.,written_wrongly",
        "4,null,10.1000/b,well_formed",
    ];
    assert_eq!(rows("a.cff", broken), wanted);
    let deep = format!(
        "cff-version: 1\ndoi: 10.1000/a.\nx: {}\ny: 10.1000/b\n",
        "[".repeat(100_000)
    );
    assert_eq!(rows("a.cff", &deep), wanted);
    let text = "---\ntitle: x\nreferences:\n- id: a\n---\n\nAs doi:10.1000/c says.\n";
    assert_eq!(rows("a.md", text), ["7,null,10.1000/c,well_formed"]);
}

/// Returns title, authors and year of each row of a document.
fn works(name: &str, text: &str) -> Vec<String> {
    let place = Place::new();
    place.file(name, text);
    let seen = Seen::of(
        place
            .command(["check", "-f", "jsonl", "--fail-on", "none"])
            .arg(name),
    );
    assert_eq!(seen.code, Some(0), "{}", seen.err);
    let shown = |row: &Value| {
        let text = |field: &str| row[field].as_str().unwrap_or("-").to_owned();
        ["title", "authors", "year"].map(text).join(" | ")
    };
    seen.rows().iter().map(shown).collect()
}

#[test]
fn each_row_has_what_its_entry_says_of_the_work() {
    for (name, text, wanted) in [
        (
            "a.bib",
            "@article{a, title = {The {DOI} \\\"and\n  others}, author = {Smith, A. and B. Jones}, year = 2001, doi = {10.5555/a}}\n\
             @incollection{b, booktitle = {A Book}, date = {2002-03}}\n@misc{c}",
            &[
                "The DOI \\\"and others | Smith, A. and B. Jones | 2001",
                "A Book | - | 2002-03",
                "- | - | -",
            ][..],
        ),
        (
            "a.ris",
            "TY  - JOUR\nTI  - A title\nAU  - Smith, A.\nAU  - Jones, B.\nPY  - 2001\nDO  - 10.5555/a\nER  - \n",
            &["A title | Smith, A.; Jones, B. | 2001"],
        ),
        (
            "a.nbib",
            "PMID- 1\nTI  - A title that\n      goes on\nFAU - Smith, Ann\nAU  - Smith A\nDP  - 2001 Mar\nLID - 10.5555/a [doi]\n",
            &["A title that goes on | Smith A | 2001 Mar"],
        ),
        (
            "a.enw",
            "%0 Journal Article\n%T A title\n%A Smith, A.\n%A Jones, B.\n%D 2001\n%R 10.5555/a\n",
            &["A title | Smith, A.; Jones, B. | 2001"],
        ),
        (
            "a.xml",
            "<?xml version=\"1.0\"?><xml><records><record><titles><title><style>A &amp; B</style></title></titles>\
             <contributors><authors><author>Smith, A.</author><author>Jones, B.</author></authors></contributors>\
             <dates><year>2001</year></dates><electronic-resource-num>10.5555/a</electronic-resource-num></record></records></xml>",
            &["A & B | Smith, A.; Jones, B. | 2001"],
        ),
        (
            "a.json",
            "[{\"id\":\"a\",\"type\":\"book\",\"title\":\"A title\",\"author\":[{\"given\":\"A.\",\"family\":\"Smith\"},{\"literal\":\"A Group\"}],\
             \"issued\":{\"date-parts\":[[2001,2]]},\"DOI\":\"10.5555/a\"}]",
            &["A title | Smith, A.; A Group | 2001"],
        ),
        (
            "CITATION.cff",
            "cff-version: 1.2.0\ntitle: Own\nreferences:\n  - type: book\n    title: A title\n    year: 2001\n    doi: 10.5555/a\n    authors:\n\
             \x20     - given-names: Ann\n        family-names: Smith\n      - name: A Group\n",
            &["A title | Smith, Ann; A Group | 2001"],
        ),
        (
            "jats.xml",
            "<article><back><ref-list><ref id=\"r1\"><element-citation><person-group><name><surname>Smith</surname>\
             <given-names>A</given-names></name><collab>A Group</collab></person-group><article-title>On <italic>E. coli</italic> cells</article-title>\
             <source>Journal</source><year>2001</year><pub-id pub-id-type=\"doi\">10.5555/a</pub-id></element-citation></ref>\
             <ref id=\"r2\"><element-citation><source>A Book</source></element-citation></ref></ref-list></back></article>",
            &[
                "On E. coli cells | Smith A; A Group | 2001",
                "A Book | - | -",
            ],
        ),
        (
            "tei.xml",
            "<TEI xmlns=\"http://www.tei-c.org/ns/1.0\"><text><back><listBibl><biblStruct xml:id=\"b0\"><analytic><title>A title</title>\
             <author><persName><forename>Ann</forename><surname>Smith</surname></persName></author><idno type=\"DOI\">10.5555/a</idno></analytic>\
             <monogr><title>Journal</title><imprint><date type=\"published\" when=\"2001-02\">Feb 2001</date></imprint></monogr></biblStruct></listBibl></back></text></TEI>",
            &["A title | Ann Smith | 2001-02"],
        ),
        (
            "crossref.json",
            "{\"DOI\":\"10.5555/own\",\"reference\":[{\"key\":\"r1\",\"DOI\":\"10.5555/a\",\"author\":\"Smith\",\"year\":\"2001\",\
             \"article-title\":\"A \\u0026 B\",\"journal-title\":\"Journal\"},{\"key\":\"r2\",\"volume-title\":\"A Book\"}]}\n",
            &["- | - | -", "A & B | Smith | 2001", "A Book | - | -"],
        ),
        (
            "crossref.xml",
            "<doi_batch><body><journal><journal_article><doi_data><doi>10.5555/own</doi></doi_data><citation_list><citation key=\"r1\">\
             <journal_title>Journal</journal_title><author>Smith</author><cYear>2001</cYear><doi>10.5555/a</doi><article_title>A title</article_title>\
             </citation></citation_list></journal_article></journal></body></doi_batch>",
            &["- | - | -", "A title | Smith | 2001"],
        ),
    ] {
        assert_eq!(works(name, text), wanted, "{name}");
    }
}
