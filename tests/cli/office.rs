//! Office documents: the texts of paragraphs and cells, and losses of damaged ones.

use crate::containers::zip;
use crate::place::{Place, Seen};

const W: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";
const S: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
const O: &str = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
    xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
    xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" \
    xmlns:xlink=\"http://www.w3.org/1999/xlink\"";

pub fn docx(body: &str) -> Vec<u8> {
    let xml =
        format!("<?xml version=\"1.0\"?><w:document {W}><w:body>{body}</w:body></w:document>");
    zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", xml.as_bytes()),
    ])
}

pub fn odt(body: &str) -> Vec<u8> {
    let xml = format!(
        "<office:document-content {O}><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("content.xml", xml.as_bytes()),
    ])
}

pub fn ods(sheets: &str) -> Vec<u8> {
    let xml = format!(
        "<office:document-content {O}><office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body></office:document-content>"
    );
    zip(&[
        (
            "mimetype",
            b"application/vnd.oasis.opendocument.spreadsheet",
        ),
        ("content.xml", xml.as_bytes()),
    ])
}

/// Returns a flat OpenDocument of this kind, with a description.
fn flat(kind: &str, description: &str, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<!-- a document --><office:document {O} office:mimetype=\"application/vnd.oasis.opendocument.{kind}\">\
         <office:meta><meta:generator>x</meta:generator><dc:description>{description}</dc:description></office:meta>\
         <office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    )
}

