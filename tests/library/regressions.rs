//! Runs the checks of the fuzz targets on inputs that once failed, and on the labelled samples.

#[cfg(feature = "pipeline")]
#[path = "../../fuzz/check_input.rs"]
mod check_input;
#[path = "../../fuzz/check_naive.rs"]
mod check_naive;
#[path = "../../fuzz/checks.rs"]
mod checks;
#[cfg(feature = "pipeline")]
#[path = "../../benches/fuzz_seeds.rs"]
pub mod seeds;

use std::fs;
use std::path::Path;

fn each_file(folder: &str, check: impl Fn(&[u8])) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut count = 0;
    // A target that never failed has no folder.
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("the input");
        // The failed check prints the reason, and this line the name of the input.
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

#[cfg(feature = "pipeline")]
#[test]
fn a_source_gives_the_same_however_it_is_read() {
    let checks: [fn(&[u8]); 13] = [
        check_input::any,
        check_input::arrow,
        check_input::codecs,
        check_input::http,
        check_input::mail,
        check_input::members,
        check_input::parquet,
        check_input::pdf,
        check_input::rtf,
        check_input::seven_zip,
        check_input::tar,
        check_input::warc,
        check_input::zip,
    ];
    for ((target, inputs), check) in seeds::all().into_iter().zip(checks) {
        each_file(&format!("fuzz/regressions/{target}"), check);
        for (name, mut input) in inputs {
            eprintln!("{target}/{name}");
            for way in 0..8 {
                input[0] = input[0] & !7 | way;
                check(&input);
            }
        }
    }
}
