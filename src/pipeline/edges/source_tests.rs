//! Small texts in the layouts of the sources that people mine, with the places of their names.

use super::tests::check;

#[test]
fn semantic_scholar() {
    check(
        r#"{"paperId":"s1","externalIds":{"MAG":"7","DOI":"10.1000/A"},"references":[{"paperId":"s2","externalIds":{"DOI":"10.1000/b"}},
            {"paperId":null,"title":"10.1000/c"}],"citations":[{"externalIds":{"DOI":"10.1000/d"}}]}"#,
        &[
            "10.1000/a 10.1000/a /externalIds/DOI - self asserted",
            "10.1000/b 10.1000/a /references/0/externalIds/DOI 0 reference asserted",
            "10.1000/c 10.1000/a /references/1/title 1 reference mined",
            "10.1000/d 10.1000/a /citations/0/externalIds/DOI - other asserted",
        ],
    );
    check(
        r#"{"offset":0,"data":[{"citedPaper":{"paperId":"s2","externalIds":{"DOI":"10.1000/b"}}},{"citingPaper":{"externalIds":{"DOI":"10.1000/d"}}}]}"#,
        &[
            "10.1000/b - /data/0/citedPaper/externalIds/DOI - reference asserted",
            "10.1000/d - /data/1/citingPaper/externalIds/DOI - other asserted",
        ],
    );
    check(
        "{\"corpusid\":1,\"externalids\":{\"DOI\":\"10.1000/a\"}}\n{\"paper_id\":\"x\",\"bib_entries\":{\"BIBREF0\":{\"other_ids\":{\"DOI\":[\"10.1000/b\"]}}}}\n",
        &[
            "10.1000/a 10.1000/a /externalids/DOI - self asserted",
            "10.1000/b x /bib_entries/BIBREF0/other_ids/DOI/0 - reference asserted",
        ],
    );
}

#[test]
fn europe_pmc() {
    check(
        r#"{"request":{"id":"11","source":"MED"},"referenceList":{"reference":[{"id":"12","title":"t"},{"doi":"10.1000/b","citedOrder":2}]}}"#,
        &["10.1000/b 11 /referenceList/reference/1/doi 1 reference asserted"],
    );
    check(
        r#"{"resultList":{"result":[{"id":"11","doi":"10.1000/a","fullTextUrlList":{"fullTextUrl":[{"url":"https://doi.org/10.1000/a"}]}}]}}"#,
        &[
            "10.1000/a 10.1000/a /resultList/result/0/doi - self asserted",
            "10.1000/a 10.1000/a /resultList/result/0/fullTextUrlList/fullTextUrl/0/url - self asserted",
        ],
    );
    check(
        "<responseWrapper><request><id>11</id></request><referenceList><reference><title>t</title></reference><reference><doi>10.1000/b</doi></reference>\
         </referenceList></responseWrapper>",
        &["10.1000/b 11 /responseWrapper/referenceList/reference/doi 1 reference asserted"],
    );
    check(
        "<responseWrapper><resultList><result><id>11</id><doi>10.1000/a</doi></result></resultList></responseWrapper>",
        &["10.1000/a 10.1000/a /responseWrapper/resultList/result/doi - self asserted"],
    );
}

#[test]
fn ads_and_inspire() {
    check(
        r#"{"response":{"docs":[{"bibcode":"2020A","doi":["10.1000/a"],"identifier":["10.1000/a","2020A"],"reference":["2019B"]},{"bibcode":"2020C","abstract":"10.1000/x"}]}}"#,
        &[
            "10.1000/a 10.1000/a /response/docs/0/doi/0 - self asserted",
            "10.1000/a 10.1000/a /response/docs/0/identifier/0 - self asserted",
            "10.1000/x 2020C /response/docs/1/abstract - other mined",
        ],
    );
    check(
        r#"{"hits":{"hits":[{"id":"5","metadata":{"references":[{"reference":{"label":"1","title":{"title":"t"}}},{"reference":{"dois":["10.1000/b"],"misc":["10.1000/c"]}}],
            "dois":[{"value":"10.1000/A","material":"publication"}]}}]}}"#,
        &[
            "10.1000/b 10.1000/a /hits/hits/0/metadata/references/1/reference/dois/0 1 reference asserted",
            "10.1000/c 10.1000/a /hits/hits/0/metadata/references/1/reference/misc/0 1 reference mined",
            "10.1000/a 10.1000/a /hits/hits/0/metadata/dois/0/value - self asserted",
        ],
    );
    check(
        r#"{"control_number":5,"references":[{"reference":{"dois":["10.1000/b"]}}]}"#,
        &["10.1000/b 5 /references/0/reference/dois/0 0 reference asserted"],
    );
}

