//! Checks that merges give the same records for every order of rows, every memory budget and every number of inputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::row::MergeRow;
use super::{Merge, MergeReport};
use crate::error::Cause;
use crate::records::{Format, Forms, Layout, MAX_NUMBER, OwnedRecord, RowKind, writer};
use crate::task::Monitor;

fn row(number: u64, source: &str) -> OwnedRecord {
    OwnedRecord {
        doi: format!("10.5555/{number:05}"),
        mentions: 2,
        documents: 1,
        sources: 1,
        forms: Forms::from_bits(1),
        first_source: source.to_owned(),
        first_text: "x".repeat(100),
        ..OwnedRecord::default()
    }
}

fn bytes(format: Format, rows: &[OwnedRecord]) -> Vec<u8> {
    let mut out = writer(&Layout::new(format, RowKind::Records), Vec::new()).unwrap();
    rows.iter()
        .for_each(|row| out.row(&row.as_record()).unwrap());
    out.finish().unwrap()
}

/// Computes the expected records in a slow and obvious way.
fn united(rows: &[OwnedRecord]) -> Vec<u8> {
    let mut all: BTreeMap<String, OwnedRecord> = BTreeMap::new();
    for row in rows {
        all.entry(row.doi.clone())
            .and_modify(|record| record.unite(row).unwrap())
            .or_insert_with(|| row.clone());
    }
    bytes(Format::Csv, &all.into_values().collect::<Vec<_>>())
}

/// A temporary folder with inputs.
struct Inputs {
    folder: TempDir,
    paths: Vec<PathBuf>,
}

impl Inputs {
    fn new(inputs: &[&[OwnedRecord]]) -> Inputs {
        let folder = tempfile::tempdir().unwrap();
        let write = |(number, rows): (usize, &&[OwnedRecord])| {
            let path = folder.path().join(number.to_string());
            let format = [Format::Csv, Format::Jsonl][number % 2];
            fs::write(&path, bytes(format, rows)).unwrap();
            path
        };
        let paths = inputs.iter().enumerate().map(write).collect();
        Inputs { folder, paths }
    }

    fn merge(&self, memory: u64) -> (Vec<u8>, MergeReport) {
        let output = self.folder.path().join("out.csv");
        let paths = self.paths.iter();
        let merge = paths.fold(Merge::new(), |merge, path| merge.input(path));
        let report = merge.output(&output).memory(memory).run().unwrap();
        let left = fs::read_dir(self.folder.path()).unwrap().count();
        assert_eq!(left, self.paths.len() + 1, "temporary files are left");
        (fs::read(output).unwrap(), report)
    }
}

#[test]
fn sorted_inputs_are_merged_directly() {
    let odd: Vec<_> = (0..5000).map(|number| row(2 * number + 1, "b")).collect();
    let third: Vec<_> = (0..5000).map(|number| row(3 * number, "a")).collect();
    let inputs = Inputs::new(&[&odd, &third, &[], &third[..9]]);
    let (seen, report) = inputs.merge(1 << 30);
    assert!(seen == united(&[&odd[..], &third, &third[..9]].concat()));
    assert_eq!((report.rows, report.runs, report.sorted), (10_009, 0, 0));
    assert_eq!(report.mentions, 20_018);
    assert_eq!(
        report.records as usize,
        seen.iter().filter(|&&byte| byte == b'\n').count() - 1
    );
}

#[test]
fn a_key_that_repeats_in_a_sorted_input_is_one_record() {
    let rows: Vec<_> = (0..3000).map(|number| row(number / 3, "a")).collect();
    let (seen, report) = Inputs::new(&[&rows, &rows[2990..]]).merge(1 << 30);
    assert!(seen == united(&[&rows[..], &rows[2990..]].concat()));
    assert_eq!((report.records, report.sorted), (1000, 0));
}

