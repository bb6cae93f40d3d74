//! Checks that all formats of tables in columns have in common.

use std::fs::File;

use crate::containers::{tar, zip};
use crate::place::{Place, Seen};

/// The mentions in the small table: row, place and name.
pub const FOUND: &str = "\
#row=1,text,10.5555/one\n#row=1,text,10.5555/two\n#row=1,refs[0],10.5555/a\n#row=1,refs[2],10.5555/b\n\
#row=3,text,10.5555/cut\n#row=4,refs[0],10.5555/a\n#row=4,refs[2],10.5555/b\n\
#row=5,text,10.5555/one\n#row=5,text,10.5555/two\n\
#row=7,text,10.5555/cut\n#row=7,refs[0],10.5555/a\n#row=7,refs[2],10.5555/b\n\
#row=9,text,10.5555/one\n#row=9,text,10.5555/two\n\
#row=10,refs[0],10.5555/a\n#row=10,refs[2],10.5555/b\n#row=11,text,10.5555/cut\n";
pub const FIELDS: &str = "--mentions -f csv --fields document,column,doi";

/// Returns the rows of a CSV output, without its header.
pub fn rows(out: &str) -> &str {
    out.split_once('\n').map_or("", |(_, rows)| rows)
}

/// Runs `doisift scan` on one thread and on two. Asserts that both give the same.
pub fn scan_on_threads(place: &Place, line: &str) -> Seen {
    let [one, two] = ["-j1", "-j2"].map(|threads| place.scan(&format!("{line} {threads}")));
    assert_eq!(
        (&one.out, one.code, &one.err),
        (&two.out, two.code, &two.err),
        "{line}"
    );
    one
}

/// Asserts that all cells of the small table are found in a file called `name`.
pub fn assert_cells_are_read(name: &str, bytes: &[u8]) {
    let place = Place::new();
    place.file(name, bytes);
    let seen = scan_on_threads(&place, &format!("{name} {FIELDS}"));
    assert_eq!(rows(&seen.quiet().out), FOUND, "{name}");
    let seen = place.scan(&format!("{name} --count -f csv"));
    assert_eq!(rows(&seen.quiet().out), "5,17,12,1\n");
}

/// Asserts that all cells of the small table are found in archives and on standard input.
pub fn assert_archives_are_read(name: &str, bytes: &[u8]) {
    let place = Place::new();
    let member = format!("d/{name}");
    place.file("a.tar", tar(&[(&member, bytes)]));
    place.file("a.zip", zip(&[(&member, bytes)]));
    let found = FOUND.replace("#row", &format!("{member}!/#row"));
    for archive in ["a.tar", "a.zip"] {
        let seen = place.scan(&format!("{archive} {FIELDS}"));
        assert_eq!(rows(&seen.quiet().out), found, "{archive}");
    }
    place.file(name, bytes);
    let input = File::open(place.path(name)).unwrap();
    let line = format!("scan - {FIELDS}");
    let mut command = place.command(line.split_whitespace());
    let seen = Seen::of(command.stdin(input));
    assert_eq!(rows(&seen.quiet().out), FOUND);
}

/// Asserts that columns of the small table are chosen by their names. `items` is the name of the texts in lists.
pub fn assert_columns_are_chosen(name: &str, bytes: &[u8], items: &str) {
    let place = Place::new();
    place.file(name, bytes);
    let scan = |options: &str| place.scan(&format!("{name} {FIELDS} {options}"));
    let count = |columns: &str| {
        let seen = scan(&format!("--columns {columns}")).quiet();
        rows(&seen.out).lines().count()
    };
    let counts = ["text", "refs", items, "refs,text"].map(count);
    assert_eq!(counts, [9, 8, 8, 17]);
    let seen = scan("--columns text,none");
    assert_eq!((seen.code, rows(&seen.out).lines().count()), (Some(1), 9));
    let said = format!("{name}: at byte 0: column none is missing");
    assert!(seen.err.contains(&said), "{}", seen.err);
    assert!(seen.err.contains("text, refs"), "{}", seen.err);
}

