//! `doisift normalize`: writes DOI names in one form, for texts as arguments, for lines, and for columns of tables.
//!
//! Turns arguments into a run of the library's `Normalize`. Texts, and lines that someone types, are read here, one by one.
//! `main` passes the streams in, because it alone knows whether they are terminals.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use doisift::{
    CellStatus, Charset, Monitor, Normalize, NormalizeBuilder, NormalizeReport, Normalizer,
    Presentation, Printable, Refusal, TableFormat, UrlEncoding,
};

use crate::closed;
use crate::ending::Ending;
use crate::plan::{is_dash, log_level};
use crate::progress::Meter;
use crate::size;
use crate::summary::{self, SummaryChoice};
use crate::watch::{Interruption, watched};

/// Write DOI names of any presentation form in one form: of texts, of lines, or in columns of tables
///
/// A text may be a bare name, doi: or info: URI, URN, the URL of a DOI proxy, or a URL of any host
/// that holds exactly one DOI name; --clean reads dirty data too. Any other text gives an empty line, a reason on standard
/// error, and exit code 1. With --column, arguments are files: tables that come back with every row and every other cell as it
/// was, byte for byte, and with the columns doi_clean, doi_status (unchanged, normalized, cleaned, several, refused or empty) and
/// doi_reason after the others. Files may be packed; the table is written in the encoding in which it was read.
#[derive(Args, Debug)]
pub(crate) struct NormalizeArgs {
    /// Texts to read; with --column, files. If there are none, or for -, standard input is read: each line is a text, or it is a
    /// table
    #[arg(value_name = "TEXT|FILE")]
    arguments: Vec<OsString>,

    /// Clean this column of the tables FILE: its name in the header or its number from 1; in JSON Lines, the name of a member, or
    /// a JSON pointer such as /ids/doi. One column each; repeat the option for more
    #[arg(short, long, value_name = "COLUMN")]
    column: Vec<String>,

    /// Read each line of this file as a text (repeatable); - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["arguments", "column"])]
    lines_from: Vec<PathBuf>,

    /// Replace the names in the columns, and add no columns; a cell that is refused or holds several names stays as it is
    #[arg(long, requires = "column")]
    in_place: bool,

    /// Name of the column for clean names, one for each --column; those for status and reason get _status and _reason after it
    /// [default: doi_clean, doi_status, doi_reason; with several --column, each one's own name instead of doi]
    #[arg(
        long,
        value_name = "NAME",
        requires = "column",
        conflicts_with = "in_place"
    )]
    new_column: Vec<String>,

    /// Cells may hold several names, with ; , | white space, `and` or `&` between them, or as a list of quoted texts. What
    /// separates them is kept, and each name once; text that is no list of names is refused
    #[arg(long, requires = "column")]
    multiple: bool,

    /// Format of the tables: csv, ssv (semicolons), tsv, psv (pipes), jsonl [default: as the head of each shows]
    #[arg(long, value_name = "FORMAT", requires = "column")]
    input_format: Option<TableFormat>,

    /// The character between cells, or tab [default: as the head shows]
    #[arg(long, value_name = "CHARACTER", requires = "column", conflicts_with = "input_format", value_parser = delimiter)]
    delimiter: Option<TableFormat>,

    /// The first row is no header; each --column is a number
    #[arg(long, requires = "column")]
    no_header: bool,

    /// Sheet of workbooks (xlsx, xlsb, xls, ods) that is read: its name, or its number from 1 [default: the first]. It comes back as CSV
    #[arg(long, value_name = "NAME|NUMBER", requires = "column")]
    sheet: Option<String>,

    /// Encoding of the tables without a byte order mark: utf-8, windows-1252, macintosh, shift_jis, utf-16le or any other label of
    /// the Encoding Standard [default: utf-8, or windows-1252 where the head of a table is not UTF-8]
    #[arg(long, value_name = "NAME", requires = "column")]
    input_encoding: Option<Charset>,

    /// Encoding to write [default: that of the first table]
    #[arg(long, value_name = "NAME", requires = "column")]
    output_encoding: Option<Charset>,

    /// Write a byte order mark, also if the first table has none
    #[arg(long, requires = "column")]
    bom: bool,

    /// The form to write
    #[arg(long, value_enum, value_name = "FORM", default_value_t = To::Key)]
    to: To,

    /// Which characters `--to url` encodes: those that must be encoded, or also those for which it is recommended
    #[arg(long, value_enum, value_name = "RULES", default_value_t = Encode::Mandatory)]
    encode: Encode,

    /// Refuse names that ANSI/NISO Z39.84 reserves: a single character and "/" start the suffix
    #[arg(long)]
    strict: bool,

    /// Take texts as dirty data: cut parts that do not belong to the name, such as /full or (2006). A text from which another
    /// name would be cut gives an empty line, a reason, and exit code 1
    #[arg(long)]
    clean: bool,

    /// File to write to; standard output if not given, or - [.gz and .zst endings compress]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Threads that clean [default: the cores this process may use]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Write what the run did to a file, as JSON; - is standard output, if the rows go elsewhere
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Write nothing to standard error except why the run failed
    #[arg(short, long)]
    quiet: bool,

    /// Write one line with the counts by status and rule to standard error; done for files on a terminal
    #[arg(long)]
    stats: bool,

    /// Longest row of a table that is read, e.g. 1G [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = size::parse, requires = "column")]
    max_row: Option<u64>,

    /// As for doisift scan
    #[arg(long, value_name = "RATIO", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    max_expansion: Option<u64>,

    /// As for doisift scan
    #[arg(long, value_name = "SIZE", value_parser = size::parse, hide_short_help = true)]
    max_window: Option<u64>,

    /// As for doisift scan
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_depth: Option<usize>,

    /// As for doisift scan
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_members: Option<u64>,

    /// Bytes of rows that a thread cleans at once: for tests
    #[arg(long, hide = true, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(1..))]
    chunk: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    /// The decoded name, its case kept
    Name,
    /// The decoded name in ASCII lower case, the same for all equivalent names
    Key,
    /// The doi URI, as doi:10.1000/a%2Fb
    DoiUri,
    /// The URL of the proxy doi.org
    Url,
    /// The URN, as urn:doi:10.1000:a%2Fb
    Urn,
    /// The URL of the proxy's REST API
    Api,
}

