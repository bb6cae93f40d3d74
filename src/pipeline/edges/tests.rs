//! Mentions of small texts, with their places.

use std::collections::BTreeMap;
use std::sync::Arc;

use doisift_core::Scanner;
use proptest::prelude::*;

use super::join::{EdgeJoin, MAX_UNDECIDED_ROWS};
use crate::dedup::{CountedUnit, Document, DocumentId};
use crate::pipeline::ledger::StructureFaults;
use crate::pipeline::rows::{AnchorKind, FoundAnchor, HeldRows, MentionContext, RowOrigin};
use crate::records::RowEdge;
use doisift_structure::{RecordId, Structure, StructureRequest, Syntax};

fn document() -> Document {
    Document {
        id: DocumentId {
            source: 0,
            document: 0,
        },
        source: "a".into(),
        of_source: CountedUnit::source(0),
        of_whole: None,
        name: None,
        capture: None,
        column: None,
    }
}

/// Returns the mentions of a text as anchors, and rows that have their texts.
fn found(text: &str) -> (Vec<FoundAnchor>, HeldRows) {
    let (mut rows, document) = (HeldRows::default(), document());
    Scanner::new().scan(text.as_bytes(), |mention| {
        let around = MentionContext::none(true);
        rows.push_found(&document, &mention, AnchorKind::Mention, around);
    });
    (rows.take_found(), rows)
}

fn join(syntax: Option<Syntax>, wanted: &Arc<StructureRequest>) -> EdgeJoin {
    let structure = syntax.map(|syntax| Structure::new(syntax, wanted));
    EdgeJoin::new(structure, 0, &document(), wanted)
}

