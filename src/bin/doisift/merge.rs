//! `doisift merge`: turns arguments into a merge, and runs it with the signal handling of a scan.

use std::path::PathBuf;

use anyhow::bail;
use clap::{ArgAction, Args};
use doisift::{Format, Merge, MergeBuilder, MergeReport, Monitor};

use crate::args::formats;
use crate::closed;
use crate::ending::Ending;
use crate::plan::{check_terminal, is_dash, log_level};
use crate::progress::Meter;
use crate::size;
use crate::summary::{self, Decisions, SummaryChoice};
use crate::watch::{Interruption, watched};

/// Unite the records of many scans into what one scan of everything would have given
///
/// Mentions and documents are added up, so a source that is in two inputs counts twice. The first mention is that of the least
/// source name, bytewise; if several inputs have that source, the one with the least offset, then the least document, then the
/// least text. The order of the inputs does not matter. Sorted inputs, as scan writes them, are merged directly, in little
/// memory; all others are sorted first. An input that cannot be read or is damaged, or a row that no scan writes,
/// stops the run. Inputs ending in .gz, .zst and .parquet hold checksums, which are verified; plain ones have none.
#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// Outputs of doisift scan in csv, tsv or jsonl, plain or packed with gzip or zstd, or in parquet, also if rewritten by other
    /// programs; recognised by their first bytes; - is standard input
    #[arg(value_name = "RECORDS", required = true)]
    records: Vec<PathBuf>,

    /// File to write records to; standard output if not given, or - [.gz and .zst endings compress]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Format of the output [default: by its ending, jsonl on standard output]
    #[arg(short, long, value_name = "FORMAT", value_parser = formats())]
    format: Option<Format>,

    /// The inputs are outputs of doisift scan --pairs
    #[arg(long)]
    pairs: bool,

    /// Fields of each row, in this order, such as doi,mentions [default: all]; the inputs must have all
    #[arg(long, value_name = "FIELD,...", value_delimiter = ',')]
    fields: Option<Vec<String>>,

    /// Memory to sort in, e.g. 512M; beyond it, rows go to temporary files [default: a quarter of the memory of the machine or
    /// control group]
    #[arg(long, value_name = "SIZE", value_parser = size::parse_memory)]
    memory: Option<u64>,

    /// Folder for temporary files [default: that of the output, or the system's if records go to standard output]
    #[arg(long, value_name = "DIR")]
    tmp_dir: Option<PathBuf>,

    /// Write what the run did to a file, as JSON; - is standard output, if records go elsewhere
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Write nothing to standard error except why the run failed
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Report decisions and counts on standard error
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// Write one line with the counts of the run to standard error; always done on a terminal
    #[arg(long)]
    stats: bool,
}

/// Runs the merge that the arguments describe.
pub(crate) fn run(args: MergeArgs) -> anyhow::Result<Ending> {
    if args.records.iter().filter(|path| is_dash(path)).count() > 1 {
        bail!("standard input can be read only once; give - once");
    }
    let monitor = Monitor::new();
    let meter = Meter::new(false, log_level(args.quiet, args.verbose));
    closed::check(args.output.as_deref(), args.report.as_deref())?;
    let shown = SummaryChoice::new(args.stats, args.verbose, args.quiet);
    let asked = (
        args.format.is_some(),
        args.memory.is_some(),
        args.tmp_dir.is_some(),
    );
    let merge = builder(args).monitor(&monitor).build()?;
    let options = merge.options();
    check_terminal(options.format, options.output.as_deref())?;
    let decisions = Decisions {
        format: (&options.format, asked.0),
        output: options.output.as_deref(),
        threads: None,
        memory: (options.memory, asked.1),
        tmp_dir: (merge.tmp_dir(), asked.2),
    };
    decisions.log();
    let ending = move |report: MergeReport| {
        summary::merge(&report, shown);
        Ok(Ending::Whole)
    };
    let interruption = Interruption::new(None, options.output.as_deref(), "");
    watched(&monitor, meter, interruption, move || merge.run(), ending)
}

fn builder(args: MergeArgs) -> MergeBuilder {
    let mut builder = args
        .records
        .iter()
        .fold(Merge::builder(), MergeBuilder::input);
    if let Some(output) = args.output.filter(|path| !is_dash(path)) {
        builder = builder.output(output);
    }
    if let Some(format) = args.format {
        builder = builder.format(format);
    }
    builder = builder.pairs(args.pairs);
    if let Some(fields) = args.fields {
        builder = builder.fields(fields);
    }
    if let Some(bytes) = args.memory {
        builder = builder.memory(bytes);
    }
    if let Some(folder) = args.tmp_dir {
        builder = builder.tmp_dir(folder);
    }
    if let Some(report) = args.report {
        builder = builder.report(report);
    }
    builder
}
