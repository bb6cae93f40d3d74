//! `doisift diff`: turns arguments into a comparison, and runs it with the signal handling of a scan.

use std::path::PathBuf;

use clap::Args;
use doisift::{DiffBuilder, DiffReport, Monitor};

use crate::closed;
use crate::given::Given;
use crate::messages::{Messages, ProgressShape};
use crate::progress::Meter;
use crate::streams::check_terminal;
use crate::summary;
use crate::watch::{Interruption, watched};
use doisift::command_support::{Ending, TaskReport};

/// Write which names or edges appeared, vanished or were retracted between two outputs
///
/// Both are outputs of doisift scan with records or bare names, sorted as it writes them, or indexes of known names. They are read side
/// by side, in little memory. A row has the change (appeared, vanished, retracted), the name, and for a retraction the notice. Rows
/// are sorted by name. Two indexes show retractions, and two lists of records that were scanned with --known.
/// Or both have edges, mentions, pairs or nodes, in files or folders of parts, which are sorted first, within --memory. A row has
/// the change and what identifies the edge: its name, record, role, relation and update_type, as far as both have these
/// columns. Mentions and pairs are identified by name, source and document, nodes by their record. Other columns are not
/// compared, nor how often a row is there. References without a name are left out.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// The earlier output: rows in csv, tsv, jsonl or parquet, a folder of parts, bare names, or an index (.doix); - is standard
    /// input, which has records
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The later one
    #[arg(value_name = "NEW")]
    new: PathBuf,

    #[command(flatten)]
    options: Given<DiffBuilder>,

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
    let builder = args.options.builder()?.files(&args.old, &args.new);
    let builder = builder.exit_code(args.exit_code);
    let diff = builder.monitor(&monitor).build()?;
    let options = diff.options();
    check_terminal(options.format, options.output.as_deref())?;
    let ending = move |report: DiffReport| {
        summary::diff(&report, shown);
        Ok(report.ending())
    };
    let interruption = Interruption::new(None, options.output.as_deref(), "");
    watched(&monitor, meter, interruption, move || diff.run(), ending)
}
