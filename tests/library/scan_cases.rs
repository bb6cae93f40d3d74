//! Runs each case of `tests/cases/scan-*.toml` through the scanner (whole, in pieces and in ranges of several sizes), and
//! through its naive twin.

use crate::common::{Case, Found, cases, known_failures};
use doisift::{Mention, Rejection, Scanner, Tally, naive};

/// Sizes of the pieces in which a document is passed to the scanner.
const PIECES: [usize; 5] = [1, 2, 3, 7, 64];

/// A short limit on names, so that the scanner decides about a case long before its document ends.
const MAX_NAME: usize = 300;

fn scanner() -> Scanner {
    Scanner::new().max_name(MAX_NAME)
}

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
    let tally = scanner().scan(bytes, |mention| all.push(found(mention)));
    (all, tally)
}

fn scan_pieces(bytes: &[u8], size: usize) -> (Vec<Found>, Tally) {
    let mut all = Vec::new();
    let mut scanner = scanner();
    let mut stream = scanner.stream();
    for piece in bytes.chunks(size) {
        stream.push(piece, |mention| all.push(found(mention)));
    }
    let tally = stream.finish(|mention| all.push(found(mention)));
    (all, tally)
}

/// Scans ranges, each with only the window around it that the scanner needs.
fn scan_ranges(bytes: &[u8], size: usize) -> (Vec<Found>, Tally) {
    let mut all = Vec::new();
    let mut tally = Tally::default();
    let mut scanner = scanner();
    let (before, after) = scanner.window();
    for start in (0..bytes.len()).step_by(size) {
        let end = bytes.len().min(start + size);
        let from = start.saturating_sub(before);
        let window = &bytes[from..bytes.len().min(end + after)];
        let range = start - from..end - from;
        tally += scanner.scan_range(window, range, from as u64, |mention| {
            all.push(found(mention))
        });
    }
    (all, tally)
}

fn scan_naively(bytes: &[u8]) -> (Vec<Found>, Tally) {
    let (mentions, tally) = naive::scan(bytes, MAX_NAME);
    let found = mentions.into_iter().map(|mention| Found {
        key: mention.key,
        form: mention.form.name().to_owned(),
        text: mention.text,
        offset: mention.offset,
        guessed: mention.guessed,
    });
    (found.collect(), tally)
}

/// Puts a case between lines without names. Returns the document and the offset of the case.
fn in_a_document(case: &Case) -> (Vec<u8>, usize) {
    let lines = "nothing to find in this line\n".repeat(150);
    let document = [lines.as_bytes(), &case.bytes, b"\n", lines.as_bytes()].concat();
    (document, lines.len())
}

fn rejections(tally: &Tally) -> Vec<(&'static str, u64)> {
    let counted = Rejection::ALL
        .iter()
        .map(|&reason| (reason.name(), tally.rejected(reason)));
    counted.filter(|(_, count)| *count > 0).collect()
}

fn check(case: &Case, route: &str, found: &[Found], tally: &Tally) -> Option<String> {
    let wrong = case
        .difference(found)
        .or_else(|| case.wrong_rejections(&rejections(tally)))?;
    let text = String::from_utf8_lossy(&case.bytes);
    Some(format!("{} [{route}]: {wrong}\n  text: {text}", case.class))
}

#[test]
fn every_case_alone() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (mentions, tally) = scan_whole(&case.bytes);
        assert_eq!(tally.candidates, tally.mentions + tally.rejections());
        wrong.extend(check(&case, "alone", &mentions, &tally));
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_case_by_the_twin() {
    for case in cases() {
        let (mentions, tally) = scan_naively(&case.bytes);
        assert_eq!(check(&case, "twin", &mentions, &tally), None);
        let text = String::from_utf8_lossy(&case.bytes);
        assert_eq!(
            (mentions, tally),
            scan_whole(&case.bytes),
            "scanner and twin differ: {text}"
        );
    }
}

#[test]
fn every_case_in_pieces_of_a_document() {
    for case in cases() {
        let (document, start) = in_a_document(&case);
        let whole = scan_whole(&document);
        let mut mentions = whole.0.clone();
        mentions
            .iter_mut()
            .for_each(|mention| mention.offset -= start as u64);
        assert_eq!(check(&case, "in a document", &mentions, &whole.1), None);
        for size in PIECES {
            assert_eq!(
                scan_pieces(&document, size),
                whole,
                "pieces of {size}: {}",
                case.class
            );
        }
        for size in [64, 1000] {
            assert_eq!(
                scan_ranges(&document, size),
                whole,
                "ranges of {size}: {}",
                case.class
            );
        }
    }
}

#[test]
fn every_known_failure_still_fails() {
    for case in known_failures() {
        let (mentions, _) = scan_whole(&case.bytes);
        let text = String::from_utf8_lossy(&case.bytes);
        assert!(
            case.difference(&mentions).is_some(),
            "{} passes now: {text}",
            case.class
        );
    }
}
