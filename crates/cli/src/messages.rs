//! Options for the messages of a command besides errors, on standard error.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;

use clap::{ArgAction, Args, ValueEnum};
use doisift_system::{FileKind, FileStatus};
use log::LevelFilter;

use crate::streams::is_dash;
use crate::summary::SummaryChoice;

/// The options of all commands that read files.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Messages")]
pub(crate) struct Messages {
    /// Write nothing to standard error except why the run failed
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Report decisions and counts on standard error; -vv reports more, such as each document that is skipped
    #[arg(short, long, action = ArgAction::Count, hide_short_help = true)]
    verbose: u8,

    /// Write one line of counts to standard error; the default if that is a terminal and files are read
    #[arg(long, hide_short_help = true)]
    pub(crate) stats: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

impl Messages {
    /// Returns the level of log lines on standard error.
    pub(crate) fn level(self) -> LevelFilter {
        match self.verbose {
            _ if self.quiet => LevelFilter::Off,
            0 => LevelFilter::Warn,
            1 => LevelFilter::Info,
            _ => LevelFilter::Debug,
        }
    }

    pub(crate) fn summary(self) -> SummaryChoice {
        let is_asked = self.stats || self.verbose > 0;
        SummaryChoice(!self.quiet && (is_asked || io::stderr().is_terminal()))
    }
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressShape {
    Hidden,
    /// A line from time to time.
    Lines,
    /// A line that is drawn again in place, and removed at the end.
    Bar,
}

impl When {
    /// Returns how a run shows progress. If it writes rows to a terminal, it has no bar, which would be drawn between the rows.
    pub(crate) fn progress(self, messages: Messages, writes_to_terminal: bool) -> ProgressShape {
        let has_bar = io::stderr().is_terminal() && !writes_to_terminal;
        match self {
            When::Auto if has_bar && !messages.quiet => ProgressShape::Bar,
            When::Always if has_bar => ProgressShape::Bar,
            When::Always => ProgressShape::Lines,
            When::Auto | When::Never => ProgressShape::Hidden,
        }
    }
}

/// Whether one of these outputs is a terminal. `None` and `-` mean standard output.
pub(crate) fn has_terminal<'p>(outputs: impl IntoIterator<Item = Option<&'p Path>>) -> bool {
    let is_device = |path: &Path| {
        let kind = FileStatus::at(path).map(|at| at.kind());
        kind.is_ok_and(|kind| kind == FileKind::Device)
    };
    let is_terminal = |path: &Path| {
        let device = File::options().write(true).open(path);
        device.is_ok_and(|device| device.is_terminal())
    };
    let mut outputs = outputs.into_iter();
    outputs.any(|output| match output.filter(|path| !is_dash(path)) {
        None => io::stdout().is_terminal(),
        Some(path) => is_device(path) && is_terminal(path),
    })
}
