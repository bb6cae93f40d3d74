//! Generates the man page, the reference and the completions from the definition of the arguments.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::{Generator, Shell};
use clap_complete_nushell::Nushell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::args::{Cli, Generate};
use crate::{closed, markdown, reference, schemas, stub};

/// Writes a man page, the reference or completions. A closed pipe is not an error.
pub(crate) fn write(what: Generate, out: &mut impl Write) -> anyhow::Result<()> {
    let mut text = Vec::new();
    match what {
        Generate::Man => man(&mut text)?,
        Generate::Markdown => markdown::page(&mut text)?,
        Generate::Python => stub::page(&mut text)?,
        Generate::Schemas => schemas::page(&mut text)?,
        Generate::Bash => complete(Shell::Bash, &mut text),
        Generate::Zsh => complete(Shell::Zsh, &mut text),
        Generate::Fish => complete(Shell::Fish, &mut text),
        Generate::PowerShell => complete(Shell::PowerShell, &mut text),
        Generate::Elvish => complete(Shell::Elvish, &mut text),
        Generate::Nushell => complete(Nushell, &mut text),
    }
    closed::written(out.write_all(&text).and_then(|()| out.flush()))
}

fn complete(shell: impl Generator, out: &mut Vec<u8>) {
    clap_complete::generate(shell, &mut Cli::command(), "doisift", out);
}

/// Writes one page: the command, and a section for each of its subcommands.
fn man(out: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Cli::command();
    command.build();
    let page = Man::new(command.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    for part in command
        .get_subcommands()
        .filter(|part| part.get_name() != "help")
    {
        let heading = format!(".SH \"DOISIFT {}\"\n", part.get_name().to_uppercase());
        out.extend_from_slice(heading.as_bytes());
        let part = Man::new(part.clone());
        part.render_synopsis_section(out)?;
        part.render_description_section(out)?;
        part.render_options_section(out)?;
    }
    for (heading, entries) in reference::parts() {
        let heading = heading.split(" (").next().unwrap_or(heading);
        list(&heading.to_uppercase(), &entries, out)?;
    }
    let help = command.get_after_help().map(ToString::to_string);
    list(
        "EXIT STATUS",
        &reference::exits(&help.unwrap_or_default()),
        out,
    )?;
    list("EXAMPLES", EXAMPLES, out)?;
    let mut version = Roff::new();
    version.control("SH", ["VERSION"]);
    version.text([roman(concat!("doisift ", env!("CARGO_PKG_VERSION")))]);
    version.to_writer(out)
}

/// Example commands, and the effect of each.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "doisift scan dump -o records.csv",
        "A record for each DOI name in a folder, as CSV.",
    ),
    (
        "curl -sL URL | doisift scan -f names | wc -l",
        "Counts the names in what a server sends.",
    ),
    (
        "doisift scan dump --mentions -o mentions.jsonl.zst",
        "Every mention and its place, compressed.",
    ),
    (
        "doisift scan dump -o records.parquet --checkpoint work --report report.json",
        "A long run that can be resumed after a crash, with a report.",
    ),
    (
        "doisift merge part-*.csv -o all.csv",
        "Unites the records of many runs.",
    ),
    (
        "doisift scan papers -f names --include '*.pdf'",
        "The names in the PDF files below a folder.",
    ),
    (
        "doisift normalize 'https://doi.org/10.1000/ABC'",
        "Writes 10.1000/abc.",
    ),
];

/// Writes a section of words and their meanings.
fn list(heading: &str, entries: &[(&str, &str)], out: &mut Vec<u8>) -> io::Result<()> {
    let mut section = Roff::new();
    section.control("SH", [heading]);
    for (word, meaning) in entries {
        section.control("TP", []);
        section.text([bold(*word)]);
        section.text([roman(*meaning)]);
    }
    section.to_writer(out)
}
