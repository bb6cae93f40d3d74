//! Files of the same records in forms that other programs write.

use doisift_core::Form;

use ::parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::ByteArray;
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;

use super::super::{Parquet, schema_of};
use super::{ROUNDS, Random, layout, read, records, rows};
use crate::records::{OwnedRecord, RowWriter};

/// Returns codecs that other programs use for pages.
pub(super) fn codecs() -> [Compression; 7] {
    [
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::LZ4_RAW,
        Compression::LZ4,
        Compression::BROTLI(BrotliLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::UNCOMPRESSED,
    ]
}

fn written(builder: WriterPropertiesBuilder, records: &[OwnedRecord]) -> Vec<u8> {
    let builder = builder.set_data_page_row_count_limit(700);
    let builder = builder.set_max_row_group_row_count(Some(2000));
    let mut out = Box::new(Parquet::with(builder.build(), &layout(), Vec::new()).unwrap());
    rows(records).for_each(|record| out.row(&record).unwrap());
    out.finish().unwrap()
}

/// Returns a file written by the crate `parquet`, without checksums, so that damage reaches the decoders.
pub(super) fn without_crcs(builder: WriterPropertiesBuilder, records: &[OwnedRecord]) -> Vec<u8> {
    let schema = schema_of(&layout()).unwrap().into();
    let properties = builder.build().into();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = file.next_row_group().unwrap();
    for field in 0..layout().fields.len() {
        let mut column = group.next_column().unwrap().unwrap();
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(out) => {
                let texts = records.iter().map(|record| texts(record, field));
                let mut values: Vec<ByteArray> = Vec::new();
                let (mut definitions, mut repetitions) = (Vec::new(), Vec::new());
                for texts in texts {
                    repetitions.extend((0..texts.len().max(1)).map(|at| i16::from(at > 0)));
                    definitions.extend(vec![i16::from(!texts.is_empty()); texts.len().max(1)]);
                    values.extend(texts.into_iter().map(ByteArray::from));
                }
                out.write_batch(&values, Some(&definitions), Some(&repetitions))
            }
            ColumnWriter::Int64ColumnWriter(out) => {
                let number = |record: &OwnedRecord| match field {
                    1 => record.mentions as i64,
                    2 => record.documents as i64,
                    3 => record.sources as i64,
                    _ => record.first_offset as i64,
                };
                let numbers: Vec<_> = records.iter().map(number).collect();
                out.write_batch(&numbers, None, None)
            }
            ColumnWriter::BoolColumnWriter(out) => {
                let flags: Vec<_> = records.iter().map(|record| record.guessed).collect();
                out.write_batch(&flags, None, None)
            }
            _ => panic!("records have no such column"),
        }
        .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.into_inner().unwrap()
}

/// Returns the values of a text field; empty for null.
fn texts(record: &OwnedRecord, field: usize) -> Vec<&str> {
    match field {
        0 => vec![&record.doi],
        4 => record.forms.iter().map(Form::name).collect(),
        5 => vec![&record.first_source],
        6 if record.first_document.is_empty() => vec![],
        6 => vec![&record.first_document],
        8 => vec![&record.first_text],
        _ => vec![],
    }
}

/// Returns properties for numbers and texts in delta encodings.
fn deltas(text: Encoding) -> WriterPropertiesBuilder {
    let mut builder = WriterProperties::builder().set_dictionary_enabled(false);
    for number in ["mentions", "documents", "sources", "first_offset"] {
        builder = builder.set_column_encoding(number.into(), Encoding::DELTA_BINARY_PACKED);
    }
    for name in [
        "doi",
        "first_source",
        "first_document",
        "first_text",
        "forms.list.element",
    ] {
        builder = builder.set_column_encoding(name.into(), text);
    }
    builder
}

#[test]
fn every_codec_is_read() {
    let records = records(5000);
    for codec in codecs() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let builder = WriterProperties::builder().set_compression(codec);
            let bytes = written(builder.set_writer_version(version), &records);
            assert!(read(&bytes).unwrap() == records, "{codec} {version:?}");
        }
    }
}

