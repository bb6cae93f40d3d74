//! `doisift resolve`: turns arguments into questions to the registry, and runs them with the signal handling of a scan.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::iter;
use std::path::Path;

use anyhow::bail;
use clap::Args;
use doisift::{Monitor, Normalizer, ResolveBuilder, ResolveReport};

use crate::closed;
use crate::given::Given;
use crate::messages::{Messages, When, has_terminal};
use crate::progress::Meter;
use crate::streams::{check_terminal, is_dash};
use crate::summary;
use crate::watch::{Interruption, watched};
use doisift::command_support::{Ending, TaskReport};

/// Ask the registry of DOI names which names exist, and where they lead
///
/// Each name gets a row, in the order of the inputs, with its status: known, unknown_to_registry, or could_not_ask, which says
/// nothing about the name; a text that is no name (not_a_doi) is not asked. Equal names are asked once. With --cache, a later run asks only for names that are
/// new, or whose answer is old, and an interrupted one goes on where it was. At most 5 requests a second are sent.
#[derive(Args, Debug)]
#[command(after_long_help = crate::reference::answers())]
pub(crate) struct ResolveArgs {
    /// Names in any presentation form, or files of names: with one on each line, tables, or outputs of doisift scan. If there are
    /// none, or for -, standard input is read. A file whose path is a name too is given as ./PATH
    #[arg(value_name = "NAME|FILE")]
    arguments: Vec<OsString>,

    #[command(flatten)]
    options: Given<ResolveBuilder>,

    /// Show progress on standard error, with the time left; auto shows it where that is a terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, help_heading = "Messages")]
    progress: When,

    #[command(flatten)]
    messages: Messages,
}

/// Asks for the names that the arguments give.
pub(crate) fn run(args: &ResolveArgs) -> anyhow::Result<Ending> {
    let options = &args.options;
    closed::check(options.path("output"), options.path("report"))?;
    let monitor = Monitor::new();
    let shown = args.messages.summary();
    let outputs = iter::once(options.path("output")).chain(options.path("report").map(Some));
    let meter = Meter::new(
        args.progress.progress(args.messages, has_terminal(outputs)),
        args.messages.level(),
    );
    let resolve = builder(args)?.monitor(&monitor).build()?;
    let chosen = resolve.options();
    check_terminal(chosen.format, chosen.output.as_deref())?;
    let remedy = match options.path("cache") {
        Some(_) => "; the same command goes on with what the cache has",
        None => "; with --cache FILE the same command would go on",
    };
    let interruption = Interruption::new(None, chosen.output.as_deref(), remedy);
    let ending = move |report: ResolveReport| {
        summary::resolve(&report, shown);
        Ok(report.ending())
    };
    watched(&monitor, meter, interruption, move || resolve.run(), ending)
}

/// Returns a builder with the options and the inputs.
fn builder(args: &ResolveArgs) -> anyhow::Result<ResolveBuilder> {
    let builder = args.options.builder()?;
    if !args.arguments.is_empty() {
        let has_column = args.options.has("column");
        let add = |builder, argument: &OsString| input(builder, argument, has_column);
        return args.arguments.iter().try_fold(builder, add);
    }
    if io::stdin().is_terminal() {
        bail!("nothing to ask for: give a name or a file, or - for standard input");
    }
    Ok(builder.source("-"))
}

/// Adds an argument as a name if it is one, otherwise as a file. With a column, all arguments are files.
///
/// # Errors
/// If it is neither a name nor the path of a file.
fn input(
    builder: ResolveBuilder,
    argument: &OsString,
    has_column: bool,
) -> anyhow::Result<ResolveBuilder> {
    let path = Path::new(argument);
    let is_name = || Normalizer::new().read(argument.as_encoded_bytes()).is_ok();
    let is_file = || is_dash(path) || path.exists();
    match argument.to_string_lossy() {
        _ if has_column => Ok(builder.source(path)),
        text if is_name() => Ok(builder.name(text)),
        _ if is_file() => Ok(builder.source(path)),
        text => bail!("{text}: there is no such file, and it is not a DOI name"),
    }
}
