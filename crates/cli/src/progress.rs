//! Log lines and progress on standard error.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use doisift::Progress;
use doisift::internal::Printable;
use env_logger::Target;
use indicatif::{
    BinaryBytes, HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle,
};
use log::LevelFilter;

use crate::messages::ProgressShape;

/// Time between progress lines.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Shows the progress of a run.
pub(crate) enum Meter {
    Hidden,
    /// Redrawn in place.
    Bar {
        bar: ProgressBar,
        started: Instant,
        pace: Pace,
    },
    /// A line in each [`LINE_INTERVAL`], for a log file or between rows.
    Lines {
        started: Instant,
        next: Duration,
        pace: Pace,
    },
}

impl Meter {
    /// Creates a meter for standard error, and starts the log, which shares it.
    pub(crate) fn new(shape: ProgressShape, log: LevelFilter) -> Meter {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        start_log(log, bar.clone());
        let (started, pace) = (Instant::now(), Pace::default());
        match shape {
            ProgressShape::Hidden => Meter::Hidden,
            ProgressShape::Lines => Meter::Lines {
                started,
                next: LINE_INTERVAL,
                pace,
            },
            ProgressShape::Bar => {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.set_style(style(false));
                Meter::Bar { bar, started, pace }
            }
        }
    }

    /// Shows the current progress.
    pub(crate) fn show(&mut self, progress: Progress) {
        match self {
            Meter::Hidden => {}
            Meter::Bar { bar, started, pace } => {
                pace.add(started.elapsed(), progress);
                draw(bar, progress, pace);
            }
            Meter::Lines {
                started,
                next,
                pace,
            } => {
                pace.add(started.elapsed(), progress);
                if started.elapsed() >= *next {
                    *next += LINE_INTERVAL;
                    write_line(&state(progress, pace));
                }
            }
        }
    }

    /// Shows the final progress: in a last line, or by removing the bar, after which a summary follows.
    pub(crate) fn end(self, progress: Progress) {
        match self {
            Meter::Hidden => {}
            Meter::Bar { bar, .. } => bar.finish_and_clear(),
            Meter::Lines {
                started, mut pace, ..
            } => {
                pace.end(started.elapsed(), progress);
                write_line(&state(progress, &pace));
            }
        }
    }
}

fn draw(bar: &ProgressBar, progress: Progress, pace: &Pace) {
    if let Some(total) = total(progress).filter(|_| bar.length().is_none()) {
        bar.set_length(total);
        bar.set_style(style(true));
    }
    bar.set_message(state(progress, pace));
    bar.set_position(done(progress));
}

