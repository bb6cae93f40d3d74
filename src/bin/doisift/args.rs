//! The arguments as typed, before any of them is combined with another.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use doisift::{Format, RecordId, Shard, TextKind};

use crate::explain::ExplainArgs;
use crate::merge::MergeArgs;
use crate::normalize::NormalizeArgs;
use crate::size;

#[cfg(feature = "parquet")]
macro_rules! parquet {
    ($text:literal) => {
        $text
    };
}
#[cfg(not(feature = "parquet"))]
macro_rules! parquet {
    ($text:literal) => {
        ""
    };
}

#[cfg(feature = "pdf")]
macro_rules! pdf {
    ($text:literal) => {
        $text
    };
}
#[cfg(not(feature = "pdf"))]
macro_rules! pdf {
    ($text:literal) => {
        ""
    };
}

/// The version, and the features of this build.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nfeatures: cli, pipeline",
    parquet!(", parquet"),
    pdf!(", pdf"),
    "\nreads: text (UTF-8 and the like, UTF-16, UTF-32); gzip, zlib, zstd, bzip2, xz, lzma, lz4, compress (.Z); tar, zip, 7z, WARC, mail; docx, pptx, xlsx, OpenDocument; Arrow",
    parquet!("; Parquet"),
    pdf!("; PDF"),
    "\nwrites: csv, jsonl, names, tsv; plain, gzip, zstd",
    parquet!("; parquet"),
);

/// Sifts DOI names out of crawl and bibliography dumps.
#[derive(Debug, Parser)]
#[command(name = "doisift", version, long_version = LONG_VERSION)]
#[command(arg_required_else_help = true, args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Exit codes: 0 all done, also when nothing was found; 1 done, but some input was lost or refused; \
    2 usage, or a failure that stopped the run; \
    129, 130, 143 ended by SIGHUP, SIGINT (Ctrl-C), SIGTERM, with nothing under the output's name."
)]
pub(crate) struct Cli {
    /// Write a man page, a page of Markdown, or completions for a shell
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) generate: Option<Generate>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generate {
    /// A man page
    Man,
    /// All options, fields and exit codes as a page of Markdown
    Markdown,
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    // No doc comments here: clap would show them instead of those of the argument structs.
    Scan(Box<ScanArgs>),
    Merge(MergeArgs),
    Normalize(Box<NormalizeArgs>),
    Explain(ExplainArgs),
}

/// Find the DOI names in files, folders and streams
///
/// Reads text of any kind, PDF, office documents, Parquet and Arrow files, plain, packed with gzip, zlib, zstd, bzip2, xz, lzma, lz4 or compress, and in
/// tar, zip, 7z and WARC archives and mail, one within another. Packings and archives are recognised by their first bytes. UTF-16 and UTF-32 are recognised by their byte
/// order mark and read as UTF-8, and offsets count bytes of that. A document that is not text, such as a picture, is skipped and
/// counted by kind. Each name becomes one record; records are sorted by name.
#[derive(Args, Debug)]
#[command(after_long_help = crate::reference::text())]
pub(crate) struct ScanArgs {
    /// Files, folders (with all files below them, hidden and git-ignored ones too), or - for standard input, which is also
    /// read if nothing is given and it is no terminal
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// File to write records to; standard output if not given, or - [.gz and .zst endings compress]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Format of the records [default: by the output's ending; on standard output jsonl, or a table if that is a terminal]
    #[arg(short, long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Option<Format>,

    /// Write every mention in source order instead of records
    #[arg(long)]
    pub(crate) mentions: bool,

    /// Write each pair of a document and a name that it mentions instead of records, with the number of mentions, sorted by
    /// source, document and name
    #[arg(long)]
    pub(crate) pairs: bool,

    /// Write every mention with its place in a structured document (JSON, XML, BibTeX, RIS): the record that holds it, the path, the
    /// reference, and its role; see below
    #[arg(long)]
    pub(crate) edges: bool,

    /// Where a record has its identifier, as a path from the record, such as /DOI (with --edges) [default: as the usual formats
    /// have it]
    #[arg(long, value_name = "PATH")]
    pub(crate) record_id: Option<RecordId>,

    /// Write one row of counts instead of records: names (distinct ones), mentions, and the documents and sources that were read
    #[arg(long)]
    pub(crate) count: bool,

    /// Write the N prefixes with the most names instead of records, with the numbers of their names and mentions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top_prefixes: Option<u32>,

    /// Keep only names with one of these prefixes; 10.1038 does not match 10.1038.5 (repeatable)
    #[arg(long, value_name = "PREFIX,...", value_delimiter = ',')]
    pub(crate) prefix: Vec<String>,

    /// Leave out names with one of these prefixes (repeatable)
    #[arg(long, value_name = "PREFIX,...", value_delimiter = ',')]
    pub(crate) exclude_prefix: Vec<String>,

    /// Fields of each row, in this order, such as doi,mentions [default: all; see below]
    #[arg(long, value_name = "FIELD,...", value_delimiter = ',')]
    pub(crate) fields: Option<Vec<String>>,