#[test]
fn wikidata_openalex_and_opencitations() {
    check(
        "[\n{\"id\":\"Q1\",\"claims\":{\"P356\":[{\"mainsnak\":{\"datavalue\":{\"value\":\"10.1000/A\",\"type\":\"string\"}}}],\
         \"P31\":[{\"references\":[{\"snaks\":{\"P356\":[{\"datavalue\":{\"value\":\"10.1000/s\"}}]}}]}]}},\n{\"id\":\"Q2\",\"claims\":[],\"labels\":{\"en\":{\"value\":\"10.1000/x\"}}}\n]\n",
        &[
            "10.1000/a 10.1000/a /0/claims/P356/0/mainsnak/datavalue/value - self asserted",
            "10.1000/s 10.1000/a /0/claims/P31/0/references/0/snaks/P356/0/datavalue/value - other asserted",
            "10.1000/x Q2 /1/labels/en/value - other mined",
        ],
    );
    check(
        r#"{"entities":{"Q1":{"id":"Q1","claims":{"P356":[{"mainsnak":{"datavalue":{"value":"10.1000/A"}}}]}}}}"#,
        &[
            "10.1000/a 10.1000/a /entities/Q1/claims/P356/0/mainsnak/datavalue/value - self asserted",
        ],
    );
    check(
        r#"{"id":"https://openalex.org/W1","doi":"https://doi.org/10.1000/a","locations":[{"landing_page_url":"https://doi.org/10.1000/a"}],"open_access":{"oa_url":"https://doi.org/10.1000/a"}}"#,
        &[
            "10.1000/a 10.1000/a /doi - self asserted",
            "10.1000/a 10.1000/a /locations/0/landing_page_url - self asserted",
            "10.1000/a 10.1000/a /open_access/oa_url - self asserted",
        ],
    );
    check(
        r#"[{"oci":"1-2","citing":"10.1000/a","cited":"10.1000/b"}]"#,
        &[
            "10.1000/a 10.1000/a /0/citing - self asserted",
            "10.1000/b 10.1000/a /0/cited - reference asserted",
        ],
    );
}

#[test]
fn grobid_and_hal() {
    check(
        "<TEI><teiHeader><fileDesc><sourceDesc><biblStruct><analytic><title>t</title><idno type=\"DOI\">10.1000/A</idno></analytic><monogr><idno type=\"ISSN\">1</idno></monogr>\
         </biblStruct></sourceDesc></fileDesc></teiHeader><text><back><div type=\"references\"><listBibl><biblStruct xml:id=\"b0\"><analytic>\
         <idno type=\"DOI\">10.1000/b</idno><ptr target=\"https://doi.org/10.1000/b\"/></analytic></biblStruct><biblStruct xml:id=\"b1\"><note type=\"raw_reference\">see 10.1000/c</note>\
         </biblStruct></listBibl></div></back></text></TEI>",
        &[
            "10.1000/a 10.1000/a /TEI/teiHeader/fileDesc/sourceDesc/biblStruct/analytic/idno - self asserted",
            "10.1000/b 10.1000/a /TEI/text/back/div/listBibl/biblStruct/analytic/idno 0 reference asserted",
            "10.1000/b 10.1000/a /TEI/text/back/div/listBibl/biblStruct/analytic/ptr/@target 0 reference asserted",
            "10.1000/c 10.1000/a /TEI/text/back/div/listBibl/biblStruct/note 1 reference mined",
        ],
    );
    check(
        "<TEI><text><body><listBibl><biblFull><publicationStmt><idno type=\"halId\">hal-1</idno></publicationStmt><sourceDesc><biblStruct><idno type=\"doi\">10.1000/a</idno>\
         </biblStruct></sourceDesc></biblFull><biblFull><publicationStmt><idno type=\"halId\">hal-2</idno></publicationStmt><p>10.1000/x</p></biblFull></listBibl></body></text></TEI>",
        &[
            "10.1000/a 10.1000/a /TEI/text/body/listBibl/biblFull/sourceDesc/biblStruct/idno - self asserted",
            "10.1000/x hal-2 /TEI/text/body/listBibl/biblFull/p - other mined",
        ],
    );
}

