//! Arguments as typed.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use doisift::{Format, Shard, TextKind};

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

/// The version, and what was built in.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nfeatures: cli, pipeline",
    parquet!(", parquet"),
    "\nreads: text (UTF-8 and the like, UTF-16, UTF-32); gzip, zlib, zstd, bzip2, xz, lzma, lz4; tar, zip, WARC",
    "\nwrites: csv, jsonl, names; plain, gzip, zstd",
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
    /// Write a man page, or completions for a shell
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) generate: Option<Generate>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generate {
    /// A man page
    Man,
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    // Documentation here would hide what that of the arguments tells.
    Scan(Box<ScanArgs>),
    Merge(MergeArgs),
    Normalize(NormalizeArgs),
}

/// Find the DOI names in files, folders and streams
///
/// Text of any kind is read, plain, packed with gzip, zlib, zstd, bzip2, xz, lzma or lz4, and in tar, zip and WARC archives, one
/// within another, which is told by the first bytes. UTF-16 and UTF-32 are told by their byte order mark and read as UTF-8,
/// whose bytes offsets then count. What is no text, such as PDF, is passed over, and counted by kind. Each name becomes one
/// record, sorted by name.
#[derive(Args, Debug)]
#[command(after_long_help = crate::reference::text())]
pub(crate) struct ScanArgs {
    /// Files, folders (walked, hidden and git-ignored files too), or - for standard input, which is read too when nothing
    /// is given and it is no terminal
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Where records go; standard output if not given, or - [.gz and .zst endings compress]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Format of the records [default: by the output's ending, jsonl on standard output]
    #[arg(short, long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Option<Format>,

    /// Write every mention in source order instead of records
    #[arg(long)]
    pub(crate) mentions: bool,

    /// Take each line for a document, named by its number
    #[arg(long)]
    pub(crate) lines: bool,

    /// Take all texts for this kind [default: as the head of each shows]: csv, ssv (semicolons), tsv and psv (pipes) are tables
    /// in which a cell bounds a name; html is a web page; unknown is any other text
    #[arg(long, value_name = "KIND")]
    pub(crate) input_kind: Option<TextKind>,

    /// Read only these files below folders; without / the glob is held against the file's name (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Pass over these files and folders below folders (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Follow symbolic links below folders; each file is read once, and loops end
    #[arg(short = 'L', long = "follow")]
    pub(crate) follow: bool,

    /// Read only the I-th of N parts of the sources, I from 0: each belongs to one by a hash of its path below the folder,
    /// or of its name where it is named. doisift merge unites the outputs of all N
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,

    /// Threads that scan; fewer are started where --memory has no room for them, or the sources no work [default: the cores
    /// this process may use]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,

    /// Memory for all that grows, e.g. 512M; what is more goes to temporary files [default: a quarter of what there is]
    #[arg(long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Read the names of sources from a file, one a line; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    /// The names in --files-from are separated by NUL
    #[arg(short = '0', requires = "files_from")]
    pub(crate) nul: bool,

    /// What a broken source does: it is reported and skipped, or it ends the run without an output
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnError::Skip)]
    pub(crate) on_error: OnError,

    /// Stop a source that unpacks to more bytes than this for each of its own, and to more than 64M [default: 1000]
    #[arg(long, value_name = "RATIO", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_expansion: Option<u64>,

    /// Memory that zstd, xz and lzma data may ask for, for each source being read; for zstd the next lower power of two
    /// [default: 128M]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub(crate) max_window: Option<u64>,

    /// Open no container that stands within more others than this [default: 3]
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,

    /// Stop a source whose containers have more members than this, all together [default: 100 million]
    #[arg(long, value_name = "N")]
    pub(crate) max_members: Option<u64>,

    /// Folder for temporary files [default: the output's, or the system's where there is none]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,

    /// Keep in this folder what is done, so that the same command goes on from there after a crash, a kill or Ctrl-C;
    /// removed at the end. Not with --mentions, nor with standard input
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

    /// Write nothing to standard error but why the run failed
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Report on standard error what is decided and what was done; -vv names each document that is skipped, too
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Sum the run up in a line on standard error; on a terminal that is done anyway
    #[arg(long)]
    pub(crate) stats: bool,

    /// Bytes that a thread scans at once: for tests
    #[arg(long, hide = true, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) chunk: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnError {
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
    // Known, so that the library can say how it comes into a build.
    let left_out = (!cfg!(feature = "parquet")).then(|| PossibleValue::new("parquet").hide(true));
    PossibleValuesParser::new(names.chain(left_out)).try_map(|name| name.parse::<Format>())
}