// The DOI Handbook has a table of mandatory and one of recommended encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Encode {
    Mandatory,
    Recommended,
}

fn delimiter(typed: &str) -> Result<TableFormat, String> {
    match typed.as_bytes() {
        b"tab" | b"\\t" => Ok(TableFormat::Delimited(b'\t')),
        [byte] => Ok(TableFormat::Delimited(*byte)),
        _ => Err("a delimiter is one ASCII character, or tab".into()),
    }
}

/// What is read.
enum Inputs<'a> {
    /// Texts as arguments.
    Texts(&'a [OsString]),
    /// Lines that someone types.
    Typed,
    Files(Vec<&'a Path>),
}

/// Runs the normalization that the arguments describe.
pub(crate) fn run(args: &NormalizeArgs, stdout: impl Write) -> anyhow::Result<Ending> {
    if !args.in_place {
        closed::check(args.output.as_deref(), args.report.as_deref())?;
    }
    let texts = match inputs(args)? {
        Inputs::Files(files) => return read_files(args, &files),
        Inputs::Texts(texts) => texts,
        Inputs::Typed => &[],
    };
    if args.output.is_some() || args.report.is_some() {
        bail!("-o and --report are for files: --lines-from reads lines, and --column tables");
    }
    let mut read = TextReader {
        args,
        normalizer: normalizer(args),
        stdout,
        counts: TextCounts::default(),
    };
    let written = if texts.is_empty() {
        read.typed(&mut io::stdin().lock())?
    } else {
        read.texts(texts)
    };
    match written.and_then(|()| read.stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            return Err(error).context("standard output");
        }
        _ => {}
    }
    if args.stats && !args.quiet {
        SummaryChoice::new(true, 0, false).write(&read.counts.line());
    }
    Ok(match read.counts.refused + read.counts.several {
        0 => Ending::Whole,
        _ => Ending::Lossy,
    })
}

/// # Errors
/// If - is among texts.
fn inputs(args: &NormalizeArgs) -> anyhow::Result<Inputs<'_>> {
    let dash = Path::new("-");
    let is_stdin = |text: &OsString| is_dash(Path::new(text));
    let typed = io::stdin().is_terminal();
    if !args.column.is_empty() {
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
        [] if typed && args.output.is_none() => Ok(Inputs::Typed),
        [] => Ok(Inputs::Files(vec![dash])),
        texts if texts.iter().any(is_stdin) => {
            bail!("- is standard input, and the other arguments are texts; give only one of them")
        }
        texts => Ok(Inputs::Texts(texts)),
    }
}

fn normalizer(args: &NormalizeArgs) -> Normalizer {
    Normalizer::new().strict(args.strict).clean(args.clean)
}

