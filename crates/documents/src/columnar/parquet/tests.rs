use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use ::parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use ::parquet::data_type::{
    ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
    Int64Type,
};
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter};
use ::parquet::file::properties::{WriterProperties, WriterVersion};
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;

use super::*;
use crate::column_choice::ColumnSelection;
use crate::columnar::part::{ColumnarFile, PartStart, TableItem};

const SCHEMA: &str = "message m {
    required int64 id;
    optional int32 short (INTEGER(32, false));
    optional binary text (STRING);
    required double number;
    optional group authors (LIST) { repeated group list { optional group element {
        optional binary name (STRING);
        optional group works (MAP) { repeated group key_value { required binary key (STRING); optional binary value; } }
    } } }
    optional binary price (DECIMAL(9, 2));
}";
const ROWS: usize = 5000;

fn text(row: usize) -> Option<String> {
    (row % 7 != 3).then(|| format!("row {} has doi:10.5555/a.{row} in it", row / 3))
}

/// Writes the columns of the schema, the lists with one author for each third row.
fn written(properties: WriterProperties) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for rows in [0..ROWS / 2, ROWS / 2..ROWS] {
        let mut group = writer.next_row_group().unwrap();
        let mut number = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            match number {
                0 | 1 | 3 => write_numbers(number, &rows, &mut column),
                2 => write_texts(&rows, &mut column),
                _ => write_listed(number, &rows, &mut column),
            }
            column.close().unwrap();
            number += 1;
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn write_numbers(number: usize, rows: &Range<usize>, column: &mut SerializedColumnWriter<'_>) {
    let count = rows.len();
    let written = match number {
        0 => {
            let ids: Vec<i64> = rows.clone().map(|row| -(row as i64)).collect();
            column.typed::<Int64Type>().write_batch(&ids, None, None)
        }
        1 => {
            let (ids, levels) = (vec![-1; count], vec![1; count]);
            let column = column.typed::<Int32Type>();
            column.write_batch(&ids, Some(&levels), None)
        }
        _ => {
            let numbers = vec![0.5; count];
            column
                .typed::<DoubleType>()
                .write_batch(&numbers, None, None)
        }
    };
    written.unwrap();
}

fn write_texts(rows: &Range<usize>, column: &mut SerializedColumnWriter<'_>) {
    let texts = rows.clone().filter_map(text);
    let texts: Vec<_> = texts.map(|text| ByteArray::from(&*text)).collect();
    let levels = rows.clone().map(|row| text(row).is_some().into());
    let levels: Vec<i16> = levels.collect();
    let column = column.typed::<ByteArrayType>();
    column.write_batch(&texts, Some(&levels), None).unwrap();
}

/// Writes a column of the lists, or one that is null in all rows.
fn write_listed(number: usize, rows: &Range<usize>, column: &mut SerializedColumnWriter<'_>) {
    let full = [4, 5, 6].get(number - 4);
    let is_full = |row: &usize| full.is_some() && row.is_multiple_of(3);
    let level = |row| if is_full(&row) { full.copied() } else { None };
    let levels = rows.clone().map(|row| level(row).unwrap_or(0));
    let levels: Vec<i16> = levels.collect();
    let listed = rows.clone().filter(is_full);
    let texts = listed.map(|row| ByteArray::from(&*format!("{number}: {}", row % 10)));
    let texts: Vec<_> = texts.collect();
    let repetitions = full.map(|_| vec![0; rows.len()]);
    let column = column.typed::<ByteArrayType>();
    let written = column.write_batch(&texts, Some(&levels), repetitions.as_deref());
    written.unwrap();
}

/// The cells of a file: the name of the row, the place, and the text. Also what was lost.
fn read(bytes: &[u8], choice: &ColumnSelection) -> (Vec<(String, String, String)>, Vec<String>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let (file, faults) =
        ParquetFile::open(file.into(), bytes.len() as u64, choice, 64 << 20).unwrap();
    let mut lost: Vec<_> = faults.iter().map(|(_, error)| error.to_string()).collect();
    let mut cells = Vec::new();
    for number in 0..file.part_count() {
        for item in file
            .part(
                PartStart {
                    part: number,
                    row: 0,
                },
                64 << 20,
            )
            .unwrap()
        {
            match item {
                TableItem::Large(_) => {}
                TableItem::Lost(_, error) => lost.push(error.to_string()),
                TableItem::Batch { batch, .. } => {
                    let mut found = batch.cells().to_vec();
                    found.sort_by_key(|cell| (cell.row, cell.column));
                    cells.extend(found.iter().map(|cell| {
                        let mut name = String::new();
                        batch.write_row_name(cell.row, &mut name);
                        let text = String::from_utf8_lossy(batch.text(cell)).into_owned();
                        (name, batch.place(cell), text)
                    }));
                }
            }
        }
    }
    (cells, lost)
}

fn expected(name: impl Fn(usize) -> String) -> Vec<(String, String, String)> {
    let mut cells = Vec::new();
    for row in 0..ROWS {
        let mut add = |place: &str, text: String| cells.push((name(row), place.to_owned(), text));
        if let Some(text) = text(row) {
            add("text", text);
        }
        if row % 3 == 0 {
            for (number, place) in [(4, "name"), (5, "works[0].key"), (6, "works[0].value")] {
                add(
                    &format!("authors[0].{place}"),
                    format!("{number}: {}", row % 10),
                );
            }
        }
    }
    cells
}

#[test]
fn every_codec_and_encoding_gives_the_same_cells() {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ];
    let encodings = [
        None,
        Some(Encoding::PLAIN),
        Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
        Some(Encoding::DELTA_BYTE_ARRAY),
    ];
    let wanted = expected(|row| format!("#row={}", row + 1));
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for codec in codecs {
            for encoding in encodings {
                let mut properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_compression(codec)
                    .set_data_page_row_count_limit(700)
                    .set_write_batch_size(100)
                    .set_dictionary_enabled(encoding.is_none());
                if let Some(encoding) = encoding {
                    properties = properties.set_column_encoding("text".into(), encoding);
                }
                let (cells, lost) = read(&written(properties.build()), &ColumnSelection::default());
                assert_eq!(lost, [""; 0], "{version:?} {codec:?} {encoding:?}");
                assert!(cells == wanted, "{version:?} {codec:?} {encoding:?}");
            }
        }
    }
}

