//! Updates of the dedup table per second if nine in ten mentions repeat, on one thread and on two, in memory and within a
//! budget that makes it write runs.
//!
//! One in ten mentions is the first of its name. Each other one repeats a name that is drawn uniformly from the earlier ones.
//! A document has a hundred mentions.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use doisift::bench_support::{fill_table, fill_table_within};

const MENTIONS: usize = 1 << 20;
/// A third of the memory that the names need.
const BUDGET: usize = 6 << 20;

/// A small random generator. The names are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }
}

fn name(number: usize) -> String {
    format!(
        "10.{}/j.{}.{:09}",
        1000 + number % 4099,
        ["cell", "physletb", "x"][number % 3],
        number * 7919
    )
}

/// Returns the names of all mentions in order, joined as in a text, and the number of distinct names.
fn mentions(count: usize) -> (String, usize) {
    let mut random = Random(1);
    let mut text = String::new();
    for mention in 0..count {
        let first = mention / 10;
        let number = if mention % 10 == 0 {
            first
        } else {
            random.below(first + 1)
        };
        text.push_str(&name(number));
        text.push('\n');
    }
    (text, count.div_ceil(10))
}

fn table(criterion: &mut Criterion) {
    let (text, names) = mentions(MENTIONS);
    let keys: Vec<&str> = text.lines().collect();
    let mut group = criterion.benchmark_group("table");
    group
        .throughput(Throughput::Elements(MENTIONS as u64))
        .sample_size(10);
    let mut in_memory = Vec::new();
    for threads in [1, 2] {
        let totals = fill_table(&keys, threads, true);
        in_memory.push((totals.documents, totals.sources));
        assert_eq!(
            (totals.names, totals.mentions),
            (names as u64, MENTIONS as u64)
        );
        group.bench_function(format!("update/{threads}"), |b| {
            b.iter(|| fill_table(&keys, threads, false));
        });
    }
    group.bench_function("update_and_sort/1", |b| {
        b.iter(|| assert_eq!(fill_table(&keys, 1, true).names, names as u64));
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    for threads in [1, 2] {
        group.bench_function(format!("spill_and_merge/{threads}"), |b| {
            b.iter(|| {
                let totals = fill_table_within(&keys, threads, BUDGET, folder.path());
                assert_eq!(
                    (
                        totals.names,
                        totals.mentions,
                        (totals.documents, totals.sources)
                    ),
                    (names as u64, MENTIONS as u64, in_memory[threads - 1])
                );
                assert!(totals.runs > 1);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, table);
criterion_main!(benches);