#[test]
fn mods_and_deposits() {
    check(
        "<mods:modsCollection xmlns:mods='m'><mods:mods><mods:identifier type='issn'>1-2</mods:identifier><mods:identifier type='doi'>10.1000/a</mods:identifier>\
         <mods:relatedItem type='host'><mods:identifier type='doi'>10.1000/h</mods:identifier></mods:relatedItem><mods:relatedItem type='references'>\
         <mods:identifier type='doi'>10.1000/b</mods:identifier></mods:relatedItem></mods:mods></mods:modsCollection>",
        &[
            "10.1000/a 10.1000/a /mods:modsCollection/mods:mods/mods:identifier - self asserted",
            "10.1000/h 10.1000/a /mods:modsCollection/mods:mods/mods:relatedItem/mods:identifier - other asserted",
            "10.1000/b 10.1000/a /mods:modsCollection/mods:mods/mods:relatedItem/mods:identifier 1 reference asserted",
        ],
    );
    check(
        "<doi_batch><head><depositor>10.1000/x</depositor></head><body><journal><journal_article><doi_data><doi>10.1000/a</doi><resource>https://example.org/10.1000/a</resource></doi_data>\
         <citation_list><citation key='k1'><unstructured_citation>see 10.1000/c</unstructured_citation></citation><citation key='k2'><doi>10.1000/b</doi></citation></citation_list>\
         </journal_article></journal></body></doi_batch>",
        &[
            "10.1000/x - /doi_batch/head/depositor - other mined",
            "10.1000/a 10.1000/a /doi_batch/body/journal/journal_article/doi_data/doi - self asserted",
            "10.1000/a 10.1000/a /doi_batch/body/journal/journal_article/doi_data/resource - self asserted",
            "10.1000/c 10.1000/a /doi_batch/body/journal/journal_article/citation_list/citation/unstructured_citation 0 reference mined",
            "10.1000/b 10.1000/a /doi_batch/body/journal/journal_article/citation_list/citation/doi 1 reference asserted",
        ],
    );
}

#[test]
fn tagged_records_of_pubmed_and_endnote() {
    check(
        "PMID- 11\nOWN - NLM\nLID - 10.1000/A [doi]\nAB  - in 10.1000/x\n      and 10.1000/y\nAID - S1 [pii]\nSO  - J. doi: 10.1000/a.\n\nPMID- 12\nLID - 10.1000/b [doi]\n",
        &[
            "10.1000/a 11 LID - self asserted",
            "10.1000/x 11 AB - other mined",
            "10.1000/y 11 AB - other mined",
            "10.1000/a 11 SO - other mined",
            "10.1000/b 12 LID - self asserted",
        ],
    );
    check(
        "%0 Book\n%T 10.1000/x\n%R 10.1000/A\n%U https://doi.org/10.1000/a\n\n%0 Book\n%F key\n%X 10.1000/y\n",
        &[
            "10.1000/x 10.1000/a T - other mined",
            "10.1000/a 10.1000/a R - self asserted",
            "10.1000/a 10.1000/a U - self asserted",
            "10.1000/y key X - other mined",
        ],
    );
}

