//! `doisift resolve`: turns arguments into questions to the registry, and runs them with the signal handling of a scan.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::iter;
use std::path::Path;

use anyhow::bail;
use clap::Args;
use doisift::internal::Normalizer;
use doisift::{Monitor, Resolve, ResolveReport};

use crate::closed;
use crate::given::Given;
use crate::messages::{Messages, When, has_terminal};
use crate::progress::Meter;
use crate::streams::{check_terminal, is_dash, named_output};
use crate::summary;
use crate::watch::{Interruption, watched};
use doisift::internal::{Ending, OptionTask, TaskReport};

/// Ask the registry of DOI names which names exist, and where they lead
///
/// Each name gets a row, in the order of the inputs. Its status is known, unknown_to_registry, could_not_ask, which says nothing
/// about the name, or not_a_doi, for which nothing is asked. Equal names are asked for once. With --cache, a later run asks only for
/// names that are new or whose answer is old, and an interrupted run continues. At most 5 requests per second are sent, unless
/// --rate is given.
#[derive(Args, Debug)]
#[command(after_long_help = crate::reference::answers())]
pub(crate) struct ResolveArgs {
    /// Names, or files of names
    ///
    /// Names are in any presentation form. Files have a name on each line, or are tables, or outputs of doisift scan. Without
    /// arguments, or for -, standard input is read. A file whose path is a DOI name is given as ./PATH
    #[arg(value_name = "NAME|FILE")]
    arguments: Vec<OsString>,

    #[command(flatten)]
    options: Given<Resolve>,

    /// Show progress on standard error, with the time left; auto shows it if that is a terminal
    #[arg(long, hide_short_help = true, value_enum, value_name = "WHEN", default_value_t = When::Auto, help_heading = "Messages")]
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
    let resolve = task(args)?.monitor(&monitor);
    check_terminal(&resolve.chosen()?)?;
    let remedy = match options.path("cache") {
        Some(_) => "; the same command continues from the cache",
        None => "; with --cache FILE the same command would continue",
    };
    let interruption = Interruption::new(None, named_output(options), remedy);
    let ending = move |report: ResolveReport| {
        summary::resolve(&report, shown);
        Ok(report.ending())
    };
    watched(&monitor, meter, interruption, move || resolve.run(), ending)
}

/// Returns the task with the options and the inputs.
fn task(args: &ResolveArgs) -> anyhow::Result<Resolve> {
    let resolve = args.options.apply(Resolve::new())?;
    if !args.arguments.is_empty() {
        let has_column = args.options.has("column");
        let add = |resolve, argument: &OsString| input(resolve, argument, has_column);
        return args.arguments.iter().try_fold(resolve, add);
    }
    if io::stdin().is_terminal() {
        bail!("nothing to ask for: give a name or a file, or - for standard input");
    }
    Ok(resolve.input("-"))
}

/// Adds an argument as a name if it is one, otherwise as a file. With a column, all arguments are files.
///
/// # Errors
/// If it is neither a name nor the path of a file.
fn input(resolve: Resolve, argument: &OsString, has_column: bool) -> anyhow::Result<Resolve> {
    let path = Path::new(argument);
    let is_name = || Normalizer::new().read(argument.as_encoded_bytes()).is_ok();
    let is_file = || is_dash(path) || path.exists();
    match argument.to_string_lossy() {
        _ if has_column => Ok(resolve.input(path)),
        text if is_name() => Ok(resolve.name(text)),
        _ if is_file() => Ok(resolve.input(path)),
        text => bail!("{text}: neither a file nor a DOI name"),
    }
}
