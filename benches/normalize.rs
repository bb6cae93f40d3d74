//! Parses presentation forms and writes them, as `doisift normalize` does for each line.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use doisift::{Doi, UrlEncoding};

const NAMES: usize = 10_000;

/// Returns names of the usual kinds: short and plain, SICI, with slashes, outside ASCII.
fn names() -> Vec<Doi> {
    let name = |i: usize| match i % 8 {
        0 => format!("10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM{i}>3.0.CO;2-2"),
        1 => format!("10.26321/Á.GUTIÉRREZ.ZARZA.02.2018.{i}"),
        2 => format!("10.6338/JDA.202212/SP_{i}(4).0000"),
        3 => format!("10.5555/100%#{i}?"),
        _ => format!("10.1016/J.CELL.2019.{i:06}"),
    };
    (0..NAMES)
        .map(|i| Doi::new(&name(i)).expect("a name"))
        .collect()
}

/// Parses every text and asserts that each is a name, because a refusal would be faster.
fn parse(group: &mut BenchmarkGroup<WallTime>, form: &str, write: impl Fn(&Doi) -> String) {
    let texts: Vec<String> = names().iter().map(write).collect();
    group.throughput(Throughput::Bytes(
        texts.iter().map(|t| t.len() as u64).sum(),
    ));
    group.bench_function(form, |b| {
        b.iter(|| {
            let read = texts
                .iter()
                .filter_map(|text| Doi::parse(black_box(text)).ok());
            let keys = read
                .map(|doi| black_box(doi.key().len()))
                .filter(|&len| len > 8)
                .count();
            assert_eq!(keys, NAMES);
        })
    });
}

fn reading(c: &mut Criterion) {
    let mut group = c.benchmark_group("normalize/key-from");
    parse(&mut group, "doi-uri", Doi::to_doi_uri);
    parse(&mut group, "url", |doi| {
        doi.to_url(UrlEncoding::Recommended)
    });
    parse(&mut group, "urn", Doi::to_urn);
    // The worst case: every byte is an escape.
    parse(&mut group, "escapes-only", |doi| {
        doi.as_str().bytes().map(|b| format!("%{b:02x}")).collect()
    });
    group.finish();
}

/// Writes every name in one form and asserts that each result is longer than its name.
fn write(group: &mut BenchmarkGroup<WallTime>, form: &str, write: impl Fn(&Doi) -> String) {
    let names = names();
    group.throughput(Throughput::Bytes(
        names.iter().map(|n| n.as_str().len() as u64).sum(),
    ));
    group.bench_function(form, |b| {
        b.iter(|| {
            let longer = |doi: &&Doi| black_box(write(doi)).len() > doi.as_str().len();
            assert_eq!(names.iter().filter(longer).count(), NAMES);
        })
    });
}

fn writing(c: &mut Criterion) {
    let mut group = c.benchmark_group("normalize/write");
    write(&mut group, "doi-uri", Doi::to_doi_uri);
    write(&mut group, "url-mandatory", |doi| {
        doi.to_url(UrlEncoding::Mandatory)
    });
    write(&mut group, "url-recommended", |doi| {
        doi.to_url(UrlEncoding::Recommended)
    });
    group.finish();
}

criterion_group!(benches, reading, writing);
criterion_main!(benches);
