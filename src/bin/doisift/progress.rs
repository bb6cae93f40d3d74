//! What a run shows on standard error: log lines, and how far it is.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use doisift::{Printable, Progress};
use env_logger::Target;
use indicatif::{BinaryBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use log::LevelFilter;

/// How often a line is written where there is no terminal to redraw.
const PERIOD: Duration = Duration::from_secs(1);

/// Shows how far a run is.
pub(crate) enum Meter {
    Hidden,
    /// Redrawn in place.
    Bar(ProgressBar),
    /// A line now and then, for a log file.
    Lines {
        started: Instant,
        next: Duration,
    },
}

impl Meter {
    /// A meter for standard error, which it shares with the log.
    pub(crate) fn new(shown: bool, log: LevelFilter) -> Meter {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        start_log(log, bar.clone());
        if !shown {
            return Meter::Hidden;
        }
        if !io::stderr().is_terminal() {
            return Meter::Lines {
                started: Instant::now(),
                next: PERIOD,
            };
        }
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.set_style(style(false));
        Meter::Bar(bar)
    }

    /// Shows where the run is now.
    pub(crate) fn show(&mut self, progress: Progress) {
        match self {
            Meter::Hidden => {}
            Meter::Bar(bar) => draw(bar, progress),
            Meter::Lines { started, next } => {
                if started.elapsed() >= *next {
                    *next += PERIOD;
                    write_line(progress, started.elapsed());
                }
            }
        }
    }

    /// Shows where the run ended.
    pub(crate) fn end(self, progress: Progress) {
        match self {
            Meter::Hidden => {}
            Meter::Bar(bar) => {
                draw(&bar, progress);
                bar.abandon();
            }
            Meter::Lines { started, .. } => write_line(progress, started.elapsed()),
        }
    }
}

fn draw(bar: &ProgressBar, progress: Progress) {
    if let Some(total) = progress.total.filter(|_| bar.length().is_none()) {
        bar.set_length(total);
        bar.set_style(style(true));
    }
    bar.set_message(format!("{} mentions", progress.mentions));
    bar.set_position(progress.bytes);
}

/// Without colours, so that nobody need turn them off.
fn style(total_known: bool) -> ProgressStyle {
    let template = match total_known {
        true => "{wide_bar} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {msg}",
        false => "{spinner} {binary_bytes}, {binary_bytes_per_sec}, {msg}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn write_line(progress: Progress, elapsed: Duration) {
    let mut line = format!("doisift: {}", BinaryBytes(progress.bytes));
    let rate = progress.bytes as f64 / elapsed.as_secs_f64().max(0.001);
    // Writing to a string cannot fail.
    let _ = progress
        .total
        .map(|total| write!(line, " of {}", BinaryBytes(total)));
    let _ = writeln!(
        line,
        ", {}/s, {} mentions",
        BinaryBytes(rate as u64),
        progress.mentions
    );
    let _ = io::stderr().write_all(line.as_bytes());
}

fn start_log(level: LevelFilter, bar: ProgressBar) {
    env_logger::Builder::new()
        .filter_module("doisift", level)
        .format(|out, record| writeln!(out, "doisift: {}", Printable(record.args())))
        .target(Target::Pipe(Box::new(AboveBar(bar))))
        .init();
}

/// Standard error, above the progress bar if there is one.
struct AboveBar(ProgressBar);

impl Write for AboveBar {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
