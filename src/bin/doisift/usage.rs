//! Error messages for wrong arguments.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory, Error, Parser};
use doisift::Printable;

use crate::args::Cli;
use crate::ending::Ending;

/// Parses the arguments of this process. If they are wrong or ask for help, writes that and returns the exit code.
pub(crate) fn parse() -> Result<Cli, Ending> {
    let args: Vec<OsString> = env::args_os().collect();
    Cli::try_parse_from(&args).map_err(|error| {
        let error = with_tip(without_hidden(printable(&args, error)));
        // If standard error is closed, there is nowhere to report it.
        let _ = error.print();
        match error.exit_code() {
            0 => Ending::Whole,
            _ => Ending::Failed,
        }
    })
}

/// The error with escaped arguments: a file name that a glob expanded to may hold control characters.
fn printable(args: &[OsString], error: Error) -> Error {
    let shown = |arg: &OsString| Printable::name(&arg.to_string_lossy()).to_string();
    let shown: Vec<String> = args.iter().map(shown).collect();
    match shown.iter().map(OsStr::new).eq(args) {
        true => error,
        false => Cli::try_parse_from(shown).err().unwrap_or(error),
    }
}

/// Options of other programs, and how to do the same here.
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
    ("--jobs", "-j, or --threads"),
];

/// Adds a tip of our own in place of clap's suggestions.
fn with_tip(mut error: Error) -> Error {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(given)) => Some(given.clone()),
        _ => None,
    };
    let option = given(ContextKind::InvalidArg);
    let known = TIPS
        .iter()
        .find(|(name, _)| option.as_deref() == Some(name));
    let tip = match given(ContextKind::InvalidSubcommand) {
        Some(path) if Path::new(&path).exists() => {
            Some(format!("to read it, write 'doisift scan {path}'"))
        }
        _ => known.map(|(_, tip)| (*tip).to_owned()),
    };
    if let Some(tip) = tip {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
    }
    error
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
