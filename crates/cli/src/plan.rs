//! Turns arguments into a plan: the scan that will run, and how its progress is shown.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::bail;
use doisift::internal::{ChosenOptions, OptionTask, OptionValue};
use doisift::{Monitor, Scan};
use log::LevelFilter;

use crate::args::ScanArgs;
use crate::given::Given;
use crate::messages::{ProgressShape, has_terminal};
use crate::screen::{ScreenRows, ScreenTable};
use crate::streams::{check_terminal, is_dash, named_output};
use crate::summary::{SummaryChoice, log_decisions};
use crate::watch::Interruption;

/// The plan of `doisift scan`.
pub(crate) struct Plan {
    pub(crate) scan: Scan,
    pub(crate) monitor: Monitor,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) progress: ProgressShape,
    pub(crate) log: LevelFilter,
    pub(crate) summary: SummaryChoice,
    /// The table for a terminal, if the rows go there.
    pub(crate) table: Option<ScreenTable<io::Stdout>>,
    /// Whether all rows of the table are wanted.
    all: bool,
    options: Given<Scan>,
    chosen: ChosenOptions,
}

impl Plan {
    /// Builds the plan from the arguments.
    ///
    /// # Errors
    /// If arguments contradict each other, or if binary rows would go to a terminal.
    pub(crate) fn new(args: ScanArgs) -> anyhow::Result<Plan> {
        let monitor = Monitor::new();
        let (all, messages) = (args.all, args.messages);
        let shape = shape(&args).filter(|_| io::stdout().is_terminal());
        let table = shape.map(|shape| ScreenTable::on_stdout(shape, all));
        // A single screenful is written only after the bar is removed.
        let has_page = table.is_some() && !all;
        let rows = args.options.path("output");
        let rows = (!has_page).then_some(rows);
        let others = ["report", "names_to", "nodes_to"].map(|name| args.options.path(name));
        let others = others.into_iter().flatten().map(Some);
        let outputs = rows.into_iter().chain(others);
        let progress = args.progress.progress(messages, has_terminal(outputs));
        let checkpoint = args.options.path("checkpoint").map(Path::to_owned);
        let scan = task(&args)?
            .monitor(&monitor)
            .measure(progress != ProgressShape::Hidden);
        let chosen = scan.chosen()?;
        check_terminal(&chosen)?;
        Ok(Plan {
            scan,
            monitor,
            checkpoint,
            progress,
            log: messages.level(),
            summary: messages.summary(),
            table,
            all,
            options: args.options,
            chosen,
        })
    }

    /// Returns the message for an interrupted run: its unwritten output, and whether a checkpoint could resume it.
    pub(crate) fn interruption(&self) -> Interruption {
        let is_stream = match self.chosen.reported.get("paths") {
            Some(OptionValue::List(paths)) => paths.iter().any(|path| path == "-"),
            _ => false,
        };
        let has_order = self.options.has("mentions") || self.options.has("edges");
        let is_resumable = !is_stream && !has_order;
        let remedy = if is_resumable {
            "; with --checkpoint DIR the same command would resume"
        } else {
            ""
        };
        let output = named_output(&self.options);
        Interruption::new(self.checkpoint.clone(), output, remedy)
    }

    /// Logs the options of the run and the origin of each value, and warns of options without effect.
    pub(crate) fn log_decisions(&self) {
        if self.all && self.table.is_none() {
            log::warn!(
                "--all has no effect here; it is for the table on a terminal, without -o, -f, --fields and --context"
            );
        }
        log_decisions(&self.chosen, &self.options);
        if let Some(folder) = &self.checkpoint {
            log::info!("checkpoint: {}", folder.display());
        }
    }
}

/// Returns the rows of the table on a terminal. `None` if a format, a file or other rows are chosen.
fn shape(args: &ScanArgs) -> Option<ScreenRows> {
    const OTHER_ROWS: [&str; 3] = ["pairs", "edges", "names_to"];
    const CHOSEN: [&str; 3] = ["format", "fields", "context"];
    const SHAPES: [(&str, ScreenRows); 3] = [
        ("mentions", ScreenRows::Mentions),
        ("count", ScreenRows::Counts),
        ("top_prefixes", ScreenRows::Prefixes),
    ];
    let options = &args.options;
    let takes_stdout = options.path("report").is_some_and(is_dash);
    let to_file = options.path("output").is_some_and(|path| !is_dash(path));
    let others = OTHER_ROWS.iter().chain(&CHOSEN);
    let has_others = others.into_iter().any(|name| options.has(name));
    if takes_stdout || to_file || has_others {
        return None;
    }
    let shape = SHAPES.iter().find(|(name, _)| options.has(name));
    Some(shape.map_or(ScreenRows::Records, |(_, shape)| *shape))
}

/// Returns a scan with the options and the named sources. It reads standard input if no source is named.
fn task(args: &ScanArgs) -> anyhow::Result<Scan> {
    let scan = args.paths.iter().fold(Scan::new(), Scan::input);
    let scan = args.options.apply(scan)?;
    let stdin = args.paths.iter().any(|path| is_dash(path));
    match args.options.path("files_from") {
        Some(list) if stdin && is_dash(list) => bail!(
            "standard input cannot be both a source and the list of sources; put the list into a file"
        ),
        None if args.paths.is_empty() && io::stdin().is_terminal() => {
            bail!("nothing to read: name a file or folder, or - for standard input")
        }
        None if args.paths.is_empty() => Ok(scan.input("-")),
        _ => Ok(scan),
    }
}
