//! Checks on random tables that all bytes except the wanted cells stay the same, for any size of batches.

use proptest::prelude::*;

use doisift_tables::{Dialect, HeaderChoice, TableFormat, TableHead};

use super::*;

/// Generates a cell as in a file.
fn cell() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => Just(Vec::new()),
        4 => "[a-z0-9 .']{1,8}".prop_map(String::into_bytes),
        2 => proptest::collection::vec(0x80..=0xffu8, 1..4),
        3 => "[a-z,;|\t\r\n]{0,8}".prop_map(|text| format!("\"{text}\"").into_bytes()),
        2 => "[a-z]{0,3}\"\"[a,\n]{0,3}".prop_map(|text| format!("\"{text}\"").into_bytes()),
        1 => Just(b"5\" x".to_vec()),
        3 => "10\\.5555/[A-Z]{1,3}".prop_map(String::into_bytes),
    ]
}

/// Generates a cell of the wanted column, and its clean form.
fn wanted() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let pair = |from: &str, to: &str| (from.as_bytes().to_vec(), to.as_bytes().to_vec());
    prop_oneof![
        Just(pair("10.5555/a1", "10.5555/a1")),
        Just(pair("https://doi.org/10.5555/A1", "10.5555/a1")),
        Just(pair("\"doi:10.5555/A1\"", "\"10.5555/a1\"")),
        Just(pair("\"10.5555/A,\"\"1\"", "\"10.5555/a,\"\"1\"")),
        Just(pair("none", "none")),
        Just(pair("", "")),
        Just(pair("\" \"", "\" \"")),
    ]
}

fn run(table: &[u8], clean: CleanTable) -> (Vec<u8>, CleanReport) {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::write(&input, table).unwrap();
    let report = clean.input(&input).output(&output).run();
    (std::fs::read(&output).unwrap(), report.unwrap())
}

fn csv() -> CleanTable {
    CleanTable::new().table(TableOptions {
        input_format: Some(TableFormat::Delimited(b',')),
        ..TableOptions::default()
    })
}

fn csv_dialect() -> Dialect {
    let columns = ["a".to_owned()];
    let head = TableHead::of((b"a,\"b\"\n", true), None, &columns, HeaderChoice::Shown);
    head.unwrap().reading.dialect()
}

/// Cleans batches of this many bytes.
fn in_chunks(mut clean: CleanTable, chunk: usize) -> CleanTable {
    clean.resources.chunk = Some(chunk);
    clean
}

type Rows = Vec<(Vec<Vec<u8>>, (Vec<u8>, Vec<u8>), Vec<Vec<u8>>, bool)>;

/// Returns the table of these rows, with a header, and its form after cleaning in place.
fn written(rows: &Rows, ends: bool) -> [Vec<u8>; 2] {
    let mut tables = [b"a,b,Doi,c\r\n".to_vec(), b"a,b,Doi,c\r\n".to_vec()];
    for (at, (before, (from, to), after, crlf)) in rows.iter().enumerate() {
        for (table, cell) in tables.iter_mut().zip([from, to]) {
            let cells: Vec<&[u8]> = before
                .iter()
                .chain([cell])
                .chain(after)
                .map(Vec::as_slice)
                .collect();
            table.extend(cells.join(&b','));
            if ends || at + 1 < rows.len() {
                table.extend_from_slice(if *crlf { b"\r\n" } else { b"\n" });
            }
        }
    }
    tables
}

fn rows() -> impl Strategy<Value = Rows> {
    let cells = |count| proptest::collection::vec(cell(), count);
    let row = (cells(2..3), wanted(), cells(0..3), any::<bool>());
    proptest::collection::vec(row, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn in_place_no_other_byte_changes(rows in rows(), ends in any::<bool>(), chunk in 1..60usize, threads in 1..3usize) {
        let [table, expected] = written(&rows, ends);
        let clean = in_chunks(csv().column("doi").in_place(true).threads(threads), chunk);
        let (out, report) = run(&table, clean);
        prop_assert_eq!(out.escape_ascii().to_string(), expected.escape_ascii().to_string());
        prop_assert_eq!(report.rows, rows.len() as u64);
    }

    #[test]
    fn new_cells_come_after_the_row_as_it_was(rows in rows(), ends in any::<bool>(), chunk in 1..60usize) {
        let [table, _] = written(&rows, ends);
        let (out, report) = run(&table, in_chunks(csv().column("doi"), chunk));
        let counted: u64 = report.statuses.iter().map(|(_, count)| count).sum();
        prop_assert_eq!(counted, rows.len() as u64);
        let dialect = csv_dialect();
        let (mut at, mut new) = (0, 0);
        while at < table.len() {
            let (cells, length) = dialect.first_row(&table[at..]);
            let (more, longer) = dialect.first_row(&out[new..]);
            prop_assert_eq!(&more[..cells.len()], &cells[..]);
            prop_assert_eq!(more.len(), cells.len().max(4) + 3);
            prop_assert!(out[new..new + longer].ends_with(&table[at + length - usize::from(ends || at + length < table.len())..at + length]));
            (at, new) = (at + length, new + longer);
        }
        prop_assert_eq!(new, out.len());
    }

    #[test]
    fn any_bytes_are_read(table in proptest::collection::vec(prop_oneof![Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200), chunk in 1..60usize) {
        let table = [b"a\n", &table[..]].concat();
        let (one, _) = run(&table, csv().column("1").in_place(true));
        let (other, _) = run(&table, in_chunks(csv().column("1").in_place(true).threads(2), chunk));
        // It has no names, so nothing changes.
        prop_assert_eq!(&one, &table);
        prop_assert_eq!(&other, &table);
    }
}