#[test]
fn web_of_science() {
    check(
        "FN Clarivate Analytics Web of Science\r\nVR 1.0\r\nPT J\r\nAB 10.1000/x\r\nCR Miller A, 2001, J, V1\r\n   10.1000/b\r\n   Smith B, 2002, J, DOI 10.1000/c\r\n   [DOI 10.1000/d,\r\n\
         NR 4\r\nDI 10.1000/A\r\nD2 10.1000/h\r\nUT WOS:1\r\nER\r\n\r\nPT J\r\nCR DOI 10.1000/e\r\nUT WOS:2\r\nER\r\n\r\nEF 10.1000/z",
        &[
            "10.1000/x 10.1000/a AB - other mined",
            "10.1000/b 10.1000/a CR 1 reference mined",
            "10.1000/c 10.1000/a CR 2 reference mined",
            "10.1000/d 10.1000/a CR 3 reference mined",
            "10.1000/a 10.1000/a DI - self asserted",
            "10.1000/h 10.1000/a D2 - other asserted",
            "10.1000/e WOS:2 CR 0 reference mined",
            "10.1000/z - - - other mined",
        ],
    );
}

#[test]
fn references_in_a_field_of_bibtex() {
    check(
        "@ARTICLE{k1, doi={10.1000/A}, references={Miller A., T (2001), https://doi.org/10.1000/b; {Smith} B., doi: 10.1000/c; 10.1000/d}, note=\"10.1000/x\"}\n\
         @article{k2,\n Cited-References = {{Miller A, 2001, J;\n   10.1000/e.\n   Smith B, DOI 10.1000/f.}},\n DOI = {10.1000/G}\n}\n@article{k3, references = \"10.1000/h\"}",
        &[
            "10.1000/a k1 doi - self asserted",
            "10.1000/b k1 references 0 reference mined",
            "10.1000/c k1 references 1 reference mined",
            "10.1000/d k1 references 2 reference mined",
            "10.1000/x k1 note - other mined",
            "10.1000/e k2 cited-references 1 reference mined",
            "10.1000/f k2 cited-references 2 reference mined",
            "10.1000/g k2 doi - self asserted",
            "10.1000/h k3 references 0 reference mined",
        ],
    );
}

#[test]
fn citation_file() {
    check(
        "# 10.1000/z\ncff-version: 1.2.0\nmessage: >-\n  If you use it, cite\n  10.1000/m: please.\ndoi: 10.1000/A # 10.1000/y\nidentifiers:\n- type: doi\n  value: \"10.1000/a\"\n\
         - description: x\n  value: 10.1000/i\nrepository-code: 'https://example.org/10.1000/r'\npreferred-citation:\n  type: article\n  doi: 10.1000/p\n\
         references:\n  - type: article\n    title: t\n      10.1000/t\n    authors:\n      - name: 10.1000/n\n  - doi: https://doi.org/10.1000/b\n    identifiers:\n      - value: 10.1000/c\n\
         keywords:\r\n  - 10.1000/k\r\n",
        &[
            "10.1000/z - - - other mined",
            "10.1000/m 10.1000/a /message - other mined",
            "10.1000/a 10.1000/a /doi - self asserted",
            "10.1000/y 10.1000/a - - other mined",
            "10.1000/a 10.1000/a /identifiers/0/value - self asserted",
            "10.1000/i 10.1000/a /identifiers/1/value - self asserted",
            "10.1000/r 10.1000/a /repository-code - self asserted",
            "10.1000/p 10.1000/a /preferred-citation/doi - other asserted",
            "10.1000/t 10.1000/a /references/0/title 0 reference mined",
            "10.1000/n 10.1000/a /references/0/authors/0/name 0 reference mined",
            "10.1000/b 10.1000/a /references/1/doi 1 reference asserted",
            "10.1000/c 10.1000/a /references/1/identifiers/0/value 1 reference asserted",
            "10.1000/k 10.1000/a /keywords/0 - other mined",
        ],
    );
}
