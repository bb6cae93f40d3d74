//! Checks that the scanner finds exactly the listed names in the labelled samples of `corpora/` and in generated texts.

#[path = "../../benches/corpus/mod.rs"]
mod corpus;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use doisift::{Rejection, Scanner, Tally};
use regex_automata::hybrid::regex::Regex;
use regex_automata::util::syntax;

fn scan(text: &[u8]) -> (BTreeSet<String>, Tally) {
    let mut keys = BTreeSet::new();
    let tally = Scanner::new().scan(text, |mention| {
        keys.insert(mention.key.to_owned());
    });
    (keys, tally)
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    let entries = fs::read_dir(folder).expect("the folder of samples");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut labels: Vec<PathBuf> = paths
        .filter(|p| p.extension().is_some_and(|e| e == "names"))
        .collect();
    labels.sort();
    labels
}

/// Returns the differences, one name per line.
fn difference(found: &BTreeSet<String>, expected: &BTreeSet<String>) -> String {
    let missed = expected
        .difference(found)
        .map(|name| format!("  missed {name}\n"));
    let wrong = found
        .difference(expected)
        .map(|name| format!("  wrong  {name}\n"));
    missed.chain(wrong).collect()
}

#[test]
fn every_sample_has_exactly_its_names() {
    let mut report = String::new();
    for labels in samples() {
        let sample = labels.with_extension("");
        let list = fs::read_to_string(&labels).expect("labels are text");
        let lines: Vec<String> = list.lines().map(str::to_owned).collect();
        assert!(lines.is_sorted(), "{} is not sorted", labels.display());
        let (found, _) = scan(&fs::read(&sample).expect("the sample"));
        let difference = difference(&found, &lines.into_iter().collect());
        if !difference.is_empty() {
            report += &format!("{}\n{difference}", sample.display());
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn the_readme_and_the_design_count_what_crossrefs_expression_finds() {
    let bytes = syntax::Config::new().unicode(false).utf8(false);
    let expression = r"(?i)10\.\d{4,9}/[-._;()/:A-Z0-9]+";
    let expression = Regex::builder().syntax(bytes).build(expression);
    let expression = expression.expect("the expression is valid");
    let mut cache = expression.create_cache();
    let (mut names, mut found, mut distinct, mut wrong) = (0, 0, 0, 0);
    for labels in samples() {
        let list = fs::read_to_string(&labels).expect("labels are text");
        let list: BTreeSet<Vec<u8>> = list.lines().map(|key| key.as_bytes().to_vec()).collect();
        let text = fs::read(labels.with_extension("")).expect("the sample");
        let matches = expression.find_iter(&mut cache, &text);
        let matches = matches.map(|found| text[found.range()].to_ascii_lowercase());
        let matches: BTreeSet<Vec<u8>> = matches.collect();
        names += list.len();
        found += list.intersection(&matches).count();
        distinct += matches.len();
        wrong += matches.difference(&list).count();
    }
    for page in [
        include_str!("../../README.md"),
        include_str!("../../docs/src/design.md"),
    ] {
        let words: Vec<&str> = page.split_whitespace().collect();
        let page = words.join(" ");
        for stated in [
            format!("Of the {names} names in"),
            format!("finds {found}, and {wrong} of its {distinct} distinct matches"),
        ] {
            assert!(page.contains(&stated), "{stated}");
        }
    }
}

#[test]
fn every_sample_is_in_the_readme() {
    let readme =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/README.md"))
            .expect("a README");
    let samples = samples();
    assert!(
        samples.len() >= 18,
        "samples are missing: {}",
        samples.len()
    );
    for labels in samples {
        let sample = labels.with_extension("");
        let name = sample
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        assert!(
            readme.contains(&format!("| `{name}` |")),
            "{name} is not described"
        );
    }
}

/// Generates a text and asserts that the scanner finds exactly its names. Returns the text.
fn assert_names_are_found(options: &corpus::Options) -> Vec<u8> {
    let mut text = Vec::new();
    let totals = corpus::generate(options, &mut text).expect("a vector takes all");
    assert_eq!(totals.bytes, text.len() as u64);
    let expected = corpus::sorted_names(options, totals.names).into_iter();
    let expected = expected.map(|name| String::from_utf8(name).expect("names are ASCII"));
    let (found, tally) = scan(&text);
    let difference = difference(&found, &expected.collect());
    let which = format!("seed {}, hard {}", options.seed, options.hard);
    assert!(difference.is_empty(), "{which}:\n{difference}");
    assert_eq!(tally.mentions, totals.mentions, "{which}");
    text
}

#[test]
fn generated_texts_have_exactly_their_names() {
    for (seed, hard) in [(1, 0.0), (2, 0.2), (3, 1.0)] {
        assert_names_are_found(&corpus::Options {
            size: 300_000,
            every: 150,
            hard,
            seed,
            ..corpus::Options::default()
        });
    }
}

#[test]
fn generated_works_have_exactly_their_names() {
    for (seed, hard) in [(1, 0.0), (2, 0.2), (3, 1.0)] {
        let text = assert_names_are_found(&corpus::Options {
            kind: corpus::Kind::References,
            size: 300_000,
            hard,
            seed,
            ..corpus::Options::default()
        });
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            serde_json::from_slice::<serde_json::Value>(line).expect("a line is JSON");
        }
    }
}

#[test]
fn generated_numbers_are_full_of_anchors_and_hold_no_name() {
    let options = corpus::Options {
        kind: corpus::Kind::Numbers,
        size: 300_000,
        ..corpus::Options::default()
    };
    let mut text = Vec::new();
    let totals = corpus::generate(&options, &mut text).expect("a vector takes all");
    assert_eq!((totals.names, totals.mentions), (0, 0));
    assert!(text.windows(3).filter(|bytes| bytes == b"10.").count() > 15_000);
    assert!(scan(&text).0.is_empty());
}

#[test]
fn generated_lists_have_one_name_a_line() {
    let kind = corpus::Kind::Names;
    let options = corpus::Options {
        kind,
        number: 5000,
        size: u64::MAX,
        distinct: 1.0,
        ..corpus::Options::default()
    };
    let mut text = Vec::new();
    let totals = corpus::generate(&options, &mut text).expect("a vector takes all");
    assert_eq!((totals.names, totals.mentions), (5000, 5000));
    assert_eq!(scan(&text).0.len(), 5000);
    let mut expected = corpus::sorted_names(&options, totals.names);
    expected.dedup();
    assert_eq!(expected.len(), 5000, "two names are equal");
}

#[test]
fn a_name_past_the_limit_is_refused_and_one_below_is_not() {
    for (length, mentions) in [(60_000, 1), (100_000, 0)] {
        let text = format!("see 10.5555/{} for more", "a".repeat(length));
        let (found, tally) = scan(text.as_bytes());
        assert_eq!(
            (found.len(), tally.mentions),
            (mentions, mentions as u64),
            "{length} bytes"
        );
        assert_eq!(
            tally.rejected(Rejection::TooLong),
            1 - mentions as u64,
            "{length} bytes"
        );
    }
}

#[test]
fn prefixes_without_end_are_one_candidate_that_is_too_long() {
    let (found, tally) = scan("10.1234/".repeat(20_000).as_bytes());
    assert_eq!(found.len(), 0);
    assert_eq!(tally.candidates, 1);
    assert_eq!(tally.rejected(Rejection::TooLong), 1);
}

#[test]
fn megabytes_of_anchors_hold_no_candidate() {
    let (found, tally) = scan("10.".repeat(1 << 20).as_bytes());
    assert_eq!((found.len(), tally.candidates), (0, 0));
}