#[test]
fn sums_that_no_record_holds_are_errors() {
    let max = OwnedRecord {
        mentions: MAX_NUMBER,
        documents: MAX_NUMBER - 1,
        ..row(1, "a")
    };
    let one = OwnedRecord {
        mentions: 1,
        ..row(1, "b")
    };
    let mut record = max.clone();
    let error = record.unite(&one).unwrap_err().to_string();
    assert!(
        error.starts_with("the mentions of 10.5555/00001 add up"),
        "{error}"
    );
    let less = OwnedRecord {
        mentions: MAX_NUMBER - 1,
        ..max.clone()
    };
    let mut record = less.clone();
    record.unite(&one).unwrap();
    assert_eq!(
        (record.mentions, record.documents),
        (MAX_NUMBER, MAX_NUMBER)
    );
    let twice = [less.clone(), less.clone()];
    // Both rows in one input, or in two.
    for inputs in [[&twice[..], &[]], [&twice[..1], &twice[1..]]] {
        let inputs = Inputs::new(&inputs);
        let merge = inputs.paths.iter().fold(Merge::new(), Merge::input);
        let output = inputs.folder.path().join("out.csv");
        let error = merge.output(&output).run().unwrap_err();
        assert!(matches!(error.cause(), Cause::Overflow { .. }), "{error}");
        assert!(!output.exists());
    }
}

#[test]
fn the_first_mention_is_least_by_source_offset_document_and_text() {
    let first = |source: &str, offset, document: &str, text: &str| OwnedRecord {
        first_offset: offset,
        first_document: document.to_owned(),
        first_text: text.to_owned(),
        ..row(1, source)
    };
    let ordered = [
        first("B", 9, "z", "z"),
        first("a", 1, "", "y"),
        first("a", 1, "", "z"),
        first("a", 1, "b", "x"),
        first("a", 2, "", "x"),
        first("a/b", 0, "", "a"),
        first("\u{e9}", 0, "", "a"),
    ];
    for (at, less) in ordered.iter().enumerate() {
        for more in &ordered[at..] {
            for (mut record, other) in [(less.clone(), more), (more.clone(), less)] {
                record.unite(other).unwrap();
                assert_eq!(record.as_record().first_text, less.first_text);
                assert_eq!(record.first_source, less.first_source);
                assert_eq!(
                    (record.first_offset, &record.first_document),
                    (less.first_offset, &less.first_document)
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn inputs_in_any_order_give_the_same_bytes(
        rows in vec((0..9_u64, "[ab]", 0..3_u64, any::<bool>(), 0..7_usize, "[xy]"), 0..40).prop_shuffle(),
        cuts in vec(0..40_usize, 0..4),
        memory in prop::sample::select(vec![1, 1 << 30]),
    ) {
        let rows: Vec<_> = rows.into_iter().map(|(number, source, first_offset, guessed, form, first_text)| OwnedRecord {
            guessed, first_offset, first_text, forms: Forms::from_bits(1 << form), ..row(number, &source)
        }).collect();
        let mut sorted = rows.clone();
        sorted.sort_by_key(|row| (row.doi.clone(), row.first_source.clone(), row.first_offset));
        let (mut inputs, mut rest) = (Vec::new(), &rows[..]);
        for cut in cuts {
            let (input, after) = rest.split_at(cut.min(rest.len()));
            inputs.push(input);
            rest = after;
        }
        inputs.push(rest);
        let (seen, _) = Inputs::new(&inputs).merge(memory);
        prop_assert!(seen == united(&sorted));
    }
}

#[test]
fn a_run_ends_where_it_is_reported_to() {
    let rows: Vec<_> = (0..3).map(|number| row(9 - number, "a")).collect();
    let inputs = Inputs::new(&[&rows]);
    let monitor = Monitor::new();
    let output = inputs.folder.path().join("out.csv");
    let merge = Merge::new()
        .input(&inputs.paths[0])
        .output(&output)
        .monitor(&monitor);
    monitor.cancel();
    let stopped = merge.run().unwrap_err();
    assert!(matches!(stopped.cause(), Cause::Cancelled));
    assert!(!output.exists());
}
