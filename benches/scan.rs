//! The scanner on text in memory: no names, sparse and dense prose, and worst cases. Bytes per second.

mod corpus;

use std::hint::black_box;

use corpus::Options;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use doisift::Scanner;

const SIZE: u64 = 8 << 20;

/// A text and its expected number of mentions.
struct Input {
    name: &'static str,
    text: Vec<u8>,
    mentions: u64,
}

fn generated(name: &'static str, options: &Options) -> Input {
    let mut text = Vec::new();
    let totals = corpus::generate(options, &mut text).expect("a vector takes all");
    assert_eq!(
        corpus::sorted_names(options, totals.names).len() as u64,
        totals.names
    );
    Input {
        name,
        text,
        mentions: totals.mentions,
    }
}

fn inputs() -> Vec<Input> {
    let sized = Options {
        size: SIZE,
        ..Options::default()
    };
    vec![
        // Prose without names, for the search for anchors. It has decimal numbers that start with `10.`.
        generated(
            "anchors",
            &Options {
                every: 0,
                hard: 0.0,
                ..sized.clone()
            },
        ),
        generated(
            "sparse",
            &Options {
                every: 50_000,
                ..sized.clone()
            },
        ),
        generated(
            "dense",
            &Options {
                every: 250,
                ..sized.clone()
            },
        ),
        generated(
            "dense_plain",
            &Options {
                every: 250,
                hard: 0.0,
                ..sized
            },
        ),
        // Worst case: an anchor at every third byte.
        Input {
            name: "only_anchors",
            text: b"10.".repeat(SIZE as usize / 3),
            mentions: 0,
        },
        // Worst case for looking back or ahead without a bound. The name is longer than the limit, so it is not a mention.
        Input {
            name: "long_name",
            text: long_name(100_000),
            mentions: 0,
        },
        // Worst case: a candidate at every eighth byte, all in one name that is too long.
        Input {
            name: "only_prefixes",
            text: b"10.1234/".repeat(100_000),
            mentions: 0,
        },
    ]
}

fn long_name(length: usize) -> Vec<u8> {
    let mut text = b"see 10.5555/".to_vec();
    text.resize(text.len() + length, b'a');
    text.extend_from_slice(b" for more");
    text
}

fn scan(criterion: &mut Criterion) {
    let mut scanner = Scanner::new();
    let mut group = criterion.benchmark_group("scan");
    group.sample_size(10);
    for Input {
        name,
        text,
        mentions,
    } in inputs()
    {
        group.throughput(Throughput::Bytes(text.len() as u64));
        let tally = scanner.scan(&text, |mention| {
            black_box(mention.key);
        });
        assert_eq!(
            tally.mentions, mentions,
            "{name}: another number of mentions than was generated"
        );
        assert_eq!(
            tally.candidates,
            tally.mentions + tally.rejections(),
            "{name}"
        );
        group.bench_function(name, |b| {
            b.iter(|| scanner.scan(&text, |mention| assert!(!mention.key.is_empty())))
        });
    }
    group.finish();
}

criterion_group!(benches, scan);
criterion_main!(benches);
