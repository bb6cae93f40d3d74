//! One table in each format: every command that reads a column gives the same for it.

use crate::place::{Place, Seen};
use crate::registry_server::Server;
use crate::registry_server::registry::truth;
use crate::small_table::TableColumn;
use crate::table_writers::{arrow, arrow_style, parquet, parquet_style};
use crate::workbooks::{sheet_of, text, workbook};

const CELLS: [[&str; 2]; 4] = [
    ["one", "10.5555/5"],
    ["two", ""],
    ["three, four", "https://doi.org/10.5555/6"],
    ["five", "none"],
];

/// Returns the table in each format, by the name of its file.
fn tables() -> Vec<(&'static str, Vec<u8>)> {
    let delimited = |mark: &str| {
        let quote = |cell: &str| match cell.contains(mark) {
            true => format!("\"{cell}\""),
            false => cell.to_owned(),
        };
        let rows = CELLS.map(|cells| format!("{}\n", cells.map(quote).join(mark)));
        format!("name{mark}DOI\n{}", rows.concat())
    };
    let objects = CELLS.map(|[name, doi]| match doi {
        "" => format!("{{\"name\":\"{name}\",\"DOI\":null}}"),
        doi => format!("{{\"name\":\"{name}\",\"DOI\":\"{doi}\"}}"),
    });
    let column = |number: usize, name: &'static str| TableColumn {
        name,
        rows: CELLS
            .iter()
            .map(|cells| Some(vec![cells[number]]).filter(|_| !cells[number].is_empty()))
            .collect(),
        is_list: false,
    };
    let columns = [column(0, "name"), column(1, "DOI")];
    let row = |number: usize, [name, doi]: [&str; 2]| {
        let cells = [('A', name), ('B', doi)].map(|(letter, cell)| match cell {
            "" => String::new(),
            cell => text(&format!("{letter}{number}"), cell),
        });
        format!("<row r=\"{number}\">{}</row>", cells.concat())
    };
    let sheet: String = (1..)
        .zip([["name", "DOI"]].into_iter().chain(CELLS))
        .map(|(number, cells)| row(number, cells))
        .collect();
    let titled = format!("\u{feff}sep=;\r\nExported on 1 May\n\n{}", delimited(";"));
    vec![
        ("t.csv", delimited(",").into()),
        ("t.tsv", delimited("\t").into()),
        ("titled.csv", titled.into()),
        ("t.jsonl", objects.join("\n").into()),
        ("t.json", format!("[{}]\n", objects.join(",\n ")).into()),
        ("t.xlsx", workbook(&sheet, "")),
        ("t.parquet", parquet(&columns, parquet_style(0)).bytes),
        ("t.arrow", arrow(&columns, arrow_style(0)).bytes),
        ("t.arrows", arrow(&columns, arrow_style(1)).bytes),
    ]
}

fn run(place: &Place, line: &str) -> Seen {
    Seen::of(&mut place.command(line.split_whitespace()))
}

#[test]
fn check_judges_the_same_rows() {
    for (name, bytes) in tables() {
        let place = Place::new();
        place.file(name, bytes);
        let seen = run(&place, &format!("check {name} --column DOI -f jsonl"));
        assert_eq!(seen.field("row"), ["1", "2", "3", "4"], "{name}");
        assert_eq!(
            seen.field("doi"),
            ["10.5555/5", "null", "10.5555/6", "null"],
            "{name}"
        );
        let verdicts = ["placeholder", "no_doi", "placeholder", "not_a_doi"];
        assert_eq!(seen.field("verdict"), verdicts, "{name}");
    }
}

#[test]
fn an_index_has_the_same_names() {
    for (name, bytes) in tables() {
        let place = Place::new();
        place.file(name, bytes);
        run(
            &place,
            &format!("index {name} --column DOI -o k.doix --report r.json"),
        );
        let report = place.json("r.json");
        let found = ["names", "refused"].map(|count| report[count].as_u64());
        assert_eq!(found, [Some(2), Some(1)], "{name}: {report}");
    }
}

#[test]
fn the_registry_is_asked_for_the_same_names() {
    let server = Server::start(|request| truth(&request.name()));
    for (name, bytes) in tables() {
        let place = Place::new();
        place.file(name, bytes);
        // The files in columns start with a column of numbers.
        let number = match name.contains("arrow") || name.contains("parquet") {
            true => "-c 3",
            false => "-c 2",
        };
        for more in ["-c DOI", "-c doi", number] {
            if more != "-c DOI" && name.starts_with("t.json") {
                continue;
            }
            let seen = place.resolve(&server, &format!("{name} {more}"));
            let doi = ["10.5555/5", "10.5555/6", "null"];
            assert_eq!(seen.field("doi"), doi, "{name} {more}: {}", seen.err);
        }
    }
}

#[test]
fn a_sheet_is_named_for_every_command() {
    let place = Place::new();
    let two = workbook(&sheet_of("10.5555/5"), &sheet_of("10.5555/6"));
    place.file("t.xlsx", two);
    let server = Server::start(|request| truth(&request.name()));
    for (more, name) in [("", "10.5555/5"), ("--sheet Two", "10.5555/6")] {
        let line = format!("t.xlsx --column doi {more}");
        for seen in [
            run(&place, &format!("check {line} -f jsonl")),
            place.resolve(&server, &line),
        ] {
            assert_eq!(seen.field("doi"), [name], "{line}");
            let is_said = seen
                .err
                .contains("only the first of 2 sheets is read, One; --sheet");
            assert_eq!(is_said, more.is_empty(), "{}", seen.err);
        }
        run(&place, &format!("index {line} -o k.doix --report r.json"));
        assert_eq!(place.json("r.json")["names"], 1);
    }
    let seen = run(&place, "check t.xlsx --column doi --sheet Three");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("Three"), "{}", seen.err);
}

#[test]
fn a_list_in_a_sheet_is_asked_cell_by_cell() {
    let place = Place::new();
    let cells = format!("{}{}", text("A1", "10.5555/5"), text("B1", "10.5555/6"));
    place.file(
        "t.xlsx",
        workbook(&format!("<row r=\"1\">{cells}</row>"), ""),
    );
    let server = Server::start(|request| truth(&request.name()));
    let seen = place.resolve(&server, "t.xlsx");
    assert_eq!(seen.field("doi"), ["10.5555/5", "10.5555/6"]);
}
