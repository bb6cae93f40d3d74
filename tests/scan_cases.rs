//! Runs each case of `tests/cases/scan-*.toml` through the scanner: whole, and in pieces of several sizes.

mod common;

use common::{Case, Found, cases};
use doisift::{Mention, Scanner, Tally};

/// The sizes of the pieces that a document is handed over in.
const PIECES: [usize; 5] = [1, 2, 3, 7, 64];

fn found(mention: Mention<'_>) -> Found {
    Found {
        key: mention.key.to_owned(),
        form: mention.form.name().to_owned(),
        text: mention.text.to_vec(),
        offset: mention.offset,
        guessed: mention.guessed,
    }
}

fn scan_whole(bytes: &[u8]) -> (Vec<Found>, Tally) {
    let mut all = Vec::new();
    let tally = Scanner::new().scan(bytes, |mention| all.push(found(mention)));
    (all, tally)
}

fn scan_pieces(bytes: &[u8], size: usize) -> (Vec<Found>, Tally) {
    let mut all = Vec::new();
    let mut scanner = Scanner::new().max_name(1);
    scanner = scanner.max_name(64 << 10);
    let mut stream = scanner.stream();
    for piece in bytes.chunks(size) {
        stream.push(piece, |mention| all.push(found(mention)));
    }
    let tally = stream.finish(|mention| all.push(found(mention)));
    (all, tally)
}

fn rejections(tally: &Tally) -> Vec<(&'static str, u64)> {
    let counted = doisift::Rejection::ALL.map(|reason| (reason.name(), tally.rejected(reason)));
    counted
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn check(case: &Case, route: &str, found: &[Found], tally: &Tally) -> Option<String> {
    let wrong = case
        .difference(found)
        .or_else(|| case.wrong_rejections(&rejections(tally)))?;
    Some(format!(
        "{} [{route}]: {wrong}\n  text: {}",
        case.class,
        String::from_utf8_lossy(&case.bytes)
    ))
}

#[test]
fn every_case_whole_and_in_pieces() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (mentions, tally) = scan_whole(&case.bytes);
        assert_eq!(tally.candidates, tally.mentions + tally.rejections());
        wrong.extend(check(&case, "whole", &mentions, &tally));
        for size in PIECES {
            let (pieces, piecewise) = scan_pieces(&case.bytes, size);
            assert_eq!(
                (&pieces, piecewise),
                (&mentions, tally),
                "pieces of {size}: {}",
                case.class
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
