//! Sheets of workbooks as tables that `doisift normalize --column` cleans.

use crate::containers::zip;
use crate::office::{ods, xlsx};
use crate::place::{Place, Seen};

fn normalize(place: &Place, args: &[&str]) -> Seen {
    Seen::of(
        place
            .command(["normalize", "in", "--column", "doi"])
            .args(args),
    )
}

/// Returns a workbook with the sheets `One` and `Two`. Its second style is a date.
pub fn workbook(one: &str, two: &str) -> Vec<u8> {
    const S: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
        xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
    let sheet = |rows: &str| format!("<worksheet {S}><sheetData>{rows}</sheetData></worksheet>");
    let book = format!(
        "<workbook {S}><sheets><sheet name=\"Chart\" r:id=\"rId9\"/><sheet name=\"One\" r:id=\"rId1\"/><sheet name=\"Two\" r:id=\"rId2\"/></sheets></workbook>"
    );
    let targets = "<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/a.xml\"/><Relationship Id=\"rId2\" Target=\"worksheets/b.xml\"/>\
        <Relationship Id=\"rId9\" Target=\"c.xml\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartsheet\"/></Relationships>";
    let styles = format!(
        "<styleSheet {S}><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy\"/></numFmts><cellStyleXfs><xf numFmtId=\"22\"/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>"
    );
    zip(&[
        ("xl/worksheets/a.xml", sheet(one).as_bytes()),
        ("xl/worksheets/b.xml", sheet(two).as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", targets.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
    ])
}

pub fn text(cell: &str, text: &str) -> String {
    format!("<c r=\"{cell}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

/// Returns a sheet with the column `doi` and one name.
pub fn sheet_of(name: &str) -> String {
    let (header, name) = (text("A1", "doi"), text("A2", name));
    format!("<row r=\"1\">{header}</row><row r=\"2\">{name}</row>")
}

#[test]
fn a_sheet_comes_back_as_csv_with_its_numbers_and_dates() {
    let place = Place::new();
    let sheet = format!(
        "<row r=\"2\">{}{}{}</row><row r=\"4\">{}<c r=\"B4\"><v>0.30000000000000004</v></c><c r=\"C4\" s=\"1\"><v>45351</v></c></row>\
         <row r=\"5\">{}<c r=\"B5\" t=\"b\"><v>1</v></c><c r=\"C5\" t=\"e\"><v>#N/A</v></c><c r=\"E5\"><f>1+1</f><v>2</v></c></row>",
        text("A2", "DOI"),
        text("B2", "a, b"),
        text("C2", "c"),
        text("A4", "https://doi.org/10.5555/ABC"),
        text("A5", "caf\u{e9}")
    );
    place.file("in", workbook(&sheet, ""));
    for threads in ["-j1", "-j8"] {
        let seen = normalize(&place, &["--sheet", "one", threads]);
        assert_eq!(
            seen.out,
            "\nDOI,\"a, b\",c,,,doi_clean,doi_status,doi_reason\n\n\
             https://doi.org/10.5555/ABC,0.3,2024-02-29,,,10.5555/abc,normalized,form; case\n\
             caf\u{e9},TRUE,#N/A,,2,,refused,\"no directory indicator \"\"10.\"\", at byte 0\"\n"
        );
        assert!(seen.err.contains("in: One: row 2"), "{}", seen.err);
    }
}

#[test]
fn a_sheet_is_chosen_by_name_or_number() {
    let place = Place::new();
    place.file(
        "in",
        workbook(&sheet_of("10.5555/one"), &sheet_of("10.5555/two")),
    );
    for (sheet, name) in [("One", "one"), ("two", "two"), ("1", "one"), ("2", "two")] {
        let seen = normalize(&place, &["--sheet", sheet]).quiet();
        assert!(seen.out.contains(name), "{sheet}: {}", seen.out);
    }
    let seen = normalize(&place, &[]);
    assert!(seen.out.contains("10.5555/one"), "{}", seen.out);
    assert!(
        seen.err
            .contains("only the first of 2 sheets is read, One; --sheet"),
        "{}",
        seen.err
    );
    let seen = normalize(&place, &["--sheet", "3"]);
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err
            .contains("sheet 3 is missing; the workbook has: 1 \"One\", 2 \"Two\""),
        "{}",
        seen.err
    );
}

#[test]
fn a_workbook_is_not_changed_in_place() {
    let place = Place::new();
    place.file("in", workbook(&sheet_of("10.5555/one"), ""));
    let seen = normalize(&place, &["--in-place", "--sheet", "1"]);
    assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""));
    assert!(seen.err.contains("leave out --in-place"), "{}", seen.err);
}

