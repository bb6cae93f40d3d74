//! Turns arguments into a plan: the pipeline that will run, and what is shown of its progress.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use doisift::{Format, Monitor, OnError, Pipeline, PipelineBuilder, Separator};
use log::LevelFilter;

use crate::args::{self, ScanArgs, When};
use crate::screen::{ScreenRows, ScreenTable};
use crate::summary::{Decisions, SummaryChoice};
use crate::watch::Interruption;

/// What `doisift scan` will do.
pub(crate) struct Plan {
    pub(crate) pipeline: Pipeline,
    pub(crate) monitor: Monitor,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) progress: bool,
    pub(crate) log: LevelFilter,
    pub(crate) summary: SummaryChoice,
    /// The table for a terminal, if the rows go there.
    pub(crate) table: Option<ScreenTable<io::Stdout>>,
    /// Whether all rows of the table are wanted.
    all: bool,
    asked: Asked,
}

/// Which options were given. The log says for each value whether it was given or is a default.
struct Asked {
    format: bool,
    threads: bool,
    memory: bool,
    tmp_dir: bool,
}

impl Plan {
    /// The plan that the arguments ask for.
    ///
    /// # Errors
    /// If arguments contradict each other, or if binary rows would go to a terminal.
    pub(crate) fn new(args: ScanArgs) -> anyhow::Result<Plan> {
        let monitor = Monitor::new();
        check_tmp_dir(args.tmp_dir.as_deref())?;
        let all = args.all;
        let shape = shape(&args).filter(|_| io::stdout().is_terminal());
        let table = shape.map(|shape| ScreenTable::on_stdout(shape, all));
        // A bar would be drawn between the rows.
        let progress = shows_progress(&args, all && table.is_some());
        let log = log_level(args.quiet, args.verbose);
        let summary = SummaryChoice::new(args.stats, args.verbose, args.quiet);
        let checkpoint = args.checkpoint.clone();
        let asked = Asked {
            format: args.format.is_some(),
            threads: args.threads.is_some(),
            memory: args.memory.is_some(),
            tmp_dir: args.tmp_dir.is_some(),
        };
        let pipeline = options(sources(&args)?, args)
            .monitor(&monitor)
            .measure(progress)
            .build()?;
        check_terminal(
            pipeline.options().format,
            pipeline.options().output.as_deref(),
        )?;
        Ok(Plan {
            pipeline,
            monitor,
            checkpoint,
            progress,
            log,
            summary,
            table,
            all,
            asked,
        })
    }

    /// What an interrupted run leaves, and whether it could resume.
    pub(crate) fn interruption(&self) -> Interruption {
        let options = self.pipeline.options();
        let is_stream = options.paths.iter().any(|path| path == "-");
        let is_resumable = !is_stream && !matches!(options.rows, "mentions" | "edges");
        let remedy = if is_resumable {
            "; with --checkpoint DIR the same command would resume"
        } else {
            ""
        };
        Interruption::new(self.checkpoint.clone(), options.output.as_deref(), remedy)
    }

    /// Logs the options of the run and where each value comes from, and warns of those without effect.
    pub(crate) fn log_decisions(&self) {
        if self.all && self.table.is_none() {
            log::warn!(
                "--all has no effect here; it is for the table on a terminal, without -o, -f, --fields and --context"
            );
        }
        let options = self.pipeline.options();
        let decisions = Decisions {
            format: (&options.format, self.asked.format),
            output: options.output.as_deref(),
            threads: Some((options.threads, self.asked.threads)),
            memory: (options.memory, self.asked.memory),
            tmp_dir: (self.pipeline.tmp_dir(), self.asked.tmp_dir),
        };
        decisions.log();
        if let Some(folder) = &self.checkpoint {
            log::info!("checkpoint: {}", folder.display());
        }
    }
}

/// The shape of the table on a terminal; none if a format, a file or other rows are wanted.
fn shape(args: &ScanArgs) -> Option<ScreenRows> {
    let takes_stdout = args.report.as_deref().is_some_and(is_dash);
    let to_file = args.output.as_deref().is_some_and(|path| !is_dash(path));
    let other_rows = args.pairs || args.edges || args.count || args.top_prefixes.is_some();
    let chosen = args.format.is_some() || args.fields.is_some() || args.context.is_some();
    match args.mentions {
        _ if takes_stdout || to_file || other_rows || chosen => None,
        true => Some(ScreenRows::Mentions),
        false => Some(ScreenRows::Records),
    }
}

/// # Errors
/// If a binary format would be written to a terminal.
pub(crate) fn check_terminal(format: Format, output: Option<&Path>) -> anyhow::Result<()> {
    if format.name() == "parquet" && output.is_none() && io::stdout().is_terminal() {
        bail!(
            "Parquet is binary, and standard output is a terminal; name a file: -o records.parquet"
        );
    }
    Ok(())
}

/// Whether progress is shown on standard error. `has_rows` says that rows are, on the terminal.
fn shows_progress(args: &ScanArgs, has_rows: bool) -> bool {
    match args.progress {
        When::Auto => !has_rows && !args.quiet && io::stderr().is_terminal(),
        When::Always => true,
        When::Never => false,
    }
}

