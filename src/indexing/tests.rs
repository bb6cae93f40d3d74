//! Checks that documents are cut into the same rows and objects for all sizes of reads.

use doisift_documents::{InputError, PeekReader, ReadBytes};

use super::objects::{ObjectBlocks, ObjectPiece};
use doisift_tables::{BlockSizes, RowBlocks, RowPiece, TableReading};

/// Bytes with damage in place of each `!`. Reading can continue after it.
struct Damaged<'b>(&'b [u8]);

impl ReadBytes for Damaged<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if let Some(rest) = self.0.strip_prefix(b"!") {
            self.0 = rest;
            return Err(InputError::Shrunk);
        }
        let sound = self.0.iter().position(|byte| *byte == b'!');
        let mut sound = &self.0[..sound.unwrap_or(self.0.len())];
        let read = ReadBytes::read(&mut sound, into)?;
        self.0 = &self.0[read..];
        Ok(read)
    }
}

fn sizes(step: usize, max: usize) -> BlockSizes {
    BlockSizes { step, max }
}

/// Returns the rows with their offsets, and the number of losses.
fn rows(text: &str, reading: TableReading, sizes: BlockSizes) -> (Vec<(u64, String)>, usize) {
    let mut bytes = Damaged(text.as_bytes());
    let raw: PeekReader<&mut dyn ReadBytes> = PeekReader::with_capacity(&mut bytes, 4);
    let mut blocks = RowBlocks::new(raw, 0, reading, sizes);
    let (mut rows, mut lost) = (Vec::new(), 0);
    while let Some(piece) = blocks.next() {
        match piece {
            RowPiece::Lost(..) => lost += 1,
            RowPiece::Rows(bytes, offset) => {
                let mut at = 0;
                while at < bytes.len() {
                    let (_, length) = reading.dialect().first_row(&bytes[at..]);
                    let row = String::from_utf8_lossy(&bytes[at..at + length]).into_owned();
                    rows.push((offset + at as u64, row));
                    at += length;
                }
            }
        }
    }
    (rows, lost)
}

/// Returns the objects with their offsets, and the number of losses.
fn objects(text: &str, sizes: BlockSizes) -> (Vec<(u64, String)>, usize) {
    let mut bytes = Damaged(text.as_bytes());
    let raw: PeekReader<&mut dyn ReadBytes> = PeekReader::with_capacity(&mut bytes, 4);
    let mut blocks = ObjectBlocks::new(raw, 0, sizes);
    let (mut objects, mut lost) = (Vec::new(), 0);
    while let Some(piece) = blocks.next() {
        match piece {
            ObjectPiece::Lost(..) => lost += 1,
            ObjectPiece::Objects(bytes, found, offset) => {
                for range in found {
                    let text = String::from_utf8_lossy(&bytes[range.clone()]).into_owned();
                    objects.push((offset + range.start as u64, text));
                }
            }
        }
    }
    (objects, lost)
}

fn owned(rows: &[(u64, &str)]) -> Vec<(u64, String)> {
    rows.iter()
        .map(|(at, row)| (*at, (*row).to_owned()))
        .collect()
}

#[test]
fn rows_are_the_same_for_reads_of_any_size() {
    let mut csv = TableReading::LINES.dialect();
    csv.delimiter = b',';
    let csv = TableReading::Delimited(csv);
    for step in 1..40 {
        let (found, lost) = rows("a,b\n\nccc,d\nlast", csv, sizes(step, 100));
        let wanted = [(0, "a,b\n"), (4, "\n"), (5, "ccc,d\n"), (11, "last")];
        assert_eq!((found, lost), (owned(&wanted), 0), "{step}");
    }
}

#[test]
fn the_row_with_damage_is_dropped_and_no_row_is_joined_over_it() {
    let lines = TableReading::LINES;
    for step in 1..40 {
        let (found, lost) = rows("one\ntw!o\nthree\n!four\nfive", lines, sizes(step, 100));
        let found: Vec<&str> = found.iter().map(|(_, row)| row.as_str()).collect();
        assert_eq!(
            (found, lost),
            (vec!["one\n", "three\n", "five"], 2),
            "{step}"
        );
    }
}

#[test]
fn a_row_that_is_too_long_is_dropped() {
    let lines = TableReading::LINES;
    let text = format!("one\n{}\ntwo\n", "x".repeat(90));
    for step in 1..20 {
        let (found, lost) = rows(&text, lines, sizes(step, 20));
        assert_eq!(
            (found, lost),
            (owned(&[(0, "one\n"), (95, "two\n")]), 1),
            "{step}"
        );
    }
}

#[test]
fn objects_of_an_array_are_the_same_for_reads_of_any_size() {
    let text = r#" {"a":"}\"{\\"} ,{"b":[{"c":1},"]"]},{}],"more":{"d":{}}}"#;
    let wanted = [
        (1, r#"{"a":"}\"{\\"}"#),
        (17, r#"{"b":[{"c":1},"]"]}"#),
        (37, "{}"),
    ];
    for step in 1..80 {
        assert_eq!(
            objects(text, sizes(step, 100)),
            (owned(&wanted), 0),
            "{step}"
        );
    }
}

#[test]
fn after_damage_in_an_array_no_inner_object_is_taken_for_one_of_it() {
    for step in 1..40 {
        let found = objects(
            r#"{"a":1},{"b":!{"c":1},"d":{"e":1}},{"f":1}]"#,
            sizes(step, 100),
        );
        assert_eq!(found, (owned(&[(0, r#"{"a":1}"#)]), 1), "{step}");
    }
}

#[test]
fn an_array_without_an_end_is_lost_there() {
    for step in 1..20 {
        let found = objects(r#"{"a":1},{"b":"#, sizes(step, 100));
        assert_eq!(found, (owned(&[(0, r#"{"a":1}"#)]), 1), "{step}");
    }
}

#[test]
fn an_object_that_is_too_long_is_lost() {
    let text = format!("{{\"a\":\"{}\"}},{{\"b\":1}}]}}", "x".repeat(90));
    for step in 1..20 {
        let (found, lost) = objects(&text, sizes(step, 20));
        assert_eq!((found, lost), (owned(&[(99, r#"{"b":1}"#)]), 1), "{step}");
    }
}

#[test]
fn arrays_of_further_pages_are_read_and_pages_without_one_are_lost() {
    for between in [r#""#, "\n", r#","query":{"items-per-page":9}}"#] {
        let text =
            format!("{{}}]{between}{{\"items\" : [{{\"b\":1}}]}}\n{{\"status\":\"failed\"}}");
        let at = (15 + between.len()) as u64;
        for step in 1..40 {
            let (found, lost) = objects(&text, sizes(step, 100));
            let wanted = owned(&[(0, "{}"), (at, r#"{"b":1}"#)]);
            assert_eq!((found, lost), (wanted, 1), "{between} {step}");
        }
    }
}