fn presentation(args: &NormalizeArgs) -> Presentation {
    let encoding = match args.encode {
        Encode::Mandatory => UrlEncoding::Mandatory,
        Encode::Recommended => UrlEncoding::Recommended,
    };
    match args.to {
        To::Name => Presentation::Name,
        To::Key => Presentation::Key,
        To::DoiUri => Presentation::DoiUri,
        To::Url => Presentation::Url(encoding),
        To::Urn => Presentation::Urn,
        To::Api => Presentation::Api,
    }
}

/// Reads tables, or lines of files.
fn read_files(args: &NormalizeArgs, files: &[&Path]) -> anyhow::Result<Ending> {
    let monitor = Monitor::new();
    let shown = SummaryChoice::new(args.stats, 0, args.quiet);
    let meter = Meter::new(false, log_level(args.quiet, 0));
    let normalize = builder(args, files).monitor(&monitor).build()?;
    let ending = move |report: NormalizeReport| {
        summary::normalize(&report, shown);
        let lost = [CellStatus::Refused, CellStatus::Several];
        let refused: u64 = lost.map(|status| report.statuses.get(status)).iter().sum();
        Ok(match refused + report.broken + report.errors.count {
            0 => Ending::Whole,
            _ => Ending::Lossy,
        })
    };
    let interruption = if args.in_place {
        Interruption::leaving("tables that are not complete are as they were")
    } else {
        Interruption::new(
            None,
            args.output.as_deref().filter(|path| !is_dash(path)),
            "",
        )
    };
    watched(
        &monitor,
        meter,
        interruption,
        move || normalize.run(),
        ending,
    )
}

fn builder(args: &NormalizeArgs, files: &[&Path]) -> NormalizeBuilder {
    let mut builder = files
        .iter()
        .fold(Normalize::builder(), NormalizeBuilder::input)
        .in_place(args.in_place)
        .multiple(args.multiple)
        .header(!args.no_header)
        .byte_order_mark(args.bom)
        .presentation(presentation(args))
        .strict(args.strict)
        .clean(args.clean);
    builder = args.column.iter().fold(builder, NormalizeBuilder::column);
    builder = args
        .new_column
        .iter()
        .fold(builder, NormalizeBuilder::new_column);
    let bytes = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
    builder = set(builder, args.output.as_ref(), NormalizeBuilder::output);
    builder = set(builder, args.report.as_ref(), NormalizeBuilder::report);
    let format = args.input_format.or(args.delimiter);
    builder = set(builder, format, NormalizeBuilder::format);
    builder = set(builder, args.sheet.clone(), NormalizeBuilder::sheet);
    let encoding = args.input_encoding;
    builder = set(builder, encoding, NormalizeBuilder::input_encoding);
    let encoding = args.output_encoding;
    builder = set(builder, encoding, NormalizeBuilder::output_encoding);
    let threads = args.threads.map(usize::from);
    builder = set(builder, threads, NormalizeBuilder::threads);
    builder = set(builder, args.max_row.map(bytes), NormalizeBuilder::max_row);
    builder = set(builder, args.max_expansion, NormalizeBuilder::max_expansion);
    builder = set(builder, args.max_window, NormalizeBuilder::max_window);
    builder = set(builder, args.max_depth, NormalizeBuilder::max_depth);
    builder = set(builder, args.max_members, NormalizeBuilder::max_members);
    let chunk = args.chunk.map(|size| bytes(size.into()));
    set(builder, chunk, NormalizeBuilder::chunk)
}

/// Sets what was given.
fn set<T>(
    builder: NormalizeBuilder,
    value: Option<T>,
    with: impl FnOnce(NormalizeBuilder, T) -> NormalizeBuilder,
) -> NormalizeBuilder {
    match value {
        Some(value) => with(builder, value),
        None => builder,
    }
}

/// Reads single texts, and writes a line for each.
struct TextReader<'a, O> {
    args: &'a NormalizeArgs,
    normalizer: Normalizer,
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

    /// The outer error is the input's, the inner one the output's.
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
                let name = presentation(self.args).of(&read.doi).into_owned();
                self.stdout.write_all(name.as_bytes())?;
            }
            Err(refusal) => {
                match refusal {
                    Refusal::Several => self.counts.several += 1,
                    _ => self.counts.refused += 1,
                }
                let why = self.normalizer.explain(text, &refusal);
                if !self.args.quiet {
                    let line = format!("doisift: {what} {number}: {}{hint}", Printable(why));
                    // If standard error is closed, there is nowhere to report it.
                    let _ = writeln!(io::stderr(), "{line}");
                }
            }
        }
        self.stdout.write_all(b"\n")
    }
}

/// What to say about a refused text that is the name of a file.
fn file_hint(text: &OsStr) -> &'static str {
    if Path::new(text).is_file() {
        "; to read the file of this name, give --lines-from, or --column for a table"
    } else {
        ""
    }
}