/// Returns the offsets of the rows, and a text for the place of each.
fn written<T>(rows: &HeldRows, show: impl Fn(RowEdge<'_>) -> T) -> Vec<(u64, T)> {
    let mut written = Vec::new();
    let each = rows.each(|row, _| {
        written.push((row.offset, show(row.edge)));
        Ok(())
    });
    each.unwrap();
    written
}

/// Wants paths, and nothing else.
fn wanted(id: Option<&RecordId>) -> Arc<StructureRequest> {
    let wanted = StructureRequest {
        id: id.cloned(),
        paths: true,
        ..StructureRequest::default()
    };
    wanted.into()
}

/// Wants paths, and all other data that change neither the number of rows nor their places.
fn more_wanted(id: Option<&RecordId>) -> Arc<StructureRequest> {
    let fields = ["DOI", "reference/0/DOI", "a", "front/article-meta/*", "@id"];
    let wanted = StructureRequest {
        id: id.cloned(),
        fields: fields.map(|path| path.parse().unwrap()).into(),
        paths: true,
        items: true,
        nodes: true,
        ..StructureRequest::default()
    };
    wanted.into()
}

/// Reads a text up to each of `stops`. Returns its rows and faults, and checks that they are equal if more is wanted.
fn read(text: &str, stops: &[usize], id: Option<&RecordId>) -> (Vec<String>, StructureFaults) {
    let read = read_for(&wanted(id), text, stops);
    assert_eq!(read_for(&more_wanted(id), text, stops), read, "{text}");
    read
}

fn read_for(
    wanted: &Arc<StructureRequest>,
    text: &str,
    stops: &[usize],
) -> (Vec<String>, StructureFaults) {
    let mut stops: Vec<_> = stops
        .iter()
        .map(|stop| (stop % (text.len() + 1)) as u64)
        .collect();
    stops.sort_unstable();
    read_parts(wanted, text, &stops, &[text.len()])
}

/// Reads a text up to each of `stops`, in parts with these `ends`, each of which is read independently: those after the first as
/// lines of JSON.
fn read_parts(
    wanted: &Arc<StructureRequest>,
    text: &str,
    stops: &[u64],
    ends: &[usize],
) -> (Vec<String>, StructureFaults) {
    let (anchors, mut rows) = found(text);
    let mut faults = StructureFaults::default();
    let (mut left, mut start) = (anchors.iter().peekable(), 0);
    for end in ends.iter().map(|end| *end as u64) {
        let mut join = match start {
            0 => join(Syntax::of(text.as_bytes()), wanted),
            start => {
                let line = Structure::json_line(wanted, start);
                EdgeJoin::new(Some(line), start, &document(), wanted)
            }
        };
        let stops = stops.iter().filter(|stop| (start..end).contains(*stop));
        let mut stops = stops.copied().peekable();
        while let Some(FoundAnchor { name, .. }) = left.next_if(|at| at.name.offset < end) {
            while let Some(stop) = stops.next_if(|stop| *stop < name.offset) {
                join.read(text.as_bytes(), 0, stop, &mut rows);
            }
            join.read(text.as_bytes(), 0, name.offset, &mut rows);
            join.look(text.as_bytes(), name.offset as usize);
            join.row(*name, RowOrigin::Scanned, None, &mut rows);
        }
        for stop in stops.chain([end]) {
            join.read(text.as_bytes(), 0, stop, &mut rows);
        }
        faults.add(join.end(&mut rows));
        assert!(rows.undecided().is_empty(), "{text}");
        start = end;
    }
    let written: BTreeMap<_, _> = written(&rows, |edge| line(&edge)).into_iter().collect();
    let shown = anchors.iter().map(|FoundAnchor { name, .. }| {
        let row = written.get(&name.offset).map_or("repeated", String::as_str);
        format!("{} {row}", rows.key(name))
    });
    (shown.collect(), faults)
}

fn line(edge: &RowEdge<'_>) -> String {
    let reference = edge
        .ref_index
        .map_or("-".to_owned(), |index| index.to_string());
    let asserted = if edge.asserted { "asserted" } else { "mined" };
    let record = edge.record.map_or("-", |record| record);
    let path = edge.path.unwrap_or("-");
    format!("{record} {path} {reference} {} {asserted}", edge.role)
}

/// Asserts that a text has these rows, read as a whole and byte by byte. Returns its faults.
#[track_caller]
fn check_rows(text: &str, wanted: &[&str]) -> StructureFaults {
    let (rows, faults) = read(text, &[], None);
    assert_eq!(rows, wanted, "{text}");
    let all: Vec<_> = (0..text.len()).collect();
    let (by_bytes, faults_by_bytes) = read(text, &all, None);
    assert_eq!(by_bytes, rows, "byte by byte: {text}");
    assert_eq!(faults_by_bytes, faults, "byte by byte: {text}");
    faults
}

#[track_caller]
pub(super) fn check(text: &str, wanted: &[&str]) {
    let faults = check_rows(text, wanted);
    assert_eq!(faults, StructureFaults::default(), "{text}");
}

/// Checks the rows of a broken text, and the offset of the first fault.
#[track_caller]
fn check_broken(text: &str, offset: usize, wanted: &[&str]) {
    let faults = check_rows(text, wanted);
    assert_eq!(faults.broken, Some(offset as u64), "{text}");
}

/// Checks the rows if an option sets the path of the identifier.
#[track_caller]
fn check_id(id: &str, text: &str, wanted: &[&str]) {
    let id = id.parse().unwrap();
    assert_eq!(read(text, &[], Some(&id)).0, wanted, "{text}");
}

#[test]
fn crossref_json() {
    check(
        r#"{"reference":[{"key":"10.1/k_1","DOI":"10.1000/B"},{"unstructured":"see 10.1000/c."},{"DOI":"10.1000\/d"}],"DOI":"10.1000/A",
            "URL":"https://doi.org/10.1000/a","relation":{"is-part-of":[{"id":"10.1000/e"}],"references":[{"id":"10.1000/f"}]},"abstract":"10.1000/g"}"#,
        &[
            "10.1000/b 10.1000/a /reference/0/DOI 0 reference asserted",
            "10.1000/c 10.1000/a /reference/1/unstructured 1 reference mined",
            "10.1000/d 10.1000/a /reference/2/DOI 2 reference asserted",
            "10.1000/a 10.1000/a /DOI - self asserted",
            "10.1000/a 10.1000/a /URL - self asserted",
            "10.1000/e 10.1000/a /relation/is-part-of/0/id - other asserted",
            "10.1000/f 10.1000/a /relation/references/0/id - reference asserted",
            "10.1000/g 10.1000/a /abstract - other mined",
        ],
    );
}

#[test]
fn a_name_that_a_reference_states_and_repeats_is_one_row() {
    check(
        r#"{"DOI":"10.1000/a","reference":[{"unstructured":"10.1000/b, 10.1000/c","DOI":"10.1000/B"},{"unstructured":"10.1000/b 10.1000/b"}]}"#,
        &[
            "10.1000/a 10.1000/a /DOI - self asserted",
            "10.1000/b repeated",
            "10.1000/c 10.1000/a /reference/0/unstructured 0 reference mined",
            "10.1000/b 10.1000/a /reference/0/DOI 0 reference asserted",
            "10.1000/b 10.1000/a /reference/1/unstructured 1 reference mined",
            "10.1000/b 10.1000/a /reference/1/unstructured 1 reference mined",
        ],
    );
}

#[test]
fn lists_of_records() {
    check(
        "{\"items\":[{\"DOI\":\"10.1000/a\",\"reference\":[{\"DOI\":\"10.1000/b\"}]},\n{\"reference\":[{\"DOI\":\"10.1000/c\"}],\"DOI\":\"10.1000/d\"}]}",
        &[
            "10.1000/a 10.1000/a /items/0/DOI - self asserted",
            "10.1000/b 10.1000/a /items/0/reference/0/DOI 0 reference asserted",
            "10.1000/c 10.1000/d /items/1/reference/0/DOI 0 reference asserted",
            "10.1000/d 10.1000/d /items/1/DOI - self asserted",
        ],
    );
    check(
        "[{\"id\":\"key\",\"note\":\"10.1000/x\"},{\"id\":7,\"note\":\"10.1000/y\"},{\"note\":\"10.1000/z\"},[\"10.1000/w\"]]",
        &[
            "10.1000/x key /0/note - other mined",
            "10.1000/y 7 /1/note - other mined",
            "10.1000/z - /2/note - other mined",
            "10.1000/w - /3/0 - other mined",
        ],
    );
}

