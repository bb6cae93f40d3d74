//! Writes a text of any size to standard output, and the exact list of its names to a file.
//!
//! `lab/make-corpus --help` shows the options.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod corpus;

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use corpus::{Kind, Options, Totals};

const HELP: &str = "\
make-corpus [OPTION VALUE]... > text
  --kind KIND          prose: sentences with names in them; names: bare names, one a line; references: JSON Lines of works
                       with references; numbers: lines of numbers full of `10.`, without a name (prose)
  --size SIZE          bytes of text, e.g. 64K, 10M, 1G (1M)
  --number N           mentions to stop after
  --every N            bytes from one mention to the next; 0 for no mention (250)
  --distinct SHARE     mentions that are a name's first (0.33)
  --hard SHARE         mentions that many extractors get wrong (0.2)
  --seed N             the same seed gives the same text (1)
  --names FILE         the keys of all names in the text, sorted bytewise, one a line
  --count FILE         distinct names, mentions and bytes, as JSON
";

/// The arguments.
#[derive(Default)]
struct Request {
    options: Options,
    names: Option<String>,
    count: Option<String>,
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
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("make-corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Option<Request> {
    let mut request = Request::default();
    let mut sized = false;
    for pair in arguments.chunks(2) {
        let [option, value] = pair else { return None };
        sized |= option == "--size";
        set(&mut request, option, value)?;
    }
    if request.options.number < u64::MAX && !sized {
        request.options.size = u64::MAX;
    }
    Some(request)
}

fn set(request: &mut Request, option: &str, value: &str) -> Option<()> {
    let options = &mut request.options;
    match option {
        "--kind" => options.kind = kind(value)?,
        "--size" => options.size = size(value)?,
        "--number" => options.number = value.parse().ok()?,
        "--every" => options.every = value.parse().ok()?,
        "--distinct" => options.distinct = share(value)?,
        "--hard" => options.hard = share(value)?,
        "--seed" => options.seed = value.parse().ok()?,
        "--names" => request.names = Some(value.to_owned()),
        "--count" => request.count = Some(value.to_owned()),
        _ => return None,
    }
    Some(())
}

fn kind(value: &str) -> Option<Kind> {
    match value {
        "prose" => Some(Kind::Prose),
        "names" => Some(Kind::Names),
        "references" => Some(Kind::References),
        "numbers" => Some(Kind::Numbers),
        _ => None,
    }
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
    value
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
}

fn run(request: &Request) -> io::Result<()> {
    let totals = corpus::generate(&request.options, &mut io::stdout().lock())?;
    if let Some(path) = &request.names {
        write_names(path, &request.options, totals)?;
    }
    if let Some(path) = &request.count {
        let Totals {
            bytes,
            mentions,
            names,
        } = totals;
        let json = format!("{{\"names\":{names},\"mentions\":{mentions},\"bytes\":{bytes}}}\n");
        std::fs::write(path, json)?;
    }
    Ok(())
}

fn write_names(path: &str, options: &Options, totals: Totals) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for name in corpus::sorted_names(options, totals.names) {
        out.write_all(&name)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}
