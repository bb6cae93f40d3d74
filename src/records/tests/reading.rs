//! Checks that written records are read back unchanged, and that an invalid row is refused with its number.

use std::io::{Read, Write};

use doisift_core::Form;
use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{
    Format, IndexStatus, Layout, MAX_NUMBER, OwnedRecord, Record, RowKind, reader, writer,
};
use super::record;

const HEADER: &str = "doi,mentions,documents,sources,forms,first_source,first_document,first_offset,first_text,guessed\n";

fn read(bytes: &[u8]) -> Result<Vec<OwnedRecord>, String> {
    let mut rows = reader(bytes).map_err(|error| error.to_string())?;
    let (mut all, mut row) = (Vec::new(), OwnedRecord::default());
    while rows.next(&mut row).map_err(|error| error.to_string())? {
        all.push(row.clone());
    }
    Ok(all)
}

fn written(format: Format, records: &[OwnedRecord]) -> Vec<u8> {
    let layout = Layout::new(format, RowKind::Records).and_index_status();
    let mut rows = writer(&layout, Vec::new()).unwrap();
    for record in records {
        rows.row(&record.as_record()).unwrap();
    }
    rows.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Generates texts with characters that are special in a format.
fn text(min: usize) -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "a",
        "10.5555/x",
        "\"",
        "\"\"",
        ",",
        "\n",
        "\r\n",
        "\r",
        "|",
        " ",
        "\\",
        "\0",
        "\u{2028}",
        "\u{feff}",
        "é",
        "😀",
    ]);
    vec(parts, min..6).prop_map(|parts| parts.concat())
}

/// Generates such texts without characters that a suffix must not contain.
fn suffix() -> impl Strategy<Value = String> {
    text(1).prop_map(|text| {
        text.replace(
            |c: char| c.is_control() || c == '\u{2028}' || c == '\u{feff}',
            "x",
        )
    })
}

prop_compose! {
    fn any_record()(
        (suffix, first_source, first_document, first_text) in (suffix(), text(1), text(0), text(1)),
        (mentions, documents, sources) in (7..=MAX_NUMBER, 4..=7_u64, 1..=4_u64),
        (first_offset, guessed) in (0..=MAX_NUMBER, any::<bool>()),
        forms in prop::sample::subsequence(Form::ALL.to_vec(), 1..=7),
        (known, agency, retracted) in any::<(Option<bool>, bool, Option<bool>)>(),
    ) -> OwnedRecord {
        let forms = forms.into_iter().collect();
        let doi = format!("10.5555/{suffix}");
        let index_status = IndexStatus { known, agency: agency.then_some("a,\"b"), retracted }.into();
        OwnedRecord { doi, mentions, documents, sources, forms, first_source, first_document, first_offset, first_text, guessed, index_status }
    }
}

proptest! {
    #[test]
    fn any_record_that_is_written_is_read_back_equal(records in vec(any_record(), 0..5)) {
        for format in [Format::Csv, Format::Jsonl, Format::Tsv] {
            let bytes = written(format, &records);
            for bytes in [&bytes, &gzip(&bytes), &zstd::encode_all(&bytes[..], 1).unwrap()] {
                prop_assert_eq!(read(bytes), Ok(records.clone()), "{}", format.name());
            }
        }
    }

    #[test]
    fn no_file_makes_reading_panic(bytes in vec(any::<u8>(), 0..64), start in 0..3) {
        let start = ["", HEADER, "{\"doi\":"][start as usize];
        let _ = read(&[start.as_bytes(), &bytes].concat());
    }
}

#[test]
fn a_record_is_what_it_was() {
    let mut row = OwnedRecord::default();
    let bytes = super::records(Format::Jsonl, 1);
    assert!(reader(bytes.as_bytes()).unwrap().next(&mut row).unwrap());
    assert_eq!(row.as_record(), record());
    let with_document = Record {
        first_document: Some("a!/b"),
        ..record()
    };
    let mut rows = writer(&Layout::new(Format::Csv, RowKind::Records), Vec::new()).unwrap();
    rows.row(&with_document).unwrap();
    assert!(
        reader(&rows.finish().unwrap()[..])
            .unwrap()
            .next(&mut row)
            .unwrap()
    );
    assert_eq!(row.as_record(), with_document);
}

/// Returns a record as TSV with the columns in another order.
fn turned_columns() -> String {
    let names = "first_document,guessed,first_text,doi,mentions,forms,first_source,first_offset,documents,sources";
    let names: Vec<String> = names.split(',').map(str::to_owned).collect();
    let layout = Layout::with_fields(Format::Tsv, RowKind::Records, Some(&names)).unwrap();
    let mut rows = writer(&layout, Vec::new()).unwrap();
    rows.row(&record()).unwrap();
    String::from_utf8(rows.finish().unwrap()).unwrap()
}