#[test]
fn json_lines_name_no_record_before_them() {
    check(
        "{\"message\":{\"DOI\":\"10.1000/a\"}}\n\n{\"message\":{\"items\":[{\"DOI\":\"10.1000/b\"}],\"query\":\"10.1000/c\"}}\n",
        &[
            "10.1000/a 10.1000/a /message/DOI - self asserted",
            "10.1000/b 10.1000/b /message/items/0/DOI - self asserted",
            "10.1000/c - /message/query - other mined",
        ],
    );
}

#[test]
fn names_of_members_are_escaped_in_pointers() {
    check(
        r#"{"a/b":{"c~d":["10.1000/a",{"\u0065\"":"10.1000/b"}]},"10.1000/c":1,"":"10.1000/d"}"#,
        &[
            "10.1000/a - /a~1b/c~0d/0 - other mined",
            "10.1000/b - /a~1b/c~0d/1/e\" - other mined",
            "10.1000/c - - - other mined",
            "10.1000/d - / - other mined",
        ],
    );
}

#[test]
fn openalex_fatcat_and_datacite_json() {
    check(
        r#"{"id":"https://openalex.org/W1","doi":"https://doi.org/10.1000/A","referenced_works":["https://openalex.org/W2"],"ids":{"doi":"https://doi.org/10.1000/a"}}
{"refs":[{"extra":{"doi":"10.1000/b"}},{"key":"10.1000/k","extra":{"crossref":{"doi":"10.1000/f"}}}],"ext_ids":{"doi":null},"ident":"abc"}
{"id":"10.1000/c","attributes":{"doi":"10.1000/C","relatedIdentifiers":[{"relatedIdentifier":"10.1000/d","relationType":"IsPartOf"},{"relatedIdentifier":"10.1000/e","relationType":"Cites"}]}}
"#,
        &[
            "10.1000/a 10.1000/a /doi - self asserted",
            "10.1000/a 10.1000/a /ids/doi - self asserted",
            "10.1000/b abc /refs/0/extra/doi 0 reference asserted",
            "10.1000/f abc /refs/1/extra/crossref/doi 1 reference asserted",
            "10.1000/c 10.1000/c /id - self asserted",
            "10.1000/c 10.1000/c /attributes/doi - self asserted",
            "10.1000/d 10.1000/c /attributes/relatedIdentifiers/0/relatedIdentifier - other asserted",
            "10.1000/e 10.1000/c /attributes/relatedIdentifiers/1/relatedIdentifier 1 reference asserted",
        ],
    );
    check(
        r#"{"identifiers":[{"identifier":"ark:/1"},{"identifier":"10.1000/a","identifierType":"DOI"}],"titles":[{"title":"10.1000/t"}]}"#,
        &[
            "10.1000/a 10.1000/a /identifiers/1/identifier - self asserted",
            "10.1000/t 10.1000/a /titles/0/title - other mined",
        ],
    );
}

