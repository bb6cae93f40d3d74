//! Man page and completions, made from the arguments' own definition.

use std::io::{self, Write};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::{Cli, Generate};

/// Writes what was asked for; that nobody reads it is no failure.
pub(crate) fn write(what: Generate, out: &mut impl Write) -> anyhow::Result<()> {
    let mut text = Vec::new();
    match what {
        Generate::Man => man(&mut text)?,
        Generate::Bash => complete(Shell::Bash, &mut text),
        Generate::Zsh => complete(Shell::Zsh, &mut text),
        Generate::Fish => complete(Shell::Fish, &mut text),
    }
    match out.write_all(&text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(()),
    }
}

fn complete(shell: Shell, out: &mut Vec<u8>) {
    clap_complete::generate(shell, &mut Cli::command(), "doisift", out);
}

/// One page: the command, and a part for each of its subcommands.
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
    page.render_extra_section(out)?;
    page.render_version_section(out)
}