#[test]
fn integers_name_rows_in_every_encoding() {
    for encoding in [
        None,
        Some(Encoding::PLAIN),
        Some(Encoding::DELTA_BINARY_PACKED),
        Some(Encoding::BYTE_STREAM_SPLIT),
    ] {
        let mut properties = WriterProperties::builder().set_dictionary_enabled(encoding.is_none());
        if let Some(encoding) = encoding {
            properties = properties.set_column_encoding("id".into(), encoding);
            properties = properties.set_column_encoding("short".into(), encoding);
        }
        let file = written(properties.build());
        let by = |id: &str| ColumnSelection {
            id: Some(id.to_owned()),
            ..ColumnSelection::default()
        };
        let (cells, lost) = read(&file, &by("id"));
        assert_eq!(lost, [""; 0]);
        assert!(
            cells == expected(|row| (-(row as i64)).to_string()),
            "{encoding:?}"
        );
        let (cells, _) = read(&file, &by("short"));
        assert!(cells.iter().all(|(name, ..)| name == "4294967295"));
    }
}

#[test]
fn values_of_a_fixed_length_are_texts_unless_they_are_numbers() {
    let schema = "message m {
        required fixed_len_byte_array(9) code;
        required fixed_len_byte_array(9) price (DECIMAL(18, 2));
    }";
    for encoding in [
        None,
        Some(Encoding::PLAIN),
        Some(Encoding::DELTA_BYTE_ARRAY),
        Some(Encoding::BYTE_STREAM_SPLIT),
    ] {
        let mut properties = WriterProperties::builder().set_dictionary_enabled(encoding.is_none());
        if let Some(encoding) = encoding {
            properties = properties.set_encoding(encoding);
        }
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut bytes = Vec::new();
        let properties = Arc::new(properties.build());
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            let texts = ["10.5555/a", "10.5555/b", "10.5555/a"];
            let texts = texts.map(|text| FixedLenByteArray::from(ByteArray::from(text)));
            let column_writer = column.typed::<FixedLenByteArrayType>();
            column_writer.write_batch(&texts, None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        let (cells, lost) = read(&bytes, &ColumnSelection::default());
        assert_eq!(lost, [""; 0], "{encoding:?}");
        let texts: Vec<_> = cells
            .iter()
            .map(|(_, place, text)| (&**place, &**text))
            .collect();
        let wanted = ["10.5555/a", "10.5555/b", "10.5555/a"].map(|text| ("code", text));
        assert_eq!(texts, wanted, "{encoding:?}");
    }
}