#[test]
fn commonmeta_zenodo_and_inveniordm_json() {
    check(
        r#"{"id":"https://doi.org/10.1000/A","references":[{"key":"b1","id":"https://doi.org/10.1000/b","title":"10.1000/t"}],
"relations":[{"id":"https://doi.org/10.1000/c","type":"HasReview"},{"type":"Cites","id":"https://doi.org/10.1000/d"}]}"#,
        &[
            "10.1000/a 10.1000/a /id - self asserted",
            "10.1000/b 10.1000/a /references/0/id 0 reference asserted",
            "10.1000/t 10.1000/a /references/0/title 0 reference mined",
            "10.1000/c 10.1000/a /relations/0/id - other asserted",
            "10.1000/d 10.1000/a /relations/1/id 1 reference asserted",
        ],
    );
    check(
        r#"{"hits":{"hits":[{"conceptdoi":"10.5281/zenodo.1","id":2,"doi":"10.5281/zenodo.2","links":{"doi":"https://doi.org/10.5281/zenodo.2"},
"metadata":{"doi":"10.5281/zenodo.2","references":["A (2001). 10.1000/a"],"related_identifiers":[
{"identifier":"10.1000/b","relation":"isSupplementTo","scheme":"doi"},{"identifier":"10.1000/c","relation":"cites"}]}}]}}"#,
        &[
            "10.5281/zenodo.1 10.5281/zenodo.2 /hits/hits/0/conceptdoi - other asserted",
            "10.5281/zenodo.2 10.5281/zenodo.2 /hits/hits/0/doi - self asserted",
            "10.5281/zenodo.2 10.5281/zenodo.2 /hits/hits/0/links/doi - self asserted",
            "10.5281/zenodo.2 10.5281/zenodo.2 /hits/hits/0/metadata/doi - self asserted",
            "10.1000/a 10.5281/zenodo.2 /hits/hits/0/metadata/references/0 0 reference mined",
            "10.1000/b 10.5281/zenodo.2 /hits/hits/0/metadata/related_identifiers/0/identifier - other asserted",
            "10.1000/c 10.5281/zenodo.2 /hits/hits/0/metadata/related_identifiers/1/identifier 1 reference asserted",
        ],
    );
    check(
        r#"{"id":"x7k","pids":{"doi":{"identifier":"10.1000/A","provider":"datacite"}},"metadata":{"references":[
{"reference":"B. https://doi.org/10.1000/b","identifier":"10.1000/b","scheme":"doi"}],"related_identifiers":[
{"identifier":"10.1000/c","relation_type":{"id":"references"}}]}}"#,
        &[
            "10.1000/a 10.1000/a /pids/doi/identifier - self asserted",
            "10.1000/b repeated",
            "10.1000/b 10.1000/a /metadata/references/0/identifier 0 reference asserted",
            "10.1000/c 10.1000/a /metadata/related_identifiers/0/identifier 0 reference asserted",
        ],
    );
}

#[test]
fn crossref_xml() {
    check(
        "<?xml version='1.0'?><OAI-PMH xmlns='a'><ListRecords><record><header><!-- 10.1000/z --><identifier>info:doi/10.1000/A</identifier></header>\
         <metadata><c:crossref><journal><journal_metadata><doi_data><doi>10.1000/j</doi></doi_data></journal_metadata><journal_article>\
         <doi_data><doi>10.1000/a</doi><resource>http://x.org/10.1000/a</resource></doi_data><citation_list>\
         <citation key='10.1000/a-1'><doi>10.1000/b</doi></citation><citation key=\"k\"><unstructured_citation>in 10.1000/c, 1</unstructured_citation></citation>\
         </citation_list></journal_article></journal></c:crossref></metadata></record></ListRecords></OAI-PMH>",
        &[
            "10.1000/z 10.1000/a /OAI-PMH/ListRecords/record/header - other mined",
            "10.1000/a 10.1000/a /OAI-PMH/ListRecords/record/header/identifier - self asserted",
            "10.1000/j 10.1000/j /OAI-PMH/ListRecords/record/metadata/c:crossref/journal/journal_metadata/doi_data/doi - self asserted",
            "10.1000/a 10.1000/a /OAI-PMH/ListRecords/record/metadata/c:crossref/journal/journal_article/doi_data/doi - self asserted",
            "10.1000/a 10.1000/a /OAI-PMH/ListRecords/record/metadata/c:crossref/journal/journal_article/doi_data/resource - self asserted",
            "10.1000/b 10.1000/a /OAI-PMH/ListRecords/record/metadata/c:crossref/journal/journal_article/citation_list/citation/doi 0 reference asserted",
            "10.1000/c 10.1000/a /OAI-PMH/ListRecords/record/metadata/c:crossref/journal/journal_article/citation_list/citation/unstructured_citation 1 reference mined",
        ],
    );
}

#[test]
fn jats() {
    check(
        "<article><front><article-meta><article-id pub-id-type=\"publisher-id\">x1</article-id>\
         <article-id pub-id-type='doi'>10.1000/A</article-id><related-article xlink:href=\"10.1000/r\"/></article-meta></front>\
         <body><p>See <ext-link ext-link-type=\"uri\" xlink:href=\"https://doi.org/10.1000/b\">10.1000/b</ext-link>.</p></body>\
         <back><ref-list><ref id='r1'><mixed-citation>In 10.1000/c. <ext-link ext-link-type=\"doi\">10.1000/c</ext-link></mixed-citation></ref>\
         <ref><element-citation><pub-id pub-id-type=\"pmid\">1</pub-id><pub-id pub-id-type=\"doi\">10.1000/d</pub-id></element-citation></ref></ref-list></back>\
         <sub-article id='s1'><front-stub><article-id>10.1000/a.s1</article-id></front-stub><back><ref-list><ref><pub-id pub-id-type=\"doi\">10.1000/e</pub-id></ref></ref-list></back></sub-article></article>",
        &[
            "10.1000/a 10.1000/a /article/front/article-meta/article-id - self asserted",
            "10.1000/r 10.1000/a /article/front/article-meta/related-article/@xlink:href - other asserted",
            "10.1000/b 10.1000/a /article/body/p/ext-link/@xlink:href - other asserted",
            "10.1000/b 10.1000/a /article/body/p/ext-link - other mined",
            "10.1000/c repeated",
            "10.1000/c 10.1000/a /article/back/ref-list/ref/mixed-citation/ext-link 0 reference asserted",
            "10.1000/d 10.1000/a /article/back/ref-list/ref/element-citation/pub-id 1 reference asserted",
            "10.1000/a.s1 10.1000/a.s1 /article/sub-article/front-stub/article-id - self asserted",
            "10.1000/e 10.1000/a.s1 /article/sub-article/back/ref-list/ref/pub-id 0 reference asserted",
        ],
    );
}

