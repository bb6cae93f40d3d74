//! Passes messages of the library to Python's `logging`. The logger is called `doisift`.

use doisift::internal::Keywords;
use log::{Level, LevelFilter, Log, Metadata, Record};
use pyo3::prelude::*;

struct PythonLog;

impl Log for PythonLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level() && metadata.target().starts_with("doisift")
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let message = Keywords::Python.word(&record.args().to_string());
        // A message that cannot be logged is lost, as with Python's own handlers.
        Python::try_attach(|py| {
            let log = logger(py).and_then(|logger| {
                logger.call_method1("log", (number(record.level()), "%s", message))
            });
            drop(log);
        });
    }

    fn flush(&self) {}
}

/// Makes this the logger of the library, with the current level of Python's logger. Messages below it cost nothing.
///
/// # Errors
/// If `logging` cannot be asked.
pub(crate) fn follow_level(py: Python<'_>) -> PyResult<()> {
    // Fails if there is a logger: after the first call, or in the command, which has its own.
    let _ = log::set_logger(&PythonLog);
    let level: u32 = logger(py)?.call_method0("getEffectiveLevel")?.extract()?;
    log::set_max_level(match level {
        0..=9 => LevelFilter::Trace,
        10..=19 => LevelFilter::Debug,
        20..=29 => LevelFilter::Info,
        30..=39 => LevelFilter::Warn,
        40..=49 => LevelFilter::Error,
        _ => LevelFilter::Off,
    });
    Ok(())
}

fn logger(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("logging")?
        .call_method1("getLogger", ("doisift",))
}

/// Returns the number of the level in Python.
fn number(level: Level) -> u32 {
    match level {
        Level::Error => 40,
        Level::Warn => 30,
        Level::Info => 20,
        Level::Debug => 10,
        Level::Trace => 5,
    }
}
