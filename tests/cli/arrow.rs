//! Arrow files and streams as sources: their rows as documents, the columns that are read, and files that are damaged.

use crate::arrow_writer::{ArrowStyle, arrow, style};
use crate::containers::{tar, zip};
use crate::parquet_writer::{ParquetColumn, table};
use crate::place::{Place, Seen};

/// The mentions in `table`: row, place and name.
const FOUND: &str = "\
#row=1,text,10.5555/one\n#row=1,text,10.5555/two\n#row=1,refs[0],10.5555/a\n#row=1,refs[2],10.5555/b\n\
#row=3,text,10.5555/cut\n#row=4,refs[0],10.5555/a\n#row=4,refs[2],10.5555/b\n\
#row=5,text,10.5555/one\n#row=5,text,10.5555/two\n\
#row=7,text,10.5555/cut\n#row=7,refs[0],10.5555/a\n#row=7,refs[2],10.5555/b\n\
#row=9,text,10.5555/one\n#row=9,text,10.5555/two\n\
#row=10,refs[0],10.5555/a\n#row=10,refs[2],10.5555/b\n#row=11,text,10.5555/cut\n";
const FIELDS: &str = "--mentions -f csv --fields document,column,doi";

fn rows(out: &str) -> &str {
    out.split_once('\n').map_or("", |(_, rows)| rows)
}

#[test]
fn cells_are_read_however_the_file_is_written() {
    for bits in 0..16 {
        let place = Place::new();
        place.file("a.arrow", arrow(&table(), style(bits)).bytes);
        for threads in ["-j1", "-j2"] {
            let seen = place.scan(&format!("a.arrow {FIELDS} {threads}"));
            assert_eq!(rows(&seen.quiet().out), FOUND, "{bits}");
        }
        let seen = place.scan("a.arrow --count -f csv");
        assert_eq!(rows(&seen.quiet().out), "5,17,12,1\n");
    }
}

#[test]
fn columns_are_chosen_and_name_rows() {
    let place = Place::new();
    place.file("a.arrow", arrow(&table(), style(2)).bytes);
    let only = |columns: &str| {
        let seen = place.scan(&format!("a.arrow {FIELDS} --columns {columns}"));
        rows(&seen.quiet().out).lines().count()
    };
    assert_eq!((only("text"), only("refs"), only("refs,text")), (9, 8, 17));
    assert_eq!(only("refs.item"), 8);
    let seen = place.scan(&format!("a.arrow {FIELDS} --columns text,number"));
    assert_eq!(seen.code, Some(1));
    let said = "a.arrow: at byte 0: there is no column number";
    assert!(seen.err.contains(said), "{}", seen.err);
    assert!(seen.err.contains("text, refs"), "{}", seen.err);
    let seen = place.scan(&format!(
        "a.arrow {FIELDS} --columns refs --id-column number"
    ));
    let seen = seen.quiet();
    assert!(
        rows(&seen.out).starts_with("0,refs[0],10.5555/a\n"),
        "{}",
        seen.out
    );
    let seen = place.scan(&format!("a.arrow {FIELDS} --columns refs --id-column text"));
    let ids = seen.quiet().out;
    let first = "\"See doi:10.5555/one, and 10.5555/Two.\",refs[0],10.5555/a\n";
    assert!(rows(&ids).starts_with(first), "{ids}");
    assert!(ids.contains("\n#row=10,refs[0],"), "{ids}");
}

#[test]
fn files_are_read_in_archives_and_from_standard_input() {
    let place = Place::new();
    for bits in [8, 9] {
        let file = arrow(&table(), style(bits)).bytes;
        place.file("a.tar", tar(&[("d/a.arrow", &file)]));
        place.file("a.zip", zip(&[("d/a.arrow", &file)]));
        let found = FOUND.replace("#row", "d/a.arrow!/#row");
        for archive in ["a.tar", "a.zip"] {
            let seen = place.scan(&format!("{archive} {FIELDS}"));
            assert_eq!(rows(&seen.quiet().out), found, "{archive}");
        }
        place.file("a.arrow", &file);
        let input = std::fs::File::open(place.path("a.arrow")).unwrap();
        let line = format!("scan - {FIELDS}");
        let mut command = place.command(line.split_whitespace());
        let seen = Seen::of(command.stdin(input));
        assert_eq!(rows(&seen.quiet().out), FOUND);
    }
}

/// Bits of the metadata of all messages. Nothing in the format says whether a number is the one that was written, so cells may
/// be others, but the rest of the run is the same on any number of threads.
#[test]
fn damage_gives_the_same_for_all_threads() {
    for bits in [3, 6, 8] {
        let place = Place::new();
        let file = arrow(&table(), style(bits));
        for at in file.metadata.iter().cloned().flatten().step_by(37) {
            let mut bytes = file.bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            place.file("a.arrow", &bytes);
            place.file("b.txt", "10.5555/after");
            let [one, two] =
                ["-j1", "-j2"].map(|j| place.scan(&format!("a.arrow b.txt {FIELDS} {j}")));
            assert_eq!(
                (&one.out, one.code, &one.err),
                (&two.out, two.code, &two.err),
                "{at}"
            );
            assert!(one.out.ends_with(",,10.5555/after\n"), "{at}: {}", one.out);
            assert!(matches!(one.code, Some(0 | 1)), "{at}: {}", one.err);
            let is_told = one.err.contains("a.arrow: at byte ") || one.code == Some(0);
            assert!(is_told, "{at}: {}", one.err);
        }
    }
}

#[test]
fn a_file_that_is_cut_gives_its_whole_batches() {
    let place = Place::new();
    for bits in [0, 1] {
        let file = arrow(&table(), style(bits));
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
    let file = arrow(&table(), style(0));
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
    let columns: [ParquetColumn<'_>; 0] = [];
    place.file("a.arrow", arrow(&columns, style(1)).bytes);
    let seen = place.scan("a.arrow --count");
    assert_eq!(seen.code, Some(0));
    let said = "no column holds strings or binary values";
    assert!(seen.err.contains(said), "{}", seen.err);
    for bits in [0, 1] {
        let reversed = ArrowStyle {
            big_endian: true,
            ..style(bits)
        };
        let whole = arrow(&table(), style(bits)).bytes;
        for (bytes, part) in [
            (
                &arrow(&table(), reversed).bytes[..],
                "has numbers with their highest byte first",
            ),
            (&whole[..300], "is cut within its metadata, or damaged"),
        ] {
            place.file("a.arrow", bytes);
            let seen = place.scan("a.arrow --count");
            assert_eq!(seen.code, Some(1));
            let part = if bytes.len() == 300 && bits == 0 {
                "no metadata at its end"
            } else {
                part
            };
            assert!(seen.err.contains(part), "{part}: {}", seen.err);
        }
    }
}