/// Asserts that a column of texts names the rows of the small table, and that a column of lists does not.
pub fn assert_rows_are_named(name: &str, bytes: &[u8]) {
    let place = Place::new();
    place.file(name, bytes);
    let seen = place.scan(&format!("{name} {FIELDS} --columns refs --id-column text"));
    let ids = seen.quiet().out;
    let first = "\"See doi:10.5555/one, and 10.5555/Two.\",refs[0],10.5555/a\n";
    assert!(rows(&ids).starts_with(first), "{ids}");
    assert!(ids.contains("\n#row=10,refs[0],"), "{ids}");
    let seen = place.scan(&format!("{name} --id-column refs --count"));
    assert_eq!(seen.code, Some(1));
    assert!(seen.err.contains("column refs is missing"), "{}", seen.err);
}

/// Tables with rows above their header, each with the number of the header's row.
const ABOVE: [(&str, &str); 3] = [
    (
        "\"About the data: Exported on Nov 27, 2026.\"\nRank,DOI,Title\n1,10.5555/A,\"x, y\"\n2,10.5555/b1,z\n",
        "2",
    ),
    (
        "Report of 2026, all\n\n\nRank;DOI;Title\n1;10.5555/A;x\n2;10.5555/b1;z\n",
        "4",
    ),
    (
        "A title\r\nRank\tDOI\tTitle\r\n1\t10.5555/A\tx\r\n2\t10.5555/b1\tz\r\n",
        "2",
    ),
];

#[test]
fn a_header_below_other_rows_is_found_by_its_column() {
    for (table, row) in ABOVE {
        let place = Place::new();
        place.file("t.csv", table);
        for choice in ["", " --header-row ROW"] {
            let run = |line: &str| {
                let line = format!("{line}{choice}").replace("ROW", row);
                Seen::of(&mut place.command(line.split_whitespace()))
            };
            let seen = run("normalize t.csv --column DOI --in-place").quiet();
            assert_eq!(seen.out, table.replace("10.5555/A", "10.5555/a"));
            let seen = run("normalize t.csv --column doi").quiet();
            assert_eq!(seen.out.matches("doi_clean").count(), 1);
            assert_eq!(seen.out.lines().count(), table.lines().count());
            let seen = run("scan t.csv --columns DOI --mentions").quiet();
            assert_eq!(seen.field("doi"), ["10.5555/a", "10.5555/b1"]);
            assert_eq!(seen.field("document"), ["#row=1", "#row=2"]);
            run("index t.csv --column doi -o k.doix").quiet();
            let seen = run("check t.csv --column doi -f jsonl");
            assert_eq!(seen.rows().len(), 2, "{}", seen.err);
        }
    }
}

#[test]
fn a_header_that_lacks_the_column_is_proposed_by_its_row() {
    let commands = [
        "normalize t.csv --column name",
        "check t.csv --column name",
        "index t.csv --column name -o k.doix",
        "resolve t.csv --column name",
    ];
    for ((table, row), command) in ABOVE
        .iter()
        .zip(commands.iter().cycle())
        .chain(commands.iter().map(|command| (&ABOVE[0], command)))
    {
        let place = Place::new();
        place.file("t.csv", table);
        let seen = Seen::of(&mut place.command(command.split_whitespace()));
        assert_eq!(seen.code, Some(2), "{command}");
        let wanted = format!("--header-row {row}");
        assert!(seen.err.contains(&wanted), "{command}: {}", seen.err);
        let line = format!("{command} --header-row {row}");
        let seen = Seen::of(&mut place.command(line.split_whitespace()));
        assert!(
            seen.err.contains("1 Rank, 2 DOI, 3 Title"),
            "{line}: {}",
            seen.err
        );
    }
}

#[test]
fn a_header_longer_than_the_first_bytes_of_a_document_is_read() {
    let place = Place::new();
    let columns: Vec<String> = (0..200_000)
        .map(|number| format!("column {number}"))
        .collect();
    let header = columns.join(",") + ",doi\n";
    let row = ",".repeat(columns.len()) + "10.5555/A\n";
    place.file("t.csv", header + &row);
    let seen = Seen::of(&mut place.command("scan t.csv --columns doi --mentions".split(' ')));
    assert_eq!(seen.quiet().field("document"), ["#row=1"]);
    let line = "normalize t.csv --column doi --in-place";
    let seen = Seen::of(&mut place.command(line.split(' '))).quiet();
    assert!(seen.out.ends_with(",10.5555/a\n"));
    let seen = Seen::of(&mut place.command("check t.csv --column doi -f jsonl".split(' ')));
    assert_eq!(seen.rows().len(), 1, "{}", seen.err);
    let seen = Seen::of(&mut place.command("index t.csv --column doi -o k.doix".split(' ')));
    assert_eq!((seen.code, seen.err.as_str()), (Some(0), ""));
}
