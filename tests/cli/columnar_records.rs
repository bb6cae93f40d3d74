//! Bibliographic records in Parquet and Arrow files: their edges are those of the same records in JSON Lines.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Fields};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::place::Place;
use crate::tables::rows;

/// The records as JSON Lines. The second has no references, and the third no name.
const LINES: &str = r#"{"DOI":"10.5555/a","title":["One \"quoted\" \\ line"],"year":2020,"reference":[{"key":"r1","DOI":"10.5555/b"},{"key":"r2","unstructured":"See doi:10.5555/c, and\nmore."},null,{"key":"r4"}]}
{"DOI":"10.5555/d","title":["Two"],"reference":[]}
{"year":-1,"reference":[{"key":"r1","DOI":"10.5555/e"}]}
{"DOI":"not a name"}
{}
"#;
const FIELDS: &str =
    "record,path,ref_index,role,asserted,asserted_by,ref_key,doi,form,text,value,doi_clean";

fn titles() -> ArrayRef {
    let mut titles = ListBuilder::new(StringBuilder::new());
    titles.append_value([Some("One \"quoted\" \\ line")]);
    titles.append_value([Some("Two")]);
    (0..3).for_each(|_| titles.append_null());
    Arc::new(titles.finish())
}

fn references() -> ArrayRef {
    let names = ["key", "DOI", "unstructured"];
    let fields = names.map(|name| Field::new(name, DataType::Utf8, true));
    let fields: Fields = fields.into_iter().collect();
    let mut lists = ListBuilder::new(StructBuilder::from_fields(fields, 4));
    let first = [
        Some([Some("r1"), Some("10.5555/b"), None]),
        Some([Some("r2"), None, Some("See doi:10.5555/c, and\nmore.")]),
        None,
        Some([Some("r4"), None, None]),
    ];
    let third = [Some([Some("r1"), Some("10.5555/e"), None])];
    for items in [Some(&first[..]), Some(&[]), Some(&third), None, None] {
        for item in items.unwrap_or_default() {
            for (at, text) in item.unwrap_or_default().into_iter().enumerate() {
                let texts = lists.values().field_builder::<StringBuilder>(at).unwrap();
                texts.append_option(text);
            }
            lists.values().append(item.is_some());
        }
        lists.append(items.is_some());
    }
    Arc::new(lists.finish())
}

fn records() -> RecordBatch {
    let names = [
        Some("10.5555/a"),
        Some("10.5555/d"),
        None,
        Some("not a name"),
        None,
    ];
    let years = vec![Some(2020), None, Some(-1), None, None];
    let columns: [(&str, ArrayRef); 4] = [
        ("DOI", Arc::new(StringArray::from(names.to_vec()))),
        ("title", titles()),
        ("year", Arc::new(Int64Array::from(years))),
        ("reference", references()),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// Writes the records in each format, in parts of two rows.
fn write_files(place: &Place) -> Vec<&'static str> {
    let all = records();
    let parts: Vec<_> = (0..all.num_rows())
        .step_by(2)
        .map(|at| all.slice(at, (all.num_rows() - at).min(2)))
        .collect();
    let codecs = [Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())];
    for (name, codec) in ["s.parquet", "z.parquet"].into_iter().zip(codecs) {
        let properties = WriterProperties::builder().set_compression(codec).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), all.schema(), Some(properties)).unwrap();
        for part in &parts {
            writer.write(part).unwrap();
            writer.flush().unwrap();
        }
        place.file(name, writer.into_inner().unwrap());
    }
    let mut file = FileWriter::try_new(Vec::new(), &all.schema()).unwrap();
    let mut stream = StreamWriter::try_new(Vec::new(), &all.schema()).unwrap();
    for part in &parts {
        file.write(part).unwrap();
        stream.write(part).unwrap();
    }
    place.file("f.arrow", file.into_inner().unwrap());
    place.file("s.arrows", stream.into_inner().unwrap());
    vec!["s.parquet", "z.parquet", "f.arrow", "s.arrows"]
}

/// Runs a scan for edges. Returns its rows and the nodes.
fn edges(place: &Place, source: &str, options: &str) -> [String; 2] {
    let line = format!("{source} --edges -f csv --fields {FIELDS} --nodes-to n.csv {options}");
    let out = place.scan(&line).quiet().out;
    [out, place.read("n.csv")]
}

#[test]
fn rows_are_the_records_of_json_lines() {
    let place = Place::new();
    place.file("a.jsonl", LINES);
    let files = write_files(&place);
    let record_fields = "--record-fields title=/title/*,year:int=/year";
    for options in ["", "--all-references", record_fields] {
        let expected = edges(&place, "a.jsonl", options);
        let second = "10.5555/a,/reference/1/unstructured,1,reference";
        assert!(expected[0].contains(second), "{}", expected[0]);
        for file in &files {
            for threads in ["-j1", "-j2", "-j1 --memory 64M"] {
                let found = edges(&place, file, &format!("{options} {threads}"));
                assert_eq!(found, expected, "{file} {options} {threads}");
            }
        }
    }
}

#[test]
fn a_row_is_a_document_whose_offsets_count_in_its_json() {
    let place = Place::new();
    for file in write_files(&place) {
        let line = format!("{file} --edges -f csv --fields document,offset,doi --role self");
        let seen = place.scan(&line).quiet();
        assert_eq!(rows(&seen.out), "#row=1,8,10.5555/a\n#row=2,8,10.5555/d\n");
    }
}

#[test]
fn chosen_columns_are_read_cell_by_cell() {
    let place = Place::new();
    for file in write_files(&place) {
        let line =
            format!("{file} --edges -f csv --fields record,path,offset,role --id-column year");
        let seen = place.scan(&line).quiet();
        let first = rows(&seen.out).lines().nth(1);
        assert_eq!(first, Some("2020,/reference/0/DOI,0,other"));
    }
}