#[test]
fn shared_texts_and_the_encoding_of_the_output_are_those_of_cells() {
    let place = Place::new();
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c></row><row r=\"2\"><c r=\"A2\" t=\"s\"><v>2</v></c></row>";
    let strings = "<si><t>doi</t></si><si><t>caf\u{e9}</t></si><si><r><t>10.5555/sp</t></r><r><t>lit</t></r></si>";
    place.file("in", xlsx(rows, strings));
    let args = [
        "--sheet",
        "Data & more",
        "--output-encoding",
        "cp1252",
        "--output",
        "out",
    ];
    normalize(&place, &args).quiet();
    let out = std::fs::read(place.path("out")).unwrap();
    assert!(
        out.starts_with(b"doi,caf\xe9,doi_clean"),
        "{}",
        out.escape_ascii()
    );
    assert!(out.ends_with(b"10.5555/split,,10.5555/split,unchanged,\n"));
}

#[test]
fn cells_of_opendocument_that_stand_for_several_are_repeated() {
    let place = Place::new();
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let rows = format!(
        "<table:table-row>{}{}</table:table-row>\
         <table:table-row table:number-rows-repeated=\"2\"><table:table-cell office:value-type=\"string\"><office:annotation><text:p>note</text:p></office:annotation><text:p><text:a xlink:href=\"x\">10.5555/</text:a>a</text:p></table:table-cell>\
         <table:table-cell table:number-columns-repeated=\"2\" office:value-type=\"date\" office:date-value=\"2024-02-29\"><text:p>29/02/24</text:p></table:table-cell></table:table-row>\
         <table:table-row table:number-rows-repeated=\"1000000\"><table:table-cell table:number-columns-repeated=\"1000\"/></table:table-row>",
        cell("doi"),
        cell("when")
    );
    let sheets = format!(
        "<table:table table:name=\"First\"><table:table-row>{}</table:table-row></table:table><table:table table:name=\"Second\">{rows}</table:table>",
        cell("other")
    );
    place.file("in", ods(&sheets));
    let seen = normalize(&place, &["--sheet", "Second"]).quiet();
    let row = "10.5555/a,2024-02-29,2024-02-29,10.5555/a,unchanged,\n";
    let wanted = format!("doi,when,,doi_clean,doi_status,doi_reason\n{row}{row}");
    assert_eq!(seen.out, wanted);
}

#[test]
fn cells_that_few_bytes_stand_for_are_limited() {
    let place = Place::new();
    let row = "<table:table-row table:number-rows-repeated=\"1000000\"><table:table-cell table:number-columns-repeated=\"16000\"><text:p>doi</text:p></table:table-cell></table:table-row>";
    place.file(
        "in",
        ods(&format!(
            "<table:table table:name=\"A\">{row}</table:table>"
        )),
    );
    let seen = normalize(&place, &[]);
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("--max-expansion"), "{}", seen.err);
}

#[test]
fn titles_and_blank_rows_above_the_header_of_a_sheet_come_back() {
    let place = Place::new();
    let row = |number: usize, cells: &[&str]| {
        let cells = "ABC".chars().zip(cells);
        let cells: String = cells
            .map(|(letter, cell)| text(&format!("{letter}{number}"), cell))
            .collect();
        format!("<row r=\"{number}\">{cells}</row>")
    };
    let rows = [
        row(1, &["Publications, 2026"]),
        row(4, &["Title", "DOI"]),
        row(5, &["a", "https://doi.org/10.5555/A"]),
    ];
    place.file("in", workbook(&rows.concat(), ""));
    let seen = normalize(&place, &[]);
    assert_eq!(seen.code, Some(0), "{}", seen.err);
    let lines: Vec<_> = seen.out.lines().collect();
    assert_eq!(lines[0], "\"Publications, 2026\",");
    assert_eq!(
        lines[lines.len() - 2],
        "Title,DOI,doi_clean,doi_status,doi_reason"
    );
    assert!(lines[lines.len() - 1].contains(",10.5555/a,normalized,"));
}
