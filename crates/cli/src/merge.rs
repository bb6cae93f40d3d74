//! `doisift merge`: turns arguments into a merge, and runs it with the signal handling of a scan.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use doisift::{Merge, MergeReport, Monitor};

use crate::closed;
use crate::given::Given;
use crate::messages::{Messages, ProgressShape};
use crate::progress::Meter;
use crate::streams::{check_terminal, is_dash, named_output};
use crate::summary::{self, log_decisions};
use crate::watch::{Interruption, watched};
use doisift::internal::{Ending, OptionTask, TaskReport};

/// Unite the rows of many scans into those of one scan of all sources
///
/// Mentions and documents are added up, so a source that is in two inputs counts twice. The first mention is that of the first
/// source in bytewise order; if several inputs have that source, the one with the smallest offset, then the first document, then the
/// first text. The order of the inputs does not matter. Sorted inputs, as scan writes them, are merged directly, in little memory; all
/// others are sorted first. Rows of mentions, edges and nodes are joined in the order of their sources, whose names are in the manifest
/// of a folder or in the column source of a file. A file without this column counts as one source with the name of the file. The run
/// stops at an input that cannot be read or is damaged, and at a row that no scan writes. Inputs ending in .gz, .zst and .parquet
/// contain checksums, which are verified; plain files have none.
#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// Outputs of doisift scan
    ///
    /// Files in csv, tsv or jsonl, plain or packed with gzip or zstd, or in parquet, also as other programs rewrite them, recognised
    /// by their first bytes; or folders of parts. For -, records or pairs from standard input
    #[arg(value_name = "ROWS", required = true)]
    records: Vec<PathBuf>,

    #[command(flatten)]
    options: Given<Merge>,

    #[command(flatten)]
    messages: Messages,
}

/// Runs the merge that the arguments describe.
pub(crate) fn run(args: &MergeArgs) -> anyhow::Result<Ending> {
    if args.records.iter().filter(|path| is_dash(path)).count() > 1 {
        bail!("standard input can be read only once; give - once");
    }
    let monitor = Monitor::new();
    let meter = Meter::new(ProgressShape::Hidden, args.messages.level());
    closed::check(args.options.path("output"), args.options.path("report"))?;
    let shown = args.messages.summary();
    let merge = args.records.iter().fold(Merge::new(), Merge::input);
    let merge = args.options.apply(merge)?.monitor(&monitor);
    let chosen = merge.chosen()?;
    check_terminal(&chosen)?;
    log_decisions(&chosen, &args.options);
    let ending = move |report: MergeReport| {
        summary::merge(&report, shown);
        Ok(report.ending())
    };
    let interruption = Interruption::new(None, named_output(&args.options), "");
    watched(&monitor, meter, interruption, move || merge.run(), ending)
}
