//! Checks that written records are read back unchanged for every division into blocks, and that a damaged file gives an error,
//! not a panic.

mod foreign;

use std::io::Cursor;
use std::sync::Arc;

use doisift_core::Form;

use ::parquet::basic::Encoding;
use ::parquet::file::properties::{WriterProperties, WriterVersion};

use super::Parquet;
use super::columns::RowColumns;
use crate::records::tests::mention;
use crate::records::{
    Format, Layout, OwnedRecord, ReadError, Record, RowBlock, RowKind, RowWriter, parquet_reader,
    writer,
};

/// Number of damaged files of each kind.
const ROUNDS: usize = 60;

/// Returns sorted records with all kinds of values that the schema allows.
fn records(count: usize) -> Vec<OwnedRecord> {
    let record = |n: usize| OwnedRecord {
        doi: format!("10.5555/{n:09}é"),
        mentions: 7 + n as u64 % 7,
        documents: 1 + n as u64 % 3,
        sources: 1 + n as u64 % 3 / 2,
        forms: Form::ALL.iter().copied().take(1 + n % 7).collect(),
        first_source: format!("dump/{}.txt", n / 5),
        first_document: ["", "member\n", "https://example.org/?a,b"][n % 3].into(),
        first_offset: (n as u64) << (n % 40),
        first_text: format!("10.5555/{n:09}%C3%A9").repeat(1 + n % 4),
        guessed: n.is_multiple_of(5),
        ..OwnedRecord::default()
    };
    (0..count).map(record).collect()
}

fn rows(records: &[OwnedRecord]) -> impl Iterator<Item = Record<'_>> {
    records.iter().map(OwnedRecord::as_record)
}

fn layout() -> Layout {
    Layout::new(Format::Parquet, RowKind::Records)
}

fn columns(records: &[OwnedRecord]) -> RowColumns {
    let mut columns = RowColumns::new(&layout(), records.len());
    rows(records).for_each(|row| columns.push(&row, &layout()));
    columns
}

fn written(records: &[OwnedRecord]) -> Vec<u8> {
    let mut out = writer(&layout(), Vec::new()).unwrap();
    rows(records).for_each(|record| out.row(&record).unwrap());
    out.finish().unwrap()
}

/// Returns a file with version 2 of data pages, without CRCs and compression, so that damage reaches the decoders.
fn unpacked(records: &[OwnedRecord]) -> Vec<u8> {
    let properties = WriterProperties::builder().set_writer_version(WriterVersion::PARQUET_2_0);
    foreign::without_crcs(properties.set_encoding(Encoding::PLAIN), records)
}

/// Returns a file with small groups, written in blocks of `size` records.
fn in_blocks(records: &[OwnedRecord], size: usize) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(3000))
        .set_max_row_group_bytes(Some(1 << 20))
        .build();
    let out = Box::new(Parquet::with(properties, &layout(), Vec::new()).unwrap());
    let mut out = out.into_blocks().unwrap();
    for some in records.chunks(size) {
        let block = RowBlock::new(&layout(), &mut rows(some)).unwrap();
        out.block(block).unwrap();
    }
    out.end().unwrap()
}

fn read(bytes: &[u8]) -> Result<Vec<OwnedRecord>, ReadError> {
    let mut reader = parquet_reader(Arc::new(Cursor::new(bytes.to_vec())), bytes.len() as u64)?;
    let (mut all, mut row) = (Vec::new(), OwnedRecord::default());
    while reader.next(&mut row)? {
        all.push(row.clone());
    }
    Ok(all)
}

/// Returns the number of rows of each group.
fn groups(bytes: &[u8]) -> Vec<i64> {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    let file = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).unwrap();
    let groups = file.metadata().row_groups().iter();
    groups.map(|group| group.num_rows()).collect()
}

#[test]
fn an_output_without_records_is_a_file_without_row_groups() {
    let bytes = written(&[]);
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    assert!(groups(&bytes).is_empty());
    let mentions = writer(&Layout::new(Format::Parquet, RowKind::Mentions), Vec::new()).unwrap();
    assert!(groups(&mentions.finish().unwrap()).is_empty());
}

