//! A WARC file with damaged records: only the damaged records are lost, and each is reported.

use std::collections::BTreeSet;

use crate::place::{Place, gzip, zstd};

const RECORDS: usize = 10_000;

/// A kind of damage to a record.
#[derive(Clone, Copy, PartialEq)]
enum Damage {
    /// Bytes are flipped in the packed record, or in its first line if it is not packed.
    Flipped,
    Short,
    Long,
    Missing,
    /// The file ends in it.
    Cut,
}

/// Chooses damaged records at seeded positions: three for each kind of damage, but one for the end of the file.
fn damages() -> Vec<(usize, Damage)> {
    let thrice = [
        Damage::Flipped,
        Damage::Short,
        Damage::Long,
        Damage::Missing,
    ];
    let places = (1..).map(|n: usize| n * 7_919 % (RECORDS - 1));
    let kinds = thrice.into_iter().cycle().take(12);
    let mut all: Vec<_> = places.zip(kinds).collect();
    all.push((RECORDS - 1, Damage::Cut));
    all
}

/// Returns a text that hardly compresses, with one name.
fn text(number: usize) -> String {
    let mut state = number as u64 * 2 + 1;
    let mut word = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        format!("{:08x} ", state >> 32)
    };
    let words: String = (0..40).map(|_| word()).collect();
    format!("{words}\nSee https://doi.org/10.5555/record-{number}, and no other.\n")
}

fn record(number: usize, damage: Option<Damage>) -> String {
    let text = text(number);
    let content = match number % 3 {
        0 => text,
        _ => format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}"),
    };
    let kind = ["conversion", "response", "response"][number % 3];
    let length = match damage {
        Some(Damage::Short) => content.len() - 150,
        Some(Damage::Long) => content.len() + 150,
        _ => content.len(),
    };
    let length = match damage {
        Some(Damage::Missing) => String::new(),
        _ => format!("Content-Length: {length}\r\n"),
    };
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/{number}\r\nWARC-Record-ID: <urn:uuid:{number}>\r\nContent-Type: application/http; msgtype=response\r\n{length}\r\n{content}\r\n\r\n"
    )
}

/// Returns all records, each packed separately, and the numbers of the damaged ones.
fn file(pack: impl Fn(&str) -> Vec<u8>, flip: usize) -> (Vec<u8>, BTreeSet<usize>) {
    let damages = damages();
    let damaged: BTreeSet<_> = damages.iter().map(|(number, _)| *number).collect();
    assert_eq!(damaged.len(), 13);
    let packed = |number| {
        let damage = damages
            .iter()
            .find(|damaged| damaged.0 == number)
            .map(|damaged| damaged.1);
        let mut packed = pack(&record(number, damage));
        match damage {
            Some(Damage::Flipped) => packed[flip..flip + 3]
                .iter_mut()
                .for_each(|byte| *byte ^= 0x5a),
            Some(Damage::Cut) => packed.truncate(packed.len() / 2),
            _ => {}
        }
        packed
    };
    ((0..RECORDS).flat_map(packed).collect(), damaged)
}

/// Returns the number after `before` in each line of a run's messages.
fn numbers<'s>(said: impl IntoIterator<Item = &'s String>, before: &str) -> BTreeSet<usize> {
    let number = |line: &String| {
        let after = line.split_once(before)?.1;
        let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    said.into_iter().filter_map(number).collect()
}

#[track_caller]
fn check(name: &str, pack: impl Fn(&str) -> Vec<u8>, flip: usize) {
    let place = Place::new();
    let (bytes, damaged) = file(pack, flip);
    assert!(bytes.len() > 3 << 20, "too small to be shared out");
    place.file(name, bytes);
    let mut reported = None;
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!("{name} {threads} --report r.json"));
        assert_eq!(seen.code, Some(1), "{threads}");
        let found = numbers(&seen.field("doi"), "record-");
        let lost: BTreeSet<_> = (0..RECORDS)
            .filter(|number| !found.contains(number))
            .collect();
        assert_eq!(lost, damaged, "{threads}");
        let report = place.json("r.json");
        let errors = report["errors"]["list"].as_array().unwrap();
        let lines: Vec<_> = seen.err.lines().map(str::to_owned).collect();
        assert_eq!((errors.len(), lines.len()), (damaged.len(), damaged.len()));
        for error in errors {
            assert_eq!(error["source"], *name);
            assert!(error["offset"].is_u64(), "{error}");
        }
        assert_eq!(*reported.get_or_insert(seen.err.clone()), seen.err);
    }
}

#[test]
fn thirteen_damaged_records_of_ten_thousand_cost_thirteen_in_a_file_of_gzip_members() {
    check("a.warc.gz", |record| gzip(record), 40);
}

#[test]
fn thirteen_damaged_records_of_ten_thousand_cost_thirteen_in_a_file_of_zstd_frames() {
    check("a.warc.zst", |record| zstd(record), 40);
}

#[test]
fn thirteen_damaged_records_of_ten_thousand_cost_thirteen_in_a_plain_file() {
    check("a.warc", |record| record.as_bytes().to_vec(), 2);
}
