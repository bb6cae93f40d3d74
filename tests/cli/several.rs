//! Cells of tables with several names.

use crate::place::{Place, Seen};

/// Runs `doisift normalize --clean` with `arguments`.
fn cleaned(place: &Place, arguments: &[&str]) -> Seen {
    let mut command = place.command(["normalize", "--clean", "--stats"]);
    Seen::of(command.args(arguments))
}

/// Runs `doisift normalize t --column doi` with `options`, on a table of one column with these cells.
fn column(cells: &[&str], options: &str) -> (Vec<String>, Seen) {
    let place = Place::new();
    let rows: String = cells.iter().map(|cell| format!("\"{cell}\"\n")).collect();
    place.file("t", format!("doi\n{rows}"));
    let mut command = place.command(["normalize", "t", "--column", "doi"]);
    let seen = Seen::of(command.args(options.split_whitespace()));
    let rows = seen.out.lines().skip(1).map(str::to_owned).collect();
    (rows, seen)
}

const SEVERAL: [&str; 8] = [
    "10.5555/a; 10.5555/b",
    "10.5555/a;10.5555/b",
    "10.5555/a and 10.5555/b",
    "10.5555/a1 10.5555/a",
    "10.5555/a1 2006 10.5555/b",
    "https://doi.org/10.5555/a?x=10.5555/b",
    "doi:10.5555/a1, https://doi.org/10.5555%2Fb",
    "10.5555/a | doi:10.5555/B/full",
];

#[test]
fn a_second_name_is_never_cut() {
    let (rows, seen) = column(&SEVERAL, "--clean --stats");
    for (row, cell) in rows.iter().zip(SEVERAL) {
        let start = format!("\"{cell}\",,several,several names; --multiple");
        assert!(row.starts_with(&start), "{row}");
    }
    assert_eq!((rows.len(), seen.code), (8, Some(1)));
    assert!(seen.err.contains("cells: 8 (several 8)"), "{}", seen.err);
    assert!(
        seen.err
            .contains("row 1: column doi: \"10.5555/a; 10.5555/b\": several names; --multiple"),
        "{}",
        seen.err
    );
    let (rows, seen) = column(&SEVERAL, "--clean --in-place");
    let wanted = SEVERAL.map(|cell| format!("\"{cell}\""));
    assert_eq!((rows, seen.code), (wanted.to_vec(), Some(1)));
}

#[test]
fn many_cells_with_several_names_are_counted_with_the_remedy() {
    let (_, seen) = column(&["10.5555/a; 10.5555/b"; 12], "--clean --in-place");
    let wanted =
        "2 more cells hold several names and were not cleaned (--multiple reads each name)";
    assert!(seen.err.contains(wanted), "{}", seen.err);
}

#[test]
fn one_name_twice_is_one_name() {
    let cells = [
        "10.5555/a10.5555/a",
        "10.5555/a, https://doi.org/10.5555/A",
        "10.1002/abc http://onlinelibrary.wiley.com/doi/10.1002/abc/full",
        "10.25582/data.2021-10.2365269/1929897",
        "10.1016/j.x.2010.10.003 (2010)",
    ];
    let (rows, _) = column(&cells, "--clean --in-place");
    assert_eq!(
        rows[..3],
        ["\"10.5555/a\"", "\"10.5555/a\"", "\"10.1002/abc\""]
    );
    assert_eq!(rows[4], "\"10.1016/j.x.2010.10.003\"");
    let (rows, _) = column(&cells[3..4], "--clean");
    assert!(!rows[0].contains("several"), "{}", rows[0]);
}

#[test]
fn each_part_is_cleaned_and_written_once() {
    for (cell, options, value) in [
        ("10.5555/a,", "", "10.5555/a"),
        (";10.5555/A; doi:10.5555/b;", "", "10.5555/a; 10.5555/b"),
        (
            "10.5555/a; doi:10.5555/A, 10.5555/b",
            "",
            "10.5555/a, 10.5555/b",
        ),
        ("10.5555/a and doi:10.5555/b", "", "10.5555/a and 10.5555/b"),
        (
            "10.5555/a1 (2006); 10.5555/b.",
            "--clean",
            "10.5555/a1; 10.5555/b",
        ),
    ] {
        let (rows, _) = column(&[cell], &format!("--multiple --in-place {options}"));
        assert_eq!(rows, [format!("\"{value}\"")], "{cell}");
    }
    let place = Place::new();
    place.file(
        "t",
        "{\"doi\":[\"10.5555/A\", \"doi:10.5555/a\", \"10.5555/b\"]}\n",
    );
    let seen = Seen::of(&mut place.command([
        "normalize",
        "t",
        "--column",
        "doi",
        "--multiple",
        "--in-place",
    ]));
    assert_eq!(seen.out, "{\"doi\":[\"10.5555/a\", \"10.5555/b\"]}\n");
}

#[test]
fn a_reference_is_not_taken_apart() {
    let cells = [
        "Doe, J (2010). A title, J Chem 5, 12. doi:10.5555/a1",
        "A title of a paper doi:10.5555/a",
        "Doe J, Roe R. A title: 10.5555/a1; see 10.5555/b2",
    ];
    for options in ["--multiple", "--multiple --clean"] {
        let (rows, _) = column(&cells, &format!("{options} --in-place"));
        assert_eq!(rows, cells.map(|cell| format!("\"{cell}\"")), "{options}");
        let (rows, _) = column(&cells, options);
        for row in rows {
            assert!(
                row.contains(",\"\",\"refused\",") || row.contains(",,refused,"),
                "{row}"
            );
        }
    }
}

#[test]
fn parts_that_nothing_separates_stay() {
    let (rows, seen) = column(
        &["10.5555/a10.5555/b; 10.5555/c"],
        "--multiple --clean --in-place",
    );
    assert_eq!(rows, ["\"10.5555/a10.5555/b; 10.5555/c\""]);
    assert!(
        seen.err.contains("1: several names that nothing separates"),
        "{}",
        seen.err
    );
}

#[test]
fn a_second_name_of_a_line_or_an_argument_is_never_cut() {
    let place = Place::new();
    place.file("t", SEVERAL.join("\n") + "\n10.5555/a1.\n\nnone\n");
    let seen = cleaned(&place, &["--lines-from", "t"]);
    assert_eq!(
        (&*seen.out, seen.code),
        (&*("\n".repeat(8) + "10.5555/a1\n\n\n"), Some(1))
    );
    let counts = "cells: 11 (empty 1, cleaned 1, several 8, refused 1)";
    assert!(seen.err.contains(counts), "{}", seen.err);
    let note = "t: line 1: \"10.5555/a; 10.5555/b\": several names;";
    assert!(seen.err.contains(note), "{}", seen.err);

    let seen = cleaned(&place, &["10.5555/a; 10.5555/b", "10.5555/a1."]);
    assert_eq!((&*seen.out, seen.code), ("\n10.5555/a1\n", Some(1)));
    let note = "argument 1: \"10.5555/a; 10.5555/b\": several names;";
    assert!(seen.err.contains(note), "{}", seen.err);
    let counts = "2 texts; names 1, several 1, refused 0, empty 0";
    assert!(seen.err.contains(counts), "{}", seen.err);
}

#[test]
fn a_remedy_that_would_cut_a_name_is_not_offered() {
    let place = Place::new();
    let seen = Seen::of(&mut place.command(["normalize", "10.5555/a; 10.5555/b"]));
    assert!(!seen.err.contains("--clean"), "{}", seen.err);
}
