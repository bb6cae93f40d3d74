//! Writes files in the layout of Crossref's public data file, of any size, and the truth for them.
//!
//! `lab/make-crossref --help` shows the options.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod crossref;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crossref::{Options, Totals};

const HELP: &str = "\
make-crossref --output FOLDER [OPTION VALUE]...
  --output FOLDER      where 00000.jsonl.gz and its like go
  --size SIZE          bytes of all files before they are packed, e.g. 300M, 20G (10M)
  --files N            the number of files (20)
  --tar FILE           the files once more, as members of a tar
  --truth FOLDER       what is in them, as packed tables whose columns a tab separates: references, records and links
  --count FILE         the counts, as JSON
  --unnamed SHARE      references without a name (0.15)
  --mined SHARE        references with a name in their text alone (0.2)
  --dirty SHARE        stated values that are not just the name (0.001)
  --hard SHARE         names in text that regular expressions get wrong (0.003)
  --seed N             the same seed gives the same files (1)
  --threads N          default: the cores
";

/// The arguments.
#[derive(Default)]
struct Request {
    options: Options,
    tar: Option<PathBuf>,
    count: Option<PathBuf>,
    threads: Option<usize>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--help" || a == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let Some(request) = parse(&arguments) else {
        eprint!("{HELP}");
        return ExitCode::from(2);
    };
    match run(&request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("make-crossref: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Option<Request> {
    let mut request = Request::default();
    for pair in arguments.chunks(2) {
        let [option, value] = pair else { return None };
        set(&mut request, option, value)?;
    }
    let options = &request.options;
    (!options.output.as_os_str().is_empty() && options.files > 0).then_some(request)
}

fn set(request: &mut Request, option: &str, value: &str) -> Option<()> {
    let options = &mut request.options;
    match option {
        "--output" => options.output = value.into(),
        "--size" => options.size = size(value)?,
        "--files" => options.files = value.parse().ok()?,
        "--tar" => request.tar = Some(value.into()),
        "--truth" => options.truth = value.into(),
        "--count" => request.count = Some(value.into()),
        "--unnamed" => options.unnamed = share(value)?,
        "--mined" => options.mined = share(value)?,
        "--dirty" => options.dirty = share(value)?,
        "--hard" => options.hard = share(value)?,
        "--seed" => options.seed = value.parse().ok()?,
        "--threads" => request.threads = Some(value.parse().ok()?),
        _ => return None,
    }
    Some(())
}

fn size(value: &str) -> Option<u64> {
    let digits = value.trim_end_matches(['K', 'M', 'G']);
    let shift = match &value[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

fn share(value: &str) -> Option<f64> {
    let share = value.parse().ok()?;
    (0.0..=1.0).contains(&share).then_some(share)
}

fn run(request: &Request) -> io::Result<()> {
    let options = &request.options;
    fs::create_dir_all(&options.output)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let totals = generate(options, request.threads.unwrap_or(cores))?;
    if let Some(path) = &request.tar {
        write_tar(options, path)?;
    }
    match &request.count {
        Some(path) => fs::write(path, as_json(&totals)),
        None => Ok(()),
    }
}

/// Generates the files. Each thread takes the next file until none is left.
fn generate(options: &Options, threads: usize) -> io::Result<Totals> {
    let (next, sum) = (AtomicU64::new(0), Mutex::new(Totals::default()));
    let work = || -> io::Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= options.files {
                return Ok(());
            }
            let totals = crossref::generate(options, number)?;
            *sum.lock().unwrap_or_else(|broken| broken.into_inner()) += totals;
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("a thread failed")))
        })
    })?;
    Ok(sum
        .into_inner()
        .unwrap_or_else(|broken| broken.into_inner()))
}

fn write_tar(options: &Options, path: &PathBuf) -> io::Result<()> {
    let mut tar = tar::Builder::new(BufWriter::new(File::create(path)?));
    tar.mode(tar::HeaderMode::Deterministic);
    for number in 0..options.files {
        let member = crossref::path(&options.output, number, "jsonl.gz");
        let name = member.file_name().unwrap_or_default();
        tar.append_path_with_name(&member, name)?;
    }
    tar.into_inner()?.flush()
}

fn as_json(totals: &Totals) -> String {
    let Totals {
        bytes,
        records,
        references,
        stated,
        dirty,
        mined,
        unnamed,
        links,
    } = totals;
    format!(
        "{{\"bytes\":{bytes},\"records\":{records},\"references\":{references},\"stated\":{stated},\"dirty\":{dirty},\
         \"mined\":{mined},\"unnamed\":{unnamed},\"links\":{links}}}\n"
    )
}