/// Returns the style of the bar. It has no colours, so that no option must turn them off.
fn style(total_known: bool) -> ProgressStyle {
    let template = if total_known {
        "{wide_bar} {msg}"
    } else {
        "{spinner} {msg}"
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn write_line(state: &str) {
    // If standard error is closed, there is nowhere to report it.
    let _ = io::stderr().write_all(format!("doisift: {state}\n").as_bytes());
}

/// Returns the bytes of all sources, or the number of questions to a registry. `None` if not known.
fn total(progress: Progress) -> Option<u64> {
    match progress.questions {
        0 => progress.total,
        questions => Some(questions),
    }
}

/// Returns the bytes of sources that were read or skipped, at most the total; or the answers of a registry.
fn done(progress: Progress) -> u64 {
    if progress.questions > 0 {
        return progress.answers;
    }
    let done = progress.bytes.saturating_add(progress.passed);
    done.min(progress.total.unwrap_or(u64::MAX))
}

/// Returns the work that took time: the bytes that this run read, or the answers that were not in its cache.
fn worked(progress: Progress) -> u64 {
    match progress.questions {
        0 => progress.bytes.saturating_sub(progress.resumed),
        _ => progress.answers.saturating_sub(progress.cached),
    }
}

/// Returns the time left, in words; empty until the pace is known.
fn time_left(progress: Progress, pace: &Pace) -> String {
    let left = total(progress).map(|total| total - done(progress));
    match left {
        Some(left) if left > 0 && pace.rate() > 0.0 && pace.is_known() => {
            let left = Duration::from_secs((left as f64 / pace.rate()).ceil() as u64);
            format!(", {:#} left", HumanDuration(left))
        }
        _ => String::new(),
    }
}

/// Describes the progress of a run that asks a registry: answers, answers a second, and the time left at this rate.
fn asked(progress: Progress, pace: &Pace) -> String {
    let (done, total) = (progress.answers, progress.questions);
    let percent = done * 100 / total.max(1);
    let rate = pace.rate();
    let left = time_left(progress, pace);
    let (done, total) = (HumanCount(done), HumanCount(total));
    format!("{done} of {total} answers ({percent} %), {rate:.1}/s{left}")
}

/// Describes the progress: bytes done, bytes a second, the time left at this rate, requests to services, and mentions.
fn state(progress: Progress, pace: &Pace) -> String {
    if progress.questions > 0 {
        return asked(progress, pace);
    }
    let (done, rate) = (done(progress), pace.rate());
    let mut state = match progress.total {
        None => BinaryBytes(done).to_string(),
        Some(total) => {
            let percent = u128::from(done) * 100 / u128::from(total.max(1));
            format!(
                "{} of {} ({percent} %)",
                BinaryBytes(done),
                BinaryBytes(total)
            )
        }
    };
    // Writing to a string cannot fail.
    if progress.all_sources > 0 {
        let (read, all) = (
            HumanCount(progress.sources),
            HumanCount(progress.all_sources),
        );
        let _ = write!(state, ", {read} of {all} files");
    }
    let _ = write!(state, ", {}/s", BinaryBytes(rate as u64));
    state += &time_left(progress, pace);
    if progress.requests > 0 {
        let _ = write!(state, ", {} requests", HumanCount(progress.requests));
    }
    if progress.retries > 0 {
        let _ = write!(state, " ({} again)", HumanCount(progress.retries));
    }
    let _ = write!(state, ", {} mentions", HumanCount(progress.mentions));
    state
}

/// Measures the rate of reading, or of answers. Bytes that an interrupted run read, skipped bytes, and answers of the cache do
/// not count.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Times since the start, and the bytes or answers until then; the oldest is first.
    samples: VecDeque<(Duration, u64)>,
}

impl Pace {
    /// The period over which the rate is computed.
    const RATE_SPAN: Duration = Duration::from_secs(30);
    /// The time between samples.
    const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

    /// Adds a sample at the time `at` since the start. It replaces the newest sample unless that is a [`SAMPLE_INTERVAL`](Self::SAMPLE_INTERVAL) after
    /// the one before it.
    fn add(&mut self, at: Duration, progress: Progress) {
        let read = worked(progress);
        let mut newest = self.samples.iter().rev();
        // The newest sample is replaced until it is a step after the one before it.
        if let (Some(_), Some((before, _))) = (newest.next(), newest.next())
            && at.saturating_sub(*before) < Self::SAMPLE_INTERVAL
        {
            self.samples.pop_back();
        }
        if self.samples.is_empty() {
            self.samples.push_back((Duration::ZERO, 0));
        }
        self.samples.push_back((at, read));
        let too_old = |(second, _): &(Duration, u64)| at.saturating_sub(*second) >= Self::RATE_SPAN;
        while self.samples.get(1).is_some_and(too_old) {
            self.samples.pop_front();
        }
    }

    /// Ends the run. The rate is then that of the whole run.
    fn end(&mut self, at: Duration, progress: Progress) {
        self.samples.clear();
        self.add(at, progress);
    }

    /// Whether the samples cover enough time to estimate the time left.
    fn is_known(&self) -> bool {
        let (oldest, newest) = (self.samples.front(), self.samples.back());
        let span = newest
            .zip(oldest)
            .map(|(newest, oldest)| newest.0.saturating_sub(oldest.0));
        span.is_some_and(|span| span >= Self::SAMPLE_INTERVAL)
    }

    /// Returns bytes or answers per second.
    fn rate(&self) -> f64 {
        match (self.samples.front(), self.samples.back()) {
            (Some((from, before)), Some((to, now))) => {
                let passed = to.saturating_sub(*from).as_secs_f64().max(0.001);
                now.saturating_sub(*before) as f64 / passed
            }
            _ => 0.0,
        }
    }
}

fn start_log(level: LevelFilter, bar: ProgressBar) {
    // A process that runs the command again keeps the first one.
    let _ = env_logger::Builder::new()
        .filter_module("doisift", level)
        .format(|out, record| writeln!(out, "doisift: {}", Printable(record.args())))
        .target(Target::Pipe(Box::new(AboveBar(bar))))
        .try_init();
}

/// Writes log lines to standard error, above the progress bar if there is one.
struct AboveBar(ProgressBar);

impl Write for AboveBar {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB_BYTES: u64 = 1 << 20;

    fn progress(bytes: u64, resumed: u64, passed: u64, total: Option<u64>) -> Progress {
        let mut progress = Progress::default();
        progress.bytes = bytes;
        progress.resumed = resumed;
        progress.passed = passed;
        progress.total = total;
        progress
    }

    #[test]
    fn what_an_earlier_run_read_is_done_but_took_no_time() {
        let mut pace = Pace::default();
        let mut now = progress(900 * MIB_BYTES, 800 * MIB_BYTES, 0, Some(1000 * MIB_BYTES));
        (now.sources, now.all_sources, now.mentions) = (1200, 1500, 54321);
        pace.add(Duration::from_secs(10), now);
        assert_eq!(pace.rate(), (10 * MIB_BYTES) as f64);
        let wanted = "900.00 MiB of 1000.00 MiB (90 %), 1,200 of 1,500 files, 10.00 MiB/s, 10s left, 54,321 mentions";
        assert_eq!(state(now, &pace), wanted);
    }

    #[test]
    fn requests_and_their_repetitions_are_shown() {
        let mut now = progress(MIB_BYTES, 0, 0, None);
        now.requests = 1200;
        let pace = Pace::default();
        let wanted = "1.00 MiB, 0 B/s, 1,200 requests, 0 mentions";
        assert_eq!(state(now, &pace), wanted);
        now.retries = 3;
        let wanted = "1.00 MiB, 0 B/s, 1,200 requests (3 again), 0 mentions";
        assert_eq!(state(now, &pace), wanted);
    }

    #[test]
    fn what_need_not_be_read_is_done() {
        let mut pace = Pace::default();
        let now = progress(MIB_BYTES, 0, 3 * MIB_BYTES, Some(4 * MIB_BYTES));
        pace.add(Duration::from_secs(1), now);
        let wanted = "4.00 MiB of 4.00 MiB (100 %), 1.00 MiB/s, 0 mentions";
        assert_eq!(state(now, &pace), wanted);
        let more = progress(9 * MIB_BYTES, 0, 3 * MIB_BYTES, Some(4 * MIB_BYTES));
        assert!(state(more, &pace).starts_with("4.00 MiB of 4.00 MiB (100 %)"));
    }

    #[test]
    fn a_total_that_is_not_known_gives_no_percentage() {
        let mut pace = Pace::default();
        let now = progress(MIB_BYTES, 0, 0, None);
        assert_eq!(state(now, &pace), "1.00 MiB, 0 B/s, 0 mentions");
        pace.add(Duration::from_millis(500), now);
        assert_eq!(state(now, &pace), "1.00 MiB, 2.00 MiB/s, 0 mentions");
    }

    #[test]
    fn answers_of_the_cache_are_done_but_took_no_time() {
        let mut pace = Pace::default();
        let mut now = Progress::default();
        (now.questions, now.answers, now.cached) = (1000, 450, 400);
        pace.add(Duration::from_secs(10), now);
        assert_eq!(
            state(now, &pace),
            "450 of 1,000 answers (45 %), 5.0/s, 2m left"
        );
    }

    #[test]
    fn the_rate_is_that_of_the_last_half_minute() {
        let mut pace = Pace::default();
        let mut bytes = 0;
        for tick in 1..=1200 {
            // A minute at 1 MiB a tenth of a second, then a minute at a tenth of that.
            bytes += if tick <= 600 {
                MIB_BYTES
            } else {
                MIB_BYTES / 10
            };
            pace.add(
                Duration::from_millis(tick * 100),
                progress(bytes, 0, 0, None),
            );
            assert!(pace.samples.len() < 40);
            if tick == 600 {
                assert!(
                    (pace.rate() / (10 * MIB_BYTES) as f64 - 1.0).abs() < 0.05,
                    "{}",
                    pace.rate()
                );
            }
        }
        assert!(
            (pace.rate() / MIB_BYTES as f64 - 1.0).abs() < 0.05,
            "{}",
            pace.rate()
        );
        pace.end(Duration::from_secs(120), progress(bytes, 0, 0, None));
        assert!((pace.rate() / (5.5 * MIB_BYTES as f64) - 1.0).abs() < 0.05);
    }
}