#[test]
fn columns_are_chosen_by_either_name() {
    let file = written(WriterProperties::builder().build());
    let places = |columns: &[&str]| {
        let columns = Some(columns.iter().map(|&name| name.to_owned()).collect());
        let choice = ColumnSelection {
            columns,
            ..ColumnSelection::default()
        };
        let (cells, lost) = read(&file, &choice);
        let mut places: Vec<_> = cells.into_iter().map(|(_, place, _)| place).collect();
        places.sort_unstable();
        places.dedup();
        (places, lost.len())
    };
    let name = "authors[0].name".to_owned();
    let key = "authors[0].works[0].key".to_owned();
    let value = "authors[0].works[0].value".to_owned();
    assert_eq!(places(&["authors.name"]), (vec![name.clone()], 0));
    assert_eq!(
        places(&["authors.list.element.name"]),
        (vec![name.clone()], 0)
    );
    assert_eq!(
        places(&["authors.works"]),
        (vec![key.clone(), value.clone()], 0)
    );
    assert_eq!(places(&["authors"]), (vec![name, key, value], 0));
    assert_eq!(
        places(&["text", "author", "price", "id"]),
        (vec!["text".to_owned()], 3)
    );
}

/// Writes a file again, with each column said to be `missing` bytes shorter.
fn with_short_columns(file: &[u8], missing: i64) -> Vec<u8> {
    let length = u32::from_le_bytes(*file[file.len() - 8..].first_chunk().unwrap()) as usize;
    let start = file.len() - 8 - length;
    let metadata = &file[start..file.len() - 8];
    let metadata = ParquetMetaDataReader::decode_metadata(metadata).unwrap();
    let groups = metadata.row_groups().iter().map(|group| {
        let columns = group.columns().iter().map(|column| {
            let size = column.compressed_size() - missing;
            let builder = column.clone().into_builder();
            builder.set_total_compressed_size(size).build().unwrap()
        });
        let columns = columns.collect();
        let builder = group.clone().into_builder();
        builder.set_column_metadata(columns).build().unwrap()
    });
    let file_metadata = metadata.file_metadata().clone();
    let metadata = ParquetMetaData::new(file_metadata, groups.collect());
    let mut short = file[..start].to_vec();
    let writer = ParquetMetaDataWriter::new(&mut short, &metadata);
    writer.finish().unwrap();
    short
}

#[test]
fn early_versions_of_parquet_mr_do_not_count_the_headers_of_dictionaries() {
    let lost_by = |writer: &str| {
        let properties = WriterProperties::builder().set_created_by(writer.to_owned());
        let file = with_short_columns(&written(properties.build()), 14);
        let (cells, lost) = read(&file, &ColumnSelection::default());
        let is_whole = cells == expected(|row| format!("#row={}", row + 1));
        assert_eq!(is_whole, lost.is_empty(), "{writer}");
        lost.len()
    };
    for early in ["parquet-mr", "parquet-mr version 1.2.8 (build a)"] {
        assert_eq!(lost_by(early), 0, "{early}");
    }
    for other in ["parquet-mr version 1.2.9", "parquet-cpp version 1.1.0"] {
        assert_ne!(lost_by(other), 0, "{other}");
    }
}
