//! The arguments as typed, before any of them is combined with another. The options of tasks come from the library; those here
//! are about a terminal.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use doisift::Scan;

use crate::check::CheckArgs;
use crate::diff::DiffArgs;
use crate::explain::ExplainArgs;
use crate::given::Given;
use crate::index::IndexArgs;
use crate::merge::MergeArgs;
use crate::messages::{Messages, When};
use crate::normalize::NormalizeArgs;
use crate::resolve::ResolveArgs;
use crate::version;

/// Sifts DOI names out of crawl and bibliography dumps.
#[derive(Debug, Parser)]
#[command(name = "doisift", version, long_version = version::BUILD)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Exit codes: 0 all done, also when nothing was found; 1 done, but some input was lost or refused, or a check has findings; \
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
    /// The types of the keywords of the Python package: for its build
    #[value(hide = true)]
    Python,
    /// The JSON Schema of rows and reports
    Schemas,
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
    /// Completions for PowerShell
    #[value(name = "powershell")]
    PowerShell,
    /// Completions for Elvish
    Elvish,
    /// Completions for Nushell
    Nushell,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    // No doc comments here: clap would show them instead of those of the argument structs.
    Scan(Box<ScanArgs>),
    Merge(MergeArgs),
    Diff(DiffArgs),
    Normalize(Box<NormalizeArgs>),
    Explain(ExplainArgs),
    Index(Box<IndexArgs>),
    Check(Box<CheckArgs>),
    Resolve(Box<ResolveArgs>),
}

/// Find the DOI names in files, folders and streams
///
/// Reads text of any kind, PDF, office documents, Parquet and Arrow files; plain, packed with gzip, zlib, zstd, bzip2, xz or
/// lz4, and in tar, zip, 7z and WARC archives and mail, also nested. Packings and archives are recognised by their first
/// bytes. UTF-16 and UTF-32 are recognised by their byte order mark and read as UTF-8, whose bytes the offsets count. A document
/// that is not text, such as a picture, is skipped and counted by kind. Each name becomes one record; records are sorted by name.
#[derive(Args, Debug)]
#[command(after_long_help = crate::reference::text())]
pub(crate) struct ScanArgs {
    /// Files, folders, or - for standard input
    ///
    /// Folders are read with all files below them, hidden and git-ignored ones too. Without a path, standard input is read, unless
    /// it is a terminal
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) options: Given<Scan>,

    /// Show progress on standard error; auto shows it if that is a terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_short_help = true, help_heading = "Messages")]
    pub(crate) progress: When,

    /// Show all rows of the table on a terminal, instead of a screenful
    #[arg(long, hide_short_help = true, help_heading = "Messages")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) messages: Messages,
}