#[test]
fn bytes_depend_on_the_rows_and_not_on_their_division() {
    let records = records(6500);
    let bytes = in_blocks(&records, records.len());
    assert_eq!(groups(&bytes), [3000, 3000, 500]);
    for size in [1, 999, 2048, 3000, 3001] {
        assert!(in_blocks(&records, size) == bytes, "blocks of {size}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let parallel = pool.unwrap().install(|| in_blocks(&records, 2048));
    assert!(parallel == bytes, "encoded on several threads");
    assert!(read(&bytes).unwrap() == records);
}

#[test]
fn a_group_ends_with_the_row_that_fills_it() {
    let mut records = records(7);
    let text = "x".repeat((1 << 20) / 3);
    let texts = records.iter_mut().map(|record| &mut record.first_text);
    texts.for_each(|first_text| first_text.clone_from(&text));
    let bytes = in_blocks(&records, 7);
    assert_eq!(groups(&bytes), [3, 3, 1]);
    assert!(in_blocks(&records, 2) == bytes);
    assert!(read(&bytes).unwrap() == records);
}

#[test]
fn columns_that_are_split_hold_the_same_rows() {
    let records = records(40);
    let mut first = columns(&records);
    let size = first.bytes();
    let last = first.split_off(13);
    assert_eq!((first.rows(), last.rows()), (13, 27));
    assert_eq!(first.bytes() + last.bytes(), size);
    let mut out = Box::new(Parquet::new(&layout(), Vec::new()).unwrap());
    out.append(first).unwrap();
    out.append(last).unwrap();
    assert!(out.finish().unwrap() == written(&records));
}

#[test]
fn numbers_past_the_type_are_written_as_its_greatest() {
    let mut records = records(1);
    records[0].mentions = u64::MAX;
    assert_eq!(
        read(&written(&records)).unwrap()[0].mentions,
        i64::MAX as u64
    );
}

#[test]
fn mentions_are_reported_from_records() {
    let mut out = writer(&Layout::new(Format::Parquet, RowKind::Mentions), Vec::new()).unwrap();
    (0..3000).for_each(|_| out.row(&mention()).unwrap());
    let bytes = out.finish().unwrap();
    assert_eq!(groups(&bytes), [3000]);
    let error = read(&bytes).unwrap_err().to_string();
    assert!(error.contains("mentions"), "{error}");
}

#[test]
fn a_file_cut_short_is_an_error() {
    let bytes = written(&records(300));
    for length in 0..bytes.len() {
        // A file without bytes is an empty file of another format.
        let read = read(&bytes[..length]);
        assert!(read.is_err() || length == 0, "{length} bytes");
    }
}

#[test]
fn a_stream_and_a_wrong_row_are_named() {
    let bytes = written(&records(300));
    let stream = crate::records::reader::<OwnedRecord>(Cursor::new(bytes))
        .err()
        .unwrap();
    assert!(stream.to_string().contains("plain file"), "{stream}");
    let mut wrong = records(2000);
    wrong[1500].doi.clear();
    let error = read(&written(&wrong)).unwrap_err();
    let start = "row 1501: doi is \"\", but must be a DOI name";
    assert!(error.to_string().starts_with(start), "{error}");
}

/// A random generator with a fixed seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

#[test]
fn no_damage_makes_reading_panic() {
    let records = records(300);
    let mut random = Random(7);
    let (mut refused, mut rounds) = (0, 0);
    let packed = foreign::codecs().map(|codec| {
        let packed = WriterProperties::builder().set_compression(codec);
        foreign::without_crcs(packed, &records)
    });
    for bytes in packed
        .into_iter()
        .chain([written(&records), unpacked(&records)])
    {
        assert!(read(&bytes).unwrap() == records);
        // Half of the flips are at the end, where the metadata is.
        let tail = bytes.len() - 1500;
        rounds += ROUNDS;
        for round in 0..ROUNDS {
            let mut bytes = bytes.clone();
            for _ in 0..=round % 3 {
                let from = tail * (round % 2);
                let at = from + random.below(bytes.len() - from);
                bytes[at] = random.below(256) as u8;
            }
            refused += usize::from(read(&bytes).is_err());
        }
    }
    assert!(refused > rounds / 3, "{refused} of {rounds} were refused");
}

#[test]
fn forms_are_lists() {
    let mut records = records(3);
    records[0].forms = Form::ALL.iter().copied().collect();
    records[0].mentions = Form::ALL.len() as u64;
    records[1].forms = [Form::Url, Form::Bare].into_iter().collect();
    let read = read(&written(&records)).unwrap();
    assert_eq!(read[0].forms, records[0].forms);
    assert_eq!(read[1].forms, records[1].forms);
}
