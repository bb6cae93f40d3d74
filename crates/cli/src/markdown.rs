//! Generates the reference as a page of Markdown from the definition of the arguments: `docs/src/reference/options.md`.

use std::io::{self, Write};

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

use crate::args::Cli;
use crate::reference::{self, exits};

/// Writes one page of Markdown: the options of each command, the words in outputs, and the exit codes.
pub(crate) fn page(out: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Cli::command();
    command.build();
    out.extend_from_slice(HEAD.as_bytes());
    let parts = command.get_subcommands();
    for part in parts.filter(|part| part.get_name() != "help") {
        options(part, out)?;
    }
    for (heading, entries) in reference::parts() {
        writeln!(out, "\n## {heading}\n\n| | |\n|---|---|")?;
        for (word, meaning) in entries {
            row(word, meaning, out)?;
        }
    }
    writeln!(out, "\n## Exit codes\n\n| code | meaning |\n|---|---|")?;
    let help = command.get_after_help().map(ToString::to_string);
    for (codes, meaning) in exits(&help.unwrap_or_default()) {
        row(codes, meaning, out)?;
    }
    Ok(())
}

/// Writes the section of a command: its description and its options.
fn options(command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(paragraphs).unwrap_or_default();
    writeln!(out, "\n## doisift {}\n\n{about}\n", command.get_name())?;
    writeln!(out, "| option | meaning |\n|---|---|")?;
    let options = command.get_arguments();
    for option in options.filter(|option| !option.is_hide_set() && option.get_id() != "help") {
        row(&usage(option), &meaning(option), out)?;
    }
    Ok(())
}

const HEAD: &str = "\
# Options

`doisift FILE...` is `doisift scan FILE...`. `doisift --generate man`, `bash`, `zsh` and `fish` write a man page and completions.

This page is the output of `doisift --generate markdown`.
";

fn row(word: &str, meaning: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let meaning = meaning.replace('|', "\\|").replace('<', "\\<");
    writeln!(out, "| `{}` | {meaning} |", word.replace('|', "\\|"))
}

/// Returns the usage of an argument: its flags and the name of its value.
fn usage(option: &Arg) -> String {
    let short = option.get_short().map(|short| format!("-{short}"));
    let long = option.get_long().map(|long| format!("--{long}"));
    let flags: Vec<String> = short.into_iter().chain(long).collect();
    let values = option.get_value_names().unwrap_or_default().join(" ");
    match (flags.is_empty(), option.get_action().takes_values()) {
        (true, _) => format!("{values}..."),
        (false, true) => format!("{} {values}", flags.join(", ")),
        (false, false) => flags.join(", "),
    }
}

/// Returns the help of an argument, with its possible values and its default.
fn meaning(option: &Arg) -> String {
    let help = option.get_long_help().or(option.get_help());
    let mut text = help.map(plain).unwrap_or_default();
    let values = option.get_possible_values();
    let is_listed = !option.is_hide_possible_values_set() && !values.is_empty();
    if option.get_action().takes_values() && is_listed {
        let names = values.iter().filter(|value| !value.is_hide_set());
        let names: Vec<String> = names
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        text += &format!(". One of {}", names.join(", "));
    }
    let defaults = option.get_default_values();
    if option.get_action().takes_values() && !defaults.is_empty() {
        let defaults: Vec<_> = defaults
            .iter()
            .map(|value| value.to_string_lossy())
            .collect();
        text += &format!(" [default: {}]", defaults.join(", "));
    }
    text
}

/// Returns a text of the help on one line, without its styles. Its paragraphs have no final full stop.
fn plain(text: &StyledStr) -> String {
    one_line(&text.to_string().replace("\n\n", ". "))
}

/// Returns a text of the help without its styles: its summary with a full stop, and the rest on one line.
fn paragraphs(text: &StyledStr) -> String {
    let text = text.to_string();
    match text.split_once("\n\n") {
        Some((summary, rest)) => format!("{}.\n\n{}", one_line(summary), one_line(rest)),
        None => format!("{}.", one_line(&text)),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