#[test]
fn datacite_xml() {
    check(
        "<resource xmlns=\"http://datacite.org/schema/kernel-4\"><identifier identifierType=\"DOI\">10.1000/A</identifier><relatedIdentifiers>\
         <relatedIdentifier relationType='IsPartOf' relatedIdentifierType='DOI'>10.1000/b</relatedIdentifier>\
         <relatedIdentifier relatedIdentifierType=\"DOI\" relationType=\"References\">10.1000/c</relatedIdentifier></relatedIdentifiers>\
         <descriptions><description>10.1000/d</description></descriptions></resource>",
        &[
            "10.1000/a 10.1000/a /resource/identifier - self asserted",
            "10.1000/b 10.1000/a /resource/relatedIdentifiers/relatedIdentifier - other asserted",
            "10.1000/c 10.1000/a /resource/relatedIdentifiers/relatedIdentifier 1 reference asserted",
            "10.1000/d 10.1000/a /resource/descriptions/description - other mined",
        ],
    );
}

/// Returns a page of a MediaWiki dump with this wikitext, escaped.
fn wiki_page(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    format!(
        "<mediawiki><page><title>P</title><revision><text>{text}</text></revision></page></mediawiki>"
    )
}

#[track_caller]
fn check_wiki(text: &str, wanted: &[&str]) {
    let wanted: Vec<_> = wanted
        .iter()
        .map(|row| row.replacen(' ', " P /mediawiki/page/revision/text", 1))
        .collect();
    let wanted: Vec<_> = wanted.iter().map(String::as_str).collect();
    check(&wiki_page(text), &wanted);
}

#[test]
fn references_of_wikitext() {
    check_wiki(
        "a 10.1000/a<ref>{{Cite journal |title={{lang|de|x}} [[l|m]] & | DOI = 10.1000/b |url=https://doi.org/10.1000/c}}</ref>\
         <ref name=x/><ref name=\"y\">B. 10.1000/d</ref> 10.1000/e <references/> 10.1000/f",
        &[
            "10.1000/a  - other mined",
            "10.1000/b /ref/Cite journal/DOI 0 reference asserted",
            "10.1000/c /ref/Cite journal/url 0 reference mined",
            "10.1000/d /ref 1 reference mined",
            "10.1000/e  - other mined",
            "10.1000/f  - other mined",
        ],
    );
}

#[test]
fn templates_of_wikitext() {
    check_wiki(
        "{{Infobox|a={{doi|10.1000/a}}|see=10.1000/b}} * {{cite book|x=1|doi=10.1000/c|id=10.1000/d}} 10.1000/e {{{x|10.1000/f}}}",
        &[
            "10.1000/a /doi 0 reference asserted",
            "10.1000/b /Infobox/see - other mined",
            "10.1000/c /cite book/doi 1 reference asserted",
            "10.1000/d /cite book/id 1 reference mined",
            "10.1000/e  - other mined",
            "10.1000/f  - other mined",
        ],
    );
}

#[test]
fn wikitext_that_is_not_closed() {
    check_wiki(
        "}} <ref>{{cite|doi=10.1000/a</ref> 10.1000/b <ref>{{x}}}} 10.1000/c <ref>10.1000/d</ref>|doi=10.1000/e{{c<!-- <ref> \
         10.1000/f --->}}10.1000/g<!-",
        &[
            "10.1000/a /ref/cite/doi 0 reference asserted",
            "10.1000/b  - other mined",
            "10.1000/c /ref 1 reference mined",
            "10.1000/d /ref 2 reference mined",
            "10.1000/e  - other mined",
            "10.1000/f /c - other mined",
            "10.1000/g  - other mined",
        ],
    );
}

