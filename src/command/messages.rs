//! What a command writes to standard error besides errors.

use std::io::{self, IsTerminal};

use clap::{ArgAction, Args, ValueEnum};
use log::LevelFilter;

use crate::command::summary::SummaryChoice;

/// The options of all commands that read files.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Messages")]
pub(crate) struct Messages {
    /// Write nothing to standard error except why the run failed
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Report decisions and counts on standard error; -vv reports more, such as each document that is skipped
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// Write one line with the counts of the run to standard error; done anyway where that is a terminal and files are read
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
    /// The level of log lines on standard error.
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

impl When {
    /// Whether progress is shown. `is_useful` decides on a terminal.
    pub(crate) fn shows_progress(self, messages: Messages, is_useful: bool) -> bool {
        match self {
            When::Auto => is_useful && !messages.quiet && io::stderr().is_terminal(),
            When::Always => true,
            When::Never => false,
        }
    }
}