#[test]
fn files_that_were_edited_read_the_same() {
    let wanted = read(super::records(Format::Jsonl, 1).as_bytes());
    let csv = super::records(Format::Csv, 1);
    let crlf = csv
        .replace("false\n", "false\r\n")
        .replace("guessed\n", "guessed\r\n");
    for text in [
        crlf,
        format!("\u{feff}{csv}"),
        csv.trim_end()
            .replace(",check_digit", "")
            .trim_end_matches(',')
            .to_owned(),
        csv.replace("doi,m", "\"doi\",m"),
        turned_columns(),
    ] {
        assert_eq!(read(text.as_bytes()), wanted, "{text}");
    }
    let json = super::records(Format::Jsonl, 1);
    let (one, rest) = json[1..].split_once(",\"mentions\"").unwrap();
    let turned = format!(
        "{{\"mentions\"{}, {one}}}\r\n",
        rest.trim_end().trim_end_matches('}')
    );
    for text in [
        format!("\u{feff}\n{json}\n"),
        json.trim_end().to_owned(),
        turned,
    ] {
        assert_eq!(read(text.as_bytes()), wanted, "{text}");
    }
}

#[test]
fn nothing_is_no_records() {
    for bytes in [
        &b""[..],
        b"\n",
        HEADER.as_bytes(),
        HEADER.trim_end().as_bytes(),
        &gzip(b""),
    ] {
        assert_eq!(read(bytes), Ok(Vec::new()), "{bytes:?}");
    }
}

#[test]
fn what_is_no_file_of_records_is_refused() {
    let none = "not a records file";
    for (text, why) in [
        ("10.5555/a\n10.5555/b\n", "these are bare names"),
        ("\n10.5555/a\n", "these are bare names"),
        (
            "doi,form,source,document,offset,length,text,guessed\n",
            "these are mentions",
        ),
        (
            &super::mentions(Format::Jsonl, 2),
            "line 1: these are mentions",
        ),
        (
            "doi,mentions\n10.5555/a,1\n",
            "not a records file: column `documents` is missing; records have doi, mentions, documents, sources, forms, \
             first_source, first_document, first_offset, first_text, guessed, check_digit; scan without --fields",
        ),
        (
            "first_text\n",
            "not a records file: column `doi` is missing",
        ),
        ("doi,mentions,more\n", none),
        ("text\tdoi\n", "these are mentions"),
        (
            "{\"offset\":3,\"doi\":\"10.5555/a\"}\n",
            "line 1: these are mentions",
        ),
        ("doi;mentions;documents\n", none),
        ("<html>", none),
        ("PK\u{3}\u{4}", none),
        ("[]", none),
        (
            "{}",
            "line 1: invalid record: missing field `doi`, at byte 2",
        ),
        ("{\"a\":1}\n", "line 1: invalid record: unknown field `a`"),
    ] {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(error.starts_with(why), "{text}: {error}");
    }
}

/// Remedy for an invalid row.
const REMEDY: &str = "; correct or remove the row, or write the file again";

/// Returns three records, the last of which is an invalid row. It starts in line 5.
fn csv_with(wrong: &str) -> String {
    let row = "10.5555/a,1,1,1,bare,s,,0,10.5555/a,false\n";
    format!("{HEADER}{row}\"10.5555/b,\",1,1,1,bare,\"s\n\",,0,x,true\n{wrong}\n")
}

