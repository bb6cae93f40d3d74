//! Arrow files and streams as sources: their rows as documents, the columns that are read, and files that are damaged.

use crate::place::Place;
use crate::small_table::{TableColumn, table};
use crate::table_writers::{arrow, arrow_style};
use crate::tables::{self, FIELDS, FOUND, rows, scan_on_threads};

#[test]
fn cells_are_read_however_the_file_is_written() {
    for bits in 0..16 {
        let file = arrow(&table(), arrow_style(bits));
        tables::assert_cells_are_read(&format!("{bits}.arrow"), &file.bytes);
    }
}

#[test]
fn columns_are_chosen_and_name_rows() {
    let file = arrow(&table(), arrow_style(2)).bytes;
    tables::assert_columns_are_chosen("a.arrow", &file, "refs.item");
    tables::assert_rows_are_named("a.arrow", &file);
}

#[test]
fn a_column_of_numbers_names_rows_and_has_no_texts() {
    let place = Place::new();
    place.file("a.arrow", arrow(&table(), arrow_style(2)).bytes);
    let seen = place.scan(&format!("a.arrow {FIELDS} --columns text,number"));
    assert_eq!(seen.code, Some(1));
    let said = "a.arrow: at byte 0: column number is missing";
    assert!(seen.err.contains(said), "{}", seen.err);
    let seen = place.scan(&format!(
        "a.arrow {FIELDS} --columns refs --id-column number"
    ));
    let out = seen.quiet().out;
    assert!(rows(&out).starts_with("0,refs[0],10.5555/a\n"), "{out}");
}

#[test]
fn files_are_read_in_archives_and_from_standard_input() {
    for bits in [8, 9] {
        let file = arrow(&table(), arrow_style(bits));
        tables::assert_archives_are_read(&format!("{bits}.arrow"), &file.bytes);
    }
}

/// Flips bits of the metadata of all messages. The format has no checksums, so cells may differ, but the rest of the run is the
/// same for any number of threads.
#[test]
fn damage_gives_the_same_for_all_threads() {
    for bits in [3, 6, 8] {
        let place = Place::new();
        let file = arrow(&table(), arrow_style(bits));
        for at in file.metadata.iter().cloned().flatten().step_by(37) {
            let mut bytes = file.bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            place.file("a.arrow", &bytes);
            place.file("b.txt", "10.5555/after");
            let seen = scan_on_threads(&place, &format!("a.arrow b.txt {FIELDS}"));
            let (out, err) = (&seen.out, &seen.err);
            assert!(out.ends_with(",,10.5555/after\n"), "{at}: {out}");
            assert!(matches!(seen.code, Some(0 | 1)), "{at}: {err}");
            let is_told = err.contains("a.arrow: at byte ") || seen.code == Some(0);
            assert!(is_told, "{at}: {err}");
        }
    }
}

#[test]
fn a_file_that_is_cut_gives_its_whole_batches() {
    let place = Place::new();
    for bits in [0, 1] {
        let file = arrow(&table(), arrow_style(bits));
        let last = file.metadata[3].clone();
        for (length, part) in [
            (last.start + 20, "is cut within its metadata, or damaged"),
            (last.end + 3, "is cut within a batch of rows"),
        ] {
            place.file("a.arrow", &file.bytes[..length]);
            let seen = place.scan(&format!("a.arrow {FIELDS}"));
            assert_eq!(seen.code, Some(1));
            let told = format!("a.arrow: at byte {}: the Arrow file {part}", last.start);
            assert!(seen.err.contains(&told), "{told}: {}", seen.err);
            let first_ten: String = FOUND
                .lines()
                .take(16)
                .map(|row| format!("{row}\n"))
                .collect();
            assert_eq!(rows(&seen.out), first_ten);
        }
    }
}

#[test]
fn damage_at_the_end_of_a_file_loses_nothing() {
    let place = Place::new();
    let file = arrow(&table(), arrow_style(0));
    let end = file.bytes.len();
    let mut zeroed = file.bytes.clone();
    zeroed[file.footer.clone()].fill(0);
    for (bytes, part) in [
        (file.bytes[..end - 1].to_vec(), "no metadata at its end"),
        (zeroed, "damaged metadata"),
    ] {
        place.file("a.arrow", &bytes);
        let seen = place.scan(&format!("a.arrow {FIELDS}"));
        assert!(seen.err.contains(part), "{}", seen.err);
        assert_eq!((rows(&seen.out), seen.code), (FOUND, Some(1)));
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let place = Place::new();
    let columns: [TableColumn<'_>; 0] = [];
    place.file("a.arrow", arrow(&columns, arrow_style(1)).bytes);
    let seen = place.scan("a.arrow --count");
    assert_eq!(seen.code, Some(0));
    let said = "no column holds strings or binary values";
    assert!(seen.err.contains(said), "{}", seen.err);
    for (bits, part) in [
        (0, "no metadata at its end"),
        (1, "is cut within its metadata, or damaged"),
    ] {
        let whole = arrow(&table(), arrow_style(bits)).bytes;
        place.file("a.arrow", &whole[..300]);
        let seen = place.scan("a.arrow --count");
        assert_eq!(seen.code, Some(1));
        assert!(seen.err.contains(part), "{part}: {}", seen.err);
    }
}

/// Before version 0.15 of Arrow, only its length precedes a message.
#[test]
fn old_streams_are_read() {
    let file = arrow(&table(), arrow_style(1));
    let (mut old, mut at) = (Vec::new(), 0);
    for message in &file.metadata {
        old.extend(&file.bytes[at..message.start]);
        at = message.start + 4;
    }
    let end = file.bytes.len() - 8;
    old.extend(&file.bytes[at..end]);
    tables::assert_cells_are_read("a.arrows", &[&old[..], &[0; 4]].concat());
    tables::assert_cells_are_read("a.data", &old);
}
