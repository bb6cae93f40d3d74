//! Error messages for wrong arguments.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory, Error, FromArgMatches, Parser};
use doisift::internal::Printable;

use crate::args::Cli;
use crate::version;
use doisift::internal::Ending;

/// Parses the arguments. If they are wrong or ask for help, writes a message or the help, and returns the exit code as the error.
pub(crate) fn parse(args: Vec<OsString>, allocator: &str) -> Result<Cli, Ending> {
    let args = with_command(args);
    let command = match args.iter().any(|arg| arg == "--version") {
        true => Cli::command().long_version(version::with_limits(allocator)),
        false => Cli::command(),
    };
    let parsed = command.try_get_matches_from(&args);
    let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let error = with_tip(without_hidden(printable(&args, error)));
        // If standard error is closed, there is nowhere to report it.
        let _ = error.print();
        match error.exit_code() {
            0 => Ending::Whole,
            _ => Ending::Failed,
        }
    })
}

/// The text that the command shows on a terminal if it has no arguments.
const OVERVIEW: &str = "\
doisift finds DOI names (10.1000/182) in files of any kind and size, and cleans and checks them.
  doisift scan FOLDER -o names.csv                   each name in a folder, once
  doisift normalize TABLE.csv --column doi --clean   a column of a table, cleaned
  doisift check REFERENCES.bib                       the references that need a look
  doisift explain 'TEXT'                             why a text gives a name or not
doisift --help lists all commands, doisift COMMAND --help their options.";

/// Shows an overview of the command, if standard output is a terminal.
pub(crate) fn overview() -> anyhow::Result<Ending> {
    let mut out = io::stdout();
    anyhow::ensure!(out.is_terminal(), "nothing to do; see doisift --help");
    writeln!(out, "{OVERVIEW}")?;
    Ok(Ending::Whole)
}

/// Returns the error with escaped arguments, since file names from a glob may hold control characters.
fn printable(args: &[OsString], error: Error) -> Error {
    let shown = |arg: &OsString| Printable::name(&arg.to_string_lossy()).to_string();
    let shown: Vec<String> = args.iter().map(shown).collect();
    if shown.iter().map(OsStr::new).eq(args) {
        error
    } else {
        Cli::try_parse_from(shown).err().unwrap_or(error)
    }
}

/// Options and commands of other programs, and their equivalents here.
const TIPS: &[(&str, &str)] = &[
    ("-r", "folders are walked anyway"),
    ("-R", "folders are walked anyway"),
    ("--recursive", "folders are walked anyway"),
    ("--json", "-f jsonl writes JSON Lines"),
    ("--csv", "-f csv writes CSV"),
    ("--parquet", "-f parquet writes Parquet"),
    (
        "--unique",
        "names are unique already, unless --mentions is given",
    ),
    (
        "--sort",
        "records are sorted by name already, and mentions by place",
    ),
    (
        "--clean",
        "names are found whole anyway; to clean a list or a column of names, write 'doisift normalize --clean'",
    ),
    ("--jobs", "-j, or --threads"),
    (
        "clean",
        "to clean a list or a column of names, write 'doisift normalize --clean'",
    ),
    ("extract", "to find names in files, write 'doisift scan'"),
    ("find", "to find names in files, write 'doisift scan'"),
    (
        "dedup",
        "to find each name once, write 'doisift scan'; to unite records of many scans, 'doisift merge'",
    ),
];

/// Adds a tip of our own in place of clap's suggestions.
fn with_tip(mut error: Error) -> Error {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(given)) => Some(given.clone()),
        _ => None,
    };
    let given = given(ContextKind::InvalidArg).or(given(ContextKind::InvalidSubcommand));
    // clap names an option together with its value.
    let given = given
        .as_deref()
        .and_then(|given| given.split([' ', '=']).next());
    if let Some((_, tip)) = TIPS.iter().find(|(name, _)| given == Some(name)) {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![(*tip).into()]),
        );
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
    }
    error
}

/// Adds the command `scan` if the arguments start with a file or an option of a command.
fn with_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = args.get(1) else {
        return args;
    };
    let is_option = first.as_encoded_bytes().starts_with(b"-");
    let is_scan = if is_option {
        !is_of_no_command(first)
    } else {
        !is_command(first) && Path::new(first).exists()
    };
    if is_scan {
        args.insert(1, "scan".into());
    }
    args
}

fn is_command(word: &OsStr) -> bool {
    let command = Cli::command();
    let mut commands = command.get_subcommands();
    word == "help" || commands.any(|command| word == command.get_name())
}

/// Whether an option belongs to no command, such as `--version`.
fn is_of_no_command(option: &OsStr) -> bool {
    let option = option.to_string_lossy();
    let name = option.split('=').next().unwrap_or_default();
    ["-h", "--help", "-V", "--version", "--generate"].contains(&name)
}

/// Removes a suggestion of an option that is hidden.
fn without_hidden(mut error: Error) -> Error {
    if let Some(ContextValue::String(option)) = error.get(ContextKind::SuggestedArg)
        && is_hidden(&Cli::command(), option.trim_start_matches('-'))
    {
        error.remove(ContextKind::SuggestedArg);
    }
    error
}

fn is_hidden(command: &Command, option: &str) -> bool {
    let mut own = command.get_arguments();
    own.any(|arg| arg.is_hide_set() && arg.get_long() == Some(option))
        || command
            .get_subcommands()
            .any(|part| is_hidden(part, option))
}