#[test]
fn delta_encodings_are_read() {
    let records = records(5000);
    for text in [
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let bytes = written(deltas(text).set_writer_version(version), &records);
            assert!(read(&bytes).unwrap() == records, "{text} {version:?}");
        }
    }
}

#[test]
fn no_damage_of_delta_encodings_makes_reading_panic() {
    let records = records(300);
    let mut random = Random(3);
    let mut refused = 0;
    for text in [
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
    ] {
        let bytes = without_crcs(deltas(text), &records);
        assert!(read(&bytes).unwrap() == records, "{text}");
        for round in 0..2 * ROUNDS {
            let mut bytes = bytes.clone();
            for _ in 0..=round % 3 {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            refused += usize::from(read(&bytes).is_err());
        }
    }
    assert!(refused > ROUNDS, "{refused} were refused");
}

/// Returns a file of one record in another schema, with these values and levels.
fn one(schema: &str, columns: &[(Value, i16, i16)]) -> Vec<u8> {
    let schema = parse_message_type(schema).unwrap().into();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    for (value, definition, repetition) in columns {
        let mut column = group.next_column().unwrap().unwrap();
        let (definitions, repetitions) = ([*definition], [*repetition]);
        let levels = (Some(&definitions[..]), Some(&repetitions[..]));
        match (column.untyped(), value) {
            (ColumnWriter::ByteArrayColumnWriter(out), Value::Text(text)) => {
                out.write_batch(&[ByteArray::from(*text)], levels.0, levels.1)
            }
            (ColumnWriter::Int32ColumnWriter(out), Value::Number(n)) => {
                out.write_batch(&[*n as i32], levels.0, levels.1)
            }
            (ColumnWriter::Int32ColumnWriter(out), Value::Null) => {
                out.write_batch(&[], levels.0, levels.1)
            }
            (ColumnWriter::ByteArrayColumnWriter(out), Value::Null) => {
                out.write_batch(&[], levels.0, levels.1)
            }
            (ColumnWriter::Int64ColumnWriter(out), Value::Number(n)) => {
                out.write_batch(&[*n], levels.0, levels.1)
            }
            (ColumnWriter::DoubleColumnWriter(out), Value::Number(n)) => {
                out.write_batch(&[*n as f64], levels.0, levels.1)
            }
            (ColumnWriter::BoolColumnWriter(out), Value::Flag(flag)) => {
                out.write_batch(&[*flag], levels.0, levels.1)
            }
            _ => panic!("a value of another type"),
        }
        .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.into_inner().unwrap()
}

#[derive(Clone, Copy)]
enum Value {
    Text(&'static str),
    Number(i64),
    Flag(bool),
    Null,
}

/// A column of one record: its name, its text in the schema, and its value with its levels.
type Change<'t> = (&'t str, &'t str, (Value, i16, i16));

/// Returns a file of one record whose columns are all nullable, except possibly the changed one.
fn nullable(changed: Change<'_>) -> Vec<u8> {
    use Value::{Flag, Number, Text};
    let text = "optional binary NAME (STRING);";
    let number = "optional int64 NAME;";
    let forms = "optional group NAME (LIST) { repeated group bag { optional binary array_element (STRING); } }";
    let fields = [
        ("doi", text, (Text("10.5555/A"), 1, 0)),
        ("mentions", number, (Number(7), 1, 0)),
        ("documents", number, (Number(3), 1, 0)),
        ("sources", number, (Number(2), 1, 0)),
        ("forms", forms, (Text("bare"), 3, 0)),
        ("first_source", text, (Text("s"), 1, 0)),
        ("first_document", text, (Text("d"), 1, 0)),
        ("first_offset", number, (Number(9), 1, 0)),
        ("first_text", text, (Text("10.5555/A"), 1, 0)),
        ("guessed", "optional boolean NAME;", (Flag(true), 1, 0)),
    ];
    let fields = fields.map(|(name, schema, value)| {
        let (schema, value) = if changed.0 == name {
            (changed.1, changed.2)
        } else {
            (schema, value)
        };
        (schema.replace("NAME", name), value)
    });
    let schema: String = fields.iter().map(|(schema, _)| schema.as_str()).collect();
    one(
        &format!("message other {{ {schema} }}"),
        &fields.map(|(_, value)| value),
    )
}

fn record() -> OwnedRecord {
    OwnedRecord {
        doi: "10.5555/a".into(),
        mentions: 7,
        documents: 3,
        sources: 2,
        forms: Form::Bare.into(),
        first_source: "s".into(),
        first_document: "d".into(),
        first_offset: 9,
        first_text: "10.5555/A".into(),
        guessed: true,
        ..OwnedRecord::default()
    }
}

/// Asserts that a file with a changed column is read as `record`.
#[track_caller]
fn assert_is_read(changed: Change<'_>, record: OwnedRecord) {
    let read = read(&nullable(changed)).map_err(|error| error.to_string());
    assert_eq!(read, Ok(vec![record]), "{}", changed.1);
}

#[test]
fn columns_of_other_programs_are_read() {
    use Value::{Null, Number, Text};
    let short = "optional int32 NAME (INTEGER(16, false));";
    let unsigned = "optional int64 NAME (INTEGER(64, false));";
    let text = "optional binary NAME (STRING);";
    let repeated = "repeated binary NAME (STRING);";
    let list =
        "required group NAME (LIST) { repeated group list { optional binary item (STRING); } }";
    for changed in [
        ("mentions", "optional int64 NAME;", (Number(7), 1, 0)),
        ("mentions", "required int32 NAME;", (Number(7), 0, 0)),
        ("mentions", short, (Number(7), 1, 0)),
        ("documents", unsigned, (Number(3), 1, 0)),
        ("doi", "required binary NAME;", (Text("10.5555/a"), 0, 0)),
        ("forms", text, (Text("bare"), 1, 0)),
        ("forms", repeated, (Text("bare"), 1, 0)),
        ("forms", list, (Text("bare"), 2, 0)),
    ] {
        assert_is_read(changed, record());
    }
    for schema in [text, "optional int32 NAME (UNKNOWN);"] {
        let without = OwnedRecord {
            first_document: String::new(),
            ..record()
        };
        assert_is_read(("first_document", schema, (Null, 0, 0)), without);
    }
}

/// Columns that are invalid for records, each with its error.
const WRONG_COLUMNS: [(Change<'static>, &str); 8] = [
    (
        (
            "mentions",
            "optional double NAME;",
            (Value::Number(7), 1, 0),
        ),
        "column mentions is DOUBLE, but must be an integer of 32 or 64 bits, best INT64 (in SQL: bigint); write the file again",
    ),
    (
        (
            "first_offset",
            "optional int64 NAME (TIMESTAMP_MILLIS);",
            (Value::Number(7), 1, 0),
        ),
        "column first_offset is INT64 (TIMESTAMP_MILLIS), but must be an integer",
    ),
    (
        (
            "guessed",
            "optional binary NAME (STRING);",
            (Value::Text("true"), 1, 0),
        ),
        "column guessed is BYTE_ARRAY (UTF8), but must be a boolean",
    ),
    (
        (
            "doi",
            "required group other { repeated binary NAME (STRING); }",
            (Value::Text("x"), 1, 0),
        ),
        "not a records file: column `doi` is missing; records have doi, mentions, ",
    ),
    (
        (
            "first_text",
            "optional binary NAME (STRING);",
            (Value::Null, 0, 0),
        ),
        "row 1: first_text is null, but must not be; correct or remove the row",
    ),
    (
        (
            "mentions",
            "optional int64 NAME (INTEGER(64, false));",
            (Value::Number(-1), 1, 0),
        ),
        "row 1: mentions is \"18446744073709551615\", but must be a whole number from 1 to",
    ),
    (
        (
            "mentions",
            "optional int64 NAME;",
            (Value::Number(-1), 1, 0),
        ),
        "row 1: mentions is \"-1\", but must be a whole number from",
    ),
    (
        (
            "doi",
            "optional binary NAME (STRING);",
            (Value::Text("hello"), 1, 0),
        ),
        "row 1: doi is \"hello\", but must be a DOI name",
    ),
];

#[test]
fn a_column_that_records_have_not_so_is_named_with_what_it_must_be() {
    for (changed, why) in WRONG_COLUMNS {
        let error = read(&nullable(changed)).unwrap_err().to_string();
        assert!(error.starts_with(why), "{error} for {why}");
    }
}
