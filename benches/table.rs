//! The dedup table: updates per second where nine in ten mentions repeat, on one thread and on two.
//!
//! Distribution: of the mentions, one in ten is a name's first; the others repeat a name drawn evenly from those before.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use doisift::bench_support::fill_table;

const MENTIONS: usize = 1 << 20;

/// A small generator, so that names are the same everywhere and always.
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

fn mentions(count: usize) -> (Vec<String>, Vec<usize>) {
    let mut random = Random(1);
    let names: Vec<String> = (0..count.div_ceil(10)).map(name).collect();
    let drawn = (0..count).map(|i| {
        if i % 10 == 0 {
            i / 10
        } else {
            random.below(i / 10 + 1)
        }
    });
    let drawn = drawn.collect();
    (names, drawn)
}

fn table(criterion: &mut Criterion) {
    let (names, drawn) = mentions(MENTIONS);
    let keys: Vec<&str> = drawn.iter().map(|&i| names[i].as_str()).collect();
    let mut group = criterion.benchmark_group("table");
    group
        .throughput(Throughput::Elements(MENTIONS as u64))
        .sample_size(10);
    for threads in [1, 2] {
        let totals = fill_table(&keys, threads, true);
        assert_eq!(
            (totals.names, totals.mentions),
            (names.len() as u64, MENTIONS as u64)
        );
        group.bench_function(format!("update/{threads}"), |b| {
            b.iter_batched(
                || (),
                |()| fill_table(&keys, threads, false),
                BatchSize::PerIteration,
            );
        });
    }
    group.bench_function("update_and_sort/1", |b| {
        b.iter(|| assert_eq!(fill_table(&keys, 1, true).names, names.len() as u64));
    });
    group.finish();
}

criterion_group!(benches, table);
criterion_main!(benches);
