//! Flips each bit of a small Parquet file once, and of the metadata of Arrow files and streams, and cuts them to each length.
//! Reading must end, and losses by a damaged header of a page or a damaged message must be reported.

use doisift::fuzz_support::{ReadReport, ReadSetup, read};

use crate::regressions::seeds::small_table::table;
use crate::regressions::seeds::table_writers::{arrow, arrow_style, parquet, parquet_style};

fn reported(bytes: &[u8]) -> Vec<ReadReport> {
    let way = ReadSetup {
        read: usize::MAX,
        step: 4096,
        threads: 1,
        fails: false,
    };
    read(bytes, way).unwrap()
}

fn documents(reported: &[ReadReport]) -> Vec<&ReadReport> {
    let is_document = |one: &&ReadReport| matches!(one, ReadReport::Document(..));
    reported.iter().filter(is_document).collect()
}

#[test]
fn flipped_bits_in_headers_of_pages_are_reported_where_they_lose_anything() {
    for bits in 0..8 {
        let file = parquet(&table(), parquet_style(bits));
        let whole = reported(&file.bytes);
        assert_eq!(whole.len(), 17);
        let mut silent = Vec::new();
        for at in 0..file.bytes.len() {
            for bit in 0..8 {
                let mut bytes = file.bytes.clone();
                bytes[at] ^= 1 << bit;
                let found = reported(&bytes);
                let is_header = file.headers.iter().any(|header| header.contains(&at));
                let is_reported = found.iter().any(|one| matches!(one, ReadReport::Lost(..)));
                if is_header && !is_reported && documents(&found) != documents(&whole) {
                    silent.push((at, bit));
                }
            }
        }
        assert_eq!(silent, [], "style {bits}");
    }
}

#[test]
fn flipped_bits_in_the_metadata_of_parquet_are_reported_where_they_lose_anything() {
    for bits in [0, 3, 5] {
        let file = parquet(&table(), parquet_style(bits));
        let whole = reported(&file.bytes);
        let mut silent = Vec::new();
        for bit in 8 * file.footer.start..8 * file.bytes.len() {
            let mut bytes = file.bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let found = reported(&bytes);
            if !found.iter().any(is_lost) && documents(&found) != documents(&whole) {
                silent.push((bit / 8 - file.footer.start, bit % 8));
            }
        }
        // Where a schema takes the nulls of a column away, the levels of a page may look like a value.
        assert!(silent.len() <= 2, "style {bits}: {silent:?}");
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_reported() {
    for bits in [0, 7] {
        let file = parquet(&table(), parquet_style(bits)).bytes;
        for length in 5..file.len() {
            let found = reported(&file[..length]);
            let lost = |one: &ReadReport| matches!(one, ReadReport::Lost(..));
            assert!(length < 20 || found.iter().any(lost), "{length}: {found:?}");
            assert!(documents(&found).is_empty() || length < 20, "{length}");
        }
    }
}

fn is_lost(one: &ReadReport) -> bool {
    matches!(one, ReadReport::Lost(..))
}

/// Returns the batches with a row among the documents.
fn batches(reported: &[ReadReport]) -> Vec<usize> {
    let row = |one: &ReadReport| match one {
        ReadReport::Document(Some(name), ..) => name.strip_prefix("#row=")?.parse::<usize>().ok(),
        _ => None,
    };
    let mut all: Vec<_> = reported
        .iter()
        .filter_map(row)
        .map(|row| (row - 1) / 5)
        .collect();
    all.dedup();
    all
}

/// These formats have no checksums, so cells may differ from those that were written.
#[test]
fn flipped_bits_in_arrow_messages_lose_no_batch_unsaid() {
    for bits in [0, 3, 6, 11, 13] {
        let file = arrow(&table(), arrow_style(bits));
        assert_eq!(batches(&reported(&file.bytes)), [0, 1, 2]);
        let mut silent = Vec::new();
        for (number, metadata) in file.metadata.iter().chain([&file.footer]).enumerate() {
            // A stream has the schema only once.
            let is_checked = (1..file.metadata.len()).contains(&number);
            for at in metadata.clone() {
                let mut bytes = file.bytes.clone();
                bytes[at] ^= 1 << ((at * 3 + usize::from(bits)) % 8);
                let found = reported(&bytes);
                if is_checked && !found.iter().any(is_lost) && batches(&found) != [0, 1, 2] {
                    silent.push(at);
                }
            }
        }
        assert!(
            silent.is_empty(),
            "style {bits}: {silent:?}: {:?}",
            file.metadata
        );
    }
}

/// The schema and the batches are both at the start and at the end of a file.
#[test]
fn flipped_bits_in_the_metadata_at_the_end_of_arrow_are_reported_where_they_change_anything() {
    for bits in [0, 2, 4, 12] {
        let file = arrow(&table(), arrow_style(bits));
        let whole = reported(&file.bytes);
        assert!(!file.footer.is_empty() && !whole.iter().any(is_lost));
        let mut silent = Vec::new();
        for bit in 8 * file.footer.start..8 * file.footer.end {
            let mut bytes = file.bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let found = reported(&bytes);
            if !found.iter().any(is_lost) && documents(&found) != documents(&whole) {
                silent.push(bit);
            }
        }
        assert!(silent.is_empty(), "style {bits}: {silent:?}");
    }
}

#[test]
fn an_arrow_table_that_is_cut_anywhere_is_reported() {
    for bits in [0, 3, 5, 14] {
        let file = arrow(&table(), arrow_style(bits));
        let whole = reported(&file.bytes);
        let ends: Vec<_> = file.metadata.iter().map(|range| range.start).collect();
        for length in 64..file.bytes.len() {
            let found = reported(&file.bytes[..length]);
            let kept = documents(&found);
            assert!(kept.len() <= whole.len(), "{length}");
            // A stream may end after any message.
            let is_whole =
                file.footer.is_empty() && (ends.contains(&length) || length > 8 + ends[3]);
            assert!(
                is_whole || found.iter().any(is_lost),
                "{bits} {length}: {found:?}"
            );
        }
    }
}
