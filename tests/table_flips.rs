//! Flips each bit of a small Parquet file once, and cuts it to each length. Reading it must end, and what is lost by a damaged
//! header of a page must be reported.
#![cfg(all(feature = "parquet", feature = "pipeline"))]
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../fuzz/parquet_writer.rs"]
#[allow(dead_code)]
mod parquet_writer;

use std::ops::Range;

use doisift::fuzz_support::{Reported, Way, read};
use parquet_writer::{parquet, style, table};

fn reported(bytes: &[u8]) -> Vec<Reported> {
    let way = Way {
        read: usize::MAX,
        step: 4096,
        threads: 1,
        fails: false,
    };
    read(bytes, way).unwrap()
}

fn documents(reported: &[Reported]) -> Vec<&Reported> {
    let is_document = |one: &&Reported| matches!(one, Reported::Document(..));
    reported.iter().filter(is_document).collect()
}

#[test]
fn flipped_bits_in_headers_of_pages_are_reported_where_they_lose_anything() {
    for bits in 0..8 {
        let file = parquet(&table(), style(bits));
        let whole = reported(&file.bytes);
        assert_eq!(whole.len(), 21);
        let mut silent = Vec::new();
        for at in 0..file.bytes.len() {
            for bit in 0..8 {
                let mut bytes = file.bytes.clone();
                bytes[at] ^= 1 << bit;
                let found = reported(&bytes);
                let is_header = file
                    .headers
                    .iter()
                    .any(|header: &Range<usize>| header.contains(&at));
                let is_reported = found.iter().any(|one| matches!(one, Reported::Lost(..)));
                if is_header && !is_reported && documents(&found) != documents(&whole) {
                    silent.push((at, bit));
                }
            }
        }
        assert_eq!(silent, [], "style {bits}");
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_reported() {
    for bits in [0, 7] {
        let file = parquet(&table(), style(bits)).bytes;
        for length in 5..file.len() {
            let found = reported(&file[..length]);
            let lost = |one: &Reported| matches!(one, Reported::Lost(..));
            assert!(length < 20 || found.iter().any(lost), "{length}: {found:?}");
            assert!(documents(&found).is_empty() || length < 20, "{length}");
        }
    }
}
