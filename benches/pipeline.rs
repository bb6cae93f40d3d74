//! The whole pipeline, from files to a file: sparse and dense text, plain and packed, and many tiny streams. Bytes of decoded text per second.

mod corpus;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use corpus::Options;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use doisift::{Format, Scan, ScanReport};

const SIZE: u64 = 32 << 20;

/// An input file and its expected output.
struct Source {
    name: &'static str,
    path: PathBuf,
    bytes: u64,
    mentions: u64,
    /// The expected output: each name on a line.
    names: Vec<u8>,
}

fn generated(folder: &Path, name: &'static str, every: u64) -> Source {
    let path = folder.join(name);
    let options = Options {
        size: SIZE,
        every,
        ..Options::default()
    };
    let mut text = Vec::new();
    let totals = corpus::generate(&options, &mut text).expect("a vector takes all");
    fs::write(&path, &text).expect("a temporary file takes all");
    Source {
        name,
        path,
        bytes: text.len() as u64,
        mentions: totals.mentions,
        names: corpus::sorted_names(&options, totals.names)
            .iter()
            .flat_map(|name| [name, &b"\n"[..]].concat())
            .collect(),
    }
}

fn packed(plain: &Source, name: &'static str) -> Source {
    let path = plain.path.with_extension("gz");
    let file = fs::File::create(&path).expect("a temporary file");
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    let text = fs::read(&plain.path).expect("the text was just written");
    gzip.write_all(&text).expect("a temporary file takes all");
    gzip.finish().expect("a temporary file takes all");
    Source {
        name,
        path,
        names: plain.names.clone(),
        ..*plain
    }
}

/// Writes the text of each mention as its own bzip2 stream, whose header allows the largest blocks.
fn streams(folder: &Path) -> Source {
    const COUNT: u64 = 5_000;
    let names: Vec<_> = (0..COUNT)
        .map(|n| format!("10.5555/tiny.{n:05}\n"))
        .collect();
    let mut packed = Vec::new();
    for name in &names {
        let mut out = bzip2::write::BzEncoder::new(packed, bzip2::Compression::best());
        out.write_all(name.as_bytes()).expect("a vector takes all");
        packed = out.finish().expect("a vector takes all");
    }
    let path = folder.join("tiny.bz2");
    fs::write(&path, packed).expect("a temporary file takes all");
    Source {
        name: "tiny_bzip2",
        path,
        bytes: names.iter().map(|name| name.len() as u64).sum(),
        mentions: COUNT,
        names: names.concat().into_bytes(),
    }
}

fn run(source: &Source, threads: usize) -> ScanReport {
    let scan = Scan::new()
        .input(&source.path)
        .output(source.path.with_extension("names"))
        .format(Format::Names)
        .threads(threads);
    scan.run().expect("nothing is broken")
}

fn pipeline(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sparse = generated(folder.path(), "sparse", 50_000);
    let dense = generated(folder.path(), "dense", 250);
    let dense_gzip = packed(&dense, "dense_gzip");
    let mut group = criterion.benchmark_group("pipeline");
    group.sample_size(10);
    let tiny = streams(folder.path());
    for source in [sparse, dense, dense_gzip, tiny] {
        group.throughput(Throughput::Bytes(source.bytes));
        for threads in [1, 2] {
            assert_eq!(
                run(&source, threads).mentions,
                source.mentions,
                "{}",
                source.name
            );
            let output = fs::read(source.path.with_extension("names")).expect("an output");
            assert!(
                output == source.names,
                "{}: other names than were generated",
                source.name
            );
            let name = format!("{}/{threads}", source.name);
            group.bench_function(name, |b| b.iter(|| run(&source, threads)));
        }
    }
    group.finish();
}

criterion_group!(benches, pipeline);
criterion_main!(benches);
