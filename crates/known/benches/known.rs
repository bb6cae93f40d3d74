//! Generates names, builds an index of them and looks names up, each in its own process: for `scripts/bench known`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod names;

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;
use std::time::Instant;

use doisift_known::{BuildOptions, Index, IndexBuilder};
use names::Names;

const HELP: &str = "\
known names NUMBER SEED             writes generated names, one a line, in a mixed order
known build FILE MEMORY THREADS     builds FILE of the names on standard input, with MEMORY mebibytes
known ask FILE NUMBER SEED          asks FILE for generated names, in every way, and prints times
known few FILE                      asks FILE for the names on standard input
";

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["names", number, seed] => write_names(number, seed),
        ["build", file, memory, threads] => build(file, memory, threads),
        ["ask", file, number, seed] => ask(file, number, seed),
        ["few", file] => few(file),
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("known: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_names(number: &str, seed: &str) -> Outcome {
    let number = number.parse()?;
    let names = Names::new(number, seed.parse()?);
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    let mut line = String::new();
    for place in 0..number {
        line.clear();
        names.write(place, &mut line);
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(out.flush()?)
}

fn build(file: &str, memory: &str, threads: &str) -> Outcome {
    let options = BuildOptions {
        memory: memory.parse::<usize>()? << 20,
        threads: threads.parse()?,
        ..BuildOptions::default()
    };
    let start = Instant::now();
    let mut builder = IndexBuilder::new(options)?;
    let source = builder.source("generated", Some("crossref"), None);
    let (mut input, mut line) = (
        io::BufReader::with_capacity(1 << 18, io::stdin()),
        String::new(),
    );
    while input.read_line(&mut line)? > 0 {
        builder.name(source, line.trim_end_matches('\n'))?;
        line.clear();
    }
    let taken = start.elapsed();
    builder.finish(BufWriter::with_capacity(1 << 18, File::create(file)?))?;
    let (index, length) = (Index::open(file)?, File::open(file)?.metadata()?.len());
    println!("names {}", index.len());
    println!("bytes a name {:.3}", length as f64 / index.len() as f64);
    println!(
        "seconds to take names {:.1}, to merge and write {:.1}",
        taken.as_secs_f64(),
        (start.elapsed() - taken).as_secs_f64()
    );
    Ok(())
}

/// Returns the processor time of this thread in seconds, so that other processes do not count; the elapsed time if the
/// system does not report it.
fn seconds(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or(start.elapsed().as_secs_f64(), |nanoseconds| {
        nanoseconds / 1e9
    })
}

/// Runs `work` on `items` and prints the number of items per second.
fn timed<T>(
    what: &str,
    items: &[T],
    mut work: impl FnMut(&T) -> Result<bool, doisift_known::IndexError>,
) -> Outcome {
    let clock = Instant::now();
    let start = seconds(clock);
    let mut yes = 0u64;
    for item in items {
        yes += u64::from(work(item)?);
    }
    let rate = items.len() as f64 / (seconds(clock) - start);
    println!("{what}: {rate:.0} a second, {yes} of {} yes", items.len());
    Ok(())
}

fn ask(file: &str, number: &str, seed: &str) -> Outcome {
    const ASKED: u64 = 2_000_000;
    let number: u64 = number.parse()?;
    let names = Names::new(number, seed.parse()?);
    let asked: Vec<String> = (0..ASKED.min(number))
        .map(|at| sample(&names, at * (number / ASKED.min(number))))
        .collect();
    let index = Index::open(file)?;
    // The first pass reads the blocks.
    timed("random, with blocks to read", &asked, |name| {
        index.contains(name)
    })?;
    timed("random", &asked, |name| index.contains(name))?;
    let unknown: Vec<String> = asked
        .iter()
        .map(|name| format!("{}q{}", &name[..name.len() - 1], &name[name.len() - 1..]))
        .collect();
    timed("random, unknown", &unknown, |name| index.contains(name))?;
    let longer: Vec<String> = asked.iter().map(|name| format!("{name}.pdf")).collect();
    timed("longest known start", &longer, |name| {
        Ok(index.longest_known_start(name.as_bytes())?.is_some())
    })?;
    let cut: Vec<&str> = asked.iter().map(|name| &name[..name.len() - 2]).collect();
    timed("extends", &cut, |name| index.extends(name))?;
    timed(
        "one slip away",
        &unknown[..unknown.len().min(20_000)],
        |name| Ok(!index.near(name)?.is_empty()),
    )?;
    drop(index);
    sorted(file, &names, number)
}

/// Joins with up to a tenth of the names, and with two million.
fn sorted(file: &str, names: &Names, number: u64) -> Outcome {
    for share in [10, 50] {
        let mut asked: Vec<String> = (0..number / share)
            .map(|at| sample(names, at * share))
            .collect();
        asked.sort_unstable();
        let index = Index::open(file)?;
        let mut rows = index.join(&asked);
        let what = format!("sorted, 1 of {share}");
        timed(&what, &asked, |_| {
            Ok(matches!(rows.next().transpose()?, Some((_, Some(_)))))
        })?;
    }
    Ok(())
}

fn sample(names: &Names, place: u64) -> String {
    let mut name = String::new();
    names.write(place, &mut name);
    name
}

fn few(file: &str) -> Outcome {
    let start = Instant::now();
    let index = Index::open(file)?;
    let opened = start.elapsed();
    let mut known = 0;
    for line in io::stdin().lines() {
        known += usize::from(black_box(index.contains(&line?)?));
    }
    println!(
        "{known} known, opened in {:.1} ms, all in {:.1} ms",
        opened.as_secs_f64() * 1e3,
        start.elapsed().as_secs_f64() * 1e3
    );
    Ok(())
}
