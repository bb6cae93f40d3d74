//! `doisift check`: turns arguments into a check, and shows its rows as a table unless they go to a file or in a format for
//! programs.

mod table;

use std::io::{self, IsTerminal};
use std::iter;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use doisift::{Check, CheckFormat, CheckReport, CheckVerdict, Error, ErrorKind, Monitor};

use crate::closed;
use crate::given::Given;
use crate::messages::{Messages, ProgressShape, When, has_terminal};
use crate::places;
use crate::progress::Meter;
use crate::summary;
use crate::watch::{Interruption, watched};
use doisift::internal::{Ending, TaskReport, check_display, could_not_ask};
use table::CheckTable;

/// Check the references of bibliographies, manuscripts, tables and lists
///
/// Bibliographies are BibTeX, RIS, PubMed's .nbib, EndNote's .enw and XML, and CSL-JSON: each entry is a reference. So is each line of
/// a list of names, each cell of the --column of a table, and each name in any other text, PDF or office document. With --known, an index
/// says which names exist and which works were retracted. With --online, the registry is asked for names that the index does not know.
/// On a terminal only findings are shown, with --all all references. The exit code is 0 without findings, 1 with findings (see
/// --fail-on), and 2 if a file cannot be read, or if there are no findings but the registry could not be asked for every name.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Files, folders, or - for standard input
    ///
    /// All files below a folder are checked. A pattern such as '*.bib' is expanded if no file has this name
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    options: Given<Check>,

    /// Show all references on a terminal, not only findings and repairs; files and pipes always get all
    #[arg(long, hide_short_help = true)]
    all: bool,

    /// Ask no index and no notices but those of --known and --retractions
    ///
    /// Without this, a check asks the index that DOISIFT_KNOWN names, or doisift/known.doix, and doisift/retractions.csv, if there
    /// are such files, in the folder XDG_DATA_HOME, or else ~/.local/share, on macOS ~/Library/Application Support, on Windows
    /// LOCALAPPDATA
    #[arg(long, hide_short_help = true, help_heading = "Known names")]
    no_default_data: bool,

    #[command(flatten)]
    messages: Messages,
}

/// Checks the references in the sources that the arguments name.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Ending> {
    closed::check(args.options.path("output"), args.options.path("report"))?;
    let monitor = Monitor::new();
    let meter = Meter::new(progress(args), args.messages.level());
    let shown = args.messages.summary();
    let check = args.files.iter().fold(Check::new(), Check::input);
    let check = args.options.apply(check)?.monitor(&monitor);
    let check = match args.no_default_data {
        true => check,
        false => places::with_data(check, &args.options)?,
    };
    let (format, findings) = check_display(&check)?;
    let output = args.options.path("output").map(Path::to_owned);
    let shows_all = args.all || !io::stdout().is_terminal();
    let remedy = match args.options.path("cache") {
        Some(_) => "; no file was fixed; the same command continues from the cache",
        None => "; no file was fixed",
    };
    let interruption = Interruption::new(None, output.as_deref(), remedy);
    let mut written = Ok(());
    let ending = |report: CheckReport| {
        summary::check(&report, shown);
        warn_of_unanswered(&report);
        Ok(report.ending())
    };
    let rows = || match format {
        CheckFormat::Text if !args.options.has("diff") => {
            show(check, &findings, shows_all, &mut written)
        }
        _ => check.run(),
    };
    let ended = watched(&monitor, meter, interruption, rows, ending);
    match written {
        Ok(()) => ended,
        written => closed::written(written).map(|()| Ending::Whole),
    }
}

/// Warns of names for which there was no answer.
fn warn_of_unanswered(report: &CheckReport) {
    let lost = could_not_ask(report);
    if lost > 0 {
        log::warn!("the registry could not be asked for {lost} names; the details say why");
    }
}

/// Returns how progress is shown. It is hidden without questions to the registry, since nothing else takes long.
fn progress(args: &CheckArgs) -> ProgressShape {
    let (options, when) = (&args.options, When::Auto);
    let outputs = iter::once(options.path("output")).chain(options.path("report").map(Some));
    match options.has("online") {
        true => when.progress(args.messages, has_terminal(outputs)),
        false => ProgressShape::Hidden,
    }
}

/// Shows the rows as a table: all, or only the findings and the fixed references.
fn show(
    check: Check,
    findings: &[CheckVerdict],
    shows_all: bool,
    written: &mut io::Result<()>,
) -> Result<CheckReport, Error> {
    let stdout = io::stdout();
    let has_colour = has_colour(&stdout);
    let mut table = CheckTable::new(stdout, has_colour);
    let report = check.for_each_reference(|row| {
        let is_finding = row.is_open() && findings.contains(&row.verdict);
        *written = match shows_all || is_finding || row.fixed {
            true => table.row(row, is_finding),
            false => {
                table.leave_out();
                Ok(())
            }
        };
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    if written.is_ok() && !matches!(&report, Err(error) if error.kind() == ErrorKind::Cancelled) {
        *written = table.end();
    }
    report
}

/// Whether rows are coloured. They are on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
fn has_colour(stdout: &io::Stdout) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    stdout.is_terminal() && !is_set("NO_COLOR") && !is_dumb
}