/// # Errors
/// If there is no such folder. Checked here, since the folder is used only once the memory budget is used up.
fn check_tmp_dir(folder: Option<&Path>) -> anyhow::Result<()> {
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => bail!(
            "--tmp-dir {}: there is no such folder; make it first",
            folder.display()
        ),
        None => Ok(()),
    }
}

/// The level of log lines on standard error.
pub(crate) fn log_level(quiet: bool, verbose: u8) -> LevelFilter {
    match verbose {
        _ if quiet => LevelFilter::Off,
        0 => LevelFilter::Warn,
        1 => LevelFilter::Info,
        _ => LevelFilter::Debug,
    }
}

/// A builder with the named sources, or with standard input if there are none.
fn sources(args: &ScanArgs) -> anyhow::Result<PipelineBuilder> {
    let mut builder = args
        .paths
        .iter()
        .fold(Pipeline::builder(), PipelineBuilder::source);
    let stdin = args.paths.iter().any(|path| is_dash(path));
    if let Some(list) = &args.files_from {
        if stdin && is_dash(list) {
            bail!(
                "standard input cannot be both a source and the list of sources; put the list into a file"
            );
        }
        let separator = if args.nul {
            Separator::Nul
        } else {
            Separator::Line
        };
        builder = builder.list(list, separator);
    } else if args.paths.is_empty() {
        if io::stdin().is_terminal() {
            bail!("nothing to read: name a file or folder, or - for standard input");
        }
        builder = builder.source("-");
    }
    Ok(builder)
}

fn options(builder: PipelineBuilder, mut args: ScanArgs) -> PipelineBuilder {
    let builder = lists(limits(builder, &args), &mut args);
    let mut builder = builder
        .mentions(args.mentions)
        .pairs(args.pairs)
        .edges(args.edges)
        .count(args.count)
        .lines(args.lines)
        .follow_links(args.follow)
        .on_error(match args.on_error {
            args::OnErrorArg::Skip => OnError::Skip,
            args::OnErrorArg::Fail => OnError::Fail,
        });
    let output = args.output.filter(|path| !is_dash(path));
    builder = set(builder, output, PipelineBuilder::output);
    builder = set(builder, args.format, PipelineBuilder::format);
    builder = set(builder, args.fields, PipelineBuilder::fields);
    let max = args.top_prefixes.map(|max| max as usize);
    builder = set(builder, max, PipelineBuilder::top_prefixes);
    builder = set(builder, args.context, PipelineBuilder::context);
    builder = set(builder, args.record_id, PipelineBuilder::record_id);
    builder = set(builder, args.source_name, PipelineBuilder::source_name);
    builder = set(builder, args.input_kind, PipelineBuilder::text_kind);
    builder = set(builder, args.columns, PipelineBuilder::columns);
    builder = set(builder, args.id_column, PipelineBuilder::id_column);
    builder = set(builder, args.pre, PipelineBuilder::pre);
    builder = set(builder, args.shard, PipelineBuilder::shard);
    builder = set(builder, args.report, PipelineBuilder::report);
    builder = set(builder, args.tmp_dir, PipelineBuilder::tmp_dir);
    set(builder, args.checkpoint, PipelineBuilder::checkpoint)
}

/// Sets the options that may be given several times.
fn lists(builder: PipelineBuilder, args: &mut ScanArgs) -> PipelineBuilder {
    type Add = fn(PipelineBuilder, String) -> PipelineBuilder;
    let lists: [(&mut Vec<String>, Add); 5] = [
        (&mut args.include, PipelineBuilder::include),
        (&mut args.exclude, PipelineBuilder::exclude),
        (&mut args.pre_glob, PipelineBuilder::pre_glob),
        (&mut args.prefix, PipelineBuilder::prefix),
        (&mut args.exclude_prefix, PipelineBuilder::exclude_prefix),
    ];
    lists.into_iter().fold(builder, |builder, (list, add)| {
        list.drain(..).fold(builder, add)
    })
}

/// Sets limits, and what affects time and memory but no output.
fn limits(mut builder: PipelineBuilder, args: &ScanArgs) -> PipelineBuilder {
    builder = set(builder, args.max_expansion, PipelineBuilder::max_expansion);
    builder = set(builder, args.max_window, PipelineBuilder::max_window);
    builder = set(builder, args.max_depth, PipelineBuilder::max_depth);
    builder = set(builder, args.max_members, PipelineBuilder::max_members);
    builder = set(builder, args.memory, PipelineBuilder::memory);
    let threads = args.threads.map(usize::from);
    builder = set(builder, threads, PipelineBuilder::threads);
    let chunk = args.chunk.map(|bytes| bytes as usize);
    builder = set(builder, chunk, PipelineBuilder::chunk);
    let interval = args.checkpoint_interval.map(Duration::from_millis);
    set(builder, interval, PipelineBuilder::checkpoint_interval)
}

/// Sets what was given.
fn set<T>(
    builder: PipelineBuilder,
    value: Option<T>,
    with: impl FnOnce(PipelineBuilder, T) -> PipelineBuilder,
) -> PipelineBuilder {
    match value {
        Some(value) => with(builder, value),
        None => builder,
    }
}

pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}