    /// Write up to N bytes of text before and after each mention, at most 1024, as fields before and after (with --mentions)
    #[arg(long, value_name = "N")]
    pub(crate) context: Option<usize>,

    /// Name of standard input as a source, in the output and for --shard [default: -]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) source_name: Option<String>,

    /// Treat each line as a document, named by its number
    #[arg(long)]
    pub(crate) lines: bool,

    /// Treat all texts as this kind [default: as the head of each shows]: csv, ssv (semicolons), tsv and psv (pipes) are tables
    /// in which a cell bounds a name; html is a web page; printed is text whose lines a layout broke; unknown is any other text
    #[arg(long, value_name = "KIND")]
    pub(crate) input_kind: Option<TextKind>,

    /// Columns of tables to read, with those within them, such as title,authors.name: of Parquet and Arrow files [default: all of
    /// strings and binary], and of delimited text and JSON Lines, whose rows are documents then
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) columns: Option<Vec<String>>,

    /// Column of tables that names each row as a document [default: #row=N, N from 1]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id_column: Option<String>,

    /// Read only these files below folders; a glob without / is matched with the file's name (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Skip these files and folders below folders (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Run COMMAND for each file and read what it writes to standard output instead of the file, for files that doisift does not
    /// read itself: it gets the path as its only argument, and the file on standard input. Not for standard input and members of archives
    #[arg(long, value_name = "COMMAND")]
    pub(crate) pre: Option<std::ffi::OsString>,

    /// Run the command of --pre only for files that match; after ! a glob leaves files out, and the last glob that matches decides
    /// (repeatable)
    #[arg(long, value_name = "GLOB", requires = "pre")]
    pub(crate) pre_glob: Vec<String>,

    /// Follow symbolic links below folders; each file is read once, and loops end
    #[arg(short = 'L', long = "follow")]
    pub(crate) follow: bool,

    /// Read only the I-th of N parts of the sources, I from 0. The part of a source is a hash of its path below the folder,
    /// or of its name if it is an argument. doisift merge unites the outputs of all N
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,

    /// Threads that scan; fewer are started if --memory has no room for them, or the sources have too little work [default:
    /// the cores this process may use]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,

    /// Memory for all that grows with the input, e.g. 512M; beyond it, names go to temporary files [default: a quarter of the
    /// memory of the machine or control group, and for names at most 384M for each thread]
    #[arg(long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Read the names of sources from a file, one a line; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    /// The names in --files-from are separated by NUL
    #[arg(short = '0', requires = "files_from")]
    pub(crate) nul: bool,

    /// What happens at a damaged source: it is reported and skipped, or the run fails without an output
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnErrorArg::Skip)]
    pub(crate) on_error: OnErrorArg,

    /// Stop a source that unpacks to more bytes than this for each of its own, and to more than 64M [default: 1000]
    #[arg(long, value_name = "RATIO", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_expansion: Option<u64>,

    /// Memory that zstd, xz, lzma and 7z data may ask for on each thread that unpacks; for zstd the next lower power of two
    /// [default: 128M]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub(crate) max_window: Option<u64>,

    /// Open no container that is within more others than this [default: 3]
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,

    /// Stop a source whose containers have more members than this, all together [default: 100 million]
    #[arg(long, value_name = "N")]
    pub(crate) max_members: Option<u64>,

    /// Folder for temporary files [default: that of the output, or the system's if records go to standard output]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,

    /// Keep finished work in this folder, so that the same command resumes there after a crash, a kill or Ctrl-C; it is
    /// removed at the end. Not with --mentions or --edges, nor with standard input
    #[arg(long, value_name = "DIR")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Milliseconds from one checkpoint to the next: for tests
    #[arg(long, hide = true, value_name = "MS", requires = "checkpoint")]
    pub(crate) checkpoint_interval: Option<u64>,

    /// Write what the run did to a file, as JSON; - is standard output, if records go elsewhere
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Show progress on standard error; auto shows it where that is a terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto)]
    pub(crate) progress: When,

    /// Write nothing to standard error except why the run failed
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Report decisions and counts on standard error; -vv also names each document that is skipped
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Show all rows of the table on a terminal, not a screenful
    #[arg(long)]
    pub(crate) all: bool,

    /// Write one line with the counts of the run to standard error; always done on a terminal
    #[arg(long)]
    pub(crate) stats: bool,

    /// Bytes that a thread scans at once: for tests
    #[arg(long, hide = true, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) chunk: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnErrorArg {
    Skip,
    Fail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL
        .iter()
        .map(|format| PossibleValue::new(format.name()));
    // Accepted here, so that the error of the library can say which feature adds the format.
    let left_out = (!cfg!(feature = "parquet")).then(|| PossibleValue::new("parquet").hide(true));
    PossibleValuesParser::new(names.chain(left_out)).try_map(|name| name.parse::<Format>())
}
