//! Collects the first mentions in files or folders, then stops the run: `cargo run --example first_mentions -- corpora`.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use doisift::{Error, ErrorKind, Scan};

/// Number of mentions to collect.
const WANTED: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    run(&paths, io::stdout())
}

/// Writes the first mentions with the text around them.
pub fn run(paths: &[PathBuf], mut output: impl Write) -> Result<(), Box<dyn std::error::Error>> {
    for line in first_mentions(paths)? {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

fn first_mentions(paths: &[PathBuf]) -> Result<Vec<String>, Error> {
    let scan = Scan::new().mentions(true).context(12);
    let scan = paths.iter().fold(scan, Scan::input);
    let mut lines = Vec::new();
    let run = scan.for_each_mention(|mention| {
        let (before, after) = (mention.before, mention.after);
        lines.push(format!(
            "{}: {before}[{}]{after}",
            mention.source, mention.text
        ));
        match lines.len() < WANTED {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    });
    match run {
        Err(error) if error.kind() != ErrorKind::Cancelled => Err(error),
        _ => Ok(lines),
    }
}
