//! The doisift command: arguments, then a plan, then a run, then an exit code.
//!
//! Only the command handles arguments, terminals and signals. The program `doisift` calls [`main`], and so does the Python package,
//! whose wheel has the command and the functions in one library. The crate `doisift` is the library for other programs.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod args;
mod check;
mod closed;
mod diff;
mod explain;
mod generate;
mod given;
mod index;
mod markdown;
mod merge;
mod messages;
mod normalize;
mod places;
mod plan;
mod progress;
mod reference;
mod resolve;
mod rulebook;
mod scan;
mod schemas;
mod screen;
mod streams;
mod stub;
mod summary;
mod usage;
mod version;
mod watch;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, LineWriter, Write};

use doisift::internal::Printable;

use args::{Cli, Command};

use doisift::internal::Ending;

/// Facts about the process that only the program can find out.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    /// Whether standard output was closed when the program was started.
    pub is_stdout_closed: bool,
    /// The program's allocator, for bug reports.
    pub allocator: &'static str,
}

/// Runs the command, and returns the exit code. The first of `args` is the name of the program.
///
/// Writes to the standard streams and handles signals. Exits the process if a read does not return after a signal.
pub fn main(args: impl IntoIterator<Item = OsString>, process: Process) -> u8 {
    closed::set(process.is_stdout_closed);
    let args = args.into_iter().collect();
    let ending = usage::parse(args, process.allocator).and_then(|cli| {
        run(cli).map_err(|error| {
            // If standard error is closed, there is nowhere to report it.
            let _ = writeln!(io::stderr(), "doisift: {}", Printable(message(&error)));
            Ending::Failed
        })
    });
    let (Ok(ending) | Err(ending)) = ending;
    // The Rust runtime flushes it only at the end of a Rust program, not of Python.
    let _ = io::stdout().flush();
    ending.code()
}

/// Returns the text of an error and its causes. The text of the library's error already includes its causes.
fn message(error: &anyhow::Error) -> String {
    let mut parts = Vec::new();
    for cause in error.chain() {
        parts.push(cause.to_string());
        if cause.is::<doisift::Error>() {
            break;
        }
    }
    parts.join(": ")
}

fn run(cli: Cli) -> anyhow::Result<Ending> {
    match (cli.generate, cli.command) {
        (Some(what), _) => {
            closed::check(None, None)?;
            generate::write(what, &mut io::stdout().lock()).map(|()| Ending::Whole)
        }
        (None, Some(Command::Scan(args))) => scan::run(*args),
        (None, Some(Command::Merge(args))) => merge::run(&args),
        (None, Some(Command::Diff(args))) => diff::run(&args),
        (None, Some(Command::Index(args))) => index::run(&args),
        (None, Some(Command::Check(args))) => check::run(&args),
        (None, Some(Command::Resolve(args))) => resolve::run(&args),
        (None, Some(Command::Normalize(args))) => normalize(&args),
        (None, Some(Command::Explain(args))) => {
            closed::check(None, None)?;
            let out = BufWriter::new(io::stdout().lock());
            explain::run(&args, io::stdin().lock(), out).map(|()| Ending::Whole)
        }
        (None, None) => usage::overview(),
    }
}

fn normalize(args: &normalize::NormalizeArgs) -> anyhow::Result<Ending> {
    // Not locked, since a run on files writes to it too.
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let stdout: Box<dyn Write> = if is_terminal {
        Box::new(LineWriter::new(stdout))
    } else {
        Box::new(BufWriter::new(stdout))
    };
    normalize::run(args, stdout)
}
