//! Parquet files as sources: their rows as documents, the columns that are read, and files that are damaged.

use std::collections::BTreeSet;

use crate::place::Place;
use crate::small_table::{TableColumn, table};
use crate::table_writers::{parquet, parquet_style};
use crate::tables::{self, FIELDS, FOUND, rows, scan_on_threads};

#[test]
fn cells_are_read_however_the_file_is_written() {
    for bits in 0..8 {
        let file = parquet(&table(), parquet_style(bits));
        tables::assert_cells_are_read(&format!("{bits}.parquet"), &file.bytes);
    }
}

#[test]
fn a_row_is_one_document_of_its_names() {
    let place = Place::new();
    let cells = vec![Some(vec!["10.5555/a"]), Some(vec!["10.5555/A 10.5555/b"])];
    let column = |name| TableColumn {
        name,
        rows: cells.clone(),
        is_list: false,
    };
    place.file(
        "a.parquet",
        parquet(&[column("x"), column("y")], parquet_style(0)).bytes,
    );
    let seen =
        place.scan("a.parquet -f csv --fields doi,mentions,documents,first_document,first_text");
    assert_eq!(
        rows(&seen.quiet().out),
        "10.5555/a,4,2,#row=1,10.5555/a\n10.5555/b,2,1,#row=2,10.5555/b\n"
    );
    let seen = place.scan("a.parquet --pairs -f csv");
    assert_eq!(rows(&seen.quiet().out).lines().count(), 3);
}

#[test]
fn no_name_and_no_label_reaches_another_cell() {
    let place = Place::new();
    let texts = [
        "doi:",
        "10.5555/a",
        "10.5555",
        "/b 1",
        "0.5555/c",
        "https://doi.org/",
        "10.5555/d1",
        "2",
    ];
    for bits in 0..8 {
        let column = TableColumn {
            name: "x",
            rows: texts.iter().map(|text| Some(vec![*text])).collect(),
            is_list: false,
        };
        place.file("a.parquet", parquet(&[column], parquet_style(bits)).bytes);
        let seen = place.scan("a.parquet --mentions -f csv --fields document,form,text,offset");
        assert_eq!(
            rows(&seen.quiet().out),
            "#row=2,bare,10.5555/a,0\n#row=7,bare,10.5555/d1,0\n",
            "{bits}"
        );
    }
}

#[test]
fn columns_are_chosen_and_name_rows() {
    let file = parquet(&table(), parquet_style(3)).bytes;
    tables::assert_columns_are_chosen("a.parquet", &file, "refs.list.element");
    tables::assert_rows_are_named("a.parquet", &file);
}

#[test]
fn edges_have_the_place_of_their_cell() {
    let place = Place::new();
    place.file("a.parquet", parquet(&table(), parquet_style(1)).bytes);
    let seen = place.scan(
        "a.parquet --edges -f csv --fields record,path,role,doi --id-column text --columns refs",
    );
    let out = seen.quiet();
    let first = rows(&out.out).lines().next();
    assert_eq!(
        first,
        Some("\"See doi:10.5555/one, and 10.5555/Two.\",/refs/0,other,10.5555/a")
    );
}

#[test]
fn files_are_read_in_archives_and_from_standard_input() {
    tables::assert_archives_are_read("a.parquet", &parquet(&table(), parquet_style(5)).bytes);
}

/// Flips bits of the header of each page, and of parts of the footer.
#[test]
fn damage_is_reported_and_loses_no_more_than_its_row_group() {
    for bits in [0, 3, 5] {
        let place = Place::new();
        let file = parquet(&table(), parquet_style(bits));
        let headers = file.headers.iter().cloned().flatten();
        for at in headers.step_by(3) {
            let mut bytes = file.bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            place.file("a.parquet", &bytes);
            let seen = scan_on_threads(&place, &format!("a.parquet {FIELDS}"));
            let err = &seen.err;
            assert!(matches!(seen.code, Some(0 | 1)), "{at}: {err}");
            let found: BTreeSet<_> = rows(&seen.out).lines().collect();
            let lost: Vec<_> = FOUND.lines().filter(|row| !found.contains(row)).collect();
            assert!(lost.is_empty() || seen.code == Some(1), "{at}: {lost:?}");
            let groups: BTreeSet<_> = lost.iter().map(|row| group_of(row)).collect();
            assert!(groups.len() <= 1, "{at}: {lost:?}");
            assert!(
                err.is_empty() || err.contains("a.parquet: at byte "),
                "{err}"
            );
        }
    }
}

/// Returns the number of the row group of a mention.
fn group_of(mention: &str) -> usize {
    let row = mention.strip_prefix("#row=").unwrap();
    let number: usize = row.split(',').next().unwrap().parse().unwrap();
    (number - 1) / 5
}

#[test]
fn a_file_that_is_cut_or_encrypted_is_an_error() {
    let place = Place::new();
    let file = parquet(&table(), parquet_style(0));
    let mut locked = file.bytes.clone();
    let end = locked.len() - 4;
    locked[end..].copy_from_slice(b"PARE");
    for (bytes, part) in [
        (
            &file.bytes[..file.bytes.len() - 1],
            "no metadata at its end",
        ),
        (&file.bytes[..6], "no metadata at its end"),
        (&locked[..], "the Parquet data is encrypted"),
        (
            &[&file.bytes[..end - 4], b"\xff\xff\xff\x7fPAR1"].concat(),
            "metadata of a wrong length",
        ),
        (
            &[&file.bytes[..end - 4], b"\x05\0\0\0PAR1"].concat(),
            "damaged metadata",
        ),
    ] {
        place.file("a.parquet", bytes);
        let seen = place.scan("a.parquet --count");
        assert_eq!(seen.code, Some(1));
        assert!(seen.err.contains(part), "{part}: {}", seen.err);
    }
}

/// Some old writers state no rows at all.
#[test]
fn rows_that_do_not_add_up_are_reported() {
    let place = Place::new();
    let file = parquet(&table(), parquet_style(0)).bytes;
    // The number of rows of the file, before its list of row groups.
    let head = [0x16, 24, 0x19, 0x3c];
    let at = file.windows(4).rposition(|bytes| bytes == head).unwrap();
    for (rows, code) in [(24, 0), (26, 1), (22, 1), (0, 0)] {
        let mut bytes = file.clone();
        bytes[at + 1] = rows;
        place.file("a.parquet", &bytes);
        let seen = scan_on_threads(&place, &format!("a.parquet {FIELDS}"));
        assert_eq!((rows, seen.code), (rows, Some(code)), "{}", seen.err);
        assert_eq!(self::rows(&seen.out), FOUND);
        let said = "does not have as many rows in its row groups";
        assert_eq!(seen.err.contains(said), code == 1, "{}", seen.err);
    }
}