/// Returns fields of records with a wrong value of each, and what they must be.
fn wrong_fields() -> [(&'static str, &'static str, &'static str); 21] {
    let count = "a whole number from 1 to 9223372036854775807";
    let offset = "a whole number from 0 to 9223372036854775807";
    let documents = "a whole number from 1 to that of mentions";
    let sources = "a whole number from 1 to that of documents";
    let forms = "one or more of arxiv, bare, doi, hdl, info, label, url, urn, and no more than there are mentions";
    let name = "a DOI name, such as 10.1000/182";
    [
        ("mentions", "-1", count),
        ("mentions", "0", count),
        ("mentions", "9223372036854775808", count),
        ("mentions", "", count),
        ("documents", "+1", count),
        ("documents", "0", documents),
        ("documents", "4", documents),
        ("sources", "0", sources),
        ("sources", "3", sources),
        ("first_offset", "18446744073709551616", offset),
        ("first_offset", "1e3", offset),
        ("forms", "bare|odd", forms),
        ("forms", "", forms),
        ("forms", "bare|doi|hdl|url", forms),
        ("first_source", "", "some text"),
        ("first_text", "", "some text"),
        ("guessed", "yes", "true or false"),
        ("doi", "", name),
        ("doi", "hello", name),
        ("doi", "10.5555/", name),
        ("doi", "doi:10.5555/c", name),
    ]
}

#[test]
fn a_wrong_field_is_named() {
    let names: Vec<_> = HEADER.trim_end().split(',').collect();
    let row = [
        "10.5555/c",
        "3",
        "2",
        "1",
        "bare",
        "s",
        "",
        "0",
        "x",
        "true",
    ];
    for (field, value, wanted) in wrong_fields() {
        let mut wrong = row;
        wrong[names.iter().position(|name| *name == field).unwrap()] = value;
        let error = format!("line 5: {field} is {value:?}, but must be {wanted}{REMEDY}");
        assert_eq!(read(csv_with(&wrong.join(",")).as_bytes()), Err(error));
    }
    assert!(read(csv_with(&row.join(",")).as_bytes()).is_ok());
}

#[test]
fn a_wrong_row_is_named() {
    let error = format!("line 5: 5 fields, but a record has 10{REMEDY}");
    let short = csv_with("10.5555/c,1,1,1,bare");
    assert_eq!(read(short.as_bytes()), Err(error));
    let mut bytes = csv_with("10.5555/a,1,1,1,bare,s,,0,10.5555/a,false").into_bytes();
    bytes.extend(b"10.5555/\xff,1,1,1,bare,s,,0,x,true\n");
    let error = format!("line 6: it is not UTF-8{REMEDY}");
    assert_eq!(read(&bytes), Err(error));
}

#[test]
fn names_are_folded_to_their_keys() {
    let csv = format!("{HEADER}10.5555/AbC\u{c9},1,1,1,bare,s,,0,x,true\n");
    assert_eq!(read(csv.as_bytes()).unwrap()[0].doi, "10.5555/abc\u{c9}");
}

#[test]
fn a_wrong_line_is_named() {
    let line = super::records(Format::Jsonl, 1);
    for (from, to, why) in [
        (
            "\"mentions\":9223372036854775807",
            "\"mentions\":1.5",
            "invalid type: floating point `1.5`",
        ),
        (
            "\"documents\":30",
            "\"documents\":-1",
            "invalid value: integer `-1`",
        ),
        ("\"documents\":30,", "", "missing field `documents`"),
        (
            "\"first_document\":null,",
            "",
            "missing field `first_document`",
        ),
        ("\"doi\"", "\"DOI\"", "unknown field `DOI`"),
        ("\"bare\"", "\"odd\"", "\"odd\" is not a form"),
        (
            "[\"bare\",\"doi\",\"url\"]",
            "\"bare\"",
            "invalid type: string \"bare\", expected a list of forms",
        ),
        (
            "false",
            "0",
            "invalid type: integer `0`, expected a boolean",
        ),
        ("null}", "null", "EOF while parsing an object, at byte"),
        ("null}", "null} {}", "trailing characters"),
    ] {
        let wrong = line.replace(from, to);
        assert_ne!(wrong, line, "{from}");
        let error = read(format!("{line}\n{line}{wrong}").as_bytes()).unwrap_err();
        let why = format!("line 4: invalid record: {why}");
        assert!(error.starts_with(&why), "{error} for {why}");
    }
}

#[test]
fn a_file_that_was_cut_or_changed_is_an_error() {
    let records: Vec<_> = (0..500)
        .map(|number| OwnedRecord {
            doi: format!("10.5555/{number}"),
            mentions: 1,
            documents: 1,
            sources: 1,
            forms: Form::Bare.into(),
            first_source: "s".into(),
            first_text: "x".into(),
            first_offset: number << 40,
            ..Default::default()
        })
        .collect();
    for format in [Format::Csv, Format::Jsonl] {
        let bytes = written(format, &records);
        for packed in [gzip(&bytes), zstd::encode_all(&bytes[..], 1).unwrap()] {
            assert_eq!(read(&packed).map(|all| all.len()), Ok(500));
            assert!(read(&packed[..packed.len() - 1]).is_err(), "{format:?}");
            assert!(read(&packed[..packed.len() / 2]).is_err(), "{format:?}");
        }
        let row = bytes.len() - 30;
        assert!(read(&bytes[..row]).is_err(), "{format:?}");
    }
}

#[test]
fn a_row_without_an_end_is_not_held_in_memory() {
    for start in [
        format!("{HEADER}\"10.5555/"),
        "{\"doi\":\"10.5555/".to_owned(),
        "doi,".to_owned(),
    ] {
        let read = reader(start.as_bytes().chain(std::io::repeat(b'x')))
            .and_then(|mut rows| rows.next(&mut OwnedRecord::default()));
        let error = read.unwrap_err().to_string();
        assert!(
            error.ends_with("a row is longer than 16777216 bytes"),
            "{error}"
        );
    }
}
