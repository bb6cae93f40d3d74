//! Inputs that a fuzz target once failed on, and the labelled samples, through the same checks.
#![allow(clippy::print_stderr)]

#[path = "../fuzz/check_naive.rs"]
mod check_naive;
#[path = "../fuzz/checks.rs"]
mod checks;

use std::fs;
use std::path::Path;

fn each_file(folder: &str, check: impl Fn(&[u8])) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("the input");
        // What fails says why; the name says on what.
        eprintln!("{}", path.display());
        check(&bytes);
        count += 1;
    }
    count
}

#[test]
fn inputs_cut_anywhere_give_what_they_give_at_once() {
    assert!(each_file("fuzz/regressions/scan_chunks", checks::scan_chunks) > 0);
    let cut = |bytes: &[u8]| {
        for sizes in [[0, 0], [1, 6], [63, 200]] {
            checks::scan_chunks(&[&sizes, bytes].concat());
        }
    };
    assert!(each_file("corpora", cut) > 20);
}

#[test]
fn the_twin_finds_what_the_scanner_finds() {
    assert!(each_file("fuzz/regressions/scan_naive", check_naive::scan_naive) > 0);
    assert!(each_file("corpora", check_naive::scan_naive) > 20);
}

#[test]
fn names_come_back_from_each_way_of_writing_them() {
    assert!(each_file("fuzz/regressions/doi_roundtrip", checks::doi_roundtrip) > 0);
    let lines = |bytes: &[u8]| bytes.split(|&b| b == b'\n').for_each(checks::doi_roundtrip);
    assert!(each_file("corpora", lines) > 20);
}