#[test]
fn pubmed_and_mediawiki() {
    check(
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version='1'>77</PMID><Article><ELocationID EIdType=\"doi\">10.1000/a</ELocationID></Article>\
         </MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType=\"doi\">10.1000/a</ArticleId></ArticleIdList><ReferenceList><Reference>\
         <Citation>J. doi: 10.1000/b</Citation><ArticleIdList><ArticleId IdType='doi'>10.1000/b</ArticleId></ArticleIdList></Reference></ReferenceList>\
         </PubmedData></PubmedArticle></PubmedArticleSet>",
        &[
            "10.1000/a 77 /PubmedArticleSet/PubmedArticle/MedlineCitation/Article/ELocationID - self asserted",
            "10.1000/a 77 /PubmedArticleSet/PubmedArticle/PubmedData/ArticleIdList/ArticleId - self asserted",
            "10.1000/b repeated",
            "10.1000/b 77 /PubmedArticleSet/PubmedArticle/PubmedData/ReferenceList/Reference/ArticleIdList/ArticleId 0 reference asserted",
        ],
    );
    check(
        "<mediawiki><page><title>A &amp; B</title><revision><text>{{cite|doi=10.1000/a}}</text></revision></page><page><title>C</title>\
         <revision><text><![CDATA[<x>10.1000/b]]></text></revision></page></mediawiki>",
        &[
            "10.1000/a A & B /mediawiki/page/revision/text/cite/doi 0 reference asserted",
            "10.1000/b C /mediawiki/page/revision/text - other mined",
        ],
    );
}

#[test]
fn bibtex() {
    check(
        "% 10.1000/z\n@comment{ {10.1000/y} }\n@string{j = \"10.1000/x\"}\n@Article {Key:1 ,\n doi = {10.1000/A}, Note=\"see {10.1000/b}, \" # j # { 10.1000/c},\nURL = {https://doi.org/10.1000/a}\n}\n\
         @comment none\n@web_page(k2, abstract = {a (10.1000/d)})\ntext 10.1000/e",
        &[
            "10.1000/z - - - other mined",
            "10.1000/y - - - other mined",
            "10.1000/x - - - other mined",
            "10.1000/a Key:1 doi - self asserted",
            "10.1000/b Key:1 note - other mined",
            "10.1000/c Key:1 note - other mined",
            "10.1000/a Key:1 url - self asserted",
            "10.1000/d k2 abstract - other mined",
            "10.1000/e - - - other mined",
        ],
    );
}

#[test]
fn ris() {
    check(
        "TY  - JOUR\r\nID  - k\r\nAB  - in 10.1000/b,\r\n and 10.1000/c\r\nDO  - 10.1000/A\r\nUR  - https://doi.org/10.1000/a\r\nER  -\r\n\
         10.1000/z\nTY  - BOOK\nID  - k2\nN1  - 10.1000/d\nER  - \n",
        &[
            "10.1000/b 10.1000/a AB - other mined",
            "10.1000/c 10.1000/a AB - other mined",
            "10.1000/a 10.1000/a DO - self asserted",
            "10.1000/a 10.1000/a UR - self asserted",
            "10.1000/z - - - other mined",
            "10.1000/d k2 N1 - other mined",
        ],
    );
}

#[test]
fn other_documents_have_no_structure() {
    check(
        "see 10.1000/a and {10.1000/b}",
        &["10.1000/a - - - other mined", "10.1000/b - - - other mined"],
    );
}

#[test]
fn what_is_wanted_changes_no_fault() {
    // In the list, only mentions, or items and their details, are wanted.
    check(
        "{\"DOI\":\"10.1000/a\",\"reference\":[<b>10.1000/b</b>,{\"DOI\":\"10.1000/c\"}]}",
        &[
            "10.1000/a 10.1000/a /DOI - self asserted",
            "10.1000/b 10.1000/a /reference/0 0 reference mined",
            "10.1000/c 10.1000/a /reference/1/DOI 1 reference asserted",
        ],
    );
}

#[test]
fn broken_json() {
    // The second line ends early, in a string.
    check_broken(
        "{\"DOI\":\"10.1000/a\"}\n{\"DOI\":\"10.1000/b\",\"reference\":[{\"DOI\":\"10.1000/c\n{\"DOI\":\"10.1000/d\"}\n",
        69,
        &[
            "10.1000/a 10.1000/a /DOI - self asserted",
            "10.1000/b 10.1000/b /DOI - self asserted",
            "10.1000/c 10.1000/b /reference/0/DOI 0 reference asserted",
            "10.1000/d 10.1000/d /DOI - self asserted",
        ],
    );
    // An item of a list ends early; the next is on the next line.
    check_broken(
        "{\"items\":[{\"DOI\":\"10.1000/a\",\"reference\":[{\"DOI\":\"10.1000/b\"}\n{\"DOI\":\"10.1000/c\"},\n{\"DOI\":\"10.1000/d\"}]}",
        62,
        &[
            "10.1000/a 10.1000/a /items/0/DOI - self asserted",
            "10.1000/b 10.1000/a /items/0/reference/0/DOI 0 reference asserted",
            "10.1000/c 10.1000/c /DOI - self asserted",
            "10.1000/d 10.1000/d /DOI - self asserted",
        ],
    );
    // The document ends early.
    check_broken(
        "[{\"note\":\"10.1000/a\",\"DOI\":\"10.1000/b",
        37,
        &[
            "10.1000/a 10.1000/b /0/note - other mined",
            "10.1000/b 10.1000/b /0/DOI - self asserted",
        ],
    );
    // A bracket of the wrong kind; no line after it starts with an object.
    check_broken(
        "{\"a\":[\"10.1000/a\"}\n \"10.1000/b\"",
        17,
        &[
            "10.1000/a - /a/0 - other mined",
            "10.1000/b - - - other mined",
        ],
    );
}

