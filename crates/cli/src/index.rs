//! `doisift index`: turns arguments into an indexing, and runs it with the signal handling of a scan; or shows an index.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use doisift::internal::Printable;
use doisift::{BuildIndex, IndexReport, Monitor};
use doisift_known::{FORMAT_VERSION, Index, IndexSource};

use crate::closed;
use crate::given::Given;
use crate::messages::{Messages, ProgressShape};
use crate::progress::Meter;
use crate::streams::named_output;
use crate::summary;
use crate::watch::{Interruption, watched};
use doisift::internal::{Ending, TaskReport};

/// Build an index of registered names for offline use
///
/// Sources are files that registries publish: works of Crossref (JSON Lines, or files of items), DataCite's monthly files, the
/// database of Retraction Watch. Others are lists of names, one per line in any presentation form, and tables with --column. They
/// may be packed, and in archives and folders. Equal names, notices and sources give equal bytes. Names that were found in texts are
/// refused without --trust, since about a fifth of such names are cut or misspelt.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// Files, folders, or - for standard input
    #[arg(value_name = "SOURCE")]
    sources: Vec<PathBuf>,

    /// Show the contents of an index, after a check of all its bytes
    #[arg(long, value_name = "FILE", exclusive = true)]
    show: Option<PathBuf>,

    #[command(flatten)]
    options: Given<BuildIndex>,

    #[command(flatten)]
    messages: Messages,
}

/// Builds the index that the arguments describe, or shows one.
pub(crate) fn run(args: &IndexArgs) -> anyhow::Result<Ending> {
    if let Some(file) = &args.show {
        closed::check(None, None)?;
        return show(file);
    }
    let monitor = Monitor::new();
    let meter = Meter::new(ProgressShape::Hidden, args.messages.level());
    closed::check(args.options.path("output"), args.options.path("report"))?;
    let shown = args.messages.summary();
    let build = args
        .sources
        .iter()
        .fold(BuildIndex::new(), BuildIndex::input);
    let build = args.options.apply(build)?.monitor(&monitor);
    let checkpoint = args.options.path("checkpoint").map(Path::to_owned);
    let remedy = match checkpoint {
        None => "; with --checkpoint DIR the same command would resume",
        Some(_) => "",
    };
    let interruption = Interruption::new(checkpoint, named_output(&args.options), remedy);
    let ending = move |report: IndexReport| {
        summary::index(&report, shown);
        Ok(report.ending())
    };
    watched(&monitor, meter, interruption, move || build.run(), ending)
}

/// Checks an index and writes a description of its content. A closed pipe is not an error.
fn show(file: &Path) -> anyhow::Result<Ending> {
    let index = Index::open(file)?;
    index.verify()?;
    let bytes = std::fs::metadata(file)
        .context("cannot read the size of the index")?
        .len();
    let written = io::stdout().write_all(text(&index, bytes).as_bytes());
    closed::written(written)?;
    Ok(Ending::Whole)
}

fn text(index: &Index, bytes: u64) -> String {
    let mut text = format!(
        "version: {FORMAT_VERSION}\nnames: {}\nnames with notices: {}\n",
        index.len(),
        index.noted()
    );
    if !index.prefixes().is_empty() {
        text += &format!("registered prefixes: {}\n", index.prefixes().len());
    }
    text += &match index.len() {
        0 => format!("bytes: {bytes}\n"),
        names => format!(
            "bytes: {bytes}, {:.2} a name\n",
            bytes as f64 / names as f64
        ),
    };
    text += "sources:\n";
    index
        .sources()
        .iter()
        .for_each(|source| text += &line(source));
    text += "sections:\n";
    for (name, length) in index.sections() {
        text += &format!("  {name}: {length} bytes\n");
    }
    text
}

fn line(source: &IndexSource) -> String {
    let agency = source.agency.as_deref().unwrap_or("unknown agency");
    let date = source.date.map(|date| date.to_string());
    format!(
        "  {}: {}, {}, names: {}\n",
        Printable::name(&source.name),
        Printable::name(agency),
        date.as_deref().unwrap_or("unknown date"),
        source.names
    )
}
