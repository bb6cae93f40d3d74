//! `doisift normalize`: writes DOI names in one form, for texts as arguments, for lines, and for columns of tables.
//!
//! Turns arguments into a run of the library's `CleanTable`. Texts as arguments, and lines from a terminal, are read here, one by
//! one.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use doisift::internal::{Normalizer, Printable, Refusal};
use doisift::{CleanReport, CleanTable, Monitor, Presentation};

use crate::closed;
use crate::given::Given;
use crate::messages::{Messages, ProgressShape};
use crate::progress::Meter;
use crate::streams::{is_dash, named_output};
use crate::summary;
use crate::watch::{Interruption, watched};
use doisift::internal::{Ending, TaskReport};

/// Write DOI names in one form: texts, lines, or columns of tables
///
/// A text may be a bare name, a doi: or info: URI, a URN, the URL of a DOI proxy, or a URL of any host that holds exactly one DOI
/// name; --clean reads dirty data too. Any other text gives an empty line, a reason on standard error, and exit code 1. With
/// --column, the arguments are files of tables. They are written with every row and every other cell unchanged, byte for byte, and
/// with the columns doi_clean, doi_status (unchanged, normalized, cleaned, several, refused or empty) and doi_reason after the
/// others. Files may be packed; a table is written in the encoding in which it was read.
#[derive(Args, Debug)]
pub(crate) struct NormalizeArgs {
    /// Texts to read; with --column, files
    ///
    /// Without arguments, or for -, standard input is read: each line is a text, or with --column it is a table
    #[arg(value_name = "TEXT|FILE")]
    arguments: Vec<OsString>,

    /// Read each line of this file as a text (repeatable); - is standard input
    #[arg(long, hide_short_help = true, value_name = "FILE", conflicts_with_all = ["arguments", "column"])]
    lines_from: Vec<PathBuf>,

    #[command(flatten)]
    options: Given<CleanTable>,

    #[command(flatten)]
    messages: Messages,
}

/// The inputs that the arguments name.
enum Inputs<'a> {
    /// Texts as arguments.
    Texts(&'a [OsString]),
    /// Lines typed at a terminal.
    Typed,
    Files(Vec<&'a Path>),
}

/// Runs the normalization that the arguments describe.
pub(crate) fn run(args: &NormalizeArgs, stdout: impl Write) -> anyhow::Result<Ending> {
    let options = &args.options;
    if !options.has("in_place") {
        closed::check(options.path("output"), options.path("report"))?;
    }
    let texts = match inputs(args)? {
        Inputs::Files(files) => return read_files(args, &files),
        Inputs::Texts(texts) => texts,
        Inputs::Typed => &[],
    };
    if options.has("output") || options.has("report") {
        bail!("-o and --report are for files: --lines-from reads lines, and --column tables");
    }
    let clean = options.apply(CleanTable::new())?;
    let mut read = TextReader {
        args,
        normalizer: clean.normalizer()?,
        presentation: clean.presentation(),
        stdout,
        counts: TextCounts::default(),
    };
    let written = if texts.is_empty() {
        read.typed(&mut io::stdin().lock())?
    } else {
        read.texts(texts)
    };
    closed::written(written.and_then(|()| read.stdout.flush()))?;
    read.normalizer.check()?;
    if args.messages.stats {
        args.messages.summary().write(&read.counts.line());
    }
    Ok(Ending::of_lost(read.counts.refused + read.counts.several))
}

/// # Errors
/// If `-` is among other texts, or there is no input.
fn inputs(args: &NormalizeArgs) -> anyhow::Result<Inputs<'_>> {
    let dash = Path::new("-");
    let is_stdin = |text: &OsString| is_dash(Path::new(text));
    let typed = io::stdin().is_terminal();
    if args.options.has("column") {
        let files: Vec<_> = args.arguments.iter().map(Path::new).collect();
        if files.is_empty() && typed {
            bail!("nothing to read: name a file, or - for standard input");
        }
        return Ok(Inputs::Files(if files.is_empty() {
            vec![dash]
        } else {
            files
        }));
    }
    if !args.lines_from.is_empty() {
        let files = args.lines_from.iter().map(PathBuf::as_path);
        return Ok(Inputs::Files(files.collect()));
    }
    match &args.arguments[..] {
        [only] if is_stdin(only) && !typed => Ok(Inputs::Files(vec![dash])),
        [only] if is_stdin(only) => Ok(Inputs::Typed),
        [] if typed && !args.options.has("output") => Ok(Inputs::Typed),
        [] => Ok(Inputs::Files(vec![dash])),
        texts if texts.iter().any(is_stdin) => {
            bail!("- is standard input, which cannot be combined with texts; give only one of them")
        }
        texts => Ok(Inputs::Texts(texts)),
    }
}

