//! Files with damaged first bytes that are recognised by their ends.

use crate::place::{Place, Seen};
use crate::small_table::table;
use crate::table_writers::{arrow, arrow_style, parquet, parquet_style};
use crate::tables::{FIELDS, FOUND, rows};

/// Scans a file whose start is overwritten by `start`.
fn seen(name: &str, bytes: &[u8], start: &[u8], options: &str) -> Seen {
    let place = Place::new();
    place.file(name, [start, &bytes[start.len()..]].concat());
    place.scan(&format!("{name} {options}"))
}

fn assert_reported(seen: &Seen) {
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    let said = "has a damaged start";
    assert!(seen.err.contains(said), "{}", seen.err);
}

#[test]
fn a_parquet_file_without_its_first_bytes_is_read() {
    for bits in 0..8 {
        let file = parquet(&table(), parquet_style(bits)).bytes;
        for (name, start) in [
            ("a.parquet", &b"P\0R1"[..]),
            ("a.parquet", b"\0\0\0\0"),
            ("a.data", b"QAR1"),
            ("a.data", b"\0\0\0\0"),
        ] {
            let seen = seen(name, &file, start, FIELDS);
            assert_eq!(rows(&seen.out), FOUND, "{bits} {name}");
            assert_reported(&seen);
        }
    }
}

#[test]
fn an_arrow_file_without_its_first_bytes_is_read() {
    let file = arrow(&table(), arrow_style(0)).bytes;
    for (name, start) in [
        ("a.arrow", &b"ARROW2\0\0"[..]),
        ("a.feather", b"ARROW1\0\x01"),
        ("a.data", b"\0\0\0\0\0\0\0\0"),
    ] {
        let seen = seen(name, &file, start, FIELDS);
        assert_eq!(rows(&seen.out), FOUND, "{name}");
        assert_reported(&seen);
    }
}

/// Polars writes a schema without its length before it.
#[test]
fn an_arrow_file_with_an_unframed_schema_at_its_start_is_read() {
    let mut file = arrow(&table(), arrow_style(0)).bytes;
    file[8..16].copy_from_slice(b"\x04\0\0\0\xf2\xff\xff\xff");
    let seen = seen("a.arrow", &file, b"", FIELDS);
    assert_eq!(rows(&seen.quiet().out), FOUND);
}

#[test]
fn a_pdf_file_without_its_header_is_read() {
    use crate::pdf::pdf_writer::{PdfPage, PdfStyle, pdf};
    let page = PdfPage::new(&["See doi:10.5555/one-1."], &[]);
    for packed in [false, true] {
        let style = PdfStyle {
            packed,
            ..PdfStyle::default()
        };
        let file = pdf(std::slice::from_ref(&page), style);
        for (name, start) in [
            ("a.pdf", &b"%QDF-"[..]),
            ("a.PDF", b"PDF"),
            ("a.data", b"%PDf-"),
            ("a.data", b"\0\0\0\0\0\0\0\0\0"),
        ] {
            let seen = seen(name, &file, start, "-f names");
            assert_eq!(
                seen.out, "10.5555/one-1\n10.5555/title\n",
                "{packed} {name}"
            );
            assert_reported(&seen);
        }
    }
}

#[test]
fn a_file_that_neither_end_shows_is_read_as_text_with_a_warning() {
    for ending in ["pdf", "parquet", "arrow"] {
        let name = format!("a.{ending}");
        let seen = seen(&name, b"\x01\x02 about 10.5555/a\n", b"", "-f names");
        assert_eq!((seen.code, &seen.out[..]), (Some(0), "10.5555/a\n"));
        assert!(
            seen.err.contains("its first bytes are neither"),
            "{}",
            seen.err
        );
    }
}