#[test]
fn broken_xml_and_bibtex() {
    check_broken(
        "<a><record><header><identifier>10.1000/a</header></record><record><header><identifier>10.1000/b</identifier></x></header><t>10.1000/c</t></record></a>",
        48,
        &[
            "10.1000/a 10.1000/a /a/record/header/identifier - self asserted",
            "10.1000/b 10.1000/b /a/record/header/identifier - self asserted",
            "10.1000/c 10.1000/b /a/record/t - other mined",
        ],
    );
    check_broken(
        "@book{a,\n title = {x {y},\n doi = {10.1000/a}\n}\n\n@article{b,\n doi = {10.1000/b}}\n",
        48,
        &[
            "10.1000/a a title - other mined",
            "10.1000/b b doi - self asserted",
        ],
    );
}

#[test]
fn nesting_without_end() {
    let text = format!(
        "{{\"DOI\":\"10.1000/a\",\"x\":{}\"10.1000/b\"{},\"y\":\"10.1000/c\"}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let (rows, faults) = read(&text, &[], None);
    assert_eq!(faults, StructureFaults::default());
    assert_eq!(rows[0], "10.1000/a 10.1000/a /DOI - self asserted");
    assert!(
        rows[1].starts_with("10.1000/b 10.1000/a /x/0/0/0"),
        "{}",
        rows[1]
    );
    assert!(rows[1].len() < 600);
    assert_eq!(rows[2], "10.1000/c 10.1000/a /y - other mined");
    let deep = format!(
        "<article><article-id/>{}10.1000/b{}<p>10.1000/c</p></article>",
        "<b>".repeat(5000),
        "</b>".repeat(5000)
    );
    let (rows, faults) = read(&deep, &[], None);
    assert_eq!(faults, StructureFaults::default());
    assert!(rows[0].len() < 600);
    assert_eq!(rows[1], "10.1000/c - /article/p - other mined");
}

#[test]
fn places_are_the_same_without_paths() {
    let text = r#"{"reference":[{"a":"10.1000/a"},{"DOI":"10.1000/b"}],"DOI":"10.1000/c"}"#;
    let places = |wanted: &Arc<StructureRequest>| {
        let (anchors, mut rows) = found(text);
        let mut join = join(Some(Syntax::Json), wanted);
        for FoundAnchor { name, .. } in anchors {
            join.read(text.as_bytes(), 0, name.offset, &mut rows);
            join.look(text.as_bytes(), name.offset as usize);
            join.row(name, RowOrigin::Scanned, None, &mut rows);
        }
        join.end(&mut rows);
        let places = written(&rows, |edge| {
            let place = line(&RowEdge { path: None, ..edge });
            (edge.path.is_some(), place)
        });
        let places = places.into_iter().map(|(_, place)| place);
        places.unzip::<_, _, Vec<_>, Vec<_>>()
    };
    let (with, without) = (places(&wanted(None)), places(&Arc::default()));
    assert_eq!((with.0, without.0), (vec![true; 3], vec![false; 3]));
    assert_eq!(with.1, without.1);
}

#[test]
fn rows_wait_for_an_identifier_up_to_a_number() {
    let text = r#"{"a":"10.1000/a","DOI":"10.1000/b"}"#;
    let mut join = join(Some(Syntax::Json), &wanted(None));
    let (anchors, mut rows) = found(text);
    join.read(text.as_bytes(), 0, 6, &mut rows);
    for _ in 0..MAX_UNDECIDED_ROWS + 2 {
        join.row(anchors[0].name, RowOrigin::Scanned, None, &mut rows);
    }
    join.read(text.as_bytes(), 0, 24, &mut rows);
    join.row(anchors[1].name, RowOrigin::Scanned, None, &mut rows);
    join.read(text.as_bytes(), 0, text.len() as u64, &mut rows);
    let faults = join.end(&mut rows);
    assert_eq!((faults.undecided, faults.count), (1, 0));
    let records = written(&rows, |edge| edge.record.map(str::to_owned));
    let (first, rest) = records.split_at(MAX_UNDECIDED_ROWS);
    assert!(first.iter().all(|(_, record)| record.is_none()));
    let rest: Vec<_> = rest.iter().flat_map(|(_, record)| record).collect();
    assert_eq!(rest, ["10.1000/b"; 3]);
}

#[test]
fn names_of_elements_that_are_forgotten_still_close_them() {
    let many: String = (0..3000).map(|n| format!("<e{n}></e{n}>")).collect();
    let text = format!(
        "<article><x:an-outer-element-name>{many}<p>10.1000/a</p></x:an-outer-element-name></article>"
    );
    check(
        &text,
        &["10.1000/a - /article/x:an-outer-element-name/p - other mined"],
    );
}

#[test]
fn an_option_says_where_identifiers_are() {
    check_id(
        "/meta/key",
        r#"{"DOI":"10.1000/a","meta":{"key":"x"}}"#,
        &["10.1000/a x /DOI - self asserted"],
    );
    check_id(
        "/ids/*/v",
        r#"[{"ids":[{"v":5}],"t":"10.1000/a"}]"#,
        &["10.1000/a 5 /0/t - other mined"],
    );
    check_id(
        "/meta/@key",
        "<all><rec><meta key='x'/><t>10.1000/a</t></rec><rec><meta key='y'/></rec></all>",
        &["10.1000/a x /all/rec/t - other mined"],
    );
    check_id(
        "/isbn",
        "@book{k, doi={10.1000/a}, isbn = {1-2}}",
        &["10.1000/a 1-2 doi - self asserted"],
    );
    check_id(
        "/AN",
        "TY  - A\nDO  - 10.1000/a\nAN  - 9\nER  - \n",
        &["10.1000/a 9 DO - self asserted"],
    );
    for wrong in ["", "/", "DOI", "/a//b", "/a/"] {
        assert!(wrong.parse::<RecordId>().is_err(), "{wrong}");
    }
}

/// Pieces of structured texts, whole and broken.
const PIECES: [&str; 34] = [
    "{\"DOI\":\"10.1000/a\"",
    ",\"reference\":[",
    "{\"DOI\":\"10.1000/b\"}",
    "]}",
    "\n",
    "\"x\\\"y\":",
    "{\"k\":[1,2,{\"n\":\"10.1000/c\"}],\"m\":null}",
    ",",
    "<record>",
    "<header><identifier>10.1000/d</identifier></header>",
    "<citation_list><citation key='10.1000/k'>",
    "<doi>10.1000/e</doi>",
    "</citation></citation_list>",
    "</record>",
    "<!-- 10.1000/f -- > -->",
    "<![CDATA[ ]] 10.1000/g ]]>",
    "@article{k,\n",
    "doi = {10.1000/h}",
    "}\n",
    "\"",
    "TY  - X\n",
    "DO  - 10.1000/i\n",
    "ER  - \n",
    "<relatedIdentifier relationType=\"Cites\">10.1000/j</relatedIdentifier>",
    "<ab:an-element-of-a-long-name a='>' b=\"/\" c=d/>",
    "<citation key='k' key=\"10.1000/l\"/><a \"x>y\">",
    "<ref-list><ref id='a'><ext-link x:href='10.1000/m'",
    ">",
    "title = \"a {b} \\\" c\" # {10.1000/n},\n @",
    ",\"a\":[[1,\"]}\\\"\",{\"b\":\"10.1000/o\",\"c\":{}}],",
    "{\"key\":\"10.1000/p\",\"year\":\"2001\", \"unstructured\" : \"a \\\\\\\" 10.1000/q\",\"DOI\" :\"10.1000/r\"}",
    "\"a text that is longer than a block of sixty-four bytes, with a name, 10.1000/t, and marks: {}[],\"",
    "\n{",
    "\"\\\n",
];
const STARTS: [&str; 5] = [
    "{\"items\":[",
    "{\"DOI\":\"10.1000/s\"}\n",
    "<?xml version='1.0'?><all>",
    "@article{s, doi = {10.1000/s}}\n",
    "TY  - S\n",
];

proptest! {
    #[test]
    fn pieces_change_nothing(start in prop::sample::select(&STARTS[..]), pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..30), stops in prop::collection::vec(any::<usize>(), 0..30)) {
        let text = format!("{start}{}", pieces.concat());
        let all: Vec<_> = (0..text.len()).collect();
        let whole = read(&text, &[], None);
        prop_assert_eq!(&read(&text, &stops, None), &whole, "{}", text);
        prop_assert_eq!(&read(&text, &all, None), &whole, "{}", text);
        let without_paths = |stops: &[usize]| read_for(&Arc::default(), &text, stops);
        let whole = without_paths(&[]);
        prop_assert_eq!(&without_paths(&stops), &whole, "{}", text);
        prop_assert_eq!(&without_paths(&all), &whole, "{}", text);
    }

    #[test]
    fn lines_of_json_are_independent(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..30)) {
        let text = format!("{}{}", STARTS[1], pieces.concat());
        prop_assert!(Structure::starts_json_lines(text.as_bytes()));
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|line| line + 1);
        let ends: Vec<_> = lines.chain([text.len()]).collect();
        for wanted in [Arc::default(), wanted(None), more_wanted(None)] {
            let whole = read_for(&wanted, &text, &[]);
            prop_assert_eq!(read_parts(&wanted, &text, &[], &ends), whole, "{}", text);
        }
    }
}