/// Reads tables, or lines of files.
fn read_files(args: &NormalizeArgs, files: &[&Path]) -> anyhow::Result<Ending> {
    let monitor = Monitor::new();
    let shown = args.messages.summary();
    let meter = Meter::new(ProgressShape::Hidden, args.messages.level());
    let clean = args.options.apply(CleanTable::new())?.monitor(&monitor);
    let clean = files.iter().fold(clean, CleanTable::input);
    let ending = move |report: CleanReport| {
        summary::normalize(&report, shown);
        Ok(report.ending())
    };
    let interruption = if args.options.has("in_place") {
        Interruption::leaving("tables that are not complete are as they were")
    } else {
        Interruption::new(None, named_output(&args.options), "")
    };
    watched(&monitor, meter, interruption, move || clean.run(), ending)
}

/// Reads single texts, and writes a line for each.
struct TextReader<'a, O> {
    args: &'a NormalizeArgs,
    normalizer: Normalizer,
    presentation: Presentation,
    stdout: O,
    counts: TextCounts,
}

#[derive(Default)]
struct TextCounts {
    names: u64,
    several: u64,
    refused: u64,
    empty: u64,
}

impl TextCounts {
    fn line(&self) -> String {
        let TextCounts {
            names,
            several,
            refused,
            empty,
        } = self;
        format!(
            "{} texts; names {names}, several {several}, refused {refused}, empty {empty}",
            names + several + refused + empty
        )
    }
}

impl<O: Write> TextReader<'_, O> {
    fn texts(&mut self, texts: &[OsString]) -> io::Result<()> {
        for (text, number) in texts.iter().zip(1..) {
            let hint = file_hint(text);
            self.take("argument", number, text.as_encoded_bytes(), hint)?;
        }
        Ok(())
    }

    /// Reads typed lines. The outer error is of the input, the inner one of the output.
    fn typed(&mut self, stdin: &mut impl BufRead) -> anyhow::Result<io::Result<()>> {
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = stdin.read_until(b'\n', &mut line);
            if read.context("standard input")? == 0 {
                break;
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            if let Err(error) = self.take("line", number, text, "") {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    fn take(&mut self, what: &str, number: u64, text: &[u8], hint: &str) -> io::Result<()> {
        if text.trim_ascii().is_empty() {
            self.counts.empty += 1;
            return self.stdout.write_all(b"\n");
        }
        match self.normalizer.read(text) {
            Ok(read) => {
                self.counts.names += 1;
                let name = self.presentation.of(&read.doi).into_owned();
                self.stdout.write_all(name.as_bytes())?;
            }
            Err(refusal) => {
                match refusal {
                    Refusal::Several => self.counts.several += 1,
                    _ => self.counts.refused += 1,
                }
                let why = self.normalizer.explain(text, &refusal);
                if !self.args.messages.quiet {
                    let line = format!("doisift: {what} {number}: {}{hint}", Printable(why));
                    // If standard error is closed, there is nowhere to report it.
                    let _ = writeln!(io::stderr(), "{line}");
                }
            }
        }
        self.stdout.write_all(b"\n")
    }
}

/// Returns a hint for a refused text that is the name of a file; otherwise an empty text.
fn file_hint(text: &OsStr) -> &'static str {
    if Path::new(text).is_file() {
        "; to read the file of this name, give --lines-from, or --column for a table"
    } else {
        ""
    }
}