/// Returns a workbook whose second sheet is called `Data & more`.
pub fn xlsx(sheet: &str, strings: &str) -> Vec<u8> {
    let sheet = format!("<worksheet {S}><sheetData>{sheet}</sheetData></worksheet>");
    let strings = format!("<sst {S}>{strings}</sst>");
    let book = format!(
        "<workbook {S}><sheets><sheet name=\"One\" sheetId=\"1\" r:id=\"rId1\"/><sheet name=\"Data &amp; more\" sheetId=\"2\" r:id=\"rId2\"/></sheets></workbook>"
    );
    let targets = "<Relationships><Relationship Id=\"rId2\" Target=\"worksheets/sheet2.xml\"/><Relationship Id=\"rId1\" Target=\"/xl/worksheets/sheet1.xml\"/></Relationships>";
    zip(&[
        ("xl/worksheets/sheet2.xml", sheet.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", targets.as_bytes()),
        ("xl/sharedStrings.xml", strings.as_bytes()),
    ])
}

fn run(text: &str) -> String {
    format!("<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

/// Returns the names found in a file, with a question mark after guessed ones.
fn found(bytes: &[u8]) -> Vec<String> {
    let place = Place::new();
    place.file("in", bytes);
    let seen = place.scan("in --mentions").quiet();
    let guessed = |row: &serde_json::Value| row["guessed"].as_bool().unwrap_or(false);
    let name = |row: &serde_json::Value| row["doi"].as_str().unwrap_or_default().to_owned();
    let rows = seen.rows();
    let mark = |row| name(row) + if guessed(row) { "?" } else { "" };
    rows.iter().map(mark).collect()
}

#[test]
fn a_name_split_over_runs_is_whole() {
    let body = format!(
        "<w:p>{}<w:proofErr w:type=\"spellStart\"/>{}{}</w:p>",
        run("see doi:10.1038/nature"),
        run("076"),
        run("34, and")
    );
    assert_eq!(found(&docx(&body)), ["10.1038/nature07634"]);
    let spans = "<text:p>see doi:10.1038/nature<text:span text:style-name=\"T1\">076</text:span>34, and</text:p>";
    assert_eq!(found(&odt(spans)), ["10.1038/nature07634"]);
}

#[test]
fn paragraphs_tabs_and_breaks_bound_names() {
    for between in ["</w:p><w:p>", "<w:r><w:tab/></w:r>", "<w:r><w:br/></w:r>"] {
        let body = format!("<w:p>{}{between}{}</w:p>", run("10.5555/abc"), run("def"));
        assert_eq!(found(&docx(&body)), ["10.5555/abc"], "{between}");
    }
    for between in [
        "</text:p><text:p>",
        "<text:tab/>",
        "<text:line-break/>",
        "<text:s/>",
    ] {
        let body = format!("<text:p>10.5555/abc{between}def</text:p>");
        assert_eq!(found(&odt(&body)), ["10.5555/abc"], "{between}");
    }
}

#[test]
fn deleted_text_is_left_out_and_inserted_text_is_read() {
    let body = format!(
        "<w:p>{}<w:del><w:r><w:delText>xx</w:delText><w:tab/></w:r></w:del><w:moveFrom>{}</w:moveFrom><w:ins>{}</w:ins></w:p>\
         <w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{}</w:p><w:p>{}</w:p>",
        run("10.5555/ab"),
        run("yy"),
        run("c1"),
        run("10.5555/jo"),
        run("ined")
    );
    assert_eq!(found(&docx(&body)), ["10.5555/abc1", "10.5555/joined"]);
    let body = "<text:tracked-changes><text:changed-region><text:deletion><text:p>10.5555/gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>10.5555/ab<text:change text:change-id=\"c\"/>c1</text:p>";
    assert_eq!(found(&odt(body)), ["10.5555/abc1"]);
}

#[test]
fn field_codes_and_link_targets_are_texts_of_their_own() {
    let code = |text: &str| format!("<w:r><w:instrText>{text}</w:instrText></w:r>");
    let mark = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let body = format!(
        "<w:p>{}{}{}{}{}{}{}{}</w:p>",
        run("10.5555/ab"),
        mark("begin"),
        code(" HYPERLINK \"https://doi.org/10.5555/co"),
        code("de\" "),
        mark("separate"),
        run("c.1"),
        mark("end"),
        run("2")
    );
    assert_eq!(found(&docx(&body)), ["10.5555/abc.12", "10.5555/code"]);
    let body = "<text:p>10.5555/ab<text:a xlink:href=\"https://doi.org/10.5555/link\">c.1</text:a>2</text:p>";
    assert_eq!(found(&odt(body)), ["10.5555/abc.12", "10.5555/link"]);
}

#[test]
fn data_of_a_program_for_references_is_a_text_of_its_own() {
    let body = "<text:p>(<text:reference-mark-start text:name=\"ZOTERO_ITEM CSL_CITATION {&quot;DOI&quot;:&quot;10.5555/item&quot;} RNDx\"/>One, 2020<text:reference-mark-end text:name=\"ZOTERO_ITEM CSL_CITATION {&quot;DOI&quot;:&quot;10.5555/item&quot;} RNDx\"/>)</text:p>";
    assert_eq!(found(&odt(body)), ["10.5555/item"]);
}

#[test]
fn notes_and_boxes_within_a_paragraph_do_not_cut_it() {
    let body = format!(
        "<w:p>{}<w:r><mc:AlternateContent xmlns:mc=\"m\"><mc:Choice><w:txbxContent><w:p>{}</w:p></w:txbxContent></mc:Choice><mc:Fallback><w:p>{}</w:p></mc:Fallback></mc:AlternateContent></w:r>{}</w:p>",
        run("10.5555/ou"),
        run("10.5555/box"),
        run("10.5555/box"),
        run("ter")
    );
    assert_eq!(found(&docx(&body)), ["10.5555/box", "10.5555/outer"]);
    let body = "<text:p>10.5555/ou<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>10.5555/note</text:p></text:note-body></text:note>ter</text:p>";
    assert_eq!(found(&odt(body)), ["10.5555/note", "10.5555/outer"]);
}

#[test]
fn cells_are_documents_with_their_sheet_and_place() {
    let place = Place::new();
    let sheet = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>1</v></c><c t=\"s\"><v>0</v></c><c><v>10.5</v></c></row>\
        <row r=\"7\"><c r=\"AB7\" t=\"inlineStr\"><is><r><t>10.5555/in</t></r><r><t>line</t></r></is></c></row>\
        <row><c t=\"str\"><f>HYPERLINK(\"https://doi.org/10.5555/target\",\"x\")</f><v>10.5555/result</v></c></row>";
    let strings = "<si><t>10.5555/plain</t></si>\
        <si><r><rPr><b/></rPr><t>10.5555/ri</t></r><r><t>ch_x000D_</t></r><rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></si>";
    place.file("in", xlsx(sheet, strings));
    for line in ["in --mentions -j1", "in --mentions -j2 --memory 64M"] {
        let seen = place.scan(line).quiet();
        let names = ["rich", "plain", "inline", "result", "target"];
        assert_eq!(
            seen.field("doi"),
            names.map(|name| format!("10.5555/{name}"))
        );
        let cells = ["A1", "B1", "AB7", "A8", "A8#formula"];
        assert_eq!(
            seen.field("document"),
            cells.map(|cell| format!("Data & more!{cell}"))
        );
        assert!(
            seen.rows().iter().all(|row| row["guessed"] != true),
            "{}",
            seen.out
        );
    }
}

#[test]
fn broken_xml_is_an_error_with_its_member_and_ends_it() {
    let place = Place::new();
    let body = format!(
        "<w:p>{}</w:p><w:p>{}</w:q>{}</w:p>",
        run("10.5555/one"),
        run("10.5555/tw"),
        run("o")
    );
    place.file("broken.docx", docx(&body));
    let seen = place.scan("broken.docx -f names");
    assert_eq!(seen.out, "10.5555/one\n");
    assert_eq!(seen.code, Some(1));
    assert!(seen.err.contains("word/document.xml"), "{}", seen.err);
    let sheet = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>9</v></c><c r=\"B1\" t=\"str\"><v>10.5555/one</v></c></row>";
    place.file("broken.xlsx", xlsx(sheet, "<si><t>x</t></si>"));
    let seen = place.scan("broken.xlsx -f names");
    assert_eq!((seen.out.as_str(), seen.code), ("10.5555/one\n", Some(1)));
    assert!(
        seen.err.contains("xl/worksheets/sheet2.xml: at byte"),
        "{}",
        seen.err
    );
    assert!(seen.err.contains("shared text is missing"), "{}", seen.err);
}

#[test]
fn cells_of_opendocument_are_documents_with_their_sheet_and_place() {
    let place = Place::new();
    let rows = "<table:table-row table:number-rows-repeated=\"3\"><table:table-cell table:number-columns-repeated=\"1000000\"/></table:table-row>\
        <table:table-row><table:table-cell table:number-columns-repeated=\"2\"/><table:table-cell office:value-type=\"string\"><text:p>10.5555/sp<text:span>an.1</text:span></text:p></table:table-cell>\
        <table:covered-table-cell/><table:table-cell office:value-type=\"float\"><text:p>10.5</text:p></table:table-cell>\
        <table:table-cell table:formula=\"of:=HYPERLINK(&quot;https://doi.org/10.5555/formula&quot;;1)\" office:value-type=\"float\"><office:annotation><text:p>10.5555/note</text:p></office:annotation><text:p><text:a xlink:href=\"https://doi.org/10.5555/link\">1</text:a></text:p></table:table-cell></table:table-row>";
    let sheets = format!(
        "<table:table table:name=\"A\">{rows}</table:table><table:table table:name=\"B C\"><table:table-row><table:table-cell><text:p>10.5555/b</text:p></table:table-cell></table:table-row></table:table>"
    );
    place.file("in", ods(&sheets));
    let seen = place.scan("in --mentions").quiet();
    let names = ["span.1", "note", "link", "formula", "b"];
    assert_eq!(
        seen.field("doi"),
        names.map(|name| format!("10.5555/{name}"))
    );
    let cells = ["A!C4", "A!F4", "A!F4", "A!F4#formula", "B C!A1"];
    assert_eq!(seen.field("document"), cells);
}

#[test]
fn flat_opendocument_has_the_names_and_documents_of_the_zipped_kind() {
    let place = Place::new();
    let text = "<text:p>see doi:10.1038/nature<text:span>076</text:span>34, <text:a xlink:href=\"https://doi.org/10.5555/link\">and</text:a></text:p>\
        <table:table><table:table-row><table:table-cell><text:p>10.5555/ta<text:span>ble</text:span></text:p></table:table-cell></table:table-row></table:table>";
    let sheets = "<table:table table:name=\"A\"><table:table-row><table:table-cell/><table:table-cell><text:p>10.5555/ce<text:span>ll</text:span></text:p></table:table-cell></table:table-row></table:table>";
    place
        .file("zipped/a", odt(text))
        .file("zipped/b", ods(sheets));
    place.file("flat/a", flat("text", "none", text));
    place.file("flat/b", flat("spreadsheet", "none", sheets));
    let [zipped, flat] = ["zipped", "flat"].map(|folder| {
        let seen = place.scan(&format!("{folder} --mentions")).quiet();
        (seen.field("doi"), seen.field("document"))
    });
    assert_eq!(zipped, flat);
    assert_eq!(flat.1.last().unwrap(), "A!B1");
    assert_eq!(flat.0[0], "10.1038/nature07634");
}

#[test]
fn flat_opendocument_is_read_in_a_stream_and_in_an_archive() {
    let text = "<text:p>10.5555/ab<text:span>cd</text:span></text:p>";
    let text = flat("text", "see 10.5555/described", text);
    let place = Place::new();
    place.file("in.zip", zip(&[("a.fodt", text.as_bytes())]));
    let seen = place.scan("in.zip --mentions").quiet();
    assert_eq!(seen.field("doi"), ["10.5555/described", "10.5555/abcd"]);
    assert_eq!(seen.field("document"), ["a.fodt!/content.xml"; 2]);
    let seen = place.scan_stdin("-f names", text.as_bytes()).quiet();
    assert_eq!(seen.out, "10.5555/abcd\n10.5555/described\n");
}

#[test]
fn a_chart_in_a_flat_spreadsheet_has_no_cells() {
    let place = Place::new();
    let cells = |text: &str| {
        format!(
            "<table:table-row><table:table-cell><text:p>{text}</text:p></table:table-cell></table:table-row>"
        )
    };
    let sheets = format!(
        "<table:table table:name=\"A\"><table:shapes><draw:object><office:document><table:table table:name=\"local\">{}</table:table></office:document></draw:object></table:shapes>{}{}</table:table>",
        cells("10.5555/chart"),
        cells("10.5555/a1"),
        cells("10.5555/a2")
    );
    place.file("in", flat("spreadsheet", "none", &sheets));
    let seen = place.scan("in --mentions").quiet();
    assert_eq!(
        seen.field("doi"),
        ["10.5555/chart", "10.5555/a1", "10.5555/a2"]
    );
    assert_eq!(seen.field("document"), ["content.xml", "A!A1", "A!A2"]);
    let line = "normalize -q --column 1 --no-header in";
    let seen = Seen::of(&mut place.command(line.split_whitespace()));
    assert_eq!(seen.out.lines().count(), 2, "{}", seen.out);
}

#[test]
fn a_flat_document_that_ends_early_is_an_error() {
    let place = Place::new();
    let body = "<text:p>10.5555/one and</text:p><text:p>two</text:p>";
    let text = flat("text", "none", body);
    let end = text.find("two").unwrap();
    for (end, fault) in [(end, "within an element"), (end + 8, "tag not closed")] {
        place.file("in.fodt", &text[..end]);
        let seen = place.scan("in.fodt -f names");
        let (names, code) = ("10.5555/one\n", Some(1));
        assert_eq!((seen.out.as_str(), seen.code), (names, code), "{end}");
        assert!(seen.err.contains("content.xml: at byte"), "{}", seen.err);
        assert!(seen.err.contains(fault), "{}", seen.err);
    }
    place.file("in.fodt", "no XML, but 10.5555/text");
    let seen = place.scan("in.fodt -f names");
    let remark = "its name says flat OpenDocument";
    assert!(seen.err.contains(remark), "{}", seen.err);
}

#[test]
fn a_document_of_another_kind_is_plain_xml() {
    let place = Place::new();
    let kind = "application/vnd.oasis.opendocument.text";
    let texts = [
        format!("<document><mimetype>{kind}</mimetype><x y=\"10.5555/a\"/></document>"),
        format!("<x:document mimetype=\"x\"><y mimetype=\"{kind}\" z=\"10.5555/a\"/></x:document>"),
        format!("<office:body mimetype=\"{kind}\" z=\"10.5555/a\"></office:body>"),
    ];
    for text in texts {
        place.file("in.xml", &text);
        let seen = place.scan("in.xml -f names").quiet();
        assert_eq!(seen.out, "10.5555/a\n", "{text}");
    }
}

#[test]
fn shared_texts_past_the_budget_are_an_error() {
    let place = Place::new();
    let long = "some more text, so that they take much memory; ".repeat(20);
    let strings: String = (0..40_000)
        .map(|number| format!("<si><t>10.5555/abc{number} {long}</t></si>"))
        .collect();
    let sheet = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>1</v></c></row>";
    place.file("in.xlsx", xlsx(sheet, &strings));
    let seen = place.scan("in.xlsx -f names --memory 64M -j1");
    assert_eq!((seen.out.as_str(), seen.code), ("", Some(1)));
    assert!(seen.err.contains("xl/sharedStrings.xml"), "{}", seen.err);
    assert!(seen.err.contains("--memory"), "{}", seen.err);
    assert_eq!(
        place.scan("in.xlsx -f names --memory 1G -j1").quiet().out,
        "10.5555/abc1\n"
    );
}

/// Returns a workbook with a sheet with these elements after its cells, and the relationships `targets`.
fn sheet_with(elements: &str, targets: &str) -> Vec<u8> {
    let sheet = format!("<worksheet {S}><sheetData/>{elements}</worksheet>");
    let book =
        format!("<workbook {S}><sheets><sheet name=\"One\" r:id=\"rId1\"/></sheets></workbook>");
    let sheets = "<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/sheet1.xml\"/></Relationships>";
    let targets = format!("<Relationships>{targets}</Relationships>");
    zip(&[
        ("xl/worksheets/_rels/sheet1.xml.rels", targets.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/_rels/workbook.xml.rels", sheets.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
    ])
}

#[test]
fn texts_of_a_sheet_in_no_cell_are_read() {
    let place = Place::new();
    let elements = "<conditionalFormatting><cfRule><formula>A1=\"10.5555/rule\"</formula></cfRule></conditionalFormatting>\
        <dataValidations><dataValidation prompt=\"as doi:10.5555/prompt\"><formula1>\"10.5555/one,10.5555/two\"</formula1></dataValidation></dataValidations>\
        <headerFooter><oddHeader>&amp;Ldoi:10.5555/header&amp;Rpage &amp;P</oddHeader></headerFooter>";
    place.file("in", sheet_with(elements, ""));
    let seen = place.scan("in --mentions").quiet();
    let names = ["rule", "prompt", "one", "two", "header"];
    assert_eq!(
        seen.field("doi"),
        names.map(|name| format!("10.5555/{name}"))
    );
    assert_eq!(seen.field("document"), ["One#text"; 5]);
}

#[test]
fn the_target_of_a_link_belongs_to_its_cell() {
    let place = Place::new();
    const LINK: &str =
        "Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink\"";
    let targets =
        format!("<Relationship Id=\"rId7\" {LINK} Target=\"https://doi.org/10.5555/link\"/>");
    let links = "<hyperlinks><hyperlink ref=\"B7\" r:id=\"rId7\"/></hyperlinks>";
    place.file("in", sheet_with(links, &targets));
    let seen = place.scan("in --mentions").quiet();
    assert_eq!(seen.field("doi"), ["10.5555/link"]);
    assert_eq!(seen.field("document"), ["One!B7#link"]);
}

#[test]
fn parts_in_utf16_are_read() {
    let xml = format!(
        "<w:document {W}><w:body><w:p>{}{}</w:p></w:body></w:document>",
        run("10.5555/sp"),
        run("lit")
    );
    let utf16: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(xml.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(
        found(&zip(&[("word/document.xml", &utf16)])),
        ["10.5555/split"]
    );
}

#[test]
fn encrypted_opendocument_is_an_error() {
    let place = Place::new();
    let noise: Vec<u8> = (0..4096_u32)
        .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    place.file(
        "in",
        zip(&[
            ("mimetype", b"application/vnd.oasis.opendocument.text"),
            ("content.xml", &noise),
        ]),
    );
    let seen = place.scan("in -f names");
    assert_eq!(seen.code, Some(1));
    assert!(seen.err.contains("encrypted"), "{}", seen.err);
}

#[test]
fn a_name_that_an_element_of_a_page_cuts_is_joined_and_guessed() {
    for (cut, name) in [
        ("10.5555/span<span>ned.4</span>", "10.5555/spanned.4?"),
        (
            "10.5555/journal.</span><b>pone.1</b>",
            "10.5555/journal.pone.1?",
        ),
        (
            "10.5555/(SICI)15/16&lt;16</span><b>61</b>",
            "10.5555/(sici)15/16",
        ),
        (
            "10.5555/(SICI)0258</span><b>(1998)</b>",
            "10.5555/(sici)0258(1998)?",
        ),
        ("10.5555/978-3<b>-</b><i>319</i>", "10.5555/978-3-319?"),
        ("10.5555/whole</span><br>next", "10.5555/whole"),
        ("10.5555/whole.</span> <b>next</b>", "10.5555/whole"),
    ] {
        let page = format!("<!DOCTYPE html><html><body><p><span>See doi:{cut}</p></body></html>");
        assert_eq!(found(page.as_bytes()), [name], "{cut}");
    }
}

#[test]
fn an_office_file_is_one_document_whatever_its_parts() {
    let place = Place::new();
    let paragraph = format!("<w:p>{}</w:p>", run("10.5555/a"));
    let document = format!("<w:document {W}><w:body>{paragraph}</w:body></w:document>");
    let notes = format!("<w:footnotes {W}>{paragraph}</w:footnotes>");
    let inner = zip(&[("x.txt", b"10.5555/a "), ("y.txt", b"10.5555/a ")]);
    // Some writers put the list of parts last.
    let word = zip(&[
        ("word/document2.xml", document.as_bytes()),
        ("word/footnotes.xml", notes.as_bytes()),
        ("word/embeddings/files.zip", &inner),
        ("[Content_Types].xml", b"<Types/>"),
    ]);
    let cells =
        "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>0</v></c></row>";
    let book = xlsx(cells, "<si><t>10.5555/a</t></si>");
    let table = ods(
        "<table:table table:name=\"S\"><table:table-row><table:table-cell><text:p>10.5555/a</text:p></table:table-cell>\
         <table:table-cell><text:p>10.5555/a</text:p></table:table-cell></table:table-row></table:table>",
    );
    place
        .file("in/a.docx", &word)
        .file("in/b.xlsx", &book)
        .file("in/c.ods", &table)
        .file(
            "in/d.zip",
            zip(&[
                ("a.docx", &word),
                ("b.xlsx", &book),
                ("c.txt", b"10.5555/a "),
            ]),
        )
        .file(
            "in/e.zip",
            zip(&[("word/a.xml", b"10.5555/a "), ("word/b.xml", b"10.5555/a ")]),
        );
    for (source, documents, mentions) in [
        ("in/a.docx", 1, 4),
        ("in/b.xlsx", 1, 2),
        ("in/c.ods", 1, 2),
        ("in/d.zip", 3, 7),
        ("in/e.zip", 2, 2),
        ("in", 8, 17),
    ] {
        for more in ["-j1", "-j2", "-j2 --chunk 10", "-j1 --memory 1M"] {
            let seen = place
                .scan(&format!("{source} --report r.json {more}"))
                .quiet();
            let [row] = &seen.rows()[..] else {
                panic!("{}", seen.out)
            };
            assert_eq!(row["documents"], documents, "{source} {more}");
            assert_eq!(row["sources"], if source == "in" { 5 } else { 1 });
            assert_eq!(row["mentions"], mentions);
            // Properties and lists of parts count as documents even without a name.
            assert_eq!(
                place.json("r.json")["documents"],
                documents,
                "{source} {more}"
            );
        }
    }
    let fields = "--fields document,document_index,part_index";
    let seen = place.scan(&format!("in/d.zip --mentions {fields}")).quiet();
    let mut indexes: Vec<_> = seen
        .field("document_index")
        .into_iter()
        .zip(seen.field("part_index"))
        .collect();
    let parts = indexes.len();
    indexes.sort_unstable();
    indexes.dedup();
    assert!(indexes.len() == parts && parts == 7, "{}", seen.out);
    assert_eq!(seen.field("document")[1], "a.docx!/word/footnotes.xml");
    assert_eq!(seen.field("document_index")[1], "0");
    let columns = place.scan("in/b.xlsx --fields first_document").quiet();
    assert_eq!(columns.field("first_document"), ["Data & more!A1"]);
}

#[test]
fn a_hyphen_that_may_not_end_a_line_is_a_hyphen() {
    let body = "<w:p><w:r><w:t>10.5555/a</w:t><w:noBreakHyphen/><w:t>1</w:t></w:r></w:p>";
    assert_eq!(found(&docx(body)), ["10.5555/a-1"]);
}
