//! `doisift diff`: turns arguments into a comparison, and runs it with the signal handling of a scan.

use std::path::PathBuf;

use clap::Args;
use doisift::{Diff, DiffReport, Monitor};

use crate::closed;
use crate::given::Given;
use crate::messages::{Messages, ProgressShape};
use crate::progress::Meter;
use crate::streams::{check_terminal, named_output};
use crate::summary;
use crate::watch::{Interruption, watched};
use doisift::internal::{Ending, OptionTask, TaskReport};

/// Write which names or edges appeared, vanished or were retracted between two outputs
///
/// Compares two outputs of doisift scan with records or bare names, sorted as it writes them, or two indexes of known names, in little
/// memory. A row has the change (appeared, vanished, retracted), the name, and for a retraction the notice. Rows are sorted by name.
/// Retractions are shown for indexes, and for records that were scanned with --known.
///
/// Also compares edges, mentions, pairs or nodes, in files or folders of parts, which are sorted first, within --memory. A row has the
/// change and the columns that identify the edge: its name, record, role, relation and update_type, as far as both have them. Mentions
/// and pairs are identified by name, source and document, nodes by their record. Other columns and the number of equal rows are not
/// compared. References without a name are left out.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// The earlier output
    ///
    /// Rows in csv, tsv, jsonl or parquet, a folder of parts, bare names, or an index (.doix). For -, records from standard input
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The later output
    #[arg(value_name = "NEW")]
    new: PathBuf,

    #[command(flatten)]
    options: Given<Diff>,

    /// Exit with 1 if there are changes, as diff(1) does
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    messages: Messages,
}

/// Compares the files that the arguments name.
pub(crate) fn run(args: &DiffArgs) -> anyhow::Result<Ending> {
    closed::check(args.options.path("output"), args.options.path("report"))?;
    let monitor = Monitor::new();
    let meter = Meter::new(ProgressShape::Hidden, args.messages.level());
    let shown = args.messages.summary();
    let diff = Diff::between(&args.old, &args.new).exit_code(args.exit_code);
    let diff = args.options.apply(diff)?.monitor(&monitor);
    check_terminal(&diff.chosen()?)?;
    let ending = move |report: DiffReport| {
        summary::diff(&report, shown);
        Ok(report.ending())
    };
    let interruption = Interruption::new(None, named_output(&args.options), "");
    watched(&monitor, meter, interruption, move || diff.run(), ending)
}
